"""The package's MQTT client, against a real Mosquitto and against brokers that answer by script."""

from __future__ import annotations

import asyncio
import contextlib
import datetime as dt
import hashlib
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any, NamedTuple

import aiomqtt
import pytest

from arwarden.web.certificates import read_certificate
from tests.support.certificates import Authority, make_authority
from tests.support.mosquitto import Mosquitto
from tests.support.mqtt_tap import eventually, tapping
from tests.unity.mono import build_console
from tests.unity.program import Program

pytestmark = [pytest.mark.broker, pytest.mark.xdist_group("unity")]


class Streams(NamedTuple):
    """One connection to a scripted broker."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter


@pytest.fixture(scope="module")
def probe(build_folder: Path, package: dict[str, Path]) -> Path:
    return build_console(build_folder, "MqttProbe", package)


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return make_authority(tmp_path_factory.mktemp("certificates"), kind="rsa")


@contextlib.asynccontextmanager
async def broker_at(folder: Path, **options: Any) -> AsyncIterator[Mosquitto]:
    broker = Mosquitto(folder, **options)
    await broker.start()
    try:
        yield broker
    finally:
        await broker.stop()


@contextlib.asynccontextmanager
async def scripted_broker(answer: Callable[[Streams], Awaitable[None]]) -> AsyncIterator[int]:
    """Answers every connection by the script, then hangs up; the port."""
    serving: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        serving.add(task)
        with contextlib.suppress(OSError):
            await answer(Streams(reader, writer))
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield int(server.sockets[0].getsockname()[1])
    await asyncio.gather(*serving)


@pytest.mark.parametrize("level", [5, 4])
async def test_what_is_published_comes_back(tmp_path: Path, probe: Path, level: int) -> None:
    async with (
        broker_at(tmp_path) as broker,
        Program(probe, port=broker.port, level=level, sub="t/+,u") as client,
    ):
        await client.wait_for("state Online")
        for qos in (0, 1):
            await client.say(f"pub t/{qos} {qos} grüße {qos}")
            await client.wait_for(f"message t/{qos} live grüße {qos}")
        await client.say("size u 1 60000")
        await client.wait_for("message u live 60000 bytes")
        await client.has_counted(level=level, pending=0, delivered=2)
        assert await client.quit() == 0
    assert client.lines[-1] == "bye"


async def test_what_is_too_large_is_skipped_and_acknowledged(tmp_path: Path, probe: Path) -> None:
    async with (
        broker_at(tmp_path) as broker,
        Program(probe, port=broker.port, level=4, sub="t", maxpacket=1000) as client,
    ):
        await client.wait_for("state Online")
        for _ in range(30):  # more than a broker leaves unacknowledged (20)
            await client.say("size t 1 5000")
        await client.say("pub t 1 small")
        await client.wait_for("message t live small")
        await client.has_counted(oversized=30, connections=1)


async def test_what_the_broker_does_not_take_is_counted(tmp_path: Path, probe: Path) -> None:
    async with (
        broker_at(tmp_path, options={"max_packet_size": 2000}) as broker,
        Program(probe, port=broker.port, sub="t") as client,
    ):
        await client.wait_for("state Online")
        await client.say("size t 1 3000")
        await client.say("pub t 1 small")
        await client.wait_for("message t live small")
        await client.has_counted(oversized=1, connections=1, pending=0, delivered=1)


async def test_a_quiet_connection_is_kept(tmp_path: Path, probe: Path) -> None:
    async with (
        broker_at(tmp_path) as broker,
        Program(probe, port=broker.port, keepalive=1, sub="t") as client,
    ):
        await client.wait_for("state Online")
        await asyncio.sleep(3.5)  # a broker gives up after one and a half times the keep-alive
        await client.say("pub t 1 still here")
        await client.wait_for("message t live still here")
        assert (await client.counters())["connections"] == 1


async def test_a_broker_that_dies_and_comes_back(tmp_path: Path, probe: Path) -> None:
    async with (
        broker_at(tmp_path) as broker,
        Program(probe, port=broker.port, sub="t", outbox=8) as client,
    ):
        await client.wait_for("state Online")
        await broker.kill()
        await client.wait_for("state Offline")
        for turn in range(12):
            await client.say(f"pub t 1 offline {turn}")
        await broker.start()
        await client.wait_for("message t live offline", 8)
        heard = [line.split()[-1] for line in client.lines if "offline" in line]
        assert heard == [str(turn) for turn in range(4, 12)], "the newest, in order, once each"
        assert (await client.counters())["dropped"] == 4


async def test_what_the_broker_has_for_nobody_is_told_again(tmp_path: Path, probe: Path) -> None:
    async with (
        broker_at(tmp_path) as broker,
        Program(probe, port=broker.port, again=200, tries=1000) as client,
    ):
        await client.wait_for("state Online")
        for turn in range(3):
            await client.say(f"pub t 1 {turn}")
        await eventually(lambda: broker.log.count("PUBLISH from") >= 6)
        async with tapping(broker.host, broker.port, "t") as tap:
            await client.has_counted(pending=0, delivered=3, unheard=0)
            await eventually(lambda: len(tap.received) >= 3)
            assert sorted(message.payload for message in tap.received) == [b"0", b"1", b"2"]


async def test_what_nobody_ever_wants_is_given_up(tmp_path: Path, probe: Path) -> None:
    async with (
        broker_at(tmp_path) as broker,
        Program(probe, port=broker.port, again=50, tries=4, outbox=8) as client,
    ):
        await client.wait_for("state Online")
        await client.say("pub t 1 nobody")
        await client.has_counted(pending=0, delivered=0, unheard=1, connections=1)
        assert broker.log.count("PUBLISH from") == 4


async def test_what_nobody_wants_yet_is_bounded(tmp_path: Path, probe: Path) -> None:
    async with (
        broker_at(tmp_path) as broker,
        Program(probe, port=broker.port, again=3_600_000, outbox=8) as client,
    ):
        await client.wait_for("state Online")
        for turn in range(20):
            await client.say(f"pub t 1 {turn}")
        await client.has_counted(pending=8, delivered=0, dropped=12)


async def test_a_broker_that_hangs_is_noticed(tmp_path: Path, probe: Path) -> None:
    async with (
        broker_at(tmp_path) as broker,
        Program(probe, port=broker.port, keepalive=1, timeout=1000, sub="t") as client,
    ):
        await client.wait_for("state Online")
        broker.pause()
        try:
            await client.wait_for("state Offline the broker does not answer")
            await client.say("pub t 1 after")
        finally:
            broker.resume()
        await client.wait_for("message t live after")


async def test_the_last_will_is_only_for_accidents(tmp_path: Path, probe: Path) -> None:
    async with (
        broker_at(tmp_path) as broker,
        Program(probe, port=broker.port, sub="gone/+") as watching,
    ):
        await watching.wait_for("state Online")
        async with Program(probe, port=broker.port, will="gone/politely") as polite:
            await polite.wait_for("state Online")
            await polite.quit()
        async with Program(probe, port=broker.port, will="gone/suddenly") as sudden:
            await sudden.wait_for("state Online")
        await watching.wait_for("message gone/suddenly live 0")
        assert not [line for line in watching.lines if "politely" in line]


async def test_a_wrong_password_is_said(tmp_path: Path, probe: Path) -> None:
    async with broker_at(tmp_path, users={"quest": "right"}) as broker:
        async with Program(probe, port=broker.port, username="quest", password="wrong") as client:
            await client.wait_for("state Refused the broker refuses the user name or password")
        async with Program(probe, port=broker.port, username="quest", password="right") as client:
            await client.wait_for("state Online")


async def test_a_retained_message_is_told_apart(tmp_path: Path, probe: Path) -> None:
    async with broker_at(tmp_path) as broker:
        async with aiomqtt.Client(broker.host, broker.port) as other:
            await other.publish("t", b"old", qos=1, retain=True)
        async with Program(probe, port=broker.port, sub="t") as client:
            await client.wait_for("message t retained old")


@pytest.mark.parametrize("greeting", [b"\x20\x02\x00\x01", b"\x20\x03\x00\x84\x00", b""])
async def test_an_old_broker_is_spoken_to_in_its_own_version(probe: Path, greeting: bytes) -> None:
    """What refuses MQTT 5: a broker of 3.1.1, one of 5, and one that just hangs up."""
    levels: list[int] = []

    async def answer(streams: Streams) -> None:
        connect = await streams.reader.read(200)
        levels.append(connect[8])
        streams.writer.write(b"\x20\x02\x00\x00" if connect[8] == 4 else greeting)
        await streams.writer.drain()
        if connect[8] == 4:
            await streams.reader.read(200)

    async with scripted_broker(answer) as port, Program(probe, port=port) as client:
        await client.wait_for("state Online")
        assert levels == [5, 4]
        assert (await client.counters())["level"] == 4


@pytest.mark.parametrize(
    "noise", [b"HTTP/1.1 400 Bad Request\r\n\r\n", b"\x20\xff\xff\xff\xff\x01", b"\xd0\x00"]
)
async def test_what_is_no_broker_is_survived(probe: Path, noise: bytes) -> None:
    async def answer(streams: Streams) -> None:
        await streams.reader.read(200)
        streams.writer.write(noise)
        await streams.writer.drain()
        await asyncio.sleep(0.2)

    async with scripted_broker(answer) as port, Program(probe, port=port) as client:
        await client.wait_for("state Offline", 2)
        assert (await client.counters())["connections"] == 0


async def test_what_cannot_even_be_sent_is_said(probe: Path) -> None:
    """Whatever goes wrong on the client's own thread, it does not end without a word."""

    async def answer(streams: Streams) -> None:
        await streams.reader.read(200)

    async with (
        scripted_broker(answer) as port,
        Program(probe, port=port, username="quest", password="x" * 70000) as client,
    ):
        await client.wait_for("state Offline no connection can be made: longer than 65535 bytes", 2)
        assert await client.quit() == 0


