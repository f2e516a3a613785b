"""Panels, arrows and tags on which no text was found: which of them to look at closer. Pure, in virtual time.

Lines are looked for in a reduced picture, where letters of eight pixels on a block arrow are four high and
are missed. In an enlarged picture of the arrow alone they are found, for some 20 to 40 ms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from arwarden.fast.tracking.patches import BoxPx

AGAIN_MS: Final = 1500.0
"""What stays without text is looked at again after so long: it may have come nearer, or shows something."""
LARGEST_PX2: Final = 60_000.0
"""Area beyond which the usual look sees enough, and a closer one would take longer than that."""
LEAST_SIDE_PX: Final = 28.0
"""Nothing legible has room on less."""
MOST: Final = 1
"""Looked at in one frame of a stream."""
MOST_CLOSELY: Final = 3
"""Where time does not matter."""
MARGIN_PX: Final = 4
"""Around the box, which may cut off the ends of lines."""


@dataclass(frozen=True, slots=True)
class Carrier:
    """An element that may carry text."""

    number: int
    """The same in every frame."""
    box_px: BoxPx

    @property
    def area_px2(self) -> float:
        """Of the box."""
        x0, y0, x1, y1 = self.box_px
        return max(x1 - x0, 0.0) * max(y1 - y0, 0.0)

    def holds(self, point_px: tuple[float, float]) -> bool:
        """Whether a point lies in the box."""
        (x, y), (x0, y0, x1, y1) = point_px, self.box_px
        return x0 <= x <= x1 and y0 <= y <= y1

    def cut_px(self, width_px: int, height_px: int) -> tuple[int, int, int, int]:
        """The box with its margin, within a picture of this size."""
        x0, y0, x1, y1 = self.box_px
        return (
            max(0, round(x0) - MARGIN_PX),
            max(0, round(y0) - MARGIN_PX),
            min(width_px, round(x1) + MARGIN_PX),
            min(height_px, round(y1) + MARGIN_PX),
        )


class CloserLooks:
    """Remembers when each carrier of a stream was looked at."""

    def __init__(self) -> None:
        self._looked_ms: dict[int, float] = {}

    def choose(
        self,
        carriers: Sequence[Carrier],
        texts_px: Sequence[tuple[float, float]],
        now_ms: float,
        *,
        closely: bool,
    ) -> list[Carrier]:
        """Those to look at now, the largest first; ``texts_px`` are the centres of lines that are known.

        Carriers that are not given any more are forgotten.
        """
        here = {one.number for one in carriers}
        self._looked_ms = {number: at for number, at in self._looked_ms.items() if number in here}
        due = [
            one
            for one in carriers
            if _fits(one)
            and not any(one.holds(text) for text in texts_px)
            and now_ms - self._looked_ms.get(one.number, -AGAIN_MS) >= AGAIN_MS
        ]
        # What has waited longest comes first, so that many small ones take turns.
        due.sort(key=lambda one: (self._looked_ms.get(one.number, -AGAIN_MS), -one.area_px2))
        chosen = due[: MOST_CLOSELY if closely else MOST]
        self._looked_ms |= {one.number: now_ms for one in chosen}
        return chosen


def _fits(one: Carrier) -> bool:
    x0, y0, x1, y1 = one.box_px
    return min(x1 - x0, y1 - y0) >= LEAST_SIDE_PX and one.area_px2 <= LARGEST_PX2
