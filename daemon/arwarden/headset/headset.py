"""The simulated headset: streams a feed to the daemon, shows and acknowledges what comes back."""

from __future__ import annotations

import asyncio
import math
from collections import deque
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from arwarden.contract.messages import DaemonStatus, Health
from arwarden.contract.topics import DEFAULT_PREFIX
from arwarden.core.clock import Clock, SystemClock
from arwarden.core.counters import Counters
from arwarden.core.errors import Refused
from arwarden.core.frame import View
from arwarden.core.offset import OffsetFilter
from arwarden.headset.feed import Feed, LiveFeed, StreamFormat
from arwarden.headset.mqtt_address import MqttAddress
from arwarden.headset.mqtt_client import AlertCallbacks, AlertClient
from arwarden.headset.objects import AppObjects
from arwarden.headset.overlay import OverlaidSource, Overlay
from arwarden.headset.shown import Change, ShownAlert
from arwarden.headset.sources import FrameSource
from arwarden.headset.whip_client import StreamState, WhipPublisher, WhipTarget

ALERTS_KEPT = 1000
CONNECT_MARGIN_S = 5.0
"""How much longer than the run itself the first connection may take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadsetOptions:
    """Where to stream, and where alerts come from."""

    whip_url: str
    mqtt_url: str | None = None
    """None: only stream."""
    device_id: str = "headset"
    token: str | None = field(default=None, repr=False)
    view: View = View.COMPOSITED
    topic_prefix: str = DEFAULT_PREFIX
    ca_file: Path | None = None
    """PEM file to trust for https and mqtts; the system's authorities without one."""
    connect_timeout_s: float = 30.0
    """Without a first connection within this time, or ``CONNECT_MARGIN_S`` after that of the run, it fails.

    Later losses are retried for ever.
    """


@dataclass(frozen=True, slots=True)
class HeadsetState:
    """How the two links are doing."""

    stream: StreamState = StreamState.CONNECTING
    stream_reason: str = ""
    broker_connected: bool = False
    broker_reason: str = ""
    daemon: str = ""
    """What the daemon last said about itself: online, offline, stopped; empty before it has."""


@dataclass(frozen=True, slots=True)
class HeadsetSummary:
    """What happened in a run."""

    seconds: float
    frames_sent: int
    frames_skipped: int
    connections: int
    alerts: tuple[ShownAlert, ...]
    """Every change in the wearer's view, oldest first; the newest thousand."""
    clock_offset_ms: float | None
    """Daemon's clock minus headset's clock."""
    clock_rtt_ms: float | None
    counters: Mapping[str, int]

    @property
    def raised(self) -> tuple[ShownAlert, ...]:
        """Each alert as it was first shown; one that expired and came back under its id is still that one."""
        first: dict[str, ShownAlert] = {}
        for change in self.alerts:
            if change.change is Change.SHOWN:
                first.setdefault(change.alert.alert_id, change)
        return tuple(first.values())

    def latency_ms(self, share: float) -> float | None:
        """A percentile (0 to 1) of capture-to-shown over the alerts as first shown; None without any."""
        known = sorted(x.capture_to_shown_ms for x in self.raised if x.capture_to_shown_ms is not None)
        return known[min(len(known) - 1, math.ceil(share * len(known)) - 1)] if known else None


def live_feed(
    source: FrameSource, stream: StreamFormat, clock: Clock, overlays: Sequence[Overlay] = ()
) -> LiveFeed:
    """A feed of a source with virtual panels drawn over it. Needs a running event loop."""
    if overlays:
        source = OverlaidSource(source, overlays, stream.size)
    return LiveFeed(source, stream, clock)


def _nothing(_: object) -> None:
    """The callback of whoever does not want to know."""


