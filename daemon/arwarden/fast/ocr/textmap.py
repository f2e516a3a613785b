"""From the detector's map of text probability to the corners of text lines.

Differentiable binarization (Liao et al., AAAI 2020, section 3.4): threshold, connected regions, the
smallest rotated rectangle around each, kept when its mean probability is high enough, and grown by
``area * ratio / perimeter`` because the network is trained to predict shrunken regions. For a
rectangle that growth is exact without a polygon library.
"""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np

from arwarden.fast.ocr.base import FloatArray

PIXEL_THRESHOLD: Final = 0.3
BOX_THRESHOLD: Final = 0.5
GROWTH: Final = 1.6
MIN_SIDE_PX: Final = 3
"""In pixels of the map: thinner regions are specks."""
MAX_REGIONS: Final = 1000
_JOIN = np.ones((2, 2), dtype=np.uint8)


def find_quads(probability: FloatArray, width_px: int, height_px: int) -> list[FloatArray]:
    """Corners of the text lines, each of shape ``(4, 2)``, in pixels of a picture of the given size.

    ``probability`` has shape ``(rows, columns)`` and values 0..1. Corners are in the order of
    ``arwarden.fast.ocr.base.Quad`` and lie within the picture.
    """
    rows, columns = probability.shape
    mask = cv2.dilate((probability > PIXEL_THRESHOLD).astype(np.uint8), _JOIN)
    contours, _ = cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
    scale = np.array([width_px / columns, height_px / rows], dtype=np.float32)
    limit = np.array([width_px, height_px], dtype=np.float32)
    quads: list[FloatArray] = []
    for contour in contours[:MAX_REGIONS]:
        centre, (along, across), angle = cv2.minAreaRect(contour)
        if min(along, across) < MIN_SIDE_PX:
            continue
        core = np.asarray(cv2.boxPoints((centre, (along, across), angle)), dtype=np.float32)
        if _mean_inside(probability, core) < BOX_THRESHOLD:
            continue
        grow = along * across * GROWTH / (along + across)
        grown = np.asarray(cv2.boxPoints((centre, (along + grow, across + grow), angle)), dtype=np.float32)
        quads.append(np.clip(_in_reading_order(grown * scale), 0, limit).astype(np.float32))
    return quads


def _mean_inside(probability: FloatArray, corners: FloatArray) -> float:
    rows, columns = probability.shape
    left, top = np.clip(np.floor(corners.min(axis=0)), 0, [columns - 1, rows - 1]).astype(int)
    right, bottom = np.clip(np.ceil(corners.max(axis=0)), 0, [columns - 1, rows - 1]).astype(int)
    mask = np.zeros((bottom - top + 1, right - left + 1), dtype=np.uint8)
    cv2.fillPoly(mask, [(corners - [left, top]).astype(np.int32)], (1.0,))
    return float(cv2.mean(probability[top : bottom + 1, left : right + 1], mask)[0])


def _in_reading_order(corners: FloatArray) -> FloatArray:
    """Top left, top right, bottom right, bottom left, for rectangles turned by less than 45 degrees."""
    by_x = corners[np.argsort(corners[:, 0], kind="stable")]
    left = by_x[:2][np.argsort(by_x[:2, 1], kind="stable")]
    right = by_x[2:][np.argsort(by_x[2:, 1], kind="stable")]
    return np.stack([left[0], right[0], right[1], left[1]])
