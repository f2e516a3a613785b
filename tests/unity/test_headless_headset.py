"""The package's session and MQTT client, run by mono, as the headset of the real daemon and a broker."""

from __future__ import annotations

import asyncio
import json
import random
import signal
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import aiomqtt
import pytest

from arwarden.contract.messages import AckAction, AlertState
from arwarden.contract.objects import Adjustment, SceneReport
from arwarden.core.findings import Findings, Severity
from tests.support.alerts_out import ALERTS, Daemon, alert, running
from tests.support.daemon import Command, Wearer, address_of, config_for, scene, serving, write_config
from tests.support.mosquitto import Mosquitto, free_port
from tests.support.mqtt_tap import eventually, tapping
from tests.support.pipeline import CONSISTENT, ScriptedTier, contradiction
from tests.unity.program import Program

pytestmark = [pytest.mark.broker, pytest.mark.xdist_group("unity")]


def acks_of(daemon: Daemon, alert_id: str) -> list[tuple[int, AckAction]]:
    return [(ack.revision, ack.action) for device, ack in daemon.acks if ack.alert_id == alert_id]


async def test_an_alerts_life(broker: Mosquitto, headset: Path) -> None:
    async with (
        running(broker.config()) as daemon,
        Program(headset, port=broker.port) as wearer,
    ):
        await wearer.wait_for("state Online")
        await wearer.wait_for("daemon Online epoch-1")
        daemon.submit("a", useful_ms=30_000)
        await wearer.wait_for("alert Shown a 1 Raised None")
        daemon.submit("a", 2, state=AlertState.CONFIRMED, useful_ms=30_000)
        await wearer.wait_for("alert Updated a 2 Confirmed")
        daemon.submit("b", severity=Severity.CRITICAL, useful_ms=30_000)
        await wearer.wait_for("alert Shown b 1")
        await wearer.say("view")
        assert await wearer.wait_for("view") == ["view b a"], "the most severe first"
        daemon.submit("a", 3, state=AlertState.RETRACTED, useful_ms=30_000)
        await wearer.wait_for("alert Ended a 3 Retracted None - retracted")
        await wearer.say("dismiss b")
        await wearer.wait_for("alert Dismissed b 1")
        daemon.submit("c", useful_ms=1500)
        await wearer.wait_for("alert Shown c 1")
        await wearer.wait_for("alert Expired c 1")
        await eventually(lambda: (1, AckAction.EXPIRED) in acks_of(daemon, "c"))
        shown = [line for line in wearer.lines if line.startswith("alert Shown")]
        assert len(shown) == 3, "each once"
    received, seen = AckAction.RECEIVED, AckAction.SHOWN
    assert acks_of(daemon, "a") == [(1, received), (1, seen), (2, received), (2, seen), (3, received)]
    assert acks_of(daemon, "b") == [(1, received), (1, seen), (1, AckAction.DISMISSED)]


async def test_what_is_late_or_repeated_is_not_shown(broker: Mosquitto, headset: Path) -> None:
    async with (
        running(broker.config()) as daemon,
        Program(headset, port=broker.port) as wearer,
        aiomqtt.Client(broker.host, broker.port) as other,
    ):
        await wearer.wait_for("daemon Online epoch-1")
        daemon.submit("a", useful_ms=30_000)
        await wearer.wait_for("alert Shown a 1")
        now_ms = daemon.clock.now_ms()
        old = alert(now_ms - 60_000, "old", useful_ms=3000).render(now_ms)
        again = alert(now_ms, "a", useful_ms=30_000).render(now_ms)
        foreign = alert(now_ms, "foreign", device_id="someone-else").render(now_ms)
        for payload in (old, again, foreign):
            await other.publish(ALERTS, payload, qos=1)
        await other.publish(ALERTS, alert(now_ms, "kept").render(now_ms), qos=1, retain=True)
        await wearer.wait_for("alert Expired old 1 Raised None - expired_on_arrival")
        daemon.submit("last", useful_ms=30_000)
        await wearer.wait_for("alert Shown last")
        found = await wearer.counters()
        assert (found["old"], found["other"], found["malformed"]) == (1, 1, 0)
        async with Program(headset, port=broker.port) as another:
            await another.wait_for("daemon Online")
            await another.say("view")
            await another.wait_for("view")
            assert (await another.counters())["retained"] == 1
            assert another.lines[-2] == "view"


async def shown_then_cut_off(broker: Mosquitto, daemon: Daemon, wearer: Program) -> None:
    """An alert is shown and acknowledged, then the broker goes."""
    await wearer.wait_for("daemon Online")
    daemon.submit("a", useful_ms=60_000)
    await wearer.wait_for("alert Shown a 1")
    await eventually(lambda: len(daemon.acks) == 2)
    await broker.kill()
    await wearer.wait_for("state Offline")


