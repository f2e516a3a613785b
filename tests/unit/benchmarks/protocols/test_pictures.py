from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from arwarden.core.frame import ArrayPicture
from benchmarks.protocols.data import UnusableData
from benchmarks.protocols.pictures import ClassicalMeasure, value_of

AMOUNTS = (
    ClassicalMeasure.RMS_CONTRAST,
    ClassicalMeasure.LIGHTNESS_CONTRAST,
    ClassicalMeasure.COLOURFULNESS,
)


def picture(*columns: tuple[int, int, int]) -> ArrayPicture:
    """Vertical bars of equal width."""
    return ArrayPicture(np.repeat(np.array(columns, dtype=np.uint8)[None], 48, axis=0).repeat(24, axis=1))


GREY = picture((128, 128, 128))
BLACK_AND_WHITE = picture((0, 0, 0), (255, 255, 255))
COLOURS = picture((255, 0, 0), (0, 0, 255))


def test_contrast_of_black_and_white() -> None:
    assert value_of(BLACK_AND_WHITE, ClassicalMeasure.RMS_CONTRAST) == pytest.approx(0.5)
    assert value_of(BLACK_AND_WHITE, ClassicalMeasure.LIGHTNESS_CONTRAST) == pytest.approx(50.0, abs=0.1)


@pytest.mark.parametrize("which", AMOUNTS)
def test_a_grey_picture_has_nothing(which: ClassicalMeasure) -> None:
    assert value_of(GREY, which) == pytest.approx(0.0, abs=1e-3)


def test_lightness_is_perceptual() -> None:
    dark, light = picture((20, 20, 20), (60, 60, 60)), picture((200, 200, 200), (240, 240, 240))
    assert value_of(dark, ClassicalMeasure.RMS_CONTRAST) == pytest.approx(
        value_of(light, ClassicalMeasure.RMS_CONTRAST)
    )
    # L* of these greys: 6.3 and 25.3 against 80.6 and 94.8
    assert value_of(dark, ClassicalMeasure.LIGHTNESS_CONTRAST) == pytest.approx(9.4, abs=0.3)
    assert value_of(light, ClassicalMeasure.LIGHTNESS_CONTRAST) == pytest.approx(7.1, abs=0.3)


def test_what_is_blurred_noisy_or_in_blocks_is_worse() -> None:
    rng = np.random.default_rng(1)
    clean = np.full((96, 96), 100, np.uint8)
    clean[:, 40:60] = 180
    blurred = np.asarray(cv2.GaussianBlur(clean, (0, 0), 4), dtype=np.uint8)
    noisy = np.clip(clean + rng.normal(0, 12, clean.shape), 0, 255).astype(np.uint8)
    blocks = (np.kron(rng.integers(90, 160, (12, 12)), np.ones((8, 8)))).astype(np.uint8)

    def of(grey: npt.NDArray[np.uint8], which: ClassicalMeasure) -> float:
        return value_of(ArrayPicture(np.repeat(grey[..., None], 3, axis=2)), which)

    assert of(blurred, ClassicalMeasure.SHARPNESS) < of(clean, ClassicalMeasure.SHARPNESS) < 0
    assert of(noisy, ClassicalMeasure.LITTLE_NOISE) < of(clean, ClassicalMeasure.LITTLE_NOISE) <= 0
    assert of(blocks, ClassicalMeasure.FEW_BLOCKS) < of(clean, ClassicalMeasure.FEW_BLOCKS)


def test_what_gives_no_ground_for_a_measure_is_said() -> None:
    with pytest.raises(UnusableData, match="sharpness: the picture gives no ground"):
        value_of(GREY, ClassicalMeasure.SHARPNESS)


def test_a_picture_of_one_pixel_is_measured() -> None:
    tiny = ArrayPicture(np.zeros((1, 1, 3), dtype=np.uint8))
    assert [value_of(tiny, which) for which in AMOUNTS] == [0.0, 0.0, 0.0]
