"""Numbers as printed: they stand for every value that rounds to them."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

SLACK = 1e-9
"""What binary numbers may miss a half of the last digit by."""
_FORM = re.compile(r"([<>]?)(-?)(\d*)(?:\.(\d+))?")


@dataclass(frozen=True, slots=True)
class Printed:
    """A number in print, such as ``0.59``, ``.039``, ``<.001`` or ``>.999``.

    ``low`` and ``high`` bound the values it stands for, rounding half either way. ``<.001`` stands for 0 to
    .001 and ``>.999`` for .999 to 1: these two forms are for probabilities.
    """

    text: str
    value: float
    low: float
    high: float

    @classmethod
    def parse(cls, text: str) -> Printed:
        """Read a printed number.

        Raises:
            ValueError: it is none.
        """
        match = _FORM.fullmatch(text)
        if match is None or not (match[3] or match[4]):
            raise ValueError(f"{text!r} is not a printed number")
        value = float(f"{match[2]}{match[3] or '0'}.{match[4] or '0'}")
        if match[1] == "<":
            return cls(text, value, 0.0, value)
        if match[1] == ">":
            return cls(text, value, value, 1.0)
        half = 0.5 * 10.0 ** -len(match[4] or "")
        return cls(text, value, value - half, value + half)

    @property
    def decimals(self) -> int:
        """Digits after the point."""
        return len(self.text.partition(".")[2])

    def covers(self, value: float) -> bool:
        """Whether a value could have been printed so."""
        return self.low - SLACK <= value <= self.high + SLACK

    def overlaps(self, low: float, high: float) -> bool:
        """Whether any value of a range could have been printed so."""
        return self.low - SLACK <= high and low <= self.high + SLACK

    def multiples(self, whole: int, scale: float = 100.0) -> list[int]:
        """All counts ``k`` for which ``scale * k / whole`` could have been printed so."""
        first = math.ceil((self.low - SLACK) * whole / scale)
        last = math.floor((self.high + SLACK) * whole / scale)
        return list(range(max(first, 0), last + 1))
