"""Clips encoded beforehand: streaming that costs no encoding, to load a receiver."""

from __future__ import annotations

import asyncio
from typing import cast

import av
from aiortc.mediastreams import MediaStreamError

from arwarden.core.clock import Clock
from arwarden.core.errors import InputError
from arwarden.headset.encoder import CLOCK_RATE_HZ, TIME_BASE, Codec, VideoEncoder, VideoPacket
from arwarden.headset.feed import StreamFormat, StreamTrack
from arwarden.headset.sources import FrameSource


class EncodedClip:
    """Packets made before, to load a receiver without the cost of encoding."""

    def __init__(self, codec: Codec, fps: float, packets: list[bytes]) -> None:
        self.codec = codec
        self.fps = fps
        self.packets = packets

    @classmethod
    def render(
        cls,
        source: FrameSource,
        *,
        seconds: float,
        stream: StreamFormat,
        keyframe_every_s: float = 2.0,
    ) -> EncodedClip:
        """Encode the first ``seconds`` of a source. Blocks for about as long as a third of that."""
        encoder = VideoEncoder(
            stream.codec,
            stream.size,
            fps=stream.fps,
            bitrate_kbps=stream.bitrate_kbps,
            keyframe_every_s=keyframe_every_s,
        )
        packets: list[bytes] = []
        for tick in range(round(seconds * stream.fps)):
            rgb = source.read(tick / stream.fps)
            if rgb is None:
                break
            made = encoder.encode(rgb, round(tick * CLOCK_RATE_HZ / stream.fps))
            packets.extend(bytes(packet) for packet in made)
        packets.extend(bytes(packet) for packet in encoder.flush())
        if not packets:
            raise InputError(source.name, "it has no picture to encode")
        return cls(stream.codec, stream.fps, packets)


class ClipFeed:
    """Streams an encoded clip over and over; every connection starts at the clip's first keyframe."""

    def __init__(self, clip: EncodedClip, clock: Clock) -> None:
        self.codec = clip.codec
        self.clip = clip
        self.clock = clock
        self.frames_sent = 0
        self.frames_skipped = 0
        self.started_ms: float | None = None

    def track(self) -> StreamTrack:
        """A new track that begins with the clip's first frame."""
        return _ClipTrack(self)

    async def ended(self) -> None:
        """Never returns: the clip loops."""
        await asyncio.Event().wait()

    async def close(self) -> None:
        """Nothing is held open."""


class _ClipTrack(StreamTrack):
    """Late frames are sent, not left out: the frames after them refer to them."""

    def __init__(self, feed: ClipFeed) -> None:
        super().__init__()
        self._feed = feed
        self._tick = -1
        self._start_s = 0.0
        self._start_ms = 0.0

    async def recv(self) -> VideoPacket:
        feed, fps = self._feed, self._feed.clip.fps
        if self.readyState != "live":
            raise MediaStreamError
        loop = asyncio.get_running_loop()
        if self._tick < 0:
            self._start_s, self._start_ms = loop.time(), feed.clock.now_ms()
            feed.started_ms = self._start_ms if feed.started_ms is None else feed.started_ms
        elif self.on_due is not None:
            self.on_due(self._start_ms + 1000.0 * self._tick / fps)
        self._tick += 1
        delay_s = self._start_s + self._tick / fps - loop.time()
        if delay_s > 0:
            await asyncio.sleep(delay_s)
        data = feed.clip.packets[self._tick % len(feed.clip.packets)]
        packet = cast("VideoPacket", av.Packet(data))
        packet.pts = round(self._tick * CLOCK_RATE_HZ / fps)
        packet.time_base = TIME_BASE
        feed.frames_sent += 1
        return packet
