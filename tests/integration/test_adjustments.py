"""The adjustment loop on the real wire: WebRTC in, Mosquitto between, a headset that moves its objects."""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import Callable
from pathlib import Path

import aiomqtt
import pytest

from arwarden.core.clock import SystemClock
from arwarden.core.counters import Counters
from arwarden.core.findings import Findings
from arwarden.headset.objects import AppObject, AppObjects, Limits
from arwarden.publish.publisher import Publisher, PublisherState
from arwarden.publish.scenes import DeviceScene
from tests.contract.golden import EXAMPLES
from tests.support.adjusting import (
    NO_ALERTS,
    PATIENCE_S,
    SCENE,
    WELL,
    adjusting,
    corrections,
    ended,
    judge,
    low,
    says_in_turn,
    seeing_nothing,
    sent,
)
from tests.support.daemon import (
    Command,
    Wearer,
    address_of,
    get_text,
    mqtt_of,
    scene,
    serving,
    wearing,
    write_config,
)
from tests.support.llm_server import KEY, LlmServer, says
from tests.support.mosquitto import Mosquitto, free_port
from tests.support.mqtt_tap import eventually, tapping
from tests.support.pipeline import FRANCE, NETHERLANDS, ScriptedTier, contradiction

pytestmark = [pytest.mark.broker, pytest.mark.xdist_group("daemon")]


def a_cup(**limits: float) -> AppObjects:
    return AppObjects((AppObject.parse("cup@0.4,0.3,0.1,0.12"),), Limits(**limits))


async def wait_for(condition: Callable[[], bool]) -> None:
    await eventually(condition, PATIENCE_S)


async def test_corrected_and_better(mosquitto: Mosquitto) -> None:
    objects, asked = a_cup(), judge(low(up_m=-0.2), WELL)
    async with (
        tapping(mosquitto.host, mosquitto.port) as tap,
        serving(adjusting(mosquitto), seeing_nothing(), judge=asked) as daemon,
        wearing(daemon, scene("Cups"), objects=objects),
    ):
        await wait_for(lambda: ended(daemon) == ["good"])
        metrics = await get_text(daemon, "/metrics")
        await asyncio.sleep(1.0)
    [message] = corrections(tap)
    assert (message.qos, message.retain) == (1, False)
    assert message.expiry_s is not None
    assert 1 <= message.expiry_s <= 30
    assert message.json["captured_ms"] < message.json["published_ms"] < message.json["expires_ms"]
    assert objects.objects[0].now.move_m == pytest.approx((0, -0.2, 0))
    assert len(asked.questions) == 2
    assert 'arwarden_adjustment_effects_total{effect="improved",factor="placement"} 1.0' in metrics
    assert daemon.counters["acks.accepted"] == 2, "received and applied"
    assert daemon.counters["adjust.acks.repeated"] == 0


async def test_made_worse_and_taken_back(mosquitto: Mosquitto) -> None:
    objects = a_cup()
    async with (
        tapping(mosquitto.host, mosquitto.port) as tap,
        serving(adjusting(mosquitto), seeing_nothing(), judge=judge(low(3, up_m=0.2), low(1))) as daemon,
        wearing(daemon, scene("Cups"), objects=objects),
    ):
        await wait_for(lambda: ended(daemon) == ["worse"])
    assert [action for action, _ in sent(tap)] == ["apply", "revert"]
    versions = [message.json["version"] for message in corrections(tap)]
    assert versions == sorted(set(versions))
    assert objects.objects[0].now.move_m == (0.0, 0.0, 0.0)


async def test_clamped_by_the_headset_is_the_last_step(mosquitto: Mosquitto) -> None:
    objects = a_cup(max_move_m=0.1)
    asked = judge(low(2, up_m=-0.4), low(3, up_m=-0.4))
    async with (
        tapping(mosquitto.host, mosquitto.port) as tap,
        serving(adjusting(mosquitto, max_steps=5), seeing_nothing(), judge=asked) as daemon,
        wearing(daemon, scene("Cups"), objects=objects),
    ):
        await wait_for(lambda: ended(daemon) == ["improved"])
    assert sent(tap) == [("apply", [0.0, -0.4, 0.0])]
    assert objects.objects[0].now.move_m == pytest.approx((0, -0.1, 0))


async def test_the_users_hand_ends_it(mosquitto: Mosquitto) -> None:
    objects = a_cup()
    async with (
        tapping(mosquitto.host, mosquitto.port) as tap,
        serving(adjusting(mosquitto), seeing_nothing(), judge=judge(low(up_m=-0.5))) as daemon,
        wearing(daemon, scene("Cups"), objects=objects) as wearer,
    ):
        await wait_for(lambda: daemon.counters["acks.accepted"] == 1)
        wearer.headset.hold("cup")
        await wait_for(lambda: ended(daemon) == ["held"])
        await asyncio.sleep(1.5)
        assert daemon.counters["adjust.asked.placement"] == 1, "what is held is not even asked about"
    assert len(corrections(tap)) == 1