class Headset:
    """One simulated headset. Callbacks are called on the event loop and must not block."""

    def __init__(
        self,
        options: HeadsetOptions,
        feed: Feed,
        *,
        clock: Clock | None = None,
        objects: AppObjects | None = None,
        on_alert: Callable[[ShownAlert], None] = _nothing,
        on_health: Callable[[Health], None] = _nothing,
        on_state: Callable[[HeadsetState], None] = _nothing,
    ) -> None:
        self._options = options
        self._feed = feed
        self._on_alert = on_alert
        self._on_state = on_state
        self._changes: deque[ShownAlert] = deque(maxlen=ALERTS_KEPT)
        self._streaming = asyncio.Event()
        self._stopping = asyncio.Event()
        clock = SystemClock() if clock is None else clock
        self._objects = objects
        self._clock = clock
        self.counters = Counters()
        self.offset = OffsetFilter()
        self.state = HeadsetState()
        self._publisher = WhipPublisher(
            WhipTarget(options.whip_url, options.token, options.device_id, options.view, options.ca_file),
            feed,
            clock=clock,
            offset=self.offset,
            counters=self.counters,
            on_state=self._stream_changed,
        )
        self._alerts: AlertClient | None = None
        if options.mqtt_url is not None:
            self._alerts = AlertClient(
                MqttAddress.parse(options.mqtt_url),
                options.device_id,
                clock=clock,
                offset=self.offset,
                counters=self.counters,
                objects=objects,
                callbacks=AlertCallbacks(self._alert, on_health, self._daemon_said, self._link_changed),
                prefix=options.topic_prefix,
                ca_file=options.ca_file,
            )

    @property
    def shown(self) -> tuple[ShownAlert, ...]:
        """What is in the wearer's view now, most severe first."""
        return () if self._alerts is None else self._alerts.shown.shown

    def hold(self, object_id: str) -> None:
        """The user takes one of the app's objects: a correction under way is refused."""
        if self._objects is None or self._alerts is None:
            return
        for ack in self._objects.hold(object_id, self._clock.now_ms()):
            self._alerts.acknowledge(ack)

    async def run(self, seconds: float | None = None) -> HeadsetSummary:
        """Stream for ``seconds`` from the first connection on, until the source ends, or until ``stop``.

        Raises ``Refused`` where daemon or broker refuse this headset or cannot be reached at all, and
        ``InputError`` where the source is lost. However it ends, by cancellation too, the session is
        deleted at the daemon and the source is closed.
        """
        loop = asyncio.get_running_loop()
        began_s = loop.time()
        jobs: list[Coroutine[object, object, object]] = [self._publisher.run(), self._feed.ended()]
        jobs += [self._end_of_run(seconds), self._stopping.wait()]
        if self._alerts is not None:
            # First, so that no alert about the first frames is missed.
            jobs.insert(0, self._alerts.run())
        tasks = [asyncio.create_task(job) for job in jobs]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await self._feed.close()
            self._set_state(replace(self.state, stream=StreamState.CLOSED))
        return self._summary(loop.time() - began_s)

    def stop(self) -> None:
        """End the run as its time would: ``run`` says goodbye and returns its summary."""
        self._stopping.set()

    async def _end_of_run(self, seconds: float | None) -> None:
        limit_s = self._options.connect_timeout_s
        if seconds is not None:
            # Whoever asks for three seconds does not want to wait half a minute for a dead daemon.
            limit_s = min(limit_s, seconds + CONNECT_MARGIN_S)
        try:
            async with asyncio.timeout(limit_s):
                await self._streaming.wait()
        except TimeoutError:
            reason = self.state.stream_reason or "no connection"
            raise Refused(self._options.whip_url, f"no stream within {limit_s:g} s: {reason}") from None
        if seconds is None:
            await asyncio.Event().wait()
        else:
            await asyncio.sleep(seconds)

    def _summary(self, seconds: float) -> HeadsetSummary:
        return HeadsetSummary(
            seconds=seconds,
            frames_sent=self._feed.frames_sent,
            frames_skipped=self._feed.frames_skipped,
            connections=self._publisher.connections,
            alerts=tuple(self._changes),
            clock_offset_ms=self.offset.offset_ms,
            clock_rtt_ms=self.offset.rtt_ms,
            counters=self.counters.snapshot(),
        )

    def _alert(self, change: ShownAlert) -> None:
        self._changes.append(change)
        self._on_alert(change)

    def _stream_changed(self, state: StreamState, reason: str) -> None:
        if state is StreamState.STREAMING:
            self._streaming.set()
        # The reason of the last loss stays readable while the next try is under way.
        reason = self.state.stream_reason if state is StreamState.CONNECTING else reason
        self._set_state(replace(self.state, stream=state, stream_reason=reason))

    def _link_changed(self, connected: bool, reason: str) -> None:
        self._set_state(replace(self.state, broker_connected=connected, broker_reason=reason))

    def _daemon_said(self, status: DaemonStatus) -> None:
        self._set_state(replace(self.state, daemon=status.state))

    def _set_state(self, state: HeadsetState) -> None:
        if state != self.state:
            self.state = state
            self._on_state(state)
