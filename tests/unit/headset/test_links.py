"""The small decisions of the links: addresses, pauses, pacing, clock messages, the summary."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Callable
from typing import Any

import pytest
from aiortc.exceptions import InvalidStateError
from aiortc.mediastreams import MediaStreamError

from arwarden.contract.channel import MAX_MESSAGE_BYTES
from arwarden.core.clock import SystemClock, VirtualClock
from arwarden.core.counters import Counters
from arwarden.core.errors import Refused
from arwarden.core.frame import ByteImage, View
from arwarden.core.offset import OffsetFilter
from arwarden.headset.ack_outbox import MOST_ACKS
from arwarden.headset.backoff import LONGEST_S, STEADY_AFTER_S, Backoff
from arwarden.headset.clock_channel import MAX_BUFFERED_BYTES, ClockChannel
from arwarden.headset.feed import LiveFeed, StreamFormat
from arwarden.headset.headset import HeadsetSummary
from arwarden.headset.mqtt_address import MqttAddress
from arwarden.headset.mqtt_client import AlertCallbacks, AlertClient
from arwarden.headset.pictures import PictureSize
from arwarden.headset.scene import ArScene
from arwarden.headset.shown import Change, ShownAlert
from arwarden.headset.whip_client import WhipTarget, _problem_text
from tests.unit.headset.alerts import make_alert

SMALL = PictureSize(160, 96)


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("mqtt://broker", MqttAddress("broker", 1883)),
        ("mqtts://broker", MqttAddress("broker", 8883, tls=True)),
        ("mqtt://10.0.0.2:1999", MqttAddress("10.0.0.2", 1999)),
        ("mqtt://[::1]:1999", MqttAddress("::1", 1999)),
        ("mqtt://me:p%40ss@broker", MqttAddress("broker", 1883, username="me", password="p@ss")),
        ("mqtt://me@broker", MqttAddress("broker", 1883, username="me")),
    ],
)
def test_broker_address_is_read(url: str, address: MqttAddress) -> None:
    assert MqttAddress.parse(url) == address


@pytest.mark.parametrize("url", ["", "broker", "broker:1883", "http://broker", "mqtt://", "mqtt://:1883"])
def test_broker_address_of_another_form_is_refused(url: str) -> None:
    with pytest.raises(Refused, match="mqtt://HOST:PORT"):
        MqttAddress.parse(url)


@pytest.mark.parametrize(
    "url", ["mqtt://me:secret@broker:x", "mqtt://me:secret@b:99999", "amqp://me:secret@b"]
)
def test_refused_address_does_not_repeat_the_password(url: str) -> None:
    with pytest.raises(Refused) as caught:
        MqttAddress.parse(url)
    assert "secret" not in str(caught.value)


def test_password_is_in_no_representation() -> None:
    address = MqttAddress.parse("mqtt://me:secret@broker")
    assert "secret" not in f"{address} {address!r}"
    assert "secret" not in repr(WhipTarget("http://host/whip", token="secret"))


def test_whip_address_keeps_its_own_query() -> None:
    target = WhipTarget("https://host/whip?room=1", device_id="q 3", view=View.UNKNOWN)
    assert dict(target.request_url().query) == {"room": "1", "view": "unknown", "device": "q 3"}


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ('{"title": "No", "detail": "because"}', "No: because"),
        ('{"title": "No"}', "No"),
        ("[1]", "[1]"),
        ("", ""),
        ("<p>a\n\n b", "<p>a b"),
        ("{" + "x" * 999, "{" + "x" * 199),
    ],
)
def test_refusals_are_told_in_the_daemons_words(body: str, said: str) -> None:
    assert _problem_text(body) == said


def test_pauses_double_to_a_bound_and_start_anew_after_a_steady_connection() -> None:
    backoff = Backoff()
    pauses = [backoff.pause_s() for _ in range(12)]
    for index, pause_s in enumerate(pauses):
        full_s = min(LONGEST_S, 0.2 * 2**index)
        assert 0.75 * full_s <= pause_s <= full_s
    assert backoff.pause_s(held_s=STEADY_AFTER_S - 1) > 1
    assert backoff.pause_s(held_s=STEADY_AFTER_S) <= 0.2


class FakeChannel:
    """A data channel whose other end is the test."""

    def __init__(self) -> None:
        self.readyState = "open"
        self.bufferedAmount = 0
        self.sent: list[dict[str, Any]] = []
        self._handlers: dict[str, Callable[..., None]] = {}

    def on(self, event: str, handler: Callable[..., None]) -> None:
        self._handlers[event] = handler

    def emit(self, event: str, *values: object) -> None:
        self._handlers[event](*values)

    def send(self, text: str) -> None:
        if self.readyState != "open":
            raise InvalidStateError
        self.sent.append(json.loads(text))


class Clocked:
    """A clock channel on a fake data channel, in virtual time."""

    def __init__(self) -> None:
        self.channel = FakeChannel()
        self.clock = VirtualClock(1_000_000.0)
        self.offset = OffsetFilter()
        self.counters = Counters()
        self.end = ClockChannel(
            self.channel,  # type: ignore[arg-type]
            view=View.COMPOSITED,
            clock=self.clock,
            offset=self.offset,
            counters=self.counters,
        )

    def pong(self, ping_id: int, ahead_ms: float) -> None:
        now_ms = self.clock.now_ms() + ahead_ms
        pong = {"type": "pong", "id": ping_id, "t0_ms": 0.0, "t1_ms": now_ms, "t2_ms": now_ms}
        self.channel.emit("message", json.dumps(pong))


def test_ping_is_answered_with_our_time() -> None:
    clocked = Clocked()
    clocked.channel.emit("message", '{"type": "ping", "id": 7, "t0_ms": 5.5}')
    assert clocked.channel.sent == [
        {"type": "pong", "id": 7, "t0_ms": 5.5, "t1_ms": 1_000_000.0, "t2_ms": 1_000_000.0}
    ]


def test_pong_counts_only_once_and_only_for_a_ping_of_ours() -> None:
    clocked = Clocked()
    clocked.end._ask()
    clocked.clock.advance(10)
    clocked.pong(99, 500)
    assert clocked.offset.offset_ms is None
    clocked.pong(0, 500)
    clocked.pong(0, 900)
    assert clocked.offset.offset_ms == pytest.approx(505)
    assert clocked.offset.exchanges == 1
    assert clocked.end.answered_ms == clocked.clock.now_ms()
    assert clocked.counters["clock.unusable"] == 2


@pytest.mark.parametrize(
    "raw",
    ["", "{", "null", '{"type": "bye"}', b"\xff\x00", "x" * 5000, '{"type": "ping", "id": -1, "t0_ms": 1}'],
)
def test_malformed_message_is_counted(raw: str | bytes) -> None:
    clocked = Clocked()
    clocked.channel.emit("message", raw)
    assert clocked.counters["clock.malformed"] == 1
    assert clocked.channel.sent == []


def test_long_message_is_not_read_even_where_it_is_valid() -> None:
    clocked = Clocked()
    clocked.channel.emit("message", '{"type": "ping", "id": 1, "t0_ms": 1}' + " " * MAX_MESSAGE_BYTES)
    assert clocked.counters["clock.malformed"] == 1
    assert clocked.channel.sent == []


def test_hello_from_the_daemon_is_counted() -> None:
    clocked = Clocked()
    clocked.channel.emit("message", '{"type": "hello"}')
    assert clocked.counters["clock.unexpected"] == 1


def test_jammed_channel_is_not_filled_further() -> None:
    clocked = Clocked()
    clocked.channel.bufferedAmount = MAX_BUFFERED_BYTES + 1
    clocked.end._ask()
    assert clocked.channel.sent == []
    assert clocked.counters["clock.pings_held_back"] == 1


def test_open_pings_are_bounded() -> None:
    clocked = Clocked()
    for _ in range(1000):
        clocked.end._ask()
    assert len(clocked.end._asked_ms) <= 64


async def test_channel_says_hello_first_and_stops_when_it_closes() -> None:
    clocked = Clocked()
    running = asyncio.create_task(clocked.end.run())
    await asyncio.sleep(0.01)
    assert clocked.channel.sent == [], "it is not open yet"
    clocked.channel.emit("open")
    await asyncio.sleep(0.25)
    clocked.channel.readyState = "closed"
    await asyncio.wait_for(running, 5)
    assert [message["type"] for message in clocked.channel.sent[:3]] == ["hello", "ping", "ping"]
    clocked.end._ask()
    assert clocked.counters["clock.unsent"] == 1


class Slow(ArScene):
    """Takes longer for a picture than there is time."""

    reads: list[float]

    def read(self, t_s: float) -> ByteImage:
        import time

        self.reads.append(t_s)
        time.sleep(0.12)
        return super().read(t_s)


async def test_slow_source_skips_pictures_and_keeps_to_the_time() -> None:
    source = Slow(SMALL)
    source.reads = []
    feed = LiveFeed(source, StreamFormat(size=SMALL, fps=20), SystemClock())
    track = feed.track()
    began_s = asyncio.get_running_loop().time()
    packets = [await track.recv() for _ in range(6)]
    lasted_s = asyncio.get_running_loop().time() - began_s
    await feed.close()
    ticks = [round((packet.pts or 0) / 4500) for packet in packets]
    assert ticks[0] == 0
    assert feed.frames_skipped == ticks[-1] - 5 >= 5
    assert source.reads == [tick / 20 for tick in ticks]
    # The last picture is at most one picture's work behind its time.
    assert lasted_s - ticks[-1] / 20 < 1.0


async def test_stopped_track_gives_nothing_more() -> None:
    feed = LiveFeed(ArScene(SMALL), StreamFormat(size=SMALL, fps=20), SystemClock())
    track = feed.track()
    await track.recv()
    track.stop()
    with pytest.raises(MediaStreamError):
        await track.recv()
    await feed.close()


async def test_keyframe_requests_in_a_row_give_one_keyframe() -> None:
    feed = LiveFeed(ArScene(SMALL), StreamFormat(size=SMALL, fps=50), SystemClock())
    track = feed.track()
    await track.recv()
    keys = []
    for _ in range(8):
        track.request_keyframe()
        keys.append((await track.recv()).is_keyframe)
    await feed.close()
    assert keys == [True] + [False] * 7


async def test_times_of_captures_are_told_for_the_frame_that_was_sent() -> None:
    clock = VirtualClock(5_000.0)
    feed = LiveFeed(ArScene(SMALL), StreamFormat(size=SMALL, fps=50), clock)
    track = feed.track()
    told: list[float] = []
    track.on_due = told.append
    packets = [await track.recv() for _ in range(4)]
    await feed.close()
    sent = [5_000.0 + (packet.pts or 0) / 90 for packet in packets[:3]]
    assert told == pytest.approx(sent)


async def test_broken_source_ends_the_feed_with_its_error() -> None:
    class Broken(ArScene):
        def read(self, _t_s: float) -> ByteImage:
            msg = "a fault nobody thought of"
            raise ZeroDivisionError(msg)

    feed = LiveFeed(Broken(SMALL), StreamFormat(size=SMALL), SystemClock())
    with pytest.raises(MediaStreamError):
        await feed.track().recv()
    with pytest.raises(ZeroDivisionError, match="nobody thought of"):
        await asyncio.wait_for(feed.ended(), 1)
    await feed.close()


def summary(*latencies_ms: float | None) -> HeadsetSummary:
    changes = tuple(
        ShownAlert(make_alert(alert_id=f"a{at}"), Change.SHOWN, 0.0, 1.0, capture_to_shown_ms=latency_ms)
        for at, latency_ms in enumerate(latencies_ms)
    )
    ended = ShownAlert(make_alert(), Change.ENDED, 0.0, 1.0, capture_to_shown_ms=9999.0)
    return HeadsetSummary(1.0, 1, 0, 1, (*changes, ended), None, None, {})


def test_percentiles_are_of_alerts_as_first_shown() -> None:
    hundred = summary(*[float(value) for value in range(1, 101)])
    assert (hundred.latency_ms(0.5), hundred.latency_ms(0.95), hundred.latency_ms(1)) == (50, 95, 100)
    assert summary(7.0, None).latency_ms(0.95) == 7
    assert summary(7.0).latency_ms(0) == 7
    assert summary(None).latency_ms(0.5) is None
    assert len(hundred.raised) == 100


async def test_acknowledgements_are_bounded_while_the_broker_is_away() -> None:
    counters = Counters()
    clock = VirtualClock()
    client = AlertClient(
        MqttAddress("nowhere", 1),
        "quest-1",
        clock=clock,
        offset=OffsetFilter(),
        counters=counters,
        callbacks=AlertCallbacks(*[lambda *_: None] * 4),
    )
    for index in range(300):
        times = {"published_ms": clock.now_ms(), "expires_ms": clock.now_ms() + math.pi * 1000}
        client._take_alert(make_alert(alert_id=f"a{index}", **times), retained=False)
    assert len(client._acks) == MOST_ACKS
    # Two for each of the 32 that are shown, one for each of the others, less the 256 kept.
    assert counters["acks.dropped"] == 2 * 32 + 268 - MOST_ACKS
