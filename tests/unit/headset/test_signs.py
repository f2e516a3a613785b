"""Arrows, signs and flags: they point, differ and keep their proportions."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from arwarden.headset.panels import Sprite
from arwarden.headset.signs import FLAGS, SIGNS, arrow_sprite, flag_sprite, sign_sprite


def picture(sprite: Sprite) -> np.ndarray:
    """The sprite on grey."""
    rgb = np.full((sprite.height_px, sprite.width_px, 3), 128, np.uint8)
    sprite.blend(rgb, 0, 0)
    return rgb


def opacity(sprite: Sprite) -> np.ndarray:
    return 255 - sprite.through[:, :, 0].astype(int)


@pytest.mark.parametrize(
    ("pointing", "axis", "tip_first"),
    [("left", 1, True), ("right", 1, False), ("up", 0, True), ("down", 0, False)],
)
def test_the_head_of_an_arrow_is_where_it_points(pointing: str, axis: int, tip_first: bool) -> None:
    solid = opacity(arrow_sprite(pointing, "Exit", 30, 300)) > 127
    across = solid.sum(axis=1 - axis)
    tip, tail = (across[: across.size // 8], across[-across.size // 8 :])
    if not tip_first:
        tip, tail = tail, tip
    # The tip is narrow, the shaft behind is as wide throughout.
    assert tip.min() < 0.3 * tail.max()
    assert across.max() > 1.3 * np.median(tail[tail > 0])


def test_an_arrow_grows_with_its_text_and_breaks_it() -> None:
    short, long = (arrow_sprite("left", text, 30, 200) for text in ("Exit", "Exit to the main station"))
    assert long.height_px > short.height_px
    assert long.width_px < 400


def test_flags_differ_and_are_two_to_three() -> None:
    pictures = {country: picture(flag_sprite(country, 60)) for country in FLAGS}
    assert all(rgb.shape == (60, 90, 3) for rgb in pictures.values())
    for one, other in itertools.combinations(pictures.values(), 2):
        assert np.abs(one.astype(int) - other.astype(int)).mean() > 5


def test_stripes_lie_as_they_should() -> None:
    france, netherlands = (picture(flag_sprite(country, 60)) for country in ("FR", "NL"))
    blue, red = france[30, 10].astype(int), france[30, 80].astype(int)
    assert blue[2] > blue[0]
    assert red[0] > red[2]
    top, bottom = netherlands[6, 45].astype(int), netherlands[54, 45].astype(int)
    assert top[0] > top[2]
    assert bottom[2] > bottom[0]


def test_every_sign_is_square_and_unlike_the_others() -> None:
    pictures = {name: picture(sign_sprite(name, 96)) for name in SIGNS}
    assert all(rgb.shape == (96, 96, 3) for rgb in pictures.values())
    for one, other in itertools.combinations(pictures.values(), 2):
        assert np.abs(one.astype(int) - other.astype(int)).mean() > 3


@pytest.mark.parametrize("side_px", [8, 9, 500])
def test_signs_and_flags_of_any_size_are_drawn(side_px: int) -> None:
    for name in SIGNS:
        assert sign_sprite(name, side_px).width_px == side_px
    for country in FLAGS:
        assert flag_sprite(country, side_px).height_px == side_px
