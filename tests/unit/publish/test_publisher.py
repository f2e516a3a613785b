"""The publisher against a broker that answers by script. The real one is in tests/integration."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import structlog

from arwarden.config import MqttConfig
from arwarden.contract.messages import Ack
from arwarden.core.errors import ConfigError
from arwarden.publish.outbox import Outgoing
from arwarden.publish.publisher import PublisherState
from tests.support.alerts_out import Daemon, alert, make_daemon, running
from tests.support.fake_broker import DISCONNECT_TAKEN_OVER, FakeBroker
from tests.support.mqtt_tap import eventually

QUICK = {"publish_timeout_ms": 300, "reconnect_min_ms": 20, "reconnect_max_ms": 50}


def config(broker: FakeBroker, **fields: object) -> MqttConfig:
    return MqttConfig.model_validate({"host": "127.0.0.1", "port": broker.port, **QUICK, **fields})


def connected(daemon: Daemon) -> bool:
    return daemon.publisher.state is PublisherState.CONNECTED


async def test_without_a_broker_it_says_what_to_do() -> None:
    with pytest.raises(ConfigError, match=r"set mqtt\.host or run with the embedded one"):
        make_daemon(MqttConfig())


async def test_reason_142_is_a_rival_at_once() -> None:
    async with FakeBroker(farewell=DISCONNECT_TAKEN_OVER) as broker, running(config(broker)) as daemon:
        await eventually(lambda: daemon.publisher.state is PublisherState.CLIENT_TAKEN_OVER)
        assert "'arwarden'" in (daemon.publisher.last_error or "")
        assert daemon.counters["publish.taken_over"] == 1
        assert broker.connections == 1
        await asyncio.sleep(0.1)
        assert broker.connections == 1, "longer pauses than for a lost connection"


@pytest.mark.parametrize(
    ("code", "state", "said"),
    [
        (134, PublisherState.AUTH_FAILED, "mqtt.password"),
        (135, PublisherState.AUTH_FAILED, "access rules"),
        (1, PublisherState.DISCONNECTED, "does not speak MQTT 5"),
        (137, PublisherState.DISCONNECTED, "Server busy"),
    ],
)
async def test_refusals_are_told_apart(code: int, state: PublisherState, said: str) -> None:
    async with FakeBroker(connack=code) as broker, running(config(broker)) as daemon:
        await eventually(lambda: daemon.counters["publish.connect_failed"] >= 1)
        if state is PublisherState.AUTH_FAILED:
            assert daemon.publisher.state is state
        assert said in (daemon.publisher.last_error or "")


async def test_refused_credentials_are_tried_again_slowly() -> None:
    async with FakeBroker(connack=134) as broker:
        slow = config(broker, reconnect_min_ms=1, reconnect_max_ms=100)
        async with running(slow) as daemon:
            started = time.monotonic()
            await eventually(lambda: daemon.counters["publish.connect_failed"] >= 3)
            assert time.monotonic() - started >= 0.14, "pauses of at least 50 and 100 ms"


async def test_no_answer_to_connect_leaves_no_connection_behind() -> None:
    async with FakeBroker(connack=None) as broker:
        async with running(config(broker)) as daemon:
            await eventually(lambda: daemon.counters["publish.connect_failed"] >= 2)
            assert "does not answer" in (daemon.publisher.last_error or "")
            assert broker.open_connections <= 1
        await eventually(lambda: broker.open_connections == 0)


async def test_stopping_while_connecting_is_quick_and_leaves_nothing() -> None:
    async with FakeBroker(connack=None) as broker:
        daemon = make_daemon(config(broker, publish_timeout_ms=500))
        task = asyncio.create_task(daemon.publisher.run())
        await eventually(lambda: broker.open_connections == 1)
        async with asyncio.timeout(5):
            await daemon.publisher.stop(60_000.0)
            await task
        await eventually(lambda: broker.open_connections == 0)


async def test_stop_before_run_and_twice() -> None:
    async with FakeBroker() as broker:
        daemon = make_daemon(config(broker))
        await daemon.publisher.stop(100.0)
        await daemon.publisher.run()
        await daemon.publisher.stop(100.0)
        assert broker.connections == 0


async def test_the_brokers_limit_counts_the_whole_packet() -> None:
    limit_600 = bytes([0x27, 0, 0, 0x02, 0x58])
    async with FakeBroker(properties=limit_600) as broker, running(config(broker)) as daemon:
        daemon.submit("long", message="m" * 1000)
        daemon.publisher.submit(replace(alert(daemon.clock.now_ms(), "small"), render=lambda _ms: b"x" * 540))
        daemon.publisher.submit(replace(alert(daemon.clock.now_ms(), "large"), render=lambda _ms: b"x" * 560))
        await eventually(lambda: daemon.counters["publish.too_large"] == 2)
        assert daemon.counters["publish.sent"] == 1
        assert max(len(packet) for packet in broker.published) + 3 <= 600


@pytest.mark.parametrize(
    ("render", "counter"),
    [(lambda _ms: None, "publish.withdrawn"), (lambda _ms: b"%d" % (1 // 0), "publish.render_failed")],
)
async def test_a_message_that_cannot_be_written_does_not_stop_the_next(
    render: Callable[[float], bytes | None], counter: str
) -> None:
    async with FakeBroker() as broker, running(config(broker)) as daemon:
        daemon.publisher.submit(replace(alert(daemon.clock.now_ms(), "bad"), render=render))
        daemon.submit("good")
        await eventually(lambda: daemon.counters["publish.sent"] == 1)
        assert daemon.counters[counter] == 1
        assert broker.connections == 1


async def test_faults_in_callbacks_do_not_cost_the_connection() -> None:
    def fail(*_arguments: object) -> None:
        raise RuntimeError

    async with FakeBroker() as broker, running(config(broker)) as daemon:
        daemon.publisher.on_published = fail
        daemon.submit("a")
        daemon.submit("b")
        await eventually(lambda: daemon.counters["publish.callback_failed"] == 2)
        assert broker.connections == 1


async def test_refused_subscriptions_are_said_and_publishing_goes_on() -> None:
    with structlog.testing.capture_logs() as logs:
        async with FakeBroker(suback=135) as broker, running(config(broker)) as daemon:
            daemon.submit("a")
            await eventually(lambda: daemon.counters["publish.sent"] == 1)
            assert daemon.counters["publish.refused"] == 2
    refused = [entry["topic"] for entry in logs if entry["event"] == "mqtt_subscription_refused"]
    assert refused == ["arwarden/v1/daemon/status", "arwarden/v1/+/acks"]


async def test_a_refused_message_is_not_tried_again() -> None:
    async with FakeBroker(puback=151) as broker, running(config(broker)) as daemon:
        await eventually(lambda: connected(daemon))
        daemon.submit("a")
        await eventually(lambda: daemon.counters["publish.refused"] == 2)  # the birth and the alert
        assert daemon.publisher.waiting == 0
        assert broker.connections == 1


async def test_health_waits_behind_alerts_and_is_not_acknowledged() -> None:
    async with FakeBroker() as broker:
        daemon = make_daemon(config(broker))
        now_ms = daemon.clock.now_ms()
        health = Outgoing(
            "arwarden/v1/quest/health", "health/quest", -1, now_ms + 60_000.0, 0, True, lambda _ms: b"health"
        )
        daemon.publisher.submit(health)
        daemon.submit("a")
        task = asyncio.create_task(daemon.publisher.run())
        await eventually(lambda: len(broker.published) == 3)
        assert b"daemon/status" in broker.published[0]
        assert b"quest/alerts" in broker.published[1]
        assert broker.published[2].endswith(b"health")
        await daemon.publisher.stop(1000.0)
        await task


async def test_latency_is_from_submit_to_acknowledgement() -> None:
    async with FakeBroker() as broker, running(config(broker)) as daemon:
        assert daemon.publisher.latency_ms(0.5) is None
        for number in range(20):
            daemon.submit(f"id-{number}")
        await eventually(lambda: daemon.counters["publish.sent"] == 20)
        half, most = daemon.publisher.latency_ms(0.5), daemon.publisher.latency_ms(0.95)
        assert half is not None
        assert most is not None
        assert 0.0 < half <= most


async def test_acks_reach_the_callback_even_when_it_fails_once() -> None:
    got: list[str] = []

    def on_ack(device_id: str, ack: Ack) -> None:
        got.append(ack.alert_id)
        if len(got) == 1:
            raise RuntimeError

    ack = b'{"schema":"arwarden/ack/1","alert_id":"%s","revision":1,"action":"shown","headset_ms":1}'
    async with FakeBroker() as broker, running(config(broker)) as daemon:
        daemon.publisher._on_ack = on_ack
        await eventually(lambda: connected(daemon))
        for name in (b"one", b"two"):
            broker.deliver("arwarden/v1/quest/acks", ack % name)
        await eventually(lambda: got == ["one", "two"])
        assert daemon.counters["acks.callback_failed"] == 1


async def test_tls_files_that_cannot_be_used_are_said(tmp_path: Path) -> None:
    broken = tmp_path / "ca.pem"
    broken.write_text("no certificate", encoding="utf-8")
    async with FakeBroker() as broker, running(config(broker, tls={"ca_file": broken})) as daemon:
        await eventually(lambda: daemon.counters["publish.connect_failed"] >= 1)
        assert "mqtt.tls" in (daemon.publisher.last_error or "")


async def test_a_name_that_is_no_name_is_said() -> None:
    # The configuration refuses such a name; the publisher must survive it all the same.
    sound = MqttConfig.model_validate({"host": "name", "port": 1, **QUICK})
    hostile = sound.model_copy(update={"host": "x" * 300})
    async with running(hostile) as daemon:
        await eventually(lambda: daemon.counters["publish.connect_failed"] >= 1)
        assert daemon.publisher.last_error
