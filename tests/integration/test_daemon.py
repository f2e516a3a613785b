"""The assembled daemon: real WebRTC in, real reading, a real Mosquitto out."""

from __future__ import annotations

import asyncio
import contextlib
import math
import signal
import time
from collections.abc import Iterator, Sequence
from typing import Any

import aiohttp
import psutil
import pytest

from arwarden.config import Config, FastConfig
from arwarden.contract.messages import Alert
from arwarden.core.clock import SystemClock
from arwarden.core.errors import ConfigError
from arwarden.core.findings import Box, Findings
from arwarden.core.frame import Frame, View
from arwarden.core.tier import SceneContext
from arwarden.daemon import Daemon
from arwarden.fast.tier import FastTier
from arwarden.fast.workers import WorkerPool
from arwarden.headset.overlay import Overlay
from arwarden.headset.panels import PASTELS, Style, panel_sprite
from arwarden.headset.scene import ArScene
from arwarden.headset.shown import Change
from arwarden.headset.situations import COHERENT, Timeline
from arwarden.publish.publisher import Publisher, PublisherState
from arwarden.session import PASSTHROUGH_REASON
from tests.integration.conftest import Maker
from tests.support.daemon import (
    SMALL,
    STREAM,
    LentTier,
    SwitchedPanels,
    address_of,
    config_for,
    feed_into,
    get_json,
    get_text,
    scene,
    serving,
    wearing,
)
from tests.support.feeder import Feeder, FeederProcess, marked_picture, read_mark, vp8_packets
from tests.support.mosquitto import Mosquitto
from tests.support.mqtt_tap import Tap, eventually, tapping
from tests.support.pipeline import CONSISTENT, CONTRADICTORY, ScriptedTier
from tests.support.tcp_proxy import TcpProxy

pytestmark = [pytest.mark.broker, pytest.mark.xdist_group("daemon")]

HEALTH = "arwarden/v1/quest/health"
ALERTS = "arwarden/v1/quest/alerts"
ACKS = "arwarden/v1/quest/acks"
STATUS = "arwarden/v1/daemon/status"
PATIENCE_S = 30.0


@pytest.fixture(scope="module")
def tier() -> Iterator[LentTier]:
    fast = FastTier(FastConfig(), SystemClock())
    yield LentTier(fast)
    fast.close_now()


def alerts(tap: Tap, kind: str = "contradiction", device_id: str = "quest") -> list[Alert]:
    messages = tap.on(f"arwarden/v1/{device_id}/alerts")
    return [Alert.model_validate(m.json) for m in messages if m.json["kind"] == kind]


def states(tap: Tap, device_id: str = "quest") -> list[str]:
    return [alert.state.value for alert in alerts(tap, device_id=device_id)]


def newest_health(tap: Tap) -> dict[str, Any]:
    messages = tap.on(HEALTH)
    return messages[-1].json if messages else {"state": "", "session_id": "", "reasons": []}


# From what is seen to what is said --------------------------------------------------------------------

# Away from where the scene's own panel is, which the moving head brings near what is above it.
FRANCE = Overlay("Made in France", 0.05, 0.7, 0, math.inf)
NETHERLANDS = Overlay("Made in the Netherlands", 0.55, 0.3, 0, math.inf)


def panel_box(overlay: Overlay, turn: int) -> Box:
    """Where an overlay's panel is in the view."""
    font_px = round(min(SMALL.height_px / 15, SMALL.width_px / 24))
    room_px = min(round(SMALL.width_px * 0.4), SMALL.width_px - round(overlay.left_norm * SMALL.width_px))
    sprite = panel_sprite(overlay.text, font_px, room_px, Style(fill=PASTELS[turn]))
    return Box(
        overlay.left_norm,
        overlay.top_norm,
        sprite.width_px / SMALL.width_px,
        sprite.height_px / SMALL.height_px,
    )


def lies_on(box: tuple[float, float, float, float], panel: Box) -> bool:
    """The box is of that panel: networks find panels with edges some per cent off."""
    return Box(*box).overlap(panel) >= 0.4


