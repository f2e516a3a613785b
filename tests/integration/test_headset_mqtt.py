"""The simulated headset's end of MQTT, with a real Mosquitto."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiomqtt
import pytest

from arwarden.contract.messages import Alert, DaemonStatus, Health
from arwarden.core.clock import SystemClock
from arwarden.core.counters import Counters
from arwarden.core.errors import Refused
from arwarden.core.offset import OffsetFilter
from arwarden.headset.feed import LiveFeed, StreamFormat
from arwarden.headset.headset import Headset, HeadsetOptions
from arwarden.headset.mqtt_address import MqttAddress
from arwarden.headset.mqtt_client import AlertCallbacks, AlertClient
from arwarden.headset.pictures import PictureSize
from arwarden.headset.scene import ArScene
from arwarden.headset.shown import Change, ShownAlert
from tests.integration.conftest import Maker
from tests.support.mosquitto import Mosquitto, free_port
from tests.support.mqtt_tap import Tap, tapping
from tests.support.whip_receiver import until, whip_receiver
from tests.unit.headset.alerts import make_alert

pytestmark = pytest.mark.broker

ALERTS, ACKS = "arwarden/v1/quest-1/alerts", "arwarden/v1/quest-1/acks"
HEALTH, STATUS = "arwarden/v1/quest-1/health", "arwarden/v1/daemon/status"


class Wearer:
    """An alert client at work, and everything it told."""

    def __init__(self, url: str) -> None:
        self.changes: list[ShownAlert] = []
        self.healths: list[Health] = []
        self.daemon: list[DaemonStatus] = []
        self.links: list[tuple[bool, str]] = []
        self.counters = Counters()
        self.clock = SystemClock()
        callbacks = AlertCallbacks(
            on_alert=self.changes.append,
            on_health=self.healths.append,
            on_daemon=self.daemon.append,
            on_link=lambda up, reason: self.links.append((up, reason)),
        )
        self.client = AlertClient(
            MqttAddress.parse(url),
            "quest-1",
            clock=self.clock,
            offset=OffsetFilter(),
            counters=self.counters,
            callbacks=callbacks,
        )

    @property
    def connected(self) -> bool:
        return bool(self.links) and self.links[-1][0]


def url_of(broker: Mosquitto) -> str:
    return f"mqtt://{broker.host}:{broker.port}"


@asynccontextmanager
async def wearing(url: str) -> AsyncIterator[Wearer]:
    wearer = Wearer(url)
    running = asyncio.create_task(wearer.client.run())
    try:
        await until(lambda: wearer.connected or running.done(), what="a connection to the broker")
        if running.done():
            running.result()
        yield wearer
    finally:
        running.cancel()
        await asyncio.wait({running})


async def publish(broker: Mosquitto, topic: str, payload: bytes | str, *, retain: bool = False) -> None:
    async with aiomqtt.Client(broker.host, broker.port, protocol=aiomqtt.ProtocolVersion.V5) as client:
        await client.publish(topic, payload, qos=1, retain=retain)


def alert_now(now_ms: float, **changes: Any) -> Alert:
    times = {
        "published_ms": now_ms,
        "captured_ms": now_ms - 150,
        "first_captured_ms": now_ms - 150,
        "expires_ms": now_ms + 3000,
    }
    return make_alert(**{**times, **changes})


def acks(tap: Tap) -> list[tuple[str, int, str]]:
    return [(ack["alert_id"], ack["revision"], ack["action"]) for ack in (m.json for m in tap.on(ACKS))]


async def test_alert_is_shown_acknowledged_and_expires(mosquitto: Mosquitto) -> None:
    async with tapping(mosquitto.host, mosquitto.port, ACKS) as tap, wearing(url_of(mosquitto)) as wearer:
        now_ms = wearer.clock.now_ms()
        alert = alert_now(now_ms, expires_ms=now_ms + 600)
        await publish(mosquitto, ALERTS, alert.model_dump_json())
        await until(lambda: len(acks(tap)) == 3, what="three acknowledgements")
        assert acks(tap) == [("a1", 1, "received"), ("a1", 1, "shown"), ("a1", 1, "expired")]
        assert all(message.qos == 1 and not message.retain for message in tap.on(ACKS))
    assert [change.change for change in wearer.changes] == [Change.SHOWN, Change.EXPIRED]
    assert 400 <= wearer.changes[1].at_ms - wearer.changes[0].at_ms < 3000


async def test_life_of_an_alert_and_messages_out_of_order(mosquitto: Mosquitto) -> None:
    async with wearing(url_of(mosquitto)) as wearer:
        now_ms = wearer.clock.now_ms()
        for revision, state in [
            (1, "raised"),
            (3, "confirmed"),
            (2, "confirmed"),
            (4, "cleared"),
            (3, "raised"),
        ]:
            alert = alert_now(now_ms, revision=revision, state=state, expires_ms=now_ms + 60_000)
            await publish(mosquitto, ALERTS, alert.model_dump_json())
        await until(lambda: wearer.counters["alerts.old_revision"] == 2, what="two old revisions")
    assert [change.change for change in wearer.changes] == [Change.SHOWN, Change.UPDATED, Change.ENDED]


async def test_malformed_foreign_and_retained_messages_show_nothing(mosquitto: Mosquitto) -> None:
    now_ms = SystemClock().now_ms()
    await publish(mosquitto, ALERTS, alert_now(now_ms, alert_id="kept").model_dump_json(), retain=True)
    async with wearing(url_of(mosquitto)) as wearer:
        for payload in (b"", b"{", b"\xff\xfe", b"[]", b'{"schema": "arwarden/alert/9"}', b"x" * 70_000):
            await publish(mosquitto, ALERTS, payload)
        await publish(mosquitto, HEALTH, b'{"state": 3}')
        await publish(mosquitto, STATUS, b"offline")
        await publish(mosquitto, ALERTS, alert_now(now_ms, device_id="other").model_dump_json())
        good = json.loads(alert_now(wearer.clock.now_ms()).model_dump_json())
        await publish(mosquitto, ALERTS, json.dumps({**good, "a_later_member": {"of": "v1"}}))
        await until(lambda: wearer.changes, what="the good alert")
        await until(lambda: wearer.counters["mqtt.malformed"] == 8, what="eight malformed messages")
    assert [change.alert.alert_id for change in wearer.changes] == ["a1"]
    assert wearer.counters["alerts.retained"] == 1
    assert wearer.counters["alerts.of_other_device"] == 1


async def test_retained_health_and_status_are_told(mosquitto: Mosquitto) -> None:
    health = Health.model_validate(
        {
            "epoch": "run-1",
            "published_ms": 1.0,
            "device_id": "quest-1",
            "session_id": "s1",
            "state": "degraded",
            "reasons": ["passthrough_has_no_virtual_content"],
            "view": "passthrough",
            "capture_clock": "synced",
            "received_fps": 30,
            "analysed_fps": 4,
            "frames_received": 10,
            "frames_analysed": 2,
            "frames_dropped": 0,
            "width_px": 1280,
            "height_px": 720,
            "loss_ratio": 0,
        }
    )
    online = DaemonStatus(epoch="run-1", published_ms=1.0, state="online", version="0.1.0")
    await publish(mosquitto, HEALTH, health.model_dump_json(), retain=True)
    await publish(mosquitto, STATUS, online.model_dump_json(), retain=True)
    async with wearing(url_of(mosquitto)) as wearer:
        await until(lambda: wearer.healths and wearer.daemon, what="health and status")
        await publish(mosquitto, ALERTS, alert_now(wearer.clock.now_ms()).model_dump_json())
        await until(lambda: wearer.changes, what="the alert")
        again = online.model_copy(update={"epoch": "run-2"})
        await publish(mosquitto, STATUS, again.model_dump_json(), retain=True)
        await until(lambda: len(wearer.changes) == 2, what="the end of the alert")
    assert wearer.healths[0].reasons == ("passthrough_has_no_virtual_content",)
    assert wearer.changes[1].change is Change.ENDED
    assert wearer.changes[1].reason == "daemon_restarted"


async def test_restarted_broker_is_found_again(mosquitto: Mosquitto) -> None:
    async with wearing(url_of(mosquitto)) as wearer:
        await mosquitto.kill()
        await until(lambda: not wearer.connected, what="the loss to be noticed")
        await mosquitto.start()
        await until(lambda: wearer.connected, what="the connection to be back")
        await publish(mosquitto, ALERTS, alert_now(wearer.clock.now_ms()).model_dump_json())
        await until(lambda: wearer.changes, what="an alert after the restart")
    assert wearer.counters["mqtt.lost"] >= 1


async def test_acknowledgements_wait_for_a_broker_and_then_for_the_daemon(mosquitto: Mosquitto) -> None:
    async with wearing(url_of(mosquitto)) as wearer:
        now_ms = wearer.clock.now_ms()
        await mosquitto.kill()
        await until(lambda: not wearer.connected, what="the loss to be noticed")
        alert = alert_now(now_ms, expires_ms=now_ms + 600_000)
        wearer.client._take_alert(alert, retained=False)
        await mosquitto.start()
        await until(lambda: wearer.counters["acks.again"] == 2, what="two that nobody has")
        async with tapping(mosquitto.host, mosquitto.port, ACKS) as tap:
            await until(lambda: wearer.counters["acks.sent"] == 2, what="two that somebody has")
            await until(lambda: len(acks(tap)) == 2, what="two acknowledgements")
            assert sorted(acks(tap)) == [("a1", 1, "received"), ("a1", 1, "shown")]
    assert wearer.counters["acks.dropped"] == 0


async def test_wrong_password_ends_the_run(mosquitto_with: Maker) -> None:
    broker = await mosquitto_with(users={"headset": "right"})
    async with wearing(f"mqtt://headset:right@{broker.host}:{broker.port}") as wearer:
        assert wearer.connected
    with pytest.raises(Refused, match="refuses the connection") as caught:
        async with wearing(f"mqtt://headset:wr0ng@{broker.host}:{broker.port}"):
            pytest.fail("the broker let it in")
    assert "wr0ng" not in str(caught.value)


async def test_missing_broker_does_not_keep_the_stream_from_running() -> None:
    stream = StreamFormat(size=PictureSize(320, 240), fps=10, bitrate_kbps=300)
    async with whip_receiver() as receiver:
        options = HeadsetOptions(
            whip_url=receiver.url, mqtt_url=f"mqtt://127.0.0.1:{free_port()}", device_id="quest-1"
        )
        headset = Headset(options, LiveFeed(ArScene(stream.size), stream, SystemClock()))
        summary = await headset.run(seconds=1.0)
    assert summary.frames_sent > 3
    assert summary.counters["mqtt.lost"] >= 1
    assert headset.state.broker_reason


async def test_latency_is_measured_against_the_daemons_clock(mosquitto: Mosquitto) -> None:
    stream = StreamFormat(size=PictureSize(320, 240), fps=10, bitrate_kbps=300)
    async with whip_receiver() as receiver:
        receiver.clock_ahead_ms = 5_000_000.0
        shown: list[ShownAlert] = []
        headset = Headset(
            HeadsetOptions(whip_url=receiver.url, mqtt_url=url_of(mosquitto), device_id="quest-1"),
            LiveFeed(ArScene(stream.size), stream, SystemClock()),
            on_alert=shown.append,
        )
        running = asyncio.create_task(headset.run())
        await until(
            lambda: headset.offset.exchanges >= 3 and headset.state.broker_connected, what="both links"
        )
        alert = alert_now(receiver.now_ms(), expires_ms=receiver.now_ms() + 60_000)
        await publish(mosquitto, ALERTS, alert.model_dump_json())
        await until(lambda: shown, what="the alert")
        assert [entry.alert.alert_id for entry in headset.shown] == ["a1"]
        running.cancel()
        await asyncio.wait({running})
    publish_to_shown = shown[0].publish_to_shown_ms
    assert publish_to_shown is not None
    assert 0 < publish_to_shown < 3000
    assert shown[0].capture_to_shown_ms == pytest.approx(publish_to_shown + 150)
