"""The publisher against a real Mosquitto that is stopped, killed, frozen, misconfigured and shared."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from dataclasses import replace
from pathlib import Path

import aiomqtt
import psutil
import pytest
import structlog

from arwarden.contract.messages import AlertState
from arwarden.core.counters import Counters
from arwarden.core.findings import Severity
from arwarden.publish.acks import inbox_type
from arwarden.publish.connection import Connection, Will
from arwarden.publish.outbox import Outgoing
from arwarden.publish.publisher import PublisherState
from tests.integration.conftest import Maker
from tests.support.alerts_out import ACKS, ALERTS, STATUS, Daemon, alert, make_daemon, running
from tests.support.certificates import Authority, make_authority
from tests.support.mosquitto import Mosquitto
from tests.support.mqtt_tap import Tap, eventually, tapping
from tests.support.tcp_proxy import TcpProxy

pytestmark = pytest.mark.broker


def connected(daemon: Daemon) -> bool:
    return daemon.publisher.state is PublisherState.CONNECTED


def states(tap: Tap) -> list[tuple[str, str]]:
    return [(message.json["state"], message.json["epoch"]) for message in tap.on(STATUS)]


async def retained_status(broker: Mosquitto) -> tuple[str, str]:
    """What somebody who subscribes now is told."""
    async with tapping(broker.host, broker.port, STATUS) as tap:
        await eventually(lambda: bool(tap.received))
        return states(tap)[0]


def revisions(tap: Tap) -> list[tuple[str, int]]:
    return [(message.json["alert_id"], message.json["revision"]) for message in tap.on(ALERTS)]


async def test_life_of_a_connection(mosquitto: Mosquitto) -> None:
    published: list[tuple[str, float]] = []
    async with tapping(mosquitto.host, mosquitto.port) as tap:
        async with running(mosquitto.config()) as daemon:
            daemon.publisher.on_published = lambda item, at_ms: published.append((item.key, at_ms))
            daemon.submit("before-connecting")
            await eventually(lambda: connected(daemon))
            daemon.submit("after")
            await eventually(lambda: len(published) == 2)
            assert daemon.publisher.connected_since_ms is not None
            assert daemon.publisher.latency_ms(0.5) is not None
        await eventually(lambda: len(tap.on(STATUS)) == 2)
    assert states(tap) == [("online", "epoch-1"), ("stopped", "epoch-1")]
    first = tap.on(ALERTS)[0]
    assert (first.qos, first.retain) == (1, False)
    assert first.expiry_s in {1, 2, 3}
    assert first.json["published_ms"] == published[0][1]
    assert daemon.publisher.state is PublisherState.DISCONNECTED
    assert daemon.publisher.connected_since_ms is None


async def test_alerts_from_before_an_outage_are_not_replayed(mosquitto: Mosquitto) -> None:
    async with TcpProxy(mosquitto.port) as proxy, running(mosquitto.config(port=proxy.port)) as daemon:
        await eventually(lambda: connected(daemon))
        await proxy.close()
        await mosquitto.stop()
        for number in range(10):
            daemon.submit(f"stale-{number}", useful_ms=600.0)
            await asyncio.sleep(0.05)
        daemon.submit("live", 1, useful_ms=30_000.0)
        daemon.submit("live", 2, useful_ms=30_000.0)
        daemon.submit("over", 1, useful_ms=30_000.0)
        daemon.submit("over", 2, useful_ms=30_000.0, state=AlertState.CLEARED)
        await asyncio.sleep(0.7)
        await mosquitto.start()
        async with tapping(mosquitto.host, mosquitto.port) as tap:
            await proxy.open()
            await eventually(lambda: bool(tap.on(ALERTS)))
            daemon.submit("new")
            await eventually(lambda: len(tap.on(ALERTS)) >= 2)
    assert revisions(tap) == [("live", 2), ("new", 1)]
    for message in tap.on(ALERTS):
        assert message.json["expires_ms"] > message.at_ms
        assert abs(message.at_ms - message.json["published_ms"]) < 2000
    assert tap.on(ALERTS)[0].json["late"], "its age is that of the moment of sending"
    assert daemon.counters["outbox.expired"] == 10
    assert daemon.counters["outbox.vanished"] == 2


async def test_an_outage_during_an_alert_delivers_its_end(mosquitto: Mosquitto) -> None:
    async with TcpProxy(mosquitto.port) as proxy, running(mosquitto.config(port=proxy.port)) as daemon:
        daemon.submit("seen", 1)
        await eventually(lambda: daemon.counters["publish.sent"] == 1)
        await proxy.close()
        daemon.submit("seen", 2, state=AlertState.CLEARED, useful_ms=30_000.0)
        async with tapping(mosquitto.host, mosquitto.port) as tap:
            await proxy.open()
            await eventually(lambda: bool(tap.on(ALERTS)))
    assert [message.json["state"] for message in tap.on(ALERTS)] == ["cleared"]


async def test_newest_per_alert_survives_a_paused_broker_with_1000_alerts(mosquitto_with: Maker) -> None:
    broker = await mosquitto_with(options={"max_inflight_messages": 1})
    process = psutil.Process()
    async with (
        tapping(broker.host, broker.port) as tap,
        running(broker.config(outbox_messages=64, publish_timeout_ms=500)) as daemon,
    ):
        await eventually(lambda: connected(daemon))
        broker.pause()
        before = process.memory_info().rss
        for number in range(1000):
            severity = Severity.CRITICAL if number % 20 == 3 else Severity.WARNING
            daemon.submit(f"id-{number % 20}", number, severity=severity, useful_ms=60_000.0)
            assert daemon.publisher.waiting <= 64
            if number % 50 == 0:
                await asyncio.sleep(0.02)
        grown = process.memory_info().rss - before
        await asyncio.sleep(0.6)
        broker.resume()
        await eventually(lambda: daemon.publisher.waiting == 0 and connected(daemon))
        await eventually(lambda: {number for _, number in revisions(tap)} >= set(range(980, 1000)))
    after_outage = [pair for pair in revisions(tap) if pair[1] >= 980]
    assert after_outage[0] == ("id-3", 983), "the critical one goes first"
    assert dict(after_outage) == {f"id-{n % 20}": n for n in range(980, 1000)}
    assert grown < 20_000_000
    assert len(revisions(tap)) <= 25, "what was superseded while the broker was frozen was not sent"


async def test_a_payload_over_the_brokers_limit_costs_nothing_else(mosquitto_with: Maker) -> None:
    broker = await mosquitto_with(options={"max_packet_size": 2000})
    async with tapping(broker.host, broker.port) as tap, running(broker.config()) as daemon:
        await eventually(lambda: connected(daemon))
        with structlog.testing.capture_logs() as logs:
            daemon.submit("long", message="This explanation goes on and on. " * 330)
            daemon.publisher.submit(unshortenable(daemon))
            started = time.monotonic()
            daemon.submit("next")
            await eventually(lambda: len(tap.on(ALERTS)) == 2)
            waited_ms = (time.monotonic() - started) * 1000.0
        assert connected(daemon)
    long, following = tap.on(ALERTS)
    assert long.json["message"].endswith("…")
    assert len(long.payload) < 2000
    assert len(long.payload) > 1700, "no more is cut than has to be"
    assert following.json["alert_id"] == "next"
    assert waited_ms < 1000.0  # about 5 ms on an idle machine
    assert daemon.counters["publish.connections"] == 1
    assert (daemon.counters["publish.shortened"], daemon.counters["publish.too_large"]) == (1, 1)
    outcomes = [entry["outcome"] for entry in logs if entry["event"] == "mqtt_payload_too_large"]
    assert outcomes == ["shortened", "dropped"]


def unshortenable(daemon: Daemon) -> Outgoing:
    return replace(alert(daemon.clock.now_ms(), "blob"), render=lambda _published_ms: b"x" * 5000)


async def test_two_daemons_with_one_client_id_stop_kicking_each_other(mosquitto: Mosquitto) -> None:
    config = mosquitto.config(reconnect_min_ms=50, reconnect_max_ms=800)
    with structlog.testing.capture_logs() as logs:
        async with running(config, "first") as first:
            await eventually(lambda: connected(first))
            async with running(config, "second") as second:
                both = (first, second)
                taken_over = PublisherState.CLIENT_TAKEN_OVER
                await eventually(lambda: any(d.publisher.state is taken_over for d in both), 20)
                loser = next(d for d in both if d.publisher.state is taken_over)
                winner = second if loser is first else first
                await eventually(lambda: connected(winner))
                kicks = sum(d.counters["publish.lost"] for d in both)
                await asyncio.sleep(0.6)
                assert loser.publisher.state is taken_over
                assert connected(winner)
                assert sum(d.counters["publish.lost"] for d in both) == kicks, "nobody is kicked any more"
                assert "give this daemon its own mqtt.client_id" in (loser.publisher.last_error or "")
                assert kicks <= 12
                winner.submit("through")
                await eventually(lambda: winner.counters["publish.sent"] == 1)
    said = [entry for entry in logs if entry["event"] == "mqtt_client_taken_over"]
    assert len(said) == 1


async def test_retained_offline_is_healed_after_a_broker_restart(mosquitto: Mosquitto) -> None:
    async with running(mosquitto.config()) as daemon:
        await eventually(lambda: connected(daemon))
        await mosquitto.restart()
        await eventually(lambda: daemon.counters["publish.connections"] == 2 and connected(daemon))
        assert await retained_status(mosquitto) == ("online", "epoch-1")
    assert await retained_status(mosquitto) == ("stopped", "epoch-1")


async def test_retained_offline_is_healed_after_a_late_will_of_an_old_run(mosquitto: Mosquitto) -> None:
    old = mosquitto.config(client_id="old-run", keepalive_s=5)
    will = Will(STATUS, b'{"epoch":"old","published_ms":1,"state":"offline","version":"0.1.0"}')
    connection = await Connection.open(old, will, inbox_type(Counters()))
    async with running(mosquitto.config()) as daemon, tapping(mosquitto.host, mosquitto.port, STATUS) as tap:
        await eventually(lambda: connected(daemon))
        await connection.abort()
        await eventually(lambda: daemon.counters["status.healed"] == 1)
        await eventually(lambda: states(tap)[-2:] == [("offline", "old"), ("online", "epoch-1")])
        assert await retained_status(mosquitto) == ("online", "epoch-1")


async def test_retained_offline_is_healed_after_our_own_late_will(mosquitto: Mosquitto) -> None:
    """The link dies without a word; the broker learns of it only when we are back."""
    async with TcpProxy(mosquitto.port) as proxy:
        config = mosquitto.config(port=proxy.port, publish_timeout_ms=300)
        async with running(config) as daemon, tapping(mosquitto.host, mosquitto.port, STATUS) as tap:
            await eventually(lambda: connected(daemon))
            proxy.swallow()
            daemon.submit("into-the-void", useful_ms=300.0)
            await eventually(lambda: daemon.counters["publish.lost"] == 1)
            proxy.flow()
            await eventually(lambda: daemon.counters["publish.connections"] == 2 and connected(daemon))
            await eventually(lambda: ("offline", "epoch-1") in states(tap))
            await eventually(lambda: states(tap)[-1] == ("online", "epoch-1"))
            assert await retained_status(mosquitto) == ("online", "epoch-1")


async def test_a_broker_that_appears_later_is_found(mosquitto: Mosquitto) -> None:
    await mosquitto.stop()
    with structlog.testing.capture_logs() as logs:
        async with running(mosquitto.config()) as daemon:
            await eventually(lambda: daemon.counters["publish.connect_failed"] >= 3)
            daemon.submit("early", useful_ms=20_000.0)
            assert daemon.publisher.waiting == 1
            assert "refused" in (daemon.publisher.last_error or "").lower()
            await mosquitto.start()
            await eventually(lambda: daemon.counters["publish.sent"] == 1)
            assert daemon.publisher.last_error is None
    failures = [entry["log_level"] for entry in logs if entry["event"] == "mqtt_connect_failed"]
    assert failures[:3] == ["warning", "debug", "debug"]


async def test_a_name_that_does_not_resolve_is_tried_again(mosquitto: Mosquitto) -> None:
    async with running(mosquitto.config(host="no-such-broker.invalid")) as daemon:
        await eventually(lambda: daemon.counters["publish.connect_failed"] >= 2, 30)
        assert daemon.publisher.last_error
        assert daemon.publisher.state is not PublisherState.AUTH_FAILED


async def test_wrong_password_is_said_once_and_cured_without_a_restart(mosquitto_with: Maker) -> None:
    broker = await mosquitto_with(users={"arwarden": "another"})
    config = broker.config(username="arwarden", password={"value": "secret-word"}, reconnect_max_ms=60)
    with structlog.testing.capture_logs() as logs:
        async with running(config) as daemon:
            await eventually(lambda: daemon.counters["publish.connect_failed"] >= 3)
            assert daemon.publisher.state is PublisherState.AUTH_FAILED
            assert "mqtt.password" in (daemon.publisher.last_error or "")
            broker.users["arwarden"] = "secret-word"
            await broker.restart()
            await eventually(lambda: connected(daemon))
    refusals = [entry for entry in logs if entry["event"] == "mqtt_auth_failed"]
    assert [entry["log_level"] for entry in refusals[:3]] == ["warning", "debug", "debug"]
    assert "secret-word" not in json.dumps(logs, default=str)


async def test_acks_are_taken_and_retained_or_broken_ones_are_not(mosquitto: Mosquitto) -> None:
    ack = {"schema": "arwarden/ack/1", "alert_id": "a", "revision": 1, "action": "shown", "headset_ms": 5.0}
    good = json.dumps(ack).encode()
    async with aiomqtt.Client(mosquitto.host, mosquitto.port, protocol=aiomqtt.ProtocolVersion.V5) as headset:
        await headset.publish(ACKS, json.dumps({**ack, "alert_id": "from-the-past"}).encode(), 1, retain=True)
        async with running(mosquitto.config()) as daemon:
            await eventually(lambda: daemon.counters["acks.retained"] == 1)
            for payload in (b"", b"\xff\xfe", b"[" * 4000, b"{}", b" " * 5000, b'{"headset_ms": Infinity}'):
                await headset.publish(ACKS, payload, 1)
            await headset.publish("arwarden/v1/bad device!/acks", good, 1)
            await headset.publish(ACKS, b"x" * 200_000, 1)  # above what we let the broker send us
            await headset.publish("arwarden/v1/quest/other", good, 1)
            await headset.publish(ACKS, good, 1)
            await eventually(lambda: bool(daemon.acks))
            assert connected(daemon)
    assert [(device, ack.alert_id) for device, ack in daemon.acks] == [("quest", "a")]
    assert daemon.counters["acks.malformed"] == 5
    assert daemon.counters["acks.too_large"] == 1
    assert daemon.counters["acks.bad_topic"] == 1
    assert daemon.counters["publish.connections"] == 1


async def test_broker_killed_and_restarted_while_alerts_are_produced(mosquitto: Mosquitto) -> None:
    async with tapping(mosquitto.host, mosquitto.port) as tap, running(mosquitto.config()) as daemon:
        producing = asyncio.create_task(produce(daemon))
        for ending in (mosquitto.kill, mosquitto.stop, mosquitto.kill):
            await eventually(lambda: connected(daemon))
            await asyncio.sleep(0.2)
            await ending()
            await asyncio.sleep(0.2)
            await mosquitto.start()
        await eventually(lambda: connected(daemon) and tap.subscribed.is_set())
        producing.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await producing
        daemon.submit("last")
        await eventually(lambda: ("last", 1) in revisions(tap))
    for message in tap.on(ALERTS):
        assert message.json["expires_ms"] > message.at_ms
    assert daemon.counters["publish.connections"] == 4
    assert daemon.publisher.waiting == 0


async def produce(daemon: Daemon) -> None:
    number = 0
    while True:
        number += 1
        daemon.submit(f"id-{number % 7}", number, useful_ms=1500.0)
        await asyncio.sleep(0.01)


async def test_a_frozen_broker_is_left_and_only_what_is_live_is_sent_again(mosquitto: Mosquitto) -> None:
    async with (
        tapping(mosquitto.host, mosquitto.port) as tap,
        running(mosquitto.config(publish_timeout_ms=400)) as daemon,
    ):
        await eventually(lambda: connected(daemon))
        mosquitto.pause()
        daemon.submit("short", useful_ms=500.0)
        daemon.submit("amended", 1, useful_ms=30_000.0)
        await eventually(lambda: daemon.counters["publish.lost"] == 1)
        assert not connected(daemon)
        daemon.submit("amended", 2, useful_ms=30_000.0)
        await asyncio.sleep(0.3)
        mosquitto.resume()
        await eventually(lambda: ("amended", 2) in revisions(tap))
    assert ("amended", 1) not in revisions(tap)
    assert revisions(tap).count(("short", 1)) <= 1, "it was in the frozen broker's buffer, not sent again"
    assert daemon.counters["outbox.expired"] == 1


async def test_stop_with_a_frozen_broker_keeps_its_grace_period(mosquitto: Mosquitto) -> None:
    daemon = make_daemon(mosquitto.config(publish_timeout_ms=60_000))
    task = asyncio.create_task(daemon.publisher.run())
    await eventually(lambda: connected(daemon))
    mosquitto.pause()
    daemon.submit("never-acknowledged")
    started = time.monotonic()
    await daemon.publisher.stop(300.0)
    assert time.monotonic() - started < 3.0
    await asyncio.wait_for(task, 3)
    mosquitto.resume()


async def test_stop_drains_what_is_live(mosquitto: Mosquitto) -> None:
    async with tapping(mosquitto.host, mosquitto.port) as tap:
        async with running(mosquitto.config()) as daemon:
            await eventually(lambda: connected(daemon))
            for number in range(50):
                daemon.submit(f"id-{number}")
        await eventually(lambda: states(tap)[-1:] == [("stopped", "epoch-1")])
    assert len(tap.on(ALERTS)) == 50


async def test_cancelling_run_leaves_the_will_to_speak(mosquitto: Mosquitto) -> None:
    daemon = make_daemon(mosquitto.config())
    task = asyncio.create_task(daemon.publisher.run())
    async with tapping(mosquitto.host, mosquitto.port, STATUS) as tap:
        await eventually(lambda: connected(daemon))
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await eventually(lambda: states(tap)[-1:] == [("offline", "epoch-1")])


async def test_a_topic_the_broker_does_not_allow_is_counted_not_retried(
    mosquitto_with: Maker, tmp_path: Path
) -> None:
    rules = tmp_path / "acl"
    rules.write_text(f"topic readwrite {STATUS}\ntopic read #\n", encoding="utf-8")
    rules.chmod(0o600)
    broker = await mosquitto_with(options={"acl_file": str(rules)})
    async with running(broker.config()) as daemon:
        await eventually(lambda: connected(daemon))
        daemon.submit("forbidden")
        await eventually(lambda: daemon.counters["publish.refused"] == 1)
        assert connected(daemon)
        assert daemon.publisher.waiting == 0
    assert daemon.counters["publish.sent"] == 0


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return make_authority(tmp_path_factory.mktemp("authority"))


async def test_tls_with_client_certificate(mosquitto_with: Maker, authority: Authority) -> None:
    broker = await mosquitto_with(tls=authority, client_certificates=True)
    certificate, key = authority.client.certificate, authority.client.key
    tls = {"ca_file": authority.ca_file, "certificate": certificate, "key": key}
    async with running(broker.config(tls=tls)) as daemon:
        daemon.submit("secret")
        await eventually(lambda: daemon.counters["publish.sent"] == 1)


async def failed_to_connect(daemon: Daemon) -> None:
    await eventually(lambda: daemon.counters["publish.connect_failed"] >= 1)


async def test_tls_checks_who_the_broker_is(mosquitto_with: Maker, authority: Authority) -> None:
    broker = await mosquitto_with(tls=authority)
    wrong_authority = broker.config(tls={"ca_file": authority.other_ca_file})
    wrong_name = broker.config(host="localhost", tls={"ca_file": authority.ca_file})
    for config, cure in ((wrong_authority, "set mqtt.tls.ca_file"), (wrong_name, "set mqtt.host to a name")):
        async with running(config) as daemon:
            await failed_to_connect(daemon)
            assert cure in (daemon.publisher.last_error or "")
            assert daemon.counters["publish.connections"] == 0
    unchecked = broker.config(host="localhost", tls={"ca_file": authority.ca_file, "check_hostname": False})
    async with running(unchecked) as daemon:
        await eventually(lambda: connected(daemon))


async def test_plain_connection_to_a_tls_broker_is_no_silent_failure(
    mosquitto_with: Maker, authority: Authority
) -> None:
    broker = await mosquitto_with(tls=authority)
    async with running(broker.config(publish_timeout_ms=300)) as daemon:
        await failed_to_connect(daemon)
        assert "where it speaks TLS at this port, set mqtt.tls" in (daemon.publisher.last_error or "")


async def test_tls_to_a_plain_broker_names_the_cure(mosquitto_with: Maker, authority: Authority) -> None:
    broker = await mosquitto_with()
    async with running(broker.config(tls={"ca_file": authority.ca_file})) as daemon:
        await failed_to_connect(daemon)
        assert "speaks no TLS at this port: leave mqtt.tls out" in (daemon.publisher.last_error or "")


def test_under_uvloop(tmp_path: Path) -> None:
    """The daemon runs on uvloop, whose readers and sockets behave a little differently."""
    uvloop = pytest.importorskip("uvloop")

    async def scenario() -> None:
        broker = Mosquitto(tmp_path)
        await broker.start()
        try:
            async with tapping(broker.host, broker.port) as tap, running(broker.config()) as daemon:
                await eventually(lambda: connected(daemon))
                await broker.restart()
                await eventually(lambda: daemon.counters["publish.connections"] == 2 and connected(daemon))
                await eventually(tap.subscribed.is_set)
                daemon.submit("again")
                await eventually(lambda: ("again", 1) in revisions(tap))
        finally:
            await broker.stop()

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(scenario())
