"""``doctor`` beside a daemon that runs, and beside brokers that do not let it in."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path
from typing import Any

import pytest

from arwarden.cli import doctor, reach
from arwarden.cli.checks import Check
from arwarden.cli.visit import visit
from arwarden.config import Config
from arwarden.daemon import Daemon
from tests.support.browser import ScriptedTier
from tests.support.certificates import make_authority
from tests.support.mosquitto import Mosquitto, free_port

pytestmark = [pytest.mark.broker, pytest.mark.xdist_group("daemon")]

EVERYWHERE = "0.0.0.0"  # noqa: S104 - the point of the tests


def settings(broker: Mosquitto | None, **server: Any) -> Config:
    mqtt = (
        {"host": "127.0.0.1", "port": 1} if broker is None else broker.config().model_dump(exclude_none=True)
    )
    return Config.model_validate(
        {"server": {"port": free_port(), "shutdown_grace_ms": 1000, **server}, "mqtt": mqtt}
    )


def by_name(checks: list[Check]) -> dict[str, Check]:
    return {check.name: check for check in checks}


async def port_checks(config: Config) -> dict[str, Check]:
    return by_name(await asyncio.to_thread(lambda: list(reach.port_checks(config))))


async def test_running_daemon_is_visited_as_a_headset_would(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reach, "lan_addresses", lambda: ["127.0.0.1"])
    broker = Mosquitto(tmp_path / "broker")
    await broker.start()
    config = settings(broker, host=EVERYWHERE, tls="auto", state_folder=str(tmp_path))
    async with Daemon(config, tier=ScriptedTier()):
        found = await port_checks(config)
        assert {name: check.status for name, check in found.items()} == dict.fromkeys(
            ("daemon", "websocket", "reachable", "tls-served"), "ok"
        )
        await broker.stop()
        assert (await port_checks(config))["websocket"].status == "fail"
        (tmp_path / "tls" / "server.pem").unlink()
        assert (await port_checks(config))["tls-served"].status == "warn"
        plain = settings(None, host=EVERYWHERE, port=config.server.port)
        (other,) = (await port_checks(plain)).values()
        assert "answers at https://127.0.0.1" in other.detail


async def test_address_at_which_it_does_not_answer_is_named(tmp_path: Path) -> None:
    config = settings(None, host="127.0.0.1")
    async with Daemon(config, tier=ScriptedTier()):
        nowhere = config.server.model_copy(update={"host": EVERYWHERE})
        found = by_name(await visit(nowhere, ["127.0.0.2"]))
        assert found["daemon"].status == "ok"
        assert found["reachable"].status == "fail"
        assert "127.0.0.2" in found["reachable"].detail
        assert found["websocket"].status == "fail", "there is no broker"


async def test_somebody_else_at_the_port_is_not_taken_for_a_daemon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arwarden.cli.visit.TIMEOUT_S", 0.3)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        config = settings(None, port=silent.getsockname()[1])
        (port,) = (await port_checks(config)).values()
    assert port.status == "warn"
    assert "no arwarden answers there" in port.detail


async def test_free_port_is_said_to_be_free() -> None:
    (port,) = (await port_checks(settings(None))).values()
    assert port.status == "ok"


async def broker_check(config: Config) -> Check:
    found = await asyncio.to_thread(lambda: list(doctor._broker(config)))
    return found[0]


async def test_brokers_with_accounts_and_tls(tmp_path: Path) -> None:
    authority = make_authority(tmp_path / "authority")
    broker = Mosquitto(tmp_path / "broker", users={"arwarden": "pw"}, tls=authority)
    await broker.start()

    def config(**mqtt: Any) -> Config:
        return Config(mqtt=broker.config(**mqtt))

    trusted = {"tls": {"ca_file": str(authority.ca_file)}}
    login = {"username": "arwarden", "password": {"value": "pw"}}
    try:
        right = await broker_check(config(**trusted, **login))
        assert (right.status, right.detail) == (
            "ok",
            f"127.0.0.1:{broker.port} speaks MQTT 5 with TLS, as arwarden",
        )
        for mqtt, words in (
            (trusted | {"username": "arwarden", "password": {"value": "no"}}, "mqtt.password"),
            ({"tls": {"ca_file": str(authority.other_ca_file)}, **login}, "mqtt.tls.ca_file"),
            (login, "set mqtt.tls"),
        ):
            wrong = await broker_check(config(**mqtt))
            assert wrong.status == "fail"
            assert words in f"{wrong.detail} {wrong.fix}", wrong
    finally:
        await broker.stop()


async def test_broker_that_headsets_cannot_reach_is_pointed_out(tmp_path: Path) -> None:
    broker = Mosquitto(tmp_path / "broker")
    await broker.start()
    try:
        config = settings(broker, host=EVERYWHERE)
        checks = await asyncio.to_thread(lambda: list(doctor._broker(config)))
        assert [check.status for check in checks] == ["ok", "warn"]
        assert "127.0.0.1" in checks[1].detail
    finally:
        await broker.stop()
