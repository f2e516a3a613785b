"""What aiomqtt 2.5.1 and paho-mqtt 2.2.0 do not do for us. All use of their insides is in this file.

Each has a test in ``tests/unit/publish/test_mqtt_workarounds.py`` that shows the fault in the plain
library and fails once upstream has cured it: then the workaround is to be deleted.

``watch``: CONNACK properties and PUBACK reason codes
    Cause: ``Client._on_connect`` and ``Client._on_publish`` ignore both arguments. Effect: the broker's
    maximum packet size is unknown, so one larger message closes the connection (measured with
    Mosquitto 2.0.11: reason 149, and again at every retry); a message that the broker refuses (135, not
    authorised) counts as delivered. Delete when ``Client`` shows the CONNACK properties and ``publish``
    raises for reason codes from 128.

``watch``: exceptions nobody asks for
    Cause: ``Client`` keeps the end of the connection as a future's exception and leaves ``__aexit__``
    early without reading it. Effect: "Future exception was never retrieved" in the log for every lost
    connection whose message iterator was not waiting. Delete when a lost connection is silent.

``release``: a failed connect stays open
    Cause: ``Client.__aenter__`` raises on a missing CONNACK without closing the socket, and cancelling it
    leaves the connecting thread at work. Effect: a ghost session that later fights the next connection
    for the client id, a reader on the loop, a task that wakes every second; and where the thread finishes
    after the loop has closed, a traceback at exit (one start in three on a taken port). Delete when a
    failed ``__aenter__`` leaves no socket.

``close_after_failed_handshake``: a refused certificate leaks a socket
    Cause: paho's ``_ssl_wrap_socket`` lets the handshake's exception pass without closing the socket.
    Effect: "unclosed SSLSocket", and one open file per attempt until the collector runs. Delete when paho
    closes it.

``heed_cancellation``: a cancellation is lost
    Cause: aiomqtt waits with ``asyncio.wait_for``, which before Python 3.12 swallows a cancellation that
    comes in the moment of the result (github.com/python/cpython/issues/86296). Effect: a task that was
    told to end goes on for ever; on a loaded machine one in five simulated headsets did not stop. Delete
    with Python 3.11.

``release``: unsent bytes outlive the connection
    Cause: ``close`` leaves what is queued to the kernel, which goes on sending it for minutes. Effect: when
    a dead link comes back, an alert that was given up is delivered late. Measured (packets dropped for
    0.8 s, alert good for 0.35 s): 4 of 4 delivered late after a close, 0 of 4 after a reset. What the
    broker's machine had already taken in cannot be called back: a Mosquitto frozen for 0.6 s delivered
    10 of 10 late either way, so the receiver has to look at ``expires_ms``. Not a fault of the libraries;
    here because it needs paho's socket. Keep.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
import struct
from dataclasses import dataclass

import aiomqtt
from paho.mqtt.client import Client as PahoClient
from paho.mqtt.client import ConnectFlags
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

REFUSED = 128
"""MQTT 5 reason codes from here on are failures."""
NO_MATCHING_SUBSCRIBERS = 16
"""PUBACK (MQTT 5, section 3.4.2.1): taken, and given to nobody."""


@dataclass(slots=True)
class Seen:
    """What the broker said that aiomqtt does not pass on."""

    max_packet_bytes: int | None = None
    """The largest packet the broker takes; None where it did not say."""
    refused: int | None = None
    """Reason code of a refused publish since this was last set to None."""
    had_nobody: bool = False
    """The broker took a publish and had it for nobody, since this was last set to False."""


def watch(client: aiomqtt.Client, connect_timeout_s: float) -> Seen:
    """Prepare a fresh client. To be called before it connects; the result is filled in later."""
    seen = Seen()
    paho = _paho(client)
    paho.connect_timeout = connect_timeout_s
    tell_connect, tell_publish = paho.on_connect, paho.on_publish

    def on_connect(
        mqtt: PahoClient,
        userdata: object,
        flags: ConnectFlags,
        reason: ReasonCode,
        properties: Properties | None,
    ) -> None:
        if properties is not None:
            seen.max_packet_bytes = getattr(properties, "MaximumPacketSize", None)
        tell_connect(mqtt, userdata, flags, reason, properties)  # type: ignore[misc,arg-type,call-arg]

    def on_publish(
        mqtt: PahoClient, userdata: object, mid: int, reason: ReasonCode, properties: Properties
    ) -> None:
        if reason.value >= REFUSED:
            seen.refused = reason.value
        elif reason.value == NO_MATCHING_SUBSCRIBERS:
            seen.had_nobody = True
        tell_publish(mqtt, userdata, mid, reason, properties)  # type: ignore[misc,call-arg]

    paho.on_connect = on_connect
    paho.on_publish = on_publish
    for future in (client._connected, client._disconnected):  # noqa: SLF001 - see the module's docstring
        future.add_done_callback(_read_exception)
    return seen


def heed_cancellation() -> None:
    """To be called after each wait for aiomqtt: raises the ``CancelledError`` that the wait has swallowed."""
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError


def close_after_failed_handshake(context: ssl.SSLContext) -> None:
    """Make sockets of this context close themselves when their handshake fails."""
    context.sslsocket_class = _SelfClosingSocket


class _SelfClosingSocket(ssl.SSLSocket):
    def do_handshake(self, block: bool = False) -> None:
        try:
            super().do_handshake(block)
        except BaseException:
            self.close()
            raise


async def release(client: aiomqtt.Client) -> None:
    """Let go of everything a client may still hold, whatever state it is in. Never raises."""
    task = forget(client)
    if task is not None:
        await asyncio.wait({task})


def forget(client: aiomqtt.Client) -> asyncio.Task[None] | None:
    """The same without waiting: returns the task that is ending."""
    paho = _paho(client)
    plain = paho.socket()
    if isinstance(plain, socket.socket):
        with contextlib.suppress(OSError):  # the socket may be broken already
            # On, 0 s: close sends a reset and discards what is queued.
            plain.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    paho._sock_close()  # noqa: SLF001 - paho closes its socket in public only by sending DISCONNECT
    mute(client)
    task = client._misc_task  # noqa: SLF001 - see the module's docstring
    if task is not None:
        task.cancel()
    return task


def mute(client: aiomqtt.Client) -> None:
    """Keep the client's sockets from the loop from now on: for a loop that ends while a thread connects.

    That thread opens its socket later, and whoever collects it would call a closed loop. Its socket is not
    closed here: what it has already told the loop is still to run.
    """
    paho = _paho(client)
    paho.on_socket_open = paho.on_socket_close = None
    paho.on_socket_register_write = paho.on_socket_unregister_write = None


def _read_exception(future: asyncio.Future[None]) -> None:
    if not future.cancelled():
        future.exception()


def _paho(client: aiomqtt.Client) -> PahoClient:
    return client._client  # noqa: SLF001 - see the module's docstring
