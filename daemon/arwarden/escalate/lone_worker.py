"""One thread for work that fills the machine by itself: one piece at a time, and a way to stop it early."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from arwarden.core.errors import JudgeBusy

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Job(Generic[T]):
    work: Callable[[threading.Event], T]
    stop: threading.Event
    done: asyncio.Future[T]
    loop: asyncio.AbstractEventLoop


class LoneWorker:
    """Runs one piece of work at a time. Nobody waits for it longer than they said."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._free = asyncio.Semaphore(1)
        self._jobs: queue.SimpleQueue[_Job[Any] | None] = queue.SimpleQueue()
        self._stop_now = threading.Event()
        self._thread = threading.Thread(target=self._serve, name=f"judge-{name}", daemon=True)
        self._thread.start()

    async def run(self, work: Callable[[threading.Event], T], wait_ms: float) -> T:
        """What ``work`` returns or raises. It is given an event that is set when nobody wants its result.

        Raises ``JudgeBusy`` where earlier work has not ended within ``wait_ms``: work that was given up still
        takes the thread until it notices.
        """
        try:
            async with asyncio.timeout(max(0.0, wait_ms) / 1000):
                await self._free.acquire()
        except TimeoutError:
            raise JudgeBusy(self._name, "busy_here", "it still works on an earlier question") from None
        loop = asyncio.get_running_loop()
        job: _Job[T] = _Job(work, threading.Event(), loop.create_future(), loop)
        self._jobs.put(job)
        try:
            return await job.done
        finally:
            job.stop.set()

    async def close(self, timeout_s: float) -> bool:
        """Stop what runs and end the thread. False where it has not ended within ``timeout_s``."""
        self._stop_now.set()
        self._jobs.put(None)
        await asyncio.to_thread(self._thread.join, timeout_s)
        return not self._thread.is_alive()

    def _serve(self) -> None:
        while (job := self._jobs.get()) is not None:
            result: Any = None
            error: BaseException | None = None
            if self._stop_now.is_set():
                job.stop.set()
            try:
                result = job.work(job.stop)
            except BaseException as raised:  # noqa: BLE001  # whoever waits gets it, whatever it is
                error = raised
            with suppress(RuntimeError):  # the loop that waited is closed
                job.loop.call_soon_threadsafe(self._hand_over, job, result, error)

    def _hand_over(self, job: _Job[Any], result: object, error: BaseException | None) -> None:
        self._free.release()
        if job.done.done():
            return
        if error is None:
            job.done.set_result(result)
        else:
            job.done.set_exception(error)
