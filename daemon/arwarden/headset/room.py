"""The room behind the virtual content of the generated scene: drawn once, then only cropped.

Everything is placed in shares of the canvas, so the room has any size and aspect. The seed chooses
colours, sides and small things; the same seed gives the same room.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import cv2
import numpy as np

from arwarden.core.frame import ByteImage

Colour = tuple[int, int, int]
Point = tuple[float, float]

WALLS: tuple[Colour, ...] = ((206, 199, 186), (188, 196, 196), (203, 190, 178), (190, 198, 184))
FLOORS: tuple[Colour, ...] = ((150, 112, 78), (128, 100, 80), (164, 132, 98))
DOORS: tuple[Colour, ...] = ((120, 92, 70), (96, 106, 112), (140, 116, 92))
BOOKS: tuple[Colour, ...] = (
    (132, 58, 52),
    (58, 86, 120),
    (76, 104, 72),
    (176, 146, 84),
    (88, 72, 104),
    (196, 190, 176),
)
HORIZON = 0.66
"""Where the wall meets the floor, as a share of the height."""
SUBPIXEL_BITS = 4


class _Canvas:
    """Draws anti-aliased shapes given in shares of the picture."""

    def __init__(self, width_px: int, height_px: int, rng: np.random.Generator, *, mirrored: bool) -> None:
        self.rgb: ByteImage = np.zeros((height_px, width_px, 3), dtype=np.uint8)
        self.rng = rng
        self._mirrored = mirrored

    def polygon(self, points: Sequence[Point], colour: Colour) -> None:
        cv2.fillPoly(self.rgb, [self._fixed(points)], colour, cv2.LINE_AA, SUBPIXEL_BITS)

    def line(self, points: Sequence[Point], colour: Colour, thickness: float = 0.002) -> None:
        width_px = max(1, round(thickness * self.rgb.shape[0]))
        cv2.polylines(self.rgb, [self._fixed(points)], False, colour, width_px, cv2.LINE_AA, SUBPIXEL_BITS)

    def rectangle(self, left: float, top: float, width: float, height: float, colour: Colour) -> None:
        right, bottom = left + width, top + height
        self.polygon([(left, top), (right, top), (right, bottom), (left, bottom)], colour)

    def ellipse(self, centre: Point, radii: Point, colour: Colour) -> None:
        angles = np.linspace(0, 2 * np.pi, 48, endpoint=False)
        self.polygon(
            [(centre[0] + radii[0] * np.cos(a), centre[1] + radii[1] * np.sin(a)) for a in angles], colour
        )

    def shadow(self, points: Sequence[Point], strength: float, softness: float) -> None:
        """Darken inside the shape, fading out at its edge."""
        height_px, width_px = self.rgb.shape[:2]
        mask = np.zeros((height_px, width_px), dtype=np.uint8)
        cv2.fillPoly(mask, [self._fixed(points)], (255,), cv2.LINE_AA, SUBPIXEL_BITS)
        soft = cv2.GaussianBlur(mask, (0, 0), softness * height_px).astype(np.float32)
        keep = 1.0 - strength * soft / 255.0
        self.rgb[:] = (self.rgb * keep[:, :, np.newaxis]).astype(np.uint8)

    def _fixed(self, points: Sequence[Point]) -> np.ndarray:
        array = np.asarray(points, dtype=np.float64)
        if self._mirrored:
            array[:, 0] = 1.0 - array[:, 0]
        height_px, width_px = self.rgb.shape[:2]
        scaled = array * (width_px, height_px) * (1 << SUBPIXEL_BITS)
        return np.round(scaled).astype(np.int32)


def draw_room(width_px: int, height_px: int, seed: int) -> ByteImage:
    """An office corner as RGB of the given size: wall, floor, door, shelf, desk, lamp light."""
    rng = np.random.default_rng(seed)
    canvas = _Canvas(width_px, height_px, rng, mirrored=bool(rng.integers(2)))
    wall = WALLS[rng.integers(len(WALLS))]
    _floor_and_wall(canvas, wall, FLOORS[rng.integers(len(FLOORS))])
    _door(canvas, DOORS[rng.integers(len(DOORS))])
    _shelf(canvas)
    _desk(canvas)
    return _lit(canvas.rgb, rng)


def _shade(colour: Colour, factor: float) -> Colour:
    red, green, blue = (min(255, round(part * factor)) for part in colour)
    return red, green, blue


def _floor_and_wall(canvas: _Canvas, wall: Colour, floor: Colour) -> None:
    canvas.rectangle(0, 0, 1, HORIZON, wall)
    canvas.rectangle(0, HORIZON, 1, 1 - HORIZON, floor)
    vanishing = (0.45, 0.28)
    edges = np.linspace(-1.6, 2.6, 27)
    for left, right in pairwise(edges):
        board = [_on_horizon(vanishing, left), _on_horizon(vanishing, right), (right, 1.0), (left, 1.0)]
        canvas.polygon(board, _shade(floor, 0.9 + 0.2 * canvas.rng.random()))
        canvas.line([board[0], board[3]], _shade(floor, 0.7), 0.0015)
    canvas.rectangle(0, HORIZON - 0.022, 1, 0.022, _shade(wall, 1.12))
    canvas.line([(0, HORIZON - 0.022), (1, HORIZON - 0.022)], _shade(wall, 0.82))
    canvas.line([(0, HORIZON), (1, HORIZON)], _shade(floor, 0.55), 0.004)
    canvas.shadow([(0, HORIZON), (1, HORIZON), (1, HORIZON + 0.05), (0, HORIZON + 0.05)], 0.35, 0.025)


def _on_horizon(vanishing: Point, x_at_bottom: float) -> Point:
    share = (HORIZON - vanishing[1]) / (1.0 - vanishing[1])
    return (vanishing[0] + (x_at_bottom - vanishing[0]) * share, HORIZON)


def _door(canvas: _Canvas, colour: Colour) -> None:
    left, top, width = 0.68, 0.13, 0.19
    height = HORIZON - top
    canvas.shadow(
        [(left - 0.02, top), (left + width + 0.03, top), (left + width + 0.03, HORIZON), (left, HORIZON)],
        0.25,
        0.02,
    )
    canvas.rectangle(left - 0.014, top - 0.024, width + 0.028, height + 0.024, _shade(colour, 1.35))
    canvas.rectangle(left, top, width, height, colour)
    for row_top, row_height in ((0.05, 0.20), (0.29, 0.20)):
        for column in (0.025, 0.105):
            inset = (left + column, top + row_top, 0.06, row_height)
            canvas.rectangle(*inset, _shade(colour, 0.86))
            canvas.rectangle(
                inset[0] + 0.005, inset[1] + 0.009, 0.05, row_height - 0.018, _shade(colour, 1.06)
            )
    canvas.ellipse((left + 0.016, top + 0.30), (0.006, 0.011), (196, 186, 160))
    canvas.rectangle(left + 0.013, top + 0.296, 0.03, 0.009, (206, 198, 174))


def _shelf(canvas: _Canvas) -> None:
    wood = (138, 106, 76)
    left, width = 0.08, 0.34
    for board_top in (0.17, 0.33):
        canvas.shadow(
            [
                (left, board_top + 0.01),
                (left + width, board_top + 0.01),
                (left + width, board_top + 0.07),
                (left, board_top + 0.07),
            ],
            0.3,
            0.015,
        )
        at = left + 0.012
        while at < left + width - 0.05:
            if canvas.rng.random() < 0.12:
                at += 0.03 + 0.04 * canvas.rng.random()
                continue
            book_width, book_height = 0.010 + 0.012 * canvas.rng.random(), 0.075 + 0.04 * canvas.rng.random()
            colour = BOOKS[canvas.rng.integers(len(BOOKS))]
            canvas.rectangle(at, board_top - book_height, book_width, book_height, colour)
            canvas.rectangle(at, board_top - book_height * 0.8, book_width, 0.008, _shade(colour, 1.3))
            canvas.rectangle(
                at + book_width - 0.0015, board_top - book_height, 0.0015, book_height, _shade(colour, 0.6)
            )
            at += book_width + 0.0012
        canvas.rectangle(left, board_top, width, 0.018, wood)
        canvas.rectangle(left, board_top + 0.014, width, 0.006, _shade(wood, 0.62))


def _desk(canvas: _Canvas) -> None:
    top_colour, side = (186, 158, 124), (150, 124, 96)
    canvas.shadow([(0.02, 0.82), (0.60, 0.80), (0.66, 0.97), (0.0, 1.0)], 0.5, 0.03)
    for leg in (0.045, 0.565):
        canvas.rectangle(leg, 0.74, 0.022, 0.24, (70, 70, 74))
    surface = [(0.09, 0.66), (0.55, 0.66), (0.64, 0.78), (0.0, 0.78)]
    canvas.polygon(surface, top_colour)
    for index in range(14):
        share = (index + canvas.rng.random()) / 14
        y = 0.66 + 0.12 * share
        canvas.line([(0.09 - 0.09 * share, y), (0.55 + 0.09 * share, y)], _shade(top_colour, 0.95), 0.0015)
    canvas.polygon([(0.0, 0.78), (0.64, 0.78), (0.64, 0.805), (0.0, 0.805)], side)
    _laptop(canvas)
    canvas.shadow([(0.455, 0.735), (0.53, 0.735), (0.53, 0.755), (0.455, 0.755)], 0.4, 0.01)
    mug = (92, 122, 132)
    canvas.rectangle(0.455, 0.665, 0.036, 0.08, mug)
    canvas.ellipse((0.473, 0.745), (0.018, 0.010), mug)
    canvas.ellipse((0.473, 0.665), (0.018, 0.010), _shade(mug, 1.25))
    canvas.ellipse((0.473, 0.667), (0.014, 0.007), (62, 42, 32))
    canvas.line([(0.491, 0.685), (0.503, 0.69), (0.503, 0.72), (0.491, 0.727)], mug, 0.009)


def _laptop(canvas: _Canvas) -> None:
    canvas.shadow([(0.15, 0.70), (0.40, 0.70), (0.42, 0.765), (0.14, 0.765)], 0.35, 0.012)
    canvas.polygon([(0.185, 0.50), (0.375, 0.50), (0.385, 0.695), (0.175, 0.695)], (62, 64, 70))
    canvas.polygon([(0.192, 0.512), (0.368, 0.512), (0.377, 0.685), (0.183, 0.685)], (108, 128, 150))
    canvas.polygon([(0.192, 0.512), (0.30, 0.512), (0.25, 0.685), (0.183, 0.685)], (122, 142, 162))
    canvas.polygon([(0.175, 0.695), (0.385, 0.695), (0.402, 0.745), (0.158, 0.745)], (168, 170, 174))
    canvas.polygon([(0.19, 0.70), (0.37, 0.70), (0.378, 0.72), (0.182, 0.72)], (72, 74, 80))
    canvas.polygon([(0.25, 0.725), (0.31, 0.725), (0.313, 0.74), (0.247, 0.74)], (142, 144, 150))


def _lit(rgb: ByteImage, rng: np.random.Generator) -> ByteImage:
    """Lamp light from one side, falling off to the corners, on slightly uneven surfaces."""
    height_px, width_px = rgb.shape[:2]
    y, x = np.mgrid[0:height_px, 0:width_px].astype(np.float32)
    lamp_x = width_px * (0.3 + 0.4 * rng.random())
    distance = np.hypot((x - lamp_x) / width_px, (y - 0.15 * height_px) / height_px)
    light = 1.10 - 0.42 * np.clip(distance, 0, 1.2) ** 1.5
    coarse = rng.normal(0.0, 1.0, (max(2, height_px // 12), max(2, width_px // 12))).astype(np.float32)
    mottle = cv2.resize(coarse, (width_px, height_px), interpolation=cv2.INTER_CUBIC)
    grain = rng.normal(0.0, 1.6, (height_px, width_px)).astype(np.float32)
    lit = rgb * light[:, :, np.newaxis] * (1.0, 0.985, 0.955) + (0.9 * mottle + grain)[:, :, np.newaxis]
    soft = cv2.GaussianBlur(np.clip(lit, 0, 255).astype(np.uint8), (0, 0), max(0.5, height_px / 1000))
    return np.asarray(soft, dtype=np.uint8)
