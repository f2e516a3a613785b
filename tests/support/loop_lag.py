"""How late the event loop itself is: what a busy machine adds to every deadline, ours or not."""

from __future__ import annotations

import asyncio
import time
from types import TracebackType
from typing import Self

TICK_S = 0.005


class LoopLag:
    """Measures the longest time by which a timer came late while the block ran."""

    worst_ms = 0.0

    async def __aenter__(self) -> Self:
        self._ticking = asyncio.ensure_future(self._tick())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ticking.cancel()

    async def _tick(self) -> None:
        while True:
            before = time.perf_counter()
            await asyncio.sleep(TICK_S)
            self.worst_ms = max(self.worst_ms, (time.perf_counter() - before - TICK_S) * 1000)
