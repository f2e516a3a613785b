"""Fills a box with text and, beside it, a pictogram or flag: what arrows, panels and tags have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from models.scenes.art.canvas import Box, Canvas
from models.scenes.art.element import Colour, Mask, Part, PartKind, Rgba
from models.scenes.art.typeface import Typeface, write

Side = Literal["left", "right", "above", "below"]


@dataclass(frozen=True)
class Carried:
    """A pictogram or flag that another element carries.

    Attributes:
        picture: (h, w, 4) with colours of its own, or (h, w) to be drawn in the element's ink.
        direction_deg: of a small arrow; None for all else.
    """

    kind: PartKind
    cls: str
    picture: Rgba | Mask
    direction_deg: float | None = None


@dataclass(frozen=True)
class Lettering:
    """How text is set."""

    face: Typeface
    ink: Colour
    align: str = "centre"
    underline: bool = False
    max_size: float = 1e6
    max_lines: int = 5


def place(canvas: Canvas, carried: Carried, box: Box, ink: Colour, opacity: float = 1.0) -> Part:
    """Draw a carried picture as large as fits into the middle of a box."""
    height, width = carried.picture.shape[:2]
    scale = min(box[2] / width, box[3] / height)
    size = (width * scale, height * scale)
    shown = (box[0] + (box[2] - size[0]) / 2, box[1] + (box[3] - size[1]) / 2, size[0], size[1])
    if carried.picture.ndim == 2:
        canvas.tinted(carried.picture, shown, ink, opacity)
    else:
        canvas.picture(carried.picture, shown, opacity)
    return Part(carried.kind, carried.cls, canvas.norm(shown), direction_deg=carried.direction_deg)


def split_box(box: Box, side: Side, share: float, gap: float) -> tuple[Box, Box]:
    """(the part at `side`, the rest), `gap` pixels apart."""
    x, y, width, height = box
    if side in ("left", "right"):
        first = (width - gap) * share
        rest = width - gap - first
        if side == "left":
            return (x, y, first, height), (x + first + gap, y, rest, height)
        return (x + rest + gap, y, first, height), (x, y, rest, height)
    first = (height - gap) * share
    rest = height - gap - first
    if side == "above":
        return (x, y, width, first), (x, y + first + gap, width, rest)
    return (x, y + rest + gap, width, first), (x, y, width, rest)


def fill(
    canvas: Canvas,
    box: Box,
    text: str,
    carried: Carried | None,
    *,
    lettering: Lettering,
    rng: np.random.Generator,
    side: Side | None = None,
) -> tuple[Part, ...]:
    """Text and a carried picture into a box; `side`, where the picture goes, is chosen when left out."""
    if carried is None:
        return _text(canvas, text, box, lettering)
    if not text.strip():
        return (place(canvas, carried, box, lettering.ink),)
    if side is None:
        wide = box[2] > 1.6 * box[3]
        sides: tuple[Side, ...] = ("left", "left", "right") if wide else ("above", "below")
        side = sides[int(rng.integers(len(sides)))]
    if side in ("left", "right"):
        aspect = carried.picture.shape[1] / carried.picture.shape[0]
        share = float(np.clip(aspect * box[3] / box[2] * rng.uniform(0.7, 1.0), 0.15, 0.45))
    else:
        share = float(rng.uniform(0.28, 0.48))
    at, rest = split_box(box, side, share, 0.05 * min(box[2], box[3]) + 2)
    return (place(canvas, carried, at, lettering.ink), *_text(canvas, text, rest, lettering))


def _text(canvas: Canvas, text: str, box: Box, lettering: Lettering) -> tuple[Part, ...]:
    return write(
        canvas,
        text,
        box,
        lettering.face,
        lettering.ink,
        align=lettering.align,
        max_size=lettering.max_size,
        max_lines=lettering.max_lines,
        underline=lettering.underline,
    )


def spoken(parts: tuple[Part, ...]) -> str:
    """All text lines of an element in one string."""
    return " ".join(part.text for part in parts if part.kind == "text" and part.text)
