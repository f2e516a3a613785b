"""What is streamed, as tracks for aiortc: pictures encoded as they are shown.

A feed outlives connections. Its time starts with the first frame that is asked for, which aiortc does
once the connection stands, and goes on through reconnections.
"""

from __future__ import annotations

import asyncio
import math
from abc import abstractmethod
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Protocol

import structlog
from aiortc.mediastreams import MediaStreamError, MediaStreamTrack

from arwarden.core.clock import Clock
from arwarden.headset.encoder import CLOCK_RATE_HZ, Codec, VideoEncoder, VideoPacket
from arwarden.headset.pictures import DEFAULT_SIZE, PictureSize
from arwarden.headset.sources import FrameSource

log = structlog.get_logger(__name__)

KEYFRAME_PAUSE_S = 0.3
"""Requests that come closer together get one keyframe: each costs many times an ordinary frame."""
CLOSE_TIMEOUT_S = 2.0


@dataclass(frozen=True, slots=True)
class StreamFormat:
    """How the pictures are sent."""

    size: PictureSize = DEFAULT_SIZE
    fps: float = 30.0
    codec: Codec = Codec.VP8
    bitrate_kbps: int = 2500


class StreamTrack(MediaStreamTrack):
    """A track whose packets carry capture times, and that can be asked for a keyframe."""

    kind = "video"
    on_due: Callable[[float], None] | None = None
    """Called with the capture time (headset clock) of the frame before, once that is on the wire."""

    @abstractmethod
    async def recv(self) -> VideoPacket:
        """The next packet, when it is due. Raises ``MediaStreamError`` once the stream has ended."""

    def request_keyframe(self) -> None:
        """Make one of the next frames a keyframe, where the feed can."""


class Feed(Protocol):
    """Something that can be streamed, to one connection at a time."""

    codec: Codec
    frames_sent: int
    frames_skipped: int
    started_ms: float | None
    """The capture time of the frame at 0 s on the headset's clock; None before it."""

    def track(self) -> StreamTrack:
        """A new track for a new connection; the one before must not be read any more."""
        ...

    async def ended(self) -> None:
        """Return once the stream has come to its end. Raises what ended it, where it is a failure."""
        ...

    async def close(self) -> None:
        """Let go of the source. No track is read any more."""
        ...


class _Pace:
    """Which frame is due when. Frames whose time has passed are left out, not sent late."""

    def __init__(self, fps: float) -> None:
        self._fps = fps
        self._start_s: float | None = None
        self.tick = -1

    async def next_tick(self) -> int:
        """Wait for the next frame's time; returns how many were left out before it."""
        now_s = asyncio.get_running_loop().time()
        if self._start_s is None:
            self._start_s = now_s
        wanted = max(self.tick + 1, math.floor((now_s - self._start_s) * self._fps))
        left_out, self.tick = wanted - self.tick - 1, wanted
        delay_s = self._start_s + wanted / self._fps - now_s
        if delay_s > 0:
            await asyncio.sleep(delay_s)
        return left_out


class LiveFeed:
    """Reads a source, encodes and hands out, all in one worker thread of its own."""

    def __init__(self, source: FrameSource, stream: StreamFormat, clock: Clock) -> None:
        self.codec = stream.codec
        self.stream = stream
        self.frames_sent = 0
        self.frames_skipped = 0
        self.started_ms: float | None = None
        self.worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="headset-video")
        self.pace = _Pace(stream.fps)
        self._source = source
        self._clock = clock
        self._over = asyncio.Event()
        self._failure: Exception | None = None

    def track(self) -> StreamTrack:
        """A new track with a new encoder, so it begins with a keyframe."""
        return _LiveTrack(self)

    async def ended(self) -> None:
        """Return after the last picture of a source that does not loop; raises ``InputError``."""
        await self._over.wait()
        if self._failure is not None:
            raise self._failure

    async def close(self) -> None:
        """Close the source, after the worker is done with it."""
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(CLOSE_TIMEOUT_S):
                await loop.run_in_executor(self.worker, self._source.close)
        except TimeoutError:
            log.warning("source_slow_to_close", source=self._source.name)
        self.worker.shutdown(wait=False, cancel_futures=True)

    def capture_ms(self, tick: int) -> float:
        """When the frame with this number was, or will be, captured, on the headset's clock."""
        if self.started_ms is None:
            self.started_ms = self._clock.now_ms() - 1000.0 * tick / self.stream.fps
        return self.started_ms + 1000.0 * tick / self.stream.fps

    def end(self, failure: Exception | None = None) -> None:
        """Say that no further frame will come."""
        self._failure = failure
        self._over.set()

    def produce(self, encoder: VideoEncoder, tick: int, *, keyframe: bool) -> list[VideoPacket] | None:
        """In the worker: the packets of one frame, or None at the end of the source."""
        rgb = self._source.read(tick / self.stream.fps)
        if rgb is None:
            return None
        return encoder.encode(rgb, round(tick * CLOCK_RATE_HZ / self.stream.fps), keyframe=keyframe)


class _LiveTrack(StreamTrack):
    def __init__(self, feed: LiveFeed) -> None:
        super().__init__()
        stream = feed.stream
        self._feed = feed
        self._encoder = VideoEncoder(
            stream.codec, stream.size, fps=stream.fps, bitrate_kbps=stream.bitrate_kbps
        )
        self._tick: int | None = None
        self._ready: deque[VideoPacket] = deque()
        self._keyframe_wanted = False
        self._keyframe_s = -math.inf

    async def recv(self) -> VideoPacket:
        feed = self._feed
        if self.on_due is not None and self._tick is not None:
            self.on_due(feed.capture_ms(self._tick))
        while not self._ready:
            if self.readyState != "live":
                raise MediaStreamError
            left_out = await feed.pace.next_tick()
            # What passed while there was no connection was not skipped.
            feed.frames_skipped += left_out if self._tick is not None else 0
            self._tick = feed.pace.tick
            feed.capture_ms(self._tick)
            self._ready.extend(await self._frame(self._tick))
        feed.frames_sent += 1
        return self._ready.popleft()

    async def _frame(self, tick: int) -> list[VideoPacket]:
        feed = self._feed
        loop = asyncio.get_running_loop()
        keyframe = self._keyframe_wanted and loop.time() - self._keyframe_s >= KEYFRAME_PAUSE_S
        if keyframe:
            self._keyframe_wanted, self._keyframe_s = False, loop.time()
        try:
            packets = await loop.run_in_executor(
                feed.worker, lambda: feed.produce(self._encoder, tick, keyframe=keyframe)
            )
        except Exception as error:
            # aiortc would only log it, and the stream would stand still without a word.
            feed.end(error)
            raise MediaStreamError from error
        if packets is None:
            feed.end()
            raise MediaStreamError
        return packets

    def request_keyframe(self) -> None:
        self._keyframe_wanted = True
