"""The live sessions: admission, takeover, and an end that leaves nothing behind."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from dataclasses import dataclass, replace

import structlog
from aiortc import RTCDataChannel

from arwarden.config import IngestConfig
from arwarden.contract.messages import SessionState
from arwarden.core.clock import Clock
from arwarden.core.counters import Counters
from arwarden.core.errors import NoCapacity, SignallingError
from arwarden.core.frame import CaptureClock, TransportHealth, View
from arwarden.ingest.liveness import Phase
from arwarden.ingest.peer import Peer, send_on
from arwarden.ingest.signalling import Answer, Candidate, Offer
from arwarden.ingest.stream import Requests, Stream, StreamCounts, StreamHandler

log = structlog.get_logger(__name__)

TICK_S = 0.05
ANSWER_SLACK_S = 3.0
"""What an answer may take beyond gathering; measured: 10 to 15 ms."""
CLOSE_TIMEOUT_S = 5.0
OFFERS_AT_ONCE = 2
"""Offers of one device that are answered at a time. Each costs 7 to 10 ms and three sockets: 300 at once
held the event loop up for two seconds."""

MakeHandler = Callable[[str, str, View], StreamHandler]
"""Makes the handler of a new session from its id, its device's id and the view it says it streams."""


@dataclass(frozen=True, slots=True)
class SessionInfo:
    """How one session is doing now."""

    session_id: str
    device_id: str
    state: SessionState
    reasons: tuple[str, ...]
    view: View
    codec: str
    width_px: int
    height_px: int
    received_fps: float
    transport: TransportHealth
    capture_clock: CaptureClock
    clock_offset_ms: float | None
    counts: StreamCounts
    opened_ms: float


