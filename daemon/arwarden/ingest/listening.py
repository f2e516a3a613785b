"""The listening socket of the HTTP server, with a bound on how many clients it holds at a time."""

from __future__ import annotations

import asyncio
import ssl

from aiohttp import web

from arwarden.core.counters import Counters

HANDSHAKE_S = 5.0
"""A TLS handshake that takes longer is given up; asyncio would hold its socket for a minute."""
_FULL = (
    b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nRetry-After: 5\r\nConnection: close\r\n\r\n"
)


class BoundedSite(web.BaseSite):
    """Listens for a runner. Above ``limit`` connections a further one is told 503 and closed.

    Counts those as ``http.connections_refused``. Without the bound a client that only connects could use up
    the file descriptors that streams and broker need.
    """

    def __init__(
        self,
        runner: web.AppRunner,
        host: str,
        port: int,
        *,
        limit: int,
        counters: Counters,
        ssl_context: ssl.SSLContext | None = None,
    ) -> None:
        super().__init__(runner, ssl_context=ssl_context)
        self._host, self._port = host, port
        self._limit = limit
        self._counters = counters

    @property
    def name(self) -> str:
        """What this site is called in aiohttp's messages."""
        return f"{'http' if self._ssl_context is None else 'https'}://{self._host}:{self._port}"

    async def start(self) -> None:
        """Listen. Raises OSError where the address cannot be listened on."""
        await super().start()
        self._server = await asyncio.get_running_loop().create_server(
            self._protocol,
            self._host,
            self._port,
            ssl=self._ssl_context,
            backlog=self._backlog,
            ssl_handshake_timeout=None if self._ssl_context is None else HANDSHAKE_S,
        )

    def _protocol(self) -> asyncio.Protocol:
        server = self._runner.server
        if server is None or len(server.connections) >= self._limit:
            self._counters.add("http.connections_refused")
            return _Full()
        return server()


class _Full(asyncio.Protocol):
    """Says that there is no room, and closes."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        if isinstance(transport, asyncio.WriteTransport):
            transport.write(_FULL)
        transport.close()
