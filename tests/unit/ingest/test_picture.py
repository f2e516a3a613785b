"""Pixels of PyAV frames: views that respect the line size, at every size."""

from __future__ import annotations

import threading

import av
import numpy as np
import pytest

from arwarden.core.frame import Picture
from arwarden.ingest.picture import AvPicture
from tests.support.feeder import marked_picture

SIZES = [(1, 1), (641, 479), (1279, 959), (160, 120), (3, 2)]


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_shapes(width: int, height: int) -> None:
    picture: Picture = AvPicture(marked_picture(0, width, height))
    assert (picture.width_px, picture.height_px) == (width, height)
    assert picture.luma().shape == (height, width)
    assert picture.rgb().shape == (height, width, 3)


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_last_row_and_column_are_picture(width: int, height: int) -> None:
    picture = AvPicture(marked_picture(0, width, height))
    assert picture.luma()[-1, -1] in (90, 110, 235, 16)
    assert abs(int(picture.rgb()[-1, -1, 0]) - int(picture.rgb()[-1, -1, 1])) < 4, "grey stays grey"


def test_luma_is_a_view_that_cannot_be_written() -> None:
    frame = marked_picture(3, 160, 120)
    luma = AvPicture(frame).luma()
    assert luma.base is not None
    with pytest.raises(ValueError, match="read-only"):
        luma[0, 0] = 1


def test_luma_outlives_frame_and_picture() -> None:
    luma = AvPicture(marked_picture(0, 641, 479)).luma()
    copy = luma.copy()
    for number in range(50):
        marked_picture(number, 641, 479, seed=number)
    assert np.array_equal(luma, copy)


def test_rgb_is_converted_once_whoever_asks() -> None:
    picture = AvPicture(marked_picture(0, 640, 480))
    seen: list[int] = []
    threads = [threading.Thread(target=lambda: seen.append(id(picture.rgb()))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(seen)) == 1


@pytest.mark.parametrize("pixel_format", ["rgb24", "yuv420p", "yuvj420p", "nv12", "yuv444p", "gray"])
def test_pixel_formats(pixel_format: str) -> None:
    rgb = np.zeros((48, 64, 3), np.uint8)
    rgb[:24] = 255
    frame = av.VideoFrame.from_ndarray(rgb, format="rgb24").reformat(format=pixel_format)
    picture = AvPicture(frame)
    assert picture.luma()[2, 2] > 200
    assert picture.luma()[40, 2] < 60
    assert picture.rgb()[2, 2].min() > 240
    assert picture.rgb()[40, 2].max() < 15
