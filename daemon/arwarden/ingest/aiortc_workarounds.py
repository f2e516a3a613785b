"""Every patch and every private use of aiortc, aioice and PyAV in the daemon, and nothing else.

Each says what it is for, what was measured, and when to delete it. For each there is a test in
``tests/unit/ingest/test_workarounds.py`` that fails once upstream behaves, so that none outlives its
cause. Measured with aiortc 1.16.0 and aioice 0.13.0. All of them act on one connection's objects; the
libraries themselves stay as they are for everything else in the process.
"""

from __future__ import annotations

import asyncio
import functools
import re
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from typing import Any, Protocol

import structlog
from aioice import Connection
from aiortc import RTCPeerConnection, RTCRtpReceiver
from aiortc.rtcdtlstransport import RTCDtlsTransport
from aiortc.rtcicetransport import RTCIceTransport
from aiortc.rtp import RtcpSrPacket, RtpPacket

from arwarden.core.counters import Counters
from arwarden.ingest.assembler import Packet
from arwarden.ingest.payloads import NO_ROLE, ROLES

log = structlog.get_logger(__name__)

_JITTER_BUFFER = "_RTCRtpReceiver__jitter_buffer"
_CONNECT = "_RTCPeerConnection__connect"
_UNREADABLE_LIMIT = 10_000


class MediaSink(Protocol):
    """Who takes what arrives. Called on the event loop, for every packet: has to be quick."""

    def on_packet(self, packet: Packet) -> None:
        """A depayloaded video packet."""
        ...

    def on_sender_report(self, source: int, rtp_timestamp: int, ntp: int) -> None:
        """An RTCP sender report: the 64-bit NTP time that belongs to an RTP time stamp."""
        ...

    def now_ms(self) -> float:
        """The time on the daemon's clock."""
        ...


class _PacketTap:
    """Stands in a receiver's place for the jitter buffer and passes every packet on.

    Cause: aiortc's ``JitterBuffer`` ignores the RTP marker bit, so a frame waits for the next one's first
    packet; it lets one frame go per packet, so that frames queue up behind a repair; and frames larger
    than its capacity never leave or leave truncated. Its decoder behind has unbounded queues on both
    sides and is joined on the event loop.
    Effect: one frame interval (33 ms at 30 a second, 200 ms at 5), the last frame before a pause never
    seen; 861 MB after 20 s of a slow reader; 1.1 s of event loop stall at the end of a session.
    Delete: when the jitter buffer releases at the marker and the decoder's queues have bounds.
    """

    capacity = 0

    def __init__(self, receiver: RTCRtpReceiver, sink: MediaSink, codecs: dict[int, str]) -> None:
        self._receiver = receiver
        self._sink = sink
        self._codecs = codecs
        self._decoder_ended = False

    def add(self, packet: RtpPacket) -> tuple[bool, None]:
        """What aiortc calls for every packet; says that no keyframe is needed and no frame is ready."""
        if not self._decoder_ended:
            # The thread has nothing to decode and would only be one more to end later. This joins it
            # while it is idle, which takes well under a millisecond.
            self._decoder_ended = True
            self._receiver._handle_disconnect()  # noqa: SLF001 - see the class
        codec = self._codecs.get(packet.payload_type)
        if codec is not None:
            role = ROLES[codec](packet.payload) if packet.payload else NO_ROLE
            data: bytes = packet._data  # type: ignore[attr-defined]  # noqa: SLF001 - set by the receiver
            self._sink.on_packet(
                Packet(
                    source=packet.ssrc,
                    sequence=packet.sequence_number,
                    timestamp=packet.timestamp,
                    marker=bool(packet.marker),
                    data=data,
                    starts_frame=role.starts_frame,
                    keyframe=role.keyframe,
                    codec=codec,
                    arrival_ms=self._sink.now_ms(),
                )
            )
        return False, None


def tap_receiver(receiver: RTCRtpReceiver, sink: MediaSink, codecs: dict[int, str]) -> None:
    """Lead a receiver's packets and sender reports to ``sink`` instead of to aiortc's decoder.

    ``codecs`` says which payload type is ``VP8`` or ``H264``. To be called before the receiver starts.

    The sender reports: aiortc's statistics give a report's NTP time but drop the RTP time stamp it
    belongs to, without which it dates no frame. Delete when ``getStats()`` has both.
    """
    if not hasattr(receiver, _JITTER_BUFFER):
        msg = "this aiortc keeps its jitter buffer elsewhere; install a version between 1.14 and 1.16"
        raise RuntimeError(msg)
    setattr(receiver, _JITTER_BUFFER, _PacketTap(receiver, sink, codecs))
    handle = receiver._handle_rtcp_packet  # noqa: SLF001 - see above

    async def handle_and_report(packet: object) -> None:
        if isinstance(packet, RtcpSrPacket):
            info = packet.sender_info
            sink.on_sender_report(packet.ssrc, info.rtp_timestamp, info.ntp_timestamp)
        await handle(packet)  # type: ignore[arg-type]

    receiver._handle_rtcp_packet = handle_and_report  # type: ignore[method-assign]  # noqa: SLF001


