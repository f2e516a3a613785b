"""Classical measures as judges of pictures: the baseline that every model has to beat.

RMS contrast (Peli 1990), colourfulness M3 (Hasler and Süsstrunk 2003), sharpness, noise and coding blocks are
those of the fast tier; the spread of CIE L* is here only.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

import cv2
import numpy as np

from arwarden.core.frame import Picture
from arwarden.fast.quality.measures import (
    BLOCKINESS,
    COLOURFULNESS,
    CONTRAST,
    EDGE_WIDTH,
    NOISE,
    STATISTICS_SIDE_PX,
    measure,
)
from benchmarks.protocols.data import UnusableData

VERSION: Final = "measure@2"


class ClassicalMeasure(StrEnum):
    """A measure, and with it a judge of pairs: the picture with the higher value has more of it."""

    RMS_CONTRAST = "rms_contrast"
    LIGHTNESS_CONTRAST = "lightness_contrast"
    COLOURFULNESS = "colourfulness"
    SHARPNESS = "sharpness"
    """Narrow edges."""
    LITTLE_NOISE = "little_noise"
    FEW_BLOCKS = "few_blocks"
    """Little of the grid that coding leaves."""


_OF_THE_FAST_TIER: Final = {
    ClassicalMeasure.RMS_CONTRAST: (CONTRAST, 1),
    ClassicalMeasure.COLOURFULNESS: (COLOURFULNESS, 1),
    ClassicalMeasure.SHARPNESS: (EDGE_WIDTH, -1),
    ClassicalMeasure.LITTLE_NOISE: (NOISE, -1),
    ClassicalMeasure.FEW_BLOCKS: (BLOCKINESS, -1),
}
"""Name there, and -1 where less of it is better."""


def value_of(picture: Picture, which: ClassicalMeasure) -> float:
    """RMS contrast (0 to 0.5, of luma), SD of L* (0 to 50), M3 (0 grey, 33 moderate, above 80 strong).

    Of what is better the less there is, the negative: width of edges in px, levels of noise, strength of
    blocks.

    Raises:
        UnusableData: the picture gives no ground for the measure, such as one without an edge for sharpness.
    """
    if which is ClassicalMeasure.LIGHTNESS_CONTRAST:
        rgb = picture.rgb()
        step = max(1, -(-max(rgb.shape[:2]) // STATISTICS_SIDE_PX))
        pixels = np.ascontiguousarray(rgb[::step, ::step]).astype(np.float32) / 255
        return float(cv2.cvtColor(pixels, cv2.COLOR_RGB2LAB)[..., 0].std())
    values = {found.name: found.value for found in measure(picture)}
    name, sign = _OF_THE_FAST_TIER[which]
    if name not in values:
        raise UnusableData(which.value, "the picture gives no ground for it")
    return sign * values[name]
