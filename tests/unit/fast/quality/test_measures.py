from __future__ import annotations

import math

import cv2
import numpy as np
import pytest

from arwarden.core.frame import ArrayPicture, ByteImage
from arwarden.fast.quality import measures
from arwarden.fast.quality.measures import measure
from tests.unit.fast.quality.scenes import blurred, flat, jpeg, lit, noisy, scene, smeared


def values(rgb: ByteImage) -> dict[str, float]:
    return {one.name: one.value for one in measure(ArrayPicture(rgb))}


def test_every_measure_carries_name_and_unit() -> None:
    units = {one.name: one.unit for one in measure(ArrayPicture(scene()))}
    assert units == {
        measures.EDGE_WIDTH: "px",
        measures.NOISE: "levels",
        measures.BLOCKINESS: "ratio",
        measures.MEAN_LUMA: "levels",
        measures.HIGHLIGHT: "levels",
        measures.CLIPPED_SHARE: "ratio",
        measures.CONTRAST: "ratio",
        measures.COLOURFULNESS: "M3",
    }


def test_edge_width_follows_gaussian_blur() -> None:
    sharp = scene()
    widths = [values(blurred(sharp, sigma))[measures.EDGE_WIDTH] for sigma in (2.0, 3.0, 4.0)]
    assert values(sharp)[measures.EDGE_WIDTH] < 1.5
    assert widths == sorted(widths)


def test_edge_width_of_a_lone_step_is_two_and_a_half_sigma() -> None:
    step = flat(40)
    step[:, 316:] = 200
    for sigma in (1.5, 2.0, 3.0):
        assert values(blurred(step, sigma))[measures.EDGE_WIDTH] == pytest.approx(2.5 * sigma, rel=0.1)


@pytest.mark.parametrize("turned", [False, True])
def test_smear_along_one_direction_keeps_edges_across_it_sharp(turned: bool) -> None:
    smear = smeared(scene(), 25)
    picture = np.ascontiguousarray(smear.transpose(1, 0, 2)) if turned else smear
    assert values(picture)[measures.EDGE_WIDTH] < 2.5


def test_diagonal_edges_are_seen_in_both_diagonals() -> None:
    rows, columns = np.indices((360, 640))
    for distance in (rows + columns, rows - columns + 640):
        stripes = ((distance // 60 % 2) * 200).astype(np.uint8)
        assert values(np.dstack([stripes] * 3))[measures.EDGE_WIDTH] <= math.sqrt(2) + 1e-6


def test_edge_width_does_not_depend_on_the_stream_size() -> None:
    large = blurred(scene(1280, 720), 6.0)
    small = np.asarray(cv2.resize(large, (640, 360), interpolation=cv2.INTER_AREA), dtype=np.uint8)
    assert values(large)[measures.EDGE_WIDTH] == pytest.approx(values(small)[measures.EDGE_WIDTH], rel=0.02)


def test_bare_wall_gives_no_ground_for_blur() -> None:
    slope = np.linspace(180, 220, 640)[None, :, None] * np.ones((360, 1, 3))
    assert measures.EDGE_WIDTH not in values(noisy(slope.astype(np.uint8), 1.0))


@pytest.mark.parametrize("sigma", [5.0, 10.0, 20.0])
def test_noise_is_measured_in_grey_levels(sigma: float) -> None:
    assert values(noisy(flat(128), sigma))[measures.NOISE] == pytest.approx(sigma, rel=0.12)
    assert values(noisy(scene(), sigma))[measures.NOISE] == pytest.approx(sigma, rel=0.25)


def test_black_and_white_tiles_give_no_ground_for_noise() -> None:
    assert measures.NOISE not in values(flat(0))
    assert measures.NOISE not in values(flat(255))


def test_blockiness_rises_with_jpeg_compression_on_the_received_grid() -> None:
    ratios = [values(jpeg(scene(), quality))[measures.BLOCKINESS] for quality in (90, 20, 5)]
    assert ratios == sorted(ratios)
    assert ratios[2] > 1.5
    assert values(scene())[measures.BLOCKINESS] == pytest.approx(1.0, abs=0.15)
    shifted = np.ascontiguousarray(jpeg(scene(), 5)[4:-4, 4:-4])
    assert values(shifted)[measures.BLOCKINESS] < 1.2


def test_a_grid_in_one_direction_only_is_not_coding_blocks() -> None:
    stripes = np.where(np.arange(640) // 8 % 2, 140, 120).astype(np.uint8)
    picture = np.ascontiguousarray(np.broadcast_to(stripes[None, :, None], (360, 640, 3)))
    assert values(picture)[measures.BLOCKINESS] == pytest.approx(1.0, abs=0.05)


def test_brightness_measures_of_known_pictures() -> None:
    half = flat(0)
    half[:, 320:] = 255
    found = values(half)
    assert found[measures.MEAN_LUMA] == pytest.approx(127.5)
    assert found[measures.CLIPPED_SHARE] == pytest.approx(0.5)
    assert found[measures.CONTRAST] == pytest.approx(0.5)
    assert found[measures.HIGHLIGHT] == 255
    dim = values(lit(scene(), 0.02))
    assert dim[measures.HIGHLIGHT] < 50


def test_colourfulness_of_grey_is_zero_and_of_primaries_as_in_the_paper() -> None:
    assert values(flat(90))[measures.COLOURFULNESS] == 0
    red = flat(0)
    red[:, :, 0] = 255
    expected = 0.3 * math.hypot(255, 127.5)
    assert values(red)[measures.COLOURFULNESS] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("width", "height"),
    [
        (1, 1),
        (1, 9),
        (9, 1),
        (1, 5000),
        (5000, 1),
        (7, 7),
        (17, 33),
        (25, 24),
        (639, 361),
        (1279, 3),
        (97, 720),
    ],
)
@pytest.mark.parametrize("level", [None, 0, 128, 255])
def test_any_size_gives_finite_values(width: int, height: int, level: int | None) -> None:
    if level is None:
        random = np.random.default_rng(width * 7 + height)
        picture = random.integers(0, 256, (height, width, 3), dtype=np.uint8)
    else:
        picture = flat(level, width, height)
    found = values(picture)
    assert all(math.isfinite(value) for value in found.values())
    assert {measures.MEAN_LUMA, measures.HIGHLIGHT, measures.COLOURFULNESS} <= set(found)


def test_a_luma_plane_with_padded_rows_is_read_as_it_is() -> None:
    class Padded(ArrayPicture):
        def luma(self) -> ByteImage:
            plain = super().luma()
            padded = np.zeros((plain.shape[0], plain.shape[1] + 32), dtype=np.uint8)
            padded[:, : plain.shape[1]] = plain
            return padded[:, : plain.shape[1]]

    for picture in (scene(), scene(1280, 720)):
        assert measure(Padded(picture)) == measure(ArrayPicture(picture))


def test_the_picture_is_not_changed() -> None:
    picture = scene()
    before = picture.copy()
    measure(ArrayPicture(picture))
    assert np.array_equal(picture, before)
