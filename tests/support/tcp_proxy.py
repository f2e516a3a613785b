"""A TCP proxy that can refuse, swallow or cut: network faults without root."""

from __future__ import annotations

import asyncio
import contextlib
from types import TracebackType
from typing import Self


class TcpProxy:
    """Forwards to a port at 127.0.0.1. ``port`` stays the same while it is closed and opened again."""

    def __init__(self, target_port: int) -> None:
        self.port = 0
        self._target_port = target_port
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()
        self._flowing = asyncio.Event()
        self._flowing.set()

    async def __aenter__(self) -> Self:
        await self.open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def open(self) -> None:
        """Accept connections."""
        self._server = await asyncio.start_server(self._carry, "127.0.0.1", self.port)
        self.port = int(self._server.sockets[0].getsockname()[1])

    async def close(self) -> None:
        """Refuse new connections and cut the present ones."""
        if self._server is not None:
            self._server.close()
            self._server = None
        self._flowing.set()
        self.cut()
        await asyncio.sleep(0)

    def cut(self) -> None:
        """End all present connections, on both sides."""
        for writer in self._writers:
            writer.transport.abort()

    def swallow(self) -> None:
        """Connections stay open, new ones are accepted, no byte gets through: a dead radio link."""
        self._flowing.clear()

    def flow(self) -> None:
        """Let bytes through again, those that were held back first."""
        self._flowing.set()

    def forget(self) -> None:
        """Leave present connections to themselves: what they hold back is never sent, their ends stay."""
        self._writers.clear()

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            target_reader, target_writer = await asyncio.open_connection("127.0.0.1", self._target_port)
        except OSError:
            writer.transport.abort()
            return
        self._writers |= {writer, target_writer}
        with contextlib.suppress(OSError):
            pumps = [
                asyncio.ensure_future(self._pump(reader, target_writer)),
                asyncio.ensure_future(self._pump(target_reader, writer)),
            ]
            try:
                await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for pump in pumps:
                    pump.cancel()
                await asyncio.gather(*pumps, return_exceptions=True)
        self._writers -= {writer, target_writer}
        writer.transport.abort()
        target_writer.transport.abort()

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65_536):
            await self._flowing.wait()
            writer.write(data)
            await writer.drain()
