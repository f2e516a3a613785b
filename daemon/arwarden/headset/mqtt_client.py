"""The headset's end of MQTT 5: alerts, health and daemon status in, acknowledgements out."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import aiomqtt
import structlog
from paho.mqtt.reasoncodes import ReasonCode
from pydantic import BaseModel, ValidationError

from arwarden.contract.messages import Ack, AckAction, Alert, DaemonStatus, Health
from arwarden.contract.objects import Adjustment
from arwarden.contract.topics import DEFAULT_PREFIX, Topics
from arwarden.core.clock import Clock
from arwarden.core.counters import Counters
from arwarden.core.errors import Refused
from arwarden.core.offset import OffsetFilter
from arwarden.core.tls_faults import TlsFault, tls_fault
from arwarden.headset.ack_outbox import AckOutbox
from arwarden.headset.backoff import Backoff
from arwarden.headset.mqtt_address import MqttAddress
from arwarden.headset.objects import AppObjects
from arwarden.headset.reports import SceneReporter
from arwarden.headset.shown import ShownAlert, ShownAlerts
from arwarden.headset.trust import trusting
from arwarden.publish.connection import AIOMQTT_TIMED_OUT
from arwarden.publish.mqtt_workarounds import (
    Seen,
    close_after_failed_handshake,
    heed_cancellation,
    release,
    watch,
)

log = structlog.get_logger(__name__)

TIMEOUT_S = 5.0
KEEPALIVE_S = 10
MAX_PAYLOAD_BYTES = 65_536
QUEUED_MESSAGES = 256
EXPIRY_LOOK_S = 0.1
REPORT_LOOK_S = 0.1
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
        objects: AppObjects | None = None,
    ) -> None:
        self._address = address
        self._device_id = device_id
        self._topics = Topics(prefix)
        self._clock = clock
        self._offset = offset
        self._counters = counters
        self._callbacks = callbacks
        self._acks = AckOutbox(counters)
        self._new_acks = asyncio.Event()
        # A fixed id would let two headsets that were started alike kick each other out for ever.
        self._client_id = f"arwarden-headset-{device_id}-{uuid.uuid4().hex[:8]}"
        self._tls = trusting(ca_file) if address.tls else None
        if self._tls is not None:
            close_after_failed_handshake(self._tls)
        self.shown = ShownAlerts(counters)
        self._objects = objects
        self._reporter = None if objects is None else SceneReporter(objects)

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
        seen = watch(client, TIMEOUT_S)
        try:
            async with client:
                heed_cancellation()
                await self._subscribe(client)
                self._callbacks.on_link(True, "")
                log.info("broker_connected", broker=str(self._address))
                talking = [asyncio.create_task(self._acknowledge(client, seen))]
                if self._reporter is not None:
                    talking.append(asyncio.create_task(self._report(client, self._reporter)))
                try:
                    async for message in client.messages:
                        self._take(message)
                finally:
                    for task in talking:
                        task.cancel()
                    await asyncio.gather(*talking, return_exceptions=True)
        except aiomqtt.MqttError as error:
            heed_cancellation()  # the goodbye may fail and its error take the cancellation's place
            if _refused(error):
                raise Refused(str(self._address), f"the broker refuses the connection: {error}") from error
            return _reason(error, self._address)
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
        if self._objects is not None:
            wanted.append((self._topics.adjustments(self._device_id), 1))
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
            elif topic == self._topics.adjustments(self._device_id):
                self._take_adjustment(Adjustment.model_validate_json(payload), retained=bool(message.retain))
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

    def _take_adjustment(self, asked: Adjustment, *, retained: bool) -> None:
        if retained or asked.device_id != self._device_id or self._objects is None:
            self._counters.add("adjustments.refused")
            return
        for ack in self._objects.take(asked, self._clock.now_ms(), self._offset.offset_ms):
            self.acknowledge(ack)

    def _take_status(self, status: DaemonStatus) -> None:
        if status.state == "online":
            if self._reporter is not None:
                self._reporter.restart()  # a daemon that has just come knows nothing of what was said
            self._apply(self.shown.new_epoch(status.epoch, self._clock.now_ms()))
        self._callbacks.on_daemon(status)

    def _apply(self, changes: list[ShownAlert]) -> None:
        for change in changes:
            self._callbacks.on_alert(change)
            for action in change.acks:
                self._queue_ack(change, action)

    def _queue_ack(self, change: ShownAlert, action: AckAction) -> None:
        self.acknowledge(
            Ack(
                alert_id=change.alert.alert_id[:64],
                revision=change.alert.revision,
                action=action,
                headset_ms=change.at_ms,
                reason=change.reason[:200],
            )
        )

    def acknowledge(self, ack: Ack) -> None:
        """Queue an acknowledgement; the oldest gives way where there are too many."""
        self._acks.add(ack)
        self._new_acks.set()

    async def _acknowledge(self, client: aiomqtt.Client, seen: Seen) -> None:
        """Tell what waits for as long as the connection lasts; what is not told stays for the next one."""
        topic = self._topics.acks(self._device_id)
        while True:
            self._new_acks.clear()
            now_ms = self._clock.now_ms()
            waiting = self._acks.next(now_ms)
            if waiting is None:
                await self._wait_for_acks(self._acks.wait_ms(now_ms))
                continue
            seen.had_nobody = False
            try:
                await client.publish(topic, _json(waiting.ack), qos=1)
            except aiomqtt.MqttError:
                return  # the connection is gone or going
            heed_cancellation()
            self._acks.settle(waiting, self._clock.now_ms(), heard=not seen.had_nobody)

    async def _wait_for_acks(self, longest_ms: float | None) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(None if longest_ms is None else longest_ms / 1000.0):
                await self._new_acks.wait()

    async def _report(self, client: aiomqtt.Client, reporter: SceneReporter) -> None:
        """Say what the app draws, whole reports retained, for as long as the connection lasts."""
        topic = self._topics.scene(self._device_id)
        reporter.restart()
        while True:
            report = reporter.report(self._clock.now_ms())
            if report is not None:
                try:
                    await client.publish(topic, _json(report), qos=0, retain=report.base == 0)
                except aiomqtt.MqttError:
                    self._counters.add("scene.dropped")
                    return
                heed_cancellation()
            await asyncio.sleep(REPORT_LOOK_S)

    async def _expire(self) -> None:
        while True:
            await asyncio.sleep(EXPIRY_LOOK_S)
            now_ms = self._clock.now_ms()
            self._apply(self.shown.expire(now_ms))
            for ack in () if self._objects is None else self._objects.step(now_ms):
                self.acknowledge(ack)


def _refused(error: aiomqtt.MqttError) -> bool:
    code = error.rc if isinstance(error, aiomqtt.MqttCodeError) else None
    return isinstance(code, ReasonCode) and code.value in REFUSALS


def _reason(error: aiomqtt.MqttError, address: MqttAddress) -> str:
    """What failed, and what to do where the address is at odds with the broker."""
    fault = tls_fault(error) if address.tls else None
    if fault is not None:
        return f"{_TLS_WORDS[fault]} ({error})"
    if not address.tls and str(error) == AIOMQTT_TIMED_OUT:
        return "the broker takes the connection but does not answer; where it speaks TLS, begin with mqtts://"
    return str(error)


_TLS_WORDS = {
    TlsFault.NOT_SPOKEN: "no TLS is spoken there: begin with mqtt://, or name the broker's port with TLS",
    TlsFault.OTHER_NAME: "the broker's certificate is not for this host: use a name that is in it",
    TlsFault.UNTRUSTED: "the broker's certificate is not trusted: name it or its authority by --ca",
}


def _json(model: BaseModel) -> bytes:
    return model.model_dump_json().encode()