async def test_broker_killed_and_back_within_the_expiry(mosquitto: Mosquitto) -> None:
    objects, asked = a_cup(), judge(low(up_m=-0.2), WELL, after_s=1.5)
    async with (
        serving(adjusting(mosquitto), seeing_nothing(), judge=asked) as daemon,
        wearing(daemon, scene("Cups"), objects=objects),
    ):
        await wait_for(lambda: len(asked.questions) == 1)
        await mosquitto.kill()
        await wait_for(lambda: daemon.counters["adjust.sent.step"] == 1)
        await mosquitto.start()
        await wait_for(lambda: ended(daemon) == ["good"])
    assert objects.objects[0].now.move_m == pytest.approx((0, -0.2, 0))


async def test_what_expired_while_the_broker_was_away_is_never_sent(mosquitto: Mosquitto) -> None:
    objects, asked = a_cup(), judge(low(up_m=-0.2), after_s=1.0)
    config = adjusting(mosquitto, max_age_ms=3000, ack_timeout_ms=500)
    async with (
        tapping(mosquitto.host, mosquitto.port) as tap,
        serving(config, seeing_nothing(), judge=asked) as daemon,
        wearing(daemon, scene("Cups"), objects=objects),
    ):
        await wait_for(lambda: len(asked.questions) == 1)
        await mosquitto.kill()
        await wait_for(lambda: daemon.counters["adjust.unanswered"] == 1)
        await mosquitto.start()
        await wait_for(lambda: ended(daemon) == ["unanswered"])
        assert daemon.counters["outbox.superseded"] + daemon.counters["outbox.expired"] >= 1
    assert "apply" not in [action for action, _ in sent(tap)]
    assert objects.objects[0].now.move_m == (0.0, 0.0, 0.0)


async def test_another_run_of_the_daemon_builds_on_what_is_in_force(mosquitto: Mosquitto) -> None:
    objects, port = a_cup(), free_port()
    config = adjusting(mosquitto, port=port)
    async with tapping(mosquitto.host, mosquitto.port) as tap:
        async with serving(config, seeing_nothing(), judge=judge(low(up_m=-0.2), WELL)) as daemon:
            wearer = Wearer(address_of(daemon), mqtt_of(daemon), scene("Cups"), objects=objects)
            await wearer.__aenter__()
            await wait_for(lambda: ended(daemon) == ["good"])
        async with serving(config, seeing_nothing(), judge=judge(low(up_m=-0.1), WELL)) as daemon:
            await wait_for(lambda: ended(daemon) == ["good"])
            await wearer.ended()
    assert [move for _, move in sent(tap)] == [[0.0, -0.2, 0.0], pytest.approx([0.0, -0.3, 0.0], abs=0.002)]
    assert len({message.json["epoch"] for message in corrections(tap)}) == 2


RATED = {"content": "a cup", "assessment": "It floats.", "rating": 2, "num1": 0.0, "num2": 0.3}
"""In the paper's signs: downwards is positive."""


async def test_the_whole_program_killed_in_the_middle_and_back(mosquitto: Mosquitto, tmp_path: Path) -> None:
    """As a user starts it, with a judge over HTTP: killed while the cup moves, and started again."""
    objects, port = a_cup(), free_port()
    again = RATED | {"rating": 5, "num2": 0.0}
    async with (
        LlmServer([says(json.dumps(RATED)), says(json.dumps(again))]) as server,
        tapping(mosquitto.host, mosquitto.port) as tap,
    ):
        config = adjusting(mosquitto, port=port).model_dump(mode="json", include={"server", "mqtt", "adjust"})
        judge_of = {"kind": "openai", "model": "m", "base_url": server.base_url, "api_key": {"value": KEY}}
        config["escalate"] = {"judge": judge_of, "ask": NO_ALERTS}
        config["fast"] = {"elements": False, "pairs": False, "quality": False}
        file = write_config(tmp_path, config)
        wearer = Wearer(
            f"http://127.0.0.1:{port}",
            f"mqtt://{mosquitto.host}:{mosquitto.port}",
            scene("Cups"),
            objects=objects,
        )
        async with Command("run", "--config", str(file)) as first:
            await first.says("ready")
            assert "corrects the app's objects" in first.output
            await wearer.__aenter__()
            await wait_for(lambda: bool(corrections(tap)))
            await wait_for(lambda: objects.objects[0].now.move_m[1] < 0)
            first.signal(signal.SIGKILL)
            await first.ends()
        async with Command("run", "--config", str(file)) as second:
            await wait_for(lambda: len(server.requests) == 2)
            await asyncio.sleep(1.0)
            second.signal(signal.SIGTERM)
            assert await second.ends() == 0, second.output
            await wearer.ended()
    assert sent(tap) == [("apply", [0.0, -0.3, 0.0])], "and nothing again"
    assert objects.objects[0].now.move_m == pytest.approx((0, -0.3, 0)), "it was finished without the daemon"


