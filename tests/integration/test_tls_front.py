"""TLS in front of the embedded broker: clients that name an address, floods, a broker that goes."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Literal

import pytest

from arwarden.config import MqttConfig
from arwarden.core.counters import Counters
from arwarden.core.errors import BrokerError
from arwarden.publish import tls_front
from arwarden.publish.embedded import Access, EmbeddedBroker, Login
from arwarden.publish.tls_front import TlsFront
from tests.support.certificates import Authority, make_authority
from tests.support.logins import lets_in
from tests.support.mqtt_tap import eventually

LOCAL = "127.0.0.1"
DAEMON = Login("daemon", "pw")


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return make_authority(tmp_path, kind="rsa")


def serving_with(authority: Authority) -> ssl.SSLContext:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(authority.server.certificate, authority.server.key)
    return context


@contextlib.asynccontextmanager
async def front_to(target: tuple[str, int], authority: Authority, counters: Counters) -> AsyncIterator[int]:
    front = TlsFront(LOCAL, 0, serving_with(authority), counters)
    await front.start(target)
    try:
        assert front.port is not None
        yield front.port
    finally:
        await front.stop()
        assert front.port is None


@contextlib.asynccontextmanager
async def echo() -> AsyncIterator[tuple[str, int]]:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(1000):
                writer.write(data)
        writer.close()

    server = await asyncio.start_server(serve, LOCAL, 0)
    async with server:
        yield LOCAL, server.sockets[0].getsockname()[1]


async def connect(port: int, authority: Authority) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    context = ssl.create_default_context(cafile=authority.ca_file)
    return await asyncio.open_connection(LOCAL, port, ssl=context)


@pytest.mark.parametrize("kind", ["ec", "rsa"])
async def test_clients_log_in_at_the_broker_behind_it(tmp_path: Path, kind: Literal["ec", "rsa"]) -> None:
    authority = make_authority(tmp_path, kind=kind)
    broker = EmbeddedBroker(port=0, access=Access(DAEMON))
    target = await broker.start()
    try:
        async with front_to(target, authority, Counters()) as port:
            for password, ca_file, allowed in (
                ("pw", authority.ca_file, True),
                ("wrong", authority.ca_file, False),
                ("pw", authority.other_ca_file, False),
            ):
                login = {"username": "daemon", "password": {"value": password}}
                settings = MqttConfig.model_validate(
                    {"host": LOCAL, "port": port, "tls": {"ca_file": str(ca_file)}, **login}
                )
                assert await lets_in(settings) is allowed
    finally:
        await broker.stop()


async def test_client_that_names_an_address_in_its_handshake_is_served(authority: Authority) -> None:
    async with echo() as target, front_to(target, authority, Counters()) as port:
        command = ["openssl", "s_client", "-tls1_2", "-servername", LOCAL, "-connect", f"{LOCAL}:{port}"]
        run = lambda: subprocess.run(command, capture_output=True, input=b"", timeout=20, check=False)  # noqa: E731
        done = await asyncio.to_thread(run)
        assert b"Cipher is ECDHE-RSA" in done.stdout


async def test_large_amounts_pass_both_ways(authority: Authority) -> None:
    async with echo() as target, front_to(target, authority, Counters()) as port:
        reader, writer = await connect(port, authority)
        sent = bytes(range(256)) * 8000
        writer.write(sent)
        async with asyncio.timeout(20):
            assert await reader.readexactly(len(sent)) == sent
        writer.close()


async def test_connections_are_bounded(authority: Authority, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tls_front, "MAX_CONNECTIONS", 1)
    counters = Counters()
    async with echo() as target, front_to(target, authority, counters) as port:
        reader, writer = await connect(port, authority)
        writer.write(b"x")
        assert await reader.readexactly(1) == b"x"
        second, other = await connect(port, authority)
        assert await second.read() == b""
        assert counters["mqtt_tls.refused"] == 1
        writer.close()
        other.close()


async def test_broker_that_is_away_ends_the_connection(authority: Authority, unused_tcp_port: int) -> None:
    counters = Counters()
    async with front_to((LOCAL, unused_tcp_port), authority, counters) as port:
        reader, writer = await connect(port, authority)
        assert await reader.read() == b""
        assert counters["mqtt_tls.broker_gone"] == 1
        writer.close()


async def test_client_that_takes_nothing_is_let_go(
    authority: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tls_front, "DRAIN_S", 0.2)
    gone = asyncio.Event()

    async def flood(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while True:
                writer.write(bytes(65_536))
                await writer.drain()
        gone.set()
        writer.close()

    server = await asyncio.start_server(flood, LOCAL, 0)
    async with server, front_to((LOCAL, server.sockets[0].getsockname()[1]), authority, Counters()) as port:
        reader, writer = await connect(port, authority)
        writer.transport.pause_reading()  # type: ignore[attr-defined]  # it is a read transport too
        await eventually(gone.is_set, 20)
        writer.transport.abort()
        del reader


async def test_port_that_is_taken_is_said_with_the_cure(authority: Authority) -> None:
    with socket.create_server((LOCAL, 0)) as other:
        front = TlsFront(LOCAL, other.getsockname()[1], serving_with(authority), Counters())
        with pytest.raises(BrokerError, match=r"taken.*--broker-tls-port"):
            await front.start((LOCAL, 1))
    await front.stop()
