"""TLS in front of the embedded broker: ended here, with the context that HTTPS is served with.

rumqttd has a TLS listener of its own, but it turns away whoever names an address instead of a host in the
handshake (SNI). RFC 6066 forbids that, and mono's client, which Unity has, does it whenever it is given an
address. Ending TLS here lets those in, and a renewed certificate is served without a restart.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import ssl

import structlog

from arwarden.core.counters import Counters
from arwarden.core.errors import BrokerError

log = structlog.get_logger(__name__)

DEFAULT_TLS_PORT = 8883
MAX_CONNECTIONS = 100
"""As many as the broker itself takes."""
HANDSHAKE_S = 5.0
CONNECT_S = 5.0
DRAIN_S = 10.0
"""A side that takes nothing for this long is let go of."""
CHUNK_BYTES = 65_536


class TlsFront:
    """A TLS listener that passes what comes on to a plain port of this machine, and back."""

    def __init__(self, host: str, port: int, context: ssl.SSLContext, counters: Counters) -> None:
        """Port 0 picks a free one. Counts ``mqtt_tls.refused`` and ``mqtt_tls.broker_gone``."""
        self._host, self._wanted_port = host, port
        self._context = context
        self._counters = counters
        self._target: tuple[str, int] | None = None
        self._server: asyncio.Server | None = None
        self._serving: set[asyncio.Task[None]] = set()

    @property
    def port(self) -> int | None:
        """Where it listens; None while it does not."""
        return None if self._server is None else int(self._server.sockets[0].getsockname()[1])

    async def start(self, target: tuple[str, int]) -> None:
        """Listen for the broker at ``target``. Raises BrokerError."""
        self._target = target
        try:
            self._server = await asyncio.start_server(
                self._accept,
                self._host,
                self._wanted_port,
                ssl=self._context,
                ssl_handshake_timeout=HANDSHAKE_S,
                limit=CHUNK_BYTES,
            )
        except OSError as error:
            taken = error.errno == errno.EADDRINUSE
            reason = "it is taken, perhaps by another broker" if taken else str(error)
            raise BrokerError(
                f"cannot listen for MQTT with TLS on port {self._wanted_port} at {self._host}: {reason}; "
                "choose another (--broker-tls-port, 0 picks a free one)"
            ) from error
        log.info("mqtt_tls_started", host=self._host, port=self.port)

    async def stop(self) -> None:
        """Let nobody in any more and end what stands."""
        server, self._server = self._server, None
        if server is not None:
            server.close()
        for task in self._serving:
            task.cancel()
        await asyncio.gather(*self._serving, return_exceptions=True)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(self._serving) >= MAX_CONNECTIONS:
            self._counters.add("mqtt_tls.refused")
            writer.close()
            return
        task = asyncio.create_task(self._serve(reader, writer))
        self._serving.add(task)
        task.add_done_callback(self._serving.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        broker: asyncio.StreamWriter | None = None
        try:
            async with asyncio.timeout(CONNECT_S):
                answers, broker = await asyncio.open_connection(*(self._target or ("", 0)))
            pumps = [asyncio.create_task(_pump(reader, broker)), asyncio.create_task(_pump(answers, writer))]
            try:
                await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for pump in pumps:
                    pump.cancel()
                await asyncio.gather(*pumps, return_exceptions=True)
        except (OSError, TimeoutError):
            self._counters.add("mqtt_tls.broker_gone")
        finally:
            for side in (writer, broker):
                if side is not None:
                    side.close()


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Pass on what comes until either side is gone or takes nothing more."""
    with contextlib.suppress(OSError, TimeoutError):
        while data := await reader.read(CHUNK_BYTES):
            writer.write(data)
            async with asyncio.timeout(DRAIN_S):
                await writer.drain()
