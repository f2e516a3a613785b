"""Block arrows: at any angle, bent, in perspective, flat or solid, with text and pictures on them."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from models.assets.library import Library
from models.assets.sources import Split
from models.scenes.art.canvas import Box, Canvas, Point, rounded_polygon
from models.scenes.art.colours import BLACK, WHITE, ground, ink_on, jitter, mix
from models.scenes.art.content import Carried, Lettering, fill, spoken
from models.scenes.art.element import WHOLE, Art, Colour, solid_body, trim, warp
from models.scenes.art.kit import Kit
from models.scenes.art.outlines import ARROW_SHAPES, CARRIERS, ArrowShape, Outline, outline, rotated
from models.scenes.art.typeface import typeface

CONTRAR_FILLS: tuple[Colour, ...] = ((127, 255, 255), (82, 190, 140), (160, 205, 255))


@dataclass(frozen=True)
class ArrowLook:
    """How an arrow is painted.

    Attributes:
        depth: thickness of a solid arrow as a share of its width; 0 is flat.
        tilt: 0 upright .. 1 lying on the floor ahead.
    """

    fill: Colour
    ink: Colour
    finish: str
    edge: Colour | None
    depth: float
    shadow: bool
    rounding: float
    tilt: float


def random_look(rng: np.random.Generator, *, carries: bool) -> ArrowLook:
    """A look as AR navigation apps and slides have it."""
    colour = ground(rng, loud=0.8)
    if rng.random() < 0.25:
        colour = jitter(CONTRAR_FILLS[int(rng.integers(3))], rng, 0.04)
    finishes = (
        ["flat", "flat", "gradient", "glass"] if carries else ["flat", "flat", "gradient", "glass", "hollow"]
    )
    edge: Colour | None = None
    if rng.random() < 0.45:
        edge = (WHITE, BLACK, mix(colour, BLACK, 0.5), mix(colour, BLACK, 0.3))[int(rng.integers(4))]
    return ArrowLook(
        fill=colour,
        ink=BLACK if rng.random() < 0.3 and sum(colour) > 380 else ink_on(colour, rng),
        finish=finishes[int(rng.integers(len(finishes)))],
        edge=edge,
        depth=float(rng.uniform(0.06, 0.18)) if rng.random() < 0.25 else 0.0,
        shadow=bool(rng.random() < 0.2),
        rounding=float(rng.uniform(0.02, 0.09)) if rng.random() < 0.25 else 0.0,
        tilt=float(rng.uniform(0.15, 0.6)) if rng.random() < (0.12 if carries else 0.3) else 0.0,
    )


def paint_arrow(
    rng: np.random.Generator,
    split: Split,
    library: Library,
    *,
    direction_deg: float = 0.0,
    shape: ArrowShape | None = None,
    text: str = "",
    carried: Carried | None = None,
    height_px: float = 160,
    look: ArrowLook | None = None,
) -> Art:
    """One arrow whose tip points to `direction_deg`, before any perspective it is given.

    Text and a carried picture stay upright within 45 degrees; with either, `shape` must be one of CARRIERS.

    Raises:
        ValueError: the shape has no room for the text or picture asked for.
    """
    carries = bool(text) or carried is not None
    if shape is None:
        pool = CARRIERS[:5] if carries else ARROW_SHAPES[:-1]
        shape = pool[int(rng.integers(len(pool)))]
    if carries and shape not in CARRIERS:
        raise ValueError(f"a {shape} arrow has no room for text; use one of {', '.join(CARRIERS)}")
    look = look or random_look(rng, carries=carries)
    direction_deg %= 360.0
    if carries:
        kit = Kit(rng, split, library)
        art = _carrying(kit, shape, direction_deg, (text, carried), height_px=height_px, look=look)
    else:
        art = _bare(outline(shape, rng, float(rng.uniform(1.1, 2.2))), shape, direction_deg, height_px, look)
    if look.tilt > 0:
        art = tilt(art, look.tilt)
    if shape == "double":
        art = art.with_(direction_deg=None)
    art = trim(art)
    return solid_body(art) if look.shadow else art.with_(body_norm=WHOLE)


def _bare(drawn: Outline, shape: ArrowShape, direction_deg: float, height_px: float, look: ArrowLook) -> Art:
    flip = shape in ("bent", "curved") and 90 < direction_deg < 270
    polygons = [rotated(polygon, direction_deg, flip=flip) for polygon in drawn.polygons]
    art, _ = _painted(polygons, height_px, look)
    return art.with_(cls=shape, direction_deg=direction_deg)


def _carrying(
    kit: Kit,
    shape: ArrowShape,
    direction_deg: float,
    content: tuple[str, Carried | None],
    *,
    height_px: float,
    look: ArrowLook,
) -> Art:
    text, carried = content
    rng = kit.rng
    quarter = round(direction_deg / 90.0) % 4 * 90
    upright = quarter in (90, 270)
    length = float(rng.uniform(1.0, 1.5)) if upright else float(np.clip(0.9 + 0.055 * len(text), 1.3, 2.6))
    drawn = outline(shape, rng, length + (0.3 if carried is not None and not upright else 0.0))
    polygons = [rotated(polygon, quarter, flip=False) for polygon in drawn.polygons]
    art, (canvas, move, scale) = _painted(polygons, height_px, look)
    if drawn.room is None:
        raise ValueError(f"no room on a {shape} arrow")
    start, end, half = drawn.room
    corners = rotated(((start, -half), (end, half)), quarter, flip=False)
    xs = sorted(x * scale + move[0] for x, _ in corners)
    ys = sorted(y * scale + move[1] for _, y in corners)
    box: Box = (xs[0], ys[0], xs[1] - xs[0], ys[1] - ys[0])
    lettering = Lettering(
        typeface(rng, kit.split, kit.library),
        look.ink,
        underline=bool(rng.random() < 0.12),
        max_size=box[3] * float(rng.uniform(0.4, 0.95)),
        max_lines=3 if quarter in (0, 180) else 4,
    )
    parts = fill(canvas, box, text, carried, lettering=lettering, rng=rng)
    art = art.with_(
        rgba=canvas.finish(), cls=shape, text=spoken(parts), parts=parts, direction_deg=float(quarter)
    )
    rest = (direction_deg - quarter + 180) % 360 - 180
    return rotate(art, rest) if abs(rest) > 0.5 else art.with_(direction_deg=direction_deg)


def _painted(
    polygons: list[list[Point]], height_px: float, look: ArrowLook
) -> tuple[Art, tuple[Canvas, Point, float]]:
    """The arrow without content; also its canvas, and offset and scale of outline units on it."""
    points = np.array([point for polygon in polygons for point in polygon])
    low, high = points.min(axis=0), points.max(axis=0)
    size = high - low
    scale = height_px / max(size[1], size[0] * 0.45)
    margin = scale * (0.05 + look.depth) + 3 + (scale * 0.06 if look.shadow else 0)
    canvas = Canvas(size[0] * scale + 2 * margin, size[1] * scale + 2 * margin)
    move = (margin - low[0] * scale, margin - low[1] * scale)
    placed = [[(x * scale + move[0], y * scale + move[1]) for x, y in polygon] for polygon in polygons]
    if look.rounding:
        placed = [rounded_polygon(polygon, look.rounding * scale) for polygon in placed]
    mask = canvas.polygon_mask(placed[0])
    for polygon in placed[1:]:
        mask = np.maximum(mask, canvas.polygon_mask(polygon))
    _lay(canvas, mask, placed, look, scale)
    body = (margin, margin, size[0] * scale, size[1] * scale)
    art = Art(canvas.finish(), "arrow", "straight", body_norm=canvas.norm(body))
    return art, (canvas, move, scale)


def _lay(
    canvas: Canvas,
    mask: np.ndarray[tuple[int, ...], np.dtype[np.uint8]],
    placed: list[list[Point]],
    look: ArrowLook,
    scale: float,
) -> None:
    if look.shadow:
        canvas.shadow(mask, scale * 0.03, (scale * 0.02, scale * 0.03), BLACK, 0.4)
    if look.depth:
        steps = max(2, int(look.depth * scale / 2))
        side = mix(look.fill, BLACK, 0.45)
        for step in range(steps, 0, -1):
            shift = look.depth * scale * step / steps
            for polygon in placed:
                canvas.fill([(x + shift * 0.6, y + shift) for x, y in polygon], side)
    line = max(1.2, scale * 0.028)
    if look.finish == "hollow":
        canvas.lay(mask, look.fill, 0.15)
        for polygon in placed:
            canvas.line(polygon, line * 1.8, look.fill, closed=True)
        return
    if look.finish == "gradient":
        canvas.gradient(mask, (mix(look.fill, WHITE, 0.35), mix(look.fill, BLACK, 0.15)), 270)
    else:
        canvas.lay(mask, look.fill, 0.62 if look.finish == "glass" else 1.0)
    if look.edge is not None:
        for polygon in placed:
            canvas.line(polygon, line, look.edge, closed=True)


def rotate(art: Art, degrees: float) -> Art:
    """The picture turned counter-clockwise about its middle, grown so that nothing is cut off."""
    height, width = art.rgba.shape[:2]
    turn = cv2.getRotationMatrix2D((width / 2, height / 2), degrees, 1.0)
    cos, sin = abs(turn[0, 0]), abs(turn[0, 1])
    new_width, new_height = round(height * sin + width * cos) + 2, round(height * cos + width * sin) + 2
    turn[0, 2] += new_width / 2 - width / 2
    turn[1, 2] += new_height / 2 - height / 2
    return warp(art, np.vstack([turn, [0.0, 0.0, 1.0]]), new_width, new_height)


def tilt(art: Art, amount: float) -> Art:
    """Leaned away from the viewer: the upper edge shrinks and all gets lower, as if lying on the floor."""
    height, width = art.rgba.shape[:2]
    new_height = max(8, round(height * (1 - 0.55 * amount)))
    inset = width * 0.28 * amount
    source = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    target = np.array([[inset, 0], [width - inset, 0], [width, new_height], [0, new_height]], np.float32)
    return warp(art, cv2.getPerspectiveTransform(source, target).astype(np.float64), width, new_height)


def arrow_carried(direction_deg: float, rng: np.random.Generator) -> Carried:
    """A small arrow to be drawn on a panel or sign in its ink."""
    shape: ArrowShape = ("straight", "notched", "triangle")[int(rng.integers(3))]
    drawn = outline(shape, rng, 1.4)
    look = ArrowLook(BLACK, BLACK, "flat", None, 0.0, shadow=False, rounding=0.0, tilt=0.0)
    art = trim(_bare(drawn, shape, direction_deg % 360, 120, look), 0)
    return Carried("pictogram", "arrow", np.ascontiguousarray(art.rgba[:, :, 3]), direction_deg % 360)