async def request_keyframe(receiver: RTCRtpReceiver, source: int) -> None:
    """Send a picture loss indication.

    Cause: aiortc offers no way to ask, and asks itself only after a decoder error or an overflow.
    Effect: after a lost first VP8 keyframe none of the next 29 frames decoded and nothing was sent.
    Delete: when the receiver has a public method for it.
    """
    await receiver._send_rtcp_pli(source)  # noqa: SLF001 - see above


async def request_packets(receiver: RTCRtpReceiver, source: int, sequences: list[int]) -> None:
    """Ask again for missing packets (RFC 4585, section 6.2.1).

    Cause: aiortc asks once, when it sees the gap; a lost retransmission is asked for again only at the
    next gap.
    Effect: with 5 % loss in both directions one repair in ten does not come.
    Delete: when ``NackGenerator`` has a timer.
    """
    # In rising order: across a wrap aiortc's packing raises "negative shift count".
    await receiver._send_rtcp_nack(source, sorted(sequences))  # noqa: SLF001 - see above


def _ice_transports(pc: RTCPeerConnection) -> Iterator[RTCIceTransport]:
    seen: set[int] = set()
    dtls = [transceiver.receiver.transport for transceiver in pc.getTransceivers()]
    if pc.sctp is not None:
        dtls.append(pc.sctp.transport)
    for transport in dtls:
        if id(transport.transport) not in seen:
            seen.add(id(transport.transport))
            yield transport.transport


def bound_gathering(pc: RTCPeerConnection, timeout_s: float) -> None:
    """Bound the gathering of candidates, and gather loopback where there is nothing else.

    To be called after the remote description is set and before the local one is.
    Cause: aioice waits five seconds for a STUN server that does not answer, and throws the host
    candidates away if it is cancelled meanwhile; it never offers loopback, so that on a machine without
    a network not even a client on the same machine can connect.
    Effect: an answer after 5 s; no connection at all on a machine that is offline.
    Delete: when aiortc takes a gathering timeout and aioice falls back to loopback.
    """
    for ice in _ice_transports(pc):
        connection = ice._connection  # noqa: SLF001 - see above
        gather = connection.get_component_candidates

        async def bounded(
            component: int,
            addresses: list[str],
            timeout: float = 5,  # noqa: ASYNC109 - the signature of what it replaces
            gather: Callable[..., Awaitable[list[Any]]] = gather,
        ) -> list[Any]:
            seconds = min(timeout, timeout_s)
            return await gather(component, addresses or ["127.0.0.1"], timeout=seconds)

        connection.get_component_candidates = bounded  # type: ignore[method-assign]


def end_late_consent(pc: RTCPeerConnection) -> None:
    """End the consent checks of a connection that was closed while it connected.

    To be called after the remote description is set and before the local one is.
    Cause: aioice's ``connect`` sleeps 20 ms at a time. Closed in such a pause, after a pair was nominated,
    it still starts its consent checks, which nobody ends then: they ask nobody, for ever.
    Effect: a task, a timer and the connection stay, 70 kB for each client that leaves at that moment.
    Delete: when ``Connection.connect`` looks whether it was closed meanwhile.
    """
    for ice in _ice_transports(pc):
        connection = ice._connection  # noqa: SLF001 - see above
        connect = connection.connect

        async def connect_unless_closed(
            connection: Connection = connection, connect: Callable[[], Awaitable[None]] = connect
        ) -> None:
            await connect()
            if connection._closing and connection._query_consent_task is not None:  # noqa: SLF001
                connection._query_consent_task.cancel()  # noqa: SLF001
                msg = "closed while it connected"
                raise ConnectionError(msg)

        connection.connect = connect_unless_closed  # type: ignore[method-assign]


def survive_unreadable(pc: RTCPeerConnection, counters: Counters) -> None:
    """Let a datagram that aiortc cannot read be dropped, not end the connection.

    To be called after the remote description is set.
    Cause: ``RTCDtlsTransport._recv_next`` indexes the first byte of an empty datagram, which anybody
    who finds the port can send, and errors of the RTP, RTCP and SCTP parsers other than ``ValueError``
    pass through it.
    Effect: one empty datagram ended the session, with an unhandled ``IndexError`` in a task.
    Delete: when ``_recv_next`` ignores what it cannot read.
    """
    for transceiver in pc.getTransceivers():
        _survive_unreadable(transceiver.receiver.transport, counters)
    if pc.sctp is not None:
        _survive_unreadable(pc.sctp.transport, counters)


