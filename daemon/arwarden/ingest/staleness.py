"""Which frames are leftovers of a pause, told by how they arrive.

A stream that was held up (a headset that dozed, a Wi-Fi gap) comes back with a burst of old pictures:
measured, 252 frames a second after ten seconds of pause, with media times that go on as if nothing had
happened. Neither the media time nor the arrival time alone shows it; their difference does. A frame's
*delay* is arrival minus media time, up to an unknown constant. The smallest delay of the last seconds is
what the path costs when nothing is held up; how far a frame lies above it is its *lateness*.

Lateness that falls while frames come in is a backlog being worked off: those frames are old. Lateness
that stays is a sender whose media clock stood still while it paused: its pictures are new, and the
constant is learnt anew.
"""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

BASELINE_MS = 10_000.0
"""The smallest delay is taken over one to two of these, so that clocks that drift are followed."""
JUDGE_MS = 200.0
"""How long a lateness is watched before it is called steady: six frames at 30 a second."""
DRAIN_RATE = 0.25
"""A backlog that shrinks by less than this share of the time that passes is none."""
JUMP_SLACK_MS = 1_000.0
"""A delay that grows by more than the silence before it plus this is a new media clock, not a delay."""


class _Late(NamedTuple):
    arrival_ms: float
    lateness_ms: float


class Staleness:
    """Judges the frames of one stream in the order they arrive."""

    def __init__(self, stale_after_ms: float) -> None:
        self._stale_after_ms = stale_after_ms
        self._older_min_ms: float | None = None
        self._newer_min_ms: float | None = None
        self._newer_since_ms = 0.0
        self._last: tuple[float, float] | None = None
        self._late: deque[_Late] = deque(maxlen=1024)
        self.lateness_ms = 0.0
        """How much later than its neighbours the last frame was, in milliseconds."""

    def judge(self, media_ms: float, arrival_ms: float) -> bool:
        """Whether a frame is stale. ``media_ms`` is its media time, from any origin."""
        delay_ms = arrival_ms - media_ms
        if self._is_new_media_clock(delay_ms, arrival_ms):
            self._rebase(delay_ms, arrival_ms)
        self._last = (delay_ms, arrival_ms)
        baseline_ms = self._baseline(delay_ms, arrival_ms)
        self.lateness_ms = max(0.0, delay_ms - baseline_ms)
        if self.lateness_ms <= self._stale_after_ms:
            self._late.clear()
            self._learn(delay_ms, arrival_ms)
            return False
        if self._is_steady(arrival_ms):
            self._rebase(delay_ms, arrival_ms)
            self.lateness_ms = 0.0
            return False
        return True

    def _is_new_media_clock(self, delay_ms: float, arrival_ms: float) -> bool:
        """Whether no silence explains the delay: the sender's media time jumped (a restarted encoder)."""
        if self._last is None:
            return True
        last_delay_ms, last_arrival_ms = self._last
        silence_ms = max(0.0, arrival_ms - last_arrival_ms)
        return delay_ms - last_delay_ms > silence_ms + JUMP_SLACK_MS

    def _baseline(self, delay_ms: float, arrival_ms: float) -> float:
        if arrival_ms - self._newer_since_ms > BASELINE_MS and self._newer_min_ms is not None:
            self._older_min_ms, self._newer_min_ms = self._newer_min_ms, None
            self._newer_since_ms = arrival_ms
        known = [low for low in (self._older_min_ms, self._newer_min_ms) if low is not None]
        return min(known, default=delay_ms)

    def _learn(self, delay_ms: float, arrival_ms: float) -> None:
        if self._newer_min_ms is None:
            self._newer_min_ms = delay_ms
            self._newer_since_ms = arrival_ms
        self._newer_min_ms = min(self._newer_min_ms, delay_ms)

    def _rebase(self, delay_ms: float, arrival_ms: float) -> None:
        self._older_min_ms = None
        self._newer_min_ms = delay_ms
        self._newer_since_ms = arrival_ms
        self._late.clear()

    def _is_steady(self, arrival_ms: float) -> bool:
        self._late.append(_Late(arrival_ms, self.lateness_ms))
        first = self._late[0]
        while len(self._late) > 2 and arrival_ms - self._late[1].arrival_ms >= JUDGE_MS:
            self._late.popleft()
            first = self._late[0]
        watched_ms = arrival_ms - first.arrival_ms
        if watched_ms < JUDGE_MS:
            return False
        return first.lateness_ms - self.lateness_ms < DRAIN_RATE * watched_ms
