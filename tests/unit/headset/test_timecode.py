"""The time code is read after real compression, and nothing is read where there is none."""

from __future__ import annotations

import av
import cv2
import numpy as np
import pytest
from av.video.codeccontext import VideoCodecContext

from arwarden.core.frame import ArrayPicture, ByteImage
from arwarden.headset import timecode
from arwarden.headset.encoder import Codec, VideoEncoder
from arwarden.headset.pictures import PictureSize
from arwarden.headset.room import draw_room
from arwarden.headset.scene import ArScene
from tests.support.whip_receiver import luma_of


def luma_with(value: int, width_px: int = 640, height_px: int = 360) -> ByteImage:
    rgb = draw_room(width_px, height_px, 1)
    timecode.draw(rgb, value)
    return ArrayPicture(rgb).luma().copy()


@pytest.mark.parametrize("value", [0, 1, 30, 0x55555555, 0xAAAAAAAA, 2**32 - 1])
@pytest.mark.parametrize("size", [(1280, 720), (640, 360), (320, 240), (1023, 577), (208, 64)])
def test_value_is_read_back(value: int, size: tuple[int, int]) -> None:
    assert timecode.read(luma_with(value, *size)) == value


def test_value_wraps_at_32_bits() -> None:
    assert timecode.read(luma_with(2**32 + 5)) == 5


@pytest.mark.parametrize("codec", list(Codec))
@pytest.mark.parametrize(("size", "kbps"), [((1280, 720), 300), ((640, 360), 300), ((320, 240), 150)])
def test_value_survives_compression(codec: Codec, size: tuple[int, int], kbps: int) -> None:
    scene = ArScene(PictureSize(*size), timecode_fps=30)
    encoder = VideoEncoder(codec, PictureSize(*size), fps=30, bitrate_kbps=kbps)
    decoder = av.CodecContext.create("libvpx" if codec is Codec.VP8 else "h264", "r")
    assert isinstance(decoder, VideoCodecContext)
    read: list[int | None] = []
    for tick in range(30):
        for packet in encoder.encode(scene.read(tick / 30), tick * 3000):
            read += [timecode.read(luma_of(frame)) for frame in decoder.decode(av.Packet(bytes(packet)))]
    assert len(read) == 30
    wrong = [value for tick, value in enumerate(read) if value not in (tick, None)]
    assert not wrong
    assert sum(value is None for value in read) <= 1


def test_value_survives_scaling() -> None:
    half = cv2.resize(luma_with(123_456, 1280, 720), (640, 360), interpolation=cv2.INTER_AREA)
    assert timecode.read(np.asarray(half, dtype=np.uint8)) == 123_456


def test_picture_without_a_code_reads_as_none() -> None:
    for picture in (
        draw_room(640, 360, 2),
        np.zeros((360, 640, 3), np.uint8),
        np.full((360, 640, 3), 255, np.uint8),
    ):
        assert timecode.read(ArrayPicture(picture).luma()) is None


@pytest.mark.parametrize("shape", [(360, 100), (4, 640), (1, 1)])
def test_picture_too_small_for_a_code_reads_as_none(shape: tuple[int, int]) -> None:
    assert timecode.read(np.zeros(shape, np.uint8)) is None


def test_code_needs_room() -> None:
    with pytest.raises(ValueError, match="at least 208 pixels wide, not 200"):
        timecode.draw(np.zeros((100, 200, 3), np.uint8), 1)


def test_half_old_and_half_new_code_reads_as_none() -> None:
    torn = luma_with(1000)
    torn[:, 320:] = luma_with(2**31 + 77)[:, 320:]
    assert timecode.read(torn) is None


@pytest.mark.parametrize("cell", [0, 1, 2, 20, 40, 51])
def test_single_wrong_cell_reads_as_none(cell: int) -> None:
    luma = luma_with(0x12345678)
    left, right = round(cell * 640 / timecode.CELLS), round((cell + 1) * 640 / timecode.CELLS)
    strip = luma[-timecode.strip_height_px(360) :, left:right]
    strip[:] = 251 - strip
    assert timecode.read(luma) is None


def test_unclear_cell_reads_as_none() -> None:
    luma = luma_with(7)
    luma[-8:, 640 // 2 : 640 // 2 + 13] = 126
    assert timecode.read(luma) is None


def test_only_the_strip_is_drawn_over() -> None:
    rgb = draw_room(640, 360, 1)
    before = rgb.copy()
    timecode.draw(rgb, 9)
    height_px = timecode.strip_height_px(360)
    assert (rgb[:-height_px] == before[:-height_px]).all()
    assert set(np.unique(rgb[-height_px:])) == {timecode.BLACK, timecode.WHITE}
