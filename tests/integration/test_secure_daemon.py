"""The daemon over TLS on every way in: HTTPS, MQTT with TLS at the embedded broker, and `run --tls auto`."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from arwarden.config import Config
from arwarden.core.clock import SystemClock
from arwarden.core.errors import ConfigError, Refused
from arwarden.daemon import Daemon
from arwarden.headset.headset import Headset, HeadsetOptions, live_feed
from arwarden.web import tls as server_tls
from arwarden.web.certificates import VALID, ensure_certificate
from tests.support.browser import ScriptedTier
from tests.support.certificates import make_authority
from tests.support.daemon import STREAM, Command, scene, write_config
from tests.support.mosquitto import free_port
from tests.support.mqtt_tap import eventually
from tests.support.pipeline import CONTRADICTORY

pytestmark = [pytest.mark.xdist_group("daemon"), pytest.mark.timeout(180)]

TOKEN = "quest-secret"


def settings(state: Path, **server: Any) -> Config:
    return Config.model_validate(
        {
            "server": {
                "port": 0,
                "tls": "auto",
                "state_folder": str(state),
                "shutdown_grace_ms": 3000,
                **server,
            },
            "ingest": {"devices": [{"id": "quest-1", "token": {"value": TOKEN}}], "anonymous": "never"},
            "mqtt": {"username": "daemon", "password": {"value": "pw"}},
        }
    )


def secure_daemon(state: Path) -> Daemon:
    tier = ScriptedTier(CONTRADICTORY)
    return Daemon(settings(state), tier=tier, embedded_broker=True, broker_port=0, broker_tls_port=0)


def headset(daemon: Daemon, ca_file: Path | None, token: str = TOKEN) -> Headset:
    options = HeadsetOptions(
        whip_url=f"https://127.0.0.1:{daemon.http_port}/whip",
        mqtt_url=f"mqtts://quest-1:{token}@127.0.0.1:{daemon.mqtt_tls_port}",
        device_id="quest-1",
        token=TOKEN,
        ca_file=ca_file,
    )
    return wearing(options)


def wearing(options: HeadsetOptions) -> Headset:
    return Headset(options, live_feed(scene("Door"), STREAM, SystemClock()))


async def test_headset_that_is_given_the_certificate_streams_and_is_warned_over_tls(tmp_path: Path) -> None:
    async with secure_daemon(tmp_path) as daemon:
        known = daemon.tls.certificate
        assert known is not None
        wearer = headset(daemon, known.certificate)
        run = asyncio.create_task(wearer.run())
        await eventually(lambda: daemon.counters["acks.shown"] >= 1, 30)
        wearer.stop()
        summary = await run
        assert summary.raised
        assert summary.clock_offset_ms is not None


async def test_headset_that_is_not_refuses_the_daemon(tmp_path: Path) -> None:
    async with secure_daemon(tmp_path / "state") as daemon:
        with pytest.raises(Refused, match=r"certificate is not trusted: .*; name it by --ca"):
            await headset(daemon, None).run(seconds=5)
        with pytest.raises(Refused, match="not a readable PEM"):
            await headset(daemon, tmp_path / "nowhere.pem").run(seconds=5)


async def test_an_address_of_the_wrong_scheme_is_told_the_right_one(tmp_path: Path) -> None:
    async with secure_daemon(tmp_path / "state") as daemon, answering_bad_request() as port:
        known = daemon.tls.certificate
        assert known is not None
        options = HeadsetOptions(
            whip_url=f"https://127.0.0.1:{daemon.http_port}/whip", ca_file=known.certificate, token=TOKEN
        )
        for url, said in (
            (f"http://127.0.0.1:{daemon.http_port}/whip", "as with --tls auto, begin with https://"),
            (f"https://127.0.0.1:{port}/whip", "speaks no TLS there: begin with http://"),
        ):
            with pytest.raises(Refused, match=said):
                await wearing(replace(options, whip_url=url, connect_timeout_s=2.0)).run()
        wearer = wearing(replace(options, mqtt_url=f"mqtts://127.0.0.1:{port}"))
        run = asyncio.create_task(wearer.run())
        await eventually(lambda: "no TLS is spoken there: begin with mqtt://" in wearer.state.broker_reason)
        wearer.stop()
        await run


async def test_a_name_that_is_not_in_the_certificate_is_told(tmp_path: Path) -> None:
    authority = make_authority(tmp_path)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(authority.server.certificate, authority.server.key)
    async with answering_bad_request(context) as port:
        options = HeadsetOptions(whip_url=f"https://localhost:{port}/whip", ca_file=authority.ca_file)
        with pytest.raises(Refused, match=r"is for other names: .*; use one that is in it"):
            await wearing(options).run()


@contextlib.asynccontextmanager
async def answering_bad_request(context: ssl.SSLContext | None = None) -> AsyncIterator[int]:
    """A server that takes everything, handshakes too without a context, for a bad request; its port."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            await reader.read(1000)
            writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
            await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0, ssl=context)
    async with server:
        yield int(server.sockets[0].getsockname()[1])


async def test_own_files_that_cannot_be_served_with_are_said_at_the_start(tmp_path: Path) -> None:
    authority = make_authority(tmp_path)
    own = {"tls": None, "tls_certificate": str(authority.server.certificate)}
    mixed = settings(tmp_path, **own, tls_key=str(authority.client.key))
    with pytest.raises(ConfigError, match=r"server\.tls_certificate: .* are not a pair"):
        await Daemon(mixed, tier=ScriptedTier(), embedded_broker=True, broker_port=0).__aenter__()


async def test_renewed_certificate_is_served_without_a_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_tls, "LOOK_S", 0.05)
    async with secure_daemon(tmp_path) as daemon:
        first = daemon.tls.certificate
        assert first is not None
        assert await served_certificate(daemon) == ssl.PEM_cert_to_DER_cert(first.certificate.read_text())
        ensure_certificate(tmp_path / "tls", first.names, first.not_before + VALID)
        await eventually(lambda: daemon.tls.certificate != first)
        renewed = daemon.tls.certificate
        assert renewed is not None
        assert renewed.key_pin == first.key_pin
        assert await served_certificate(daemon) == ssl.PEM_cert_to_DER_cert(renewed.certificate.read_text())


async def served_certificate(daemon: Daemon) -> bytes:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    _, writer = await asyncio.open_connection("127.0.0.1", daemon.http_port, ssl=context)
    der: bytes = writer.get_extra_info("ssl_object").getpeercert(binary_form=True)
    writer.close()
    return der


async def test_run_with_tls_auto_says_what_to_open_and_keeps_its_key(tmp_path: Path) -> None:
    config = write_config(
        tmp_path, {"server": {"port": free_port(), "state_folder": str(tmp_path / "state")}}
    )
    pins = []
    for _ in range(2):
        arguments = ("run", "--config", str(config), "--tls", "auto", "--embedded-broker")
        ports = ("--broker-port", "0", "--broker-tls-port", "0")
        async with Command(*arguments, *ports) as command:
            url = (await command.says("ready: https://")).removeprefix("ready: ")
            assert (await command.says(", with TLS at 127.0.0.1:")).startswith("broker: 127.0.0.1:")
            assert "certificate: SHA-256 " in await command.says("certificate: ")
            pins.append((await command.says("pin of its key: ")).rpartition(" ")[2])
            trusting = ssl.create_default_context(cafile=tmp_path / "state" / "tls" / "server.pem")
            async with aiohttp.ClientSession() as client:
                assert (await client.get(f"{url}healthz", ssl=trusting)).status == 200
            assert "█" not in command.output, "a log is no place for a QR code"
    assert pins[0] == pins[1]
