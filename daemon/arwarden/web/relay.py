"""MQTT over WebSocket for pages: a way through the daemon's own HTTP server to whatever broker it uses.

A page that came over HTTPS may speak ``wss:`` only, and a browser shows nobody a certificate warning for a
broker at another port. Here it meets the origin and certificate that it already has. A headset logs in as at
the WHIP endpoint: its token as the MQTT password (the user name is then not looked at), or, where none is
needed, its device id as the user name. Behind the relay it has the daemon's own login, so its packets are
read: it reaches its own topics and no others.

What passes is bounded: packets by ``PACKET_BYTES``, relays by ``MAX_RELAYS``, and every wait by a deadline. A
page that does not read is let go of.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import Iterator
from dataclasses import replace

import structlog
from aiohttp import WSCloseCode, web

from arwarden.config import MqttConfig
from arwarden.core.counters import Counters
from arwarden.core.errors import SignallingError
from arwarden.ingest.auth import Authenticator, caller_of
from arwarden.publish.mqtt_packets import MQTT_5, Connect, Kind, MalformedPacket, goodbye
from arwarden.web.relay_links import CLOSE_S, PACKET_BYTES, BrokerGone, BrokerLink, PageLink
from arwarden.web.relay_rules import HeadsetTopics, fault_of

log = structlog.get_logger(__name__)

PATH = "/mqtt"
SUBPROTOCOL = "mqtt"
MAX_RELAYS = 64
HEARTBEAT_S = 15.0
"""A page that vanished without a word is noticed by a WebSocket ping, whatever its MQTT keep-alive."""
BAD_CLIENT, BAD_LOGIN, UNAVAILABLE = 0x85, 0x86, 0x88
"""Reason codes of MQTT 5 for CONNACK."""


class MqttRelay:
    """The routes ``/mqtt`` and ``/headset``. Counts under ``relay.*``."""

    def __init__(self, mqtt: MqttConfig, authenticator: Authenticator, counters: Counters) -> None:
        """``mqtt`` is the broker in use, with the daemon's own login."""
        self._mqtt = mqtt
        self._authenticator = authenticator
        self._counters = counters
        self._open = 0
        self._ending = asyncio.Event()

    def routes(self) -> list[web.RouteDef]:
        """The routes, to be added to an application that uses ``problem_middleware``."""
        return [web.get(PATH, self._relay), web.get("/headset", self._headset)]

    async def end_relays(self, _application: web.Application) -> None:
        """End every relay; for ``on_shutdown``."""
        self._ending.set()

    async def _headset(self, request: web.Request) -> web.Response:
        """Who the caller is, and its topics: a headset that has its token need be told nothing else."""
        device_id = self._authenticator.device_for(caller_of(request), request.query.get("device"))
        topics = HeadsetTopics(self._mqtt.topic_prefix, device_id)
        answer = {"device_id": device_id, "topics": topics.by_name, "mqtt": PATH, "whip": "/whip"}
        return web.json_response(answer, headers={"Cache-Control": "no-store"})

    async def _relay(self, request: web.Request) -> web.StreamResponse:
        offered = request.headers.get("Sec-WebSocket-Protocol", "")
        if SUBPROTOCOL not in [name.strip() for name in offered.split(",")]:
            raise web.HTTPBadRequest(text="this is MQTT over WebSocket: offer the subprotocol mqtt")
        if self._open >= MAX_RELAYS:
            self._counters.add("relay.full")
            raise web.HTTPServiceUnavailable(text=f"{MAX_RELAYS} relays are open; close one")
        socket = web.WebSocketResponse(
            protocols=(SUBPROTOCOL,),
            max_msg_size=PACKET_BYTES,
            compress=False,
            heartbeat=HEARTBEAT_S,
            timeout=CLOSE_S,
        )
        with self._counted():
            await socket.prepare(request)
            page = PageLink(socket)
            code = WSCloseCode.INTERNAL_ERROR
            try:
                code = await self._serve(page, request)
            finally:
                await page.close(code)
        return socket

    async def _serve(self, page: PageLink, request: web.Request) -> WSCloseCode:
        """From the first packet to the end; returns why it ended."""
        try:
            connect = await page.hello()
            device_id = self._device_of(request, connect)
            if device_id is None or connect.has_will:
                # A will would speak through the daemon's own login; no message of a headset needs one.
                self._counters.add("relay.refused")
                await page.refuse(BAD_LOGIN if device_id is None else BAD_CLIENT)
                return WSCloseCode.POLICY_VIOLATION
            return await self._pass_on(page, connect, device_id)
        except MalformedPacket as error:
            self._counters.add("relay.malformed")
            log.info("relay_malformed", reason=str(error))
            return WSCloseCode.PROTOCOL_ERROR
        except TimeoutError:
            self._counters.add("relay.slow")
            return WSCloseCode.POLICY_VIOLATION
        except BrokerGone as error:
            self._counters.add("relay.broker_gone")
            log.warning("relay_broker_gone", reason=str(error))
            return WSCloseCode.TRY_AGAIN_LATER
        except ConnectionError:
            return WSCloseCode.OK  # the page has gone: there is nobody to tell

    async def _pass_on(self, page: PageLink, connect: Connect, device_id: str) -> WSCloseCode:
        try:
            broker = await BrokerLink.open(self._mqtt, self._own(connect, device_id))
        except BrokerGone:
            await page.refuse(UNAVAILABLE)
            raise
        self._counters.add("relay.opened")
        log.info("relay_opened", device_id=device_id)
        topics = HeadsetTopics(self._mqtt.topic_prefix, device_id)
        tasks = [
            asyncio.create_task(self._up(page, broker, topics)),
            asyncio.create_task(_down(page, broker)),
            asyncio.create_task(self._until_the_daemon_ends()),
        ]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            return next(iter(done)).result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            broker.close()
            log.info("relay_closed", device_id=device_id)

    async def _up(self, page: PageLink, broker: BrokerLink, topics: HeadsetTopics) -> WSCloseCode:
        """From the page to the broker. A packet that may not pass ends the relay."""
        while True:
            packet = await page.receive()
            fault = fault_of(packet, page.level, topics)
            if fault:
                self._counters.add("relay.denied")
                log.info("relay_denied", kind=packet.kind.name, code=fault)
                if page.level == MQTT_5:
                    await page.send(goodbye(fault))
                return WSCloseCode.POLICY_VIOLATION
            await broker.send(packet)
            if packet.kind is Kind.DISCONNECT:
                return WSCloseCode.OK

    async def _until_the_daemon_ends(self) -> WSCloseCode:
        await self._ending.wait()
        return WSCloseCode.GOING_AWAY

    def _device_of(self, request: web.Request, connect: Connect) -> str | None:
        caller = caller_of(request)
        if connect.password:
            token = connect.password.decode(errors="replace")
            caller = replace(caller, authorization=f"Bearer {token}")
        try:
            return self._authenticator.device_for(caller, connect.username or None)
        except SignallingError:
            return None

    def _own(self, connect: Connect, device_id: str) -> Connect:
        """The page's CONNECT under the daemon's login, with an id that takes nobody's place at the broker."""
        password = None if self._mqtt.password is None else self._mqtt.password.reveal().encode()
        name = f"{device_id}-web-{secrets.token_hex(4)}"
        return replace(connect, client_id=name, username=self._mqtt.username, password=password)

    @contextlib.contextmanager
    def _counted(self) -> Iterator[None]:
        self._open += 1
        try:
            yield
        finally:
            self._open -= 1


async def _down(page: PageLink, broker: BrokerLink) -> WSCloseCode:
    """From the broker to the page; ends by an error only."""
    while True:
        await page.send(await broker.receive())
