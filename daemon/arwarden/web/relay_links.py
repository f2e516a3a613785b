"""The two ends of a relay: a page's WebSocket, and a connection to the broker. Every wait has a deadline."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Self

from aiohttp import WSMsgType, web

from arwarden.config import MqttConfig
from arwarden.core.errors import PublishError
from arwarden.publish.connection import broker_tls
from arwarden.publish.mqtt_packets import (
    MQTT_5,
    Connect,
    MalformedPacket,
    Packet,
    PacketReader,
    connack_code,
    refusal,
)

PACKET_BYTES = 65_536
"""Longer packets pass in neither direction. The daemon's own payloads end at 61 440 bytes."""
HELLO_S = 5.0
CONNECT_S = 5.0
SEND_S = 5.0
CLOSE_S = 0.5
READ_BYTES = 16_384


class BrokerGone(ConnectionError):
    """There is no connection to the broker, or there no longer is one."""


class PageLink:
    """A WebSocket that speaks MQTT. A text frame, or bytes that are no packets, raise MalformedPacket."""

    def __init__(self, socket: web.WebSocketResponse) -> None:
        self._socket = socket
        self._packets = PacketReader(PACKET_BYTES)
        self._waiting: list[Packet] = []
        self.level = MQTT_5

    async def hello(self) -> Connect:
        """The page's first packet. Raises TimeoutError where it does not come."""
        async with asyncio.timeout(HELLO_S):
            connect = Connect.read(await self.receive())
        self.level = connect.level
        return connect

    async def receive(self) -> Packet:
        """The next packet. Raises ConnectionError once the page has gone."""
        while not self._waiting:
            message = await self._socket.receive()
            if message.type is WSMsgType.TEXT:
                raise MalformedPacket("MQTT travels in binary frames")
            if message.type is not WSMsgType.BINARY:
                raise ConnectionResetError
            self._waiting += self._packets.feed(message.data)
        return self._waiting.pop(0)

    async def send(self, packet: Packet) -> None:
        """Send a packet. Raises TimeoutError where the page does not read."""
        async with asyncio.timeout(SEND_S):
            await self._socket.send_bytes(packet.raw)

    async def refuse(self, code: int) -> None:
        """Answer CONNECT with a refusal."""
        await self.send(refusal(self.level, code))

    async def close(self, code: int) -> None:
        """Say goodbye. Never raises."""
        with contextlib.suppress(TimeoutError, ConnectionError, RuntimeError):
            async with asyncio.timeout(2 * CLOSE_S):
                await self._socket.close(code=code)


class BrokerLink:
    """A connection to the broker that stands. Made by ``open``."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self._packets = PacketReader(PACKET_BYTES)
        self._waiting: list[Packet] = []

    @classmethod
    async def open(cls, mqtt: MqttConfig, connect: Connect) -> Self:
        """Connect and log in. The answer is the first packet to ``receive``. Raises BrokerGone."""
        link = None
        try:
            async with asyncio.timeout(CONNECT_S):
                context = None if mqtt.tls is None else await asyncio.to_thread(broker_tls, mqtt.tls)
                link = cls(*await asyncio.open_connection(mqtt.host, mqtt.effective_port, ssl=context))
                link._writer.write(connect.packet(PACKET_BYTES).raw)
                answer = await link.receive()
                if connack_code(answer) != 0:
                    raise BrokerGone(
                        f"the broker refuses the daemon's login with code {connack_code(answer)}"
                    )
                link._waiting.insert(0, answer)
        except (OSError, TimeoutError, MalformedPacket, PublishError) as error:
            if link is not None:
                link.close()
            raise BrokerGone(str(error) or type(error).__name__) from error
        return link

    async def receive(self) -> Packet:
        """The next packet. Raises BrokerGone."""
        while not self._waiting:
            try:
                data = await self._reader.read(READ_BYTES)
            except OSError as error:
                raise BrokerGone(str(error)) from error
            if not data:
                raise BrokerGone("the broker closed the connection")
            self._waiting += self._packets.feed(data)
        return self._waiting.pop(0)

    async def send(self, packet: Packet) -> None:
        """Send a packet. Raises BrokerGone, also where the broker does not read."""
        try:
            self._writer.write(packet.raw)
            async with asyncio.timeout(SEND_S):
                await self._writer.drain()
        except (OSError, TimeoutError) as error:
            raise BrokerGone(str(error) or "the broker does not read") from error

    def close(self) -> None:
        """Let go. What was sent last is still delivered."""
        self._writer.close()
