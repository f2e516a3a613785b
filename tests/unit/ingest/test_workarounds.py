"""Each workaround does what it is for, and its cause is still there.

A test named ``test_upstream_…`` fails when upstream has repaired the cause: then delete the workaround.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import inspect
from collections.abc import AsyncIterator, Iterator
from typing import Any

import aioice
import pytest
from aioice import ice, mdns
from aiortc import RTCConfiguration, RTCPeerConnection, RTCRtpReceiver, RTCSessionDescription
from aiortc.codecs import CODECS
from aiortc.jitterbuffer import JitterBuffer
from aiortc.rtcrtpparameters import RTCRtpReceiveParameters
from aiortc.rtcrtpreceiver import NackGenerator
from aiortc.rtp import (
    RTCP_PSFB_PLI,
    RTCP_RTPFB_NACK,
    RtcpPacket,
    RtcpPsfbPacket,
    RtcpRtpfbPacket,
    RtcpSenderInfo,
    RtcpSrPacket,
    RtpPacket,
)
from aiortc.stats import RTCRemoteOutboundRtpStreamStats

from arwarden.core.counters import Counters
from arwarden.ingest import aiortc_workarounds as workarounds
from arwarden.ingest.assembler import Packet
from tests.support.feeder import Feeder
from tests.support.receiving import until


class Connection:
    """A receiving connection that has taken an offer, and the offer."""

    def __init__(self, pc: RTCPeerConnection, feeder: Feeder, offer: str) -> None:
        self.pc = pc
        self.feeder = feeder
        self.offer = offer

    @property
    def receiver(self) -> RTCRtpReceiver:
        return self.pc.getTransceivers()[0].receiver

    async def take(self, offer: str | None = None) -> None:
        await self.pc.setRemoteDescription(RTCSessionDescription(sdp=offer or self.offer, type="offer"))
        # aiortc looks in the background whether it can connect, which it cannot yet.
        await asyncio.sleep(0)


@pytest.fixture
async def connection() -> AsyncIterator[Connection]:
    feeder = Feeder()
    pc = RTCPeerConnection(RTCConfiguration(iceServers=[]))
    yield Connection(pc, feeder, await feeder.offer())
    await pc.close()
    await feeder.close()


class Sink:
    def __init__(self) -> None:
        self.packets: list[Packet] = []
        self.reports: list[tuple[int, int, int]] = []

    def on_packet(self, packet: Packet) -> None:
        self.packets.append(packet)

    def on_sender_report(self, source: int, rtp_timestamp: int, ntp: int) -> None:
        self.reports.append((source, rtp_timestamp, ntp))

    def now_ms(self) -> float:
        return 42.0


class Wire:
    """Stands for the transport under a receiver and keeps what is sent."""

    def __init__(self) -> None:
        self.sent: list[bytes] = []
        self._stats_id = "wire"

    async def _send_rtp(self, data: bytes) -> None:
        self.sent.append(data)


@contextlib.contextmanager
def wired(receiver: RTCRtpReceiver) -> Iterator[Wire]:
    """Let a receiver send into the void."""
    wire, transport = Wire(), receiver.transport
    receiver.setTransport(wire)  # type: ignore[arg-type]
    yield wire
    receiver.setTransport(transport)


def rtp(sequence: int, timestamp: int, *, marker: int = 0, payload: bytes = b"\x10\x00data") -> RtpPacket:
    packet = RtpPacket(97, marker, sequence, timestamp, 1234, payload)
    packet._data = payload  # type: ignore[attr-defined]
    return packet


# The jitter buffer and the decoder behind it ------------------------------------------------------------


def test_upstream_jitter_buffer_ignores_the_marker() -> None:
    buffer = JitterBuffer(capacity=512, is_video=True)
    buffer.add(rtp(1, 0))
    assert buffer.add(rtp(2, 0, marker=1)) == (False, None)


def test_upstream_jitter_buffer_lets_one_frame_go_per_packet() -> None:
    buffer = JitterBuffer(capacity=512, is_video=True)
    buffer.add(rtp(0, 0))
    for sequence in (2, 3, 4, 5):
        buffer.add(rtp(sequence, sequence * 3000))
    _, frame = buffer.add(rtp(1, 3000))
    assert frame is not None, "frames 1 to 4 are complete as well"
    _, frame = buffer.add(rtp(6, 18_000))
    assert frame is not None
    assert frame.timestamp < 12_000


async def test_upstream_jitter_buffer_cannot_hold_a_large_frame(connection: Connection) -> None:
    await connection.take()
    buffer = getattr(connection.receiver, workarounds._JITTER_BUFFER)
    count = buffer.capacity + 1
    frames = [buffer.add(rtp(number, 0, marker=number == count - 1))[1] for number in range(count)]
    frames.append(buffer.add(rtp(count, 3000))[1])
    sizes = [len(frame.data) for frame in frames if frame is not None]
    assert sizes != [count * len(rtp(0, 0).payload)]


async def test_upstream_decoder_queues_are_unbounded(connection: Connection) -> None:
    await connection.take()
    assert connection.receiver._RTCRtpReceiver__decoder_queue.maxsize == 0  # type: ignore[attr-defined]
    assert connection.receiver.track._queue.maxsize == 0  # type: ignore[attr-defined]
    assert "join()" in inspect.getsource(RTCRtpReceiver._RTCRtpReceiver__stop_decoder)  # type: ignore[attr-defined]


async def test_tap_passes_packets_and_ends_the_idle_decoder(connection: Connection) -> None:
    await connection.take()
    sink = Sink()
    receiver = connection.receiver
    workarounds.tap_receiver(receiver, sink, {97: "VP8"})
    codecs = connection.pc.getTransceivers()[0]._codecs
    await receiver.receive(RTCRtpReceiveParameters(codecs=codecs))
    assert receiver._RTCRtpReceiver__decoder_thread is not None  # type: ignore[attr-defined]
    vp8 = next(codec.payloadType or 0 for codec in codecs if codec.mimeType == "video/VP8")
    workarounds.tap_receiver(receiver, sink, {vp8: "VP8"})
    packet = RtpPacket(vp8, 1, 7, 9, 1234, b"\x10\x00frame")
    await receiver._handle_rtp_packet(packet, arrival_time_ms=0)
    (out,) = sink.packets
    assert out == Packet(1234, 7, 9, True, b"\x00frame", True, True, "VP8", 42.0)
    assert receiver._RTCRtpReceiver__decoder_thread is None  # type: ignore[attr-defined]


async def test_tap_ignores_payload_types_it_does_not_know(connection: Connection) -> None:
    await connection.take()
    sink = Sink()
    workarounds.tap_receiver(connection.receiver, sink, {})
    tap = getattr(connection.receiver, workarounds._JITTER_BUFFER)
    assert tap.add(rtp(0, 0)) == (False, None)
    assert sink.packets == []


def test_tap_says_when_aiortc_is_another() -> None:
    with pytest.raises(RuntimeError, match=r"between 1\.14 and 1\.16"):
        workarounds.tap_receiver(object(), Sink(), {})  # type: ignore[arg-type]


# Sender reports -----------------------------------------------------------------------------------------


def test_upstream_statistics_drop_the_rtp_time_stamp() -> None:
    fields = RTCRemoteOutboundRtpStreamStats.__dataclass_fields__
    assert "remoteTimestamp" in fields
    assert not [name for name in fields if "rtp" in name.lower()]


async def test_sender_reports_are_passed_on(connection: Connection) -> None:
    await connection.take()
    sink = Sink()
    workarounds.tap_receiver(connection.receiver, sink, {})
    info = RtcpSenderInfo(ntp_timestamp=5 << 32, rtp_timestamp=90_000, packet_count=1, octet_count=1)
    await connection.receiver._handle_rtcp_packet(RtcpSrPacket(ssrc=1234, sender_info=info))
    assert sink.reports == [(1234, 90_000, 5 << 32)]
    stats = (await connection.receiver.getStats()).values()
    assert any(isinstance(each, RTCRemoteOutboundRtpStreamStats) for each in stats), "aiortc got it too"


# Requests -----------------------------------------------------------------------------------------------


def test_upstream_receiver_has_no_public_request() -> None:
    public = {name for name in dir(RTCRtpReceiver) if not name.startswith("_")}
    assert not [name for name in public if "key" in name.lower() or "pli" in name.lower()]
    assert not [name for name in public if "nack" in name.lower()]


async def test_keyframe_request_is_a_picture_loss_indication(connection: Connection) -> None:
    await connection.take()
    with wired(connection.receiver) as wire:
        await workarounds.request_keyframe(connection.receiver, 1234)
    (packet,) = RtcpPacket.parse(wire.sent[0])
    assert isinstance(packet, RtcpPsfbPacket)
    assert (packet.fmt, packet.media_ssrc) == (RTCP_PSFB_PLI, 1234)


async def test_packet_request_names_every_packet(connection: Connection) -> None:
    await connection.take()
    with wired(connection.receiver) as wire:
        await workarounds.request_packets(connection.receiver, 1234, [65_535, 0, 1, 40])
    (packet,) = RtcpPacket.parse(wire.sent[0])
    assert isinstance(packet, RtcpRtpfbPacket)
    assert packet.fmt == RTCP_RTPFB_NACK
    assert packet.lost == [0, 1, 40, 65_535]


def test_upstream_asks_for_a_packet_once() -> None:
    generator = NackGenerator()
    generator.add(rtp(0, 0))
    assert generator.add(rtp(2, 0))
    assert not generator.add(rtp(3, 0)), "packet 1 is still missing"
    assert not [name for name in vars(generator) if "time" in name or "timer" in name]


# Gathering ----------------------------------------------------------------------------------------------


def test_upstream_gathers_for_five_seconds_and_never_on_loopback() -> None:
    parameters = inspect.signature(ice.Connection.get_component_candidates).parameters
    assert parameters["timeout"].default == 5
    assert "timeout" not in inspect.signature(ice.Connection.gather_candidates).parameters
    assert "127.0.0.1" not in ice.get_host_addresses(use_ipv4=True, use_ipv6=True)


def no_addresses(**_families: bool) -> list[str]:
    return []


async def test_gathering_is_bounded_and_falls_back_to_loopback(
    connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ice, "get_host_addresses", no_addresses)
    seen: list[float] = []
    gather = ice.Connection.get_component_candidates

    async def record(self: Any, component: int, addresses: list[str], **wait: int) -> Any:
        seen.extend(wait.values())
        return await gather(self, component, addresses, **wait)

    monkeypatch.setattr(ice.Connection, "get_component_candidates", record)
    await connection.take()
    workarounds.bound_gathering(connection.pc, 0.25)
    await connection.pc.setLocalDescription(await connection.pc.createAnswer())
    assert set(seen) == {0.25}
    assert " 127.0.0.1 " in connection.pc.localDescription.sdp


# Datagrams that cannot be read --------------------------------------------------------------------------


async def test_upstream_trips_over_an_empty_datagram(connection: Connection) -> None:
    await connection.take()
    dtls = connection.receiver.transport
    dtls._RTCDtlsTransport__handshake_done = True  # type: ignore[attr-defined]
    dtls.transport._recv = empty
    with pytest.raises(IndexError):
        await dtls._recv_next()


async def empty() -> bytes:
    return b""


async def test_unreadable_datagrams_are_counted_and_dropped(connection: Connection) -> None:
    await connection.take()
    dtls = connection.receiver.transport
    dtls._RTCDtlsTransport__handshake_done = True  # type: ignore[attr-defined]
    dtls.transport._recv = empty
    counters = Counters()
    workarounds.survive_unreadable(connection.pc, counters)
    guard = dtls._recv_next
    workarounds.survive_unreadable(connection.pc, counters)
    assert dtls._recv_next is guard, "it is put on once"
    for _ in range(3):
        await dtls._recv_next()
    assert counters["ingest.unreadable_datagrams"] == 3


async def test_lost_connection_is_still_told(connection: Connection) -> None:
    await connection.take()
    dtls = connection.receiver.transport
    dtls._RTCDtlsTransport__handshake_done = True  # type: ignore[attr-defined]

    async def lost() -> bytes:
        raise ConnectionError

    dtls.transport._recv = lost
    workarounds.survive_unreadable(connection.pc, Counters())
    with pytest.raises(ConnectionError):
        await dtls._recv_next()


async def test_endless_errors_end_the_connection(
    connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workarounds, "_UNREADABLE_LIMIT", 3)
    await connection.take()
    dtls = connection.receiver.transport
    dtls._RTCDtlsTransport__handshake_done = True  # type: ignore[attr-defined]
    dtls.transport._recv = empty
    workarounds.survive_unreadable(connection.pc, Counters())
    await dtls._recv_next()
    await dtls._recv_next()
    with pytest.raises(ConnectionError):
        await dtls._recv_next()


# Connecting ---------------------------------------------------------------------------------------------


async def connect_without_fingerprint(connection: Connection, on_error: Any) -> list[dict[str, Any]]:
    """Let both ends connect after the offer lost its fingerprint; return the unhandled errors."""
    unhandled: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, context: unhandled.append(context))
    lines = [line for line in connection.offer.splitlines() if not line.startswith("a=fingerprint")]
    if on_error is not None:
        workarounds.contain_connect(connection.pc, on_error)
    await connection.take("\r\n".join(lines) + "\r\n")
    await connection.pc.setLocalDescription(await connection.pc.createAnswer())
    await connection.feeder.accept(connection.pc.localDescription.sdp)
    ice_transport = connection.receiver.transport.transport
    await until(lambda: ice_transport.state == "completed", 5)
    await asyncio.sleep(0.1)
    gc.collect()
    return unhandled


async def test_upstream_leaves_errors_of_connecting_unhandled(connection: Connection) -> None:
    unhandled = await connect_without_fingerprint(connection, None)
    assert any(isinstance(context.get("exception"), AssertionError) for context in unhandled)


async def test_errors_of_connecting_are_reported(connection: Connection) -> None:
    errors: list[Exception] = []
    assert await connect_without_fingerprint(connection, errors.append) == []
    assert [type(error) for error in errors] == [AssertionError] * len(errors)
    assert errors


# Bitrates -----------------------------------------------------------------------------------------------


def test_upstream_offers_no_transport_wide_congestion_control() -> None:
    feedback = {each.type for codec in CODECS["video"] for each in codec.rtcpFeedback}
    assert "transport-cc" not in feedback


def test_bitrates_reach_every_codec_once() -> None:
    sdp = (
        "v=0\r\nm=video 9 UDP/TLS/RTP/SAVPF 96 97 98 99\r\na=rtpmap:96 VP8/90000\r\n"
        "a=rtpmap:97 rtx/90000\r\na=fmtp:97 apt=96\r\na=rtpmap:98 H264/90000\r\n"
        "a=fmtp:98 packetization-mode=1;profile-level-id=42e01f\r\na=rtpmap:99 rtx/90000\r\n"
        "a=fmtp:99 apt=98\r\nm=application 9 UDP/DTLS/SCTP webrtc-datachannel\r\n"
    )
    wish = "x-google-start-bitrate=3;x-google-min-bitrate=2;x-google-max-bitrate=4"
    expected = sdp.replace("VP8/90000\r\n", f"VP8/90000\r\na=fmtp:96 {wish}\r\n").replace(
        "profile-level-id=42e01f", f"profile-level-id=42e01f;{wish}"
    )
    assert workarounds.with_bitrates(sdp, start_kbps=3, min_kbps=2, max_kbps=4) == expected


def test_codecs_of_a_description() -> None:
    sdp = "a=rtpmap:96 VP8/90000\r\na=rtpmap:97 rtx/90000\r\na=rtpmap:102 h264/90000\r\na=rtpmap:0 PCMU/8000"
    assert workarounds.video_codecs(sdp) == {96: "VP8", 102: "H264"}


# Hidden addresses ---------------------------------------------------------------------------------------

HIDDEN = "a=candidate:1 1 udp 2113937151 5c1d2bb6-0000-1111-2222-333344445555.local 50000 typ host"


async def test_upstream_waits_for_hidden_addresses(
    connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def never(self: mdns.MDnsProtocol, hostname: str) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(mdns.MDnsProtocol, "resolve", never)
    first = next(line for line in connection.offer.splitlines() if line.startswith("a=candidate"))
    offer = connection.offer.replace(first, HIDDEN)
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(connection.take(offer), 0.2)


def test_hidden_addresses_are_split_off() -> None:
    plain = "a=candidate:2 1 udp 2113937151 192.0.2.2 50000 typ host"
    sdp = f"v=0\r\n{HIDDEN}\r\n{plain}\r\na=end-of-candidates\r\n"
    kept, slow = workarounds.without_slow_candidates(sdp)
    assert kept == f"v=0\r\n{plain}\r\n"
    assert slow == [HIDDEN.removeprefix("a=candidate:")]


def test_offer_without_hidden_addresses_stays_as_it_is() -> None:
    sdp = "v=0\r\na=candidate:2 1 udp 1 192.0.2.2 5 typ host\r\na=end-of-candidates\r\n"
    assert workarounds.without_slow_candidates(sdp) == (sdp, [])


# Nothing to work around ---------------------------------------------------------------------------------


async def test_aioice_transaction_answered_twice_raises_nothing() -> None:
    """aioice before 0.13 raised ``InvalidStateError`` from a timer; this one needs no workaround."""
    assert tuple(int(part) for part in aioice.__version__.split(".")[:2]) >= (0, 13)
    source = inspect.getsource(aioice.stun.Transaction._Transaction__retry)  # type: ignore[attr-defined]
    assert "self.__future.done()" in source
