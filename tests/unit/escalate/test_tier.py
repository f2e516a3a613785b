"""Asking: limits, deadlines, faults, and a judge in the place of the fast tier."""

from __future__ import annotations

import asyncio
from typing import Any

import numpy as np
import pytest

from arwarden.config import EscalateConfig
from arwarden.core.counters import Counters
from arwarden.core.errors import (
    CircuitOpen,
    ConfigError,
    DeadlineExceeded,
    JudgeBroken,
    JudgeBusy,
    TierError,
)
from arwarden.core.frame import View
from arwarden.core.tier import SceneContext
from arwarden.escalate.answers import Verdict
from arwarden.escalate.budget import Limit
from arwarden.escalate.faces import decode, open_faces
from arwarden.escalate.inquiries import Inquiry
from arwarden.escalate.policy import AskReason
from arwarden.escalate.switched_off import Lack, SwitchedOffJudge
from arwarden.escalate.tier import JudgeTier, SecondOpinions, open_configured
from tests.support.judges import JUDGE, ScriptedJudge, answer, at_once
from tests.support.virtual_loop import START_MS, LoopClock, in_virtual_time
from tests.unit.escalate.views import frame, look

CONTEXT = SceneContext("quest", View.COMPOSITED)


def config(**fields: Any) -> EscalateConfig:
    return EscalateConfig.model_validate({"judge": JUDGE, **fields})


def opinions(judge: ScriptedJudge, counters: Counters | None = None, **fields: Any) -> SecondOpinions:
    kept = Counters() if counters is None else counters
    return SecondOpinions(config(**fields), judge, LoopClock(), kept, worker=at_once)


def inquiry(asking: SecondOpinions) -> Inquiry:
    made = asking.inquiry(AskReason.NEW_SCENE, look(), [frame()])
    assert isinstance(made, Inquiry)
    return made


@in_virtual_time
async def test_question_holds_pictures_facts_language_and_scene() -> None:
    judge = ScriptedJudge(after_s=0.5)
    asking = opinions(judge, language="German", deadline_ms=3000)
    reply = await asking.ask(inquiry(asking))
    assert reply.answer is not None
    (question,) = judge.questions
    assert (question.language, question.scene) == ("German", look().sight.name)
    assert [fact.text for fact in question.facts] == ["Made in France", "Made in Italy"]
    assert judge.deadlines_ms == [START_MS + 3000]
    assert asking.budget.ledger.tokens_in == 900
    await asking.close()
    assert judge.closed


@in_virtual_time
async def test_facts_can_be_kept_back() -> None:
    judge = ScriptedJudge(after_s=0)
    asking = opinions(judge, send={"facts": False})
    await asking.ask(inquiry(asking))
    assert judge.questions[0].facts == ()


@pytest.mark.parametrize(
    ("error", "problem", "counted"),
    [
        (JudgeBroken("cloud", "http_500"), "http_500", True),
        (DeadlineExceeded("late"), "deadline", True),
        (ZeroDivisionError(), "fault", True),
        (JudgeBusy("cloud", "http_429"), "http_429", True),
        (JudgeBusy("cloud", "busy_here"), "busy_here", False),
        (CircuitOpen("cloud", "circuit_open"), "circuit_open", False),
        (TierError("no picture"), "not_sent", False),
    ],
)
def test_every_failure_is_an_opinion_and_only_what_was_asked_counts(
    error: Exception, problem: str, counted: bool
) -> None:
    @in_virtual_time
    async def scenario() -> None:
        counters = Counters()
        asking = opinions(ScriptedJudge(error, after_s=0.7), counters)
        reply = await asking.ask(inquiry(asking))
        assert reply.answer is None
        assert (reply.opinion.verdict, reply.opinion.problem) == ("unknown", problem)
        assert reply.opinion.latency_ms == pytest.approx(700)
        assert asking.budget.ledger.calls == counted
        assert counters[f"escalate.failed.{problem}"] == 1

    scenario()


@in_virtual_time
async def test_pictures_that_take_too_long_end_at_the_deadline() -> None:
    async def stuck(_make: Any) -> Any:
        await asyncio.sleep(3600)

    judge = ScriptedJudge()
    asking = SecondOpinions(config(deadline_ms=2000), judge, LoopClock(), Counters(), worker=stuck)
    reply = await asking.ask(inquiry(asking))
    assert reply.opinion.problem == "deadline"
    assert reply.opinion.latency_ms == pytest.approx(2000)
    assert not judge.questions


