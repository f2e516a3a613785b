"""The checks of ``doctor`` about reaching the daemon: port, certificate, addresses, ICE, firewall."""

from __future__ import annotations

import asyncio
import datetime as dt
import ipaddress
import shutil
import socket
from collections.abc import Iterator, Sequence
from pathlib import Path

import psutil
from aioice.ice import get_host_addresses

from arwarden.cli.checks import Check
from arwarden.cli.judges import is_loopback
from arwarden.cli.visit import visit
from arwarden.config import Config, ServerConfig
from arwarden.core.errors import ConfigError
from arwarden.publish.embedded import DEFAULT_PORT
from arwarden.publish.tls_front import DEFAULT_TLS_PORT
from arwarden.web.addresses import in_url, lan_addresses
from arwarden.web.certificates import RENEW_BEFORE, ServerCertificate, read_certificate
from arwarden.web.tls import kept_certificate, page_hosts, wanted_names

CONNECT_S = 2.0
UFW_CONF = Path("/etc/ufw/ufw.conf")
FIREWALLD_RUN = Path("/run/firewalld")
_VIRTUAL = ("docker", "br-", "veth", "virbr", "tun", "tap", "wg", "tailscale", "zt", "vmnet", "cni")


def port_checks(config: Config) -> Iterator[Check]:
    """Is the port free, or does a daemon answer there already? Then it is visited as a headset would."""
    server = config.server
    place = f"{in_url(server.host)}:{server.port}"
    fault = _cannot_bind(server)
    if fault is None:
        yield Check("port", "ok", f"{place} is free; no daemon runs there: start it, then look again")
        return
    visited = asyncio.run(visit(server, lan_addresses()))
    if not visited:
        fix = "stop what uses it, or choose another server.port"
        yield Check("port", "warn", f"{place}: {fault}, and no arwarden answers there", fix)
        return
    yield from visited


def embedded_reach(secure: bool) -> Check:
    """Whether a broker answers at its usual port at this machine's addresses, as a Unity headset needs it."""
    port = _embedded_port(secure)
    places = [f"{address}:{port}" for address in lan_addresses()]
    answering = [place for place in places if _listens(*place.split(":"))]
    if answering:
        return Check("broker-reach", "ok", f"a broker answers at {', '.join(answering)}")
    detail = f"no broker answers at {' or '.join(places) or 'any address'}, where Unity headsets would look"
    return Check(
        "broker-reach",
        "warn",
        detail,
        "start with --broker-host 0.0.0.0 for the Unity package; pages do without",
    )


def _embedded_port(secure: bool) -> int:
    return DEFAULT_TLS_PORT if secure else DEFAULT_PORT


def _listens(host: str, port: str) -> bool:
    try:
        with socket.create_connection((host, int(port)), timeout=CONNECT_S):
            return True
    except OSError:
        return False


def _cannot_bind(server: ServerConfig) -> str | None:
    family = socket.AF_INET6 if ":" in server.host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((server.host, server.port))
        except OSError as error:
            return error.strerror or str(error)
    return None


def tls_checks(config: Config) -> Iterator[Check]:
    """Can a browser on another machine use its camera here, and will it accept the certificate?"""
    server = config.server
    if not server.secure:
        if is_loopback(server.host):
            yield Check("tls", "ok", "plain HTTP, which browsers on this machine trust as localhost")
        else:
            detail = "plain HTTP: browsers on other machines give such a page no camera"
            yield Check("tls", "warn", detail, "start with --tls auto, or set server.tls: auto")
        return
    try:
        found = _certificate(server)
    except ConfigError as error:
        fix = "" if server.tls == "auto" else "mend the files, or use --tls auto"
        yield Check("tls", "fail", "; ".join(error.problems), fix)
        return
    if found is None:
        yield Check("tls", "ok", "a certificate for this machine is made at the next start")
        return
    yield _in_time(server, found)
    yield _for_these_names(server, found)


def _certificate(server: ServerConfig) -> ServerCertificate | None:
    now = dt.datetime.now(dt.UTC)
    if server.tls_certificate is not None and server.tls_key is not None:
        return read_certificate(server.tls_certificate, server.tls_key, now)
    return kept_certificate(server)


def _in_time(server: ServerConfig, found: ServerCertificate) -> Check:
    left = found.not_after - dt.datetime.now(dt.UTC)
    detail = f"valid until {found.not_after:%Y-%m-%d}, SHA-256 {found.sha256}"
    if left > RENEW_BEFORE:
        return Check("tls", "ok", detail)
    if server.tls == "auto":
        return Check("tls", "ok", f"{detail}; it is renewed at the next start, under the same key")
    return Check("tls", "warn", f"{detail}: {left.days} days left", "renew it")


