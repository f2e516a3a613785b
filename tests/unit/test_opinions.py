"""Second opinions beside the pipeline, in virtual time: alerts go out first and are amended later."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from structlog.testing import capture_logs

from arwarden.contract.messages import Alert, SessionState
from arwarden.core.errors import CircuitOpen, DeadlineExceeded, JudgeBroken, JudgeUnreachable, SwitchedOff
from arwarden.core.findings import Box, Finding, FindingKind, Findings, Severity
from arwarden.core.frame import ByteImage
from arwarden.escalate.answers import Verdict
from tests.support.judges import HangingJudge, ScriptedJudge, answer, judged_config
from tests.support.pipeline import (
    CONSISTENT,
    CONTRADICTORY,
    FRANCE,
    NETHERLANDS,
    ROOM,
    Bench,
    ScriptedTier,
    contradiction,
    standing,
)
from tests.support.virtual_loop import in_virtual_time

UNCERTAIN = Finding(
    FindingKind.CONTRADICTION,
    "origin",
    "origin",
    Severity.WARNING,
    "“Made in France” may contradict “Made in the Netherlands”",
    0.7,
    (FRANCE, NETHERLANDS),
    certain=False,
)
INJECTION = Finding(
    FindingKind.INJECTION, "injection", "instruction", Severity.WARNING, "orders", 0.9, (FRANCE,)
)


@pytest.fixture(autouse=True)
def logged() -> Iterator[list[Any]]:
    """What is logged; no text out of a picture and no picture is ever among it."""
    with capture_logs() as records:
        yield records
    assert "Made in" not in repr(records)
    assert "countries" not in repr(records)


def bench_with(
    judge: ScriptedJudge, found: Findings = CONTRADICTORY, alerts: dict[str, Any] | None = None, **config: Any
) -> Bench:
    return Bench(config=judged_config(alerts, **config), tier=ScriptedTier(found), judge=judge)


def told(bench: Bench) -> list[tuple[str, str, str]]:
    """State, confirmation and reason of every alert message."""
    return [(a["state"], a["confirmation"], a["reason"]) for a in bench.outlet.alerts()]


# Amending ---------------------------------------------------------------------------------------------


@in_virtual_time
async def test_alert_is_out_before_the_judge_is_asked_and_is_confirmed_under_its_id() -> None:
    judge = ScriptedJudge(answer(elements=(("Made in France", None),)))
    bench = bench_with(judge)
    out_before: list[int] = []
    judge.on_ask = lambda: out_before.append(len(bench.outlet.alerts()))
    session = bench.open()
    await bench.stream(session, 4)
    assert out_before == [1]
    life = [Alert.model_validate(alert) for alert in bench.outlet.alerts()]
    assert (life[0].state.value, life[0].confirmation, life[0].late) == ("raised", "pending", False)
    assert life[0].age_ms < bench.config.alerts.budget_ms
    confirmed = next(alert for alert in life if alert.confirmation == "confirmed")
    assert confirmed.alert_id == life[0].alert_id
    assert confirmed.revision > life[0].revision
    assert (confirmed.state.value, confirmed.reason) == ("confirmed", "judge_confirmed")
    assert confirmed.judge is not None
    assert confirmed.judge.name == "cloud"
    assert confirmed.judge.reason == "The two labels name different countries."
    assert (confirmed.judge.tokens, confirmed.judge.cost) == (960, 0.004)
    assert confirmed.judge.prompt_version.startswith("contradiction@")
    assert not confirmed.late
    assert len(judge.questions) == 1, "the scene is known from then on"
    await session.close("done")


@in_virtual_time
async def test_judge_takes_an_alert_back_and_it_does_not_return() -> None:
    judge = ScriptedJudge(answer(Verdict.NO, "Both are about different goods."))
    bench = bench_with(judge)
    session = bench.open()
    await bench.stream(session, 12)
    rejected = next(one for one in told(bench) if one[1] == "rejected")
    assert rejected == ("retracted", "rejected", "judge_rejected")
    assert bench.outlet.states()[-1] == "cleared"
    assert bench.outlet.states().count("raised") == 1, "though the fast tier goes on seeing it"
    assert bench.counters["alerts.overruled"] > 5
    assert len(judge.questions) == 1
    await session.close("done")


@in_virtual_time
async def test_overruled_alert_may_return_after_the_cool_down() -> None:
    judge = ScriptedJudge(answer(Verdict.NO), after_s=0.5)
    bench = bench_with(judge, ask={"cool_down_ms": 10_000})
    session = bench.open()
    await bench.stream(session, 14)
    assert bench.outlet.states().count("raised") == 2
    assert len(judge.questions) == 2
    await session.close("done")


@in_virtual_time
async def test_judge_raises_what_the_fast_tier_only_suspected() -> None:
    judge = ScriptedJudge()
    bench = bench_with(judge, Findings((UNCERTAIN,), (FRANCE, NETHERLANDS)))
    session = bench.open()
    await bench.stream(session, 6)
    first = Alert.model_validate(bench.outlet.alerts()[0])
    assert (first.state.value, first.confirmation, first.reason) == ("raised", "confirmed", "judge_raised")
    assert (first.tier, first.attribute) == ("cloud", "origin")
    assert {element.text for element in first.elements} == {"Made in France", "Made in the Netherlands"}
    assert "cleared" not in bench.outlet.states(), "the fast tier keeps it alive"
    bench.tier.answer = CONSISTENT
    await bench.stream(session, 3)
    assert bench.outlet.states()[-1] == "cleared"
    await session.close("done")


@in_virtual_time
async def test_judge_raises_what_only_it_sees_while_the_scene_is_in_view() -> None:
    elements = (("Made in France", None), ("a Dutch flag", Box(0.5, 0.2, 0.1, 0.1)))
    judge = ScriptedJudge(answer(reason="A flag contradicts a label. More words.", elements=elements))
    bench = bench_with(judge, Findings((), (FRANCE, NETHERLANDS)))
    session = bench.open()
    await bench.stream(session, 10)
    first = Alert.model_validate(bench.outlet.alerts()[0])
    assert (first.state.value, first.tier, first.attribute) == ("raised", "cloud", "content")
    assert first.message == "A flag contradicts a label."
    assert [element.text for element in first.elements] == ["Made in France", "a Dutch flag"]
    assert first.expires_ms > first.published_ms
    assert bench.outlet.states()[-1] == "raised"
    assert bench.outlet.on("alerts")[-1].json["expires_ms"] > bench.clock.now_ms() - 200
    bench.tier.answer = Findings()
    await bench.stream(session, 4)
    assert bench.outlet.states()[-1] == "cleared"
    bench.tier.answer = Findings((), (FRANCE, NETHERLANDS))
    await bench.stream(session, 3)
    assert bench.outlet.states()[-1] == "raised", "what is known needs no second question"
    assert len(judge.questions) == 1
    assert session.health(bench.clock.now_ms()).second_opinion.saved_calls == 1  # type: ignore[union-attr]
    await session.close("done")


@in_virtual_time
async def test_yes_that_names_other_content_confirms_nothing() -> None:
    judge = ScriptedJudge(answer(elements=(("No smoking", Box(0.8, 0.8, 0.1, 0.1)),)))
    bench = bench_with(judge)
    session = bench.open()
    await bench.stream(session, 4)
    by_id: dict[str, list[dict[str, Any]]] = {}
    for alert in bench.outlet.alerts():
        by_id.setdefault(alert["alert_id"], []).append(alert)
    assert len(by_id) == 2
    fast, judged = by_id.values()
    assert fast[-1]["confirmation"] == "unverified"
    assert "judge_names_other_content" in [alert["reason"] for alert in fast]
    assert judged[0]["elements"][0]["text"] == "No smoking"
    await session.close("done")


@in_virtual_time
async def test_orders_in_view_make_a_no_worthless() -> None:
    judge = ScriptedJudge(answer(Verdict.NO))
    found = Findings((contradiction(), INJECTION), (FRANCE, NETHERLANDS))
    bench = bench_with(judge, found)
    session = bench.open()
    await bench.stream(session, 5)
    assert "retracted" not in bench.outlet.states()
    assert ("confirmed", "unverified", "hostile_scene") in told(bench)
    await session.close("done")


@in_virtual_time
async def test_judge_may_be_kept_from_retracting_and_raising() -> None:
    judge = ScriptedJudge(answer(Verdict.NO))
    bench = bench_with(judge, retract=False)
    session = bench.open()
    await bench.stream(session, 5)
    assert ("confirmed", "unverified", "judge_disagrees") in told(bench)
    await session.close("done")
    quiet = bench_with(ScriptedJudge(), Findings((), (FRANCE, NETHERLANDS)), raise_alerts=False)
    session = quiet.open("s2")
    await quiet.stream(session, 6)
    assert not quiet.outlet.alerts()
    await session.close("done")


# Judges that are late, down or unreadable -------------------------------------------------------------


@pytest.mark.parametrize(
    ("says", "reason", "problem"),
    [
        (JudgeBroken("cloud", "http_500"), "judge_unavailable", "http_500"),
        (JudgeUnreachable("cloud", "reset"), "judge_unavailable", "reset"),
        (CircuitOpen("cloud", "circuit_open"), "judge_unavailable", "circuit_open"),
        (DeadlineExceeded("no answer"), "judge_too_late", "deadline"),
        (RuntimeError("a bug"), "judge_unavailable", "fault"),
        (answer(Verdict.UNKNOWN, problem="empty"), "judge_unreadable", "empty"),
        (answer(Verdict.UNKNOWN, problem="refused"), "judge_unreadable", "refused"),
    ],
)
def test_alert_of_a_judge_that_fails_stays_and_is_unverified(says: Any, reason: str, problem: str) -> None:
    @in_virtual_time
    async def scenario() -> None:
        bench = bench_with(ScriptedJudge(says, after_s=1.0))
        session = bench.open()
        await bench.stream(session, 4)
        states = told(bench)
        assert states[0][:2] == ("raised", "pending")
        assert ("confirmed", "unverified", reason) in states
        last = bench.outlet.alerts()[-1]
        assert last["judge"]["verdict"] == "unknown", "never read as no"
        assert last["judge"]["problem"] == problem
        assert "retracted" not in bench.outlet.states()
        await session.close("done")

    scenario()


@in_virtual_time
async def test_judge_that_hangs_costs_the_fast_tier_nothing() -> None:
    judge = HangingJudge()
    bench, plain = bench_with(judge), Bench(tier=ScriptedTier(CONTRADICTORY))
    session, other = bench.open(), plain.open()
    await bench.stream(session, 20)
    await plain.stream(other, 20)
    assert len(judge.questions) == 1, "one question at a time"
    assert abs(len(bench.tier.frames) - len(plain.tier.frames)) <= 2
    ages = [alert["age_ms"] for alert in bench.outlet.alerts() if alert["state"] == "raised"]
    assert max(ages) < bench.config.alerts.budget_ms
    await session.close("done")
    await other.close("done")
    assert bench.outlet.states()[-1] == "cleared"


@in_virtual_time
async def test_after_a_failure_the_judge_is_left_alone_for_a_while() -> None:
    judge = ScriptedJudge(JudgeBroken("cloud", "http_500"), after_s=0.1)
    bench = bench_with(judge, Findings((UNCERTAIN,), (FRANCE, NETHERLANDS)), budget={"calls_per_minute": 100})
    session = bench.open()
    await bench.stream(session, 25)
    assert 2 <= len(judge.questions) <= 3
    await session.close("done")


@in_virtual_time
async def test_late_answer_about_a_scene_that_is_gone_raises_nothing() -> None:
    judge = ScriptedJudge(after_s=4.0)
    bench = bench_with(judge, Findings((UNCERTAIN,), (FRANCE, NETHERLANDS)))
    session = bench.open()
    await bench.stream(session, 2)
    assert len(judge.questions) == 1
    bench.tier.answer = Findings()
    await bench.stream(session, 6)
    assert not bench.outlet.alerts()
    assert bench.counters["escalate.late"] == 1
    assert bench.counters["escalate.late_dropped"] == 1
    await session.close("done")


def same_place(number: int) -> ByteImage:
    """A picture that changes all the time and is of one place."""
    picture = ROOM.copy()
    picture[:8, :10] = 255 * (number // 3 % 2)
    return picture


@in_virtual_time
async def test_yes_about_what_is_gone_is_not_remembered_for_the_place_it_stood_in() -> None:
    judge = ScriptedJudge(after_s=4.0)
    bench = bench_with(judge, Findings((UNCERTAIN,), (FRANCE, NETHERLANDS)))
    session = bench.open()
    await bench.stream(session, 2, same_place)
    bench.tier.answer = Findings()
    await bench.stream(session, 6, same_place)
    assert bench.counters["escalate.late_dropped"] == 1
    assert not bench.outlet.alerts()
    bench.tier.answer = Findings((UNCERTAIN,), (FRANCE, NETHERLANDS))
    await bench.stream(session, 3, same_place)
    assert "raised" in bench.outlet.states(), "it holds again once all is back"
    assert len(judge.questions) == 1
    await session.close("done")


@in_virtual_time
async def test_what_is_left_of_a_contradiction_is_asked_about_anew() -> None:
    judge = ScriptedJudge(after_s=0.1)
    bench = bench_with(judge, Findings((), (FRANCE, NETHERLANDS)))
    session = bench.open()
    await bench.stream(session, 3, same_place)
    assert bench.outlet.states()[-1] == "raised"
    judge.says = answer(Verdict.NO)
    bench.tier.answer = Findings((), (FRANCE,))
    await bench.stream(session, 6, same_place)
    assert bench.outlet.states()[-1] == "cleared", "and not raised again"
    assert len(judge.questions) == 2
    await session.close("done")


@in_virtual_time
async def test_late_answer_is_published_as_late_where_that_is_wanted() -> None:
    judge = ScriptedJudge(after_s=4.0)
    bench = bench_with(judge, Findings((UNCERTAIN,), (FRANCE, NETHERLANDS)), late="publish")
    session = bench.open()
    await bench.stream(session, 2)
    bench.tier.answer = Findings()
    await bench.stream(session, 6)
    first = Alert.model_validate(bench.outlet.alerts()[0])
    assert (first.reason, first.late) == ("judge_raised_late", True)
    assert first.expires_ms > first.published_ms
    assert bench.outlet.states()[-1] == "cleared"
    await session.close("done")


@in_virtual_time
async def test_late_answer_about_an_alert_that_is_over_changes_nothing() -> None:
    judge = ScriptedJudge(after_s=6.0)
    bench = bench_with(judge)
    session = bench.open()
    await bench.stream(session, 1.5)
    bench.tier.answer = Findings()
    await bench.stream(session, 8)
    assert bench.outlet.states()[-1] == "cleared"
    assert bench.counters["alerts.opinion_late"] == 1
    await session.close("done")


@in_virtual_time
async def test_answer_for_a_lost_stream_is_not_waited_for() -> None:
    judge = ScriptedJudge(after_s=2.0)
    bench = bench_with(judge, Findings((UNCERTAIN,), (FRANCE, NETHERLANDS)))
    session = bench.open()
    await bench.stream(session, 2)
    session.on_state(SessionState.LOST, (), bench.clock.now_ms())
    await session.close("done")
    assert judge.cancelled == 1
    assert not bench.outlet.alerts()


@in_virtual_time
async def test_alert_that_is_raised_while_its_scene_is_judged_waits_for_that_answer() -> None:
    judge = ScriptedJudge(answer(Verdict.NO), after_s=2.0)
    bench = bench_with(judge, CONTRADICTORY, {"evidence_samples": 6}, ask={"settle_ms": 0})
    session = bench.open()
    await bench.stream(session, 6)
    assert told(bench)[0][:2] == ("raised", "pending")
    assert ("retracted", "rejected", "judge_rejected") in told(bench)
    assert len(judge.questions) == 1
    await session.close("done")


# When it is asked -------------------------------------------------------------------------------------


@in_virtual_time
async def test_still_scene_is_asked_about_once_in_five_minutes() -> None:
    judge = ScriptedJudge(answer(Verdict.NO))
    bench = bench_with(judge, CONSISTENT, ask={"cool_down_ms": 600_000})
    session = bench.open()
    await bench.stream(session, 300, standing)
    assert len(judge.questions) == 1
    await session.close("done")


@in_virtual_time
async def test_where_all_judges_are_switched_off_only_alerts_are_told_so(logged: list[Any]) -> None:
    judge = ScriptedJudge(SwitchedOff("cloud", "no_key", "export KEY"), after_s=0.0)
    bench = bench_with(judge, Findings((UNCERTAIN,), (FRANCE, NETHERLANDS)), budget={"calls_per_minute": 100})
    assert bench.around.opinions is not None
    bench.around.opinions.terms = replace(bench.around.opinions.terms, switched_off="no_key")
    session = bench.open()
    await bench.stream(session, 25)
    assert not judge.questions
    bench.tier.answer = CONTRADICTORY
    await bench.stream(session, 3)
    assert ("unverified", "judge_unavailable") in [said[1:] for said in told(bench)]
    assert len(judge.questions) == 1
    missing = [record["log_level"] for record in logged if record["event"] == "second_opinion_missing"]
    assert missing == ["debug"]
    await session.close("done")


@in_virtual_time
async def test_sure_alerts_are_not_put_to_the_judge() -> None:
    judge = ScriptedJudge()
    found = Findings((contradiction(0.99),), (FRANCE, NETHERLANDS))
    bench = bench_with(judge, found, ask={"new_scene": False, "uninterpreted_elements": 0})
    session = bench.open()
    await bench.stream(session, 3)
    assert not judge.questions
    assert {alert["confirmation"] for alert in bench.outlet.alerts()} == {"none"}
    await session.close("done")


@in_virtual_time
async def test_budget_holds_questions_back_and_health_says_so() -> None:
    judge = ScriptedJudge(answer(Verdict.NO), after_s=0.1)
    bench = bench_with(judge, budget={"calls_per_minute": 2})
    texts = iter(range(1000))

    def another(*_: Any) -> Findings:
        number = next(texts) // 8
        element = FRANCE.__class__(FRANCE.type, FRANCE.box, f"Room {number}", FRANCE.claims)
        return Findings((), (element, NETHERLANDS))

    bench.tier.answer = another
    session = bench.open()
    await bench.stream(session, 20)
    assert len(judge.questions) == 2
    health = session.health(bench.clock.now_ms()).second_opinion
    assert health is not None
    assert (health.judge, health.asked, health.held_back) == ("cloud", 2, "calls_per_minute")
    assert health.tokens == 2 * 960
    assert health.cost == pytest.approx(0.008)
    assert bench.counters["escalate.held_back.calls_per_minute"] >= 1
    await session.close("done")


@in_virtual_time
async def test_what_the_tiers_disagree_on_is_measured() -> None:
    bench = bench_with(ScriptedJudge(answer(Verdict.NO)))
    session = bench.open()
    await bench.stream(session, 4)
    metrics = bench.metrics.render().decode()
    labels = 'attribute="origin",judge="cloud",kind="contradiction",outcome="rejected"'
    assert f"arwarden_judge_outcomes_total{{{labels}}} 1.0" in metrics
    assert 'arwarden_judge_seconds_count{judge="cloud",verdict="no"} 1.0' in metrics
    await session.close("done")


@in_virtual_time
async def test_uploads_are_logged_by_size_and_hash_only(logged: list[Any]) -> None:
    judge = ScriptedJudge()
    bench = bench_with(judge)
    session = bench.open()
    await bench.stream(session, 3)
    (asked,) = (record for record in logged if record["event"] == "second_opinion_asked")
    (picture,) = asked["pictures"]
    assert picture["bytes"] == len(judge.questions[0].pictures[0].jpeg)
    assert len(picture["sha256"]) == 16
    assert set(picture) == {"width_px", "height_px", "bytes", "sha256"}
    await session.close("done")
