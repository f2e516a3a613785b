from __future__ import annotations

import cv2
import numpy as np
import pytest

from arwarden.core.frame import ByteImage
from arwarden.fast.tracking.patches import likeness, patch

BOX = (100.0, 100.0, 180.0, 180.0)


def picture(*, turned: bool = False, gain: float = 1.0, seed: int = 1) -> ByteImage:
    """An arrow head on a plate, with noise."""
    image = np.full((300, 300), 70, np.uint8)
    cv2.rectangle(image, (100, 100), (180, 180), 220, -1)
    tip = 110 if turned else 170
    cv2.fillPoly(image, [np.array([[280 - tip, 115], [tip, 140], [280 - tip, 165]])], 20)
    noisy = image * gain + np.random.default_rng(seed).normal(0, 4, image.shape)
    return np.clip(noisy, 0, 255).astype(np.uint8)


def alike(before: ByteImage, now: ByteImage, box: tuple[float, float, float, float] = BOX) -> float:
    first, second = patch(before, BOX), patch(now, box)
    assert first is not None
    assert second is not None
    return likeness(first, second)


@pytest.mark.parametrize("gain", [0.7, 1.0, 1.1])
def test_the_same_element_in_other_light(gain: float) -> None:
    assert alike(picture(), picture(gain=gain, seed=2)) > 0.95


@pytest.mark.parametrize("shift", [(5.0, -4.0), (-6.0, 6.0)])
def test_a_box_that_jitters(shift: tuple[float, float]) -> None:
    x, y = shift
    assert alike(picture(), picture(seed=2), (100 + x, 100 + y, 180 + x, 180 + y)) > 0.8


def test_another_element_in_its_place() -> None:
    assert alike(picture(), picture(turned=True, seed=2)) < 0.6


def test_nothing_to_compare() -> None:
    flat = np.full((300, 300), 90, np.uint8)
    assert alike(flat, flat.copy()) == 1.0
    assert alike(flat, np.full((300, 300), 190, np.uint8)) == 0.0


@pytest.mark.parametrize("box", [(400.0, 0.0, 500.0, 80.0), (-90.0, 10.0, 0.5, 80.0), (5.0, 5.0, 5.4, 90.0)])
def test_a_box_outside_or_without_area(box: tuple[float, float, float, float]) -> None:
    assert patch(picture(), box) is None
