"""The headset's end of MQTT 5: alerts, health and daemon status in, acknowledgements out."""

from __future__ import annotations

import asyncio
import logging
import ssl
import uuid
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import aiomqtt
import structlog
from paho.mqtt.reasoncodes import ReasonCode
from pydantic import BaseModel, ValidationError

from arwarden.contract.messages import Ack, AckAction, Alert, DaemonStatus, Health
from arwarden.contract.topics import DEFAULT_PREFIX, Topics
from arwarden.core.clock import Clock
from arwarden.core.counters import Counters
from arwarden.core.errors import Refused
from arwarden.core.offset import OffsetFilter
from arwarden.headset.backoff import Backoff
from arwarden.headset.mqtt_address import MqttAddress
from arwarden.headset.shown import ShownAlert, ShownAlerts
from arwarden.publish.mqtt_workarounds import heed_cancellation, release, watch

log = structlog.get_logger(__name__)

TIMEOUT_S = 5.0
KEEPALIVE_S = 10
MAX_PAYLOAD_BYTES = 65_536
QUEUED_MESSAGES = 256
QUEUED_ACKS = 256
EXPIRY_LOOK_S = 0.1
REFUSALS = frozenset({132, 133, 134, 135, 138, 140})
"""CONNACK reasons that another try does not change: protocol, client id, password, right, ban, method."""


@dataclass(frozen=True, slots=True)
class AlertCallbacks:
    """What is told about messages that came in. Called on the event loop; must not block."""

    on_alert: Callable[[ShownAlert], None]
    on_health: Callable[[Health], None]
    on_daemon: Callable[[DaemonStatus], None]
    on_link: Callable[[bool, str], None]
    """Whether the broker is connected, and why not."""


