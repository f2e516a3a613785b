"""RTP packets in, whole encoded frames out.

Stands where aiortc's jitter buffer stands, and differs in four measured points: a frame leaves with the
packet that carries the marker bit, not with the first packet of the next frame (one frame interval
earlier, 200 ms at 5 frames a second); all frames that a repair completes leave at once, not one per
further packet; a frame may have thousands of packets; and no part of an incomplete frame ever leaves.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from arwarden.ingest.clock_sync import ticks_between

CAPACITY_PACKETS = 2048
"""About 2.4 MB of video: a keyframe of 1280x960 noise has 108 packets, one of 4K some 600."""
ASK_AGAIN_MS = 80.0
"""aiortc asks for a missing packet once; here it is asked for again at this interval."""
ASK_AT_ONCE = 64
RESTART_GAP = 3_000
"""A step of sequence numbers this large is a new numbering, not loss."""
LATE_LIMIT = 256
"""So many packets in a row from before the current place: the sender numbers anew."""


class Packet(NamedTuple):
    """A video packet, depayloaded: of VP8 a piece of the frame, of H.264 NAL units in Annex B form."""

    source: int
    sequence: int
    timestamp: int
    marker: bool
    data: bytes
    starts_frame: bool
    keyframe: bool
    codec: str
    arrival_ms: float


@dataclass(frozen=True, slots=True)
class EncodedFrame:
    """A whole frame, ready for the decoder."""

    codec: str
    data: bytes
    keyframe: bool
    after_loss: bool
    """Frames before this one were lost since the last whole frame."""
    rtp_timestamp: int
    media_ticks: int
    """The RTP time stamp made continuous over wraps, in 1/90000 s, from an arbitrary origin."""
    arrival_ms: float
    """When the last of its packets came."""
    packets: int


@dataclass(slots=True)
class _Gap:
    since_ms: float
    asked_ms: dict[int, float] = field(default_factory=dict)


class FrameAssembler:
    """Puts the frames of one stream together. Times are on the daemon's clock, in milliseconds."""

    def __init__(self, repair_wait_ms: float) -> None:
        self._repair_wait_ms = repair_wait_ms
        self._source: int | None = None
        self._next = 0
        self._highest = -1
        self._waiting: dict[int, Packet] = {}
        self._frame: list[Packet] = []
        self._skipped_timestamp: int | None = None
        self._after_gap = True
        self._gap: _Gap | None = None
        self._late_in_a_row = 0
        self._after_loss = False
        self._ticks = 0
        self._last_timestamp: int | None = None
        self.lost_packets = 0
        """Packets given up, since the start."""
        self.late_packets = 0
        """Packets that came after they were given up, or twice."""
        self.lost_frames = 0
        """Frames that were begun and not finished, or whose beginning was lost."""
        self.restarts = 0
        """Times that the sender began a new numbering."""

    @property
    def source(self) -> int | None:
        """The synchronisation source that sends now."""
        return self._source

    def add(self, packet: Packet) -> list[EncodedFrame]:
        """Take a packet and return the frames that are whole now, oldest first."""
        if packet.source != self._source:
            self._restart(packet)
        sequence = self._extend(packet.sequence)
        if abs(sequence - self._next) > RESTART_GAP or self._late_in_a_row >= LATE_LIMIT:
            self._restart(packet)
            sequence = self._next
        if sequence < self._next or sequence in self._waiting:
            self.late_packets += 1
            self._late_in_a_row += sequence < self._next
            return []
        self._late_in_a_row = 0
        self._waiting[sequence] = packet
        self._highest = max(self._highest, sequence)
        frames = self._drain()
        while len(self._waiting) > CAPACITY_PACKETS:
            frames += self._give_up()
        return frames

    def expire(self, now_ms: float) -> list[EncodedFrame]:
        """Give up packets that were waited for long enough, and return the frames this sets free."""
        frames: list[EncodedFrame] = []
        while self._gap is not None and now_ms - self._gap.since_ms >= self._repair_wait_ms:
            frames += self._give_up()
        return frames

    def to_ask_again(self, now_ms: float) -> list[int]:
        """Sequence numbers, modulo 2^16, of missing packets whose repair is overdue."""
        if self._gap is None:
            return []
        asked_ms = self._gap.asked_ms
        overdue: list[int] = []
        for sequence in range(self._next, self._highest):
            if sequence in self._waiting:
                continue
            # aiortc has asked when it saw the gap.
            if now_ms - asked_ms.setdefault(sequence, self._gap.since_ms) >= ASK_AGAIN_MS:
                asked_ms[sequence] = now_ms
                overdue.append(sequence & 0xFFFF)
                if len(overdue) == ASK_AT_ONCE:
                    break
        return overdue

    def _restart(self, packet: Packet) -> None:
        if self._source is not None:
            self.restarts += 1
            self.lost_frames += bool(self._frame)
            self._after_loss = True
        self._source = packet.source
        self._next = packet.sequence
        self._highest = packet.sequence - 1
        self._waiting.clear()
        self._frame.clear()
        self._skipped_timestamp = None
        self._after_gap = True
        self._gap = None
        self._late_in_a_row = 0

    def _extend(self, sequence: int) -> int:
        """The sequence number made continuous: the one nearest to the place we are at."""
        return self._next + ((sequence - self._next + 0x8000) & 0xFFFF) - 0x8000

    def _drain(self) -> list[EncodedFrame]:
        frames: list[EncodedFrame] = []
        moved = False
        while (packet := self._waiting.pop(self._next, None)) is not None:
            moved = True
            self._next += 1
            frames += self._consume(packet)
        if not self._waiting:
            self._gap = None
        elif self._gap is None or moved:
            # Each gap has its own time to be repaired: since the packet behind it came.
            asked_ms = self._gap.asked_ms if self._gap is not None else {}
            asked_ms = {number: asked for number, asked in asked_ms.items() if number > self._next}
            self._gap = _Gap(self._waiting[min(self._waiting)].arrival_ms, asked_ms)
        return frames

    def _give_up(self) -> list[EncodedFrame]:
        following = min(self._waiting)
        self.lost_packets += following - self._next
        self._next = following
        if self._frame:
            self._lose_frame(self._frame[0].timestamp)
        self._after_loss = True
        self._after_gap = True
        return self._drain()

    def _consume(self, packet: Packet) -> list[EncodedFrame]:
        """Take the next packet in order."""
        released: list[EncodedFrame] = []
        if self._frame and packet.timestamp != self._frame[0].timestamp:
            # A sender that sets no marker: the next frame's first packet ends this one.
            released.append(self._release())
        if self._skipped_timestamp is not None and packet.timestamp != self._skipped_timestamp:
            self._skipped_timestamp = None
        if not packet.data and not self._frame:
            return released
        if self._after_gap and not packet.starts_frame and self._skipped_timestamp is None:
            self._lose_frame(packet.timestamp)
        self._after_gap = False
        if self._skipped_timestamp is not None:
            if packet.marker:
                self._skipped_timestamp = None
            return released
        self._frame.append(packet)
        if packet.marker:
            released.append(self._release())
        return released

    def _lose_frame(self, timestamp: int) -> None:
        self._frame.clear()
        self._skipped_timestamp = timestamp
        self.lost_frames += 1
        self._after_loss = True

    def _release(self) -> EncodedFrame:
        packets = self._frame
        self._frame = []
        timestamp = packets[0].timestamp
        if self._last_timestamp is not None:
            self._ticks += ticks_between(timestamp, self._last_timestamp)
        self._last_timestamp = timestamp
        after_loss, self._after_loss = self._after_loss, False
        return EncodedFrame(
            codec=packets[0].codec,
            data=b"".join(packet.data for packet in packets),
            keyframe=any(packet.keyframe for packet in packets),
            after_loss=after_loss,
            rtp_timestamp=timestamp,
            media_ticks=self._ticks,
            arrival_ms=max(packet.arrival_ms for packet in packets),
            packets=len(packets),
        )
