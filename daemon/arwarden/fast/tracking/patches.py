"""What an element looked like when it was classified, in few pixels, and whether it looks the same now.

A padlock that opens or a flag that gives way to another one keeps its place. Boxes jitter by some pixels
from frame to frame, so the best of some small shifts counts (normalised correlation).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from arwarden.core.frame import ByteImage

SIDE: Final = 20
"""Cells of a patch along each side."""
SHIFT: Final = 2
"""Cells that it may be shifted by: a tenth of the element each way."""
FLAT: Final = 3.0
"""Grey levels of standard deviation below which nothing can be compared."""
BoxPx = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Patch:
    """The brightness within a box, shape ``(SIDE, SIDE)``."""

    cells: ByteImage


def patch(luma: ByteImage, box_px: BoxPx) -> Patch | None:
    """Take note of what a box shows; None where it holds nothing of the picture."""
    height, width = luma.shape
    x0, y0 = max(0, round(box_px[0])), max(0, round(box_px[1]))
    x1, y1 = min(width, round(box_px[2])), min(height, round(box_px[3]))
    if x1 - x0 < 2 or y1 - y0 < 2:
        return None
    small = cv2.resize(luma[y0:y1, x0:x1], (SIDE, SIDE), interpolation=cv2.INTER_AREA)
    return Patch(np.asarray(small, dtype=np.uint8))


def likeness(before: Patch, now: Patch) -> float:
    """How alike two patches are, -1..1: about 1 for the same element, whatever the light is."""
    inner = before.cells[SHIFT:-SHIFT, SHIFT:-SHIFT]
    if float(inner.std()) < FLAT or float(now.cells.std()) < FLAT:
        return 1.0 if float(cv2.absdiff(inner, now.cells[SHIFT:-SHIFT, SHIFT:-SHIFT]).mean()) < FLAT else 0.0
    return float(cv2.matchTemplate(now.cells, inner, cv2.TM_CCOEFF_NORMED).max())
