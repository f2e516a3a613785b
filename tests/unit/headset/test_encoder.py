"""Encoders keep their rate, bound their keyframes, and add no delay."""

from __future__ import annotations

import av
import numpy as np
import pytest
from av.video.codeccontext import VideoCodecContext

from arwarden.core.errors import InputError
from arwarden.core.frame import ByteImage
from arwarden.headset.clip import EncodedClip
from arwarden.headset.encoder import Codec, VideoEncoder
from arwarden.headset.feed import StreamFormat
from arwarden.headset.pictures import PictureSize
from arwarden.headset.scene import ArScene

SIZE = PictureSize(320, 240)
BOTH = pytest.mark.parametrize("codec", list(Codec))


def noise(seed: int, size: PictureSize = SIZE) -> ByteImage:
    rng = np.random.default_rng(seed)
    return rng.integers(0, 255, (size.height_px, size.width_px, 3), dtype=np.uint8)


@BOTH
def test_every_picture_gives_its_packet_at_once(codec: Codec) -> None:
    encoder = VideoEncoder(codec, SIZE, fps=30, bitrate_kbps=500)
    scene = ArScene(SIZE)
    made = [encoder.encode(scene.read(tick / 30), tick * 3000) for tick in range(10)]
    assert [len(packets) for packets in made] == [1] * 10
    assert [packets[0].pts for packets in made] == [tick * 3000 for tick in range(10)]
    assert [packets[0].is_keyframe for packets in made] == [True] + [False] * 9
    assert encoder.flush() == []


@BOTH
def test_keyframe_comes_when_asked_for(codec: Codec) -> None:
    encoder = VideoEncoder(codec, SIZE, fps=30, bitrate_kbps=500)
    scene = ArScene(SIZE)
    keys = [
        encoder.encode(scene.read(tick / 30), tick * 3000, keyframe=tick == 5)[0].is_keyframe
        for tick in range(10)
    ]
    assert keys == [tick in (0, 5) for tick in range(10)]


@BOTH
@pytest.mark.parametrize("kbps", [300, 2500])
def test_bitrate_is_kept(codec: Codec, kbps: int) -> None:
    size = PictureSize(640, 360)
    encoder = VideoEncoder(codec, size, fps=30, bitrate_kbps=kbps)
    scene = ArScene(size)
    sizes = [encoder.encode(scene.read(tick / 30), tick * 3000)[0].size for tick in range(90)]
    assert 0.5 * kbps < sum(sizes[30:]) * 8 / 2 / 1000 < 1.5 * kbps


@BOTH
def test_keyframe_of_noise_stays_below_what_a_receiver_can_take(codec: Codec) -> None:
    size = PictureSize(1280, 720)
    encoder = VideoEncoder(codec, size, fps=30, bitrate_kbps=2500)
    sizes = [encoder.encode(noise(tick, size), tick * 3000, keyframe=True)[0].size * 8 for tick in range(4)]
    # 128 packets of 1200 bytes are never released by aiortc's jitter buffer.
    assert max(sizes) < 127 * 1200 * 8


def test_h264_is_baseline_in_one_slice_with_parameters_at_each_keyframe() -> None:
    encoder = VideoEncoder(Codec.H264, SIZE, fps=30, bitrate_kbps=500)
    data = [bytes(encoder.encode(noise(tick), tick * 3000, keyframe=tick == 2)[0]) for tick in range(4)]
    kinds = [[unit[0] & 31 for unit in _units(frame)] for frame in data]
    slices = [[kind for kind in frame if kind in (1, 5)] for frame in kinds]
    assert slices == [[5], [1], [5], [1]]
    assert {7, 8} <= set(kinds[0])
    assert {7, 8} <= set(kinds[2])
    parameters = next(unit for unit in _units(data[0]) if unit[0] & 31 == 7)
    assert parameters[1] == 66, "profile_idc of Baseline"


def _units(frame: bytes) -> list[bytes]:
    return [unit.rstrip(b"\0") for unit in frame.split(b"\0\0\1") if unit.strip(b"\0")]


@BOTH
def test_clip_is_decodable_and_starts_with_a_keyframe(codec: Codec) -> None:
    stream = StreamFormat(size=SIZE, fps=20, codec=codec, bitrate_kbps=400)
    clip = EncodedClip.render(ArScene(SIZE), seconds=1.5, stream=stream)
    assert len(clip.packets) == 30
    decoder = av.CodecContext.create("libvpx" if codec is Codec.VP8 else "h264", "r")
    assert isinstance(decoder, VideoCodecContext)
    decoded = [frame for data in clip.packets * 2 for frame in decoder.decode(av.Packet(data))]
    assert len(decoded) == 60


def test_clip_of_nothing_is_an_error() -> None:
    class Nothing:
        name = "nothing.mp4"

        def read(self, _t_s: float) -> ByteImage | None:
            return None

        def close(self) -> None:
            """Nothing to close."""

    with pytest.raises(InputError, match="no picture to encode"):
        EncodedClip.render(Nothing(), seconds=1, stream=StreamFormat(size=SIZE))


def test_colours_survive() -> None:
    encoder = VideoEncoder(Codec.H264, SIZE, fps=30, bitrate_kbps=2000)
    decoder = av.CodecContext.create("h264", "r")
    assert isinstance(decoder, VideoCodecContext)
    rgb = np.zeros((240, 320, 3), np.uint8)
    rgb[:, :160], rgb[:, 160:] = (200, 40, 30), (20, 60, 210)
    (packet,) = encoder.encode(rgb, 0)
    (frame,) = decoder.decode(av.Packet(bytes(packet)))
    back = frame.to_ndarray(format="rgb24").astype(int)
    assert np.abs(back[120, 80] - (200, 40, 30)).max() < 12
    assert np.abs(back[120, 240] - (20, 60, 210)).max() < 12
