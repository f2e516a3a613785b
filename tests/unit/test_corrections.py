"""The adjustment loop beside the pipeline, in virtual time: a scripted judge, an app that obeys."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from structlog.testing import capture_logs

from arwarden.config import Config
from arwarden.contract.messages import Ack, AckAction, SessionState
from arwarden.contract.objects import Adjustment as Message
from arwarden.core.errors import JudgeBroken
from arwarden.core.findings import Findings
from arwarden.core.frame import View
from arwarden.escalate.answers import Adjustment, Answer
from arwarden.escalate.budget import Estimate
from arwarden.escalate.questions import Question, Task
from arwarden.session import Session
from tests.support.app_objects import CUP_BOX, report, thing
from tests.support.judges import JUDGE, HangingJudge, ScriptedJudge, rating
from tests.support.pipeline import FRANCE, NETHERLANDS, Bench, ScriptedTier, contradiction, standing
from tests.support.virtual_loop import in_virtual_time

ASK_NOTHING = {"confirm_below": 0.0, "new_scene": False, "uninterpreted_elements": 0, "uncertain": False}
DOWN = Adjustment(up_m=-0.2)


@pytest.fixture(autouse=True)
def logged() -> Iterator[list[Any]]:
    """What is logged; neither the judge's words nor those of the app are among it."""
    with capture_logs() as records:
        yield records
    assert "floats" not in repr(records)
    assert "my secret cup" not in repr(records)


def says(*answers: Answer) -> Callable[[Question], Answer]:
    """One after the other, and the last for ever."""
    left = list(answers)

    def answer(_: Question) -> Answer:
        return left.pop(0) if len(left) > 1 else left[0]

    return answer


class App:
    """Draws a cup, reports it, and does what it is told."""

    def __init__(self, bench: Bench, session: Session, *, refuses: str = "") -> None:
        self.bench, self.session, self.refuses = bench, session, refuses
        self.version = 0
        self.move_m = (0.0, 0.0, 0.0)
        self.done = 0

    def report(self) -> None:
        self.version += 1
        item = thing(label="my secret cup", corrected_m=self.move_m, position_m=self.move_m)
        now_ms = self.bench.clock.now_ms()
        self.bench.scenes.take("quest", report(self.version, item), now_ms, retained=False)

    def obey(self) -> None:
        for sent in self.bench.outlet.on("adjustments")[self.done :]:
            self.done += 1
            message = Message.model_validate(sent.json)
            action = AckAction.REFUSED if self.refuses else AckAction.APPLIED
            if not self.refuses:
                self.move_m = message.move_m
            self.session.acknowledged(
                Ack(
                    alert_id=message.adjustment_id,
                    revision=message.version,
                    action=action,
                    headset_ms=0,
                    reason=self.refuses,
                )
            )

    async def live(self, seconds: float, *, damaged: bool = False) -> None:
        for _ in range(round(seconds * 4)):
            self.obey()
            self.report()
            await self.bench.stream(self.session, 0.25, standing, damaged=damaged)


def bench_with(judge: ScriptedJudge, **adjust: Any) -> Bench:
    wanted = {"enabled": True, "factors": ["placement"], "gain": 1.0, **adjust}
    config = Config.model_validate({"escalate": {"judge": JUDGE, "ask": ASK_NOTHING}, "adjust": wanted})
    return Bench(config=config, tier=ScriptedTier(Findings()), judge=judge)


def sent(bench: Bench) -> list[dict[str, Any]]:
    return [message.json for message in bench.outlet.on("adjustments")]


@in_virtual_time
async def test_judged_corrected_judged_again_and_kept() -> None:
    judge = ScriptedJudge(says(rating(2, DOWN), rating(5, Adjustment())))
    bench = bench_with(judge)
    app = App(bench, bench.open())
    with bench.events.watching() as watcher:
        await app.live(20)
        told = [event["what"] for event in watcher._events if event["type"] == "adjustment"]
    [message] = sent(bench)
    assert message["object_id"] == "cup"
    assert message["move_m"] == [0.0, -0.2, 0.0]
    assert message["captured_ms"] < message["published_ms"] < message["expires_ms"]
    item = bench.outlet.on("adjustments")[0].item
    assert (item.qos, item.retain, item.expires_ms) == (1, False, message["expires_ms"])
    assert [question.task for question in judge.questions] == [Task.PLACEMENT_ADJUSTMENT] * 2
    [fact] = judge.questions[0].facts
    assert (fact.kind, fact.text) == ("object to judge", "my secret cup")
    assert fact.box == pytest.approx(CUP_BOX)
    assert bench.counters["adjust.ended.good"] == 1
    metrics = bench.metrics.render().decode()
    assert 'arwarden_adjustment_effects_total{effect="improved",factor="placement"} 1.0' in metrics
    assert 'arwarden_adjustment_messages_total{action="apply"} 1.0' in metrics
    assert told[-2:] == ["effect", "ended"]


