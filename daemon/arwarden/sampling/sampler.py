"""When to analyse, and which frame: the newest one, unless it is blurred and a sharper one is at hand.

The sampler is a plain object in the daemon's time. It is told of every received frame, asked for a
sample when the tier is free, and told what the tier's pass cost.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from enum import StrEnum

from arwarden.config import SamplingConfig
from arwarden.core.counters import Counters
from arwarden.core.frame import Frame
from arwarden.sampling.gate import Glance, compare, glance

MAX_CANDIDATES = 8
"""Decoded frames held back at most, whatever the window and the frame rate are."""
NEWEST_SHARE = 0.85
"""The newest frame is taken while it keeps this share of the gradient energy of the sharpest."""
BLURRED_SHARE = 0.7
"""Below this share of the energy usual lately a frame counts as blurred (by about 4 px at 720p)."""
USUAL_HALF_LIFE_MS = 400.0
"""How fast the usual sharpness forgets: a new scene with less detail must not look blurred for long."""
COST_WEIGHT = 0.2
"""Weight of the last pass in the running mean of the tier's cost."""


class SampleReason(StrEnum):
    """Why a frame is analysed."""

    FIRST = "first"
    CHANGED = "changed"
    EVIDENCE = "evidence"
    """Somebody asked for another look at what was seen before."""
    SETTLED = "settled"
    """What changed has come to rest: the tier has time for a closer look."""
    REFRESH = "refresh"
    """Nothing has changed for ``refresh_ms``."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A frame to analyse now."""

    frame: Frame
    reason: SampleReason
    changed: bool
    """Whether it differs from the frame analysed before it."""
    waited_ms: float
    """From being offered to being taken."""
    offered: int
    """Frames offered since the sample before."""
    skipped_static: int
    """Those of them that showed nothing new."""

    @property
    def at_rest(self) -> bool:
        """Whether the tier has time to look closer than before; a mere refresh is not worth its cost."""
        return not self.changed and self.reason is not SampleReason.REFRESH


@dataclass(frozen=True, slots=True)
class _Candidate:
    frame: Frame
    glance: Glance
    changed: bool
    offered_ms: float


