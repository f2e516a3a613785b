"""Who a client is: a device by its bearer token, or somebody on this machine."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
from collections.abc import Iterable
from dataclasses import dataclass

from aiohttp import web

from arwarden.config import IngestConfig, Secret
from arwarden.contract.topics import DEVICE_ID_PATTERN, is_device_id
from arwarden.core.errors import SignallingError, Unauthorized
from arwarden.ingest.sdptext import shown

DEFAULT_DEVICE = "headset"
"""The device id of a client that has no token and names none."""

_FORWARDING_HEADERS = ("Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP", "Via")


@dataclass(frozen=True, slots=True)
class Caller:
    """What is known about who sent a request."""

    authorization: str | None
    """The Authorization header as received."""
    remote: str | None
    """The address of the socket's other end; never taken from a header."""
    host: str | None = None
    """The Host header as received."""
    forwarded: bool = False
    """Whether a proxy says that it passed the request on."""
    origin: str | None = None
    """The Origin header as received: the page whose script sends the request."""

    def is_local(self, trusted_origins: frozenset[str] = frozenset()) -> bool:
        """Whether the client itself runs on this machine.

        A proxy on this machine makes every client look local, and a web page from elsewhere can reach
        this machine as localhost, or under a name of its own (DNS rebinding). So a request that was passed
        on, that asks for a host by a dotted name, or that a page from elsewhere sends is not local, unless
        the page's origin is trusted. Headers can only take trust away, never give it.
        """
        return (
            not self.forwarded
            and _is_loopback(self.remote)
            and _is_own_name(self.host)
            and (self.origin is None or self.origin in trusted_origins or _is_own_page(self.origin))
        )


def caller_of(request: web.BaseRequest) -> Caller:
    """The caller of an aiohttp request."""
    return Caller(
        authorization=request.headers.get("Authorization"),
        remote=request.remote,
        host=request.headers.get("Host"),
        forwarded=any(name in request.headers for name in _FORWARDING_HEADERS),
        origin=request.headers.get("Origin"),
    )


class Authenticator:
    """Decides what a caller may do. Keeps digests of the tokens, not the tokens.

    ``origins`` are those of pages that are named in the configuration; ``*`` among them trusts nobody.
    """

    def __init__(
        self, config: IngestConfig, viewer_token: Secret | None = None, origins: Iterable[str] = ()
    ) -> None:
        self._origins = frozenset(origins) - {"*"}
        self._devices = [(device.id, _digest(device.token.reveal())) for device in config.devices]
        self._ids = frozenset(device_id for device_id, _ in self._devices)
        self._anonymous = config.anonymous
        self._viewer = None if viewer_token is None else _digest(viewer_token.reveal())

    def device_for(self, caller: Caller, device_query: str | None) -> str:
        """The device that the caller streams for: the token's, or without a token the one it names.

        Raises:
            Unauthorized: a wrong token, none where one is needed, or none for a device that has one.
            SignallingError: the named device id is not one.
        """
        if caller.authorization is not None:
            return self._device_of_token(_bearer(caller.authorization))
        if self._anonymous == "never":
            msg = "no token; send the device's own as Authorization: Bearer TOKEN"
            raise Unauthorized(msg)
        if self._anonymous == "loopback" and not caller.is_local(self._origins):
            msg = (
                "no token, and only clients on the daemon's machine (by address or localhost), and no pages "
                "of other origins than server.cors_origins names, may stream without one; give the headset "
                "one in ingest.devices, sent as Authorization: Bearer TOKEN"
            )
            raise Unauthorized(msg)
        device_id = DEFAULT_DEVICE if device_query is None else device_query
        if not is_device_id(device_id):
            raise SignallingError(
                f"{shown(device_id)} cannot be a device id; it must match {DEVICE_ID_PATTERN}"
            )
        if device_id in self._ids:
            raise Unauthorized(
                f"the device {device_id} has a token; send it as Authorization: Bearer TOKEN, or name "
                "another device by the query parameter device"
            )
        return device_id

    def may_view(
        self, authorization: str | None, remote: str | None, host: str | None = None, forwarded: bool = False
    ) -> bool:
        """Whether a client may see the live view and the metrics; the arguments are those of ``Caller``.

        With ``server.viewer_token``: whoever sends it. Without one: clients on this machine.
        """
        if self._viewer is None:
            return Caller(authorization, remote, host, forwarded).is_local()
        token = None if authorization is None else _bearer(authorization)
        if not token:
            # Where the configured token is empty, it opens to nobody rather than to everybody.
            return False
        return hmac.compare_digest(self._viewer, _digest(token))

    def _device_of_token(self, token: str | None) -> str:
        given = _digest(token or "")
        found: str | None = None
        # Every token is compared in full, so that the time taken says nothing about any of them.
        for device_id, digest in self._devices:
            if hmac.compare_digest(digest, given):
                found = device_id
        if found is None:
            msg = "no device has this token; compare it with ingest.devices of the daemon's configuration"
            raise Unauthorized(msg)
        return found


def _bearer(authorization: str) -> str | None:
    scheme, _, token = authorization.strip().partition(" ")
    return token.strip() if scheme.lower() == "bearer" else None


def _digest(token: str) -> bytes:
    # Header bytes that are not UTF-8 arrive as lone surrogates; they must compare, not raise.
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()


def _is_loopback(remote: str | None) -> bool:
    try:
        address = ipaddress.ip_address(remote or "")
    except ValueError:
        return False
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        address = address.ipv4_mapped
    return address.is_loopback


def _is_own_page(origin: str) -> bool:
    scheme, separator, host = origin.partition("://")
    return bool(separator) and scheme in ("http", "https") and bool(host) and _is_own_name(host)


def _is_own_name(host: str | None) -> bool:
    """An address, or a name without a dot: no name that somebody else can point at this machine."""
    if not host:
        return True
    if host.startswith("["):
        return True
    name = host.rpartition(":")[0] if ":" in host else host
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return "." not in name.rstrip(".") or name.rstrip(".").endswith(".localhost")
    return True