async def test_contradiction_reaches_the_headset_and_goes_with_the_panels(
    mosquitto: Mosquitto, tier: LentTier
) -> None:
    source = SwitchedPanels(scene("Reception"), [FRANCE, NETHERLANDS])
    async with (
        tapping(mosquitto.host, mosquitto.port) as tap,
        serving(config_for(mosquitto), tier) as daemon,
        wearing(daemon, source) as wearer,
    ):
        await eventually(lambda: newest_health(tap).get("capture_clock") == "synced", PATIENCE_S)
        assert not alerts(tap)
        # The headset and the daemon share this machine's clock, so their times can be compared with ours.
        source.shown, shown_ms = True, SystemClock().now_ms()
        await eventually(lambda: "confirmed" in states(tap), PATIENCE_S)
        await eventually(lambda: newest_health(tap)["capture_to_publish_ms"] is not None, PATIENCE_S)
        check_health(newest_health(tap))
        source.shown = False
        await eventually(lambda: "cleared" in states(tap), PATIENCE_S)
        await eventually(lambda: not wearer.headset.shown, PATIENCE_S)
        await eventually(lambda: daemon.counters["acks.received"] == len(alerts(tap)), PATIENCE_S)
        summary = await wearer.ended()
        await eventually(lambda: newest_health(tap)["state"] == "closed", PATIENCE_S)
        metrics = await get_text(daemon, "/metrics")
        counters = daemon.counters.snapshot()
    life = alerts(tap)
    assert len({alert.alert_id for alert in life}) == 1
    assert states(tap)[0] == "raised"
    assert states(tap)[-1] == "cleared"
    check_first(life[0], shown_ms)
    # On a busy machine the stream counts as catching up, and then the expiry ends what nobody sees.
    assert life[-1].reason in ("unseen", "expired")
    first = tap.on(ALERTS)[0]
    assert (first.qos, first.retain) == (1, False)
    assert first.expiry_s is not None
    assert 1 <= first.expiry_s <= 3
    # What came back, and what the daemon knows of it.
    # Where a sample took as long as an alert is useful, it ended and came back under its id.
    ends = states(tap).count("cleared")
    assert [change.change for change in summary.alerts].count(Change.SHOWN) == ends
    assert len(summary.raised) == 1, "it came back, it is no other one"
    assert summary.latency_ms(0.5) is not None
    assert counters["acks.shown"] >= 2
    assert counters["acks.received"] == counters["acks.shown"] + ends, "an end is received, never shown"
    assert counters["acks.accepted"] == len(tap.on(ACKS))
    assert 'arwarden_frames_total{outcome="analysed"}' in metrics
    assert 'arwarden_alert_messages_total{kind="contradiction"' in metrics
    assert "France" not in metrics


def check_first(alert: Alert, shown_ms: float) -> None:
    assert "Made in France" in alert.message
    assert "Made in the Netherlands" in alert.message
    by_text = {element.text: element.box for element in alert.elements}
    assert set(by_text) == {"Made in France", "Made in the Netherlands"}
    assert lies_on(by_text["Made in France"], panel_box(FRANCE, 0))
    assert lies_on(by_text["Made in the Netherlands"], panel_box(NETHERLANDS, 1))
    assert alert.capture_clock == "synced"
    assert alert.attribute == "origin"
    assert {"transport", "sampling", "queue", "ocr", "panels", "claims", "quality", "publish"} <= set(
        alert.stages_ms
    )
    assert sum(alert.stages_ms.values()) <= alert.age_ms + 1
    assert alert.first_captured_ms >= shown_ms - 1000 / STREAM.fps - 50
    assert alert.captured_ms - alert.first_captured_ms <= 2000
    assert alert.published_ms - shown_ms < 5000
    assert alert.confidence > 0.6


def check_health(health: dict[str, Any]) -> None:
    assert health["state"] == "ok"
    assert (health["width_px"], health["height_px"]) == SMALL
    assert abs(health["clock_offset_ms"]) < 200
    assert 0 < health["analysed_fps"] <= 4.5
    assert health["received_fps"] > health["analysed_fps"]
    assert health["frames_dropped"] == health["frames_received"] - health["frames_analysed"]


