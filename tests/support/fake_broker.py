"""A broker that answers by script: what no real broker can be made to say."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Self

SUCCESS = 0
DISCONNECT_TAKEN_OVER = bytes([0xE0, 2, 142, 0])


class FakeBroker:
    """Speaks as much MQTT 5 as one publisher needs.

    ``connack`` is the reason code (None: never answers); ``properties`` go with it; ``puback`` is the
    reason code of every acknowledgement; ``farewell`` is sent after the first publish, then the
    connection is closed.
    """

    def __init__(
        self,
        *,
        connack: int | None = SUCCESS,
        properties: bytes = b"",
        puback: int = SUCCESS,
        suback: int = 1,
        farewell: bytes | None = None,
    ) -> None:
        self.port = 0
        self.connections = 0
        self.published: list[bytes] = []
        self._connack, self._properties = connack, properties
        self._puback, self._suback, self._farewell = puback, suback, farewell
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.StreamWriter] = set()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = int(self._server.sockets[0].getsockname()[1])
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._server is not None:
            self._server.close()
        for writer in self._open:
            writer.transport.abort()
        await asyncio.sleep(0.01)

    @property
    def open_connections(self) -> int:
        return len(self._open)

    def deliver(self, topic: str, payload: bytes) -> None:
        """Send a QoS 0 message to every connection, whatever it has subscribed to."""
        body = len(topic).to_bytes(2, "big") + topic.encode() + b"\0" + payload
        length = bytes([0x80 | len(body) & 0x7F, len(body) >> 7])  # two bytes, for up to 16383
        self.inject(b"\x30" + length + body)

    def inject(self, data: bytes) -> None:
        """Send these very bytes to every connection."""
        for writer in self._open:
            writer.write(data)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self._open.add(writer)
        try:
            while True:
                kind, body = await _packet(reader)
                answer = self._answer(kind, body)
                writer.write(answer)
                await writer.drain()
                if kind == 0xE0 or (self._farewell is not None and kind & 0xF0 == 0x30):
                    return
        except (OSError, asyncio.IncompleteReadError):
            return
        finally:
            self._open.discard(writer)
            writer.close()

    def _answer(self, kind: int, body: bytes) -> bytes:
        if kind == 0x10 and self._connack is not None:
            return bytes([0x20, 3 + len(self._properties), 0, self._connack, len(self._properties)]) + (
                self._properties
            )
        if kind & 0xF0 == 0x30:
            self.published.append(body)
            topic_end = 2 + int.from_bytes(body[:2], "big")
            acknowledgement = bytes([0x40, 3]) + body[topic_end : topic_end + 2] + bytes([self._puback])
            return self._farewell or acknowledgement
        if kind == 0x82:
            return bytes([0x90, 4]) + body[:2] + bytes([0, self._suback])
        return bytes([0xD0, 0]) if kind == 0xC0 else b""


async def _packet(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    kind = (await reader.readexactly(1))[0]
    length, shift = 0, 0
    while True:
        digit = (await reader.readexactly(1))[0]
        length |= (digit & 0x7F) << shift
        shift += 7
        if digit < 0x80:
            return kind, await reader.readexactly(length)
