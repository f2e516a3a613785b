"""Breaker, limits and sharing around a judge, in virtual time."""

from __future__ import annotations

import asyncio

import pytest

from arwarden.config import JudgeLimits
from arwarden.core.counters import Counters
from arwarden.core.errors import CircuitOpen, DeadlineExceeded, JudgeBroken, JudgeBusy, TierError
from arwarden.escalate.answers import Answer, Judgement, Verdict
from arwarden.escalate.guard import GuardedJudge
from tests.support.virtual_loop import LoopClock, in_virtual_time
from tests.unit.escalate.asking import UNREADABLE, YES, ScriptedJudge, question

LIMITS = JudgeLimits(concurrent=2, waiting=1, wait_ms=300, failures=3, open_ms=1000, max_open_ms=4000)
BROKEN = JudgeBroken("scripted", "http_500")


class Set:
    """A guarded, scripted judge with its clock and counters."""

    def __init__(self, *script: Judgement | TierError, takes_ms: float = 0.0) -> None:
        self.clock = LoopClock()
        self.counters = Counters()
        self.inner = ScriptedJudge(self.clock, *script, takes_ms=takes_ms)
        self.judge = GuardedJudge(self.inner, LIMITS, self.clock, self.counters)

    async def ask(self, scene: str = "", within_ms: float = 1000) -> Answer:
        return await self.judge.ask(question(scene=scene), self.clock.now_ms() + within_ms)

    def state(self) -> str:
        return str(self.judge.state)

    async def outcomes(self, *scenes: str, within_ms: float = 1000) -> list[Answer | BaseException]:
        asked = (self.ask(scene, within_ms) for scene in scenes)
        return await asyncio.gather(*asked, return_exceptions=True)


@in_virtual_time
async def test_answers_pass_through_and_are_counted() -> None:
    made = Set(YES, UNREADABLE)
    assert (await made.ask()).verdict is Verdict.YES
    assert not (await made.ask()).judgement.readable
    assert made.counters["escalate.scripted.answered"] == 1
    assert made.counters["escalate.scripted.unreadable"] == 1
    assert (made.judge.name, made.judge.model, made.judge.uploads) == ("scripted", "model-of-scripted", False)


@in_virtual_time
async def test_failures_open_the_circuit_and_a_probe_closes_it() -> None:
    made = Set(BROKEN, BROKEN, BROKEN, YES)
    for _ in range(3):
        with pytest.raises(JudgeBroken):
            await made.ask()
    with pytest.raises(CircuitOpen, match="asked again in 1000 ms"):
        await made.ask()
    assert len(made.inner.asked) == 3
    await asyncio.sleep(1.0)
    assert made.state() == "half_open"
    assert (await made.ask()).verdict is Verdict.YES
    assert made.state() == "closed"
    assert made.counters["escalate.scripted.failed.http_500"] == 3
    assert made.counters["escalate.scripted.circuit_open"] == 1


@in_virtual_time
async def test_a_judge_that_is_always_late_is_left_alone_too() -> None:
    made = Set(takes_ms=60_000)
    for scene in ("", "a", "b"):
        with pytest.raises(DeadlineExceeded):
            await made.ask(scene, within_ms=100)
    with pytest.raises(CircuitOpen):
        await made.ask("c")
    assert made.counters["escalate.scripted.failed.late"] == 3


@in_virtual_time
async def test_retry_after_is_respected() -> None:
    made = Set(JudgeBusy("scripted", "http_429", retry_after_ms=3000), YES)
    with pytest.raises(JudgeBusy):
        await made.ask()
    await asyncio.sleep(2.9)
    with pytest.raises(CircuitOpen):
        await made.ask()
    await asyncio.sleep(0.2)
    assert (await made.ask()).verdict is Verdict.YES


@in_virtual_time
async def test_a_judge_that_is_busy_with_our_own_work_is_not_at_fault() -> None:
    made = Set(JudgeBusy("scripted", "busy_here"))
    for _ in range(10):
        with pytest.raises(JudgeBusy):
            await made.ask()
    assert made.state() == "closed"


@in_virtual_time
async def test_unreadable_answers_do_not_open_it() -> None:
    made = Set(UNREADABLE)
    for _ in range(10):
        await made.ask()
    assert made.state() == "closed"


