"""Encoding pictures for the wire: VP8 or baseline H264, no added delay, bounded keyframes.

The tracks hand packets to aiortc instead of frames. Its own encoders start at 0.5 Mbit/s, stop at
1.5 (VP8), follow every estimate of the receiver by a new encoder and so a new keyframe, and are set by
module constants only: text of 720p panels is not legible at that rate.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from fractions import Fraction
from typing import TypeAlias

import av
import cv2
import numpy as np
from av.video.codeccontext import VideoCodecContext
from av.video.frame import PictureType
from av.video.stream import VideoStream

from arwarden.core.frame import ByteImage
from arwarden.headset.pictures import PictureSize

VideoPacket: TypeAlias = "av.Packet[VideoStream]"

CLOCK_RATE_HZ = 90_000
TIME_BASE = Fraction(1, CLOCK_RATE_HZ)
MAX_KEYFRAME_BITS = 800_000
"""100 KB are 77 packets. aiortc's receiver never releases a frame of 128 packets."""


class Codec(StrEnum):
    """What can be streamed."""

    VP8 = "vp8"
    H264 = "h264"


class VideoEncoder:
    """One stream's encoder. Blocking: used in a worker thread, by one thread at a time."""

    def __init__(
        self,
        codec: Codec,
        size: PictureSize,
        *,
        fps: float,
        bitrate_kbps: int,
        keyframe_every_s: float = 10.0,
    ) -> None:
        self._context = _context(codec, size, fps, bitrate_kbps)
        self._context.gop_size = max(1, round(fps * keyframe_every_s))
        self._size = size

    def encode(self, rgb: ByteImage, pts: int, *, keyframe: bool = False) -> list[VideoPacket]:
        """The packets of one picture. ``pts`` is in units of 1/90000 s and must grow."""
        frame = _yuv_frame(rgb)
        packets = self._encode(frame, pts, keyframe=keyframe)
        if sum(packet.size for packet in packets) * 8 > MAX_KEYFRAME_BITS:
            # libvpx bounds every keyframe but its first, by what it learned from that one: 494 KB of a
            # noisy 720p picture, 52 KB when it is encoded again.
            packets = self._encode(frame, pts + 1, keyframe=True)
        return packets

    def _encode(self, frame: av.VideoFrame, pts: int, *, keyframe: bool) -> list[VideoPacket]:
        frame.pts = pts
        frame.time_base = TIME_BASE
        frame.pict_type = PictureType.I if keyframe else PictureType.NONE
        return self._context.encode(frame)

    def flush(self) -> list[VideoPacket]:
        """What the encoder still holds; it cannot be used afterwards."""
        return self._context.encode(None)


def _yuv_frame(rgb: ByteImage) -> av.VideoFrame:
    # OpenCV converts 720p in 0.35 ms, FFmpeg's scaler in 2.3 ms; both to BT.601, limited range.
    planes = np.asarray(cv2.cvtColor(rgb, cv2.COLOR_RGB2YUV_I420), dtype=np.uint8)
    return av.VideoFrame.from_ndarray(planes, format="yuv420p")


def _context(codec: Codec, size: PictureSize, fps: float, bitrate_kbps: int) -> VideoCodecContext:
    name = "libvpx" if codec is Codec.VP8 else "libx264"
    context = av.CodecContext.create(name, "w")
    if not isinstance(context, VideoCodecContext):
        msg = f"{name} is not a video codec in this FFmpeg"
        raise TypeError(msg)
    context.width, context.height = size
    context.pix_fmt = "yuv420p"
    context.bit_rate = bitrate_kbps * 1000
    context.time_base = TIME_BASE
    context.framerate = Fraction(fps).limit_denominator(1001)
    context.thread_count = 1
    if codec is Codec.VP8:
        context.qmin, context.qmax = 2, 63
        context.options = dict(_vp8_options(fps, bitrate_kbps))
    else:
        context.profile = "Baseline"
        context.options = dict(_h264_options(bitrate_kbps))
    return context


def _vp8_options(fps: float, bitrate_kbps: int) -> Mapping[str, str]:
    bits = bitrate_kbps * 1000
    largest_intra_percent = max(100, round(100 * MAX_KEYFRAME_BITS * fps / bits))
    return {
        "deadline": "realtime",
        "cpu-used": "-6",
        "lag-in-frames": "0",
        "error-resilient": "default",
        "minrate": str(bits),
        "maxrate": str(bits),
        "bufsize": str(bits),
        "undershoot-pct": "100",
        "overshoot-pct": "15",
        "static-thresh": "1",
        "max-intra-rate": str(largest_intra_percent),
    }


def _h264_options(bitrate_kbps: int) -> Mapping[str, str]:
    bits = bitrate_kbps * 1000
    return {
        "preset": "superfast",
        "tune": "zerolatency",
        "maxrate": str(bits),
        "bufsize": str(min(bits // 2, MAX_KEYFRAME_BITS)),
        # One slice a picture, as headset encoders send; x264 would cut one per thread.
        "x264-params": "sliced-threads=0:threads=1:repeat-headers=1",
    }
