"""HTTPS on the command line: the options of ``run``, and what a person needs to open the page."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
import segno
from pydantic import ValidationError

from arwarden.config import Config, ServerConfig
from arwarden.config.file import problems_of
from arwarden.core.errors import ConfigError
from arwarden.web.addresses import in_url, lan_addresses
from arwarden.web.certificates import ServerCertificate
from arwarden.web.tls import page_hosts

Command = TypeVar("Command", bound=Callable[..., Any])
_OPTIONS = {"file": "--tls", "tls_certificate": "--tls-cert", "tls_key": "--tls-key"}


def tls_options(command: Command) -> Command:
    """Add ``--tls``, ``--tls-cert`` and ``--tls-key`` to a command."""
    for option in (
        click.option("--tls-key", type=click.Path(path_type=Path), help="PEM key of --tls-cert."),
        click.option(
            "--tls-cert", type=click.Path(path_type=Path), help="Serve HTTPS with your own PEM certificate."
        ),
        click.option(
            "--tls",
            type=click.Choice(["auto", "off"]),
            help="auto: HTTPS with a certificate made for this machine; browsers elsewhere need it to give "
            "their camera. off: plain HTTP, whatever the configuration says.",
        ),
    ):
        command = option(command)
    return command


def with_tls(config: Config, tls: str | None, certificate: Path | None, key: Path | None) -> Config:
    """The configuration with what was said on the command line. Raises ConfigError."""
    if tls is None and certificate is None and key is None:
        return config
    wanted = {"tls": "auto" if tls == "auto" else None, "tls_certificate": certificate, "tls_key": key}
    if tls == "off" and (certificate or key):
        raise ConfigError("command line", ["--tls off: leave out --tls-cert and --tls-key, or --tls"])
    try:
        server = ServerConfig.model_validate(config.server.model_dump() | wanted)
    except ValidationError as error:
        raise ConfigError("command line", [_by_option(problem) for problem in problems_of(error)]) from None
    return config.model_copy(update={"server": server})


def _by_option(problem: str) -> str:
    """The problem under the name that it has on the command line."""
    field, _, rest = problem.partition(": ")
    return f"{_OPTIONS.get(field, field)}: {rest}"


def page_lines(server: ServerConfig, port: int, certificate: ServerCertificate | None) -> list[str]:
    """Where the page is for other machines, and how to know the certificate; nothing for plain HTTP."""
    if certificate is None:
        return []
    hosts = page_hosts(server, lan_addresses(), certificate)
    lines = [f"page: https://{in_url(host)}:{port}/" for host in hosts]
    lines.append(f"certificate: SHA-256 {certificate.sha256}")
    lines.append(f"  until {certificate.not_after:%Y-%m-%d}; pin of its key: {certificate.key_pin}")
    if server.tls == "auto":
        lines.append(
            "  browsers do not know it and warn once: compare the fingerprint, then Advanced → Proceed"
        )
    return lines


def page_code(server: ServerConfig, port: int, certificate: ServerCertificate | None) -> str | None:
    """The address to scan with a phone or headset; None where no other machine can open it."""
    if certificate is None or server.host in ("127.0.0.1", "::1", "localhost"):
        return None
    hosts = page_hosts(server, lan_addresses(), certificate)
    return f"https://{in_url(hosts[0])}:{port}/" if hosts else None


def show_code(url: str) -> None:
    """Draw the QR code of a URL on standard error, where that is a terminal: a log has no use for it."""
    if sys.stderr.isatty():
        segno.make(url, error="l", micro=False).terminal(out=sys.stderr, compact=True)