class TestTls:
    async def test_our_authority_is_trusted(self, tmp_path: Path, probe: Path, authority: Authority) -> None:
        async with (
            broker_at(tmp_path, tls=authority) as broker,
            Program(probe, port=broker.port, ca=authority.ca_file, sub="t") as client,
        ):
            await client.wait_for("state Online")
            await client.say("size t 1 60000")
            await client.wait_for("message t live 60000 bytes")

    async def test_another_host_is_refused(self, tmp_path: Path, probe: Path, authority: Authority) -> None:
        async with (
            broker_at(tmp_path, tls=authority) as broker,
            Program(probe, host="localhost", port=broker.port, ca=authority.ca_file) as client,
        ):
            await client.wait_for("state Offline the broker's certificate is not for the host localhost")
            assert not [line for line in client.lines if "Online" in line]

    async def test_another_authority_is_refused(
        self, tmp_path: Path, probe: Path, authority: Authority
    ) -> None:
        async with broker_at(tmp_path, tls=authority) as broker:
            for trusted in ({"ca": authority.other_ca_file}, {"tls": "system"}):
                async with Program(probe, port=broker.port, **trusted) as client:
                    await client.wait_for("state Offline no trusted authority has signed")

    async def test_a_pin_is_enough_and_nothing_else_is(
        self, tmp_path: Path, probe: Path, authority: Authority
    ) -> None:
        der = ssl.PEM_cert_to_DER_cert(authority.server.certificate.read_text(encoding="utf-8"))
        pin = hashlib.sha256(der).hexdigest()
        async with broker_at(tmp_path, tls=authority) as broker:
            async with Program(probe, host="localhost", port=broker.port, pin=pin) as client:
                await client.wait_for("state Online")
            served = authority.server
            key = read_certificate(served.certificate, served.key, dt.datetime.now(dt.UTC)).key_pin
            async with Program(probe, host="localhost", port=broker.port, pin=key) as client:
                await client.wait_for("state Online")
            wrong = pin[:-1] + ("0" if pin[-1] != "0" else "1")
            async with Program(probe, port=broker.port, pin=wrong, ca=authority.ca_file) as client:
                await client.wait_for("state Offline the broker's certificate is not the one that is pinned")

    async def test_an_elliptic_curve_needs_a_pin(self, tmp_path: Path, probe: Path) -> None:
        authority = make_authority(tmp_path / "certificates")
        der = ssl.PEM_cert_to_DER_cert(authority.server.certificate.read_text(encoding="utf-8"))
        async with broker_at(tmp_path, tls=authority) as broker:
            async with Program(probe, port=broker.port, ca=authority.ca_file) as client:
                await client.wait_for("state Offline the broker's kind of certificate cannot be checked here")
            pin = hashlib.sha256(der).hexdigest()
            async with Program(probe, port=broker.port, pin=pin) as client:
                await client.wait_for("state Online")

    async def test_a_broker_without_tls_is_said(self, tmp_path: Path, probe: Path) -> None:
        async with (
            broker_at(tmp_path) as broker,
            Program(probe, port=broker.port, tls="yes", timeout=2000) as client,
        ):
            await client.wait_for("state Offline the TLS handshake failed: choose the broker's port with TLS")
            assert not [line for line in client.lines if "Online" in line]

    async def test_a_broker_with_tls_is_said(self, tmp_path: Path, probe: Path, authority: Authority) -> None:
        async with (
            broker_at(tmp_path, tls=authority) as broker,
            Program(probe, port=broker.port, timeout=1000) as client,
        ):
            said = (await client.wait_for("state Offline"))[0]
            assert said.endswith("; where it speaks TLS at this port, switch on TLS")
            assert not [line for line in client.lines if "Online" in line]
