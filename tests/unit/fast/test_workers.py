from __future__ import annotations

import asyncio
import gc
import threading
import time
from collections.abc import Awaitable, Callable, Iterator

import pytest

from arwarden.core.clock import SystemClock
from arwarden.core.counters import Counters
from arwarden.core.errors import DeadlineExceeded, ModelError, TierError
from arwarden.fast import workers
from arwarden.fast.workers import WorkerPool

CLOCK = SystemClock()
FAR_MS = 60_000.0


def soon(in_ms: float = FAR_MS) -> float:
    return CLOCK.now_ms() + in_ms


class Gate:
    """Work that says when it has begun and waits until it is let through."""

    def __init__(self) -> None:
        self.begun = threading.Event()
        self._open = threading.Event()

    def work(self) -> str:
        self.begun.set()
        self._open.wait(20)
        return "through"

    def open(self) -> None:
        self._open.set()

    async def wait_begun(self) -> None:
        assert await asyncio.to_thread(self.begun.wait, 10)


@pytest.fixture
def gates() -> Iterator[Callable[[], Gate]]:
    made: list[Gate] = []

    def make() -> Gate:
        made.append(Gate())
        return made[-1]

    yield make
    for gate in made:
        gate.open()


@pytest.fixture
def pools() -> Iterator[Callable[..., WorkerPool]]:
    made: list[WorkerPool] = []

    def make(size: int = 1, capacity: int = 4, **options: object) -> WorkerPool:
        made.append(WorkerPool(size, capacity, CLOCK, **options))  # type: ignore[arg-type]
        return made[-1]

    yield make
    for pool in made:
        pool.close_now(0)


Pools = Callable[..., WorkerPool]
Gates = Callable[[], Gate]


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not condition():  # noqa: ASYNC110 - what is awaited happens in another thread
            await asyncio.sleep(0.005)


async def settled(*tasks: Awaitable[object]) -> list[object]:
    async with asyncio.timeout(10):
        return list(await asyncio.gather(*tasks, return_exceptions=True))


async def test_work_runs_in_a_named_thread_of_the_pool(pools: Pools) -> None:
    done = await pools().run(lambda: threading.current_thread().name, soon())
    assert done.value == "inference-1"
    assert done.queue_ms >= 0


async def test_one_thread_runs_one_piece_at_a_time(pools: Pools, gates: Gates) -> None:
    pool, first, second = pools(), gates(), gates()
    tasks = [asyncio.create_task(pool.run(gate.work, soon())) for gate in (first, second)]
    await first.wait_begun()
    await asyncio.sleep(0.05)
    assert not second.begun.is_set()
    first.open()
    await second.wait_begun()
    second.open()
    done = [await task for task in tasks]
    assert done[0].queue_ms < done[1].queue_ms
    assert done[1].queue_ms >= 40
    assert pool.pending == 0


async def test_as_many_pieces_run_as_there_are_threads(pools: Pools, gates: Gates) -> None:
    pool, all_gates = pools(2), [gates(), gates()]
    tasks = [asyncio.create_task(pool.run(gate.work, soon())) for gate in all_gates]
    for gate in all_gates:
        await gate.wait_begun()
    assert pool.pending == 2
    for gate in all_gates:
        gate.open()
    assert [result.value for result in await asyncio.gather(*tasks)] == ["through", "through"]


async def test_beyond_its_capacity_the_pool_refuses(pools: Pools, gates: Gates) -> None:
    counters = Counters()
    pool, gate = pools(1, 2, counters=counters), gates()
    tasks = [asyncio.create_task(pool.run(gate.work, soon())) for _ in range(2)]
    await gate.wait_begun()
    with pytest.raises(TierError, match="2 pictures wait"):
        await pool.run(gate.work, soon())
    assert counters["fast.refused"] == 1
    gate.open()
    await settled(*tasks)
    assert (await pool.run(lambda: "again", soon())).value == "again"


async def test_work_still_queued_at_its_deadline_is_given_up(pools: Pools, gates: Gates) -> None:
    counters = Counters()
    pool, gate = pools(counters=counters), gates()
    running = asyncio.create_task(pool.run(gate.work, soon()))
    await gate.wait_begun()
    began: list[int] = []
    with pytest.raises(DeadlineExceeded, match="not begun after"):
        await pool.run(lambda: began.append(1), soon(60))
    assert counters["fast.deadline_exceeded"] == 1
    assert pool.pending == 1
    gate.open()
    await running
    assert began == []


async def test_work_submitted_past_its_deadline_does_not_begin(pools: Pools) -> None:
    began: list[int] = []
    with pytest.raises(DeadlineExceeded):
        await pools().run(lambda: began.append(1), soon(-5))
    assert began == []


async def test_work_that_has_begun_is_finished_past_its_deadline(pools: Pools, gates: Gates) -> None:
    gate = gates()
    task = asyncio.create_task(pools().run(gate.work, soon(300)))
    await gate.wait_begun()
    await asyncio.sleep(0.4)
    assert not task.done()
    gate.open()
    assert (await task).value == "through"


@pytest.mark.parametrize("error", [ZeroDivisionError("x"), MemoryError(), StopIteration(), SystemExit(3)])
async def test_broken_work_is_a_tier_error_and_the_thread_goes_on(pools: Pools, error: BaseException) -> None:
    def broken() -> None:
        raise error

    pool = pools()
    with pytest.raises(TierError, match=f"the inference broke: {type(error).__name__}") as caught:
        await pool.run(broken, soon())
    assert caught.value.__cause__ is error
    assert (await pool.run(lambda: threading.current_thread().name, soon())).value == "inference-1"


