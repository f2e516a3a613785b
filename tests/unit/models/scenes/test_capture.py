from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from models.scenes.capture import Wear, seen_by_camera, sent

RNG = np.random.default_rng(5)
PICTURE = np.repeat(np.repeat(RNG.integers(0, 255, (18, 32, 3), dtype=np.uint8), 10, axis=0), 10, axis=1)
CLEAN = Wear()


def sharpness(rgb: np.ndarray) -> float:
    return float(cv2.Laplacian(cv2.cvtColor(rgb, cv2.COLOR_RGB2GRAY), cv2.CV_64F).var())


def test_no_wear_changes_nothing() -> None:
    rng = np.random.default_rng(0)
    assert np.abs(seen_by_camera(PICTURE, CLEAN, rng).astype(int) - PICTURE).max() <= 1
    assert np.array_equal(sent(PICTURE, CLEAN), PICTURE)


@pytest.mark.parametrize(
    "wear",
    [
        replace(CLEAN, motion_px=40.0),
        replace(CLEAN, defocus_px=6.0),
        replace(CLEAN, shrink=0.5),
        replace(CLEAN, codec="jpeg", quality=5),
        replace(CLEAN, codec="h264", quality=45),
    ],
)
def test_the_way_costs_sharpness_or_detail_but_no_size(wear: Wear) -> None:
    out = sent(PICTURE, wear)
    assert out.shape == PICTURE.shape
    assert out.dtype == np.uint8
    assert sharpness(out) != pytest.approx(sharpness(PICTURE), rel=0.02)
    assert np.abs(out.astype(float) - PICTURE).mean() < 60


@pytest.mark.parametrize("codec", ["jpeg", "h264"])
def test_codecs_keep_the_picture_recognisable_and_in_place(codec: str) -> None:
    out = sent(PICTURE, replace(CLEAN, codec=codec, quality=90 if codec == "jpeg" else 18))
    assert np.abs(out.astype(float) - PICTURE).mean() < 22


def test_a_picture_of_odd_size_keeps_its_size_through_h264() -> None:
    odd = np.ascontiguousarray(PICTURE[:171, :255])
    assert sent(odd, replace(CLEAN, codec="h264", quality=25)).shape == odd.shape


def test_the_camera_darkens_corners_and_adds_noise() -> None:
    grey = np.full((360, 640, 3), 128, dtype=np.uint8)
    out = seen_by_camera(grey, replace(CLEAN, vignette=0.4, noise=8.0), np.random.default_rng(1))
    assert out[:20, :20].mean() < 0.8 * out[170:190, 310:330].mean()
    assert 4.0 < out[170:190, 310:330].std() < 12.0


def test_a_warm_camera_shows_more_red_than_blue() -> None:
    grey = np.full((20, 20, 3), 128, dtype=np.uint8)
    out = seen_by_camera(grey, replace(CLEAN, gains=(1.2, 1.0, 0.8)), np.random.default_rng(1))
    assert out[0, 0, 0] > out[0, 0, 1] > out[0, 0, 2]


def test_blur_spares_small_texts_and_leaves_large_ones() -> None:
    wear = replace(CLEAN, motion_px=12.0, defocus_px=0.9)
    assert wear.sparing(15.0, 1.0).motion_px == pytest.approx(5.1)
    assert wear.sparing(7.5, 0.5).motion_px == pytest.approx(5.1)
    assert wear.sparing(60.0, 1.0) == wear
    assert wear.sparing(None, 1.0) == wear


def test_drawn_wear_is_mostly_mild_and_of_all_codecs() -> None:
    rng = np.random.default_rng(2)
    drawn = [Wear.drawn(rng) for _ in range(400)]
    assert {one.codec for one in drawn} == {"none", "jpeg", "h264"}
    assert np.median([one.motion_px for one in drawn]) == 0.0
    assert max(one.noise for one in drawn) <= 14.0
    assert {Wear.drawn(rng, video=True).codec for _ in range(20)} == {"none"}
