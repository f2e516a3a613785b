"""What a line says, by all readings of it, and when it has to be read again. Pure, in virtual time."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

AGREEING: Final = 2
"""Readings of different frames that must say the same before a line is taken as read. Later samples
repeat what was read, so a single misreading must not become the evidence of several samples."""
MOST_ATTEMPTS: Final = 4
"""A line that reads differently every time is left alone after this many, until it looks better."""
STALE_MS: Final = 4000.0
"""A line is read again this long after the last time, however much the same it looks."""
DOUBTFUL: Final = 0.9
"""Readings below this confidence are worth another one when the line is seen better."""
BETTER: Final = 1.2
"""So much sharper or larger must it be for that."""
STRAY_READINGS: Final = 2
"""Unsure readings in a row that say something else before they are believed."""
SURE: Final = 0.8
"""A reading of a changed line with this confidence is believed at once."""
FORGETTING: Final = 0.7
"""What every further reading leaves of the weight of those before it."""
MOST_SAYINGS: Final = 8


class Reason(StrEnum):
    """Why a line is read in this frame."""

    NEW = "new"
    CHANGED = "changed"
    UNSETTLED = "unsettled"
    BETTER = "better"
    STALE = "stale"


@dataclass(slots=True)
class _Saying:
    text: str
    count: int = 0
    total: float = 0.0
    weight: float = 0.0
    best: float = 0.0


@dataclass(slots=True)
class Readings:
    """The readings of one line since it last changed."""

    sayings: dict[str, _Saying] = field(default_factory=dict)
    attempts: int = 0
    """Since the line changed or a reading last disagreed with a settled one."""
    run: int = 0
    """Latest readings in a row that say the same."""
    last: str = ""
    strays: int = 0
    quality: float = 0.0
    """Of the best look that was read."""
    read_ms: float = -math.inf

    @property
    def best(self) -> _Saying | None:
        """What the line says by the weight of all readings."""
        return max(self.sayings.values(), key=lambda saying: saying.weight, default=None)

    @property
    def text(self) -> str:
        """What the line says; empty where nothing could be read."""
        best = self.best
        return "" if best is None else best.text

    @property
    def confidence(self) -> float:
        """Mean of the readings that said so: the surest of many would be sure of anything some day."""
        best = self.best
        return 0.0 if best is None else best.total / best.count

    @property
    def settled(self) -> bool:
        """Whether more readings would say the same, or have not helped."""
        return self.attempts >= MOST_ATTEMPTS or self.run >= AGREEING

    def says(self, text: str) -> bool:
        """Whether the latest reading says the same as ``text``, in other spaces or case perhaps."""
        return self.last == _key(text)

    def add(self, text: str, confidence: float, quality: float, now_ms: float, *, changed: bool) -> bool:
        """Take a reading into account; ``text`` is empty where nothing was legible.

        ``changed``: the line looks different from when it was read before. Returns whether the line, as
        it now looks, is what the readings stand for: False while a stray reading is not believed.
        """
        self.read_ms = now_ms
        key = _key(text)
        if changed and self.sayings and key not in self.sayings:
            self.strays += 1
            if confidence < SURE and self.strays < STRAY_READINGS:
                return False
            self.sayings.clear()
            self.attempts, self.quality = 0, 0.0
        self.strays = 0
        if key != self.last and self.settled:
            self.attempts = 0
        self.run = self.run + 1 if key == self.last and self.attempts else 1
        self.last = key
        self.attempts += 1
        self.quality = max(self.quality, quality)
        for saying in self.sayings.values():
            saying.weight *= FORGETTING
        if key:
            self._count(key, text, confidence)
        return True

    def _count(self, key: str, text: str, confidence: float) -> None:
        saying = self.sayings.setdefault(key, _Saying(text))
        saying.count += 1
        saying.total += confidence
        saying.weight += -math.log(max(1.0 - confidence, 1e-3))
        if confidence > saying.best:
            saying.text, saying.best = text, confidence
        if len(self.sayings) > MOST_SAYINGS:
            weakest = min(self.sayings, key=lambda one: self.sayings[one].weight)
            del self.sayings[weakest]


def why_read(readings: Readings, now_ms: float, quality: float, *, changed: bool) -> Reason | None:
    """Why a line has to be read in a frame where it shows with this quality; None where it has not."""
    if not readings.attempts:
        return Reason.NEW
    if changed:
        return Reason.CHANGED
    if not readings.settled:
        return Reason.UNSETTLED
    if readings.confidence < DOUBTFUL and quality >= BETTER * readings.quality:
        return Reason.BETTER
    if now_ms - readings.read_ms >= STALE_MS:
        return Reason.STALE
    return None


def _key(text: str) -> str:
    """Readings that differ in spaces or case alone say the same."""
    return "".join(text.split()).casefold()
