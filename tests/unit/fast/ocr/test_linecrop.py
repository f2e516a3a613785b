from __future__ import annotations

import numpy as np
import pytest

from arwarden.fast.ocr import linecrop
from arwarden.fast.ocr.base import FloatArray


def corners(*points: tuple[float, float]) -> FloatArray:
    return np.array(points, dtype=np.float32)


def test_a_slanted_line_is_straightened() -> None:
    picture = np.zeros((100, 200, 3), dtype=np.uint8)
    picture[:, :100] = 200
    cut = linecrop.cut_line(picture, corners((20, 20), (180, 40), (176, 70), (16, 50)))
    assert cut.shape == (30, 161, 3)
    assert cut[:, :60].mean() > 190
    assert cut[:, 110:].mean() < 10


def test_a_line_without_extent_is_cut_to_a_pixel() -> None:
    cut = linecrop.cut_line(np.zeros((10, 10, 3), dtype=np.uint8), corners((5, 5), (5, 5), (5, 5), (5, 5)))
    assert cut.shape == (1, 1, 3)


@pytest.mark.parametrize(("shape", "tall"), [((48, 48), False), ((60, 40), True), ((59, 40), False)])
def test_lines_that_run_down_are_told_by_their_shape(shape: tuple[int, int], tall: bool) -> None:
    assert linecrop.is_tall(np.zeros((*shape, 3), dtype=np.uint8)) is tall


@pytest.mark.parametrize(
    ("height", "width", "expected"),
    [(48, 100, 128), (96, 200, 128), (24, 16, 32), (48, 1, 32), (4, 5000, 1920), (1, 1, 64)],
)
def test_input_width_is_padded_and_bounded(height: int, width: int, expected: int) -> None:
    blob = linecrop.to_input(np.full((height, width, 3), 255, dtype=np.uint8))
    assert blob.shape == (1, 3, 48, expected)
    assert blob.dtype == np.float32
    assert blob.max() == pytest.approx(1.0)
    assert blob.min() >= -1.0


def test_planes_are_blue_green_red() -> None:
    red = np.zeros((2, 2, 3), dtype=np.uint8)
    red[:, :, 0] = 255
    planes = linecrop.to_planes(red)
    assert planes[:, 0, 0].tolist() == pytest.approx([-1.0, -1.0, 1.0])


def steps(*best: tuple[int, float]) -> FloatArray:
    table = np.zeros((len(best), 4), dtype=np.float32)
    for row, (index, probability) in enumerate(best):
        table[row, index] = probability
    return table


def test_decoding_joins_repeats_and_drops_blanks() -> None:
    text, confidence = linecrop.decode(
        steps((0, 1.0), (1, 0.8), (1, 0.9), (0, 1.0), (1, 0.6), (3, 1.0), (2, 0.4)), ["", "o", "n", " "]
    )
    assert text == "oo n"
    assert confidence == pytest.approx((0.8 + 0.6 + 1.0 + 0.4) / 4)


def test_nothing_but_blanks_is_no_text() -> None:
    assert linecrop.decode(steps((0, 1.0), (0, 1.0)), ["", "o", "n", " "]) == ("", 0.0)
