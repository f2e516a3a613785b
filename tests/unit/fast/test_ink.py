from __future__ import annotations

import numpy as np
import pytest

from arwarden.core.frame import ByteImage
from arwarden.fast.ink import Ink, ground_continues, ink_of, same_ground
from arwarden.fast.ocr.base import FloatArray


def striped(ground: tuple[int, int, int], ink: tuple[int, int, int], share: float = 0.3) -> ByteImage:
    picture = np.full((40, 200, 3), ground, dtype=np.uint8)
    for x in range(0, 200, 20):
        picture[:, x : x + int(20 * share)] = ink
    return picture


def whole(picture: ByteImage) -> FloatArray:
    height, width = picture.shape[:2]
    return np.array([[0, 0], [width, 0], [width, height], [0, height]], dtype=np.float32)


def ink(ground: tuple[int, int, int], letters: tuple[int, int, int]) -> Ink:
    picture = striped(ground, letters)
    return ink_of(picture, whole(picture))


def test_the_larger_part_is_the_ground() -> None:
    dark_on_light = ink((240, 240, 240), (10, 10, 10))
    assert dark_on_light.ground[0] > 220
    assert dark_on_light.ink[0] < 60
    light_on_dark = ink((10, 10, 10), (240, 240, 240))
    assert light_on_dark.ground[0] < 40
    assert light_on_dark.ink[0] > 180


def test_a_plain_patch_has_no_contrast() -> None:
    picture = np.full((20, 60, 3), 90, dtype=np.uint8)
    assert ink_of(picture, whole(picture)).contrast == 0


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        pytest.param(((160, 245, 180), (0, 0, 0)), ((150, 238, 175), (20, 20, 20)), True, id="shaded"),
        pytest.param(((160, 245, 180), (0, 0, 0)), ((150, 200, 235), (0, 0, 0)), False, id="other_colour"),
        pytest.param(
            ((128, 128, 128), (0, 0, 0)), ((128, 128, 128), (255, 255, 255)), False, id="inverted_ink"
        ),
    ],
)
def test_same_ground(
    first: tuple[tuple[int, int, int], tuple[int, int, int]],
    second: tuple[tuple[int, int, int], tuple[int, int, int]],
    same: bool,
) -> None:
    assert same_ground(ink(*first), ink(*second)) is same


def ways(*columns: int) -> FloatArray:
    return np.array([[[x, 5], [x, 95]] for x in columns], dtype=np.float32)


def test_ground_without_an_edge_continues() -> None:
    surface = ink((200, 200, 200), (0, 0, 0))
    picture = np.full((100, 100, 3), 200, dtype=np.uint8)
    assert ground_continues(picture, ways(20, 50, 80), surface)
    picture[40:60, 10:60] = 0
    assert ground_continues(picture, ways(20, 50, 80), surface)
    picture[40:60] = 0
    assert not ground_continues(picture, ways(20, 50, 80), surface)


def test_a_faint_edge_on_a_ground_of_strong_contrast_is_shading() -> None:
    surface = ink((200, 200, 200), (0, 0, 0))
    picture = np.full((100, 100, 3), 200, dtype=np.uint8)
    picture[40:60] = 160
    assert ground_continues(picture, ways(50), surface)


def test_ways_outside_the_picture_are_cut_to_it() -> None:
    surface = ink((200, 200, 200), (0, 0, 0))
    picture = np.full((100, 100, 3), 200, dtype=np.uint8)
    outside = np.array([[[-50, -50], [300, 300]]], dtype=np.float32)
    assert ground_continues(picture, outside, surface)
