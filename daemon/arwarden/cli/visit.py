"""A visit to a running daemon, as a headset or a page would make it: HTTP, certificate, MQTT by WebSocket.

No stream is opened and no token is sent, so that a visit disturbs nobody.
"""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import Sequence

import aiohttp

from arwarden.cli.checks import Check
from arwarden.config import ServerConfig
from arwarden.publish.mqtt_packets import MQTT_5, Connect, MalformedPacket, PacketReader, connack_code
from arwarden.web.addresses import EVERYWHERE, here, in_url
from arwarden.web.relay import PATH, SUBPROTOCOL, UNAVAILABLE
from arwarden.web.tls import kept_certificate

TIMEOUT_S = 5.0
CLOSING_S = 0.2
_HELLO = Connect(MQTT_5, 10, "", has_will=False, username="doctor").packet(1000)


async def visit(server: ServerConfig, addresses: Sequence[str]) -> list[Check]:
    """What is found; nothing where no arwarden answers. ``addresses`` are this machine's on the network."""
    try:
        return await _visit(server, addresses)
    finally:
        # aiohttp returns before its TLS connections are closed; the event loop must not end under them.
        await asyncio.sleep(CLOSING_S)


async def _visit(server: ServerConfig, addresses: Sequence[str]) -> list[Check]:
    scheme = "https" if server.secure else "http"
    home = here(server.host)
    own = f"{scheme}://{in_url(home)}:{server.port}"
    timeout = aiohttp.ClientTimeout(total=TIMEOUT_S)
    connector = aiohttp.TCPConnector(ssl=_unchecked())
    async with aiohttp.ClientSession(timeout=timeout, connector=connector) as client:
        if not await _is_arwarden(client, own):
            other = f"{'http' if server.secure else 'https'}://{in_url(home)}:{server.port}"
            if not await _is_arwarden(client, other):
                return []
            fix = "give doctor the options and the configuration that the daemon was started with"
            return [Check("daemon", "warn", f"it answers at {other}, not at {own}", fix)]
        found = [Check("daemon", "ok", f"one runs and answers at {own}"), await _websocket(client, own)]
        if server.host in EVERYWHERE:
            found += [
                await _from_outside(client, f"{scheme}://{in_url(ip)}:{server.port}") for ip in addresses
            ]
        if server.secure:
            found.append(await _handshake(server, home))
        return found


async def _is_arwarden(client: aiohttp.ClientSession, url: str) -> bool:
    try:
        async with client.get(f"{url}/healthz") as response:
            answer = await response.json()
    except (aiohttp.ClientError, TimeoutError, OSError, ValueError):
        return False
    return isinstance(answer, dict) and "epoch" in answer


async def _from_outside(client: aiohttp.ClientSession, url: str) -> Check:
    if await _is_arwarden(client, url):
        return Check("reachable", "ok", f"it answers at {url}/")
    fix = "does it listen on 0.0.0.0, and does a firewall let this in?"
    return Check("reachable", "fail", f"it does not answer at {url}/", fix)


async def _websocket(client: aiohttp.ClientSession, url: str) -> Check:
    """Say hello without a token: any answer of MQTT shows that the way is open."""
    try:
        async with (
            asyncio.timeout(TIMEOUT_S),
            client.ws_connect(url + PATH, protocols=(SUBPROTOCOL,)) as socket,
        ):
            await socket.send_bytes(_HELLO.raw)
            (answer, *_) = PacketReader(65_536).feed(await socket.receive_bytes())
        code = connack_code(answer)
    except (aiohttp.ClientError, TimeoutError, OSError, TypeError, ValueError, MalformedPacket) as error:
        fix = "does a proxy in between pass WebSockets on?"
        return Check("websocket", "fail", f"MQTT at {PATH} does not answer: {type(error).__name__}", fix)
    if code == UNAVAILABLE:
        fix = "see the check of the broker; pages get their alerts by the live view meanwhile"
        return Check("websocket", "fail", "the daemon does not reach its broker", fix)
    return Check("websocket", "ok", f"MQTT for pages answers at {PATH}")


async def _handshake(server: ServerConfig, host: str) -> Check:
    """Whether the daemon serves the certificate that is in the files now."""
    known = None if server.tls != "auto" else kept_certificate(server)
    path = server.tls_certificate if known is None else known.certificate
    context = _unchecked()
    try:
        async with asyncio.timeout(TIMEOUT_S):
            _, writer = await asyncio.open_connection(host, server.port, ssl=context)
    except (OSError, TimeoutError, ssl.SSLError) as error:
        return Check("tls-served", "fail", f"no TLS handshake at {host}:{server.port}: {error}")
    served = writer.get_extra_info("ssl_object").getpeercert(binary_form=True)
    writer.close()
    with contextlib.suppress(OSError, TimeoutError):
        async with asyncio.timeout(CLOSING_S):
            await writer.wait_closed()
    if path is None:
        return Check("tls-served", "warn", "there is no certificate to compare with")
    if served == ssl.PEM_cert_to_DER_cert(_first(path.read_text(encoding="ascii", errors="replace"))):
        return Check("tls-served", "ok", "the daemon serves the certificate above")
    fix = "restart it, or give doctor the configuration that it was started with"
    return Check("tls-served", "warn", "the daemon serves another certificate than the one above", fix)


def _first(chain: str) -> str:
    end = "-----END CERTIFICATE-----"
    begin = chain.find("-----BEGIN CERTIFICATE-----")
    return chain[begin : chain.find(end, begin) + len(end)]


def _unchecked() -> ssl.SSLContext:
    """TLS to this machine itself, whatever the certificate: it is looked at afterwards."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context
