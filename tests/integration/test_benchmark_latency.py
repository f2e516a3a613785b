"""The latency benchmark from end to end, as short as it can be. What it measures is not judged here."""

from __future__ import annotations

import pytest

from arwarden.headset.feed import StreamFormat
from arwarden.headset.pictures import PictureSize
from benchmarks.latency.command import Plan, measure


@pytest.mark.timeout(240)  # eight processes are started one after the other
async def test_short_run_measures_every_part() -> None:
    said: list[str] = []
    stream = StreamFormat(size=PictureSize(640, 360), bitrate_kbps=1500)
    result = await measure(Plan(stream, sessions=1, seconds=2.0), said.append)
    assert any("moving scene" in line for line in said)
    assert result.stream is not None
    assert result.stream.frames.received > 10
    assert result.stream.frames.judged > 0
    assert result.stream.latency_ms["capture to judged"] is not None, "time codes are read"
    assert result.stream.cpu_s_per_stream_minute > 0
    assert result.stream.memory.end_mib > 50
    assert result.static is not None
    assert result.static.ratio > 0
    assert result.naive is not None
    assert result.naive.judged > 0
    assert result.bare_pass_ms.p50 > 0
    assert result.to_json()["settings"]["size"] == "640x360"
    assert len(result.targets()) == 4
