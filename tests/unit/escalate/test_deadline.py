from __future__ import annotations

import asyncio

import pytest

from arwarden.core.errors import DeadlineExceeded, JudgeBroken
from arwarden.escalate.deadline import Deadlines
from tests.support.virtual_loop import LoopClock, in_virtual_time


async def slowly(ms: float, value: str = "done") -> str:
    await asyncio.sleep(ms / 1000)
    return value


@in_virtual_time
async def test_what_ends_in_time_is_returned() -> None:
    clock = LoopClock()
    assert await Deadlines("judge", clock).run(slowly(99), clock.now_ms() + 100) == "done"


@in_virtual_time
async def test_what_is_late_is_cancelled_at_the_deadline() -> None:
    clock = LoopClock()
    begun_ms = clock.now_ms()
    deadlines = Deadlines("judge", clock)
    with pytest.raises(DeadlineExceeded, match="judge: no answer within 100 ms"):
        await deadlines.run(slowly(500), begun_ms + 100)
    assert clock.now_ms() - begun_ms == pytest.approx(100, abs=1)
    await asyncio.sleep(0.001)
    assert deadlines.leftovers == 0


@in_virtual_time
async def test_work_that_will_not_be_cancelled_holds_nobody_up() -> None:
    ended = asyncio.Event()

    async def stubborn() -> None:
        try:
            await asyncio.sleep(10)
        except asyncio.CancelledError:
            await asyncio.sleep(1)
            ended.set()
            raise JudgeBroken("judge", "late_error") from None

    clock = LoopClock()
    begun_ms = clock.now_ms()
    deadlines = Deadlines("judge", clock)
    with pytest.raises(DeadlineExceeded):
        await deadlines.run(stubborn(), begun_ms + 100)
    assert clock.now_ms() - begun_ms == pytest.approx(100, abs=1)
    assert deadlines.leftovers == 1
    await deadlines.close(timeout_s=5)
    assert ended.is_set()
    assert deadlines.leftovers == 0


@in_virtual_time
async def test_nothing_begins_after_its_deadline() -> None:
    clock = LoopClock()
    with pytest.raises(DeadlineExceeded, match="had passed"):
        await Deadlines("judge", clock).run(slowly(0), clock.now_ms() - 1)


@in_virtual_time
async def test_errors_of_the_work_come_through() -> None:
    async def broken() -> None:
        raise JudgeBroken("judge", "http_500")

    clock = LoopClock()
    with pytest.raises(JudgeBroken):
        await Deadlines("judge", clock).run(broken(), clock.now_ms() + 100)


@in_virtual_time
async def test_who_gives_up_cancels_the_work() -> None:
    cancelled = asyncio.Event()

    async def work() -> None:
        try:
            await asyncio.sleep(10)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    clock = LoopClock()
    deadlines = Deadlines("judge", clock)
    asker = asyncio.ensure_future(deadlines.run(work(), clock.now_ms() + 5000))
    await asyncio.sleep(0.1)
    asker.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asker
    await deadlines.close()
    assert cancelled.is_set()
