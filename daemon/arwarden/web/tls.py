"""The server's TLS over its life: opened at the start, renewed while it runs."""

from __future__ import annotations

import asyncio
import datetime as dt
import os
import ssl
from collections.abc import Callable
from pathlib import Path

import structlog

from arwarden.config import ServerConfig
from arwarden.core.errors import ConfigError
from arwarden.web.addresses import EVERYWHERE, is_address, own_names
from arwarden.web.certificates import (
    ServerCertificate,
    ensure_certificate,
    known_certificate,
    read_certificate,
)

log = structlog.get_logger(__name__)

LOOK_S = 600.0
"""How often a running daemon looks whether its certificate ends soon or this machine has new addresses."""


def state_folder(server: ServerConfig) -> Path:
    """Where what outlives a run is kept (XDG base directories, ``$XDG_STATE_HOME``)."""
    if server.state_folder is not None:
        return server.state_folder
    home = os.environ.get("XDG_STATE_HOME")
    return Path(home) / "arwarden" if home else Path.home() / ".local" / "state" / "arwarden"


def wanted_names(server: ServerConfig) -> list[str]:
    """What the certificate that is made here is for."""
    bound = [] if server.host in EVERYWHERE else [server.host]
    return [*server.tls_names, *bound, *own_names()]


def kept_certificate(server: ServerConfig) -> ServerCertificate | None:
    """The certificate of ``tls: auto`` that an earlier start has made; None before the first.

    Raises ConfigError where its files are damaged.
    """
    return known_certificate(state_folder(server) / "tls")


class ServerTls:
    """Holds the context that the server listens with, and keeps its certificate good."""

    def __init__(
        self, server: ServerConfig, now: Callable[[], dt.datetime] = lambda: dt.datetime.now(dt.UTC)
    ) -> None:
        self._server = server
        self._now = now
        self._context: ssl.SSLContext | None = None
        self.certificate: ServerCertificate | None = None
        """None before ``open``, and where plain HTTP is served."""

    def open(self) -> ssl.SSLContext | None:
        """The context to listen with; None where plain HTTP is served. May take a second: it makes keys.

        Raises ConfigError where the files cannot be used.
        """
        if not self._server.secure:
            return None
        self.certificate = self._current()
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        _load(context, self.certificate)
        self._context = context
        return context

    async def keep_good(self) -> None:
        """Renew the certificate in time, and when this machine gets a new address. Never returns."""
        while True:
            await asyncio.sleep(LOOK_S)
            try:
                if await asyncio.to_thread(self.refresh):
                    log.info("certificate_renewed", until=str(self._until()))
            except ConfigError as error:
                log.error("certificate_not_renewed", reason=str(error))  # noqa: TRY400 - no bug of ours

    def refresh(self) -> bool:
        """Take up a changed certificate; connections that stand are left alone. Raises ConfigError."""
        if self._context is None:
            return False
        current = self._current()
        if current == self.certificate:
            return False
        _load(self._context, current)
        self.certificate = current
        return True

    def _current(self) -> ServerCertificate:
        server = self._server
        if server.tls_certificate is not None and server.tls_key is not None:
            return read_certificate(server.tls_certificate, server.tls_key, self._now())
        return ensure_certificate(state_folder(server) / "tls", wanted_names(server), self._now())

    def _until(self) -> dt.date | None:
        return None if self.certificate is None else self.certificate.not_after.date()


def _load(context: ssl.SSLContext, certificate: ServerCertificate) -> None:
    try:
        context.load_cert_chain(certificate.certificate, certificate.key)
    except (ssl.SSLError, OSError) as error:
        problem = f"server.tls_certificate: {certificate.certificate} cannot be served with: {error}"
        raise ConfigError("configuration", [problem]) from error


def page_hosts(
    server: ServerConfig, addresses: list[str], certificate: ServerCertificate | None
) -> list[str]:
    """Hosts under which other machines open the page, best first; only itself where it listens on one."""
    if server.host not in EVERYWHERE:
        return [server.host]
    named = (
        [] if certificate is None else [x for x in certificate.names if not is_address(x) and "*" not in x]
    )
    return [*addresses, *(name for name in named if name != "localhost")]
