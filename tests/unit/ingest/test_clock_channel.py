"""The clock channel towards a client that may send anything."""

from __future__ import annotations

import asyncio
import json

import pytest

from arwarden.config import IngestConfig
from arwarden.core.clock import VirtualClock
from arwarden.core.counters import Counters
from arwarden.core.frame import View
from arwarden.ingest.clock_channel import BURST, RATE_HZ, ClockChannel
from arwarden.ingest.stream import Stream
from tests.support.receiving import Notes


class Ends:
    def __init__(self, clock: VirtualClock) -> None:
        self.clock = clock
        self.counters = Counters()
        self.sent: list[dict[str, object]] = []
        self.views: list[View] = []
        self.offsets: list[float | None] = []
        self.writable = True
        self.channel = ClockChannel(
            send=self._send,
            clock=clock,
            counters=self.counters,
            on_view=self.views.append,
            on_offset=self.offsets.append,
        )

    def _send(self, text: str) -> bool:
        if self.writable:
            self.sent.append(json.loads(text))
        return self.writable


@pytest.fixture
def ends(clock: VirtualClock) -> Ends:
    return Ends(clock)


def test_hello_says_the_view(ends: Ends) -> None:
    ends.channel.on_message('{"type":"hello","view":"composited","client":"test 1"}')
    ends.channel.on_message(b'{"type":"hello","view":"passthrough"}')
    assert ends.views == [View.COMPOSITED, View.PASSTHROUGH]


def test_hello_that_does_not_know_changes_nothing(ends: Ends) -> None:
    ends.channel.on_message('{"type":"hello"}')
    assert ends.views == []


def test_ping_is_answered_with_our_clock(ends: Ends) -> None:
    ends.channel.on_message('{"type":"ping","id":3,"t0_ms":12.5}')
    now_ms = ends.clock.now_ms()
    assert ends.sent == [{"type": "pong", "id": 3, "t0_ms": 12.5, "t1_ms": now_ms, "t2_ms": now_ms}]


def test_offset_is_measured(ends: Ends) -> None:
    assert ends.channel.offset_ms is None
    assert ends.channel.rtt_ms is None
    ends.channel.tick(ends.clock.now_ms())
    (ping,) = ends.sent
    headset_ms = ends.clock.advance(10) + 3_000.0
    ends.clock.advance(10)
    ends.channel.on_message(json.dumps({**ping, "type": "pong", "t1_ms": headset_ms, "t2_ms": headset_ms}))
    assert ends.channel.offset_ms == pytest.approx(3_000.0, abs=0.01)
    assert ends.channel.rtt_ms == pytest.approx(20.0, abs=0.01)
    assert ends.offsets == [ends.channel.offset_ms]


@pytest.mark.parametrize(
    ("message", "counter"),
    [
        ("", "malformed"),
        ("{", "malformed"),
        ("[]", "malformed"),
        ('{"type":"pong","id":1}', "malformed"),
        ('{"type":"ping","id":-1,"t0_ms":0}', "malformed"),
        ('{"type":"ping","id":1,"t0_ms":NaN}', "malformed"),
        ('{"type":"ping","id":1,"t0_ms":1e999}', "malformed"),
        ('{"type":"hello","view":"all"}', "malformed"),
        (b"\xff\x00", "malformed"),
        ("\ud800", "malformed"),
        ("x" * 1025, "oversize"),
        ("é" * 600, "oversize"),
        (b"x" * 100_000, "oversize"),
    ],
)
def test_unusable_messages_are_counted_and_dropped(ends: Ends, message: str | bytes, counter: str) -> None:
    ends.channel.on_message(message)
    assert ends.counters[f"ingest.clock_messages_{counter}"] == 1
    assert ends.sent == []


def test_answer_nobody_asked_for_is_counted(ends: Ends) -> None:
    ends.channel.on_message('{"type":"pong","id":1,"t0_ms":0,"t1_ms":0,"t2_ms":0}')
    assert ends.counters["ingest.clock_answers_unusable"] == 1
    assert ends.channel.offset_ms is None


def test_flood_is_cut_off_and_forgiven(ends: Ends) -> None:
    for _ in range(int(BURST) + 100):
        ends.channel.on_message('{"type":"ping","id":1,"t0_ms":0}')
    assert len(ends.sent) == BURST
    assert ends.counters["ingest.clock_messages_flooding"] == 100
    ends.clock.advance(1_000)
    for _ in range(int(RATE_HZ) + 10):
        ends.channel.on_message('{"type":"ping","id":1,"t0_ms":0}')
    assert len(ends.sent) == BURST + RATE_HZ


async def test_further_channels_add_no_allowance_and_silence_those_before(clock: VirtualClock) -> None:
    counters = Counters()
    sent: list[str] = []

    def send(text: str) -> bool:
        sent.append(text)
        return True

    stream = Stream(
        session_id="s",
        view=View.UNKNOWN,
        config=IngestConfig(),
        clock=clock,
        counters=counters,
        loop=asyncio.get_running_loop(),
        may_resume=lambda: True,
    )
    stream.start(Notes("s", "quest", View.UNKNOWN, clock))
    channels = [stream.open_clock_channel(send) for _ in range(20)]
    for channel in channels:
        for _ in range(10):
            channel.on_message('{"type":"ping","id":1,"t0_ms":0}')
    assert len(sent) == 10, "the last one alone is answered"
    for _ in range(200):
        channels[-1].on_message('{"type":"ping","id":1,"t0_ms":0}')
        stream.open_clock_channel(send).on_message('{"type":"ping","id":1,"t0_ms":0}')
    assert len(sent) == BURST
    channels[0].on_message('{"type":"hello","view":"passthrough"}')
    assert stream.view is View.UNKNOWN
    assert counters["ingest.clock_channels_replaced"] == 219


def test_client_that_does_not_read_is_not_written_to(ends: Ends) -> None:
    ends.writable = False
    ends.channel.on_message('{"type":"ping","id":1,"t0_ms":0}')
    ends.channel.tick(ends.clock.now_ms())
    assert ends.counters["ingest.clock_messages_unsent"] == 2