async def test_broker_killed_and_back(broker: Mosquitto, headset: Path) -> None:
    async with (
        running(broker.config()) as daemon,
        Program(headset, port=broker.port) as wearer,
    ):
        await shown_then_cut_off(broker, daemon, wearer)
        await wearer.say("view")
        assert await wearer.wait_for("view") == ["view a"], "what is known stays in view until it expires"
        await wearer.say("dismiss a")
        await wearer.wait_for("alert Dismissed a")
        await broker.start()
        await wearer.wait_for("state Online", 2)
        await eventually(lambda: (1, AckAction.DISMISSED) in acks_of(daemon, "a"), 20)
        daemon.submit("b", useful_ms=30_000)
        await wearer.wait_for("alert Shown b 1")
    assert len(acks_of(daemon, "a")) == len(set(acks_of(daemon, "a")))


async def test_the_broker_is_back_before_the_daemon(broker: Mosquitto, headset: Path) -> None:
    late = broker.config(reconnect_min_ms=4000, reconnect_max_ms=4000)
    async with (
        running(late) as daemon,
        Program(headset, port=broker.port, again=300) as wearer,
    ):
        await shown_then_cut_off(broker, daemon, wearer)
        await wearer.say("dismiss a")
        await wearer.wait_for("alert Dismissed a")
        await broker.start()
        await wearer.wait_for("state Online", 2)
        await eventually(lambda: (1, AckAction.DISMISSED) in acks_of(daemon, "a"), 20)
        await wearer.has_counted(pending=0)
    assert len(acks_of(daemon, "a")) == 3, "told until somebody has it, and then no more"


async def test_daemon_gone_and_another_run_comes(broker: Mosquitto, headset: Path) -> None:
    async with Program(headset, port=broker.port) as wearer:
        async with running(broker.config()) as daemon:
            await wearer.wait_for("daemon Online epoch-1")
            daemon.submit("a", 7, useful_ms=30_000)
            await wearer.wait_for("alert Shown a 7")
        await wearer.wait_for("daemon Stopped epoch-1")
        async with running(broker.config(), epoch="epoch-2") as daemon:
            await wearer.wait_for("alert Ended a 7 Raised None - daemon_restarted")
            daemon.submit("a", 1, useful_ms=30_000)
            await wearer.wait_for("alert Shown a 1")


async def test_ten_thousand_malformed_messages(broker: Mosquitto, headset: Path) -> None:
    rng = random.Random(5)  # noqa: S311 - the same noise in every run
    good = alert(0, "x").render(0)
    assert good is not None
    async with (
        running(broker.config()) as daemon,
        Program(headset, port=broker.port) as wearer,
        aiomqtt.Client(broker.host, broker.port) as other,
    ):
        await wearer.wait_for("daemon Online")
        for number in range(10_000):
            broken = bytearray(good[: rng.randrange(1, len(good))])
            broken[rng.randrange(len(broken))] = rng.randrange(256)
            await other.publish(ALERTS, bytes(broken), qos=0)
            if number % 100 == 0:
                await asyncio.sleep(0.01)
        daemon.submit("fresh", useful_ms=60_000)
        await wearer.wait_for("alert Shown fresh")
        found = await wearer.counters()
        # Mosquitto may drop one of QoS 0 where it comes faster than it goes; the unit test counts exactly.
        assert 9_000 < found["malformed"] + found["dropped"] <= 10_000
        assert found["malformed"] > 1000
        assert await wearer.quit() == 0


def adjustment(
    now_ms: float, version: int, move_x_m: float, scale: float = 1.0, useful_ms: float = 9e5
) -> bytes:
    asked = Adjustment(
        epoch="epoch-1",
        published_ms=now_ms,
        adjustment_id=f"j{version}",
        version=version,
        device_id="quest",
        session_id="s",
        object_id="cup",
        move_m=(move_x_m, 0.0, 0.0),
        scale=scale,
        captured_ms=now_ms,
        expires_ms=now_ms + useful_ms,
    )
    return asked.model_dump_json().encode()


