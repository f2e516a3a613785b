from __future__ import annotations

import asyncio

import pytest

from arwarden.core.errors import DeadlineExceeded, JudgeBroken, JudgeError, JudgeRejected, SwitchedOff
from arwarden.escalate.answers import Answer, Verdict
from arwarden.escalate.fallback import Attempt, FallbackJudge
from tests.support.virtual_loop import LoopClock, in_virtual_time
from tests.unit.escalate.asking import UNREADABLE, YES, ScriptedJudge, question


async def ask(*judges: ScriptedJudge, within_ms: float = 1000) -> Answer:
    clock = judges[0].clock
    judge = FallbackJudge("fallback", [Attempt(inner, 300) for inner in judges], clock)
    return await judge.ask(question(), clock.now_ms() + within_ms)


@in_virtual_time
async def test_the_first_that_answers_is_the_only_one_asked() -> None:
    clock = LoopClock()
    first, second = ScriptedJudge(clock, YES, name="a"), ScriptedJudge(clock, YES, name="b")
    answer = await ask(first, second)
    assert (answer.judge, answer.failed) == ("a", ())
    assert second.asked == []


@in_virtual_time
async def test_errors_lateness_and_unreadable_answers_lead_to_the_next() -> None:
    clock = LoopClock()
    broken = ScriptedJudge(clock, JudgeBroken("a", "http_500"), name="a")
    slow = ScriptedJudge(clock, takes_ms=9000, name="b")
    mumbling = ScriptedJudge(clock, UNREADABLE, name="c")
    good = ScriptedJudge(clock, YES, takes_ms=50, name="d")
    answer = await ask(broken, slow, mumbling, good)
    assert answer.judge == "d"
    assert answer.failed == ("a: http_500", "b: late", "c: empty")
    assert answer.latency_ms == pytest.approx(350, abs=3)
    assert answer.spent.tokens_in == 200, "of both that answered"
    assert answer.spent.cost == pytest.approx(0.02)


@in_virtual_time
async def test_each_has_its_time_and_all_have_the_deadline() -> None:
    clock = LoopClock()
    judges = [ScriptedJudge(clock, takes_ms=9000, name=name) for name in "abc"]
    begun_ms = clock.now_ms()
    with pytest.raises(DeadlineExceeded, match="a: late; b: late"):
        await ask(*judges, within_ms=500)
    assert clock.now_ms() - begun_ms == pytest.approx(500, abs=3)
    assert judges[0].deadlines_ms == [begun_ms + 300]
    assert judges[1].deadlines_ms == [pytest.approx(begun_ms + 500)]
    assert judges[2].asked == []


@in_virtual_time
async def test_where_none_can_be_read_the_last_answer_is_given() -> None:
    clock = LoopClock()
    answer = await ask(
        ScriptedJudge(clock, UNREADABLE, name="a"), ScriptedJudge(clock, JudgeBroken("b", "x"), name="b")
    )
    assert answer.verdict is Verdict.UNKNOWN
    assert answer.judge == "a"


@in_virtual_time
async def test_where_all_fail_every_reason_is_named() -> None:
    clock = LoopClock()
    with pytest.raises(JudgeError, match="a: http_500; b: http_401") as caught:
        await ask(
            ScriptedJudge(clock, JudgeBroken("a", "http_500"), name="a"),
            ScriptedJudge(clock, JudgeRejected("b", "http_401"), name="b"),
        )
    assert caught.value.reason == "all_failed"


@in_virtual_time
async def test_it_speaks_for_all_of_them() -> None:
    clock = LoopClock()
    judges = [ScriptedJudge(clock, name=name) for name in "ab"]
    judge = FallbackJudge("both", [Attempt(inner, 300) for inner in judges], clock)
    assert (judge.name, judge.model, judge.uploads) == ("both", "model-of-a, model-of-b", False)
    await judge.close()
    assert all(inner.closed for inner in judges)


def test_it_needs_a_judge() -> None:
    with pytest.raises(ValueError, match="at least one"):
        FallbackJudge("none", [], LoopClock())


@in_virtual_time
async def test_giving_up_gives_up_the_attempt() -> None:
    clock = LoopClock()
    slow = ScriptedJudge(clock, takes_ms=200)
    asker = asyncio.ensure_future(ask(slow))
    await asyncio.sleep(0.05)
    asker.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asker
    assert slow.cancelled == 1


@in_virtual_time
async def test_what_a_judge_that_was_given_up_has_cost_is_not_known() -> None:
    clock = LoopClock()
    late = ScriptedJudge(clock, takes_ms=9000, name="a")
    assert (await ask(late, ScriptedJudge(clock, YES, name="b"))).uncounted
    off = ScriptedJudge(clock, SwitchedOff("a", "no_key"), name="a")
    answer = await ask(off, ScriptedJudge(clock, YES, name="b"))
    assert (answer.failed, answer.uncounted) == (("a: no_key",), False)


@in_virtual_time
async def test_all_switched_off_is_said_as_such() -> None:
    clock = LoopClock()
    with pytest.raises(SwitchedOff, match="a: no_key; b: no_model"):
        await ask(
            *(
                ScriptedJudge(clock, SwitchedOff(n, why), name=n)
                for n, why in [("a", "no_key"), ("b", "no_model")]
            )
        )
