"""What every painter returns: a picture with straight alpha, and what is on it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

Kind = Literal["panel", "arrow", "pictogram", "sign", "flag", "tag", "badge"]
PartKind = Literal["text", "pictogram", "flag"]
Rgba = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.uint8]
BoxNorm = tuple[float, float, float, float]
"""x, y, width, height; origin top left; in 0..1 of the element's picture."""
Colour = tuple[int, int, int]
"""Red, green, blue, 0..255."""

WHOLE: BoxNorm = (0.0, 0.0, 1.0, 1.0)


@dataclass(frozen=True)
class Part:
    """Something an element carries: one line of text, a pictogram or a flag.

    Attributes:
        cls: pictogram class or ISO country code; empty for text.
        text: the line as written; for a pictogram what it spells (the P of a parking sign stays empty).
        direction_deg: of an arrow glyph carried by the element; None for all else.
    """

    kind: PartKind
    cls: str
    box_norm: BoxNorm
    text: str = ""
    direction_deg: float | None = None


@dataclass(frozen=True)
class Art:
    """One drawn element.

    Attributes:
        rgba: (h, w, 4) straight alpha.
        cls: pictogram or sign: class of `classes.yaml`, or "other", "crossed" or "mandatory" where what it
            shows is of no class; flag: ISO code; arrow: its shape; panel, tag and badge: their style.
        text: all lines joined by a space, as a reader would say it.
        direction_deg: where an arrow's tip points: 0 right, 90 up, 180 left; None for no or two tips.
        body_norm: the element without its shadow or glow; what a detector is to find.
        source: what it was drawn from ("mdi:lock", "drawn"), for tracing a bad picture back.
    """

    rgba: Rgba
    kind: Kind
    cls: str
    text: str = ""
    direction_deg: float | None = None
    parts: tuple[Part, ...] = ()
    body_norm: BoxNorm = WHOLE
    source: str = "drawn"
    styles: tuple[str, ...] = field(default=())

    def with_(self, **changes: object) -> Art:
        """A copy with some attributes changed."""
        return replace(self, **changes)  # type: ignore[arg-type]


def trim(art: Art, margin_px: int = 1) -> Art:
    """Cut off empty borders of the picture, keeping every box on what it was on."""
    height, width = art.rgba.shape[:2]
    filled = art.rgba[:, :, 3] > 2
    rows, columns = np.flatnonzero(filled.any(axis=1)), np.flatnonzero(filled.any(axis=0))
    if rows.size == 0:
        return art
    top, bottom = max(0, int(rows[0]) - margin_px), min(height, int(rows[-1]) + 1 + margin_px)
    left, right = max(0, int(columns[0]) - margin_px), min(width, int(columns[-1]) + 1 + margin_px)
    new_width, new_height = right - left, bottom - top

    def moved(box: BoxNorm) -> BoxNorm:
        x0 = (box[0] * width - left) / new_width
        y0 = (box[1] * height - top) / new_height
        return clip_box((x0, y0, box[2] * width / new_width, box[3] * height / new_height))

    return replace(
        art,
        rgba=np.ascontiguousarray(art.rgba[top:bottom, left:right]),
        parts=tuple(replace(part, box_norm=moved(part.box_norm)) for part in art.parts),
        body_norm=moved(art.body_norm),
    )


def clip_box(box: BoxNorm) -> BoxNorm:
    """The part of a box that lies inside the picture."""
    x0, y0 = min(max(box[0], 0.0), 1.0), min(max(box[1], 0.0), 1.0)
    x1, y1 = min(max(box[0] + box[2], 0.0), 1.0), min(max(box[1] + box[3], 0.0), 1.0)
    return (x0, y0, max(0.0, x1 - x0), max(0.0, y1 - y0))


def warp(art: Art, matrix: npt.NDArray[np.float64], width_px: int, height_px: int) -> Art:
    """The element seen through a homography from its own pixels to those of a new picture.

    The direction follows; boxes become the upright boxes around their four moved corners.
    """
    import cv2  # noqa: PLC0415 (keeps this module importable for readers of truth without OpenCV)

    height, width = art.rgba.shape[:2]
    premultiplied = art.rgba.astype(np.float32)
    premultiplied[:, :, :3] *= premultiplied[:, :, 3:] / 255.0
    moved = cv2.warpPerspective(premultiplied, matrix, (width_px, height_px), flags=cv2.INTER_AREA)
    alpha = moved[:, :, 3:]
    moved[:, :, :3] = np.where(alpha > 0.5, moved[:, :, :3] * 255.0 / np.maximum(alpha, 0.5), 0.0)

    def moved_box(box: BoxNorm) -> BoxNorm:
        corners = [
            (box[0] + dx * box[2], box[1] + dy * box[3]) for dx, dy in ((0, 0), (1, 0), (1, 1), (0, 1))
        ]
        points = apply(matrix, np.array(corners) * (width, height))
        low, high = points.min(axis=0), points.max(axis=0)
        size = (high - low) / (width_px, height_px)
        return clip_box((float(low[0]) / width_px, float(low[1]) / height_px, float(size[0]), float(size[1])))

    return replace(
        art,
        rgba=np.clip(np.rint(moved), 0, 255).astype(np.uint8),
        parts=tuple(replace(part, box_norm=moved_box(part.box_norm)) for part in art.parts),
        body_norm=moved_box(art.body_norm),
        direction_deg=turned(art.direction_deg, matrix, width, height),
    )


def turned(
    direction_deg: float | None, matrix: npt.NDArray[np.float64], width: int, height: int
) -> float | None:
    """A direction after a homography, measured at the middle of the picture."""
    if direction_deg is None:
        return None
    angle = np.deg2rad(direction_deg)
    reach = 0.25 * min(width, height)
    step = np.array([np.cos(angle), -np.sin(angle)]) * reach
    middle = np.array([width / 2, height / 2])
    start, end = apply(matrix, np.stack([middle - step, middle + step]))
    return float(np.rad2deg(np.arctan2(start[1] - end[1], end[0] - start[0])) % 360.0)


def apply(matrix: npt.NDArray[np.float64], points: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Points (n, 2) through a 3 x 3 homography."""
    lifted = np.concatenate([points, np.ones((len(points), 1))], axis=1) @ matrix.T
    moved: npt.NDArray[np.float64] = lifted[:, :2] / lifted[:, 2:]
    return moved


def solid_body(art: Art, threshold: int = 112) -> Art:
    """The body box taken from where the picture is solid: shadows and glows stay below 0.44 opacity."""
    rows = np.flatnonzero((art.rgba[:, :, 3] > threshold).any(axis=1))
    columns = np.flatnonzero((art.rgba[:, :, 3] > threshold).any(axis=0))
    if rows.size == 0:
        return art
    height, width = art.rgba.shape[:2]
    x0, x1, y0, y1 = int(columns[0]), int(columns[-1]) + 1, int(rows[0]), int(rows[-1]) + 1
    return replace(art, body_norm=(x0 / width, y0 / height, (x1 - x0) / width, (y1 - y0) / height))
