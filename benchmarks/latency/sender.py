"""One headset in a process of its own: streams the clip, notes when, and what comes back."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass

import aiomqtt
from aiortc.mediastreams import MediaStreamError

from arwarden.contract.messages import Alert, Health
from arwarden.core.clock import Clock, SystemClock
from arwarden.headset.clip import ClipFeed, EncodedClip
from arwarden.headset.encoder import VideoPacket
from arwarden.headset.feed import StreamTrack
from arwarden.headset.headset import Headset, HeadsetOptions
from arwarden.headset.mqtt_address import MqttAddress
from arwarden.headset.shown import Change, ShownAlert
from benchmarks.latency.children import STOP, BenchmarkFailed, Orders
from benchmarks.latency.records import NaiveResult, SeenAlert, SenderLog, SenderReady, anchor_of, mono_ms

CLOCK_SHIFT_MS = 4_321.0
"""The headset's clock is wrong by this much, so that the measuring of its offset is part of the test."""
START_TIMEOUT_S = 30.0
NAIVE_TOPIC = "arwarden-benchmark/naive"


@dataclass(frozen=True, slots=True)
class SenderSpec:
    """What one headset does."""

    device_id: str
    clip: EncodedClip
    whip_url: str
    mqtt_url: str | None
    naive: bool = False
    """Listen for what the naive design publishes, instead of alerts."""


class ShiftedClock:
    """A clock that is wrong by a constant."""

    def __init__(self, clock: Clock, shift_ms: float) -> None:
        self._clock = clock
        self._shift_ms = shift_ms

    def now_ms(self) -> float:
        """The wrong time."""
        return self._clock.now_ms() + self._shift_ms


class NotedFeed(ClipFeed):
    """A clip that notes when each of its frames is handed to the wire."""

    def __init__(self, clip: EncodedClip, clock: Clock) -> None:
        super().__init__(clip, clock)
        self.handed_ms: list[float] = []
        self.first_handed = asyncio.Event()

    def track(self) -> StreamTrack:
        """A new track; the notes go on."""
        return _NotedTrack(super().track(), self)

    def lateness_ms(self) -> tuple[float, ...]:
        """Per frame: how long after its capture it was handed over."""
        started_ms = self.started_ms or 0.0
        return tuple(
            handed_ms - started_ms - 1000.0 * tick / self.clip.fps
            for tick, handed_ms in enumerate(self.handed_ms)
        )


class _NotedTrack(StreamTrack):
    def __init__(self, inner: StreamTrack, feed: NotedFeed) -> None:
        super().__init__()
        self._inner = inner
        self._feed = feed
        inner.on_due = self._due

    def _due(self, capture_ms: float) -> None:
        if self.on_due is not None:
            self.on_due(capture_ms)

    async def recv(self) -> VideoPacket:
        if self.readyState != "live":
            raise MediaStreamError
        packet = await self._inner.recv()
        self._feed.handed_ms.append(self._feed.clock.now_ms())
        self._feed.first_handed.set()
        return packet


class _Notes:
    """What came back to this headset."""

    def __init__(self) -> None:
        self.session_ids: set[str] = set()
        self.alerts: list[SeenAlert] = []
        self.naive: list[NaiveResult] = []

    def on_health(self, health: Health) -> None:
        self.session_ids.add(health.session_id)

    def on_alert(self, shown: ShownAlert) -> None:
        if shown.change in (Change.SHOWN, Change.UPDATED):
            self.alerts.append(_seen(shown.alert, shown=shown.change is Change.SHOWN))

    async def listen_naive(self, url: str, device_id: str, subscribed: asyncio.Event) -> None:
        address = MqttAddress.parse(url)
        async with aiomqtt.Client(address.host, address.port, protocol=aiomqtt.ProtocolVersion.V5) as client:
            await client.subscribe(f"{NAIVE_TOPIC}/{device_id}", qos=1)
            subscribed.set()
            async for message in client.messages:
                self.naive.append(NaiveResult(int(json.loads(message.payload)["code"]), mono_ms()))


def _seen(alert: Alert, *, shown: bool) -> SeenAlert:
    return SeenAlert(
        alert_id=alert.alert_id,
        session_id=alert.session_id,
        shown=shown,
        kind=alert.kind,
        state=alert.state.value,
        texts=tuple(element.text for element in alert.elements),
        captured_daemon_ms=alert.captured_ms,
        published_daemon_ms=alert.published_ms,
        stages_ms=alert.stages_ms,
        arrived_mono_ms=mono_ms(),
    )


async def send(spec: SenderSpec, orders: Orders) -> None:
    """Stream until told to stop. Answers with ``SenderReady`` and, in the end, ``SenderLog``."""
    clock = ShiftedClock(SystemClock(), CLOCK_SHIFT_MS)
    anchor_ms = anchor_of(clock)
    feed = NotedFeed(spec.clip, clock)
    notes = _Notes()
    options = HeadsetOptions(
        whip_url=spec.whip_url,
        mqtt_url=None if spec.naive else spec.mqtt_url,
        device_id=spec.device_id,
        connect_timeout_s=START_TIMEOUT_S,
    )
    headset = Headset(options, feed, clock=clock, on_alert=notes.on_alert, on_health=notes.on_health)
    async with _listening(spec, notes):
        running = asyncio.create_task(headset.run())
        begun = asyncio.create_task(feed.first_handed.wait())
        await asyncio.wait({running, begun}, return_when=asyncio.FIRST_COMPLETED)
        begun.cancel()
        if feed.started_ms is not None:
            orders.answer(SenderReady(feed.started_ms - anchor_ms))
        stopped = asyncio.create_task(_stopped(orders))
        await asyncio.wait({running, stopped}, return_when=asyncio.FIRST_COMPLETED)
        ended_by_itself = not stopped.done()
        headset.stop()
        summary = await running
    if ended_by_itself or feed.started_ms is None:
        msg = "the stream ended by itself"
        raise BenchmarkFailed(msg)
    orders.answer(
        SenderLog(
            device_id=spec.device_id,
            started_mono_ms=feed.started_ms - anchor_ms,
            connections=summary.connections,
            lateness_ms=feed.lateness_ms(),
            session_ids=frozenset(notes.session_ids),
            alerts=tuple(notes.alerts),
            naive=tuple(notes.naive),
        )
    )


async def _stopped(orders: Orders) -> None:
    while await orders.next() != STOP:
        pass


@contextlib.asynccontextmanager
async def _listening(spec: SenderSpec, notes: _Notes) -> AsyncIterator[None]:
    """Listen for the naive design's messages, where they are wanted."""
    if not spec.naive or spec.mqtt_url is None:
        yield
        return
    subscribed = asyncio.Event()
    listening = asyncio.create_task(notes.listen_naive(spec.mqtt_url, spec.device_id, subscribed))
    try:
        async with asyncio.timeout(START_TIMEOUT_S):
            await subscribed.wait()
        yield
    finally:
        listening.cancel()
        await asyncio.gather(listening, return_exceptions=True)
