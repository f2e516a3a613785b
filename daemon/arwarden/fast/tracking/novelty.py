"""How the camera has moved since a picture, and whether anything is new besides that.

Points spread over a small version of the picture are followed to the next one; a homography through most
of them is the camera's motion, wherever the scene is far away or flat enough. What differs after that
motion is taken out is new: a panel has appeared, gone or changed, or the camera sees past an edge.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from arwarden.core.frame import ByteImage
from arwarden.fast.ocr.base import FloatArray

LONGER_SIDE_PX: Final = 320
MOST_POINTS: Final = 120
LEAST_POINTS: Final = 12
LEAST_INLIERS: Final = 0.4
TILE_PX: Final = 8
NEW_TILE: Final = 12.0
"""Root-mean-square grey levels, after softening, in a tile that count as something new."""
EDGE_TOLERANCE: Final = 0.45
"""Share of a tile's own contrast that is put down to inexact motion and blur, not to something new."""
NEW_TILES: Final = 3
"""Tiles that must be new: 24 px of a 320 px picture, a word of 20 px letters at 720p."""
UNSEEN_SHARE: Final = 0.1
"""Share of the picture past the former edges from which it has to be looked at for that alone."""
EDGE_TILES: Final = 1.0
"""Half the width of an edge, in tiles: 8 of 320 px, 32 of 1280 px."""
_WINDOW: Final = (15, 15)

BoolArray = npt.NDArray[np.bool_]
BoxNorm = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Scenery:
    """What is kept of a picture to compare later ones with."""

    grey: ByteImage
    soft: FloatArray
    points: FloatArray


@dataclass(frozen=True, slots=True)
class Motion:
    """From an earlier picture to a later one."""

    homography: FloatArray
    """Shape ``(3, 3)``, in normalised image coordinates."""
    new: BoolArray
    """The tiles of the later picture, shape ``(rows, columns)``: True where it shows something new."""
    unseen: float
    """Share of the later picture that the earlier one did not show, 0..1."""

    @property
    def new_tiles(self) -> int:
        """How many tiles show something new."""
        return int(self.new.sum())

    @property
    def something_new(self) -> bool:
        """Whether there may be text that the earlier picture did not show."""
        return self.new_tiles >= NEW_TILES or self.unseen > UNSEEN_SHARE

    def without(self, known: Sequence[BoxNorm], edges: Sequence[BoxNorm]) -> Motion:
        """The same without what is new within some boxes, and along the edges of others.

        Boxes are left, top, right and bottom in shares of the picture. What is known to be unchanged is not
        new; and a panel nearer than the scene behind it moves otherwise, which shows along its edges.
        """
        mask = np.zeros(self.new.shape, np.uint8)
        for box in edges:
            outer, inner = _tiles_of(box, mask.shape, EDGE_TILES), _tiles_of(box, mask.shape, -EDGE_TILES)
            within = mask[inner].copy()
            mask[outer] = 1
            mask[inner] = within
        for box in known:
            mask[_tiles_of(box, mask.shape, EDGE_TILES)] = 1
        return replace(self, new=self.new & (mask == 0))


def shrink(luma: ByteImage) -> ByteImage:
    """The brightness plane with a longer side of at most ``LONGER_SIDE_PX``."""
    height, width = luma.shape
    scale = min(1.0, LONGER_SIDE_PX / max(height, width))
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    return np.asarray(cv2.resize(luma, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)


def scenery(small: ByteImage) -> Scenery:
    """Take note of a picture made by ``shrink``."""
    return Scenery(small, _soft(small), corners_in(small, MOST_POINTS, 0.01, 8))


def motion(before: Scenery, now: ByteImage) -> Motion | None:
    """How the picture has moved; None where that cannot be told: another scene, darkness, a fast turn."""
    if before.grey.shape != now.shape:
        return None
    moved = _follow(before, now)
    if moved is None:
        return None
    height, width = now.shape
    flags = cv2.INTER_LINEAR
    was = cv2.warpPerspective(before.soft, moved, (width, height), flags=flags)
    shown = np.ones((height, width), np.uint8)
    known = cv2.warpPerspective(shown, moved, (width, height), flags=cv2.INTER_NEAREST)
    known = cv2.erode(known, np.ones((5, 5), np.uint8), borderType=cv2.BORDER_REPLICATE)
    new = _new_tiles(np.asarray(was, dtype=np.float32), _soft(now), known.astype(bool))
    scale = np.diag([width, height, 1.0]).astype(np.float32)
    normalised = np.linalg.inv(scale) @ moved @ scale
    return Motion(np.asarray(normalised, dtype=np.float32), new, 1.0 - float(known.mean()))


def corners_in(grey: ByteImage, most: int, quality: float, apart_px: int) -> FloatArray:
    """Points that can be followed, shape ``(n, 1, 2)``; none on a bare ground."""
    # Typed as always returning an array, it returns None where there is no corner at all.
    points: FloatArray | None = cv2.goodFeaturesToTrack(grey, most, quality, apart_px)  # type: ignore[assignment]
    return np.zeros((0, 1, 2), np.float32) if points is None else points


def _follow(before: Scenery, now: ByteImage) -> FloatArray | None:
    still = np.eye(3, dtype=np.float32)
    if float(cv2.norm(before.grey, now, cv2.NORM_L1)) / now.size < 0.5:
        return still
    if len(before.points) < LEAST_POINTS:
        # A bare wall has nothing to follow; what appears on it is new wherever the camera looks.
        return still
    guess = before.points.copy()
    found, status, _ = cv2.calcOpticalFlowPyrLK(
        before.grey, now, before.points, guess, winSize=_WINDOW, maxLevel=3
    )
    kept = status.ravel().astype(bool)
    if kept.sum() < LEAST_POINTS:
        return None
    matrix, inliers = cv2.findHomography(before.points[kept], found[kept], cv2.RANSAC, 1.0, maxIters=300)
    if matrix is None or inliers.sum() < LEAST_INLIERS * len(before.points):
        return None
    return np.asarray(matrix, dtype=np.float32)


def _soft(small: ByteImage) -> FloatArray:
    return np.asarray(cv2.GaussianBlur(small, (0, 0), 1.0), dtype=np.float32)


def _new_tiles(was: FloatArray, now: FloatArray, known: BoolArray) -> BoolArray:
    inside = was[known]
    if inside.size == 0:
        return np.zeros(_tiles(was).shape, np.bool_)
    # The camera's exposure may have changed over the whole picture.
    offset = float(np.median(now[known] - inside))
    difference = np.where(known, now - was - offset, 0.0).astype(np.float32)
    energy = np.sqrt(_tiles(difference * difference))
    contrast = np.sqrt(np.maximum(_tiles(was * was) - _tiles(was) ** 2, 0.0))
    return np.asarray(energy > NEW_TILE + EDGE_TOLERANCE * contrast, dtype=np.bool_)


def _tiles_of(box: BoxNorm, shape: tuple[int, ...], room: float) -> tuple[slice, slice]:
    """The tiles of a box with some room around it; none where a negative room leaves nothing."""
    rows, columns = shape
    top, bottom = round(box[1] * rows - room), round(box[3] * rows + room)
    left, right = round(box[0] * columns - room), round(box[2] * columns + room)
    return slice(max(top, 0), max(bottom, top, 0)), slice(max(left, 0), max(right, left, 0))


def _tiles(values: FloatArray) -> FloatArray:
    height, width = values.shape
    size = (max(1, width // TILE_PX), max(1, height // TILE_PX))
    return np.asarray(cv2.resize(values, size, interpolation=cv2.INTER_AREA), dtype=np.float32)
