from __future__ import annotations

import os
import threading

import psutil
import pytest

from benchmarks.latency.usage import MIB, MemorySample, Usage, memory_use, watch


def samples(*sizes_mib: float) -> list[MemorySample]:
    return [MemorySample(500.0 * number, round(size * MIB)) for number, size in enumerate(sizes_mib)]


def test_growth_is_that_of_the_second_half() -> None:
    use = memory_use(samples(100, 140, 160, 170, 180, 180, 181, 182, 183, 184, 185))
    assert (use.start_mib, use.end_mib, use.highest_mib) == (100, 185, 185)
    assert use.growth_second_half_mib == pytest.approx(184.5 - 180.0, abs=0.6)


def test_one_peak_is_no_growth() -> None:
    use = memory_use(samples(*[100.0] * 19, 150.0))
    assert use.growth_second_half_mib == 0.0
    assert use.highest_mib == 150.0


def test_memory_that_shrinks_has_negative_growth() -> None:
    assert memory_use(samples(100, 100, 100, 90, 80, 70)).growth_second_half_mib < 0


def test_few_samples_are_enough() -> None:
    assert memory_use(samples(100)).growth_second_half_mib == 0.0
    assert memory_use(samples(100, 110)).end_mib == 110


def test_no_sample_is_an_error() -> None:
    with pytest.raises(ValueError, match="no memory sample"):
        memory_use([])


def test_cpu_is_given_per_minute_of_one_stream() -> None:
    usage = Usage(1000.0, 31_000.0, 12.0, ())
    assert usage.seconds == 30.0
    assert usage.cpu_s_per_stream_minute(1) == 24.0
    assert usage.cpu_s_per_stream_minute(4) == 6.0


async def test_process_is_measured_while_it_works() -> None:
    over = threading.Event()

    def work() -> None:
        while not over.is_set():
            sum(range(1000))

    worker = threading.Thread(target=work)
    worker.start()
    try:
        usage = await watch(os.getpid(), 0.5)
    finally:
        over.set()
        worker.join()
    assert 0.5 <= usage.seconds < 30.0
    assert usage.cpu_s > 0.0
    assert len(usage.memory) >= 2
    assert usage.memory[0].rss_bytes > MIB


async def test_process_that_is_gone_is_an_error() -> None:
    gone = max(psutil.pids()) + 100_000
    with pytest.raises(psutil.NoSuchProcess):
        await watch(gone, 0.1)