class Sampler:
    """Decides for one session. Counts every frame it lets go of, under ``sampling.*``."""

    def __init__(self, config: SamplingConfig, counters: Counters | None = None) -> None:
        self.counters = counters if counters is not None else Counters()
        self._config = config
        self._candidates: deque[_Candidate] = deque()
        self._reference: Glance | None = None
        self._newest_sequence = -1
        self._newest_changed = True
        self._due_since_ms: float | None = None
        self._taken_ms = float("-inf")
        self._in_flight = False
        self._evidence_wanted = False
        self._urgent = False
        self._rest_judged = False
        self._usual_sharpness = 0.0
        self._usual_ms = 0.0
        self._cost_ms: float | None = None
        self._offered = 0
        self._skipped_static = 0

    @property
    def static(self) -> bool:
        """Whether the newest frame shows nothing else than the frame analysed last, whose pass is over.

        It speaks of the newest frame that was offered: what is concluded from it holds for the time of
        that frame, not for now, where the stream has stalled since.
        """
        return not (self._newest_changed or self._in_flight)

    @property
    def cost_ms(self) -> float | None:
        """Running mean of what a pass of the tier costs; None before the first."""
        return self._cost_ms

    def offer(self, frame: Frame, now_ms: float) -> None:
        """Take note of a received frame: one pass of the change gate, and nothing else."""
        if frame.sequence <= self._newest_sequence:
            self.counters.add("sampling.out_of_order")
            return
        self._newest_sequence = frame.sequence
        self._offered += 1
        candidate = self._judged(frame, glance(frame.picture.luma()), now_ms)
        self._note_sharpness(candidate.glance.sharpness, now_ms)
        self._candidates.append(candidate)
        self._forget_old(now_ms)
        self._newest_changed = candidate.changed
        self._note_due(now_ms)

    def request_sample(self, *, urgent: bool = False) -> None:
        """Ask for another sample even if nothing changes: evidence is pending.

        An ``urgent`` one does not wait for the time between samples: a single look decides about a warning.
        """
        self._evidence_wanted = True
        self._urgent = self._urgent or urgent

    def due(self, now_ms: float) -> bool:
        """Whether ``take`` would hand out a sample now."""
        return self._choose(now_ms) is not None

    def take(self, now_ms: float, *, busy: bool = False) -> Sample | None:
        """The frame to analyse now; None when none is due, or while the tier is ``busy``.

        Until ``finished`` is called there is no other: one item per stage and session.
        """
        self._drop_overdue(now_ms)
        chosen = None if busy else self._choose(now_ms)
        if chosen is None:
            return None
        candidate, reason = chosen
        sample = Sample(
            frame=candidate.frame,
            reason=reason,
            changed=candidate.changed,
            waited_ms=now_ms - candidate.offered_ms,
            offered=self._offered,
            skipped_static=self._skipped_static,
        )
        self._hand_out(candidate, now_ms)
        return sample

    def next_due_ms(self, now_ms: float) -> float | None:
        """When ``take`` should be asked again, should no frame arrive before.

        None when only a new frame or ``finished`` can make a sample due.
        """
        if self._in_flight or not self._candidates:
            return None
        earliest_ms = self._earliest_ms()
        if self._reason(now_ms) is None:
            return max(earliest_ms, self._taken_ms + self._config.refresh_ms)
        if now_ms < earliest_ms:
            return earliest_ms
        if self._choose(now_ms) is not None:
            return now_ms
        return self._window_ends_ms()

    def finished(self, cost_ms: float, now_ms: float, *, judged: bool = True) -> None:
        """The pass over the sample handed out last is over; it took ``cost_ms``.

        Say ``judged=False`` where the tier gave no answer: its frame then counts as never analysed, and
        the next one is due even if nothing changes.
        """
        self._in_flight = False
        if not judged:
            self._reference = None
            self._newest_changed = True
        previous = self._cost_ms if self._cost_ms is not None else cost_ms
        self._cost_ms = previous + COST_WEIGHT * (cost_ms - previous)
        self._drop_overdue(now_ms)

    def _judged(self, frame: Frame, seen: Glance, offered_ms: float) -> _Candidate:
        changed = (
            self._reference is None or compare(self._reference, seen, self._config.change_threshold).changed
        )
        return _Candidate(frame, seen, changed, offered_ms)

    def _note_due(self, now_ms: float) -> None:
        if self._reason(now_ms) is None:
            self._due_since_ms = None
        elif self._due_since_ms is None:
            self._due_since_ms = now_ms

    def _note_sharpness(self, sharpness: float, now_ms: float) -> None:
        kept = 0.5 ** (max(0.0, now_ms - self._usual_ms) / USUAL_HALF_LIFE_MS)
        self._usual_sharpness = max(sharpness, self._usual_sharpness * kept)
        self._usual_ms = now_ms

    def _forget_old(self, now_ms: float) -> None:
        """Keep the newest frame, and of the others those that a window may still choose."""
        horizon_ms = now_ms - self._config.window_ms
        while len(self._candidates) > 1 and (
            self._candidates[0].offered_ms < horizon_ms or len(self._candidates) > MAX_CANDIDATES
        ):
            self._let_go(self._candidates.popleft())

    def _let_go(self, candidate: _Candidate) -> None:
        if candidate.changed:
            self.counters.add("sampling.superseded")
        else:
            self._skipped_static += 1
            self.counters.add("sampling.static")

    def _drop_overdue(self, now_ms: float) -> None:
        """A frame left over from before a stall is no news."""
        while self._candidates and now_ms - self._candidates[0].offered_ms > self._config.max_wait_ms:
            self._candidates.popleft()
            self.counters.add("sampling.overdue")

    def _reason(self, now_ms: float) -> SampleReason | None:
        if self._reference is None:
            return SampleReason.FIRST
        if self._newest_changed:
            return SampleReason.CHANGED
        if self._evidence_wanted:
            return SampleReason.EVIDENCE
        if not self._rest_judged:
            return SampleReason.SETTLED
        if now_ms - self._taken_ms >= self._config.refresh_ms:
            return SampleReason.REFRESH
        return None

    def _window_ends_ms(self) -> float:
        """Until when a due sample may wait for a sharper frame."""
        since_ms = self._due_since_ms
        if since_ms is None:
            since_ms = self._candidates[-1].offered_ms
        return since_ms + self._config.window_ms

    def _earliest_ms(self) -> float:
        return self._taken_ms + (0.0 if self._urgent else 1000.0 / self._config.max_rate_hz)

    def _choose(self, now_ms: float) -> tuple[_Candidate, SampleReason] | None:
        reason = self._reason(now_ms)
        if reason is None or self._in_flight or not self._candidates:
            return None
        newest = self._candidates[-1]
        if now_ms - newest.offered_ms > self._config.max_wait_ms:
            return None
        if now_ms < self._earliest_ms():
            return None
        horizon_ms = now_ms - self._config.window_ms
        pool = [
            candidate
            for candidate in self._candidates
            if candidate.offered_ms >= horizon_ms and candidate.changed == newest.changed
        ]
        best = max(pool, key=lambda candidate: candidate.glance.sharpness, default=newest)
        if newest.glance.sharpness >= NEWEST_SHARE * best.glance.sharpness:
            best = newest
        blurred = best.glance.sharpness < BLURRED_SHARE * self._usual_sharpness
        if blurred and now_ms < self._window_ends_ms():
            return None
        return best, reason

    def _hand_out(self, taken: _Candidate, now_ms: float) -> None:
        waiting = [c for c in self._candidates if c.frame.sequence > taken.frame.sequence]
        for candidate in self._candidates:
            if candidate.frame.sequence < taken.frame.sequence:
                self._let_go(candidate)
        self._reference = taken.glance
        self._taken_ms = now_ms
        self._in_flight = True
        self._evidence_wanted = self._urgent = False
        self._rest_judged = not taken.changed
        self._due_since_ms = None
        self._newest_changed = False
        self._offered = self._skipped_static = 0
        self._candidates = deque(self._judged(c.frame, c.glance, c.offered_ms) for c in waiting)
        if self._candidates:
            self._newest_changed = self._candidates[-1].changed
            self._note_due(now_ms)
        self.counters.add("sampling.taken")
