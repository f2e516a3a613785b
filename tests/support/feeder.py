"""A sender for tests, with a hand on every packet: in this process, or in one that can be killed.

Real aiortc over loopback. What it streams carries a number and the wall time in the picture, so that a
test knows which picture it got and how old it is.
"""

from __future__ import annotations

import argparse
import asyncio
import fractions
import json
import os
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import av
import numpy as np
from aiortc import RTCConfiguration, RTCPeerConnection, RTCSessionDescription
from aiortc.mediastreams import MediaStreamError, MediaStreamTrack
from aiortc.rtcrtpparameters import RTCRtpCodecCapability
from aiortc.rtcrtpsender import RTCRtpSender
from aiortc.rtp import RTCP_PSFB_PLI, AnyRtcpPacket, RtcpPsfbPacket, RtcpRtpfbPacket

from arwarden.core.frame import ByteImage

ROOT = Path(__file__).resolve().parents[2]
TIME_BASE = fractions.Fraction(1, 90_000)
CELL_PX = 8
MARK_COLUMNS = 16
MARK_ROWS = 4
"""A number of 16 bits, milliseconds of 32 bits, and the number inverted; 16 bits to a row."""
VP8_DATA_PER_PACKET = 1296


class Mark(NamedTuple):
    """What is written into a picture."""

    number: int
    time_ms: int


def draw_mark(luma: ByteImage, mark: Mark) -> None:
    words = (mark.number, mark.time_ms >> 16, mark.time_ms, ~mark.number)
    for row, word in enumerate(words):
        for column in range(MARK_COLUMNS):
            value = 235 if word >> (MARK_COLUMNS - 1 - column) & 1 else 16
            top, left = row * CELL_PX, column * CELL_PX
            luma[top : top + CELL_PX, left : left + CELL_PX] = value


def read_mark(luma: ByteImage) -> Mark | None:
    """The mark of a picture, or None where there is none or it is damaged."""
    words = []
    for row in range(MARK_ROWS):
        cells = luma[row * CELL_PX : (row + 1) * CELL_PX, : MARK_COLUMNS * CELL_PX]
        bits = cells.reshape(CELL_PX, MARK_COLUMNS, CELL_PX).mean(axis=(0, 2)) > 125
        words.append(int("".join("1" if bit else "0" for bit in bits), 2))
    if words[0] ^ words[3] != 0xFFFF:
        return None
    return Mark(words[0], words[1] << 16 | words[2])


def wall_mark_ms() -> int:
    return int(time.time() * 1000) & 0xFFFFFFFF


def marked_picture(number: int, width_px: int, height_px: int, *, seed: int | None = None) -> av.VideoFrame:
    """A grey picture that moves a little, or noise where ``seed`` is given, with a mark if it is large."""
    if seed is None:
        luma = np.full((height_px, width_px), 90, np.uint8)
        luma[:, (number * 4) % max(1, width_px) :] = 110
    else:
        luma = np.random.default_rng(seed).integers(16, 235, (height_px, width_px), np.uint8)
    if width_px >= MARK_COLUMNS * CELL_PX and height_px >= MARK_ROWS * CELL_PX:
        draw_mark(luma, Mark(number & 0xFFFF, wall_mark_ms()))
    frame = av.VideoFrame(width_px, height_px, "yuv420p")
    for plane, rows in zip(frame.planes, _planes(luma), strict=True):
        padded = np.zeros((plane.height, plane.line_size), np.uint8)
        padded[:, : rows.shape[1]] = rows
        plane.update(padded.tobytes())
    return frame


def _planes(luma: ByteImage) -> Iterator[ByteImage]:
    height, width = (luma.shape[0] + 1) // 2, (luma.shape[1] + 1) // 2
    yield luma
    for _ in range(2):
        yield np.full((height, width), 128, np.uint8)


def vp8_packets(pictures: Iterable[av.VideoFrame], *, keyframe_packets: int = 0) -> list[bytes]:
    """Pictures as VP8 frames, the first a keyframe, padded so that it takes that many RTP packets."""
    pictures = list(pictures)
    encoder = av.CodecContext.create("libvpx", "w")
    encoder.width, encoder.height = pictures[0].width, pictures[0].height
    encoder.pix_fmt = "yuv420p"
    encoder.bit_rate = 2_000_000
    encoder.options = {"deadline": "realtime", "cpu-used": "-6", "lag-in-frames": "0"}
    encoder.time_base = fractions.Fraction(1, 30)
    frames: list[bytes] = []
    for index, picture in enumerate(pictures):
        picture.pts, picture.time_base = index, fractions.Fraction(1, 30)
        frames.append(b"".join(bytes(packet) for packet in encoder.encode(picture)))
    # Bytes behind the last partition belong to it and are not read.
    frames[0] += bytes(max(0, keyframe_packets * VP8_DATA_PER_PACKET - 10 - len(frames[0])))
    return frames


