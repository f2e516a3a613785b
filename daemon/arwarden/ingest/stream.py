"""One session's video, from packets to frames with capture times and a state. Knows no sockets."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

import structlog

from arwarden.config import IngestConfig
from arwarden.contract.messages import SessionState
from arwarden.core.clock import Clock
from arwarden.core.counters import Counters
from arwarden.core.frame import CaptureClock, Frame, TransportHealth, View
from arwarden.ingest import transport
from arwarden.ingest.assembler import EncodedFrame, FrameAssembler, Packet
from arwarden.ingest.clock_channel import Allowance, ClockChannel
from arwarden.ingest.clock_sync import VIDEO_TICKS_PER_MS, SenderTimes, capture_time
from arwarden.ingest.decoder import Decoded, Decoder, Work
from arwarden.ingest.keyframes import KeyframeRequests
from arwarden.ingest.liveness import Liveness, Phase
from arwarden.ingest.picture import AvPicture
from arwarden.ingest.staleness import Staleness

log = structlog.get_logger(__name__)

DEGRADED_HOLD_MS = 1_000.0
"""A session stays degraded this long after the last reason, so that its state does not flicker."""
RATE_WINDOW_MS = 2_000.0
_PHASE_STATES = {
    Phase.CONNECTING: SessionState.CONNECTING,
    Phase.STALLED: SessionState.STALLED,
    Phase.PARKED: SessionState.LOST,
    Phase.CLOSED: SessionState.CLOSED,
}


class StreamHandler(Protocol):
    """What becomes of a session's frames. Called on the event loop; every call has to be quick."""

    def on_frame(self, frame: Frame) -> None:
        """A fresh picture came in. Called for each one; leftovers of a pause are counted and left out."""
        ...

    def on_state(self, state: SessionState, reasons: tuple[str, ...], now_ms: float) -> None:
        """The state, or the reasons for it, changed."""
        ...

    def on_view(self, view: View) -> None:
        """The client said which view it streams."""
        ...

    def on_clock(self, offset_ms: float | None) -> None:
        """The headset's clock minus the daemon's, as last measured."""
        ...

    async def close(self, reason: str) -> None:
        """The session is over. Nothing is called afterwards."""
        ...


class Requests(NamedTuple):
    """What to ask the sender for."""

    source: int
    keyframe: bool
    packets: list[int]


@dataclass(slots=True)
class StreamCounts:
    """Counts of one session."""

    frames_received: int = 0
    """Whole frames that came in."""
    frames_decoded: int = 0
    frames_stale: int = 0
    frames_undecoded: int = 0
    """Frames thrown away before the decoder, or that it could not decode."""
    keyframes_requested: int = 0


class _InDecoder(NamedTuple):
    frame: EncodedFrame
    stale: bool
    lateness_ms: float
    transport: TransportHealth


