"""A small drawing surface: polygons, lines, masks and pictures laid over each other with correct alpha."""

from __future__ import annotations

import math
from collections.abc import Sequence

import cv2
import numpy as np
from PIL import Image

from models.scenes.art.element import BoxNorm, Colour, Mask, Rgba

Point = tuple[float, float]
Box = tuple[float, float, float, float]
"""x, y, width, height in pixels of the finished picture."""

_SHIFT = 4  # OpenCV takes fixed-point coordinates: 1/16 pixel


def rounded_box(box: Box, radius: float) -> list[Point]:
    """Outline of a rectangle with round corners."""
    x, y, width, height = box
    radius = max(0.0, min(radius, width / 2, height / 2))
    if radius < 0.5:
        return [(x, y), (x + width, y), (x + width, y + height), (x, y + height)]
    corners: tuple[tuple[float, float, int], ...] = (
        (x + width - radius, y + radius, -90),
        (x + width - radius, y + height - radius, 0),
    )
    corners += ((x + radius, y + height - radius, 90), (x + radius, y + radius, 180))
    steps = max(3, int(radius / 2))
    return [
        point for cx, cy, start in corners for point in arc((cx, cy), radius, start, start + 90, steps=steps)
    ]


def arc(
    centre: Point, radius: float | Point, start_deg: float, end_deg: float, *, steps: int = 24
) -> list[Point]:
    """Points on a circle or ellipse; angles clockwise in the picture from the right."""
    rx, ry = radius if isinstance(radius, tuple) else (radius, radius)
    angles = [math.radians(start_deg + (end_deg - start_deg) * i / steps) for i in range(steps + 1)]
    return [(centre[0] + rx * math.cos(a), centre[1] + ry * math.sin(a)) for a in angles]


def rounded_polygon(points: Sequence[Point], radius: float) -> list[Point]:
    """A polygon whose corners are replaced by quadratic curves that start `radius` before each."""
    result: list[Point] = []
    for index, corner in enumerate(points):
        ends: list[Point] = []
        for other in (points[index - 1], points[(index + 1) % len(points)]):
            length = math.dist(corner, other)
            share = min(radius, length / 2) / length if length else 0.0
            ends.append(
                (corner[0] + (other[0] - corner[0]) * share, corner[1] + (other[1] - corner[1]) * share)
            )
        for step in range(7):
            t = step / 6
            weights = ((1 - t) ** 2, 2 * t * (1 - t), t * t)
            result.append(
                (
                    weights[0] * ends[0][0] + weights[1] * corner[0] + weights[2] * ends[1][0],
                    weights[0] * ends[0][1] + weights[1] * corner[1] + weights[2] * ends[1][1],
                )
            )
    return result