@in_virtual_time
async def test_cancelled_question_counts_in_full() -> None:
    asking = opinions(ScriptedJudge(after_s=5.0))
    task = asyncio.create_task(asking.ask(inquiry(asking)))
    await asyncio.sleep(1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert asking.budget.ledger.calls == 1


@in_virtual_time
async def test_limits_hold_over_all_sessions() -> None:
    asking = opinions(ScriptedJudge(after_s=0), budget={"calls_per_minute": 1})
    await asking.ask(inquiry(asking))
    assert asking.inquiry(AskReason.PERIODIC, look(), [frame()]) is Limit.CALLS


@in_virtual_time
async def test_judge_that_is_switched_off_costs_nothing_and_is_named_as_such() -> None:
    lack = Lack("cloud", "gpt-4o", "no_key", "export OPENAI_API_KEY")
    judge = SwitchedOffJudge(lack)
    asking = SecondOpinions(config(), judge, LoopClock(), Counters(), switched_off=[lack], worker=at_once)
    reply = await asking.ask(inquiry(asking))
    assert (reply.opinion.verdict, reply.opinion.problem) == ("unknown", "no_key")
    assert reply.opinion.prompt_version.startswith("contradiction@")
    assert asking.budget.ledger.calls == 0
    assert asking.terms.switched_off == "no_key"


# never_upload -----------------------------------------------------------------------------------------


def test_never_upload_refuses_judges_that_upload() -> None:
    with pytest.raises(ValueError, match="never_upload is set"):
        config(never_upload=True)
    forced = config().model_copy(update={"never_upload": True})
    with pytest.raises(ConfigError, match="never_upload"):
        open_configured(forced, LoopClock(), Counters())
    with pytest.raises(ConfigError, match="would send pictures away"):
        SecondOpinions(forced, ScriptedJudge(), LoopClock(), Counters())


def test_no_judge_is_said() -> None:
    with pytest.raises(ConfigError, match="name one"):
        open_configured(EscalateConfig(), LoopClock(), Counters())
    with pytest.raises(ConfigError, match="name one"):
        SecondOpinions(EscalateConfig(), ScriptedJudge(), LoopClock(), Counters())


# A judge in the place of the fast tier ----------------------------------------------------------------


@in_virtual_time
async def test_judge_as_a_tier_finds_what_it_says_yes_to() -> None:
    judge = ScriptedJudge(after_s=0)
    tier = JudgeTier(config(), judge, worker=at_once)
    assert tier.name == "cloud"
    findings = await tier.analyse([frame()], CONTEXT, START_MS + 500)
    assert [finding.message for finding in findings.findings] == ["The two labels name different countries."]
    assert findings.stages_ms == {"judge": 1234.0}
    assert judge.deadlines_ms == [START_MS + 500]
    judge.says = answer(Verdict.NO)
    assert (await tier.analyse([frame()], CONTEXT, START_MS + 500)).findings == ()
    judge.says = answer(Verdict.UNKNOWN, problem="empty")
    with pytest.raises(TierError, match="empty"):
        await tier.analyse([frame()], CONTEXT, START_MS + 500)
    await tier.close()
    assert judge.closed


# Faces ------------------------------------------------------------------------------------------------


def test_faces_need_their_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arwarden.escalate.faces.importlib.util.find_spec", lambda _name: None)
    with pytest.raises(ConfigError, match=r"arwarden\[faces\]"):
        open_faces()


def test_faces_are_decoded_from_heat_sides_and_offsets() -> None:
    heat = np.zeros((8, 16), np.float32)
    sides, offsets = np.ones((2, 8, 16), np.float32), np.zeros((2, 8, 16), np.float32)
    heat[3, 5] = 0.9
    sides[:, 3, 5] = (4.0, 2.0)
    boxes, scores = decode(heat, sides, offsets, (64, 32))
    assert scores.tolist() == pytest.approx([0.9])
    # The centre is (5.5, 3.5) cells of 4 px, the face 8 px wide and 16 px tall.
    assert boxes[0].tolist() == pytest.approx([18 / 64, 6 / 32, 8 / 64, 16 / 32])
