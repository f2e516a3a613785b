"""Boxes as models give them, in the unit they were asked for or the one they are known to prefer."""

from __future__ import annotations

from typing import Final

from arwarden.core.findings import Box
from arwarden.escalate.lenient import Json
from arwarden.escalate.members import key_of, number_of
from arwarden.escalate.questions import SentPicture
from arwarden.escalate.rendering import BoxUnit

MAX_OUTSIDE: Final = 0.1
"""Corners this far outside the picture are rounding; farther out the box is of some other unit."""
_CORNERS: Final = (
    ("left", "top", "right", "bottom"),
    ("x1", "y1", "x2", "y2"),
    ("xmin", "ymin", "xmax", "ymax"),
)


def frame_box(value: Json, picture: SentPicture, unit: BoxUnit) -> Box | None:
    """A box that a model gave for ``picture``, in the frame's normalised coordinates; None for nonsense."""
    corners = _corners(value)
    if corners is None:
        return None
    # Models that are asked for thousandths or pixels still answer in fractions at times.
    if unit is BoxUnit.FRACTIONS or max(corners) <= 1.0:
        across, down = 1.0, 1.0
    elif unit is BoxUnit.THOUSANDTHS:
        across, down = 1000.0, 1000.0
    else:
        across, down = float(picture.width_px), float(picture.height_px)
    left, top, right, bottom = corners[0] / across, corners[1] / down, corners[2] / across, corners[3] / down
    if min(left, top) < -MAX_OUTSIDE or max(right, bottom) > 1 + MAX_OUTSIDE:
        return None
    left, top, right, bottom = (min(max(side, 0.0), 1.0) for side in (left, top, right, bottom))
    if right <= left or bottom <= top:
        return None
    return picture.to_frame(Box(left, top, right - left, bottom - top))


def _corners(value: Json) -> tuple[float, float, float, float] | None:
    if isinstance(value, dict):
        named = {key_of(name): member for name, member in value.items()}
        value = next(
            ([named[n] for n in names] for names in _CORNERS if all(n in named for n in names)), None
        )
    if not isinstance(value, list):
        return None
    if len(value) == 2 and all(isinstance(point, list) for point in value):
        value = [number for point in value if isinstance(point, list) for number in point]
    numbers = [number_of(number) for number in value]
    if len(numbers) != 4 or None in numbers:
        return None
    left, top, right, bottom = (number for number in numbers if number is not None)
    return left, top, right, bottom
