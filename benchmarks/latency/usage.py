"""Processor time and memory of one process, measured from outside."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

import psutil

from benchmarks.latency.records import mono_ms

SAMPLE_EVERY_S = 0.5
MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class MemorySample:
    """Resident memory of a process at one moment."""

    at_mono_ms: float
    rss_bytes: int


@dataclass(frozen=True, slots=True)
class Usage:
    """What a process used in a window of time."""

    from_mono_ms: float
    to_mono_ms: float
    cpu_s: float
    memory: tuple[MemorySample, ...]

    @property
    def seconds(self) -> float:
        """Length of the window."""
        return (self.to_mono_ms - self.from_mono_ms) / 1000.0

    def cpu_s_per_stream_minute(self, streams: int) -> float:
        """Processor seconds per minute of one stream, user and system."""
        return self.cpu_s * 60.0 / (self.seconds * streams)


@dataclass(frozen=True, slots=True)
class MemoryUse:
    """Resident memory over a window, in MiB."""

    start_mib: float
    end_mib: float
    highest_mib: float
    growth_second_half_mib: float
    """Median of the last fifth minus median of the fifth around the middle: one peak decides nothing."""


def memory_use(samples: Sequence[MemorySample]) -> MemoryUse:
    """Sum up memory samples in order of time. Raises ``ValueError`` without any."""
    if not samples:
        msg = "no memory sample was taken"
        raise ValueError(msg)
    sizes = [sample.rss_bytes / MIB for sample in samples]
    fifth = max(1, len(sizes) // 5)
    middle = max(0, len(sizes) // 2 - fifth // 2)
    growth = _median(sizes[-fifth:]) - _median(sizes[middle : middle + fifth])
    return MemoryUse(sizes[0], sizes[-1], max(sizes), growth)


def _median(values: Sequence[float]) -> float:
    ordered = sorted(values)
    return (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2


async def watch(pid: int, seconds: float) -> Usage:
    """Measure a process for this long. Raises ``psutil.NoSuchProcess`` where it ends meanwhile."""
    process = psutil.Process(pid)
    from_ms = mono_ms()
    before = process.cpu_times()
    memory = [MemorySample(from_ms, process.memory_info().rss)]
    while (left_s := seconds - (mono_ms() - from_ms) / 1000.0) > 0:
        await asyncio.sleep(min(SAMPLE_EVERY_S, left_s))
        memory.append(MemorySample(mono_ms(), process.memory_info().rss))
    after = process.cpu_times()
    cpu_s = after.user + after.system - before.user - before.system
    # Sums of hundredths may differ in the last bit.
    return Usage(from_ms, mono_ms(), max(0.0, cpu_s), tuple(memory))
