from __future__ import annotations

import cv2
import numpy as np
import pytest

from arwarden.fast.ocr.base import FloatArray
from arwarden.fast.ocr.textmap import find_quads


def map_with(*rectangles: tuple[int, int, int, int], value: float = 0.9) -> FloatArray:
    probability = np.zeros((96, 160), dtype=np.float32)
    for left, top, right, bottom in rectangles:
        probability[top:bottom, left:right] = value
    return probability


def test_an_empty_map_holds_no_line() -> None:
    assert find_quads(map_with(), 1280, 768) == []


def test_a_region_becomes_a_grown_rectangle_in_picture_pixels() -> None:
    (quad,) = find_quads(map_with((40, 30, 100, 40)), 1280, 768)
    # 60 x 10 in the map grows by 60 * 10 * 1.6 / 140 = 6.9 on each side, then by 8 to the picture.
    assert quad.shape == (4, 2)
    width, height = quad[1, 0] - quad[0, 0], quad[3, 1] - quad[0, 1]
    assert width == pytest.approx((60 + 13.7) * 8, abs=16)
    assert height == pytest.approx((10 + 13.7) * 8, abs=16)
    assert quad.mean(axis=0) == pytest.approx([70 * 8, 35 * 8], abs=12)


def test_corners_are_in_reading_order_for_a_slanted_line() -> None:
    probability = map_with()
    box = cv2.boxPoints(((80, 48), (80, 12), 20))
    cv2.fillPoly(probability, [box.astype(np.int32)], (0.9,))
    (quad,) = find_quads(probability, 160, 96)
    top_left, top_right, bottom_right, bottom_left = quad
    assert top_left[0] < top_right[0]
    assert bottom_left[0] < bottom_right[0]
    assert top_left[1] < bottom_left[1]
    slope = np.degrees(np.arctan2(top_right[1] - top_left[1], top_right[0] - top_left[0]))
    assert slope == pytest.approx(20, abs=3)


def test_specks_and_faint_regions_are_no_lines() -> None:
    assert find_quads(map_with((10, 10, 60, 11)), 160, 96) == []
    assert find_quads(map_with((10, 10, 60, 30), value=0.4), 160, 96) == []


def test_corners_stay_within_the_picture() -> None:
    for quad in find_quads(map_with((0, 0, 60, 20), (120, 80, 160, 96)), 320, 192):
        assert quad.min() >= 0
        assert (quad <= [320, 192]).all()


def test_two_regions_are_two_lines() -> None:
    assert len(find_quads(map_with((10, 10, 70, 20), (10, 50, 70, 60)), 160, 96)) == 2


def test_a_map_full_of_regions_has_a_bound() -> None:
    probability = np.zeros((800, 800), dtype=np.float32)
    for row in range(0, 800, 12):
        for column in range(0, 800, 12):
            probability[row : row + 6, column : column + 6] = 0.9
    assert len(find_quads(probability, 800, 800)) <= 1000