class AlertClient:
    """Keeps the subscription alive until cancelled, and the wearer's list right meanwhile."""

    def __init__(
        self,
        address: MqttAddress,
        device_id: str,
        *,
        clock: Clock,
        offset: OffsetFilter,
        counters: Counters,
        callbacks: AlertCallbacks,
        prefix: str = DEFAULT_PREFIX,
        ca_file: Path | None = None,
    ) -> None:
        self._address = address
        self._device_id = device_id
        self._topics = Topics(prefix)
        self._clock = clock
        self._offset = offset
        self._counters = counters
        self._callbacks = callbacks
        self._acks: deque[Ack] = deque(maxlen=QUEUED_ACKS)
        self._acks_waiting = asyncio.Event()
        # A fixed id would let two headsets that were started alike kick each other out for ever.
        self._client_id = f"arwarden-headset-{device_id}-{uuid.uuid4().hex[:8]}"
        self._tls = _tls_context(ca_file) if address.tls else None
        self.shown = ShownAlerts(counters)

    async def run(self) -> None:
        """Stay subscribed; connects again after each loss. Raises ``Refused`` for a wrong password."""
        expiring = asyncio.create_task(self._expire())
        backoff = Backoff()
        loop = asyncio.get_running_loop()
        try:
            while True:
                began_s = loop.time()
                reason = await self._connect_once()
                self._counters.add("mqtt.lost")
                self._callbacks.on_link(False, reason)
                log.warning("broker_lost", broker=str(self._address), reason=reason)
                await asyncio.sleep(backoff.pause_s(loop.time() - began_s))
        finally:
            expiring.cancel()
            await asyncio.gather(expiring, return_exceptions=True)

    async def _connect_once(self) -> str:
        """One connection; returns why it was lost."""
        client = self._client()
        watch(client, TIMEOUT_S)
        try:
            async with client:
                heed_cancellation()
                await self._subscribe(client)
                self._callbacks.on_link(True, "")
                log.info("broker_connected", broker=str(self._address))
                acknowledging = asyncio.create_task(self._acknowledge(client))
                try:
                    async for message in client.messages:
                        self._take(message)
                finally:
                    acknowledging.cancel()
                    await asyncio.gather(acknowledging, return_exceptions=True)
        except aiomqtt.MqttError as error:
            heed_cancellation()  # the goodbye may fail and its error take the cancellation's place
            if _refused(error):
                raise Refused(str(self._address), f"the broker refuses the connection: {error}") from error
            return str(error)
        finally:
            await release(client)
        return "the broker closed the connection"

    def _client(self) -> aiomqtt.Client:
        address = self._address
        return aiomqtt.Client(
            address.host,
            address.port,
            username=address.username,
            password=address.password,
            identifier=self._client_id,
            protocol=aiomqtt.ProtocolVersion.V5,
            clean_start=True,
            timeout=TIMEOUT_S,
            keepalive=KEEPALIVE_S,
            max_queued_incoming_messages=QUEUED_MESSAGES,
            tls_context=self._tls,
            logger=logging.getLogger("arwarden.headset.mqtt"),
        )

    async def _subscribe(self, client: aiomqtt.Client) -> None:
        wanted = [
            (self._topics.alerts(self._device_id), 1),
            (self._topics.health(self._device_id), 0),
            (self._topics.daemon_status, 1),
        ]
        granted = await client.subscribe(wanted)
        heed_cancellation()
        denied = [
            topic
            for (topic, _), code in zip(wanted, granted, strict=True)
            if isinstance(code, ReasonCode) and code.is_failure
        ]
        if denied:
            raise Refused(str(self._address), f"the broker does not allow reading {', '.join(denied)}")

    def _take(self, message: aiomqtt.Message) -> None:
        payload = message.payload
        if len(payload) > MAX_PAYLOAD_BYTES:
            self._counters.add("mqtt.malformed")
            return
        topic = message.topic.value
        try:
            if topic == self._topics.alerts(self._device_id):
                self._take_alert(Alert.model_validate_json(payload), retained=bool(message.retain))
            elif topic == self._topics.health(self._device_id):
                if payload:
                    self._callbacks.on_health(Health.model_validate_json(payload))
            elif payload:
                self._take_status(DaemonStatus.model_validate_json(payload))
        except ValidationError as error:
            self._counters.add("mqtt.malformed")
            log.warning("message_malformed", topic=topic, problems=error.error_count())

    def _take_alert(self, alert: Alert, *, retained: bool) -> None:
        if retained:
            # Alerts are never retained: somebody else keeps an old one at the broker.
            self._counters.add("alerts.retained")
            return
        if alert.device_id != self._device_id:
            self._counters.add("alerts.of_other_device")
            return
        self._apply(self.shown.take(alert, self._clock.now_ms(), self._offset.offset_ms))

    def _take_status(self, status: DaemonStatus) -> None:
        if status.state == "online":
            self._apply(self.shown.new_epoch(status.epoch, self._clock.now_ms()))
        self._callbacks.on_daemon(status)

    def _apply(self, changes: list[ShownAlert]) -> None:
        for change in changes:
            self._callbacks.on_alert(change)
            for action in change.acks:
                self._queue_ack(change, action)

    def _queue_ack(self, change: ShownAlert, action: AckAction) -> None:
        if len(self._acks) == QUEUED_ACKS:
            self._counters.add("acks.dropped")
        ack = Ack(
            alert_id=change.alert.alert_id[:64],
            revision=change.alert.revision,
            action=action,
            headset_ms=change.at_ms,
            reason=change.reason[:200],
        )
        self._acks.append(ack)
        self._acks_waiting.set()

    async def _acknowledge(self, client: aiomqtt.Client) -> None:
        topic = self._topics.acks(self._device_id)
        while True:
            await self._acks_waiting.wait()
            while self._acks:
                ack = self._acks.popleft()
                try:
                    await client.publish(topic, _json(ack), qos=1)
                except aiomqtt.MqttError:
                    # The connection is gone or going; an acknowledgement is not worth a second one.
                    self._counters.add("acks.dropped")
                    return
                heed_cancellation()
                self._counters.add("acks.sent")
            self._acks_waiting.clear()

    async def _expire(self) -> None:
        while True:
            await asyncio.sleep(EXPIRY_LOOK_S)
            self._apply(self.shown.expire(self._clock.now_ms()))


def _refused(error: aiomqtt.MqttError) -> bool:
    code = error.rc if isinstance(error, aiomqtt.MqttCodeError) else None
    return isinstance(code, ReasonCode) and code.value in REFUSALS


def _json(model: BaseModel) -> bytes:
    return model.model_dump_json().encode()


def _tls_context(ca_file: Path | None) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=None if ca_file is None else str(ca_file))
    except (OSError, ssl.SSLError) as error:
        raise Refused(str(ca_file), f"not a readable PEM certificate file: {error}") from error