async def test_consistent_scenes_raise_nothing(mosquitto: Mosquitto, tier: LentTier) -> None:
    source = ArScene(SMALL, timeline=Timeline(contradictory=(), coherent=COHERENT, seconds_each=0.7))
    read: set[str] = set()

    def note(_frame: Any, findings: Any) -> None:
        read.update(element.text for element in findings.elements)

    async with (
        tapping(mosquitto.host, mosquitto.port) as tap,
        serving(config_for(mosquitto), tier, probe=note) as daemon,
        wearing(daemon, source),
    ):
        await eventually(lambda: len(read) >= 10, PATIENCE_S)
        assert not tap.on(ALERTS), "neither a contradiction nor a fault of the picture"


async def test_passthrough_is_not_read(mosquitto: Mosquitto, tier: LentTier) -> None:
    source = scene("Made in France", "Made in Italy", contradicts_on="origin")
    async with (
        tapping(mosquitto.host, mosquitto.port) as tap,
        serving(config_for(mosquitto), tier) as daemon,
        wearing(daemon, source, view=View.PASSTHROUGH),
    ):
        await eventually(lambda: newest_health(tap).get("frames_analysed", 0) > 5, PATIENCE_S)
        health = newest_health(tap)
    assert health["reasons"] == [PASSTHROUGH_REASON]
    assert (health["state"], health["view"]) == ("degraded", "passthrough")
    assert not alerts(tap)


async def test_tokens_decide_which_headset_hears_what(mosquitto: Mosquitto) -> None:
    devices = [{"id": name, "token": {"value": f"{name}-secret"}} for name in ("red", "blue")]
    config = config_for(mosquitto, ingest={"devices": devices, "anonymous": "never"})
    tier = ScriptedTier(cost_ms=30)
    tier.answer = lambda _frame, context: CONTRADICTORY if context.device_id == "red" else CONSISTENT
    async with (
        tapping(mosquitto.host, mosquitto.port) as tap,
        serving(config, tier) as daemon,
        # Each says it is the other; the token knows better.
        wearing(daemon, scene("Reception"), token="red-secret", device_id="blue"),
        wearing(daemon, scene("Reception"), token="blue-secret", device_id="red") as blue,
    ):
        await eventually(lambda: "raised" in states(tap, "red"), PATIENCE_S)
        await eventually(lambda: len(blue.headset.shown) == 1, PATIENCE_S)
        await asyncio.sleep(1)
        assert not states(tap, "blue")


# Sessions that end ------------------------------------------------------------------------------------


async def test_returning_device_takes_over_its_health_and_ends_its_old_alerts(mosquitto: Mosquitto) -> None:
    old = Feeder()
    tier = ScriptedTier(CONTRADICTORY, cost_ms=30)
    async with (
        tapping(mosquitto.host, mosquitto.port) as tap,
        serving(config_for(mosquitto), tier) as daemon,
    ):
        await feed_into(daemon, old)
        await eventually(lambda: "raised" in states(tap), PATIENCE_S)
        first = alerts(tap)[0]
        async with wearing(daemon, scene("Reception")):
            await eventually(lambda: len({alert.alert_id for alert in alerts(tap)}) > 1, PATIENCE_S)
            ended = [a for a in alerts(tap) if a.alert_id == first.alert_id][-1]
            assert (ended.state.value, ended.reason) == ("cleared", "taken_over")
            second = next(alert for alert in alerts(tap) if alert.alert_id != first.alert_id)
            assert second.session_id != first.session_id
            async with tapping(mosquitto.host, mosquitto.port, HEALTH) as retained:
                await eventually(lambda: bool(retained.received), PATIENCE_S)
                assert retained.received[0].retain
                assert retained.received[0].json["session_id"] == second.session_id
        assert daemon.counters["ingest.takeovers"] == 1
        await old.close()


async def test_killed_headset_is_stalled_then_lost_and_its_alerts_end(mosquitto: Mosquitto) -> None:
    config = config_for(mosquitto, ingest={"max_sessions": 1, "stall_ms": 700, "release_ms": 1600})
    tier = ScriptedTier(CONTRADICTORY, cost_ms=30)
    process = await FeederProcess.start()
    try:
        async with (
            tapping(mosquitto.host, mosquitto.port) as tap,
            serving(config, tier) as daemon,
        ):
            await feed_into(daemon, process)
            await eventually(lambda: "raised" in states(tap), PATIENCE_S)
            process.signal(signal.SIGKILL)
            killed_ms = time.time() * 1000
            await eventually(lambda: newest_health(tap)["state"] == "lost", PATIENCE_S)
            told = {message.json["state"]: message.at_ms for message in reversed(tap.on(HEALTH))}
            assert told["stalled"] - killed_ms < 700 + 700
            assert told["lost"] - killed_ms < 1600 + 700
            assert states(tap)[-1] == "cleared"
            assert alerts(tap)[-1].reason in {"expired", "session_lost"}
            other = Feeder()
            await feed_into(daemon, other, "other")
            await other.close()
    finally:
        await process.end()


