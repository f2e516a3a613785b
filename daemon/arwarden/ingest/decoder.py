"""Decoding in a thread of its own, behind a bounded queue.

aiortc's own decoder has an unbounded queue in front and one behind (861 MB after 20 s of a slow reader)
and is joined on the event loop when it stops (1.1 s for 200 queued frames), so it is not used.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable
from typing import NamedTuple

import av
from av.codec.context import CodecContext
from av.video.codeccontext import VideoCodecContext

from arwarden.ingest.assembler import EncodedFrame

BACKLOG_FRAMES = 60
"""Encoded frames that may wait: two seconds at 30 a second, under a megabyte at usual bitrates."""
OUTBOX_FRAMES = 8
"""Decoded frames that may wait for the event loop; the oldest give way (1.4 MB each at 720p)."""
MAX_PIXELS = 4096 * 2304
DECODERS = {"VP8": "vp8", "H264": "h264"}
"""FFmpeg's own VP8 decoder: measured 20 to 25 % cheaper than libvpx, which aiortc uses."""


class Work(NamedTuple):
    """A frame to decode, with the number the session gave it."""

    sequence: int
    frame: EncodedFrame


class Decoded(NamedTuple):
    """What became of one encoded frame."""

    sequence: int
    picture: av.VideoFrame | None
    """None where there is none to show, or the decoder could not make one."""
    error: str
    """The decoder's complaint, empty where there was none."""


class Decoder:
    """One stream's decoder. All methods belong to the event loop's thread."""

    def __init__(self, loop: asyncio.AbstractEventLoop, deliver: Callable[[list[Decoded]], None]) -> None:
        self._loop = loop
        self._deliver = deliver
        self._wake = threading.Condition()
        self._backlog: deque[Work] = deque()
        self._outbox: deque[Decoded] = deque()
        self._announced = False
        self._stopping = False
        self._stopped = asyncio.Event()
        self._thread: threading.Thread | None = None
        self.superseded = 0
        """Decoded frames that gave way because the event loop did not fetch them in time."""

    def submit(self, work: Work) -> int:
        """Queue a frame and return how many frames had to be thrown away for it.

        Where too many wait, all up to the newest keyframe are thrown away, or all where there is none:
        the caller then has to ask for a keyframe.
        """
        dropped = 0
        with self._wake:
            if self._stopping:
                return 1
            self._backlog.append(work)
            if len(self._backlog) > BACKLOG_FRAMES:
                dropped = self._shed()
            self._wake.notify()
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="arwarden-decoder", daemon=True)
            self._thread.start()
        return dropped

    @property
    def backlog(self) -> int:
        """Encoded frames that wait."""
        return len(self._backlog)

    async def stop(self, timeout_s: float) -> bool:
        """Let the thread end; False where it has not ended in time. Nothing is delivered afterwards."""
        with self._wake:
            self._stopping = True
            self._backlog.clear()
            self._outbox.clear()
            self._wake.notify()
        if self._thread is None:
            return True
        try:
            await asyncio.wait_for(self._stopped.wait(), timeout_s)
        except TimeoutError:
            return False
        return True

    def _shed(self) -> int:
        before = len(self._backlog)
        keep: list[Work] = []
        for work in reversed(self._backlog):
            keep.append(work)
            if work.frame.keyframe:
                break
        else:
            keep = []
        self._backlog = deque(reversed(keep))
        if len(self._backlog) > BACKLOG_FRAMES:
            self._backlog.clear()
        return before - len(self._backlog)

    def _run(self) -> None:
        context: VideoCodecContext | None = None
        codec = ""
        while (work := self._take()) is not None:
            if context is None or work.frame.codec != codec:
                codec = work.frame.codec
                context = open_decoder(codec)
            self._put(decode(context, work))
        self._call(self._stopped.set)

    def _take(self) -> Work | None:
        with self._wake:
            while not self._backlog and not self._stopping:
                self._wake.wait()
            return None if self._stopping else self._backlog.popleft()

    def _put(self, decoded: Decoded) -> None:
        with self._wake:
            if self._stopping:
                return
            if len(self._outbox) >= OUTBOX_FRAMES:
                self._outbox.popleft()
                self.superseded += 1
            self._outbox.append(decoded)
            if self._announced:
                return
            self._announced = True
        self._call(self._fetch)

    def _fetch(self) -> None:
        with self._wake:
            batch = list(self._outbox)
            self._outbox.clear()
            self._announced = False
            if self._stopping:
                return
        self._deliver(batch)

    def _call(self, callback: Callable[[], None]) -> None:
        try:
            self._loop.call_soon_threadsafe(callback)
        except RuntimeError:
            # The event loop is closed: the process ends, and nobody is left to tell.
            self._stopping = True


def open_decoder(codec: str) -> VideoCodecContext:
    """A decoder for ``VP8`` or ``H264`` that never holds a picture back."""
    context = CodecContext.create(DECODERS[codec], "r")
    if not isinstance(context, VideoCodecContext):
        msg = f"FFmpeg has no video decoder {DECODERS[codec]}"
        raise TypeError(msg)
    # Slice threads help only senders that cut slices, and with eight streams they ended in 522 ms of
    # event loop lag; the process has one decoder thread for every stream already.
    context.thread_count = 1
    # Without this an H.264 stream whose parameter sets name no reorder depth waits for further frames.
    # A few bytes can claim a picture of 16383x16383 points, which would be allocated before it fails.
    context.options = {"flags": "low_delay", "max_pixels": str(MAX_PIXELS)}
    return context


def decode(context: VideoCodecContext, work: Work) -> Decoded:
    """Decode one frame; errors become part of the answer."""
    packet = av.Packet(work.frame.data)
    try:
        pictures = context.decode(packet)
    except (av.FFmpegError, MemoryError, RuntimeError, ValueError) as error:
        # The thread has to outlive whatever a sender makes the decoder do.
        return Decoded(work.sequence, None, str(error))
    if not pictures:
        # Not a fault: frames that only others refer to are not shown.
        return Decoded(work.sequence, None, "")
    picture = pictures[-1]
    return Decoded(work.sequence, picture, "concealed" if picture.is_corrupt else "")
