"""A video file as a source: its own timing, upright, scaled, looped."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import av
import numpy as np
import structlog
from av.container import InputContainer
from av.video.reformatter import Interpolation
from av.video.stream import VideoStream

from arwarden.core.errors import InputError
from arwarden.core.frame import ByteImage
from arwarden.headset.pictures import PictureSize, fitted, on_black

log = structlog.get_logger(__name__)

FALLBACK_FPS = 30.0
ROUNDING_S = 1e-6
"""Times are sums of thirds and thirtieths: a frame that is due by this little less is due."""
MAX_DECODED_PER_READ = 16
"""Beyond this the file is slower to decode than to play: its time slips, it does not fall behind for ever."""


class _TimedFrame(NamedTuple):
    t_s: float
    frame: av.VideoFrame


class VideoSource:
    """Plays a video file. Frames that nobody asks for are decoded but not converted."""

    def __init__(self, path: Path, size: PictureSize, *, loop: bool = True) -> None:
        self.name = str(path)
        self.damaged_packets = 0
        self._path = path
        self._size = size
        self._loop = loop
        self._upcoming = self._play()
        self._pixel_aspect = 1.0
        self._frame_s = 1.0 / FALLBACK_FPS
        self._slipped_s = 0.0
        self._current: _TimedFrame | None = None
        self._next = next(self._upcoming, None)
        self._rgb: ByteImage | None = None

    def read(self, t_s: float) -> ByteImage | None:
        """The frame that is on screen at ``t_s``; None after the last where the file does not loop."""
        taken = 0
        while self._next is not None and self._next.t_s + self._slipped_s <= t_s + ROUNDING_S:
            if taken == MAX_DECODED_PER_READ:
                self._slipped_s = t_s - self._next.t_s
            self._current, self._next = self._next, next(self._upcoming, None)
            self._rgb = None
            taken += 1
        current = self._current
        if current is None or (
            self._next is None and t_s + ROUNDING_S >= current.t_s + self._slipped_s + self._frame_s
        ):
            return None
        if self._rgb is None:
            self._rgb = self._picture(current.frame)
            self._rgb.flags.writeable = False
        return self._rgb

    def close(self) -> None:
        """Close the file."""
        self._upcoming = iter(())
        self._next = self._current = None

    def _play(self) -> Iterator[_TimedFrame]:
        """Every frame in order with its time since the start, one pass after the other."""
        base_s = 0.0
        while True:
            end_s = base_s
            for timed in self._one_pass():
                end_s = max(end_s, base_s + timed.t_s)
                yield _TimedFrame(end_s, timed.frame)
            if not self._loop:
                return
            base_s = end_s + self._frame_s

    def _one_pass(self) -> Iterator[_TimedFrame]:
        """The frames of the file, first one at 0 s. Raises ``InputError`` where there is none."""
        first_s: float | None = None
        last_s = 0.0
        with self._open() as container:
            stream = _video_stream(container, self.name)
            self._frame_s = 1.0 / float(stream.average_rate or stream.guessed_rate or FALLBACK_FPS)
            self._pixel_aspect = float(stream.sample_aspect_ratio or 1) or 1.0
            for frame in self._decoded(container, stream):
                own_s = frame.time if frame.pts is not None else last_s + self._frame_s
                first_s = own_s if first_s is None else first_s
                last_s = own_s
                yield _TimedFrame(own_s - first_s, frame)
        if first_s is None:
            raise InputError(self.name, "no frame of the video can be decoded")

    def _open(self) -> InputContainer:
        try:
            return av.open(str(self._path), mode="r")
        except (av.FFmpegError, OSError) as error:
            reason = "the file is empty" if self._is_empty() else f"not a readable video: {_words(error)}"
            raise InputError(self.name, reason) from error

    def _is_empty(self) -> bool:
        return self._path.is_file() and self._path.stat().st_size == 0

    def _decoded(self, container: InputContainer, stream: VideoStream) -> Iterator[av.VideoFrame]:
        try:
            for packet in container.demux(stream):
                try:
                    yield from packet.decode()
                except av.FFmpegError as error:
                    self.damaged_packets += 1
                    log.debug("video_packet_damaged", file=self.name, reason=_words(error))
        except av.FFmpegError as error:
            self.damaged_packets += 1
            log.warning("video_truncated", file=self.name, reason=_words(error))

    def _picture(self, frame: av.VideoFrame) -> ByteImage:
        quarter_turns = round(frame.rotation / 90) % 4
        shown = (frame.width * self._pixel_aspect, float(frame.height))
        inner = fitted(self._size, *(shown[::-1] if quarter_turns % 2 else shown))
        width_px, height_px = inner[::-1] if quarter_turns % 2 else inner
        scaled = frame.reformat(width_px, height_px, "rgb24", interpolation=Interpolation.AREA)
        # FFmpeg counts the turn counter-clockwise, as numpy does.
        upright = np.rot90(scaled.to_ndarray(), quarter_turns)
        return on_black(np.ascontiguousarray(upright, dtype=np.uint8), self._size)


def _video_stream(container: InputContainer, name: str) -> VideoStream:
    if not container.streams.video:
        raise InputError(name, "the file holds no video")
    stream = container.streams.video[0]
    stream.thread_type = "AUTO"
    return stream


def _words(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)
