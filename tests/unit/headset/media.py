"""Small media files of every kind, made for a test."""

from __future__ import annotations

import struct
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
from av.video.stream import VideoStream

from arwarden.core.frame import ByteImage

RED, GREEN, BLUE, WHITE = (220, 30, 30), (30, 200, 30), (30, 30, 220), (235, 235, 235)
QUARTER_TURN_CLOCKWISE = (0, 1, 0, -1, 0, 0)
HALF_TURN = (-1, 0, 0, 0, -1, 0)


def plain(colour: tuple[int, int, int], width_px: int = 160, height_px: int = 96) -> ByteImage:
    return np.full((height_px, width_px, 3), colour, dtype=np.uint8)


def quadrants(width_px: int = 160, height_px: int = 96) -> ByteImage:
    """Red top left, green top right, blue bottom left, white bottom right."""
    rgb = plain(RED, width_px, height_px)
    rgb[: height_px // 2, width_px // 2 :] = GREEN
    rgb[height_px // 2 :, : width_px // 2] = BLUE
    rgb[height_px // 2 :, width_px // 2 :] = WHITE
    return rgb


def write_video(
    path: Path,
    pictures: list[ByteImage],
    times_s: list[float] | None = None,
    *,
    fps: int = 10,
    aspect: Fraction | None = None,
) -> Path:
    """An H264 file; ``times_s`` gives each picture its own time."""
    height_px, width_px = pictures[0].shape[:2]
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=fps, options={"crf": "12", "bf": "0"})
        assert isinstance(stream, VideoStream)
        stream.width, stream.height, stream.pix_fmt = width_px, height_px, "yuv420p"
        stream.time_base = stream.codec_context.time_base = Fraction(1, 1000)
        if aspect is not None:
            stream.codec_context.sample_aspect_ratio = aspect
        for index, rgb in enumerate(pictures):
            frame = av.VideoFrame.from_ndarray(rgb, format="rgb24")
            at_s = index / fps if times_s is None else times_s[index]
            frame.pts, frame.time_base = round(at_s * 1000), Fraction(1, 1000)
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return path


def rotate_in_header(path: Path, matrix: tuple[int, int, int, int, int, int]) -> None:
    """Set the display matrix of an MP4's track: what a phone that is held upright writes."""
    data = bytearray(path.read_bytes())
    header = data.index(b"tkhd")
    at = data.index(struct.pack(">9i", 0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000), header)
    a, b, u, c, d, v = matrix
    values = (a * 0x10000, b * 0x10000, u, c * 0x10000, d * 0x10000, v, 0, 0, 0x40000000)
    data[at : at + 36] = struct.pack(">9i", *values)
    path.write_bytes(data)


def close_to(pixel: ByteImage, colour: tuple[int, int, int], tolerance: int = 40) -> bool:
    return bool(np.abs(pixel.astype(int) - np.array(colour)).max() <= tolerance)
