"""Latencies of the last minute, and the lag of the event loop."""

from __future__ import annotations

import asyncio
import time
from collections import deque

import numpy as np

WINDOW_MS = 60_000.0
MAX_KEPT = 1024
LAG_PROBE_S = 0.05


class RecentLatency:
    """Percentiles over the last minute, from at most 1024 values."""

    def __init__(self) -> None:
        self._values: deque[tuple[float, float]] = deque(maxlen=MAX_KEPT)

    def add(self, value_ms: float, now_ms: float) -> None:
        """Note one latency, measured at ``now_ms``."""
        self._values.append((now_ms, value_ms))

    def percentile(self, share: float, now_ms: float) -> float | None:
        """The value below which ``share`` (0..1) of the last minute lies; None without any."""
        while self._values and now_ms - self._values[0][0] > WINDOW_MS:
            self._values.popleft()
        if not self._values:
            return None
        return float(np.percentile([value for _, value in self._values], share * 100.0))


class RecentRate:
    """Events per second over the last two seconds."""

    _SPAN_MS = 2000.0

    def __init__(self) -> None:
        self._times_ms: deque[float] = deque(maxlen=512)

    def add(self, now_ms: float) -> None:
        """Note one event."""
        self._times_ms.append(now_ms)

    def per_second(self, now_ms: float) -> float:
        """Events per second."""
        while self._times_ms and now_ms - self._times_ms[0] > self._SPAN_MS:
            self._times_ms.popleft()
        return len(self._times_ms) * 1000.0 / self._SPAN_MS


class LoopLag:
    """Measures how late the event loop wakes a sleeper: what a blocking call would do to ICE consent."""

    def __init__(self) -> None:
        self.recent = RecentLatency()
        self.worst_ms = 0.0

    async def run(self) -> None:
        """Probe every 50 ms until cancelled."""
        while True:
            asleep = time.monotonic()
            await asyncio.sleep(LAG_PROBE_S)
            awake = time.monotonic()
            lag_ms = max(0.0, (awake - asleep - LAG_PROBE_S) * 1000.0)
            self.worst_ms = max(self.worst_ms, lag_ms)
            self.recent.add(lag_ms, awake * 1000.0)

    def p95_ms(self) -> float:
        """95th percentile over the last minute."""
        return self.recent.percentile(0.95, time.monotonic() * 1000.0) or 0.0