class Canvas:
    """RGBA surface, premultiplied inside, straight when finished; coordinates are pixels when finished."""

    def __init__(self, width_px: float, height_px: float) -> None:
        self.width, self.height = max(2, round(width_px)), max(2, round(height_px))
        # Small pictures are drawn at twice the size: OpenCV's integer line widths would show otherwise.
        self.scale = 2 if self.height * self.width < 60_000 else 1
        self._image = Image.new("RGBA", (self.width * self.scale, self.height * self.scale), (0, 0, 0, 0))

    def fill(self, points: Sequence[Point], colour: Colour, opacity: float = 1.0) -> None:
        """Fill a polygon."""
        self.lay(self.polygon_mask(points), colour, opacity)

    def line(
        self,
        points: Sequence[Point],
        width: float,
        colour: Colour,
        opacity: float = 1.0,
        *,
        closed: bool = False,
    ) -> None:
        """Stroke a polyline with round joins and ends."""
        mask = self._empty()
        thickness = max(1, round(width * self.scale))
        cv2.polylines(mask, [self._fixed(points)], closed, 255, thickness, cv2.LINE_AA, _SHIFT)
        self.lay(mask, colour, opacity)

    def gradient(
        self, mask: Mask, colours: tuple[Colour, Colour], angle_deg: float, opacity: float = 1.0
    ) -> None:
        """Fill a mask with a linear gradient; the angle says where the second colour lies."""
        rows = np.linspace(-0.5, 0.5, mask.shape[0], dtype=np.float32)[:, None]
        columns = np.linspace(-0.5, 0.5, mask.shape[1], dtype=np.float32)[None, :]
        angle = math.radians(angle_deg)
        share = np.clip(columns * math.cos(angle) - rows * math.sin(angle) + 0.5, 0, 1)[:, :, None]
        mixed = np.asarray(colours[0], np.float32) * (1 - share) + np.asarray(colours[1], np.float32) * share
        opaque = np.dstack([mixed, np.full(mask.shape, 255, np.float32)]).astype(np.uint8)
        self._paste(Image.fromarray(opaque, "RGBA"), mask, opacity)

    def polygon_mask(self, points: Sequence[Point]) -> Mask:
        """Coverage 0..255 of a polygon on this canvas."""
        mask = self._empty()
        cv2.fillPoly(mask, [self._fixed(points)], 255, cv2.LINE_AA, _SHIFT)
        return mask

    def lay(self, mask: Mask, colour: Colour, opacity: float = 1.0) -> None:
        """Lay one colour over the canvas through a mask of its size."""
        self._paste((*colour, 255), mask, opacity)

    def shadow(self, mask: Mask, blur: float, offset: Point, colour: Colour, opacity: float) -> None:
        """A blurred copy of a mask; with offset 0 it is a glow."""
        sigma = max(0.5, blur * self.scale)
        soft = cv2.GaussianBlur(mask, (0, 0), sigma)
        move = np.array([[1, 0, offset[0] * self.scale], [0, 1, offset[1] * self.scale]], np.float32)
        moved = cv2.warpAffine(soft, move, (mask.shape[1], mask.shape[0]))
        self.lay(np.asarray(moved, np.uint8), colour, opacity)

    def picture(self, rgba: Rgba, box: Box, opacity: float = 1.0) -> None:
        """Draw a picture with straight alpha, stretched into a box."""
        x, y = round(box[0] * self.scale), round(box[1] * self.scale)
        size = (max(1, round(box[2] * self.scale)), max(1, round(box[3] * self.scale)))
        shrinks = size[0] < rgba.shape[1]
        scaled = cv2.resize(rgba, size, interpolation=cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR)
        alpha = np.ascontiguousarray(scaled[:, :, 3])
        scaled[:, :, 3] = 255
        self._paste(Image.fromarray(scaled, "RGBA"), np.asarray(alpha, np.uint8), opacity, (x, y))

    def tinted(self, mask: Mask, box: Box, colour: Colour, opacity: float = 1.0) -> None:
        """Draw a mask of any size, stretched into a box, in one colour."""
        x, y = round(box[0] * self.scale), round(box[1] * self.scale)
        size = (max(1, round(box[2] * self.scale)), max(1, round(box[3] * self.scale)))
        shrinks = size[0] < mask.shape[1]
        scaled = cv2.resize(mask, size, interpolation=cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR)
        tile = Image.new("RGBA", size, (*colour, 255))
        self._paste(tile, np.asarray(scaled, np.uint8), opacity, (x, y))

    def norm(self, box: Box) -> BoxNorm:
        """A box in pixels as fractions of the canvas."""
        return (box[0] / self.width, box[1] / self.height, box[2] / self.width, box[3] / self.height)

    def finish(self) -> Rgba:
        """The picture, (height, width, 4), straight alpha."""
        pixels = np.asarray(self._image)
        if self.scale > 1:
            pixels = cv2.resize(pixels, (self.width, self.height), interpolation=cv2.INTER_AREA)
        result = pixels.astype(np.float32)
        alpha = result[:, :, 3:]
        result[:, :, :3] = np.minimum(255.0, result[:, :, :3] * 255.0 / np.maximum(alpha, 1.0))
        return np.rint(result).astype(np.uint8)

    def _paste(
        self,
        paint: Image.Image | tuple[int, int, int, int],
        mask: Mask,
        opacity: float,
        at: tuple[int, int] = (0, 0),
    ) -> None:
        if opacity < 1.0:
            mask = np.asarray(cv2.convertScaleAbs(mask, alpha=opacity), np.uint8)
        height, width = mask.shape
        box = (at[0], at[1], at[0] + width, at[1] + height)
        # In premultiplied space, pasting an opaque paint through coverage is exactly the "over" operator.
        self._image.paste(paint, box, Image.fromarray(mask, "L"))

    def _empty(self) -> Mask:
        return np.zeros((self.height * self.scale, self.width * self.scale), np.uint8)

    def _fixed(self, points: Sequence[Point]) -> np.ndarray[tuple[int, ...], np.dtype[np.int32]]:
        return np.rint(np.asarray(points, np.float64) * self.scale * (1 << _SHIFT)).astype(np.int32)