class _Session:
    """One peer, its stream and its handler, under one id."""

    def __init__(
        self,
        *,
        offer: Offer,
        config: IngestConfig,
        clock: Clock,
        counters: Counters,
        make_handler: MakeHandler,
        may_resume: Callable[[_Session], bool],
        on_over: Callable[[_Session], object],
    ) -> None:
        self.id = secrets.token_hex(16)
        self.device_id = offer.device_id
        self.ice_tag = ""
        self.opened_ms = clock.now_ms()
        self._clock = clock
        self._counters = counters
        self._on_over = on_over
        self._make_handler = make_handler
        self._handler: StreamHandler | None = None
        self.stream = Stream(
            session_id=self.id,
            view=offer.view,
            config=config,
            clock=clock,
            counters=counters,
            loop=asyncio.get_running_loop(),
            may_resume=lambda: may_resume(self),
        )
        self._peer = Peer(
            config=config,
            counters=counters,
            sink=self.stream,
            on_channel=self._on_channel,
            on_end=self._on_end,
        )
        self._ticker: asyncio.Task[None] | None = None
        self._closing: asyncio.Task[None] | None = None

    @property
    def holds_slot(self) -> bool:
        """Whether the session counts against the limit."""
        return self._closing is None and self.stream.liveness.holds_slot

    @property
    def answering(self) -> bool:
        """Whether its offer is still being answered."""
        return self._ticker is None and self._closing is None

    async def answer(self, sdp: str) -> str:
        """Take the offer and return the answer."""
        answer, self.ice_tag = await self._peer.answer(sdp)
        return answer

    def start(self) -> None:
        """Begin to watch the stream and to tell the handler, which is made only for an accepted offer."""
        self._handler = self._make_handler(self.id, self.device_id, self.stream.view)
        self.stream.start(self._handler)
        self._ticker = asyncio.create_task(self._tick(), name=f"ingest[{self.id}]")

    async def add_candidate(self, candidate: Candidate) -> bool:
        """Add a trickled candidate; False where it cannot be used."""
        return await self._peer.add_candidate(candidate)

    def close(self, reason: str) -> asyncio.Task[None]:
        """Begin to end the session, once; the task says when nothing of it is left."""
        if self._closing is None:
            self.stream.liveness.close(reason)
            self.stream.publish_state(self._clock.now_ms())
            self._closing = asyncio.create_task(self._close(reason), name=f"ingest-close[{self.id}]")
        return self._closing

    def info(self, now_ms: float) -> SessionInfo:
        """How the session is doing."""
        stream = self.stream
        return SessionInfo(
            session_id=self.id,
            device_id=self.device_id,
            state=stream.state,
            reasons=stream.reasons,
            view=stream.view,
            codec=stream.codec,
            width_px=stream.size_px[0],
            height_px=stream.size_px[1],
            received_fps=stream.received_fps(now_ms),
            transport=stream.health(now_ms),
            capture_clock=stream.capture_clock,
            clock_offset_ms=stream.clock_offset_ms,
            counts=replace(stream.counts),
            opened_ms=self.opened_ms,
        )

    async def _tick(self) -> None:
        while self.stream.liveness.phase is not Phase.CLOSED:
            await asyncio.sleep(TICK_S)
            try:
                requests = self.stream.tick(self._clock.now_ms())
                if requests is not None:
                    await self._ask(requests)
            except Exception:
                # The watch over a session has to outlive a fault, or nothing would ever end the session.
                self._counters.add("ingest.tick_errors")
                log.exception("session_tick_failed", session_id=self.id)
        self._on_over(self)

    async def _ask(self, requests: Requests) -> None:
        if requests.keyframe:
            await self._peer.request_keyframe(requests.source)
        if requests.packets:
            await self._peer.request_packets(requests.source, requests.packets)

    def _on_channel(self, channel: RTCDataChannel) -> None:
        ours = self.stream.open_clock_channel(lambda text: send_on(channel, text))
        channel.on("message", ours.on_message)

    def _on_end(self, reason: str) -> None:
        # aiortc tells a goodbye and a peer that answered no check for 30 s alike.
        silent = self.stream.liveness.phase in (Phase.STALLED, Phase.PARKED)
        self.stream.liveness.close("connection_lost" if silent else reason)

    async def _close(self, reason: str) -> None:
        if self._ticker is not None and self._ticker is not asyncio.current_task():
            self._ticker.cancel()
            await asyncio.wait({self._ticker})
        ends = {
            "handler": self._end_handler(reason),
            "peer": self._peer.close(CLOSE_TIMEOUT_S),
            "decoder": self.stream.close(CLOSE_TIMEOUT_S),
        }
        results = await asyncio.gather(*ends.values(), return_exceptions=True)
        for part, result in zip(ends, results, strict=True):
            if result is True:
                continue
            self._counters.add("ingest.unclean_closes")
            fault = type(result).__name__ if isinstance(result, BaseException) else "timeout"
            log.error("session_part_not_closed", session_id=self.id, part=part, fault=fault)
        log.info("session_closed", session_id=self.id, device_id=self.device_id, reason=reason)

    async def _end_handler(self, reason: str) -> bool:
        if self._handler is None:
            return True
        try:
            await asyncio.wait_for(self._handler.close(reason), CLOSE_TIMEOUT_S)
        except TimeoutError:
            return False
        return True