# Tiers that are slow or rude --------------------------------------------------------------------------


async def test_slow_tier_judges_the_newest_picture_and_memory_stays_flat(mosquitto: Mosquitto) -> None:
    pictures = vp8_packets(marked_picture(number, 1280, 960) for number in range(90))
    feeder = Feeder(make=lambda number: pictures[number % len(pictures)])
    behind: list[int] = []

    def compare(frame: Frame, _context: SceneContext) -> Findings:
        """What the picture's number was then and what the sender's is now, after the pass."""
        mark = read_mark(frame.picture.luma())
        assert mark is not None
        behind.append((feeder.track.number - 1 - mark.number) % len(pictures))
        slow.frames.clear()
        return CONSISTENT

    slow = ScriptedTier(cost_ms=300)
    slow.answer = compare
    process = psutil.Process()
    async with (
        tapping(mosquitto.host, mosquitto.port) as tap,
        serving(config_for(mosquitto), slow) as daemon,
    ):
        await feed_into(daemon, feeder)
        await eventually(lambda: len(behind) > 5, PATIENCE_S)
        behind.clear()
        before = process.memory_info().rss
        first = newest_health(tap)
        await asyncio.sleep(8)
        grown = process.memory_info().rss - before
        last = newest_health(tap)
        await feeder.close()
    assert len(behind) >= 15, "it keeps at work"
    # The pass itself takes nine frames; the rest is the way here, and what a busy machine adds.
    assert sorted(behind)[len(behind) // 2] <= 9 + 4, behind
    assert grown < 50e6
    received, dropped = (last[name] - first[name] for name in ("frames_received", "frames_dropped"))
    assert received > 150
    assert dropped == received - (last["frames_analysed"] - first["frames_analysed"])
    assert dropped > 0.8 * received


async def test_tier_that_computes_for_six_seconds_does_not_hold_up_the_stream(mosquitto: Mosquitto) -> None:
    pool = WorkerPool(1, 1, SystemClock())

    class Busy(ScriptedTier):
        async def analyse(
            self, frames: Sequence[Frame], context: SceneContext, deadline_ms: float
        ) -> Findings:
            self.frames.append(frames[-1])
            self.contexts.append(context)
            return (await pool.run(compute, deadline_ms)).value

    def compute() -> Findings:
        """Python code that never waits, as the worst of engines would run it."""
        end = time.monotonic() + 6.0
        while time.monotonic() < end:
            pass
        return CONSISTENT

    tier = Busy()
    process = await FeederProcess.start("--fps", "20", "--clock-channel")
    try:
        async with (
            tapping(mosquitto.host, mosquitto.port) as tap,
            serving(config_for(mosquitto), tier) as daemon,
        ):
            await feed_into(daemon, process)
            await eventually(lambda: len(tier.frames) == 2, PATIENCE_S)
            assert daemon._loop_lag.p95_ms() < 500  # the tier holds the interpreter for 6000
            told = [message.json for message in tap.on(HEALTH)]
            # The interpreter has half its time left: a slow machine does not decode 20 a second then.
            assert {reason for health in told for reason in health["reasons"]} <= {"catching_up"}
            assert len(told) >= 5, "health comes every second, whatever the tier does"
            assert told[-1]["received_fps"] > 5
            assert told[-1]["clock_offset_ms"] is not None
            assert tier.frames[1].sequence - tier.frames[0].sequence > 25, "the newest one, not the next"
    finally:
        await process.end()
        await pool.close(7000)


# The broker -------------------------------------------------------------------------------------------


async def test_daemon_runs_before_its_broker_does(mosquitto: Mosquitto) -> None:
    await mosquitto.stop()
    tier = ScriptedTier(CONSISTENT, cost_ms=30)
    feeder = Feeder()
    async with serving(config_for(mosquitto), tier) as daemon:
        await feed_into(daemon, feeder)
        await eventually(lambda: len(tier.frames) > 2, PATIENCE_S)
        status, body = await get_json(daemon, "/readyz")
        assert (status, body["ready"]) == (503, False)
        assert "mqtt" in body["missing"]
        assert (await get_json(daemon, "/healthz"))[0] == 200
        await mosquitto.start()
        await eventually(lambda: daemon.publisher_state is PublisherState.CONNECTED, PATIENCE_S)
        assert (await get_json(daemon, "/readyz"))[0] == 200
        await feeder.close()


async def test_nothing_old_is_told_after_an_outage_of_the_broker(mosquitto: Mosquitto) -> None:
    tier = ScriptedTier(CONTRADICTORY, cost_ms=30)
    feeder = Feeder()
    async with (
        TcpProxy(mosquitto.port) as proxy,
        tapping(mosquitto.host, mosquitto.port) as tap,
        serving(
            config_for(mosquitto, alerts={"usefulness_ms": 1000}, mqtt={"port": proxy.port}), tier
        ) as daemon,
    ):
        await feed_into(daemon, feeder)
        await eventually(lambda: "raised" in states(tap), PATIENCE_S)
        await proxy.close()
        await mosquitto.kill()
        # What is wrong changes meanwhile: the alert that the headset knows ends, another one begins.
        tier.answer = CONSISTENT
        await asyncio.sleep(1.8)
        tier.answer = CONTRADICTORY
        await asyncio.sleep(0.3)
        before = len(tap.received)
        await mosquitto.start()
        # Nothing is kept for a tap that is not there yet, so the daemon comes second.
        await eventually(tap.subscribed.is_set, PATIENCE_S)
        await proxy.open()
        # Its newest word: on a slow machine it is not only raised but confirmed by then.
        await eventually(lambda: bool({"raised", "confirmed"} & set(states_after(tap, before))), PATIENCE_S)
        await asyncio.sleep(0.6)
        after = [message for message in tap.received[before:] if message.topic == ALERTS]
        for message in after:
            assert message.json["expires_ms"] > message.at_ms - 50
            assert message.json["published_ms"] > message.at_ms - 1000
        assert len({message.json["alert_id"] for message in after}) <= 2
        await feeder.close()


def states_after(tap: Tap, count: int) -> list[str]:
    return [message.json["state"] for message in tap.received[count:] if message.topic == ALERTS]


async def test_second_daemon_with_the_same_client_id_says_so(mosquitto: Mosquitto) -> None:
    config = config_for(mosquitto)
    async with serving(config, ScriptedTier()) as one:
        await eventually(lambda: one.publisher_state is PublisherState.CONNECTED, PATIENCE_S)
        async with serving(config, ScriptedTier()) as other:
            taken = PublisherState.CLIENT_TAKEN_OVER
            await eventually(lambda: taken in (one.publisher_state, other.publisher_state), PATIENCE_S)
            loser = one if one.publisher_state is taken else other
            status, body = await get_json(loser, "/readyz")
            assert status == 503
            assert "client_taken_over" in body["missing"]["mqtt"]


# Starting and stopping --------------------------------------------------------------------------------


async def test_stopping_ends_alerts_and_says_goodbye(mosquitto: Mosquitto) -> None:
    tier = ScriptedTier(CONTRADICTORY, cost_ms=30)
    feeders = [Feeder(), Feeder()]
    async with tapping(mosquitto.host, mosquitto.port) as tap:
        async with serving(config_for(mosquitto), tier) as daemon:
            for name, feeder in zip(("one", "two"), feeders, strict=True):
                await feed_into(daemon, feeder, name)
            await eventually(lambda: bool(states(tap, "one") and states(tap, "two")), PATIENCE_S)
        await eventually(lambda: tap.on(STATUS)[-1].json["state"] == "stopped")
        for name in ("one", "two"):
            last = alerts(tap, device_id=name)[-1]
            assert (last.state.value, last.reason) == ("cleared", "daemon_stopping")
            health = tap.on(f"arwarden/v1/{name}/health")[-1].json
            assert (health["state"], health["reasons"]) == ("closed", ["daemon_stopping"])
        assert tap.received[-1].topic == STATUS, "nothing is said after the goodbye"
    assert tier.closed
    for feeder in feeders:
        await feeder.close()


async def test_stopping_with_a_frozen_broker_keeps_the_grace_period(mosquitto_with: Maker) -> None:
    mosquitto = await mosquitto_with()
    config = config_for(mosquitto, server={"shutdown_grace_ms": 1500}, mqtt={"publish_timeout_ms": 20_000})
    feeder = Feeder()
    async with serving(config, ScriptedTier(CONTRADICTORY, cost_ms=30)) as daemon:
        await feed_into(daemon, feeder)
        await eventually(lambda: daemon.counters["alerts.raised"] > 0, PATIENCE_S)
        mosquitto.pause()
        began_s = time.monotonic()
    assert time.monotonic() - began_s < 1.5 + 2.0
    mosquitto.resume()
    await feeder.close()


async def test_taken_port_is_said_and_leaves_nothing_behind(mosquitto: Mosquitto) -> None:
    tier = ScriptedTier()
    before = asyncio.all_tasks()
    async with serving(config_for(mosquitto), ScriptedTier()) as first:
        config = config_for(mosquitto, server={"port": first.http_port}, mqtt={"client_id": "second"})
        with pytest.raises(ConfigError, match=rf"server\.port: cannot listen on .*{first.http_port}"):
            async with serving(config, tier):
                pass
        assert tier.closed
    await asyncio.sleep(0.1)
    assert asyncio.all_tasks() <= before


async def test_unusable_certificate_is_said(mosquitto: Mosquitto, tmp_path: Any) -> None:
    pem = tmp_path / "cert.pem"
    pem.write_text("no certificate", encoding="utf-8")
    config = config_for(mosquitto, server={"tls_certificate": str(pem), "tls_key": str(pem)})
    with pytest.raises(ConfigError, match=r"server\.tls_certificate"):
        async with serving(config, ScriptedTier()):
            pass


async def test_part_that_must_not_end_is_told_with_what_ended_it(
    mosquitto: Mosquitto, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(_publisher: Publisher) -> None:
        raise ValueError("a bug")

    monkeypatch.setattr(Publisher, "run", broken)
    async with serving(config_for(mosquitto), ScriptedTier()) as daemon, asyncio.timeout(PATIENCE_S):
        assert str(await daemon.failed()) == "a bug"


async def test_task_that_does_not_end_does_not_keep_the_daemon_from_stopping(
    mosquitto: Mosquitto, monkeypatch: pytest.MonkeyPatch
) -> None:
    over = asyncio.Event()

    async def stubborn(_daemon: Daemon) -> None:
        while not over.is_set():
            with contextlib.suppress(asyncio.CancelledError):
                await over.wait()

    monkeypatch.setattr("arwarden.daemon.TASKS_END_S", 0.3)
    monkeypatch.setattr(Daemon, "_report", stubborn)
    async with asyncio.timeout(PATIENCE_S):
        async with serving(config_for(mosquitto), ScriptedTier()):
            await asyncio.sleep(0)
    over.set()
    await asyncio.sleep(0.05)


def test_no_broker_is_said_before_anything_starts() -> None:
    with pytest.raises(ConfigError, match="--no-embedded-broker"):
        Daemon(Config())


async def test_embedded_broker_carries_alerts(tier: LentTier) -> None:
    source = scene("Made in France", "Made in Italy", contradicts_on="origin")
    async with (
        serving(config_for(None), tier, embedded_broker=True, broker_port=0) as daemon,
        wearing(daemon, source) as wearer,
    ):
        await eventually(lambda: bool(wearer.headset.shown), PATIENCE_S)
        assert wearer.headset.shown[0].alert.attribute == "origin"


async def test_watchers_see_sessions_samples_and_alerts(mosquitto: Mosquitto) -> None:
    tier = ScriptedTier(CONTRADICTORY, cost_ms=30)
    feeder = Feeder()
    async with serving(config_for(mosquitto), tier) as daemon:
        await feed_into(daemon, feeder)
        kinds: set[str] = set()
        async with (
            asyncio.timeout(PATIENCE_S),
            aiohttp.ClientSession() as client,
            client.get(f"{address_of(daemon)}/events") as response,
        ):
            while kinds != {"sessions", "sample", "alert"}:
                line = await response.content.readline()
                if line.startswith(b"data: "):
                    kinds.add(line.split(b'"type": "')[1].split(b'"')[0].decode())
        await feeder.close()
