"""What a line of text is printed on: the colours of its ground and its ink, and where the ground ends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from arwarden.core.frame import ByteImage
from arwarden.fast.ocr.base import FloatArray

PATCH_PX: Final = (64, 16)
"""Width and height that a line is reduced to before its colours are told apart."""
SAME_GROUND: Final = 22.0
"""Largest distance in 8-bit Lab at which two grounds count as one; video noise and shading stay below 12."""
EDGE_SHARE: Final = 0.35
"""A step along the way between two lines counts as an edge from this share of the ink's contrast."""
WAY_SAMPLES: Final = 24


@dataclass(frozen=True, slots=True)
class Ink:
    """Colours of one line, 8-bit Lab, each of shape ``(3,)``."""

    ground: FloatArray
    ink: FloatArray

    @property
    def contrast(self) -> float:
        """Distance between ground and ink."""
        return float(np.linalg.norm(self.ground - self.ink))


def ink_of(rgb: ByteImage, corners_px: FloatArray) -> Ink:
    """The colours of the line within these corners: most of its area is ground, the rest is ink."""
    width, height = PATCH_PX
    target = np.array([[0, 0], [width, 0], [width, height], [0, height]], dtype=np.float32)
    matrix = cv2.getPerspectiveTransform(corners_px.astype(np.float32), target)
    patch = cv2.warpPerspective(
        rgb, matrix, PATCH_PX, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    lab = cv2.cvtColor(patch, cv2.COLOR_RGB2LAB)
    _, bright = cv2.threshold(lab[:, :, 0], 0, 1, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
    is_bright = bright.astype(bool)
    if is_bright.mean() < 0.5:
        is_bright = ~is_bright
    pixels = lab.astype(np.float32)
    ground = np.median(pixels[is_bright], axis=0)
    rest = pixels[~is_bright]
    ink = np.median(rest, axis=0) if len(rest) else ground
    return Ink(np.asarray(ground, dtype=np.float32), np.asarray(ink, dtype=np.float32))


def same_ground(first: Ink, second: Ink) -> bool:
    """Whether two lines may be printed on one surface: like grounds, and ink on the same side of them."""
    if float(np.linalg.norm(first.ground - second.ground)) > SAME_GROUND:
        return False
    return bool((first.ink[0] < first.ground[0]) == (second.ink[0] < second.ground[0]))


def ground_continues(rgb: ByteImage, ways_px: FloatArray, ink: Ink) -> bool:
    """Whether the ground goes on along at least one of some straight ways, without an edge across it.

    ``ways_px`` has shape ``(ways, 2, 2)``: start and end of each. An edge between two panels crosses all
    of them, the tail of a letter only one.
    """
    height, width = rgb.shape[:2]
    steps = np.linspace(0.0, 1.0, WAY_SAMPLES, dtype=np.float32)[None, :, None]
    points = ways_px[:, :1] + (ways_px[:, 1:] - ways_px[:, :1]) * steps
    columns = np.clip(points[..., 0].round().astype(int), 0, width - 1)
    rows = np.clip(points[..., 1].round().astype(int), 0, height - 1)
    lab = cv2.cvtColor(np.ascontiguousarray(rgb[rows, columns]), cv2.COLOR_RGB2LAB).astype(np.float32)
    away = np.linalg.norm(lab - ink.ground, axis=2).max(axis=1)
    return bool(away.min() <= max(SAME_GROUND, EDGE_SHARE * ink.contrast))