class SessionManager:
    """Implements ``Sessions`` of ``signalling`` with aiortc. Belongs to one event loop.

    ``counters`` gets ``ingest.*``: every frame, packet, message and candidate that is lost or dropped.
    """

    def __init__(
        self, config: IngestConfig, clock: Clock, make_handler: MakeHandler, counters: Counters
    ) -> None:
        self._config = config
        self._clock = clock
        self._make_handler = make_handler
        self._counters = counters
        self._sessions: dict[str, _Session] = {}
        self._ending: set[asyncio.Task[None]] = set()
        self._shut = False

    async def open(self, offer: Offer) -> Answer:
        """Take over the device's earlier session if there is one, connect, and answer.

        Raises a ``SignallingError``; nothing is left behind where it raises.
        """
        if self._shut:
            reason = "the daemon is stopping"
            raise NoCapacity(reason)
        self._require_slot(offer.device_id)
        session = _Session(
            offer=offer,
            config=self._config,
            clock=self._clock,
            counters=self._counters,
            make_handler=self._make_handler,
            may_resume=self._may_resume,
            on_over=lambda over: self._end(over, over.stream.liveness.reason),
        )
        self._sessions[session.id] = session
        try:
            sdp = await self._answer(session, offer.sdp)
            self._take_over(session)
            session.start()
        except BaseException:
            self._counters.add("ingest.offers_failed")
            self._end(session, "offer_failed")
            raise
        self._counters.add("ingest.sessions_opened")
        log.info("session_opened", session_id=session.id, device_id=offer.device_id, view=offer.view.value)
        return Answer(session_id=session.id, sdp=sdp, ice_tag=session.ice_tag)

    def device_of(self, session_id: str) -> str | None:
        """The device a live session belongs to, or None where there is no such session."""
        session = self._sessions.get(session_id)
        return session.device_id if session is not None else None

    def ice_tag_of(self, session_id: str) -> str | None:
        """The session's current ICE tag, or None where there is no such session."""
        session = self._sessions.get(session_id)
        return session.ice_tag if session is not None else None

    async def add_candidates(self, session_id: str, candidates: list[Candidate]) -> None:
        """Hand on trickled candidates. Those that cannot be used are counted and dropped."""
        session = self._sessions.get(session_id)
        for candidate in candidates:
            if session is None or not await session.add_candidate(candidate):
                self._counters.add("ingest.candidates_dropped")

    async def close(self, session_id: str, reason: str) -> None:
        """End a session and wait until nothing of it is left. Unknown ids are ignored."""
        session = self._sessions.get(session_id)
        if session is not None:
            await asyncio.wait({self._end(session, reason)})

    async def close_all(self, grace_s: float, reason: str = "daemon_stopping") -> bool:
        """Let nobody new in and end every session; False where some had not ended after ``grace_s``."""
        self._shut = True
        for session in list(self._sessions.values()):
            self._end(session, reason)
        if not self._ending:
            return True
        _, pending = await asyncio.wait(self._ending, timeout=grace_s)
        return not pending

    def live(self) -> list[SessionInfo]:
        """How every session is doing, parked ones included, oldest first."""
        now_ms = self._clock.now_ms()
        return [session.info(now_ms) for session in self._sessions.values()]

    async def _answer(self, session: _Session, sdp: str) -> str:
        deadline_s = self._config.ice_gather_timeout_ms / 1000.0 + ANSWER_SLACK_S
        try:
            async with asyncio.timeout(deadline_s):
                answer = await session.answer(sdp)
        except TimeoutError as error:
            reason = f"no answer was ready within {deadline_s:.0f} s; try again"
            raise NoCapacity(reason) from error
        except SignallingError:
            raise
        except Exception as error:
            self._counters.add("ingest.answer_errors")
            log.exception("answer_failed", session_id=session.id)
            reason = "the connection could not be set up"
            raise NoCapacity(reason) from error
        if session.id not in self._sessions:
            reason = "the session ended before its answer was ready"
            raise NoCapacity(reason)
        return answer

    def _require_slot(self, device_id: str) -> None:
        if not self._slot_is_free_for(device_id):
            self._counters.add("ingest.no_capacity")
            reason = f"all {self._config.max_sessions} session slots are taken; try again later"
            raise NoCapacity(reason)
        same_device = [session for session in self._sessions.values() if session.device_id == device_id]
        if sum(session.answering for session in same_device) >= OFFERS_AT_ONCE:
            self._counters.add("ingest.offers_at_once")
            reason = "earlier offers of this device are still being answered; send one at a time"
            raise NoCapacity(reason)

    def _slot_is_free_for(self, device_id: str) -> bool:
        """Whether a device may have a live session: a device's own session gives way to it."""
        others = {
            session.device_id
            for session in self._sessions.values()
            if session.holds_slot and session.device_id != device_id
        }
        return len(others) < self._config.max_sessions

    def _may_resume(self, session: _Session) -> bool:
        return session.id in self._sessions and self._slot_is_free_for(session.device_id)

    def _take_over(self, session: _Session) -> None:
        older = [
            other
            for other in self._sessions.values()
            if other.device_id == session.device_id and other is not session
        ]
        for other in older:
            self._counters.add("ingest.takeovers")
            self._end(other, "taken_over")

    def _end(self, session: _Session, reason: str) -> asyncio.Task[None]:
        """Forget a session at once and end it in the background."""
        if self._sessions.pop(session.id, None) is not None:
            self._counters.add("ingest.sessions_closed")
        task = session.close(reason)
        if not task.done():
            self._ending.add(task)
            task.add_done_callback(self._ending.discard)
        return task
