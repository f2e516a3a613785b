"""From lines of text to panels: what is printed together is one text, neighbours stay apart.

An engine reads "Wheelchair Not" and "Accessible" as two lines; only together do they say something.
Two lines belong together when they run the same way, are of like height, lie close for that height
either under each other or side by side, and, where the picture is given, are printed on one ground
that goes on between them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from arwarden.core.findings import Box
from arwarden.core.frame import ByteImage
from arwarden.fast.ink import Ink, ground_continues, ink_of, same_ground
from arwarden.fast.ocr.base import FloatArray, TextLine

MAX_TURN_DEG: Final = 15.0
"""Largest difference in direction. Below ``STUBBY`` a line's direction is not known well enough to ask."""
STUBBY: Final = 1.5
MAX_HEIGHT_RATIO: Final = 1.8
MAX_LINE_GAP: Final = 1.3
"""Gap between lines under each other, in heights of the lower one, where the ground is seen to go on."""
MAX_LINE_GAP_BLIND: Final = 0.8
"""The same where no picture is given."""
MAX_WORD_GAP: Final = 1.0
"""Gap between pieces of one line, in heights of the lower one."""
MIN_SHARED_WIDTH: Final = 0.3
"""Share of the narrower line that lies under or over the other one."""
MAX_ROW_SHIFT: Final = 0.5
"""Pieces of one line are shifted across it by less than this, in heights of the lower one."""


WAYS_AT: Final = (0.25, 0.5, 0.75)
"""Where, along what two lines share, the ground between them is looked at."""


@dataclass(frozen=True, slots=True)
class Panel:
    """Lines printed together, in reading order."""

    text: str
    box: Box
    confidence: float
    lines: tuple[TextLine, ...]


@dataclass(frozen=True, slots=True)
class _Placed:
    """A line with its geometry in pixels."""

    line: TextLine
    corners: FloatArray
    centre: FloatArray
    along: FloatArray
    """Unit vector in reading direction."""
    width: float
    height: float
    ink: Ink | None

    @property
    def stubby(self) -> bool:
        return self.width < STUBBY * self.height


def group(
    lines: Sequence[TextLine], width_px: int, height_px: int, rgb: ByteImage | None = None
) -> list[Panel]:
    """Panels in reading order (top to bottom, then left to right); every line is in exactly one.

    ``rgb`` is the picture the lines were read from, of the given size; with it two panels side by side
    or under each other are told apart by the edges between them.
    """
    placed = [_place(line, width_px, height_px, rgb) for line in lines]
    parent = list(range(len(placed)))
    for i, first in enumerate(placed):
        for j in range(i + 1, len(placed)):
            a, b = _root(parent, i), _root(parent, j)
            if a != b and _belong_together(first, placed[j], rgb):
                parent[b] = a
    members: dict[int, list[_Placed]] = {}
    for i, item in enumerate(placed):
        members.setdefault(_root(parent, i), []).append(item)
    panels = [_panel(group_of) for group_of in members.values()]
    return sorted(panels, key=lambda panel: (panel.box.y_norm, panel.box.x_norm))


def _root(parent: list[int], index: int) -> int:
    while parent[index] != index:
        parent[index] = parent[parent[index]]
        index = parent[index]
    return index


def _place(line: TextLine, width_px: int, height_px: int, rgb: ByteImage | None) -> _Placed:
    corners = np.array([[p.x_norm * width_px, p.y_norm * height_px] for p in line.quad], dtype=np.float32)
    top_left, top_right, bottom_right, bottom_left = corners
    across = (top_right - top_left + bottom_right - bottom_left) / 2
    down = (bottom_left - top_left + bottom_right - top_right) / 2
    width, height = float(np.linalg.norm(across)), float(np.linalg.norm(down))
    if height > STUBBY * width and len(line.text) > 1:
        # The engine's corners are upright; the text runs along the longer side.
        across, width, height = down, height, width
    along = across / width if width > 0 else np.array([1.0, 0.0], dtype=np.float32)
    return _Placed(
        line=line,
        corners=corners,
        centre=corners.mean(axis=0),
        along=np.asarray(along, dtype=np.float32),
        width=width,
        height=max(height, 1.0),
        ink=ink_of(rgb, corners) if rgb is not None else None,
    )


def _belong_together(first: _Placed, second: _Placed, rgb: ByteImage | None) -> bool:
    lower, higher = sorted((first.height, second.height))
    if higher > MAX_HEIGHT_RATIO * lower or not _same_direction(first, second):
        return False
    pair = _pair(first, second)
    stacked = _stacked(pair, blind=rgb is None)
    if not stacked and not _in_one_row(pair):
        return False
    before, after = pair.before.ink, pair.after.ink
    if rgb is None or before is None or after is None:
        return True
    if not same_ground(before, after):
        return False
    if (pair.gap_across if stacked else pair.gap_along) <= 0:
        return True
    ways = _ways_down(pair) if stacked else _ways_along(pair)
    return ground_continues(rgb, ways, before)