async def test_a_daemon_that_ends_in_the_middle_sends_nothing_more(mosquitto: Mosquitto) -> None:
    objects, asked = a_cup(), judge(low(up_m=-0.2), after_s=30.0)
    async with tapping(mosquitto.host, mosquitto.port) as tap:
        async with (
            serving(adjusting(mosquitto), seeing_nothing(), judge=asked) as daemon,
            wearing(daemon, scene("Cups"), objects=objects),
        ):
            await wait_for(lambda: len(asked.questions) == 1)
        assert asked.cancelled == 1
        await asyncio.sleep(0.5)
    assert corrections(tap) == []
    assert daemon.counters["adjust.dropped"] == 1


async def test_a_new_session_drops_what_the_last_one_began(mosquitto: Mosquitto) -> None:
    objects, asked = a_cup(), judge(low(up_m=-0.2), after_s=30.0)
    async with (
        tapping(mosquitto.host, mosquitto.port) as tap,
        serving(adjusting(mosquitto), seeing_nothing(), judge=asked) as daemon,
        wearing(daemon, scene("Cups"), objects=objects) as first,
    ):
        await wait_for(lambda: len(asked.questions) == 1)
        await first.ended()
        await wait_for(lambda: asked.cancelled == 1)
        assert daemon.counters["adjust.dropped"] == 1
        asked.after_s, asked.says = 0.05, says_in_turn(low(up_m=-0.1), WELL)
        async with wearing(daemon, scene("Cups"), objects=objects):
            await wait_for(lambda: ended(daemon) == ["good"])
    assert sent(tap) == [("apply", [0.0, -0.1, 0.0])], "of the first session nothing came"


async def test_hostile_reports_are_counted_and_harm_nobody(mosquitto: Mosquitto) -> None:
    objects = a_cup()
    async with (
        serving(adjusting(mosquitto), seeing_nothing(), judge=judge(low(up_m=-0.2), WELL)) as daemon,
        aiomqtt.Client(mosquitto.host, mosquitto.port) as other,
    ):
        await wait_for(lambda: daemon.publisher_state is PublisherState.CONNECTED)
        for payload in (b"{", b"[]", b"x" * 20_000, json.dumps({"schema": "arwarden/scene/1"}).encode()):
            await other.publish(SCENE, payload, qos=1)
        for number in range(80):
            topic = f"arwarden/v1/device-{number}/scene"
            await other.publish(topic, json.dumps(EXAMPLES["scenereport"] | {"base": 0}), qos=1)
        await wait_for(lambda: daemon.counters["scene.accepted"] == 80)
        assert daemon.counters["scene.malformed"] == 3
        assert daemon.counters["scene.too_large"] == 1
        assert daemon.counters["scene.devices_overflow"] == 80 - 64
        async with wearing(daemon, scene("Cups"), objects=objects):
            await wait_for(lambda: ended(daemon) == ["good"])


async def test_a_fault_behind_a_report_costs_no_connection(mosquitto: Mosquitto) -> None:
    counters, got = Counters(), []

    def take(scene: DeviceScene) -> None:
        got.append(scene.device_id)
        if len(got) == 1:
            raise RuntimeError("meant")

    async with aiomqtt.Client(mosquitto.host, mosquitto.port) as other:
        clock = SystemClock()
        publisher = Publisher(
            mosquitto.config(),
            clock,
            epoch="e",
            version="0",
            on_ack=lambda _device, _ack: None,
            counters=counters,
            on_scene=take,
        )
        running = asyncio.create_task(publisher.run())
        await wait_for(lambda: publisher.state is PublisherState.CONNECTED)
        for _ in range(2):
            await other.publish(SCENE, json.dumps(EXAMPLES["scenereport"]), qos=1)
        await wait_for(lambda: got == ["quest", "quest"])
        await publisher.stop(1000.0)
        await running
    assert counters["scene.callback_failed"] == 1
    assert counters["publish.connections"] == 1


async def test_alerts_name_the_apps_object(mosquitto: Mosquitto) -> None:
    box = FRANCE.box
    spec = f"label-7@{box.x_norm},{box.y_norm},{box.w_norm},{box.h_norm}"
    objects = AppObjects((AppObject.parse(spec),))
    tier = ScriptedTier(Findings((contradiction(),), (FRANCE, NETHERLANDS)), cost_ms=5.0)
    config = adjusting(mosquitto, enabled=False)
    async with serving(config, tier) as daemon, wearing(daemon, scene("Cups"), objects=objects) as wearer:

        def names() -> list[list[str]]:
            return [[each.object_id for each in one.alert.elements] for one in wearer.headset.shown]

        await wait_for(lambda: ["label-7", ""] in names())
