"""Processes of the benchmark: real ones, because what matters is that none is left behind."""

from __future__ import annotations

import os

import psutil
import pytest

from benchmarks.latency.children import MARK, STOP, BenchmarkFailed, Child, Orders
from benchmarks.latency.records import Mark, SenderReady


async def obedient(spec: float, orders: Orders) -> None:
    orders.answer(SenderReady(spec))
    while (order := await orders.next()) != STOP:
        if order == MARK:
            orders.answer(Mark(float(os.getpid()), {}))


async def broken(_spec: float, _orders: Orders) -> None:
    msg = "no camera"
    raise RuntimeError(msg)


async def gone(_spec: float, _orders: Orders) -> None:
    os._exit(3)


async def test_child_answers_in_a_process_of_its_own_and_ends_with_its_block() -> None:
    async with Child("obedient", obedient, 5.0) as child:
        assert await child.expect(SenderReady, 30) == SenderReady(5.0)
        mark = await child.ask(MARK, Mark, 10)
        assert mark.at_mono_ms == child.pid != os.getpid()
        pid = child.pid
    assert not psutil.pid_exists(pid)


async def test_childs_failure_is_told_with_its_reason() -> None:
    async with Child("broken", broken, 0.0) as child:
        with pytest.raises(BenchmarkFailed, match="broken, before its SenderReady: RuntimeError: no camera"):
            await child.expect(SenderReady, 30)


async def test_child_that_dies_is_noticed_at_once() -> None:
    async with Child("gone", gone, 0.0) as child:
        with pytest.raises(BenchmarkFailed, match="gone ended by itself"):
            await child.expect(SenderReady, 30)


async def test_silent_child_is_given_up_and_another_record_refused() -> None:
    async with Child("obedient", obedient, 5.0) as child:
        with pytest.raises(BenchmarkFailed, match="said SenderReady instead"):
            await child.expect(Mark, 30)
        with pytest.raises(BenchmarkFailed, match="gave no Mark within"):
            await child.expect(Mark, 0.05)
