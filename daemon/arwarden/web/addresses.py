"""What this machine is called and where it can be reached: for certificates, for people, for headsets."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterator
from typing import TypeAlias

import psutil

IpAddress: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address

EVERYWHERE = ("0.0.0.0", "::", "")  # noqa: S104 - compared with, not bound to
"""What a server listens on to be found under all addresses."""

_ELSEWHERE = ("192.0.2.1", 9)
"""An address of RFC 5737 that nobody has: a UDP socket that is connected to it sends nothing."""


def lan_addresses() -> list[str]:
    """IPv4 addresses of this machine that another machine may reach; the one of the default route first."""
    first = _default_route_address()
    found = [str(ip) for ip in _addresses() if ip.version == 4 and not ip.is_loopback]
    return sorted(dict.fromkeys(found), key=lambda address: address != first)


def own_names() -> list[str]:
    """Every name and address under which a client may ask for this machine.

    Its host name, with ``.local`` too (multicast DNS, RFC 6762), ``localhost``, and the addresses of all
    interfaces. Link-local IPv6 addresses are left out: a URL with one needs its sender's zone.
    """
    host = socket.gethostname().rstrip(".").lower()
    short = host.partition(".")[0]
    names = [host, f"{short}.local", "localhost"] if host and host != "localhost" else ["localhost"]
    addresses = [str(ip) for ip in _addresses() if not ip.is_link_local]
    return list(dict.fromkeys([*names, *lan_addresses(), *addresses, "127.0.0.1", "::1"]))


def is_address(name: str) -> bool:
    """Whether the text is an IP address and not a host name."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def here(host: str) -> str:
    """Where a program on this machine finds a server that listens on ``host``."""
    return {"0.0.0.0": "127.0.0.1", "": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - not bound to


def in_url(host: str) -> str:
    """A host as a URL writes it: IPv6 addresses in brackets."""
    return f"[{host}]" if ":" in host else host


def _addresses() -> Iterator[IpAddress]:
    active = {name for name, state in psutil.net_if_stats().items() if state.isup}
    for name, addresses in psutil.net_if_addrs().items():
        if name not in active:
            continue
        for address in addresses:
            if address.family in (socket.AF_INET, socket.AF_INET6):
                yield ipaddress.ip_address(address.address.partition("%")[0])


def _default_route_address() -> str | None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(_ELSEWHERE)
        except OSError:  # there is no route to anywhere
            return None
        return str(probe.getsockname()[0])
