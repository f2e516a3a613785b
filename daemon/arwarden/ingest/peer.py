"""One peer connection: from the offer to the answer, and its end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine

import structlog
from aiortc import (
    RTCConfiguration,
    RTCDataChannel,
    RTCIceCandidate,
    RTCIceServer,
    RTCPeerConnection,
    RTCRtpReceiver,
    RTCSessionDescription,
)
from aiortc.exceptions import OperationError
from aiortc.sdp import candidate_from_sdp

from arwarden.config import IngestConfig
from arwarden.contract.channel import CLOCK_CHANNEL_LABEL
from arwarden.core.counters import Counters
from arwarden.core.errors import MalformedOffer, UnsupportedMedia
from arwarden.ingest import aiortc_workarounds as workarounds
from arwarden.ingest.signalling import Candidate

log = structlog.get_logger(__name__)

MAX_CANDIDATES = 64
"""Every candidate makes the daemon send checks to an address of the client's choice."""
MAX_BUFFERED_BYTES = 4096
"""More than this unsent on the clock channel: the client does not read, or the way is blocked."""


class Peer:
    """One ``RTCPeerConnection`` that receives one video."""

    def __init__(
        self,
        *,
        config: IngestConfig,
        counters: Counters,
        sink: workarounds.MediaSink,
        on_channel: Callable[[RTCDataChannel], None],
        on_end: Callable[[str], None],
    ) -> None:
        self._config = config
        self._counters = counters
        self._sink = sink
        self._on_end = on_end
        self._receiver: RTCRtpReceiver | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._candidates = 0
        servers = [RTCIceServer(urls=url) for url in config.ice_servers]
        # None instead of the empty list would ask a public STUN server.
        self._pc = RTCPeerConnection(RTCConfiguration(iceServers=servers))
        self._pc.on("connectionstatechange", self._on_connection_state)
        self._pc.on("datachannel", self._channel_filter(on_channel))

    async def answer(self, offer_sdp: str) -> tuple[str, str]:
        """Take the offer; return the answer and the tag of its ICE session.

        Raises ``UnsupportedMedia`` where no codec is common, ``MalformedOffer`` where the offer cannot
        be used for any other reason.
        """
        sdp, slow_candidates = workarounds.without_slow_candidates(offer_sdp)
        ended = slow_candidates and "a=end-of-candidates" in offer_sdp
        workarounds.contain_connect(self._pc, self._on_connect_error)
        try:
            await self._pc.setRemoteDescription(RTCSessionDescription(sdp=sdp, type="offer"))
        except OperationError as error:
            reason = "none of the offered video codecs is VP8 or baseline H264"
            raise UnsupportedMedia(reason) from error
        except Exception as error:
            # aiortc meets malformed offers with ValueError, AssertionError, AttributeError and others.
            reason = f"the offer cannot be used: {type(error).__name__}"
            raise MalformedOffer(reason) from error
        self._receiver = self._video_receiver()
        workarounds.survive_unreadable(self._pc, self._counters)
        workarounds.end_late_consent(self._pc)
        workarounds.bound_gathering(self._pc, self._config.ice_gather_timeout_ms / 1000.0)
        answer = await self._pc.createAnswer()
        workarounds.tap_receiver(self._receiver, self._sink, workarounds.video_codecs(answer.sdp))
        await self._pc.setLocalDescription(answer)
        local_sdp = self._pc.localDescription.sdp
        if slow_candidates:
            self._spawn(self._add_later(slow_candidates, ended=bool(ended)))
        answer_sdp = workarounds.with_bitrates(
            local_sdp,
            start_kbps=self._config.start_bitrate_kbps,
            min_kbps=self._config.min_bitrate_kbps,
            max_kbps=self._config.max_bitrate_kbps,
        )
        return answer_sdp, _ice_tag(local_sdp)

    async def add_candidate(self, candidate: Candidate) -> bool:
        """Add a trickled candidate; False where it cannot be used."""
        if not candidate.text.strip():
            await self._pc.addIceCandidate(None)
            return True
        parsed = self._parse(candidate)
        if parsed is None:
            return False
        if parsed.ip.lower().endswith(".local"):
            self._spawn(self._add(parsed))
            return True
        return await self._try_to_add(parsed)

    async def request_keyframe(self, source: int) -> None:
        """Ask the sender for a keyframe."""
        if self._receiver is not None:
            await workarounds.request_keyframe(self._receiver, source)

    async def request_packets(self, source: int, sequences: list[int]) -> None:
        """Ask the sender for packets again."""
        if self._receiver is not None:
            await workarounds.request_packets(self._receiver, source, sequences)

    async def close(self, timeout_s: float) -> bool:
        """End the connection; False where that did not finish in time."""
        for task in self._tasks:
            task.cancel()
        try:
            await asyncio.wait_for(self._pc.close(), timeout_s)
        except TimeoutError:
            return False
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=timeout_s)
        return True

    def _video_receiver(self) -> RTCRtpReceiver:
        receivers = [each.receiver for each in self._pc.getTransceivers() if each.kind == "video"]
        if len(receivers) != 1 or len(self._pc.getTransceivers()) != 1:
            reason = "the offer must hold exactly one video section and no other media"
            raise MalformedOffer(reason)
        return receivers[0]

    def _parse(self, candidate: Candidate) -> RTCIceCandidate | None:
        self._candidates += 1
        if self._candidates > MAX_CANDIDATES:
            return None
        try:
            parsed = candidate_from_sdp(candidate.text.strip().removeprefix("candidate:"))
        except Exception:  # noqa: BLE001 - aiortc asserts, indexes and converts while it parses
            return None
        if parsed.protocol.lower() != "udp":
            return None
        parsed.sdpMid = candidate.mid
        parsed.sdpMLineIndex = candidate.line_index
        if candidate.mid is None and candidate.line_index is None:
            parsed.sdpMLineIndex = 0
        return parsed

    async def _try_to_add(self, candidate: RTCIceCandidate) -> bool:
        try:
            await self._pc.addIceCandidate(candidate)
        except (ValueError, OSError, ConnectionError):
            return False
        return True

    async def _add(self, candidate: RTCIceCandidate) -> None:
        if not await self._try_to_add(candidate):
            self._counters.add("ingest.candidates_dropped")

    async def _add_later(self, texts: list[str], *, ended: bool) -> None:
        candidates = [self._parse(Candidate(text=text, mid=None, line_index=0)) for text in texts]
        usable = [candidate for candidate in candidates if candidate is not None]
        self._counters.add("ingest.candidates_dropped", len(texts) - len(usable))
        await asyncio.gather(*(self._add(candidate) for candidate in usable))
        if ended:
            await self._pc.addIceCandidate(None)

    def _spawn(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._on_task_done)

    def _on_task_done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self._counters.add("ingest.candidates_dropped")
            log.warning("candidate_failed", error=type(error).__name__)

    def _on_connection_state(self) -> None:
        state = self._pc.connectionState
        if state == "failed":
            self._on_end("connection_lost")
        elif state == "closed":
            self._on_end("peer_left")

    def _on_connect_error(self, error: Exception) -> None:
        self._counters.add("ingest.connect_errors")
        log.warning("connect_failed", error=type(error).__name__)
        self._on_end("connect_failed")

    def _channel_filter(
        self, on_channel: Callable[[RTCDataChannel], None]
    ) -> Callable[[RTCDataChannel], None]:
        def accept(channel: RTCDataChannel) -> None:
            if channel.label == CLOCK_CHANNEL_LABEL:
                on_channel(channel)
            else:
                self._counters.add("ingest.channels_refused")
                channel.close()

        return accept


def send_on(channel: RTCDataChannel, text: str) -> bool:
    """Send on a data channel unless it is not open or its client does not read."""
    if channel.readyState != "open" or channel.bufferedAmount > MAX_BUFFERED_BYTES:
        return False
    channel.send(text)
    return True


def _ice_tag(sdp: str) -> str:
    for line in sdp.splitlines():
        if line.startswith("a=ice-ufrag:"):
            return line.removeprefix("a=ice-ufrag:")
    reason = "no ICE session came out of the offer"
    raise MalformedOffer(reason)
