"""The HTTP server holds a bounded number of clients, with and without TLS."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiohttp import ClientError, ClientSession, web

from arwarden.core.counters import Counters
from arwarden.ingest import listening
from arwarden.ingest.listening import BoundedSite
from arwarden.ingest.runner import http_runner
from tests.support.certificates import make_authority
from tests.support.mqtt_tap import eventually

LIMIT = 8


async def hello(_request: web.Request) -> web.Response:
    return web.Response(text="hello")


def port_of(runner: web.AppRunner) -> int:
    return int(runner.addresses[0][1])


def server_of(runner: web.AppRunner) -> web.Server:
    assert runner.server is not None
    return runner.server


@contextlib.asynccontextmanager
async def serving(counters: Counters, context: ssl.SSLContext | None = None) -> AsyncIterator[web.AppRunner]:
    application = web.Application()
    application.router.add_get("/", hello)
    runner = http_runner(application, counters, 1.0)
    await runner.setup()
    site = BoundedSite(runner, "127.0.0.1", 0, limit=LIMIT, counters=counters, ssl_context=context)
    assert site.name == f"{'https' if context else 'http'}://127.0.0.1:0"
    await site.start()
    try:
        yield runner
    finally:
        await runner.cleanup()


async def hold(port: int, count: int) -> list[asyncio.StreamWriter]:
    """Connections that say nothing."""
    return [(await asyncio.open_connection("127.0.0.1", port))[1] for _ in range(count)]


async def answer(port: int) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    try:
        async with asyncio.timeout(5):
            return await reader.read()
    finally:
        writer.close()


async def test_one_too_many_is_told_and_let_in_when_another_has_gone() -> None:
    counters = Counters()
    async with serving(counters) as runner:
        held = await hold(port_of(runner), LIMIT)
        assert (await answer(port_of(runner))).startswith(b"HTTP/1.1 503 ")
        assert counters["http.connections_refused"] == 1
        held.pop().close()
        await eventually(lambda: len(server_of(runner).connections) < LIMIT)
        assert (await answer(port_of(runner))).endswith(b"hello")
        for writer in held:
            writer.close()


async def test_flood_of_connections_is_bounded() -> None:
    counters = Counters()
    async with serving(counters) as runner:
        held = await hold(port_of(runner), 10 * LIMIT)
        await eventually(lambda: counters["http.connections_refused"] == 9 * LIMIT)
        for writer in held:
            writer.close()


async def test_tls_is_served_and_a_handshake_that_stalls_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listening, "HANDSHAKE_S", 0.2)
    authority = make_authority(tmp_path)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(authority.server.certificate, authority.server.key)
    trusting = ssl.create_default_context(cafile=authority.ca_file)
    async with serving(Counters(), context) as runner:
        reader, writer = await asyncio.open_connection("127.0.0.1", port_of(runner))
        async with ClientSession() as client:
            async with client.get(f"https://127.0.0.1:{port_of(runner)}/", ssl=trusting) as response:
                assert await response.text() == "hello"
            with pytest.raises(ClientError):
                await client.get(f"http://127.0.0.1:{port_of(runner)}/")
        async with asyncio.timeout(5):
            assert await reader.read() == b""
        writer.close()


async def test_port_that_is_taken_is_an_error() -> None:
    counters = Counters()
    async with serving(counters) as runner:
        second = http_runner(web.Application(), counters, 1.0)
        await second.setup()
        with pytest.raises(OSError, match="in use"):
            await BoundedSite(second, "127.0.0.1", port_of(runner), limit=LIMIT, counters=counters).start()
        await second.cleanup()