def _same_direction(first: _Placed, second: _Placed) -> bool:
    if first.stubby or second.stubby:
        return True
    return bool(float(first.along @ second.along) >= np.cos(np.radians(MAX_TURN_DEG)))


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two lines in the axes of the longer one: it knows its direction better."""

    along: FloatArray
    across: FloatArray
    before: _Placed
    """The one that is higher, across the reading direction."""
    after: _Placed
    gap_along: float
    """Between the ends; negative where they overlap."""
    gap_across: float
    apart_across: float
    """Between the centre lines, not negative."""

    @property
    def lower(self) -> float:
        return min(self.before.height, self.after.height)

    @property
    def narrower(self) -> float:
        return min(self.before.width, self.after.width)


def _pair(first: _Placed, second: _Placed) -> _Pair:
    along = max(first, second, key=lambda item: item.width / item.height).along
    across = np.array([-along[1], along[0]], dtype=np.float32)
    before, after = sorted((first, second), key=lambda item: float(item.centre @ across))
    offset = after.centre - before.centre
    apart_along, apart_across = abs(float(offset @ along)), float(offset @ across)
    return _Pair(
        along=along,
        across=across,
        before=before,
        after=after,
        gap_along=apart_along - (before.width + after.width) / 2,
        gap_across=apart_across - (before.height + after.height) / 2,
        apart_across=apart_across,
    )


def _stacked(pair: _Pair, *, blind: bool) -> bool:
    limit = MAX_LINE_GAP_BLIND if blind else MAX_LINE_GAP
    return (
        -pair.gap_along >= MIN_SHARED_WIDTH * pair.narrower
        and pair.apart_across >= MAX_ROW_SHIFT * pair.lower
        and pair.gap_across <= limit * pair.lower
    )


def _in_one_row(pair: _Pair) -> bool:
    return pair.apart_across < MAX_ROW_SHIFT * pair.lower and pair.gap_along <= MAX_WORD_GAP * pair.lower


def _ways_down(pair: _Pair) -> FloatArray:
    """Three ways from the lower edge of one line to the upper edge of the other, where both are."""
    before, after = pair.before, pair.after
    left = max(float(item.centre @ pair.along) - item.width / 2 for item in (before, after))
    right = min(float(item.centre @ pair.along) + item.width / 2 for item in (before, after))
    top = float(before.centre @ pair.across) + before.height / 2
    bottom = float(after.centre @ pair.across) - after.height / 2
    at = [left + (right - left) * share for share in WAYS_AT]
    return np.array(
        [[pair.along * u + pair.across * top, pair.along * u + pair.across * bottom] for u in at],
        dtype=np.float32,
    )


def _ways_along(pair: _Pair) -> FloatArray:
    """Three ways from the end of one piece to the start of the other."""
    first, second = sorted((pair.before, pair.after), key=lambda item: float(item.centre @ pair.along))
    start = first.centre + pair.along * (first.width / 2)
    end = second.centre - pair.along * (second.width / 2)
    shifts = [pair.across * pair.lower * (share - 0.5) for share in WAYS_AT]
    return np.array([[start + shift, end + shift] for shift in shifts], dtype=np.float32)


def _panel(members: list[_Placed]) -> Panel:
    ordered = _in_reading_order(members)
    text = ""
    for item in ordered:
        piece = item.line.text
        if text.endswith("-") and not text.endswith(" -") and piece[:1].islower():
            text = text[:-1] + piece
        else:
            text = f"{text} {piece}" if text else piece
    box = ordered[0].line.box
    for item in ordered[1:]:
        box = box.union(item.line.box)
    letters = sum(len(item.line.text) for item in ordered)
    confidence = sum(item.line.confidence * len(item.line.text) for item in ordered) / max(letters, 1)
    return Panel(text, box, confidence, tuple(item.line for item in ordered))


def _in_reading_order(members: list[_Placed]) -> list[_Placed]:
    """Rows across the reading direction of the panel, pieces of a row along it."""
    along = max(members, key=lambda item: item.width / item.height).along
    across = np.array([-along[1], along[0]], dtype=np.float32)
    by_depth = sorted(members, key=lambda item: float(item.centre @ across))
    rows: list[list[_Placed]] = []
    for item in by_depth:
        depth = float(item.centre @ across)
        if rows and depth - float(rows[-1][0].centre @ across) < MAX_ROW_SHIFT * min(
            item.height, rows[-1][0].height
        ):
            rows[-1].append(item)
        else:
            rows.append([item])
    return [item for row in rows for item in sorted(row, key=lambda i: float(i.centre @ along))]