@in_virtual_time
async def test_so_many_at_a_time_so_many_in_line_and_no_more() -> None:
    made = Set(takes_ms=200)
    outcomes = await made.outcomes("", "", "", "", "")
    assert made.inner.most_in_flight == 2
    assert sum(isinstance(outcome, Answer) for outcome in outcomes) == 3
    refused = [outcome for outcome in outcomes if isinstance(outcome, JudgeBusy)]
    assert len(refused) == 2
    assert all(error.reason == "busy_here" for error in refused)
    assert made.counters["escalate.scripted.refused"] == 2


@in_virtual_time
async def test_nobody_waits_in_line_longer_than_configured_or_than_they_have() -> None:
    made = Set(takes_ms=900)
    first = asyncio.ensure_future(made.outcomes("", ""))
    await asyncio.sleep(0.01)
    begun_ms = made.clock.now_ms()
    with pytest.raises(JudgeBusy, match="no turn within 300 ms"):
        await made.ask()
    assert made.clock.now_ms() - begun_ms == pytest.approx(300, abs=2)
    with pytest.raises(JudgeBusy, match="no turn within 50 ms"):
        await made.ask(within_ms=50)
    assert all(isinstance(outcome, Answer) for outcome in await first)
    assert (await made.ask()).verdict is Verdict.YES, "those who left gave their places back"


@in_virtual_time
async def test_the_same_scene_is_asked_about_once() -> None:
    made = Set(takes_ms=100)
    outcomes = await made.outcomes("hall", "hall", "hall", "shop")
    assert len(made.inner.asked) == 2
    assert all(isinstance(outcome, Answer) for outcome in outcomes)
    assert made.counters["escalate.scripted.shared"] == 2
    await made.ask("hall")
    assert len(made.inner.asked) == 3, "a request that has ended is not shared"


@in_virtual_time
async def test_a_shared_failure_is_everybodys() -> None:
    made = Set(BROKEN, takes_ms=100)
    assert [type(outcome) for outcome in await made.outcomes("hall", "hall")] == [JudgeBroken, JudgeBroken]
    assert len(made.inner.asked) == 1


@in_virtual_time
async def test_who_joins_keeps_their_own_earlier_deadline() -> None:
    made = Set(takes_ms=500)
    first = asyncio.ensure_future(made.ask("hall"))
    await asyncio.sleep(0.1)
    begun_ms = made.clock.now_ms()
    with pytest.raises(DeadlineExceeded):
        await made.ask("hall", within_ms=50)
    assert made.clock.now_ms() - begun_ms == pytest.approx(50, abs=2)
    assert (await first).verdict is Verdict.YES
    assert made.inner.cancelled == 0


@in_virtual_time
async def test_a_request_goes_on_while_anybody_waits_and_ends_with_the_last() -> None:
    made = Set(takes_ms=500)
    first = asyncio.ensure_future(made.ask("hall"))
    second = asyncio.ensure_future(made.ask("hall"))
    await asyncio.sleep(0.1)
    first.cancel()
    await asyncio.sleep(0.1)
    assert made.inner.in_flight == 1
    second.cancel()
    await asyncio.sleep(0.1)
    assert made.inner.cancelled == 1
    assert made.state() == "closed"
    assert (await made.ask("hall")).verdict is Verdict.YES


@in_virtual_time
async def test_who_asks_just_as_the_last_one_leaves_gets_a_request_of_their_own() -> None:
    made = Set(takes_ms=500)
    first = asyncio.ensure_future(made.ask("hall"))
    await asyncio.sleep(0.1)

    async def ask_as_it_ends() -> Answer:
        first.cancel()
        await asyncio.wait({first})
        return await made.ask("hall")

    assert (await ask_as_it_ends()).verdict is Verdict.YES
    assert len(made.inner.asked) == 2


@in_virtual_time
async def test_closing_ends_what_is_in_flight() -> None:
    made = Set(takes_ms=500)
    askers = [asyncio.ensure_future(made.ask("hall")) for _ in range(2)]
    await asyncio.sleep(0.1)
    await made.judge.close()
    for asker in askers:
        with pytest.raises(JudgeBroken, match="closed before it had answered"):
            await asker
    assert made.inner.closed
