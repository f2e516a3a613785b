"""The design that comes to mind first, to compare with: await every frame, judge it, publish, in order.

It uses the same fast tier. What it lacks is everything around it: frames wait in aiortc's queue, which
has no bound, until all before them have been judged.
"""

from __future__ import annotations

import asyncio
import json
import secrets
from concurrent.futures import ThreadPoolExecutor

import aiomqtt
from aiohttp import web
from aiortc import RTCConfiguration, RTCPeerConnection, RTCSessionDescription
from aiortc.mediastreams import MediaStreamError, MediaStreamTrack
from av import VideoFrame

from arwarden.core.clock import SystemClock
from arwarden.core.counters import Counters
from arwarden.core.frame import CaptureClock, Frame, View
from arwarden.core.tier import SceneContext
from arwarden.fast.tier import FastTier
from arwarden.headset import timecode
from arwarden.ingest.picture import AvPicture
from benchmarks.latency.children import Orders
from benchmarks.latency.receivers import ReceiverSpec, listening, serve
from benchmarks.latency.records import Mark, ReceiverLog, ReceiverReady, anchor_of, mono_ms
from benchmarks.latency.sender import NAIVE_TOPIC

JUDGED = "naive.judged"


class _Naive:
    """Connections, one loop per stream, one thread that judges, one MQTT client."""

    def __init__(self, tier: FastTier, client: aiomqtt.Client) -> None:
        self._tier = tier
        self._client = client
        self._judge = ThreadPoolExecutor(max_workers=1)
        self._connections: dict[str, RTCPeerConnection] = {}
        self._loops: set[asyncio.Task[None]] = set()
        self.counters = Counters()

    async def post(self, request: web.Request) -> web.Response:
        """The WHIP endpoint."""
        device = request.query.get("device", "headset")
        connection = RTCPeerConnection(RTCConfiguration(iceServers=[]))
        session_id = secrets.token_hex(8)
        self._connections[session_id] = connection

        @connection.on("track")
        def on_track(track: MediaStreamTrack) -> None:
            loop = asyncio.create_task(self._judge_every_frame(track, device))
            self._loops.add(loop)
            loop.add_done_callback(self._loops.discard)

        await connection.setRemoteDescription(RTCSessionDescription(await request.text(), "offer"))
        await connection.setLocalDescription(await connection.createAnswer())
        return web.Response(
            status=201,
            text=connection.localDescription.sdp,
            content_type="application/sdp",
            headers={"Location": f"/whip/{session_id}"},
        )

    async def delete(self, request: web.Request) -> web.Response:
        """End of a session."""
        connection = self._connections.pop(request.match_info["session"], None)
        if connection is not None:
            await connection.close()
        return web.Response()

    async def close(self) -> None:
        """End every loop and connection."""
        for loop in self._loops:
            loop.cancel()
        await asyncio.gather(*self._loops, return_exceptions=True)
        await asyncio.gather(*(connection.close() for connection in self._connections.values()))
        self._judge.shutdown(wait=False, cancel_futures=True)

    async def _judge_every_frame(self, track: MediaStreamTrack, device: str) -> None:
        context = SceneContext(device, View.COMPOSITED)
        loop = asyncio.get_running_loop()
        while True:
            try:
                received = await track.recv()
            except MediaStreamError:
                return
            if not isinstance(received, VideoFrame):
                continue
            picture = AvPicture(received)
            frame = Frame(device, 0, 0.0, CaptureClock.ARRIVAL, 0.0, picture)
            findings = await loop.run_in_executor(self._judge, self._tier.analyse_now, frame, context)
            self.counters.add(JUDGED)
            code = timecode.read(picture.luma())
            if code is not None:
                payload = json.dumps({"code": code, "findings": len(findings.findings)})
                await self._client.publish(f"{NAIVE_TOPIC}/{device}", payload, qos=1)


async def naive(spec: ReceiverSpec, orders: Orders) -> None:
    """Serve until told to stop."""
    clock = SystemClock()
    tier = await asyncio.to_thread(FastTier, spec.config().fast, clock)
    version = aiomqtt.ProtocolVersion.V5
    async with aiomqtt.Client(spec.mqtt_host, spec.mqtt_port, protocol=version) as client:
        design = _Naive(tier, client)
        application = web.Application()
        application.router.add_post("/whip", design.post)
        application.router.add_delete("/whip/{session}", design.delete)
        async with listening(application, design.counters) as port:
            orders.answer(ReceiverReady(f"http://127.0.0.1:{port}/whip", anchor_of(clock)))
            await serve(orders, lambda: Mark(mono_ms(), design.counters.snapshot()))
            await design.close()
    await tier.close()
    orders.answer(ReceiverLog())
