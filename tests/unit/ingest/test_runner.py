"""The HTTP server towards connections that never become a request."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

import pytest
from aiohttp import web

from arwarden.core.counters import Counters
from arwarden.ingest.runner import http_runner
from tests.support.receiving import until


async def hello(_request: web.Request) -> web.Response:
    return web.Response(text="hello")


@pytest.fixture
async def runner(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[web.AppRunner]:
    monkeypatch.setattr("arwarden.ingest.runner.IDLE_S", 0.4)
    application = web.Application()
    application.add_routes([web.get("/", hello)])
    runner = http_runner(application, Counters(), shutdown_timeout_s=1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    yield runner
    await runner.cleanup()


def held(runner: web.AppRunner) -> int:
    assert runner.server is not None
    return len(runner.server.connections)


@pytest.mark.parametrize("begun", [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: x\r\nX-Slow: "])
async def test_connection_that_never_asks_is_closed(runner: web.AppRunner, begun: bytes) -> None:
    reader, writer = await asyncio.open_connection(*runner.addresses[0][:2])
    writer.write(begun)
    async with asyncio.timeout(5):
        assert await reader.read() == b""
    await until(lambda: held(runner) == 0, 5)
    writer.close()


async def test_head_that_trickles_in_is_cut_off_all_the_same(runner: web.AppRunner) -> None:
    reader, writer = await asyncio.open_connection(*runner.addresses[0][:2])
    writer.write(b"GET / HTTP/1.1\r\nX-Slow: ")
    await until(lambda: held(runner) == 1, 5)

    async def trickle() -> None:
        while True:
            writer.write(b"a")
            await asyncio.sleep(0.05)

    slowly = asyncio.create_task(trickle())
    await until(lambda: held(runner) == 0, 5)
    slowly.cancel()
    with contextlib.suppress(ConnectionError):
        assert await reader.read() == b""
    writer.close()


async def test_connection_may_be_used_again_within_the_time(runner: web.AppRunner) -> None:
    reader, writer = await asyncio.open_connection(*runner.addresses[0][:2])
    for _ in range(4):
        writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        async with asyncio.timeout(5):
            assert (await reader.readuntil(b"hello")).startswith(b"HTTP/1.1 200")
        await asyncio.sleep(0.2)
    writer.close()
