"""Outlines of arrows. All point to the right, are 1 wide across, and y grows downwards."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from models.scenes.art.canvas import Point, arc

ArrowShape = Literal[
    "straight",
    "tapered",
    "notched",
    "callout",
    "box_callout",
    "triangle",
    "dart",
    "chevrons",
    "bent",
    "curved",
    "u_turn",
    "double",
]
ARROW_SHAPES: tuple[ArrowShape, ...] = (
    "straight",
    "tapered",
    "notched",
    "callout",
    "box_callout",
    "triangle",
    "dart",
    "chevrons",
    "bent",
    "curved",
    "u_turn",
    "double",
)
CARRIERS: tuple[ArrowShape, ...] = ("straight", "tapered", "notched", "callout", "box_callout", "double")
"""Shapes with room for text."""


@dataclass(frozen=True)
class Outline:
    """Polygons of one arrow and the room for text on it.

    Attributes:
        room: (from, to along the arrow, half height across); None where nothing can be written.
    """

    polygons: tuple[tuple[Point, ...], ...]
    length: float
    room: tuple[float, float, float] | None = None


def outline(shape: ArrowShape, rng: np.random.Generator, length: float) -> Outline:
    """A random arrow of a shape; `length` is in widths and ignored by shapes that have one of their own."""
    own = _OWN_LENGTH.get(shape)
    return own(rng) if own is not None else _LONG[shape](rng, length)


def _block(length: float, tail: float, neck: float, head: float, notch: float = 0.0) -> Outline:
    """Shaft half height from `tail` to `neck`, a head of the given length, a notch cut into the tail."""
    back = length - head
    upper: list[Point] = [(0.0, -tail), (back, -neck), (back, -0.5), (length, 0.0)]
    lower = [(x, -y) for x, y in reversed(upper[:-1])]
    tailcut: list[Point] = [(notch, 0.0)] if notch else []
    low = min(tail, neck)
    return Outline(
        ((*upper, *lower, *tailcut),),
        length,
        (0.05 + notch, back + head * (1 - 2 * low) * 0.75, low * 0.86),
    )


def _straight(rng: np.random.Generator, length: float) -> Outline:
    shaft = float(rng.uniform(0.22, 0.38))
    return _block(length, shaft, shaft, float(rng.uniform(0.32, 0.6)))


def _tapered(rng: np.random.Generator, length: float) -> Outline:
    narrow, wide = float(rng.uniform(0.2, 0.28)), float(rng.uniform(0.32, 0.44))
    tail, neck = (wide, narrow) if rng.random() < 0.6 else (narrow, min(wide, 0.4))
    return _block(length, tail, neck, float(rng.uniform(0.35, 0.6)))


def _notched(rng: np.random.Generator, length: float) -> Outline:
    shaft = float(rng.uniform(0.24, 0.36))
    return _block(length, shaft, shaft, float(rng.uniform(0.35, 0.6)), float(rng.uniform(0.12, 0.28)))


def _callout(rng: np.random.Generator, length: float) -> Outline:
    head = float(rng.uniform(0.22, 0.45))
    back = length - head
    points: tuple[Point, ...] = ((0, -0.5), (back, -0.5), (length, 0), (back, 0.5), (0, 0.5))
    return Outline((points,), length, (0.07, back + head * 0.1, 0.41))


def _box_callout(rng: np.random.Generator, length: float) -> Outline:
    neck, half, head = (
        float(rng.uniform(0.08, 0.15)),
        float(rng.uniform(0.22, 0.34)),
        float(rng.uniform(0.18, 0.28)),
    )
    back, wall = length - head, length - head - float(rng.uniform(0.06, 0.14))
    upper: list[Point] = [(0, -0.5), (wall, -0.5), (wall, -neck), (back, -neck), (back, -half), (length, 0)]
    lower = [(x, -y) for x, y in reversed(upper[:-1])]
    return Outline(((*upper, *lower),), length, (0.07, wall - 0.07, 0.41))


def _triangle(rng: np.random.Generator) -> Outline:
    long = float(rng.uniform(0.75, 1.1))
    return Outline((((0, -0.5), (long, 0), (0, 0.5)),), long)


def _dart(rng: np.random.Generator) -> Outline:
    long, notch = float(rng.uniform(0.95, 1.3)), float(rng.uniform(0.18, 0.4))
    return Outline((((0, -0.46), (long, 0), (0, 0.46), (notch, 0)),), long)


def _chevrons(rng: np.random.Generator) -> Outline:
    count = int(rng.integers(1, 5))
    thick, bend, gap = (
        float(rng.uniform(0.22, 0.36)),
        float(rng.uniform(0.3, 0.5)),
        float(rng.uniform(0.1, 0.25)),
    )
    polygons: list[tuple[Point, ...]] = []
    for index in range(count):
        x = index * (thick + gap)
        half = ((x, -0.5), (x + thick, -0.5), (x + thick + bend, 0))
        polygons.append((*half, (x + thick, 0.5), (x, 0.5), (x + bend, 0)))
    return Outline(tuple(polygons), (count - 1) * (thick + gap) + thick + bend)


def _double(rng: np.random.Generator, length: float) -> Outline:
    shaft, head = float(rng.uniform(0.2, 0.32)), float(rng.uniform(0.35, 0.5))
    length = max(length, 2 * head + 0.4)
    upper: list[Point] = [
        (0, 0),
        (head, -0.5),
        (head, -shaft),
        (length - head, -shaft),
        (length - head, -0.5),
        (length, 0),
    ]
    lower = [(x, -y) for x, y in reversed(upper[1:-1])]
    return Outline(((*upper, *lower),), length, (head * 0.75, length - head * 0.75, shaft * 0.86))


def ribbon(line: list[Point], thick: float, head: float, half: float) -> tuple[Point, ...]:
    """A band along a line that ends in a head; the line ends where the head begins."""
    points = np.asarray(line)
    steps = np.gradient(points, axis=0)
    normals = np.stack([-steps[:, 1], steps[:, 0]], axis=1) / np.hypot(steps[:, 0], steps[:, 1])[:, None]
    left, right = points - normals * thick / 2, points + normals * thick / 2
    end, normal = points[-1], normals[-1]
    ahead = np.array([normal[1], -normal[0]])
    tip = [end - normal * half, end + ahead * head, end + normal * half]
    return tuple((float(x), float(y)) for x, y in [*left, *tip, *right[::-1]])


def _placed(polygon: tuple[Point, ...]) -> Outline:
    xs = [x for x, _ in polygon]
    return Outline((tuple((x - min(xs), y) for x, y in polygon),), max(xs) - min(xs))


def _bent(rng: np.random.Generator) -> Outline:
    """Comes from below, turns to the right."""
    thick, radius = float(rng.uniform(0.2, 0.3)), float(rng.uniform(0.16, 0.32))
    rise, run = float(rng.uniform(0.3, 0.7)), float(rng.uniform(0.05, 0.4))
    corner = arc((radius, 0.0), radius, 180, 270, steps=12)
    line = [(0.0, rise * t) for t in (1.0, 0.66, 0.33)] + corner
    line += [(radius + run * t, -radius) for t in (0.5, 1.0)]
    return _placed(ribbon(line, thick, float(rng.uniform(0.3, 0.42)), thick * float(rng.uniform(0.95, 1.25))))


def _curved(rng: np.random.Generator) -> Outline:
    """A sweep that ends to the right."""
    thick, sweep = float(rng.uniform(0.16, 0.28)), float(rng.uniform(60, 130))
    line = arc((0.0, 0.0), 0.5, 270 - sweep, 270, steps=24)
    return _placed(ribbon(line, thick, float(rng.uniform(0.3, 0.42)), thick * float(rng.uniform(1.0, 1.3))))


def _u_turn(rng: np.random.Generator) -> Outline:
    """Goes out to the left, comes back to the right."""
    thick, radius = float(rng.uniform(0.16, 0.24)), float(rng.uniform(0.24, 0.34))
    reach = float(rng.uniform(0.25, 0.6))
    line = [(reach * t, radius) for t in (1.0, 0.66, 0.33)] + arc((0.0, 0.0), radius, 90, 270, steps=24)
    line += [(reach * 0.25, -radius), (reach * 0.5, -radius)]
    return _placed(ribbon(line, thick, float(rng.uniform(0.24, 0.34)), thick * float(rng.uniform(0.95, 1.2))))


_LONG: dict[ArrowShape, Callable[[np.random.Generator, float], Outline]] = {
    "straight": _straight,
    "tapered": _tapered,
    "notched": _notched,
    "callout": _callout,
    "box_callout": _box_callout,
    "double": _double,
}
_OWN_LENGTH: dict[ArrowShape, Callable[[np.random.Generator], Outline]] = {
    "triangle": _triangle,
    "dart": _dart,
    "chevrons": _chevrons,
    "bent": _bent,
    "curved": _curved,
    "u_turn": _u_turn,
}


def rotated(points: tuple[Point, ...], direction_deg: float, *, flip: bool) -> list[Point]:
    """Points turned so that right becomes the direction (counter-clockwise positive in the picture)."""
    angle = math.radians(direction_deg)
    cos, sin = math.cos(angle), math.sin(angle)
    sign = -1.0 if flip else 1.0
    return [(x * cos + sign * y * sin, -x * sin + sign * y * cos) for x, y in points]
