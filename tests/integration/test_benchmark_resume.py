"""A suite is killed while it asks a real server, and goes on: what was answered is never asked again."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections import Counter
from pathlib import Path

import pytest

from benchmarks.datasets.contrar import COLUMNS, TABLE
from benchmarks.datasets.drawing import write_picture
from tests.support.llm_server import Behaviour, LlmServer, Request, says
from tests.unit.benchmarks.suites.made import flat, write_csv

ROOT = Path(__file__).parents[2]
SCENES = 12
CONCURRENCY = 2
KILLED_AFTER = 5


def scenes(folder: Path) -> Path:
    """Pictures of different brightness, so that every question has a body of its own."""
    folder.mkdir()
    rows = []
    for index in range(SCENES):
        write_picture(folder / f"{index:02}.png", flat(10 + 15 * index))
        label = "contradictory" if index % 2 else "non_contradictory"
        rows.append((f"s{index:02}", f"{index:02}.png", "smart_retail", label))
    write_csv(folder / TABLE, COLUMNS, rows)
    return folder


def slow(half_way: asyncio.Event) -> Behaviour:
    """Answers after a while, and says when enough was asked."""
    count = 0
    answer = says('{"scene": "", "virtual_content": [], "contradiction": "none", "verdict": "no"}')

    async def behave(request: Request, writer: asyncio.StreamWriter) -> None:
        nonlocal count
        count += 1
        if count == KILLED_AFTER:
            half_way.set()
        await asyncio.sleep(0.2)
        await answer(request, writer)

    return behave


async def started(data: Path, out: Path, url: str, *more: str) -> Process:
    command = (
        sys.executable, "-m", "benchmarks", "contrar", "--data", data, "--judge", f"openai:tiny@{url}",
        "--protocol", "single", "--runs", "1", "--concurrency", str(CONCURRENCY), "--out", out, *more,
    )  # fmt: skip
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    return await asyncio.create_subprocess_exec(
        *map(str, command), cwd=ROOT, env=environment, stdin=DEVNULL, stdout=PIPE, stderr=PIPE
    )


def asked(server: LlmServer) -> Counter[str]:
    return Counter(hashlib.sha256(request.raw).hexdigest() for request in server.requests)


def answered(out: Path) -> list[str]:
    """Samples whose line is whole."""
    lines = (out / "rows.jsonl").read_text(encoding="utf-8").split("\n")[:-1]
    return [json.loads(line)["sample"] for line in lines]


@pytest.mark.timeout(240)  # the program is started twice, each time with all its libraries
async def test_nothing_that_was_answered_is_asked_again_after_a_kill(tmp_path: Path) -> None:
    data, out = scenes(tmp_path / "data"), tmp_path / "out"
    half_way = asyncio.Event()
    async with LlmServer([slow(half_way)]) as server:
        first = await started(data, out, server.base_url)
        await asyncio.wait_for(half_way.wait(), 120)
        first.send_signal(signal.SIGKILL)
        await first.communicate()
        before = answered(out)
        assert 0 < len(before) < SCENES
        asked_before = asked(server)
        assert set(asked_before.values()) == {1}, "every question has a body of its own"

        second = await started(data, out, server.base_url, "--resume")
        said, complaint = await second.communicate()
        assert second.returncode == 0, complaint.decode()
    assert f"{SCENES - len(before)} asked, {len(before)} were answered before" in said.decode()
    assert sorted(answered(out)) == [f"s{index:02}" for index in range(SCENES)]
    again = [count for count in asked(server).values() if count > 1]
    lost = sum(asked_before.values()) - len(before)
    assert len(again) == lost <= CONCURRENCY, "only what was open when it was killed"
    assert len(server.requests) == SCENES + lost
