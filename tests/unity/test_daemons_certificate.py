"""The package's MQTT client, run by mono, at the daemon's own broker with the daemon's own certificate."""

from __future__ import annotations

import contextlib
import datetime as dt
import ssl
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from arwarden.core.counters import Counters
from arwarden.publish.embedded import Access, EmbeddedBroker, Login
from arwarden.publish.tls_front import TlsFront
from arwarden.web.certificates import ServerCertificate, ensure_certificate
from tests.unity.mono import build_console
from tests.unity.program import Program

pytestmark = [pytest.mark.xdist_group("unity")]

QUEST = Login("quest-1", "quest-secret")
LOGIN: dict[str, object] = {"username": QUEST.username, "password": QUEST.password}
NAMES = ["localhost", "127.0.0.1"]


@pytest.fixture(scope="module")
def probe(build_folder: Path, package: dict[str, Path]) -> Path:
    return build_console(build_folder, "MqttProbe", package)


@pytest.fixture
def certificate(tmp_path: Path) -> ServerCertificate:
    return ensure_certificate(tmp_path, NAMES, dt.datetime.now(dt.UTC))


@contextlib.asynccontextmanager
async def broker_with(certificate: ServerCertificate) -> AsyncIterator[int]:
    """The embedded broker behind TLS; its port."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate.certificate, certificate.key)
    broker = EmbeddedBroker(port=0, access=Access(Login("daemon", "pw"), (QUEST,)))
    front = TlsFront("127.0.0.1", 0, context, Counters())
    await front.start(await broker.start())
    try:
        assert front.port is not None
        yield front.port
    finally:
        await front.stop()
        await broker.stop()


@pytest.mark.parametrize("host", NAMES)
async def test_printed_pins_and_the_file_itself_are_each_enough(
    certificate: ServerCertificate, probe: Path, host: str
) -> None:
    pins = ({"pin": certificate.sha256}, {"pin": certificate.key_pin}, {"ca": certificate.certificate})
    async with broker_with(certificate) as port:
        for trusted in pins:
            async with Program(probe, host=host, port=port, sub="t", **LOGIN, **trusted) as client:
                await client.wait_for("state Online")
                await client.say("size t 1 60000")
                await client.wait_for("message t live 60000 bytes")


async def test_pin_of_the_key_outlives_a_renewal(
    certificate: ServerCertificate, tmp_path: Path, probe: Path
) -> None:
    renewed = ensure_certificate(tmp_path, [*NAMES, "192.0.2.7"], dt.datetime.now(dt.UTC))
    assert renewed.sha256 != certificate.sha256
    async with broker_with(renewed) as port:
        async with Program(probe, port=port, **LOGIN, pin=certificate.key_pin) as client:
            await client.wait_for("state Online")
        async with Program(probe, port=port, **LOGIN, pin=certificate.sha256) as client:
            await client.wait_for("state Offline the broker's certificate is not the one that is pinned")


async def test_wrong_token_is_not_let_in(certificate: ServerCertificate, probe: Path) -> None:
    wrong = LOGIN | {"password": "wrong", "pin": certificate.key_pin, "timeout": 1500}
    async with broker_with(certificate) as port, Program(probe, port=port, **wrong) as client:
        await client.wait_for("state Offline")
        assert not [line for line in client.lines if "Online" in line]