def _for_these_names(server: ServerConfig, found: ServerCertificate) -> Check:
    if server.tls == "auto":
        new = [name for name in wanted_names(server) if not found.covers(name)]
        more = f"; {', '.join(new)} will be added at the next start" if new else ""
        return Check("tls-names", "ok", f"for {', '.join(found.names)}{more}")
    hosts = page_hosts(server, lan_addresses(), None)
    refused = [host for host in hosts if not found.covers(host)]
    names = ", ".join(found.names) or "no name at all"
    if not refused:
        return Check("tls-names", "ok", f"for {names}")
    fix = "open it by a name of the certificate, which the headset must be able to look up, or use --tls auto"
    return Check("tls-names", "warn", f"for {names}; browsers refuse {', '.join(refused)}", fix)


def address_checks(config: Config) -> Iterator[Check]:
    """Under which addresses a headset finds the daemon, and where its video goes."""
    server = config.server
    scheme = "https" if server.secure else "http"
    urls = [f"{scheme}://{in_url(address)}:{server.port}" for address in lan_addresses()]
    if not urls:
        detail = "this machine has no network address"
        yield Check("addresses", "warn", detail, "connect it to the headset's network")
        return
    if is_loopback(server.host):
        detail = f"the server listens on {server.host}: only programs on this machine can connect"
        places = " or ".join(f"{url}/whip" for url in urls)
        fix = f"set server.host: 0.0.0.0 and give the headset a token; it then uses {places}"
        yield Check("addresses", "warn", detail, fix)
        return
    places = " or ".join(f"{url}/ (Unity: {url}/whip)" for url in urls)
    yield Check("addresses", "ok", f"on the same network a headset opens {places}")
    yield _candidates()
    yield _firewall([server.port, *([] if config.mqtt.host else [_embedded_port(server.secure)])])


def _candidates() -> Check:
    """The addresses that go into an answer's ICE candidates: the headset must reach one of them by UDP."""
    found = sorted(get_host_addresses(use_ipv4=True, use_ipv6=True))
    if not found:
        fix = "connect this machine to the headset's network"
        return Check("ice", "fail", "no address for video: every stream would fail", fix)
    virtual = [address for address in found if (_interface_of(address) or "").startswith(_VIRTUAL)]
    detail = f"video comes by UDP, on a port of the system's choice, to {', '.join(found)}"
    if virtual == found:
        fix = "the headset must be in that network too; connect this machine to the headset's Wi-Fi"
        return Check("ice", "warn", f"{detail}: all of containers, VPNs or virtual machines", fix)
    aside = f"; {', '.join(virtual)} of containers or VPNs do no harm" if virtual else ""
    return Check("ice", "ok", f"{detail}; the headset must reach one{aside}")


def _interface_of(address: str) -> str | None:
    for name, addresses in psutil.net_if_addrs().items():
        if any(entry.address.partition("%")[0] == address for entry in addresses):
            return name
    return None


def _firewall(ports: Sequence[int]) -> Check:
    """Whether a firewall is switched on that this can tell of without being root, and what opens it."""
    wanted = f"TCP {' and '.join(map(str, ports))} and UDP from the headset"
    networks = _networks()
    if _ufw_is_on():
        commands = [f"ufw allow {port}/tcp" for port in ports]
        commands += [f"ufw allow proto udp from {net}" for net in networks]
        return Check("firewall", "warn", f"ufw is on; it must let in {wanted}", "; ".join(commands))
    if FIREWALLD_RUN.exists() and shutil.which("firewall-cmd"):
        commands = [f"firewall-cmd --add-port={port}/tcp" for port in ports]
        commands += [f"firewall-cmd --zone=trusted --add-source={net}" for net in networks]
        return Check("firewall", "warn", f"firewalld is on; it must let in {wanted}", "; ".join(commands))
    return Check("firewall", "ok", f"none known here; one elsewhere must let in {wanted}")


def _ufw_is_on() -> bool:
    try:
        return "enabled=yes" in UFW_CONF.read_text(encoding="utf-8", errors="replace").lower()
    except OSError:
        return False


def _networks() -> list[str]:
    """The IPv4 networks of the addresses that a headset may use."""
    wanted = lan_addresses()
    return [
        str(ipaddress.ip_network(f"{entry.address}/{entry.netmask}", strict=False))
        for addresses in psutil.net_if_addrs().values()
        for entry in addresses
        if entry.address in wanted and entry.netmask
    ]
