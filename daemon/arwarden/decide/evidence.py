"""What several samples say together about one finding."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

from arwarden.core.findings import Element

REREAD_OVERLAP = 0.3
"""Intersection over union from which a box is the same place: reading shifts and resizes boxes a little,
and a corrected word is shorter or longer than the wrong one."""
MAX_SAMPLES = 64


class _Vote(NamedTuple):
    captured_ms: float
    confidence: float | None
    """None where the sample read the same elements and did not find it."""


class Evidence:
    """The samples of the last ``window_ms`` that spoke for or against one finding."""

    def __init__(self, window_ms: float) -> None:
        self._window_ms = window_ms
        self._votes: deque[_Vote] = deque(maxlen=MAX_SAMPLES)

    def agree(self, captured_ms: float, confidence: float) -> None:
        """A sample captured then shows it."""
        self._add(_Vote(captured_ms, confidence))

    def disagree(self, captured_ms: float) -> None:
        """A sample captured then reads the same elements, and they do not contradict each other."""
        self._add(_Vote(captured_ms, None))

    def forget_before(self, captured_ms: float) -> None:
        """Drop what was captured more than the window before ``captured_ms``."""
        while self._votes and captured_ms - self._votes[0].captured_ms > self._window_ms:
            self._votes.popleft()

    @property
    def balance(self) -> int:
        """Agreeing samples, each disagreeing one having taken away one of those before it."""
        balance = 0
        for vote in self._votes:
            balance = max(0, balance - 1) if vote.confidence is None else balance + 1
        return balance

    @property
    def first_captured_ms(self) -> float | None:
        """The earliest capture time of the samples in the window that show it."""
        # Not that of the first sample: where the headset's clock becomes known, capture times step back.
        return min((vote.captured_ms for vote in self._votes if vote.confidence is not None), default=None)

    @property
    def confidence(self) -> float:
        """Confidence of all samples together, 0..1.

        Independent samples would multiply their doubts (noisy-or). Samples of one scene share camera,
        compression and reader, so ``n`` of them count as the square root of ``n`` independent ones; the
        result is scaled by the share of samples that agree.
        """
        doubts = [1.0 - vote.confidence for vote in self._votes if vote.confidence is not None]
        if not doubts:
            return 0.0
        doubt = math.prod(doubts) ** (1.0 / math.sqrt(len(doubts)))
        return min(1.0, max(0.0, (1.0 - doubt) * len(doubts) / len(self._votes)))

    def _add(self, vote: _Vote) -> None:
        self._votes.append(vote)
        self.forget_before(vote.captured_ms)


def reread(before: Sequence[Element], now: Sequence[Element]) -> bool:
    """Whether every element of ``before`` has one of its type in its place ``now``, whatever it says."""
    return bool(before) and all(
        any(
            element.type.value == other.type.value and element.box.overlap(other.box) >= REREAD_OVERLAP
            for other in now
        )
        for element in before
    )
