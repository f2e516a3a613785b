"""From a text line in the picture to what the recogniser takes, and from its answer to text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import cv2
import numpy as np

from arwarden.core.frame import ByteImage
from arwarden.fast.ocr.base import FloatArray

ROW_HEIGHT_PX: Final = 48
"""The recogniser's fixed input height."""
MAX_ROW_WIDTH_PX: Final = 1920
"""About 80 characters. A longer line is squeezed, so that one line's cost has a bound."""
WIDTH_STEP_PX: Final = 32
"""Widths are padded to multiples: few distinct shapes keep onnxruntime's memory flat."""
TALL: Final = 1.5
"""Height to width from which a line is taken to run up or down instead of across."""


def cut_line(rgb: ByteImage, corners_px: FloatArray) -> ByteImage:
    """The line straightened to a rectangle of its own size; shape ``(height, width, 3)``.

    A line that runs up or down is not turned yet, see ``is_tall``.
    """
    top_left, top_right, bottom_right, bottom_left = corners_px
    width = max(1, round(max(_distance(top_left, top_right), _distance(bottom_left, bottom_right))))
    height = max(1, round(max(_distance(top_left, bottom_left), _distance(top_right, bottom_right))))
    target = np.array([[0, 0], [width, 0], [width, height], [0, height]], dtype=np.float32)
    matrix = cv2.getPerspectiveTransform(corners_px.astype(np.float32), target)
    cut = cv2.warpPerspective(
        rgb, matrix, (width, height), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE
    )
    return np.asarray(cut, dtype=np.uint8)


def is_tall(line: ByteImage) -> bool:
    """Whether the line runs up or down."""
    return bool(line.shape[0] >= TALL * line.shape[1])


def to_input(line: ByteImage) -> FloatArray:
    """The recogniser's input, shape ``(1, 3, 48, width)``, blue-green-red, -1..1, padded with 0."""
    height, width = line.shape[:2]
    scaled_width = min(max(round(width * ROW_HEIGHT_PX / height), 8), MAX_ROW_WIDTH_PX)
    shrinks = height > ROW_HEIGHT_PX
    row = cv2.resize(
        line, (scaled_width, ROW_HEIGHT_PX), interpolation=cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR
    )
    padded = -(-scaled_width // WIDTH_STEP_PX) * WIDTH_STEP_PX
    blob = np.zeros((1, 3, ROW_HEIGHT_PX, padded), dtype=np.float32)
    blob[0, :, :, :scaled_width] = to_planes(np.asarray(row, dtype=np.uint8))
    return blob


def to_planes(rgb: ByteImage) -> FloatArray:
    """Colour planes as both networks were trained: blue, green, red, each -1..1."""
    bgr = rgb[:, :, ::-1].transpose(2, 0, 1).astype(np.float32)
    bgr -= 127.5
    bgr *= 1 / 127.5
    return bgr


def decode(probabilities: FloatArray, alphabet: Sequence[str]) -> tuple[str, float]:
    """Greedy CTC decoding: text and mean confidence of its characters.

    ``probabilities`` has shape ``(steps, len(alphabet))``; entry 0 of the alphabet is the blank.
    """
    best = probabilities.argmax(axis=1)
    keep = best != 0
    keep[1:] &= best[1:] != best[:-1]
    if not keep.any():
        return "", 0.0
    text = "".join(alphabet[index] for index in best[keep])
    return text, float(probabilities.max(axis=1)[keep].mean())


def _distance(a: FloatArray, b: FloatArray) -> float:
    return float(np.hypot(a[0] - b[0], a[1] - b[1]))
