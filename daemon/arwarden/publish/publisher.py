"""Keeps a connection to the broker and sends through it what the outbox holds.

Nothing here is waited for by the pipeline: ``submit`` puts a message into the outbox and returns. A lost
connection is thrown away and made anew; the outbox decides what is still worth sending then.
"""

from __future__ import annotations

import asyncio
import random
from collections import deque
from collections.abc import Callable
from enum import StrEnum

import aiomqtt
import structlog

from arwarden.config import MqttConfig
from arwarden.contract.messages import Ack
from arwarden.contract.topics import Topics
from arwarden.core.clock import Clock
from arwarden.core.counters import Counters
from arwarden.core.errors import ClientTakenOver, ConfigError
from arwarden.publish.acks import AckReader, inbox_type
from arwarden.publish.connection import ConnectFailed, Connection, ConnectionLost, PublishRefused, Will
from arwarden.publish.outbox import Outbox, Outgoing, Taken
from arwarden.publish.reconnect import Backoff, TakeoverGuard
from arwarden.publish.scenes import DeviceScene, SceneReader
from arwarden.publish.status import StatusReader, StatusState, status_payload
from arwarden.publish.writer import Writer

log = structlog.get_logger(__name__)

LATENCIES_KEPT = 512
AUTH_MAX_PAUSES = 12
"""Wrong credentials: pauses grow from the longest ordinary one to this many of them (5 s to 60 s)."""
TAKEOVER_MIN_PAUSES = 6
TAKEOVER_MAX_PAUSES = 120
"""A rival with our client id: pauses from 30 s to 10 min, because every try kicks the rival once."""
STABLE_PAUSES = 3
"""A connection that lives longer than this many of the longest pauses is a stable one."""


class PublisherState(StrEnum):
    """How the connection to the broker is doing."""

    DISCONNECTED = "disconnected"
    CONNECTING = "connecting"
    CONNECTED = "connected"
    AUTH_FAILED = "auth_failed"
    CLIENT_TAKEN_OVER = "client_taken_over"


