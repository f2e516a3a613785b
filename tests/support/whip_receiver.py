"""A small WHIP receiver on aiortc: takes what a publisher sends, and misbehaves when told to."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from aiohttp import web
from aiohttp.test_utils import TestServer
from aiortc import (
    RTCConfiguration,
    RTCDataChannel,
    RTCPeerConnection,
    RTCRtpReceiver,
    RTCSessionDescription,
)
from aiortc.mediastreams import MediaStreamError, MediaStreamTrack
from aiortc.rtp import RtcpSrPacket
from av import VideoFrame

from arwarden.contract.channel import CHANNEL_MESSAGE, Hello, Ping, Pong
from arwarden.core.clock import SystemClock
from arwarden.core.frame import ByteImage


def luma_of(frame: VideoFrame) -> ByteImage:
    """The luma plane without the padding of its lines."""
    plane = frame.planes[0]
    rows = np.frombuffer(memoryview(plane), np.uint8).reshape(plane.height, plane.line_size)
    return rows[:, : frame.width]


@dataclass
class Session:
    """One accepted offer and everything that came of it."""

    connection: RTCPeerConnection
    query: dict[str, str]
    authorization: str | None
    offer: str
    frames: list[VideoFrame] = field(default_factory=list)
    hellos: list[Hello] = field(default_factory=list)
    pongs: list[tuple[Pong, float]] = field(default_factory=list)
    reports: list[tuple[int, int]] = field(default_factory=list)
    """RTP and NTP time stamps of the sender reports."""
    ssrcs: set[int] = field(default_factory=set)
    channel: RTCDataChannel | None = None


@dataclass
class Refusal:
    """An answer to the next POST that is not a session."""

    status: int
    text: str = ""
    headers: dict[str, str] = field(default_factory=dict)


class WhipReceiver:
    """The state of the receiver, read and changed by tests."""

    def __init__(self) -> None:
        self.url = ""
        self.sessions: list[Session] = []
        self.deleted: list[tuple[str, str | None]] = []
        self.refusals: list[Refusal] = []
        self.answers_pings = True
        self.location = "/whip/{number}"
        self.clock = SystemClock()
        self.clock_ahead_ms = 0.0
        self.tasks: list[asyncio.Task[None]] = []

    def now_ms(self) -> float:
        """The receiver's clock, which may be ahead of everybody else's."""
        return self.clock.now_ms() + self.clock_ahead_ms

    async def post(self, request: web.Request) -> web.Response:
        offer = await request.text()
        if self.refusals:
            refusal = self.refusals.pop(0)
            return web.Response(status=refusal.status, text=refusal.text, headers=refusal.headers)
        connection = RTCPeerConnection(RTCConfiguration(iceServers=[]))
        session = Session(connection, dict(request.query), request.headers.get("Authorization"), offer)
        self.sessions.append(session)

        @connection.on("track")
        def on_track(track: MediaStreamTrack) -> None:
            self.tasks.append(asyncio.create_task(_drain(track, session)))

        @connection.on("datachannel")
        def on_channel(channel: RTCDataChannel) -> None:
            session.channel = channel
            channel.on("message", lambda raw: self._channel_message(session, raw))

        await connection.setRemoteDescription(RTCSessionDescription(offer, "offer"))
        await connection.setLocalDescription(await connection.createAnswer())
        _watch_reports(connection, session)
        location = self.location.format(number=len(self.sessions))
        headers = {"Location": location} if location else {}
        answer = connection.localDescription.sdp
        return web.Response(status=201, text=answer, content_type="application/sdp", headers=headers)

    async def delete(self, request: web.Request) -> web.Response:
        self.deleted.append((request.path, request.headers.get("Authorization")))
        number = int(request.match_info["number"])
        await self.sessions[number - 1].connection.close()
        return web.Response()

    def ping(self, session: Session, number: int) -> None:
        """Ask the headset for its time."""
        if session.channel is not None:
            session.channel.send(Ping(id=number, t0_ms=self.now_ms()).model_dump_json())

    async def close(self) -> None:
        for session in self.sessions:
            await session.connection.close()
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)

    def _channel_message(self, session: Session, raw: str) -> None:
        arrived_ms = self.now_ms()
        message = CHANNEL_MESSAGE.validate_json(raw)
        if isinstance(message, Hello):
            session.hellos.append(message)
        elif isinstance(message, Pong):
            session.pongs.append((message, arrived_ms))
        elif self.answers_pings and session.channel is not None:
            pong = Pong(id=message.id, t0_ms=message.t0_ms, t1_ms=arrived_ms, t2_ms=self.now_ms())
            session.channel.send(pong.model_dump_json())


async def _drain(track: MediaStreamTrack, session: Session) -> None:
    while True:
        try:
            frame = await track.recv()
        except MediaStreamError:
            return
        if isinstance(frame, VideoFrame):
            session.frames.append(frame)


def _watch_reports(connection: RTCPeerConnection, session: Session) -> None:
    receiver: RTCRtpReceiver = connection.getReceivers()[0]
    original = receiver._handle_rtcp_packet

    async def handle(packet: Any) -> None:
        if isinstance(packet, RtcpSrPacket):
            session.ssrcs.add(packet.ssrc)
            session.reports.append((packet.sender_info.rtp_timestamp, packet.sender_info.ntp_timestamp))
        await original(packet)

    receiver._handle_rtcp_packet = handle  # type: ignore[method-assign]


@asynccontextmanager
async def whip_receiver() -> AsyncIterator[WhipReceiver]:
    """A receiver on a free port; ``url`` is where to post."""
    receiver = WhipReceiver()
    app = web.Application()
    app.add_routes([web.post("/whip", receiver.post), web.delete("/whip/{number}", receiver.delete)])
    async with TestServer(app) as server:
        receiver.url = str(server.make_url("/whip"))
        try:
            yield receiver
        finally:
            await receiver.close()


async def until(condition: Any, *, within_s: float = 15.0, what: str = "the condition") -> None:
    """Wait for ``condition()`` to hold; fails the test where it does not in time."""
    loop = asyncio.get_running_loop()
    end_s = loop.time() + within_s
    while not condition():
        if loop.time() > end_s:
            msg = f"{what} did not hold within {within_s} s"
            raise AssertionError(msg)
        await asyncio.sleep(0.02)
