"""A decoded frame whose pixels are converted only when somebody looks at them.

Converting every 720p frame to RGB costs 2 % of a core, converting the few that are analysed nothing
measurable; ``to_ndarray("gray")`` costs three times the colour conversion, a view of plane 0 nothing.
"""

from __future__ import annotations

import threading

import av
import numpy as np

from arwarden.core.frame import ByteImage

_LUMA_FIRST = frozenset({"yuv420p", "yuvj420p", "yuv422p", "yuvj422p", "yuv444p", "yuvj444p", "nv12", "gray"})
"""Pixel formats whose plane 0 is eight-bit brightness."""


class AvPicture:
    """Pixels of a PyAV frame. May be read from any thread."""

    def __init__(self, frame: av.VideoFrame) -> None:
        self._frame = frame
        self._lock = threading.Lock()
        self._rgb: ByteImage | None = None

    @property
    def width_px(self) -> int:
        """Width of the picture."""
        return self._frame.width

    @property
    def height_px(self) -> int:
        """Height of the picture."""
        return self._frame.height

    def luma(self) -> ByteImage:
        """The brightness plane, shape ``(height, width)``; a read-only view, as coded (video range)."""
        frame = self._frame
        if frame.format.name not in _LUMA_FIRST:
            frame = frame.reformat(format="yuv420p")
        plane = frame.planes[0]
        rows = np.frombuffer(memoryview(plane), dtype=np.uint8).reshape(-1, plane.line_size)
        luma: ByteImage = rows[: frame.height, : frame.width]
        luma.flags.writeable = False
        return luma

    def rgb(self) -> ByteImage:
        """The colour picture, shape ``(height, width, 3)``; converted on the first call, then kept."""
        with self._lock:
            if self._rgb is None:
                self._rgb = np.asarray(self._frame.to_ndarray(format="rgb24"), dtype=np.uint8)
            return self._rgb