class PacedTrack(MediaStreamTrack):
    """Pictures or packets at a steady rate; after a pause it catches up, as aiortc's own tracks do."""

    kind = "video"

    def __init__(self, make: Callable[[int], av.VideoFrame | bytes], fps: float) -> None:
        super().__init__()
        self._make = make
        self._fps = fps
        self._start: float | None = None
        self.number = 0
        self.media_pauses = True
        """Whether the media clock stands still while the track is paused."""
        self.ticks_offset = 0
        self.paused = asyncio.Event()
        self.paused.set()

    async def recv(self) -> Any:
        if self.readyState != "live":
            raise MediaStreamError
        await self.paused.wait()
        now = time.monotonic()
        if self._start is None:
            self._start = now
        due = self._start + self.number / self._fps
        if due > now:
            await asyncio.sleep(due - now)
        made = self._make(self.number)
        pts = int(self.number * 90_000 / self._fps) + self.ticks_offset
        self.number += 1
        if isinstance(made, bytes):
            packet = av.Packet(made)
            packet.pts, packet.time_base = pts, TIME_BASE
            return packet
        made.pts, made.time_base = pts, TIME_BASE
        return made

    def shift_start(self, by_s: float) -> None:
        """Do not catch up what a pause left undone."""
        if self._start is not None:
            self._start += by_s


class SentPacket(NamedTuple):
    number: int
    """Counts the media packets, retransmissions excluded."""
    payload_type: int
    sequence: int
    timestamp: int
    marker: bool
    retransmission: bool


@dataclass(eq=False)
class Feeder:
    """One sender. ``drop`` decides over each packet, right before it would be encrypted."""

    make: Callable[[int], av.VideoFrame | bytes] = lambda number: marked_picture(number, 160, 120)
    fps: float = 30.0
    codec: str = "VP8"
    drop: Callable[[SentPacket], bool] = lambda _packet: False
    delay_s: Callable[[SentPacket], float] = lambda _packet: 0.0
    ignore_pli: bool = False
    rtx: bool = True
    on_packets: int = 20
    """So many packets go out before others get a turn, as a paced sender would."""
    clock_channel: bool = False
    hello_view: str = "composited"
    plis: list[float] = field(default_factory=list)
    nacked: int = 0
    sent: int = 0

    def __post_init__(self) -> None:
        OPEN_FEEDERS.append(self)
        self.pc = RTCPeerConnection(RTCConfiguration(iceServers=[]))
        self.track = PacedTrack(self.make, self.fps)
        self._media_types: set[int] = set()
        self._delayed: set[asyncio.Task[None]] = set()
        self.channel: Any = None
        self.answered_pings = 0
        self.sender: RTCRtpSender = self.pc.addTrack(self.track)
        if self.clock_channel:
            self._open_clock_channel()

    async def offer(self) -> str:
        transceiver = self.pc.getTransceivers()[0]
        transceiver.direction = "sendonly"
        transceiver.setCodecPreferences(list(self._codecs()))
        await self.pc.setLocalDescription(await self.pc.createOffer())
        return str(self.pc.localDescription.sdp)

    async def accept(self, answer: str) -> None:
        self._hook()
        await self.pc.setRemoteDescription(RTCSessionDescription(sdp=answer, type="answer"))
        self._media_types = {
            codec.payloadType
            for codec in self.pc.getTransceivers()[0]._codecs
            if "rtx" not in codec.mimeType and codec.payloadType is not None
        }
        self._hook()

    async def close(self) -> None:
        for task in self._delayed:
            task.cancel()
        if self in OPEN_FEEDERS:
            OPEN_FEEDERS.remove(self)
        await self.pc.close()

    def _codecs(self) -> Iterator[RTCRtpCodecCapability]:
        for codec in RTCRtpSender.getCapabilities("video").codecs:
            if codec.mimeType == f"video/{self.codec}" or (self.rtx and codec.mimeType == "video/rtx"):
                yield codec

    def _hook(self) -> None:
        dtls = self.sender.transport
        if getattr(dtls, "hooked", False):
            return
        dtls.hooked = True  # type: ignore[attr-defined]
        send = dtls._send_rtp

        async def send_some(data: bytes) -> None:
            if 192 <= data[1] <= 208:
                await send(data)
                return
            packet = self._describe(data)
            if self.drop(packet):
                return
            if (wait_s := self.delay_s(packet)) > 0:
                task = asyncio.create_task(self._send_later(send, data, wait_s))
                self._delayed.add(task)
                task.add_done_callback(self._delayed.discard)
                return
            await send(data)
            if self.sent % self.on_packets == 0:
                await asyncio.sleep(0.001)

        dtls._send_rtp = send_some  # type: ignore[method-assign]
        self._hook_feedback()

    def _hook_feedback(self) -> None:
        handle = self.sender._handle_rtcp_packet

        async def handle_and_count(packet: AnyRtcpPacket) -> None:
            if isinstance(packet, RtcpPsfbPacket) and packet.fmt == RTCP_PSFB_PLI:
                self.plis.append(time.monotonic())
                if self.ignore_pli:
                    return
            if isinstance(packet, RtcpRtpfbPacket):
                self.nacked += len(packet.lost)
            await handle(packet)

        self.sender._handle_rtcp_packet = handle_and_count  # type: ignore[method-assign]

    def _describe(self, data: bytes) -> SentPacket:
        retransmission = data[1] & 0x7F not in self._media_types
        packet = SentPacket(
            number=self.sent,
            payload_type=data[1] & 0x7F,
            sequence=int.from_bytes(data[2:4], "big"),
            timestamp=int.from_bytes(data[4:8], "big"),
            marker=bool(data[1] & 0x80),
            retransmission=retransmission,
        )
        self.sent += not retransmission
        return packet

    async def _send_later(self, send: Callable[[bytes], Any], data: bytes, wait_s: float) -> None:
        await asyncio.sleep(wait_s)
        try:
            await send(data)
        except ConnectionError:
            return

    def _open_clock_channel(self) -> None:
        channel = self.pc.createDataChannel("clock", ordered=False, maxRetransmits=0)
        self.channel = channel

        @channel.on("open")
        def say_hello() -> None:
            channel.send(json.dumps({"type": "hello", "view": self.hello_view, "client": "feeder"}))

        @channel.on("message")
        def answer(message: str) -> None:
            ping = json.loads(message)
            if ping["type"] == "ping":
                self.answered_pings += 1
                now_ms = wall_ms()
                channel.send(json.dumps({**ping, "type": "pong", "t1_ms": now_ms, "t2_ms": now_ms}))