class Publisher:
    """The way out. ``run`` for the life of the daemon; ``submit`` from the event loop at any time.

    Counts ``publish.sent``, ``publish.shortened``, ``publish.too_large``, ``publish.withdrawn``,
    ``publish.refused``, ``publish.render_failed``, ``publish.connections``, ``publish.lost``,
    ``publish.connect_failed``, ``publish.taken_over``, ``status.healed``, and what the outbox, the
    acknowledgements and the scene reports count. Scene reports are subscribed where ``on_scene`` is given.
    """

    def __init__(
        self,
        config: MqttConfig,
        clock: Clock,
        *,
        epoch: str,
        version: str,
        on_ack: Callable[[str, Ack], None],
        counters: Counters,
        on_scene: Callable[[DeviceScene], None] | None = None,
        rng: random.Random | None = None,
    ) -> None:
        if config.host is None:
            raise ConfigError(
                "mqtt.host", ["no broker is configured; set mqtt.host or run with the embedded one"]
            )
        self.state = PublisherState.DISCONNECTED
        self.last_error: str | None = None
        self.connected_since_ms: float | None = None
        self.on_published: Callable[[Outgoing, float], None] | None = None
        self._config = config
        self._clock = clock
        self._epoch = epoch
        self._version = version
        self._on_ack = on_ack
        self._counters = counters
        self._topics = Topics(config.topic_prefix)
        self._acks = AckReader(self._topics, counters)
        self._on_scene = on_scene
        self._scenes = SceneReader(self._topics, counters)
        self._status = StatusReader(epoch)
        self._writer = Writer(config.max_payload_bytes, counters)
        self._outbox = Outbox(config.outbox_messages, counters)
        self._latencies_ms: deque[float] = deque(maxlen=LATENCIES_KEPT)
        self._wake = asyncio.Event()
        self._stopping = False
        self._online_due = False
        self._runner: asyncio.Task[None] | None = None
        rng = rng or random.Random()  # noqa: S311 - jitter, not secrets
        longest_ms = config.reconnect_max_ms
        self._stable_ms = STABLE_PAUSES * longest_ms
        self._guard = TakeoverGuard(self._stable_ms)
        self._network = Backoff(config.reconnect_min_ms, longest_ms, rng)
        self._auth = Backoff(longest_ms, AUTH_MAX_PAUSES * longest_ms, rng)
        self._takeover = Backoff(TAKEOVER_MIN_PAUSES * longest_ms, TAKEOVER_MAX_PAUSES * longest_ms, rng)

    def submit(self, item: Outgoing) -> None:
        """Hand over a message. Never blocks and never raises; what gives way for it is counted."""
        self._outbox.put(item, self._clock.now_ms())
        self._wake.set()

    @property
    def waiting(self) -> int:
        """Messages in the outbox."""
        return len(self._outbox)

    def latency_ms(self, quantile: float) -> float | None:
        """Time from ``submit`` to the broker's acknowledgement over the last messages; None without any."""
        if not self._latencies_ms:
            return None
        ordered = sorted(self._latencies_ms)
        return ordered[min(len(ordered) - 1, int(quantile * len(ordered)))]

    async def run(self) -> None:
        """Connect, send, connect again, until ``stop``. Raises only ``CancelledError``."""
        self._runner = asyncio.create_task(self._connect_and_serve(), name="mqtt")
        try:
            await asyncio.wait({self._runner})
        finally:
            self._runner.cancel()
            await asyncio.wait({self._runner})
            self._set_state(PublisherState.DISCONNECTED)
        if not self._runner.cancelled():
            self._runner.result()

    async def stop(self, grace_ms: float) -> None:
        """Send what is still live, say ``stopped``, and end ``run``; after ``grace_ms`` end it anyway."""
        self._stopping = True
        self._wake.set()
        if self._runner is None:
            return
        if self.state is PublisherState.CONNECTED:
            await asyncio.wait({self._runner}, timeout=grace_ms / 1000.0)
        self._runner.cancel()
        await asyncio.wait({self._runner})

    async def _connect_and_serve(self) -> None:
        while not self._stopping:
            pause_ms = await self._one_connection()
            if pause_ms > 0 and not self._stopping:
                await asyncio.sleep(pause_ms / 1000.0)

    async def _one_connection(self) -> float:
        """Connect and serve until the connection ends. Returns the pause before the next, in ms."""
        if (
            self.state is not PublisherState.AUTH_FAILED
            and self.state is not PublisherState.CLIENT_TAKEN_OVER
        ):
            self._set_state(PublisherState.CONNECTING)
        will = Will(self._topics.daemon_status, self._status_payload("offline"))
        try:
            connection = await Connection.open(self._config, will, inbox_type(self._counters))
        except ConnectFailed as error:
            return self._connect_failed(error)
        opened_ms = self._clock.now_ms()
        self._guard.opened(opened_ms)
        self._auth.reset()
        self._counters.add("publish.connections")
        try:
            await self._serve(connection)
            await self._send_status(connection, "stopped")
            await connection.close()
            log.info("mqtt_stopped")
        except ConnectionLost as error:
            return self._connection_lost(error, opened_ms)
        finally:
            await connection.abort()
        return 0.0

    def _connect_failed(self, error: ConnectFailed) -> float:
        self._counters.add("publish.connect_failed")
        self._guard.failed()
        if error.bad_credentials:
            self._fail(PublisherState.AUTH_FAILED, str(error), "mqtt_auth_failed")
            return self._auth.next_ms()
        self._fail(PublisherState.DISCONNECTED, str(error), "mqtt_connect_failed")
        return self._network.next_ms()

    def _connection_lost(self, error: ConnectionLost, opened_ms: float) -> float:
        self._counters.add("publish.lost")
        now_ms = self._clock.now_ms()
        if now_ms - opened_ms >= self._stable_ms:
            self._network.reset()
            self._takeover.reset()
        if self._guard.closed(now_ms, error.reason_code, by_broker=error.by_broker):
            self._counters.add("publish.taken_over")
            rival = ClientTakenOver(
                f"another client uses the MQTT client id {self._config.client_id!r} at {self._config.host}:"
                f"{self._config.effective_port}; give this daemon its own mqtt.client_id"
            )
            self._fail(PublisherState.CLIENT_TAKEN_OVER, str(rival), "mqtt_client_taken_over")
            return self._takeover.next_ms()
        self._fail(PublisherState.DISCONNECTED, str(error), "mqtt_connection_lost")
        return self._network.next_ms()

    def _fail(self, state: PublisherState, message: str, event: str) -> None:
        """Note why there is no connection; loud when it is news, quiet when it is the same again."""
        if message != self.last_error or event == "mqtt_connection_lost":
            log.warning(event, reason=message, host=self._config.host, port=self._config.effective_port)
        else:
            log.debug(event, reason=message)
        self.last_error = message
        self._set_state(state)

    def _set_state(self, state: PublisherState) -> None:
        self.state = state
        if state is not PublisherState.CONNECTED:
            self.connected_since_ms = None

    async def _serve(self, connection: Connection) -> None:
        """Send and receive until there is nothing left to stop for, or the connection is lost."""
        receiving = asyncio.create_task(self._receive(connection), name="mqtt-receive")
        sending = asyncio.create_task(self._send(connection), name="mqtt-send")
        try:
            await asyncio.wait({receiving, sending}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            finished = [task for task in (receiving, sending) if task.done()]
            receiving.cancel()
            sending.cancel()
            await asyncio.gather(receiving, sending, return_exceptions=True)
        for task in finished:  # the receiver first: it knows the broker's reason
            task.result()

    async def _send(self, connection: Connection) -> None:
        # The birth goes first: the subscription then shows whether it is what the broker retains.
        await self._send_status(connection, "online")
        wanted = [(self._topics.daemon_status, 1), (self._topics.all_acks, 1)]
        if self._on_scene is not None:
            wanted.append((self._topics.all_scenes, 0))
        for topic, qos in wanted:
            try:
                await connection.subscribe(topic, qos)
            except PublishRefused as error:
                self._counters.add("publish.refused")
                log.warning("mqtt_subscription_refused", topic=topic, reason_code=error.reason_code)
        self._set_state(PublisherState.CONNECTED)
        self.last_error = None
        self.connected_since_ms = self._clock.now_ms()
        log.info("mqtt_connected", host=self._config.host, port=self._config.effective_port)
        while True:
            self._wake.clear()
            if self._online_due:
                self._online_due = False
                self._counters.add("status.healed")
                await self._send_status(connection, "online")
            taken = self._outbox.take(self._clock.now_ms())
            if taken is not None:
                await self._send_one(connection, taken)
            elif self._stopping:
                return
            else:
                await self._wake.wait()

    async def _send_one(self, connection: Connection, taken: Taken) -> None:
        item = taken.item
        published_ms = self._clock.now_ms()
        payload = self._writer.write(item, published_ms, connection.max_packet_bytes)
        if payload is None:
            self._outbox.dropped(taken)
            return
        settled = False
        try:
            await connection.publish(
                item.topic, payload, qos=item.qos, retain=item.retain, expiry_s=item.expiry_s(published_ms)
            )
            settled = True
        except PublishRefused as error:
            settled = True
            self._counters.add("publish.refused")
            log.warning("mqtt_publish_refused", topic=item.topic, reason_code=error.reason_code)
            self._outbox.dropped(taken)
            return
        finally:
            if not settled:
                self._outbox.give_back(taken, self._clock.now_ms())
        self._outbox.delivered(taken)
        self._counters.add("publish.sent")
        self._latencies_ms.append(self._clock.now_ms() - taken.put_ms)
        self._tell_published(item, published_ms)

    def _tell_published(self, item: Outgoing, published_ms: float) -> None:
        if self.on_published is None:
            return
        try:
            self.on_published(item, published_ms)
        except Exception:  # a fault behind the callback must not cost the connection
            self._counters.add("publish.callback_failed")
            log.exception("published_callback_failed", topic=item.topic)

    async def _receive(self, connection: Connection) -> None:
        async for message in connection.messages():
            self._take_in(message)

    def _take_in(self, message: aiomqtt.Message) -> None:
        topic = str(message.topic)
        payload = message.payload
        if topic == self._topics.daemon_status:
            if self._status.needs_healing(payload):
                self._online_due = True
                self._wake.set()
            return
        if self._on_scene is not None and topic.endswith("/scene"):
            self._take_in_scene(self._on_scene, message)
            return
        received = self._acks.read(topic, payload, retained=message.retain)
        if received is None:
            return
        try:
            self._on_ack(received.device_id, received.ack)
        except Exception:  # a fault behind the callback must not cost the connection
            self._counters.add("acks.callback_failed")
            log.exception("ack_callback_failed", device_id=received.device_id)

    def _take_in_scene(self, on_scene: Callable[[DeviceScene], None], message: aiomqtt.Message) -> None:
        scene = self._scenes.read(str(message.topic), message.payload, retained=message.retain)
        if scene is None:
            return
        try:
            on_scene(scene)
        except Exception:  # a fault behind the callback must not cost the connection
            self._counters.add("scene.callback_failed")
            log.exception("scene_callback_failed", device_id=scene.device_id)

    async def _send_status(self, connection: Connection, state: StatusState) -> None:
        try:
            await connection.publish(
                self._topics.daemon_status, self._status_payload(state), qos=1, retain=True
            )
        except PublishRefused as error:
            self._counters.add("publish.refused")
            log.warning("mqtt_status_refused", reason_code=error.reason_code)

    def _status_payload(self, state: StatusState) -> bytes:
        return status_payload(state, self._epoch, self._version, self._clock.now_ms())
