"""One deadline over everything that an answer takes, kept even where the work does not end when told to."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from arwarden.core.clock import Clock
from arwarden.core.errors import DeadlineExceeded

T = TypeVar("T")


class Deadlines:
    """Runs work by a deadline. What is late is cancelled and left to end by itself, up to ``close``.

    ``asyncio.timeout`` would wait for the cancelled work: a connection that closes slowly, or a handler that
    swallows the cancellation, would hold up the caller.
    """

    def __init__(self, name: str, clock: Clock) -> None:
        self._name = name
        self._clock = clock
        self._leftovers: set[asyncio.Task[Any]] = set()

    @property
    def leftovers(self) -> int:
        """Pieces of work that were cancelled and have not ended yet."""
        return len(self._leftovers)

    async def run(self, work: Coroutine[Any, Any, T], deadline_ms: float) -> T:
        """The result of ``work``, or what it raises.

        Raises:
            DeadlineExceeded: it has not ended by ``deadline_ms``, a point on the daemon's clock.
        """
        left_ms = deadline_ms - self._clock.now_ms()
        if left_ms <= 0:
            work.close()
            raise DeadlineExceeded(f"{self._name}: the deadline had passed before it began")
        task = asyncio.ensure_future(work)
        try:
            await asyncio.wait({task}, timeout=left_ms / 1000)
        except asyncio.CancelledError:
            self._leave(task)
            raise
        if not task.done():
            self._leave(task)
            raise DeadlineExceeded(f"{self._name}: no answer within {left_ms:.0f} ms")
        return task.result()

    async def close(self, timeout_s: float = 1.0) -> None:
        """Wait for what was left over, at most ``timeout_s``."""
        if self._leftovers:
            await asyncio.wait(set(self._leftovers), timeout=timeout_s)

    def _leave(self, task: asyncio.Task[Any]) -> None:
        task.cancel()
        self._leftovers.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._leftovers.discard(task)
        if not task.cancelled():
            task.exception()  # looked at, so that asyncio does not report it: nobody waits for it any more