class Stream:
    """A ``MediaSink`` that turns packets into frames for a ``StreamHandler``."""

    def __init__(
        self,
        *,
        session_id: str,
        view: View,
        config: IngestConfig,
        clock: Clock,
        counters: Counters,
        loop: asyncio.AbstractEventLoop,
        may_resume: Callable[[], bool],
    ) -> None:
        now_ms = clock.now_ms()
        self._session_id = session_id
        self._config = config
        self._clock = clock
        self._counters = counters
        self._handler: StreamHandler | None = None
        self._may_resume = may_resume
        self._assembler = FrameAssembler(config.repair_wait_ms)
        self._decoder = Decoder(loop, self._on_decoded)
        self._keyframes = KeyframeRequests(config.keyframe_after_ms)
        self._transport = transport.TransportMonitor()
        self._staleness = Staleness(config.stale_after_ms)
        self._sender_times = SenderTimes()
        self._in_decoder: dict[int, _InDecoder] = {}
        self._lost_packets = self._late_packets = self._lost_frames = self._restarts = self._superseded = 0
        self._sequence = 0
        self._had_keyframe = False
        self._stale_now = False
        self._first_packet_ms: float | None = None
        self._shown_ms: deque[float] = deque(maxlen=512)
        self._degraded: tuple[float, tuple[str, ...]] | None = None
        self.liveness = Liveness(
            connect_timeout_ms=config.connect_timeout_ms,
            stall_ms=config.stall_ms,
            release_ms=config.release_ms,
            now_ms=now_ms,
        )
        self._clock_channel: ClockChannel | None = None
        self._clock_allowance = Allowance(now_ms)
        self.view = view
        self.counts = StreamCounts()
        self.state = SessionState.CONNECTING
        self.reasons: tuple[str, ...] = ()
        self.capture_clock = CaptureClock.ARRIVAL
        self.size_px = (0, 0)
        self.codec = ""

    def start(self, handler: StreamHandler) -> None:
        """Tell ``handler`` from now on what happens."""
        self._handler = handler

    def now_ms(self) -> float:
        """The time on the daemon's clock."""
        return self._clock.now_ms()

    def health(self, now_ms: float) -> TransportHealth:
        """What the transport did to the picture lately."""
        return self._transport.health(now_ms)

    def received_fps(self, now_ms: float) -> float:
        """Pictures a second over the last two seconds."""
        return sum(now_ms - at_ms <= RATE_WINDOW_MS for at_ms in self._shown_ms) * 1000.0 / RATE_WINDOW_MS

    @property
    def clock_offset_ms(self) -> float | None:
        """Headset clock minus daemon clock, where it is known."""
        return self._clock_channel.offset_ms if self._clock_channel is not None else None

    def open_clock_channel(self, send: Callable[[str], bool]) -> ClockChannel:
        """The client opened the data channel for clocks; a later one takes the place of an earlier one."""
        if self._clock_channel is not None:
            self._counters.add("ingest.clock_channels_replaced")
            self._clock_channel.silence()
        self._clock_channel = ClockChannel(
            send=send,
            clock=self._clock,
            counters=self._counters,
            on_view=self._set_view,
            on_offset=lambda offset_ms: self._tell(lambda handler: handler.on_clock(offset_ms)),
            allowance=self._clock_allowance,
        )
        return self._clock_channel

    def _set_view(self, view: View) -> None:
        if view is not self.view:
            self.view = view
            self._tell(lambda handler: handler.on_view(view))

    def on_packet(self, packet: Packet) -> None:
        """Take a video packet."""
        now_ms = packet.arrival_ms
        slot_free = self.liveness.phase is not Phase.PARKED or self._may_resume()
        self.liveness.packet(now_ms, slot_free=slot_free)
        if self.liveness.phase is not Phase.LIVE:
            self._counters.add("ingest.packets_without_slot")
            return
        if self._first_packet_ms is None:
            self._first_packet_ms = now_ms
        if packet.data:
            self._keyframes.packet(now_ms)
        frames = self._assembler.add(packet)
        self._count(received=1, now_ms=now_ms)
        for frame in frames:
            self._take(frame, now_ms)

    def on_sender_report(self, source: int, rtp_timestamp: int, ntp: int) -> None:
        """Take a sender report."""
        if source == self._assembler.source:
            self._sender_times.add(rtp_timestamp, ntp)

    def tick(self, now_ms: float) -> Requests | None:
        """Let time pass, tell the state where it changed, and return what to ask the sender for."""
        self.liveness.tick(now_ms)
        if self._clock_channel is not None:
            self._clock_channel.tick(now_ms)
        frames = self._assembler.expire(now_ms)
        self._count(received=0, now_ms=now_ms)
        for frame in frames:
            self._take(frame, now_ms)
        self.publish_state(now_ms)
        source = self._assembler.source
        if source is None or self.liveness.phase is not Phase.LIVE:
            return None
        again = self._assembler.to_ask_again(now_ms)
        self._counters.add("ingest.packets_asked_again", len(again))
        keyframe = self._keyframes.due(now_ms)
        if keyframe:
            self.counts.keyframes_requested += 1
            self._counters.add("ingest.keyframes_requested")
        return Requests(source, keyframe, again) if keyframe or again else None

    def publish_state(self, now_ms: float) -> None:
        """Tell the handler the state where it, or its reasons, changed."""
        state, reasons = self._judge(now_ms)
        if (state, reasons) != (self.state, self.reasons):
            if state is not self.state:
                log.info(
                    "session_state", session_id=self._session_id, state=state.value, reasons=list(reasons)
                )
            self.state, self.reasons = state, reasons
            self._tell(lambda handler: handler.on_state(state, reasons, now_ms))
        if state is SessionState.CLOSED:
            self._handler = None

    async def close(self, timeout_s: float) -> bool:
        """Stop decoding; False where the decoder did not end in time."""
        return await self._decoder.stop(timeout_s)

    def _take(self, frame: EncodedFrame, now_ms: float) -> None:
        """A whole frame: judge it and hand it to the decoder."""
        sequence = self._sequence
        self._sequence += 1
        self.counts.frames_received += 1
        self._counters.add("ingest.frames_received")
        media_ms = frame.media_ticks / VIDEO_TICKS_PER_MS
        stale = self._staleness.judge(media_ms, frame.arrival_ms)
        self._stale_now = stale
        if frame.after_loss:
            self._lose_picture(transport.FRAMES_LOST, sequence)
        self._transport.frame(
            sequence=sequence, media_ms=media_ms, arrival_ms=frame.arrival_ms, keyframe=frame.keyframe
        )
        if frame.keyframe:
            self._had_keyframe = True
            self._keyframes.keyframe()
        elif not self._had_keyframe:
            self._drop(1)
            self._keyframes.want()
            return
        self.codec = frame.codec
        self._in_decoder[sequence] = _InDecoder(
            frame, stale, self._staleness.lateness_ms, self._transport.health(now_ms)
        )
        dropped = self._decoder.submit(Work(sequence, frame))
        if dropped:
            self._drop(dropped)
            self._lose_picture(transport.DECODER_OVERLOAD, sequence)

    def _on_decoded(self, batch: list[Decoded]) -> None:
        """Pictures come out of the decoder, in order."""
        now_ms = self._clock.now_ms()
        for decoded in batch:
            about = self._in_decoder.get(decoded.sequence)
            for sequence in [each for each in self._in_decoder if each <= decoded.sequence]:
                del self._in_decoder[sequence]
            if decoded.error:
                self._counters.add("ingest.decoder_errors")
                self._lose_picture(transport.DECODER_ERROR, decoded.sequence)
            if decoded.picture is None or about is None:
                if decoded.error:
                    self._drop(1)
                continue
            self._keyframes.decoded()
            self.counts.frames_decoded += 1
            self._show(decoded, about, now_ms)

    def _show(self, decoded: Decoded, about: _InDecoder, now_ms: float) -> None:
        if decoded.picture is None:
            return
        picture = AvPicture(decoded.picture)
        self.size_px = (picture.width_px, picture.height_px)
        self._shown_ms.append(now_ms)
        if about.stale:
            self.counts.frames_stale += 1
            self._counters.add("ingest.frames_stale")
            return
        capture = capture_time(
            wall_ms=self._sender_times.wall_ms(about.frame.rtp_timestamp),
            offset_ms=self.clock_offset_ms,
            rtt_ms=self._clock_channel.rtt_ms if self._clock_channel is not None else None,
            arrival_ms=about.frame.arrival_ms,
            lateness_ms=about.lateness_ms,
        )
        self.capture_clock = capture.clock
        health = about.transport
        if decoded.error:
            health = replace(health, damaged=True, reasons=(*health.reasons, transport.DECODER_ERROR))
        frame = Frame(
            session_id=self._session_id,
            sequence=decoded.sequence,
            capture_ms=capture.ms,
            capture_clock=capture.clock,
            arrival_ms=about.frame.arrival_ms,
            picture=picture,
            transport=health,
        )
        self._tell(lambda handler: handler.on_frame(frame))

    def _lose_picture(self, reason: str, sequence: int) -> None:
        self._transport.damage(reason, sequence=sequence)
        if self._transport.damaged:
            self._keyframes.want()

    def _drop(self, frames: int) -> None:
        self.counts.frames_undecoded += frames
        self._counters.add("ingest.frames_undecoded", frames)

    def _count(self, *, received: int, now_ms: float) -> None:
        """Move the assembler's and the decoder's counts into the daemon's."""
        assembler = self._assembler
        lost = assembler.lost_packets - self._lost_packets
        if received or lost:
            self._transport.packets(received=received, lost=lost, now_ms=now_ms)
        if lost:
            self._counters.add("ingest.packets_lost", lost)
            # What was lost may belong to a frame of which nothing came: ask now, not with the next frame.
            self._lose_picture(transport.FRAMES_LOST, self._sequence)
        self._counters.add("ingest.packets_late", assembler.late_packets - self._late_packets)
        self._counters.add("ingest.frames_lost", assembler.lost_frames - self._lost_frames)
        self._counters.add("ingest.frames_superseded", self._decoder.superseded - self._superseded)
        self._superseded = self._decoder.superseded
        self._lost_packets, self._late_packets = assembler.lost_packets, assembler.late_packets
        self._lost_frames = assembler.lost_frames
        if assembler.restarts != self._restarts:
            self._restarts = assembler.restarts
            self._sender_times.clear()

    def _judge(self, now_ms: float) -> tuple[SessionState, tuple[str, ...]]:
        phase = self.liveness.phase
        if phase is not Phase.LIVE:
            reason = {Phase.CONNECTING: "", Phase.CLOSED: self.liveness.reason}.get(phase, "no_packets")
            return _PHASE_STATES[phase], (reason,) if reason else ()
        reasons = self._live_reasons(now_ms)
        if transport.WAITING_FOR_KEYFRAME in reasons and self._is_starting(now_ms):
            return SessionState.CONNECTING, ()
        if reasons:
            self._degraded = (now_ms, reasons)
        elif self._degraded is not None and now_ms - self._degraded[0] < DEGRADED_HOLD_MS:
            reasons = self._degraded[1]
        return (SessionState.DEGRADED if reasons else SessionState.OK), reasons

    def _live_reasons(self, now_ms: float) -> tuple[str, ...]:
        reasons = list(self._transport.health(now_ms).reasons)
        if self._keyframes.no_keyframe:
            reasons.append("no_keyframe")
        if self._stale_now:
            reasons.append("catching_up")
        return tuple(reasons)

    def _is_starting(self, now_ms: float) -> bool:
        return (
            self._first_packet_ms is not None
            and now_ms - self._first_packet_ms < self._config.keyframe_after_ms
        )

    def _tell(self, call: Callable[[StreamHandler], None]) -> None:
        if self._handler is None:
            return
        try:
            call(self._handler)
        except Exception:
            # A fault behind the stream must not end the stream: it would take the connection with it.
            self._counters.add("ingest.handler_errors")
            log.exception("stream_handler_failed", session_id=self._session_id)
