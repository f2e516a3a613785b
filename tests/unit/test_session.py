"""One headset's pipeline in virtual time: what it looks at, what it says and when."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from structlog.testing import capture_logs

from arwarden.config import Config
from arwarden.contract.messages import Ack, AckAction, Alert, AlertState, Health, SessionState
from arwarden.core.errors import DeadlineExceeded, TierError
from arwarden.core.findings import Findings, Measure
from arwarden.core.frame import Frame, View
from arwarden.core.tier import SceneContext
from arwarden.session import (
    HEALTH_KEPT_MS,
    IDLE_WAKE_S,
    PASSTHROUGH_REASON,
    STANDING_LOOK_MS,
    Session,
)
from tests.support.pipeline import (
    ARRIVES_AFTER_MS,
    CONSISTENT,
    CONTRADICTORY,
    FPS,
    Bench,
    ScriptedTier,
    contradiction,
    standing,
)
from tests.support.virtual_loop import START_MS, in_virtual_time


@pytest.fixture(autouse=True)
def logged() -> Iterator[list[Any]]:
    """What sessions log; no text out of a picture is ever among it."""
    with capture_logs() as records:
        yield records
    assert "Made in" not in repr(records)


def with_alerts(**fields: Any) -> Config:
    return Config.model_validate({"alerts": fields})


# Contradictions become alerts -------------------------------------------------------------------------


@in_virtual_time
async def test_contradiction_is_raised_once_confirmed_and_cleared() -> None:
    bench = Bench(tier=ScriptedTier(CONTRADICTORY))
    session = bench.open()
    await bench.stream(session, 3)
    bench.tier.answer = Findings((), ())
    await bench.stream(session, 3)
    alerts = [Alert.model_validate(alert) for alert in bench.outlet.alerts()]
    assert {alert.alert_id for alert in alerts} == {"a1"}
    assert [alert.revision for alert in alerts] == list(range(1, len(alerts) + 1))
    states = bench.outlet.states()
    assert states[:2] == ["raised", "confirmed"]
    assert states[-1] == "cleared"
    assert states.count("raised") == states.count("cleared") == 1
    assert len(states) <= 5, "an alert is not repeated with every sample"
    await session.close("done")


@in_virtual_time
async def test_alert_says_what_contradicts_where_and_how_old_it_is() -> None:
    bench = Bench(tier=ScriptedTier(CONTRADICTORY))
    session = bench.open()
    await bench.stream(session, 1)
    sent = bench.outlet.on("alerts")[0]
    alert = Alert.model_validate(sent.json)
    assert {element.text for element in alert.elements} == {"Made in France", "Made in the Netherlands"}
    assert alert.elements[0].box == (0.1, 0.1, 0.3, 0.1)
    assert alert.elements[0].claim is not None
    assert (alert.device_id, alert.session_id, alert.epoch) == ("quest", "s1", "epoch")
    assert alert.capture_clock == "synced"
    assert alert.published_ms == sent.at_ms
    assert alert.age_ms == pytest.approx(sent.at_ms - alert.captured_ms)
    assert alert.age_ms == pytest.approx(ARRIVES_AFTER_MS + 100 + bench.outlet.delay_ms, abs=40)
    assert not alert.late
    assert alert.captured_ms - alert.first_captured_ms < 1000
    assert alert.stages_ms["ocr"] == 90
    assert alert.stages_ms["transport"] == pytest.approx(ARRIVES_AFTER_MS)
    assert alert.stages_ms["publish"] == pytest.approx(bench.outlet.delay_ms)
    assert alert.stages_ms["sampling"] >= 0
    assert (sent.item.qos, sent.item.retain, sent.item.rank, sent.item.key) == (1, False, 1, "a1")
    assert sent.item.expires_ms == pytest.approx(alert.captured_ms + bench.config.alerts.usefulness_ms)
    await session.close("done")


@in_virtual_time
async def test_two_agreeing_samples_are_needed_unless_one_is_nearly_certain() -> None:
    for confidence, samples in ((0.9, 2), (0.99, 1)):
        bench = Bench(tier=ScriptedTier(Findings((contradiction(confidence),))))
        session = bench.open()
        while not bench.outlet.alerts():
            await bench.stream(session, 0.05)
        assert len(bench.tier.frames) == samples
        await session.close("done")


@in_virtual_time
async def test_single_misread_raises_nothing() -> None:
    bench = Bench()
    misread = iter([CONTRADICTORY])
    bench.tier.answer = lambda _frame, _context: next(misread, CONSISTENT)
    session = bench.open()
    await bench.stream(session, 6)
    assert not bench.outlet.alerts()
    await session.close("done")


@in_virtual_time
async def test_second_look_comes_at_once_though_nothing_moves() -> None:
    bench = Bench(tier=ScriptedTier(CONTRADICTORY))
    session = bench.open()
    await bench.stream(session, 1, standing)
    assert bench.outlet.states()[:1] == ["raised"]
    await session.close("done")


@in_virtual_time
async def test_still_scene_is_hardly_looked_at_and_keeps_its_alert() -> None:
    bench = Bench(tier=ScriptedTier(CONTRADICTORY))
    session = bench.open()
    await bench.stream(session, 30, standing)
    looks_per_s = len(bench.tier.frames) / 30
    assert looks_per_s < 0.6
    states = bench.outlet.states()
    assert "cleared" not in states
    newest = bench.outlet.on("alerts")[-1]
    assert newest.item.expires_ms is not None
    assert newest.item.expires_ms > bench.clock.now_ms(), "the headset was told that it goes on"
    await session.close("done")


@in_virtual_time
async def test_still_scene_compares_every_second_frame_and_sees_a_change_at_the_next_look() -> None:
    bench = Bench(tier=ScriptedTier(CONSISTENT))
    session = bench.open()
    await bench.stream(session, 4, standing)
    assert 0.4 * 4 * FPS < bench.counters["sampling.not_compared"] < 0.6 * 4 * FPS
    looks, changed_ms = len(bench.tier.frames), bench.clock.now_ms()
    await bench.stream(session, 0.3)
    assert len(bench.tier.frames) > looks
    assert bench.tier.frames[looks].arrival_ms - changed_ms <= STANDING_LOOK_MS + 1000 / FPS
    await session.close("done")


@in_virtual_time
async def test_moving_scene_has_every_frame_compared() -> None:
    bench = Bench(tier=ScriptedTier(CONSISTENT))
    session = bench.open()
    await bench.stream(session, 3)
    assert bench.counters["sampling.not_compared"] == 0
    await session.close("done")


@in_virtual_time
async def test_frames_of_a_still_scene_do_not_wake_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    wakes = 0
    wait = Session._wait_for_work

    async def counted(session: Session) -> None:
        nonlocal wakes
        await wait(session)
        wakes += 1

    monkeypatch.setattr(Session, "_wait_for_work", counted)
    bench = Bench(tier=ScriptedTier(CONSISTENT))
    session = bench.open()
    await bench.stream(session, 1, standing)
    wakes = 0
    await bench.stream(session, 20, standing)
    assert wakes <= 2 * 20 / IDLE_WAKE_S
    await session.close("done")


@in_virtual_time
async def test_late_alert_says_so() -> None:
    bench = Bench(tier=ScriptedTier(CONTRADICTORY, cost_ms=700))
    session = bench.open()
    await bench.stream(session, 4)
    first = bench.outlet.alerts()[0]
    assert first["late"] is True
    assert first["age_ms"] > first["budget_ms"]
    assert bench.counters["alerts.late"] > 0
    await session.close("done")


@in_virtual_time
async def test_late_alerts_are_withheld_where_that_is_the_policy() -> None:
    bench = Bench(with_alerts(late="drop"), ScriptedTier(CONTRADICTORY, cost_ms=700))
    session = bench.open()
    await bench.stream(session, 4)
    assert not bench.outlet.alerts()
    assert bench.outlet.withheld
    assert bench.counters["alerts.dropped_late"] == len(bench.outlet.withheld)
    await session.close("done")


# What is looked at ------------------------------------------------------------------------------------


@in_virtual_time
async def test_slow_tier_always_gets_a_fresh_frame() -> None:
    ages: list[float] = []

    def note(frame: Frame, _context: SceneContext) -> Findings:
        ages.append(bench.clock.now_ms() - bench.tier.cost_ms - frame.arrival_ms)
        return CONSISTENT

    bench = Bench(tier=ScriptedTier(cost_ms=600))
    bench.tier.answer = note
    session = bench.open()
    await bench.stream(session, 10)
    assert len(ages) >= 14
    assert max(ages) <= bench.config.sampling.window_ms + 1000 / FPS
    health = session.health(bench.clock.now_ms())
    assert health.frames_received == 300
    assert health.frames_dropped == 300 - health.frames_analysed
    assert health.received_fps == pytest.approx(FPS, rel=0.1)
    await session.close("done")


@in_virtual_time
async def test_sessions_share_the_tier_equally() -> None:
    bench = Bench(tier=ScriptedTier(cost_ms=200))
    one, other = bench.open("s1", "one"), bench.open("s2", "other")
    await asyncio.gather(bench.stream(one, 10), bench.stream(other, 10))
    looks = [session.health(bench.clock.now_ms()).frames_analysed for session in (one, other)]
    assert sum(looks) >= 45, "the tier is never left idle"
    assert abs(looks[0] - looks[1]) <= 1
    for session in (one, other):
        await session.close("done")


@in_virtual_time
async def test_one_devices_findings_stay_its_own() -> None:
    bench = Bench()
    bench.tier.answer = lambda _frame, context: CONTRADICTORY if context.device_id == "one" else CONSISTENT
    one, other = bench.open("s1", "one"), bench.open("s2", "other")
    await asyncio.gather(bench.stream(one, 3), bench.stream(other, 3))
    assert bench.outlet.alerts("one")
    assert not bench.outlet.alerts("other")
    for session in (one, other):
        await session.close("done")


@in_virtual_time
async def test_silent_stream_costs_next_to_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    wakes = 0
    original = Session._wait_for_work

    async def counted(session: Session) -> None:
        nonlocal wakes
        wakes += 1
        await original(session)

    monkeypatch.setattr(Session, "_wait_for_work", counted)
    bench = Bench(tier=ScriptedTier(CONTRADICTORY))
    session = bench.open()
    await bench.stream(session, 2, standing)
    wakes = 0
    await asyncio.sleep(60)
    assert wakes <= 2 * 60 / IDLE_WAKE_S
    await session.close("done")


# Faults of the tier -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "counter"),
    [
        (TierError("broken"), "samples.failed"),
        (DeadlineExceeded("too long"), "samples.past_deadline"),
        (RuntimeError("a bug"), "session.faults"),
    ],
)
def test_tier_that_fails_is_asked_again(error: Exception, counter: str) -> None:
    @in_virtual_time
    async def scenario() -> None:
        bench = Bench(tier=ScriptedTier(CONTRADICTORY))
        bench.tier.error = error
        session = bench.open()
        await bench.stream(session, 2)
        assert bench.counters[counter] > 1
        assert session.health(bench.clock.now_ms()).frames_analysed == 0
        bench.tier.error = None
        await bench.stream(session, 2)
        assert bench.outlet.states()[:1] == ["raised"]
        await session.close("done")

    scenario()


@in_virtual_time
async def test_failing_probe_does_not_end_the_session() -> None:
    def broken(_frame: Frame, _findings: Findings) -> None:
        raise ValueError

    bench = Bench(tier=ScriptedTier(CONTRADICTORY), probe=broken)
    session = bench.open()
    await bench.stream(session, 2)
    assert bench.outlet.states()[:1] == ["raised"]
    assert bench.counters["session.faults"] > 1
    await session.close("done")


@in_virtual_time
async def test_probe_sees_every_judged_frame() -> None:
    seen: list[tuple[Frame, Findings]] = []
    bench = Bench(tier=ScriptedTier(CONSISTENT), probe=lambda *both: seen.append(both))
    session = bench.open()
    await bench.stream(session, 2)
    await asyncio.sleep(0.5)
    assert [frame for frame, _ in seen] == bench.tier.frames
    assert seen[0][1].elements == CONSISTENT.elements
    await session.close("done")


@in_virtual_time
async def test_tier_is_given_the_alerts_usefulness_as_deadline() -> None:
    bench = Bench()
    session = bench.open()
    await bench.stream(session, 0.2)
    assert bench.tier.deadlines_ms[0] == pytest.approx(START_MS + bench.config.alerts.usefulness_ms, abs=150)
    assert bench.tier.contexts[0] == SceneContext("quest", View.COMPOSITED)
    await session.close("done")


# Faults of the stream ---------------------------------------------------------------------------------


@in_virtual_time
async def test_lost_stream_ends_its_alerts() -> None:
    bench = Bench(tier=ScriptedTier(CONTRADICTORY))
    session = bench.open()
    await bench.stream(session, 2)
    session.on_state(SessionState.LOST, ("no_packets",), bench.clock.now_ms())
    ended = bench.outlet.alerts()[-1]
    assert (ended["state"], ended["reason"]) == ("cleared", "session_lost")
    health = bench.outlet.on("health")[-1].json
    assert (health["state"], health["reasons"]) == ("lost", ["no_packets"])
    await session.close("done")
    assert bench.outlet.states().count("cleared") == 1


@in_virtual_time
async def test_answer_that_comes_after_the_stream_is_lost_raises_nothing() -> None:
    bench = Bench(tier=ScriptedTier(Findings((contradiction(0.99),)), cost_ms=1500))
    session = bench.open()
    await bench.stream(session, 0.2)
    session.on_state(SessionState.LOST, ("no_packets",), bench.clock.now_ms())
    await asyncio.sleep(3)
    assert not bench.outlet.alerts()
    assert bench.counters["samples.after_loss"] >= 1
    session.on_state(SessionState.OK, (), bench.clock.now_ms())
    await bench.stream(session, 3)
    assert bench.outlet.states()[:1] == ["raised"], "a stream that comes back is judged as before"
    await session.close("done")


@in_virtual_time
async def test_alert_expires_while_the_stream_is_stalled() -> None:
    bench = Bench(tier=ScriptedTier(CONTRADICTORY))
    session = bench.open()
    await bench.stream(session, 2)
    stalled_ms = bench.clock.now_ms()
    session.on_state(SessionState.STALLED, ("no_packets",), stalled_ms)
    await asyncio.sleep(4)
    ended = bench.outlet.alerts()[-1]
    assert (ended["state"], ended["reason"]) == ("cleared", "expired")
    assert ended["published_ms"] - stalled_ms <= bench.config.alerts.usefulness_ms + 300
    await session.close("done")


@in_virtual_time
async def test_damaged_pictures_clear_nothing() -> None:
    bench = Bench(tier=ScriptedTier(CONTRADICTORY))
    session = bench.open()
    await bench.stream(session, 2)
    bench.tier.answer = Findings((), ())
    session.on_state(SessionState.DEGRADED, ("packets_lost",), bench.clock.now_ms())
    await bench.stream(session, 2.5, damaged=True)
    assert "cleared" not in bench.outlet.states()
    await session.close("done")


@pytest.mark.parametrize("damaged", [False, True])
def test_frozen_picture_is_told_unless_the_transport_is_to_blame(damaged: bool) -> None:
    @in_virtual_time
    async def scenario() -> None:
        bench = Bench()
        session = bench.open()
        await bench.stream(session, 3)
        await bench.stream(session, 4, standing, damaged=damaged)
        kinds = [(alert["kind"], alert["attribute"]) for alert in bench.outlet.alerts()]
        assert (("quality", "freeze") in kinds) is not damaged
        await session.close("done")

    scenario()


@in_virtual_time
async def test_freeze_is_told_within_a_second_of_being_certain_and_ends_with_it() -> None:
    bench = Bench()
    session = bench.open()
    await bench.stream(session, 3)
    frozen_ms = bench.clock.now_ms()
    await bench.stream(session, 4, standing)
    raised = bench.outlet.alerts()[0]
    assert 2000 <= raised["published_ms"] - frozen_ms < 3000
    await bench.stream(session, 3)
    assert bench.outlet.states()[-1] == "cleared"
    await session.close("done")


# Closing ----------------------------------------------------------------------------------------------


@in_virtual_time
async def test_close_ends_alerts_says_goodbye_and_happens_once() -> None:
    bench = Bench(tier=ScriptedTier(CONTRADICTORY))
    closed: list[str] = []
    session = bench.open()
    session.on_closed = lambda: closed.append("closed")
    await bench.stream(session, 2)
    await asyncio.gather(session.close("taken_over"), session.close("again"))
    ended = bench.outlet.alerts()[-1]
    assert (ended["state"], ended["reason"]) == ("cleared", "taken_over")
    health = bench.outlet.on("health")[-1].json
    assert (health["state"], health["reasons"]) == ("closed", ["taken_over"])
    assert closed == ["closed"]
    sent = len(bench.outlet.sent)
    await asyncio.sleep(5)
    assert len(bench.outlet.sent) == sent


@in_virtual_time
async def test_close_does_not_wait_for_the_tier() -> None:
    bench = Bench(tier=ScriptedTier(cost_ms=10_000))
    session = bench.open()
    await bench.stream(session, 0.3)
    began_ms = bench.clock.now_ms()
    await session.close("done")
    assert bench.clock.now_ms() - began_ms < 100
    assert bench.around.turns._value == 1, "the turn is free for other sessions"


@in_virtual_time
async def test_session_that_was_taken_over_is_silent_about_health() -> None:
    bench = Bench()
    old = bench.open("old")
    await bench.stream(old, 1)
    new = bench.open("new")
    before = len(bench.outlet.on("health"))
    await old.close("taken_over")
    await bench.stream(new, 2)
    late = bench.outlet.on("health")[before:]
    assert late
    assert {sent.json["session_id"] for sent in late} == {"new"}
    await new.close("done")


# Health -----------------------------------------------------------------------------------------------


@in_virtual_time
async def test_health_comes_every_second_and_with_every_change_of_state() -> None:
    bench = Bench(tier=ScriptedTier(CONTRADICTORY))
    session = bench.open()
    session.on_clock(42.0)
    await bench.stream(session, 5)
    regular = bench.outlet.on("health")
    assert 5 <= len(regular) <= 7
    newest = Health.model_validate(regular[-1].json)
    assert newest.state is SessionState.OK
    assert newest.reasons == ()
    assert (newest.view, newest.capture_clock, newest.clock_offset_ms) == ("composited", "synced", 42.0)
    assert (newest.width_px, newest.height_px) == (160, 90)
    assert newest.capture_to_publish_ms is not None
    assert newest.capture_to_publish_ms.p50 == pytest.approx(120, abs=60)
    item = regular[-1].item
    assert (item.qos, item.retain, item.rank) == (0, True, -1)
    assert item.expires_ms == pytest.approx(regular[-1].at_ms + HEALTH_KEPT_MS, abs=10)
    session.on_state(SessionState.STALLED, ("no_packets",), bench.clock.now_ms())
    assert bench.outlet.on("health")[-1].json["state"] == "stalled"
    await session.close("done")


@in_virtual_time
async def test_health_and_the_ends_of_alerts_do_not_wait_for_a_pass_that_hangs() -> None:
    bench = Bench(tier=ScriptedTier(CONTRADICTORY))
    session = bench.open()
    await bench.stream(session, 2)
    assert bench.outlet.states()[-1] == "confirmed"
    bench.tier.cost_ms = 9_000
    await bench.stream(session, 0.5)
    hung_ms = bench.clock.now_ms()
    passes = len(bench.tier.frames)
    await bench.stream(session, 6)
    assert len(bench.tier.frames) == passes, "it still hangs"
    health = [sent for sent in bench.outlet.on("health") if sent.at_ms > hung_ms]
    assert len(health) >= 5
    assert health[-1].json["received_fps"] == pytest.approx(FPS, abs=2)
    ended = bench.outlet.alerts()[-1]
    assert (ended["state"], ended["reason"]) == ("cleared", "expired")
    assert ended["published_ms"] - hung_ms <= bench.config.alerts.usefulness_ms + 300
    closing_ms = bench.clock.now_ms()
    await session.close("done")
    assert bench.clock.now_ms() - closing_ms < 100, "nor does the end of the session"


@in_virtual_time
async def test_health_of_a_session_without_a_frame_is_sound() -> None:
    bench = Bench()
    session = bench.open()
    await asyncio.sleep(1.5)
    health = Health.model_validate(bench.outlet.on("health")[-1].json)
    assert (health.frames_received, health.width_px, health.capture_to_publish_ms) == (0, 0, None)
    assert health.capture_clock == "arrival"
    await session.close("done")


@in_virtual_time
async def test_passthrough_is_said_to_hold_nothing() -> None:
    bench = Bench()
    session = bench.open(view=View.UNKNOWN)
    await bench.stream(session, 1)
    assert bench.outlet.on("health")[-1].json["state"] == "ok"
    session.on_view(View.PASSTHROUGH)
    await bench.stream(session, 1.5)
    health = bench.outlet.on("health")[-1].json
    assert (health["state"], health["reasons"]) == ("degraded", [PASSTHROUGH_REASON])
    assert health["view"] == "passthrough"
    assert bench.tier.contexts[-1].view is View.PASSTHROUGH
    await session.close("done")


# Acknowledgements and events --------------------------------------------------------------------------


def ack(alert_id: str, action: AckAction = AckAction.SHOWN) -> Ack:
    return Ack(alert_id=alert_id, revision=1, action=action, headset_ms=1.0)


@in_virtual_time
async def test_dismissed_alert_is_not_repeated_but_ended() -> None:
    bench = Bench(tier=ScriptedTier(CONTRADICTORY))
    session = bench.open()
    await bench.stream(session, 2)
    assert not session.acknowledged(ack("somebody-elses"))
    assert session.acknowledged(ack("a1", AckAction.DISMISSED))
    said = len(bench.outlet.alerts())
    await bench.stream(session, 5)
    assert len(bench.outlet.alerts()) == said
    bench.tier.answer = Findings((), ())
    await bench.stream(session, 3)
    assert bench.outlet.states()[-1] == AlertState.CLEARED
    await session.close("done")


@in_virtual_time
async def test_watchers_see_samples_and_alerts_and_nothing_is_made_without_them() -> None:
    measured = Findings(
        CONTRADICTORY.findings,
        CONTRADICTORY.elements,
        (Measure("edge_width", 1.5, "px"),),
        {"ocr": 90.0},
    )
    bench = Bench(tier=ScriptedTier(measured))
    session = bench.open()
    seen: list[Any] = []

    async def watch() -> None:
        async for event in bench.events.watch():
            seen.append(event)  # noqa: PERF401 - extend would hand over nothing before the end

    watching = asyncio.create_task(watch())
    await bench.stream(session, 1.5)
    watching.cancel()
    await asyncio.wait({watching})
    samples = [event for event in seen if event["type"] == "sample"]
    assert [e["text"] for e in samples[0]["elements"]] == ["Made in France", "Made in the Netherlands"]
    assert samples[0]["elements"][0]["claims"] == ["origin = made in france"]
    assert {"label", "direction_deg"} <= set(samples[0]["elements"][0])
    assert samples[0]["quality"] == {"edge_width": 1.5}
    assert samples[0]["age_ms"] == pytest.approx(ARRIVES_AFTER_MS + 100, abs=40)
    assert next(event["alert"]["state"] for event in seen if event["type"] == "alert") == "raised"
    assert not bench.events.watched
    await session.close("done")