OPEN_FEEDERS: list[Feeder] = []
"""Those a failed test leaves: with warnings as errors uvloop hangs over sockets that nobody closed."""


async def close_feeders() -> None:
    """Close what tests left open."""
    while OPEN_FEEDERS:
        await OPEN_FEEDERS.pop().close()


def wall_ms() -> float:
    """This process's wall clock, as aiortc's sender reports say it."""
    from aiortc import clock

    return clock.current_datetime().timestamp() * 1000.0


def loss_pattern(pattern: list[bool]) -> Callable[[SentPacket], bool]:
    """Drop the media packets at which ``pattern`` (repeated) is True; let retransmissions through."""
    return lambda packet: not packet.retransmission and pattern[packet.number % len(pattern)]


class FeederProcess:
    """A feeder in its own process."""

    def __init__(self, process: asyncio.subprocess.Process, offer: str) -> None:
        self._process = process
        self.offer = offer

    @classmethod
    async def start(cls, *arguments: str) -> FeederProcess:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "tests.support.feeder",
            *arguments,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'daemon'}"},
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=1 << 20,
        )
        if process.stdout is None:
            raise RuntimeError
        line = await asyncio.wait_for(process.stdout.readline(), 30)
        return cls(process, json.loads(line)["sdp"])

    async def accept(self, answer: str) -> None:
        if self._process.stdin is None:
            raise RuntimeError
        self._process.stdin.write(json.dumps({"sdp": answer}).encode() + b"\n")
        await self._process.stdin.drain()

    def signal(self, number: signal.Signals) -> None:
        self._process.send_signal(number)

    async def end(self) -> None:
        """Kill it, whatever state it is in, and collect it."""
        if self._process.returncode is None:
            self._process.kill()
        await self._process.wait()
        if self._process.stdin is not None:
            self._process.stdin.close()
        transport = getattr(self._process, "_transport", None)
        if transport is not None:
            transport.close()


async def _main() -> None:
    parser = argparse.ArgumentParser(
        description="Streams marked pictures; offer out, answer in, as JSON lines."
    )
    parser.add_argument("--size", default="160x120")
    parser.add_argument("--fps", type=float, default=30.0)
    parser.add_argument("--codec", default="VP8")
    parser.add_argument("--clock-channel", action="store_true")
    parser.add_argument("--skew-ms", type=float, default=0.0, help="how far this process's clock is ahead")
    options = parser.parse_args()
    width_px, height_px = (int(side) for side in options.size.split("x"))
    _skew_clock(options.skew_ms)
    feeder = Feeder(
        make=lambda number: marked_picture(number, width_px, height_px),
        fps=options.fps,
        codec=options.codec,
        clock_channel=options.clock_channel,
    )
    sys.stdout.write(json.dumps({"sdp": await feeder.offer()}) + "\n")
    sys.stdout.flush()
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), sys.stdin
    )
    await feeder.accept(json.loads(await reader.readline())["sdp"])
    await reader.read()
    await feeder.close()


def _skew_clock(skew_ms: float) -> None:
    """Set this process's clock as aiortc sees it, and let it send reports twice a second."""
    import datetime as dt

    from aiortc import clock, rtcrtpsender

    real = clock.current_datetime
    skew = dt.timedelta(milliseconds=skew_ms)
    clock.current_datetime = lambda: real() + skew
    rtcrtpsender.random.random = lambda: 0.0  # type: ignore[attr-defined]


if __name__ == "__main__":
    asyncio.run(_main())
