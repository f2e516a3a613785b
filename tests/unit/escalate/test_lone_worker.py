from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator

import pytest

from arwarden.core.errors import JudgeBusy
from arwarden.escalate.lone_worker import LoneWorker


@pytest.fixture
async def worker() -> AsyncIterator[LoneWorker]:
    made = LoneWorker("test")
    yield made
    assert await made.close(5.0)


def until_told(stop: threading.Event) -> str:
    return "stopped" if stop.wait(10) else "never told"


async def test_results_and_errors_come_back(worker: LoneWorker) -> None:
    names = [await worker.run(lambda _: threading.current_thread().name, 1000) for _ in range(2)]
    assert names == ["judge-test", "judge-test"]

    def broken(_: threading.Event) -> None:
        raise MemoryError("too large")

    with pytest.raises(MemoryError, match="too large"):
        await worker.run(broken, 1000)
    assert await worker.run(lambda _: 7, 1000) == 7


async def test_one_at_a_time(worker: LoneWorker) -> None:
    running = 0
    most = 0

    def work(_: threading.Event) -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        time.sleep(0.02)
        running -= 1

    await asyncio.gather(*(worker.run(work, 5000) for _ in range(4)))
    assert most == 1


async def test_work_that_is_given_up_is_told_and_the_next_waits_for_it(worker: LoneWorker) -> None:
    told = threading.Event()

    def work(stop: threading.Event) -> None:
        stop.wait(10)
        told.set()

    asker = asyncio.ensure_future(worker.run(work, 1000))
    await asyncio.sleep(0.02)
    asker.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asker
    assert await worker.run(lambda _: told.is_set(), 5000)


async def test_nobody_waits_longer_than_they_said(worker: LoneWorker) -> None:
    release = threading.Event()
    asker = asyncio.ensure_future(worker.run(lambda _: release.wait(10), 1000))
    await asyncio.sleep(0.02)
    for wait_ms in (20.0, 0.0, -5.0):
        with pytest.raises(JudgeBusy) as caught:
            await worker.run(until_told, wait_ms)
        assert caught.value.reason == "busy_here"
    release.set()
    assert await asker


async def test_closing_tells_what_runs_at_the_end_of_its_wait() -> None:
    worker = LoneWorker("short")
    asker = asyncio.ensure_future(worker.run(until_told, 1000))
    await asyncio.sleep(0.02)
    asker.cancel()
    assert await worker.close(5.0)


async def test_closing_does_not_wait_for_ever() -> None:
    worker = LoneWorker("stuck")
    release = threading.Event()
    asker = asyncio.ensure_future(worker.run(lambda _: release.wait(30), 1000))
    await asyncio.sleep(0.02)
    assert not await worker.close(0.05)
    release.set()
    assert await asker


def test_a_loop_that_is_gone_when_the_work_ends_harms_nobody() -> None:
    worker = LoneWorker("orphan")
    release = threading.Event()
    ended = threading.Event()

    def work(_: threading.Event) -> None:
        release.wait(10)
        ended.set()

    async def begin() -> None:
        asker = asyncio.ensure_future(worker.run(work, 1000))
        await asyncio.sleep(0.02)
        asker.cancel()

    asyncio.run(begin())
    release.set()
    assert ended.wait(5)
    assert asyncio.run(worker.close(5.0))
