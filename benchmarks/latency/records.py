"""What the processes of the benchmark write down, and send to the one that sums up.

Times that end in ``mono_ms`` are on the machine's monotonic clock, which all processes share. Those
that end in ``daemon_ms`` are on the daemon's own clock; ``anchor_ms`` is daemon's clock minus monotonic.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass

from arwarden.core.clock import Clock


def mono_ms() -> float:
    """The time now on the clock that all processes share."""
    return time.monotonic() * 1000.0


def anchor_of(clock: Clock) -> float:
    """A process's clock minus the shared one. Constant: both advance with the monotonic clock."""
    before_ms = mono_ms()
    now_ms = clock.now_ms()
    return now_ms - (before_ms + mono_ms()) / 2


@dataclass(frozen=True, slots=True)
class JudgedFrame:
    """A frame that the daemon judged, with what is drawn into it."""

    session_id: str
    code: int | None
    """The time code in the picture; None where it could not be read."""
    captured_daemon_ms: float
    """What the daemon takes for the time of capture."""
    synced: bool
    """Whether that is the headset's time stamp, rather than the time of arrival."""
    arrival_daemon_ms: float
    judged_daemon_ms: float
    stages_ms: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class SeenAlert:
    """An alert message as it reached the headset."""

    alert_id: str
    session_id: str
    shown: bool
    """Whether the wearer sees it for the first time; else it updates one in view."""
    kind: str
    state: str
    texts: tuple[str, ...]
    captured_daemon_ms: float
    published_daemon_ms: float
    stages_ms: Mapping[str, float]
    arrived_mono_ms: float


@dataclass(frozen=True, slots=True)
class NaiveResult:
    """What the naive design said about one frame, as it reached the headset."""

    code: int
    arrived_mono_ms: float


@dataclass(frozen=True, slots=True)
class Mark:
    """A receiver's counters at one moment."""

    at_mono_ms: float
    counters: Mapping[str, int]
    loop_lag_p95_ms: float | None = None


@dataclass(frozen=True, slots=True)
class ReceiverReady:
    """A receiver takes streams."""

    whip_url: str
    anchor_ms: float


@dataclass(frozen=True, slots=True)
class ReceiverLog:
    """What a receiver saw."""

    judged: tuple[JudgedFrame, ...] = ()


@dataclass(frozen=True, slots=True)
class SenderReady:
    """A headset streams."""

    started_mono_ms: float
    """When its first frame was captured."""


@dataclass(frozen=True, slots=True)
class SenderLog:
    """What one headset sent and got back."""

    device_id: str
    started_mono_ms: float
    connections: int
    lateness_ms: tuple[float, ...]
    """By how much each frame was handed to the wire after its time of capture."""
    session_ids: frozenset[str] = frozenset()
    alerts: tuple[SeenAlert, ...] = ()
    naive: tuple[NaiveResult, ...] = ()


@dataclass(frozen=True, slots=True)
class Failed:
    """A process could not go on."""

    reason: str