async def test_errors_of_our_own_pass_unchanged(pools: Pools) -> None:
    def broken() -> None:
        msg = "the file is gone"
        raise ModelError(msg)

    with pytest.raises(ModelError, match="the file is gone"):
        await pools().run(broken, soon())


async def test_a_stuck_thread_is_reported_and_replaced(pools: Pools, gates: Gates) -> None:
    counters = Counters()
    pool, gate = pools(stuck_after_ms=80, counters=counters), gates()
    with pytest.raises(TierError, match="hangs since 80 ms"):
        await pool.run(gate.work, soon())
    assert counters["fast.stuck"] == 1
    assert (await pool.run(lambda: threading.current_thread().name, soon())).value == "inference-2"


async def test_a_thread_whose_waiter_left_is_still_found_stuck(pools: Pools, gates: Gates) -> None:
    counters = Counters()
    pool, gate = pools(stuck_after_ms=80, counters=counters), gates()
    task = asyncio.create_task(pool.run(gate.work, soon()))
    await gate.wait_begun()
    task.cancel()
    await settled(task)
    await asyncio.sleep(0.1)
    assert (await pool.run(lambda: "free", soon())).value == "free"
    assert counters["fast.stuck"] == 1


async def test_a_stuck_thread_that_comes_back_takes_no_more_work(pools: Pools, gates: Gates) -> None:
    pool, gate = pools(stuck_after_ms=80), gates()
    await settled(pool.run(gate.work, soon()))
    lost = next(thread for thread in threading.enumerate() if thread.name == "inference-1")
    gate.open()
    await asyncio.to_thread(lost.join, 10)
    assert not lost.is_alive()


async def test_replacing_has_an_end_and_recovers(
    pools: Pools, gates: Gates, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "MAX_ABANDONED", 1)
    pool, all_gates = pools(stuck_after_ms=50), [gates(), gates()]
    for gate in all_gates:
        await settled(pool.run(gate.work, soon()))
    with pytest.raises(TierError, match="all 2 inference threads hang; restart"):
        await pool.run(lambda: "never", soon())
    for gate in all_gates:
        gate.open()
    lost = [thread for thread in threading.enumerate() if thread.name in {"inference-1", "inference-2"}]
    for thread in lost:
        await asyncio.to_thread(thread.join, 10)
    assert (await pool.run(lambda: "recovered", soon())).value == "recovered"


async def test_a_cancelled_waiter_takes_its_queued_work_with_it(pools: Pools, gates: Gates) -> None:
    pool, gate, began = pools(), gates(), []
    running = asyncio.create_task(pool.run(gate.work, soon()))
    await gate.wait_begun()
    queued = asyncio.create_task(pool.run(lambda: began.append(1), soon()))
    await until(lambda: pool.pending == 2)
    queued.cancel()
    await settled(queued)
    assert pool.pending == 1
    gate.open()
    await running
    assert began == []


async def test_a_late_error_without_a_waiter_is_no_unhandled_one(pools: Pools) -> None:
    unhandled: list[dict[str, object]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, context: unhandled.append(context))
    begun, go_on = threading.Event(), threading.Event()

    def broken() -> None:
        begun.set()
        go_on.wait(10)
        raise ZeroDivisionError

    pool = pools()
    task = asyncio.create_task(pool.run(broken, soon()))
    await asyncio.to_thread(begun.wait, 10)
    task.cancel()
    await settled(task)
    go_on.set()
    await pool.run(lambda: None, soon())
    del task
    gc.collect()
    await asyncio.sleep(0)
    assert unhandled == []


async def test_closing_ends_the_threads_and_refuses_what_waits(pools: Pools, gates: Gates) -> None:
    pool, gate = pools(), gates()
    running = asyncio.create_task(pool.run(gate.work, soon()))
    await gate.wait_begun()
    waiting = asyncio.create_task(pool.run(gate.work, soon()))
    await until(lambda: pool.pending == 2)
    closing = asyncio.create_task(pool.close(10_000))
    (refused,) = await settled(waiting)
    assert isinstance(refused, TierError)
    assert str(refused) == "the fast tier is closing"
    gate.open()
    assert (await running).value == "through"
    assert await closing is True
    with pytest.raises(TierError, match="closed"):
        await pool.run(gate.work, soon())


async def test_closing_does_not_wait_for_a_hanging_thread(pools: Pools, gates: Gates) -> None:
    counters = Counters()
    pool, gate = pools(counters=counters), gates()
    running = asyncio.create_task(pool.run(gate.work, soon()))
    await gate.wait_begun()
    begun = time.monotonic()
    assert await pool.close(100) is False
    assert time.monotonic() - begun < 5
    assert counters["fast.threads_left_behind"] == 1
    gate.open()
    assert (await running).value == "through"


def test_an_unused_pool_has_no_threads_and_closes_at_once() -> None:
    before = threading.active_count()
    pool = WorkerPool(4, 8, CLOCK)
    assert threading.active_count() == before
    assert pool.close_now(0) is True
    assert pool.close_now(0) is True


async def test_many_callers_are_all_served(pools: Pools) -> None:
    pool = pools(3, 64)
    results = await asyncio.gather(*(pool.run(lambda n=n: n * n, soon()) for n in range(60)))  # type: ignore[misc]
    assert [done.value for done in results] == [n * n for n in range(60)]
    assert pool.pending == 0
