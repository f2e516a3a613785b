"""One connection to the broker, used once. After it is lost a fresh one is made: nothing carries over."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import ssl
from collections.abc import AsyncIterator
from dataclasses import dataclass

import aiomqtt
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

from arwarden.config import MqttConfig, MqttTls
from arwarden.core.errors import PublishError
from arwarden.core.tls_faults import TlsFault, tls_fault
from arwarden.publish.acks import INBOX_MESSAGES
from arwarden.publish.mqtt_workarounds import (
    REFUSED,
    Seen,
    close_after_failed_handshake,
    forget,
    heed_cancellation,
    mute,
    release,
    watch,
)

CONNECT_TIMEOUT_S = 5.0
NAME_LOOKUP_S = 15.0
"""A resolver gives up after 10 to 20 s; a connect that hangs longer is left to its thread."""
MAX_INBOUND_PACKET_BYTES = 65_536
"""Told to the broker, which then withholds anything larger: a hostile payload is never even buffered."""
BAD_CREDENTIALS = frozenset({134, 135, 138, 140})
"""MQTT 5 reason codes of CONNACK: bad user name or password, not authorised, banned, bad method."""
AIOMQTT_TIMED_OUT = "Operation timed out"
UNSPECIFIED = 128
UNSUPPORTED_VERSION = 132
KEEP_ALIVE_TIMEOUT = 141

_LIBRARY_LOG = logging.getLogger("arwarden.publish.aiomqtt")
_LIBRARY_LOG.setLevel(logging.ERROR)  # each of its warnings is an event that is counted or logged here


class ConnectFailed(PublishError):
    """No connection came about."""

    def __init__(self, message: str, reason_code: int | None = None) -> None:
        super().__init__(message)
        self.reason_code = reason_code

    @property
    def bad_credentials(self) -> bool:
        """The broker is there and does not want us: trying again soon will not help."""
        return self.reason_code in BAD_CREDENTIALS


class ConnectionLost(PublishError):
    """The connection is gone, or as good as gone."""

    def __init__(self, message: str, reason_code: int | None = None, *, by_broker: bool) -> None:
        super().__init__(message)
        self.reason_code = reason_code
        self.by_broker = by_broker
        """False where this side gave up, for example after a missing acknowledgement."""


class PublishRefused(PublishError):
    """The broker took the message and refused it; the connection is fine."""

    def __init__(self, reason_code: int) -> None:
        super().__init__(f"the broker refused the message with MQTT reason code {reason_code}")
        self.reason_code = reason_code


@dataclass(frozen=True, slots=True)
class Will:
    """What the broker publishes, retained, when the connection dies without a goodbye."""

    topic: str
    payload: bytes


class Connection:
    """A connection that stands. Made by ``open``; ends by ``close`` or ``abort``."""

    def __init__(self, client: aiomqtt.Client, seen: Seen) -> None:
        self._client = client
        self._seen = seen

    @classmethod
    async def open(
        cls, config: MqttConfig, will: Will | None, inbox: type[asyncio.Queue[aiomqtt.Message]]
    ) -> Connection:
        """Connect with MQTT 5 and a clean session. Raises ``ConnectFailed``."""
        client = await _client(config, will, inbox)
        seen = watch(client, CONNECT_TIMEOUT_S)
        # Not cancellable while its thread connects: cancelled, it would leave a ghost session behind.
        entering = asyncio.ensure_future(client.__aenter__())
        try:
            async with asyncio.timeout(NAME_LOOKUP_S + CONNECT_TIMEOUT_S):
                await asyncio.shield(entering)
        except (TimeoutError, asyncio.CancelledError) as error:
            _abandon(client, entering)
            if isinstance(error, TimeoutError):
                raise ConnectFailed("no connection in time: the name lookup hangs") from error
            raise
        except (aiomqtt.MqttError, OSError, ValueError) as error:
            await release(client)
            raise _connect_failed(error, config) from error
        return cls(client, seen)

    @property
    def max_packet_bytes(self) -> int | None:
        """The largest packet the broker takes; None where it did not say."""
        return self._seen.max_packet_bytes

    async def subscribe(self, topic: str, qos: int) -> None:
        """Subscribe. Raises ``ConnectionLost``, or ``PublishRefused`` where the broker does not allow it."""
        try:
            codes = await self._client.subscribe(topic, qos)
        except aiomqtt.MqttError as error:
            raise _lost(error) from error
        heed_cancellation()
        for code in codes:
            value = code.value if isinstance(code, ReasonCode) else code
            if value >= REFUSED:
                raise PublishRefused(value)

    async def publish(
        self, topic: str, payload: bytes, *, qos: int, retain: bool, expiry_s: int | None = None
    ) -> None:
        """Publish, and with QoS 1 wait for the broker's word. One at a time.

        Raises ``ConnectionLost`` (delivered or not is unknown) or ``PublishRefused``.
        """
        properties = _properties(PacketTypes.PUBLISH, MessageExpiryInterval=expiry_s)
        self._seen.refused = None
        try:
            await self._client.publish(topic, payload, qos=qos, retain=retain, properties=properties)
        except aiomqtt.MqttError as error:
            raise _lost(error) from error
        heed_cancellation()
        if self._seen.refused is not None:
            raise PublishRefused(self._seen.refused)

    async def messages(self) -> AsyncIterator[aiomqtt.Message]:
        """What arrives. Ends only by ``ConnectionLost``, which it notices at once."""
        try:
            async for message in self._client.messages:
                yield message
        except aiomqtt.MqttError as error:
            if error.__cause__ is None:
                raise ConnectionLost("the broker said goodbye", by_broker=True) from error
            raise _lost(error.__cause__) from error

    async def close(self) -> None:
        """Say goodbye, so that the will is not published, and let go. Never raises."""
        with contextlib.suppress(aiomqtt.MqttError):
            await self._client.__aexit__(None, None, None)
        await release(self._client)

    async def abort(self) -> None:
        """Let go without a goodbye. Never raises."""
        await release(self._client)


async def _client(
    config: MqttConfig, will: Will | None, inbox: type[asyncio.Queue[aiomqtt.Message]]
) -> aiomqtt.Client:
    return aiomqtt.Client(
        config.host or "",
        config.effective_port,
        username=config.username,
        password=config.password.reveal() if config.password else None,
        logger=_LIBRARY_LOG,
        identifier=config.client_id,
        queue_type=inbox,
        protocol=aiomqtt.ProtocolVersion.V5,
        will=None if will is None else aiomqtt.Will(will.topic, will.payload, qos=1, retain=True),
        timeout=config.publish_timeout_ms / 1000.0,
        keepalive=config.keepalive_s,
        clean_start=True,
        max_queued_incoming_messages=INBOX_MESSAGES,
        properties=_properties(PacketTypes.CONNECT, MaximumPacketSize=MAX_INBOUND_PACKET_BYTES),
        tls_context=await asyncio.to_thread(_paho_tls, config.tls) if config.tls else None,
    )


def _properties(packet_type: int, **values: int | None) -> Properties:
    properties = Properties(packet_type)  # type: ignore[no-untyped-call]
    for name, value in values.items():
        if value is not None:
            setattr(properties, name, value)
    return properties


def _paho_tls(tls: MqttTls) -> ssl.SSLContext:
    context = broker_tls(tls)
    close_after_failed_handshake(context)
    return context


def broker_tls(tls: MqttTls) -> ssl.SSLContext:
    """How TLS is spoken to the broker. Reads files. Raises ``ConnectFailed`` where they cannot be used."""
    try:
        context = ssl.create_default_context(cafile=tls.ca_file)
        context.check_hostname = tls.check_hostname
        if tls.certificate is not None:
            context.load_cert_chain(tls.certificate, tls.key)
    except (OSError, ValueError) as error:
        raise ConnectFailed(f"the TLS files of mqtt.tls cannot be used: {error}") from error
    return context


def _abandon(client: aiomqtt.Client, entering: asyncio.Future[aiomqtt.Client]) -> None:
    """Close what a connect that nobody waits for any more may still bring about."""

    def finish(entered: asyncio.Future[aiomqtt.Client]) -> None:
        _ABANDONED.discard(entered)
        if entered.cancelled():  # the loop ends, and the thread is still at work
            mute(client)
        else:
            entered.exception()
            forget(client)

    # A callback and no task: where the loop ends, a task that has not begun never runs.
    _ABANDONED.add(entering)
    entering.add_done_callback(finish)


_ABANDONED: set[asyncio.Future[aiomqtt.Client]] = set()
"""asyncio keeps only weak references to tasks."""


def _connect_failed(error: Exception, config: MqttConfig) -> ConnectFailed:
    if str(error) == AIOMQTT_TIMED_OUT:
        hint = "" if config.tls else "; where it speaks TLS at this port, set mqtt.tls"
        return ConnectFailed(f"the broker takes the connection but does not answer{hint}")
    if not isinstance(error, aiomqtt.MqttCodeError):
        fault = tls_fault(error) if config.tls else None
        said = str(error) or type(error).__name__
        return ConnectFailed(said if fault is None else f"{_TLS_WORDS[fault]} ({said})")
    code = _reason_code(error)
    if code == UNSUPPORTED_VERSION:
        return ConnectFailed("the broker does not speak MQTT 5", code)
    if code in BAD_CREDENTIALS:
        return ConnectFailed(
            f"the broker refuses us: {error.rc}; check mqtt.username, mqtt.password and its access rules",
            code,
        )
    return ConnectFailed(f"the broker refuses us: {error.rc}", code)


_TLS_WORDS = {
    TlsFault.NOT_SPOKEN: "mqtt.tls is set, but the broker speaks no TLS at this port: leave mqtt.tls out, or"
    " set mqtt.port to its port with TLS, usually 8883",
    TlsFault.OTHER_NAME: "the broker's certificate is not for this host: set mqtt.host to a name in it",
    TlsFault.UNTRUSTED: "the broker's certificate is not trusted: set mqtt.tls.ca_file to the PEM file of its"
    " authority",
}


def _lost(error: BaseException) -> ConnectionLost:
    if isinstance(error, aiomqtt.MqttCodeError):
        code = _reason_code(error)
        # paho reports its own keep-alive verdict with the code that a broker would use for it.
        return ConnectionLost(
            f"the connection was closed: {error}", code, by_broker=code != KEEP_ALIVE_TIMEOUT
        )
    if isinstance(error, aiomqtt.MqttError):
        return ConnectionLost("the broker does not answer in time", by_broker=False)
    return ConnectionLost(f"the connection broke: {error}", by_broker=True)


def _reason_code(error: aiomqtt.MqttCodeError) -> int | None:
    """The broker's reason code. None where it gave none: paho then says 128, or a number of its own."""
    if not isinstance(error.rc, ReasonCode) or error.rc.value == UNSPECIFIED:
        return None
    return error.rc.value
