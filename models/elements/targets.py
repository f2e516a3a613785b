"""What the detector is to answer for one picture, and where its answer does not count."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from arwarden.fast.elements.decode import STRIDE, TYPES

Floats = npt.NDArray[np.float32]
SPREAD = 0.54
"""Size of the Gaussian relative to the box (Liu et al. 2020, "Training-Time-Friendly Network", section 3)."""
LEAST_SIDE_PX = 8.0
"""Network pixels, 16 of a frame of 720 lines: what is narrower is neither asked for nor forbidden."""
LEAST_VISIBILITY = 0.25
"""The same for what is mostly out of view or covered."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """One element as the detector should see it. ``box`` is (x0, y0, x1, y1) in network pixels."""

    type: int
    box: tuple[float, float, float, float]
    ignored: bool = False


@dataclass(frozen=True, slots=True)
class Targets:
    """Grids of one picture; ``t`` types, stride 8."""

    heat: Floats
    """(t, rows, columns): 1 at centres, falling off as a Gaussian."""
    counts: Floats
    """(t, rows, columns): 0 where the heat does not count, else 1."""
    boxes: Floats
    """(t, 4, rows, columns): x0, y0, x1, y1 in network pixels, where ``weights`` is above 0."""
    weights: Floats
    """(t, rows, columns): weight of the box in the loss, adding up to the logarithm of each area."""


def targets(elements: Sequence[Wanted], net_size: tuple[int, int]) -> Targets:
    """The grids for elements in a picture of ``(width, height)`` network pixels."""
    columns, rows = net_size[0] // STRIDE, net_size[1] // STRIDE
    shape = (len(TYPES), rows, columns)
    result = Targets(
        np.zeros(shape, np.float32),
        np.ones(shape, np.float32),
        np.zeros((len(TYPES), 4, rows, columns), np.float32),
        np.zeros(shape, np.float32),
    )
    for element in elements:
        if element.ignored:
            _ignore(result, element)
    # Large ones first, so that what lies upon them keeps its cells.
    for element in sorted(elements, key=lambda one: -_area(one.box)):
        if not element.ignored:
            _add(result, element)
    return result


def _add(grids: Targets, element: Wanted) -> None:
    rows, columns = grids.heat.shape[1:]
    x0, y0, x1, y1 = element.box
    centre = (
        min(columns - 1, max(0, int((x0 + x1) / 2 / STRIDE))),
        min(rows - 1, max(0, int((y0 + y1) / 2 / STRIDE))),
    )
    spreads = [max(SPREAD * side / STRIDE / 6, 0.3) for side in (x1 - x0, y1 - y0)]
    across = np.exp(-(((np.arange(columns) - centre[0]) / spreads[0]) ** 2) / 2)
    down = np.exp(-(((np.arange(rows) - centre[1]) / spreads[1]) ** 2) / 2)
    bump = np.outer(down, across).astype(np.float32)
    bump[bump < 0.05] = 0
    heat = grids.heat[element.type]
    np.maximum(heat, bump, out=heat)
    own = bump > 0
    grids.counts[element.type][own] = 1
    weight = bump / bump.sum() * np.log(max(np.e, _area(element.box)))
    grids.weights[element.type][own] = weight[own]
    grids.boxes[element.type][:, own] = np.array(element.box, np.float32)[:, None]


def _ignore(grids: Targets, element: Wanted) -> None:
    x0, y0, x1, y1 = (value / STRIDE for value in element.box)
    rows, columns = slice(max(0, int(y0)), int(y1) + 1), slice(max(0, int(x0)), int(x1) + 1)
    grids.counts[element.type, rows, columns] = 0


def _area(box: tuple[float, float, float, float]) -> float:
    return max(0.0, box[2] - box[0]) * max(0.0, box[3] - box[1])
