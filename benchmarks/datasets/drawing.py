"""Pictures and videos of generated sets on disk."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Final

import av
import cv2
import numpy as np

from arwarden.core.frame import ByteImage
from models.scenes.video import X264

FPS: Final = 15
SWAY: Final = 0.12
"""How far the camera of a video moves to each side, as a share of the picture's height."""
RATE_FACTOR: Final = 23
"""x264's quality of what is written, smaller is better."""


def write_picture(path: Path, rgb: ByteImage) -> None:
    """Write a picture, in the form that the file's ending says."""
    if not cv2.imwrite(str(path), cv2.cvtColor(rgb, cv2.COLOR_RGB2BGR)):
        msg = f"{path} cannot be written"
        raise OSError(msg)


def write_video(path: Path, frames: Iterable[ByteImage], size_px: tuple[int, int], fps: int = FPS) -> None:
    """Write an MP4 file (H264), the same for the same frames. An unfinished file is never left behind.

    Raises:
        ValueError: width or height is odd.
    """
    if any(side % 2 for side in size_px):
        msg = f"width and height of a video are even, not {size_px[0]}x{size_px[1]}"
        raise ValueError(msg)
    partial = path.with_name(f".{path.name}.part")
    with av.open(str(partial), "w", format="mp4") as container:
        stream = container.add_stream("libx264", rate=Fraction(fps))
        stream.width, stream.height, stream.pix_fmt = *size_px, "yuv420p"
        stream.options = {**X264, "crf": str(RATE_FACTOR)}
        for rgb in frames:
            container.mux(stream.encode(av.VideoFrame.from_ndarray(rgb, format="rgb24")))
        container.mux(stream.encode(None))
    partial.replace(path)


def margin_px(size_px: tuple[int, int]) -> int:
    """How much more than the picture must be drawn on each side for ``swaying``."""
    return max(2, round(SWAY * size_px[1]))


def swaying(whole: ByteImage, size_px: tuple[int, int], count: int) -> Iterator[ByteImage]:
    """``count`` views of a picture with a margin on each side, from a camera that begins in its middle."""
    width, height = size_px
    margin = margin_px(size_px)
    for index in range(count):
        turn = 2 * math.pi * index / max(1, count)
        left, top = round(margin * (1 + math.sin(turn))), round(margin * (1 + 0.5 * math.sin(2 * turn)))
        yield np.ascontiguousarray(whole[top : top + height, left : left + width])
