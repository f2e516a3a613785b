"""What a line of text looked like when it was read, and whether it looks the same now.

"locked" and "unlocked", "3" and "8" differ in few pixels, while the same line moves, turns, is lit
and compressed differently in every frame. So two looks are aligned first, by points that are
followed from one to the other (Lucas and Kanade, IJCAI 1981) and a homography through most of them,
then made equally bright, and then judged by the window of about one letter that differs most.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import cv2
import numpy as np

from arwarden.core.frame import ByteImage
from arwarden.fast.ocr.base import FloatArray
from arwarden.fast.tracking.novelty import corners_in

HEIGHT_PX: Final = 40
"""Height of a line in a look, margin included. Letters are then about 20 px high."""
MARGIN: Final = 0.12
"""So much of its height is kept around a line: room to align in."""
WIDTHS_PX: Final = (24, 640)
MOST_POINTS: Final = 60
LEAST_POINTS: Final = 6
LEAST_INLIERS: Final = 0.5
"""Share of the points that agree on one map; fewer do when the letters have changed."""
LETTER_PX: Final = 9
"""Side of the window that decides: half a letter, so that what surrounds it does not water it down."""
CHANGED: Final = 0.5
"""Root-mean-square difference in the window that differs most, in standard deviations of the look.
Measured on panels of 16 to 40 px letters, moved, turned, blurred and compressed: the same line 0.2, 99 of
100 below 0.45; one other letter ("3" and "8", "0" and "O") at least 0.8. In the recording 0.06 to 0.28."""
MAX_MOVE: Final = 0.5
"""A map that moves the corners by more than this share of the height is no small correction."""
SOFT_PX: Final = 1.0
"""Both are softened so much: a camera is never in focus equally twice."""
FLAT: Final = 3.0
"""Grey levels of standard deviation below which nothing can be recognised."""
_WINDOW: Final = (15, 15)


@dataclass(frozen=True, slots=True)
class Look:
    """A line straightened to ``HEIGHT_PX``, in grey levels, with the points to recognise it by."""

    grey: ByteImage
    """Shape ``(HEIGHT_PX, width)``."""
    points: FloatArray
    """Shape ``(n, 1, 2)``."""
    spread: float
    """Standard deviation of the grey levels: what a difference is measured against."""


@dataclass(frozen=True, slots=True)
class Likeness:
    """How a look compares with an earlier one of the same line."""

    same: bool
    difference: float
    """In standard deviations of the earlier look; infinite where the two cannot be aligned."""
    move: FloatArray | None = None
    """The ``(3, 3)`` map from the earlier look to this one, where they are the same."""


def quad_px(quad: object, width_px: int, height_px: int) -> FloatArray:
    """Corners in pixels, shape ``(4, 2)``, of a normalised quad."""
    return np.asarray(quad, dtype=np.float32) * np.array([width_px, height_px], dtype=np.float32)


def look_width(corners_px: FloatArray) -> int:
    """Width of the look of a line with these corners."""
    across = np.linalg.norm(corners_px[1] - corners_px[0]) + np.linalg.norm(corners_px[2] - corners_px[3])
    down = np.linalg.norm(corners_px[3] - corners_px[0]) + np.linalg.norm(corners_px[2] - corners_px[1])
    width = round(HEIGHT_PX * float(across) / max(float(down), 1.0))
    return int(min(max(width, WIDTHS_PX[0]), WIDTHS_PX[1]))


def cut(luma: ByteImage, corners_px: FloatArray, width: int) -> ByteImage:
    """The line as a look shows it, from a brightness plane; shape ``(HEIGHT_PX, width)``."""
    matrix = _to_look(corners_px, width)
    flags = cv2.INTER_LINEAR
    found = cv2.warpPerspective(
        luma, matrix, (width, HEIGHT_PX), flags=flags, borderMode=cv2.BORDER_REPLICATE
    )
    return np.asarray(found, dtype=np.uint8)


def look(luma: ByteImage, corners_px: FloatArray) -> Look:
    """Take note of a line in a brightness plane of shape ``(height, width)``."""
    grey = cut(luma, corners_px, look_width(corners_px))
    return Look(grey, corners_in(grey, MOST_POINTS, 0.02, 3), float(_band(grey).std()))


def compare(before: Look, luma: ByteImage, corners_px: FloatArray) -> Likeness:
    """Whether the line that lies about there still looks as it did."""
    strange = Likeness(same=False, difference=float("inf"))
    if len(before.points) < LEAST_POINTS or before.spread < FLAT:
        return strange
    height, width = before.grey.shape
    now = cut(luma, corners_px, width)
    move = _align(before, now)
    if move is None or not _small(move, width, height):
        return strange
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    aligned = cv2.warpPerspective(now, move, (width, height), flags=flags, borderMode=cv2.BORDER_REPLICATE)
    difference = _difference(before, np.asarray(aligned, dtype=np.uint8))
    return Likeness(difference <= CHANGED, difference, move)


def moved(corners_px: FloatArray, before: Look, move: FloatArray) -> FloatArray:
    """The corners corrected by what aligning the look has found; shape ``(4, 2)``."""
    matrix = _to_look(corners_px, before.grey.shape[1])
    there = cv2.perspectiveTransform(corners_px[None].astype(np.float32), matrix)[0]
    shifted = cv2.perspectiveTransform(there[None], move)
    back = cv2.perspectiveTransform(shifted, np.linalg.inv(matrix))[0]
    return np.asarray(back, dtype=np.float32)


def sharpness(line: Look) -> float:
    """How crisp the letters are: mean size of the gradient against the spread, about 0 to 1."""
    across = cv2.absdiff(line.grey[:, 1:], line.grey[:, :-1])
    return float(across.mean()) / max(line.spread, 1.0)


def _to_look(corners_px: FloatArray, width: int) -> Any:  # noqa: ANN401 - cv2 has no name for its matrices
    edge = MARGIN * HEIGHT_PX
    target = np.array(
        [
            [edge, edge],
            [width - edge, edge],
            [width - edge, HEIGHT_PX - edge],
            [edge, HEIGHT_PX - edge],
        ],
        dtype=np.float32,
    )
    return cv2.getPerspectiveTransform(corners_px.astype(np.float32), target)


def _align(before: Look, now: ByteImage) -> FloatArray | None:
    guess = before.points.copy()
    found, status, _ = cv2.calcOpticalFlowPyrLK(
        before.grey, now, before.points, guess, winSize=_WINDOW, maxLevel=2
    )
    kept = status.ravel().astype(bool)
    if kept.sum() < LEAST_POINTS:
        return None
    matrix, inliers = cv2.findHomography(before.points[kept], found[kept], cv2.RANSAC, 1.0, maxIters=200)
    if matrix is None or inliers.sum() < max(LEAST_POINTS, LEAST_INLIERS * len(before.points)):
        return None
    return np.asarray(matrix, dtype=np.float32)


def _small(move: FloatArray, width: int, height: int) -> bool:
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], dtype=np.float32)
    away = np.abs(cv2.perspectiveTransform(corners[None], move)[0] - corners).max()
    return bool(away <= MAX_MOVE * height)


def _difference(before: Look, aligned: ByteImage) -> float:
    """Of the window that differs most, after both are made equally bright and a little soft."""
    old = cv2.GaussianBlur(before.grey, (0, 0), SOFT_PX).astype(np.float32)
    new = cv2.GaussianBlur(aligned, (0, 0), SOFT_PX).astype(np.float32)
    x, y = new - new.mean(), old - old.mean()
    power = float((x * x).sum())
    gain = float((x * y).sum()) / power if power > 0 else 0.0
    residual = y - gain * x
    windows = cv2.boxFilter(residual * residual, -1, (LETTER_PX, LETTER_PX), borderType=cv2.BORDER_REFLECT)
    return float(np.sqrt(windows.max())) / max(float(_band(old).std()), 1.0)


def _band(image: FloatArray | ByteImage) -> FloatArray | ByteImage:
    """The rows where the letters are.

    A line's corners leave room above and below; what shows there lies behind the panel and is no measure
    of the letters' contrast.
    """
    return image[HEIGHT_PX // 4 : HEIGHT_PX - HEIGHT_PX // 4]