async def test_adjustments_are_applied_within_the_headsets_limits(broker: Mosquitto, headset: Path) -> None:
    topic = "arwarden/v1/quest/adjustments"
    async with (
        running(broker.config()) as daemon,
        Program(headset, port=broker.port) as wearer,
        aiomqtt.Client(broker.host, broker.port) as other,
    ):
        await wearer.wait_for("daemon Online")
        now_ms = daemon.clock.now_ms()
        await other.publish(topic, adjustment(now_ms, 1, 0.1), qos=1)
        await eventually(lambda: (1, AckAction.APPLIED) in acks_of(daemon, "j1"), 20)
        await other.publish(topic, adjustment(now_ms, 2, 9.0, 50.0), qos=1)
        await eventually(lambda: (2, AckAction.CLAMPED) in acks_of(daemon, "j2"), 20)
        await wearer.say("cup")
        assert await wearer.wait_for("cup") == ["cup 0.500 2.000"]
        await other.publish(topic, adjustment(now_ms, 3, 0.0, useful_ms=-60_000), qos=1)
        await eventually(lambda: (3, AckAction.EXPIRED) in acks_of(daemon, "j3"), 20)
        await wearer.say("hold")
        await wearer.say("cup")
        await wearer.wait_for("cup", 2)
        await other.publish(topic, adjustment(now_ms, 4, 0.0), qos=1)
        await eventually(lambda: (4, AckAction.REFUSED) in acks_of(daemon, "j4"), 20)
        reasons = [ack.reason for _, ack in daemon.acks if ack.action is AckAction.REFUSED]
        assert reasons == ["held_by_user"]


def has_moved(report: Mapping[str, Any]) -> bool:
    """Whether it is about a move alone: full reports follow each word of the daemon that it is there."""
    return report["base"] > 0 and any(item["position_m"][0] > 0 for item in report["objects"])


async def test_what_the_app_draws_is_reported_by_the_contract(broker: Mosquitto, headset: Path) -> None:
    async with (
        tapping(broker.host, broker.port, "arwarden/v1/quest/scene") as tap,
        running(broker.config()) as daemon,
        aiomqtt.Client(broker.host, broker.port) as other,
        Program(headset, port=broker.port) as wearer,
    ):
        await wearer.wait_for("daemon Online")
        await eventually(lambda: bool(tap.received), 20)
        now_ms = daemon.clock.now_ms()
        await other.publish("arwarden/v1/quest/adjustments", adjustment(now_ms, 1, 0.3), qos=1)
        await eventually(lambda: any(has_moved(message.json) for message in tap.received), 20)
        reports = [SceneReport.model_validate_json(json.dumps(m.json), strict=True) for m in tap.received]
    assert reports[0].base == 0
    assert reports[0].objects[0].id == "cup"
    moved = [report for report in reports if report.base > 0]
    assert [report.base for report in moved] == [report.version - 1 for report in moved]
    assert moved[-1].objects[0].position_m[0] > 0


async def test_from_the_picture_to_the_view(
    broker: Mosquitto, headset: Path, record_property: Callable[[str, object], None]
) -> None:
    """The whole daemon: WebRTC in, the alert through its life cycle, and out to the package."""
    tier = ScriptedTier(CONSISTENT, cost_ms=5.0)
    config = config_for(broker, alerts={"usefulness_ms": 20_000})
    async with (
        serving(config, tier) as daemon,
        Program(headset, port=broker.port) as wearer,
        Wearer(address_of(daemon), None, scene("Made in France")),
    ):
        await wearer.wait_for("daemon Online")
        await wearer.wait_for("health Ok")
        tier.answer = Findings((contradiction(),), stages_ms={"ocr": 1.0})
        [shown] = await wearer.wait_for("alert Shown")
        await eventually(lambda: daemon.counters["acks.accepted"] >= 2, 20)
        tier.answer = CONSISTENT
        await wearer.wait_for("alert Ended")
        assert len(await wearer.wait_for("alert Shown")) == 1
    capture_to_shown_ms = float(shown.split()[6])
    record_property("capture_to_shown_ms", capture_to_shown_ms)
    assert 0 < capture_to_shown_ms < 20_000


async def test_the_whole_daemon_killed_and_back(broker: Mosquitto, headset: Path, tmp_path: Path) -> None:
    """As a user starts it, reading for itself: the last will is told, the warning outlives nothing."""
    port = free_port()
    config = {
        "server": {"port": port},
        "mqtt": {"host": broker.host, "port": broker.port},
        "fast": {"elements": False, "pairs": False, "quality": False},
    }
    command = ("run", "--config", str(write_config(tmp_path, config)))
    stream = Wearer(
        f"http://127.0.0.1:{port}", None, scene("Made in France", "Made in Italy", contradicts_on="origin")
    )
    async with Program(headset, port=broker.port) as wearer:
        async with Command(*command) as daemon:
            await daemon.says("ready:")
            await stream.__aenter__()
            await wearer.wait_for("alert Shown")
            daemon.signal(signal.SIGKILL)
            await wearer.wait_for("daemon Offline")
            await wearer.wait_for("alert Expired")
        shown = len(await wearer.wait_for("alert Shown"))
        async with Command(*command) as daemon:
            await daemon.says("ready:")
            await wearer.wait_for("alert Shown", shown + 1)
            await stream.ended()
        first, *_, second = await wearer.wait_for("daemon Online", 2)
        assert first != second, "another run"