@in_virtual_time
async def test_worse_goes_back() -> None:
    bench = bench_with(ScriptedJudge(says(rating(3, DOWN), rating(1, DOWN))))
    app = App(bench, bench.open())
    await app.live(20)
    assert [message["action"] for message in sent(bench)] == ["apply", "revert"]
    assert app.move_m == (0.0, 0.0, 0.0)
    assert bench.counters["adjust.ended.worse"] == 1


@in_virtual_time
async def test_refused_while_held_is_not_tried_again_soon() -> None:
    bench = bench_with(ScriptedJudge(rating(2, DOWN)))
    app = App(bench, bench.open(), refuses="held_by_user")
    await app.live(18)
    assert len(sent(bench)) == 1
    assert bench.counters["adjust.ended.held"] == 1


@in_virtual_time
async def test_nothing_is_judged_that_the_transport_has_spoilt_or_that_nobody_reports() -> None:
    judge = ScriptedJudge(rating(2, DOWN))
    bench = bench_with(judge)
    session = bench.open()
    await bench.stream(session, 3, standing)
    app = App(bench, session)
    await app.live(5, damaged=True)
    assert judge.questions == []
    session.on_view(View.PASSTHROUGH)
    await app.live(5)
    assert judge.questions == []


@in_virtual_time
async def test_a_judge_that_lacks_something_is_not_asked() -> None:
    judge = ScriptedJudge(rating(2, DOWN))
    bench = bench_with(judge)
    opinions = bench.around.opinions
    assert opinions is not None
    opinions.terms = replace(opinions.terms, switched_off="no_key")
    await App(bench, bench.open()).live(5)
    assert judge.questions == []
    assert bench.counters["adjust.ended.failed"] == 0


@in_virtual_time
async def test_a_judge_that_fails_or_hangs_costs_no_alert() -> None:
    for judge in (ScriptedJudge(JudgeBroken("cloud", "http_500")), HangingJudge()):
        bench = bench_with(judge)
        bench.tier.answer = Findings((contradiction(),), (FRANCE, NETHERLANDS))
        session = bench.open()
        app = App(bench, session)
        await app.live(4)
        assert bench.outlet.states()[0] == "raised"
        assert sent(bench) == []
        await session.close("test")
        assert bench.counters["session.faults"] == 0


@in_virtual_time
async def test_an_unreadable_answer_corrects_nothing() -> None:
    bench = bench_with(ScriptedJudge())
    await App(bench, bench.open()).live(6)
    assert sent(bench) == []
    assert bench.counters["adjust.ended.failed"] == 1


@in_virtual_time
async def test_the_judges_limits_hold_for_corrections_too() -> None:
    judge = ScriptedJudge(rating(2, DOWN))
    bench = bench_with(judge)
    opinions = bench.around.opinions
    assert opinions is not None
    for _ in range(bench.config.escalate.budget.calls_per_minute):
        opinions.budget.reserve(Estimate(1, 1), bench.clock.now_ms())
    await App(bench, bench.open()).live(5)
    assert judge.questions == []
    assert bench.counters["adjust.held_back"] >= 1


@in_virtual_time
async def test_the_end_of_the_stream_drops_what_is_under_way() -> None:
    judge = ScriptedJudge(rating(2, DOWN), after_s=3.0)
    bench = bench_with(judge)
    session = bench.open()
    await App(bench, session).live(3)
    assert len(judge.questions) == 1
    session.on_state(SessionState.LOST, ("silence",), bench.clock.now_ms())
    await bench.stream(session, 5, standing)
    assert sent(bench) == []
    assert judge.cancelled == 1
    await session.close("gone")


@in_virtual_time
async def test_a_correction_that_waits_for_the_broker_is_withdrawn_with_its_session() -> None:
    bench = bench_with(ScriptedJudge(rating(2, DOWN)))
    session = bench.open()
    await App(bench, session).live(6)
    [message] = bench.outlet.on("adjustments")
    await session.close("taken_over")
    assert message.item.render(bench.clock.now_ms()) is None
    assert bench.counters["adjust.withdrawn"] == 1


@in_virtual_time
async def test_alerts_name_the_apps_object() -> None:
    bench = Bench(tier=ScriptedTier(Findings((contradiction(),), (FRANCE, NETHERLANDS))))
    session = bench.open()
    item = thing("label-7", box=tuple(FRANCE.box))
    bench.scenes.take("quest", report(1, item), bench.clock.now_ms(), retained=False)
    await bench.stream(session, 3)
    assert [each["object_id"] for each in bench.outlet.alerts()[0]["elements"]] == ["label-7", ""]
