"""Draws elements over the world in perspective and measures what of each can be seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
import numpy.typing as npt

from arwarden.core.frame import ByteImage
from models.scenes.art.element import Art, BoxNorm, Part
from models.scenes.truth import Box, Quad
from models.scenes.view import Matrix, Vector, direction_seen, homography, mapped

Mask = npt.NDArray[np.uint8]
_SOLID = 64
"""Alpha from which a pixel belongs to the element; shadows and glow are below."""
_FAR_PX = 4000


@dataclass(frozen=True, slots=True)
class Shown:
    """An element at a place in the picture. ``quad_px`` has shape ``(4, 2)``: where its own corners are."""

    art: Art
    quad_px: Vector
    opacity: float = 1.0


@dataclass(frozen=True, slots=True)
class Seen:
    """What can be seen of an element or of one of its parts. Box and quad in shares of the picture."""

    box: Box
    quad: Quad
    visibility: float
    direction_deg: float | None = None
    part: Part | None = None
    parts: tuple[Seen, ...] = field(default=())


@dataclass(slots=True)
class _Layer:
    """One element warped to its place, cut to the picture."""

    left_px: int
    top_px: int
    colour: ByteImage
    """Colour times alpha."""
    alpha: Mask
    solid: Mask
    whole: Mask
    """Solid pixels of the whole element, those out of the picture included."""
    whole_at_px: tuple[int, int]
    """Where the left upper corner of ``whole`` lies; may be negative."""
    matrix: Matrix

    @property
    def place(self) -> tuple[slice, slice]:
        """Rows and columns of the picture."""
        height_px, width_px = self.alpha.shape
        return slice(self.top_px, self.top_px + height_px), slice(self.left_px, self.left_px + width_px)


def overlay(
    rgb: ByteImage, shown: Sequence[Shown], covering: Mask | None = None
) -> tuple[ByteImage, tuple[Seen, ...]]:
    """Draw the elements, the first undermost, on a copy of the picture.

    ``covering`` (0..255, shape of the picture) are real things nearer than all elements.
    """
    out = rgb.copy()
    size_px = (rgb.shape[1], rgb.shape[0])
    layers = [_layer(one, size_px) for one in shown]
    for layer in layers:
        if layer is not None:
            _blend(out, layer, covering)
    seen: list[Seen] = []
    hidden = (
        np.zeros(rgb.shape[:2], dtype=np.uint8)
        if covering is None
        else (covering > 127).astype(np.uint8) * 255
    )
    for one, layer in zip(reversed(shown), reversed(layers), strict=True):
        seen.append(_seen(one, layer, hidden, size_px))
    return out, tuple(reversed(seen))


def quad_of(matrix: Matrix, box: BoxNorm, art: Art) -> Vector:
    """The corners, in pixels of the picture, of a box in shares of the element."""
    height_px, width_px = art.rgba.shape[:2]
    x, y, width, height = box
    corners = np.array([[x, y], [x + width, y], [x + width, y + height], [x, y + height]])
    return mapped(matrix, corners * (width_px, height_px))


def inside_share(quad_px: Vector, size_px: tuple[int, int]) -> float:
    """How much of the area of a convex quad is inside the picture, 0..1."""
    frame = np.array([[0, 0], [size_px[0], 0], [size_px[0], size_px[1]], [0, size_px[1]]], dtype=np.float64)
    return common_area(quad_px, frame) / max(1e-6, float(cv2.contourArea(quad_px.astype(np.float32))))


def common_area(first: Vector, second: Vector) -> float:
    """The area that two convex quads share, in square pixels."""
    area, _ = cv2.intersectConvexConvex(first.astype(np.float32), second.astype(np.float32))
    return max(0.0, float(area))


def _layer(one: Shown, size_px: tuple[int, int]) -> _Layer | None:
    """Warp an element to its place; None where it is out of the picture or turned away."""
    low, high = np.floor(one.quad_px.min(axis=0)), np.ceil(one.quad_px.max(axis=0))
    extent = high - low
    if np.any(high <= 0) or np.any(low >= size_px) or np.any(extent < 2) or np.any(extent > _FAR_PX):
        return None
    rgba = _suited(one.art.rgba, float(extent.max()))
    matrix = homography(rgba.shape[1], rgba.shape[0], one.quad_px - low)
    # Weighted before the warp: else the colour behind transparent pixels bleeds into the edge.
    weighted = rgba.copy()
    weighted[:, :, :3] = cv2.multiply(rgba[:, :, :3], cv2.merge([rgba[:, :, 3]] * 3), scale=1 / 255)
    warped = cv2.warpPerspective(weighted, matrix, (int(extent[0]), int(extent[1])), flags=cv2.INTER_LINEAR)
    body = quad_of(
        homography(one.art.rgba.shape[1], one.art.rgba.shape[0], one.quad_px - low),
        one.art.body_norm,
        one.art,
    )
    within = np.zeros(warped.shape[:2], dtype=np.uint8)
    cv2.fillConvexPoly(within, np.round(body * 16).astype(np.int32), (255,), cv2.LINE_8, 4)
    solid = np.asarray(
        cv2.bitwise_and(within, (warped[:, :, 3] > _SOLID).astype(np.uint8) * 255), dtype=np.uint8
    )
    left, top = int(max(0, -low[0])), int(max(0, -low[1]))
    right = int(min(extent[0], size_px[0] - low[0]))
    bottom = int(min(extent[1], size_px[1] - low[1]))
    part = np.ascontiguousarray(warped[top:bottom, left:right])
    if one.opacity < 1.0:
        part = np.asarray(cv2.convertScaleAbs(part, alpha=one.opacity), dtype=np.uint8)
    return _Layer(
        left_px=int(low[0]) + left,
        top_px=int(low[1]) + top,
        colour=np.ascontiguousarray(part[:, :, :3]),
        alpha=np.ascontiguousarray(part[:, :, 3]),
        solid=np.ascontiguousarray(solid[top:bottom, left:right]),
        whole=solid,
        whole_at_px=(int(low[0]), int(low[1])),
        matrix=homography(one.art.rgba.shape[1], one.art.rgba.shape[0], one.quad_px),
    )


def _suited(rgba: ByteImage, extent_px: float) -> ByteImage:
    """Shrunk, where the element is much larger than its place, so that the warp does not skip pixels."""
    scale = extent_px * 1.15 / max(rgba.shape[:2])
    if scale >= 0.8:
        return rgba
    size = (max(2, round(rgba.shape[1] * scale)), max(2, round(rgba.shape[0] * scale)))
    return np.asarray(cv2.resize(rgba, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)


def _blend(out: ByteImage, layer: _Layer, covering: Mask | None) -> None:
    colour, alpha = layer.colour, layer.alpha
    if covering is not None:
        free = cv2.bitwise_not(covering[layer.place])
        alpha = np.asarray(cv2.multiply(alpha, free, scale=1 / 255), dtype=np.uint8)
        colour = np.asarray(cv2.multiply(colour, cv2.merge([free] * 3), scale=1 / 255), dtype=np.uint8)
    through = cv2.merge([cv2.bitwise_not(alpha)] * 3)
    place = out[layer.place]
    out[layer.place] = cv2.add(cv2.multiply(place, through, scale=1 / 255), colour)


def _seen(one: Shown, layer: _Layer | None, hidden: Mask, size_px: tuple[int, int]) -> Seen:
    """Measure an element, and hide with it what lies below."""
    if layer is None:
        quad = _shares(one.quad_px, size_px)
        return Seen((0.0, 0.0, 0.0, 0.0), quad, 0.0)
    visible = np.asarray(cv2.bitwise_and(layer.solid, cv2.bitwise_not(hidden[layer.place])), dtype=np.uint8)
    if one.opacity > 0.5:
        hidden[layer.place] |= layer.solid
    height_px, width_px = one.art.rgba.shape[:2]
    direction = one.art.direction_deg
    return Seen(
        box=_box(visible, layer, size_px),
        quad=_shares(quad_of(layer.matrix, one.art.body_norm, one.art), size_px),
        visibility=cv2.countNonZero(visible) / max(1, cv2.countNonZero(layer.whole)),
        direction_deg=None
        if direction is None
        else direction_seen(layer.matrix, (width_px, height_px), direction),
        parts=tuple(_part_seen(part, one.art, layer, visible, size_px) for part in one.art.parts),
    )


def _part_seen(part: Part, art: Art, layer: _Layer, visible: Mask, size_px: tuple[int, int]) -> Seen:
    quad_px = quad_of(layer.matrix, part.box_norm, art)
    within = np.zeros(layer.whole.shape, dtype=np.uint8)
    local = np.round((quad_px - layer.whole_at_px) * 16).astype(np.int32)
    cv2.fillConvexPoly(within, local, (255,), cv2.LINE_8, 4)
    whole_px = cv2.countNonZero(cv2.bitwise_and(within, layer.whole))
    left, top = layer.left_px - layer.whole_at_px[0], layer.top_px - layer.whole_at_px[1]
    near = within[top : top + visible.shape[0], left : left + visible.shape[1]]
    seen = np.asarray(cv2.bitwise_and(near, visible), dtype=np.uint8)
    direction = part.direction_deg
    size = (art.rgba.shape[1], art.rgba.shape[0])
    return Seen(
        box=_box(seen, layer, size_px),
        quad=_shares(quad_px, size_px),
        visibility=cv2.countNonZero(seen) / max(1, whole_px),
        direction_deg=None if direction is None else direction_seen(layer.matrix, size, direction),
        part=part,
    )


def _box(visible: Mask, layer: _Layer, size_px: tuple[int, int]) -> Box:
    x, y, width, height = cv2.boundingRect(visible)
    if not width or not height:
        return (0.0, 0.0, 0.0, 0.0)
    return (
        (layer.left_px + x) / size_px[0],
        (layer.top_px + y) / size_px[1],
        width / size_px[0],
        height / size_px[1],
    )


def _shares(quad_px: Vector, size_px: tuple[int, int]) -> Quad:
    return tuple((float(x) / size_px[0], float(y) / size_px[1]) for x, y in quad_px)
