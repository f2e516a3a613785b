"""What ``doctor`` finds out about reaching the daemon, on machines of every kind."""

from __future__ import annotations

import datetime as dt
import socket
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psutil
import pytest

from arwarden.cli import doctor, reach
from arwarden.cli.checks import Check
from arwarden.config import Config, MqttConfig
from arwarden.web.certificates import VALID, ensure_certificate
from tests.support.certificates import Authority, make_authority

EVERYWHERE = "0.0.0.0"  # noqa: S104 - not bound to
Interfaces = dict[str, list[SimpleNamespace]]


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return make_authority(tmp_path_factory.mktemp("authority"))


def config(state: Path | None = None, **server: Any) -> Config:
    kept = {} if state is None else {"tls": "auto", "state_folder": str(state)}
    return Config.model_validate({"server": {"host": EVERYWHERE, **kept, **server}})


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Sets which interfaces this machine has: name to IPv4 address."""

    def having(**interfaces: str) -> None:
        def address(ip: str) -> SimpleNamespace:
            return SimpleNamespace(family=socket.AF_INET, address=ip, netmask="255.255.255.0")

        found: Interfaces = {name: [address(ip)] for name, ip in interfaces.items()}
        monkeypatch.setattr(psutil, "net_if_addrs", lambda: found)
        lan = [ip for ip in interfaces.values() if not ip.startswith("127.")]
        monkeypatch.setattr(reach, "lan_addresses", lambda: lan)
        monkeypatch.setattr(reach, "get_host_addresses", lambda **_kinds: lan)

    return having


@pytest.fixture(autouse=True)
def no_firewall(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(reach, "UFW_CONF", tmp_path / "ufw.conf")
    monkeypatch.setattr(reach, "FIREWALLD_RUN", tmp_path / "firewalld")


def by_name(checks: list[Check]) -> dict[str, Check]:
    return {check.name: check for check in checks}


# TLS ----------------------------------------------------------------------------------------------


def test_plain_http_is_enough_for_this_machine_only() -> None:
    (here,) = reach.tls_checks(Config())
    (elsewhere,) = reach.tls_checks(config())
    assert (here.status, elsewhere.status) == ("ok", "warn")
    assert "--tls auto" in elsewhere.fix


def test_certificate_of_an_earlier_start_is_shown_and_what_the_next_one_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (first,) = reach.tls_checks(config(tmp_path))
    assert "made at the next start" in first.detail
    assert not (tmp_path / "tls").exists(), "looking makes nothing"
    monkeypatch.setattr("arwarden.web.tls.own_names", lambda: ["desk", "192.0.2.7"])
    known = ensure_certificate(tmp_path / "tls", ["desk"], dt.datetime.now(dt.UTC))
    valid, names = reach.tls_checks(config(tmp_path))
    assert (valid.status, names.status) == ("ok", "ok")
    assert known.sha256 in valid.detail
    assert "192.0.2.7 will be added" in names.detail
    ensure_certificate(tmp_path / "tls", ["desk"], dt.datetime.now(dt.UTC) - VALID)
    valid, _ = reach.tls_checks(config(tmp_path))
    assert "renewed at the next start" in valid.detail
    known.certificate.write_text("damaged", encoding="utf-8")
    (mended,) = reach.tls_checks(config(tmp_path))
    assert (mended.status, mended.detail) == (first.status, first.detail), "a start makes it again"
    known.key.write_text("damaged", encoding="utf-8")
    (damaged,) = reach.tls_checks(config(tmp_path))
    assert (damaged.status, damaged.fix) == ("fail", "")
    assert f"server.key holds no PEM private key; delete {tmp_path / 'tls'}" in damaged.detail


def test_own_certificate_is_held_against_the_addresses(
    authority: Authority, machine: Callable[..., None]
) -> None:
    own: dict[str, Any] = {
        "tls_certificate": str(authority.server.certificate),
        "tls_key": str(authority.server.key),
    }
    machine(eth0="192.0.2.7")
    valid, names = reach.tls_checks(config(**own))
    assert valid.status == "warn", "it ends tomorrow"
    assert "renew it" in valid.fix
    assert names.status == "warn"
    assert "browsers refuse 192.0.2.7" in names.detail
    _, names = reach.tls_checks(config(**own | {"host": "127.0.0.1"}))
    assert names.status == "ok"
    mixed = own | {"tls_key": str(authority.client.key)}
    (fault,) = reach.tls_checks(config(**mixed))
    assert fault.status == "fail"
    assert "not a pair" in fault.detail


# Addresses, ICE and firewall ----------------------------------------------------------------------


def test_where_video_goes_is_said(machine: Callable[..., None]) -> None:
    machine(wlan0="192.0.2.7", docker0="172.17.0.1")
    found = by_name(list(reach.address_checks(config())))
    assert found["ice"].status == "ok"
    assert "172.17.0.1, 192.0.2.7" in found["ice"].detail
    assert "172.17.0.1 of containers or VPNs do no harm" in found["ice"].detail
    machine(docker0="172.17.0.1", tailscale0="100.64.0.1")
    found = by_name(list(reach.address_checks(config())))
    assert found["ice"].status == "warn"
    assert "Wi-Fi" in found["ice"].fix


def test_no_address_for_video_fails(machine: Callable[..., None], monkeypatch: pytest.MonkeyPatch) -> None:
    machine(wlan0="192.0.2.7")
    monkeypatch.setattr(reach, "get_host_addresses", lambda **_kinds: [])
    assert by_name(list(reach.address_checks(config())))["ice"].status == "fail"


def test_firewall_that_is_on_is_told_with_the_commands(
    machine: Callable[..., None], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    machine(wlan0="192.0.2.7")
    assert by_name(list(reach.address_checks(config())))["firewall"].status == "ok"
    (tmp_path / "firewalld").mkdir()
    monkeypatch.setattr("arwarden.cli.reach.shutil.which", lambda _name: "/usr/bin/firewall-cmd")
    firewalld = by_name(list(reach.address_checks(config())))["firewall"]
    assert "--add-port=8080/tcp; firewall-cmd --add-port=1883/tcp;" in firewalld.fix
    (tmp_path / "ufw.conf").write_text("# ufw\nENABLED=yes\n", encoding="utf-8")
    ufw = by_name(list(reach.address_checks(config())))["firewall"]
    assert ufw.status == "warn"
    assert ufw.fix == "ufw allow 8080/tcp; ufw allow 1883/tcp; ufw allow proto udp from 192.0.2.0/24"
    own_broker = config(tmp_path).model_copy(update={"mqtt": MqttConfig(host="broker.lan")})
    assert "TCP 8080 and UDP" in by_name(list(reach.address_checks(own_broker)))["firewall"].detail


def test_embedded_broker_is_looked_for_where_headsets_would(
    machine: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    machine(wlan0="127.0.0.1")
    monkeypatch.setattr(reach, "lan_addresses", lambda: ["127.0.0.1"])
    with socket.create_server(("127.0.0.1", 0)) as listener:
        monkeypatch.setattr(reach, "DEFAULT_TLS_PORT", listener.getsockname()[1])
        assert reach.embedded_reach(secure=True).status == "ok"
    missing = reach.embedded_reach(secure=True)
    assert missing.status == "warn"
    assert "--broker-host 0.0.0.0" in missing.fix
    monkeypatch.setattr(reach, "lan_addresses", list)
    assert "any address" in reach.embedded_reach(secure=False).detail


# The broker ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "tls", "words"),
    [
        ("the broker refuses us: Not authorized; check", False, "mqtt.password"),
        ("[SSL: TLSV1_ALERT_UNKNOWN_CA] tlsv1 alert unknown ca", True, "certificate and key"),
        ("[SSL: WRONG_VERSION_NUMBER]", False, "set mqtt.tls"),
        ("the broker does not speak MQTT 5", False, "Mosquitto 2"),
        ("[Errno -2] Name or service not known", False, "spelt right"),
        ("the broker takes the connection but does not answer", True, "is it MQTT"),
        ("[Errno 111] Connection refused", False, "running there"),
    ],
)
def test_every_fault_of_the_broker_has_its_own_cure(fault: str, tls: bool, words: str) -> None:
    mqtt = {"host": "broker.lan", **({"tls": {}} if tls else {})}
    assert words in doctor.broker_fix(fault, Config.model_validate({"mqtt": mqtt}))


def test_a_fault_that_names_its_field_needs_no_other_cure() -> None:
    config = Config.model_validate({"mqtt": {"host": "broker.lan"}})
    assert doctor.broker_fix("the broker refuses us: check mqtt.username", config) == ""