def _survive_unreadable(dtls: RTCDtlsTransport, counters: Counters) -> None:
    receive_next = dtls._recv_next  # noqa: SLF001 - see above
    if getattr(receive_next, "is_guard", False):
        return
    left = _UNREADABLE_LIMIT

    @functools.wraps(receive_next)
    async def guarded() -> None:
        nonlocal left
        try:
            await receive_next()
        except ConnectionError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever parsers raise; the next datagram may be sound
            counters.add("ingest.unreadable_datagrams")
            if left == _UNREADABLE_LIMIT:
                log.warning("datagram_unreadable", error=type(error).__name__)
            left -= 1
            if left <= 0:
                raise ConnectionError from None
            await asyncio.sleep(0)

    guarded.is_guard = True  # type: ignore[attr-defined]
    dtls._recv_next = guarded  # type: ignore[method-assign]  # noqa: SLF001


def contain_connect(pc: RTCPeerConnection, on_error: Callable[[Exception], None]) -> None:
    """Report what goes wrong while connecting, which aiortc does in a task that nobody awaits.

    Cause: ``setRemoteDescription`` and ``setLocalDescription`` start ``__connect`` with
    ``ensure_future`` and forget it.
    Effect: an offer without a fingerprint is answered, then an ``AssertionError`` surfaces as
    "Task exception was never retrieved" and the session never connects.
    Delete: when a failure to connect becomes a connection state.
    """
    connect: Callable[[], Coroutine[Any, Any, None]] = getattr(pc, _CONNECT)

    async def contained() -> None:
        try:
            await connect()
        except Exception as error:  # noqa: BLE001 - any of them would surface in the background
            on_error(error)

    setattr(pc, _CONNECT, contained)


_VIDEO_CODEC = re.compile(r"a=rtpmap:(\d+) (VP8|H264)/90000", re.IGNORECASE)


def with_bitrates(sdp: str, *, start_kbps: int, min_kbps: int, max_kbps: int) -> str:
    """Tell a libwebrtc sender in the answer which bitrates to start with and to stay between.

    Cause: aiortc offers no transport-wide congestion control, only REMB, with which libwebrtc starts at
    300 kbit/s and grows by 7 % a second; and it has no interface for format parameters.
    Effect: Chromium stayed at 640x360 for 30 s; with these parameters it sends 1280x720 at 30 frames a
    second from the first second on.
    Delete: when aiortc speaks transport-wide congestion control.
    """
    wish = (
        f"x-google-start-bitrate={start_kbps};x-google-min-bitrate={min_kbps};x-google-max-bitrate={max_kbps}"
    )
    types = video_codecs(sdp)
    with_line = {pt for pt in types if re.search(rf"^a=fmtp:{pt} ", sdp, re.MULTILINE)}
    lines: list[str] = []
    for line in sdp.splitlines():
        parameters = re.match(r"a=fmtp:(\d+) ", line)
        if parameters and int(parameters[1]) in types:
            lines.append(f"{line};{wish}")
            continue
        lines.append(line)
        codec = _VIDEO_CODEC.match(line)
        if codec and int(codec[1]) not in with_line:
            lines.append(f"a=fmtp:{codec[1]} {wish}")
    return "\r\n".join(lines) + "\r\n"


def video_codecs(sdp: str) -> dict[int, str]:
    """Payload types of a description that carry ``VP8`` or ``H264``."""
    found = (_VIDEO_CODEC.match(line) for line in sdp.splitlines())
    return {int(match[1]): match[2].upper() for match in found if match}


_CANDIDATE = re.compile(r"a=candidate:(?P<text>\S+ \d+ \S+ \d+ (?P<host>\S+) .*)")


def without_slow_candidates(sdp: str) -> tuple[str, list[str]]:
    """Split candidates with a ``.local`` name off an offer, to be added once the answer is out.

    Returns the offer without them (and without its end-of-candidates where there were any), and the
    texts of the candidates.
    Cause: ``setRemoteDescription`` awaits the multicast DNS lookup of every such candidate, for up to a
    second, and browsers without camera permission hide all their addresses behind such names.
    Effect: the answer took 1014 ms instead of 15 ms.
    Delete: when aiortc resolves names in the background.
    """
    kept: list[str] = []
    slow: list[str] = []
    for line in sdp.splitlines():
        candidate = _CANDIDATE.match(line)
        if candidate and candidate["host"].lower().endswith(".local"):
            slow.append(candidate["text"])
        else:
            kept.append(line)
    if slow:
        kept = [line for line in kept if line != "a=end-of-candidates"]
    return "\r\n".join(kept) + "\r\n", slow
