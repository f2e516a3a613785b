"""Inference off the event loop: a few threads, a bounded queue, deadlines, and a way out of a stuck one.

``ThreadPoolExecutor`` is not used: its queue has no bound, it cannot replace a thread that hangs, and
the interpreter waits for such a thread at exit.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Generic, TypeVar

import structlog

from arwarden.core.clock import Clock
from arwarden.core.counters import Counters
from arwarden.core.errors import ArwardenError, DeadlineExceeded, TierError

log = structlog.get_logger(__name__)

STUCK_AFTER_MS: Final = 10_000.0
"""An inference takes 0.1 to 1 s; one that takes this long will not come back."""
MAX_ABANDONED: Final = 4
"""Stuck threads that are replaced; each keeps its stack and perhaps a core. Beyond, the pool shrinks."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Done(Generic[T]):
    """What came out, and how long it had waited for a thread."""

    value: T
    queue_ms: float


class _Job:
    def __init__(self, work: Callable[[], Any], deadline_ms: float, submitted_ms: float) -> None:
        self.work = work
        self.deadline_ms = deadline_ms
        self.submitted_ms = submitted_ms
        self.started_ms: float | None = None
        self.future: Future[Done[Any]] = Future()


class _Worker:
    def __init__(self, serve: Callable[[_Worker], None], name: str) -> None:
        self.job: _Job | None = None
        self.abandoned = False
        self.thread = threading.Thread(target=serve, args=(self,), name=name, daemon=True)


class WorkerPool:
    """Runs blocking work in ``workers`` threads; at most ``capacity`` pieces wait or run at a time."""

    def __init__(
        self,
        workers: int,
        capacity: int,
        clock: Clock,
        *,
        stuck_after_ms: float = STUCK_AFTER_MS,
        counters: Counters | None = None,
    ) -> None:
        self._size = workers
        self._capacity = capacity
        self._clock = clock
        self._stuck_after_ms = stuck_after_ms
        self._counters = counters if counters is not None else Counters()
        self._wake = threading.Condition()
        self._queue: deque[_Job] = deque()
        self._workers: list[_Worker] = []
        self._abandoned: list[_Worker] = []
        self._started = 0
        self._closing = False

    @property
    def pending(self) -> int:
        """Pieces that wait or run."""
        with self._wake:
            return self._pending()

    async def run(self, work: Callable[[], T], deadline_ms: float) -> Done[T]:
        """Run ``work`` in a thread and wait for what it returns.

        Once begun it is waited for, even past the deadline. Raises what ``work`` raises when that is an
        ``ArwardenError``, ``DeadlineExceeded`` when it has not begun by ``deadline_ms``, and ``TierError``
        when it breaks, is stuck, or is refused because the pool is full or closed.
        """
        job = self._submit(work, deadline_ms)
        try:
            return await self._outcome(job)
        finally:
            if job.future.cancel():
                self._forget(job)

    async def close(self, timeout_ms: float) -> bool:
        """Refuse what waits, give what runs this long to end. False when a thread did not end."""
        return await asyncio.to_thread(self.close_now, timeout_ms)

    def close_now(self, timeout_ms: float) -> bool:
        """The same for callers without an event loop."""
        with self._wake:
            self._closing = True
            waiting = list(self._queue)
            self._queue.clear()
            workers = [*self._workers, *self._abandoned]
            self._wake.notify_all()
        for job in waiting:
            if job.future.set_running_or_notify_cancel():
                job.future.set_exception(TierError("the fast tier is closing"))
        end = time.monotonic() + timeout_ms / 1000
        for worker in workers:
            worker.thread.join(max(0.0, end - time.monotonic()))
        left = sum(worker.thread.is_alive() for worker in workers)
        if left:
            self._counters.add("fast.threads_left_behind", left)
            log.warning("workers_left_behind", threads=left, timeout_ms=timeout_ms)
        return left == 0

    # The caller's side ----------------------------------------------------------------------------

    def _submit(self, work: Callable[[], Any], deadline_ms: float) -> _Job:
        now_ms = self._clock.now_ms()
        job = _Job(work, deadline_ms, now_ms)
        with self._wake:
            if self._closing:
                msg = "the fast tier is closed"
                raise TierError(msg)
            self._replace_stuck(now_ms)
            if not self._workers:
                self._counters.add("fast.refused")
                msg = f"all {len(self._abandoned)} inference threads hang; restart the daemon"
                raise TierError(msg)
            if self._pending() >= self._capacity:
                self._counters.add("fast.refused")
                msg = f"{self._capacity} pictures wait or are being analysed already"
                raise TierError(msg)
            self._queue.append(job)
            self._wake.notify()
        return job

    async def _outcome(self, job: _Job) -> Done[Any]:
        waiting = asyncio.wrap_future(job.future)
        # Marks a late error as seen when the waiter has been cancelled meanwhile.
        waiting.add_done_callback(lambda future: future.cancelled() or future.exception())
        while not waiting.done():
            started_ms = job.started_ms
            limit_ms = job.deadline_ms if started_ms is None else started_ms + self._stuck_after_ms
            left_ms = limit_ms - self._clock.now_ms()
            if left_ms <= 0:
                if job.future.cancel():
                    self._forget(job)
                    self._counters.add("fast.deadline_exceeded")
                    msg = f"not begun after {self._clock.now_ms() - job.submitted_ms:.0f} ms in the queue"
                    raise DeadlineExceeded(msg)
                if started_ms is not None and not job.future.done():
                    with self._wake:
                        self._replace_stuck(self._clock.now_ms())
                    msg = f"an inference hangs since {self._stuck_after_ms:.0f} ms; its thread is replaced"
                    raise TierError(msg)
            # Nothing wakes us when the work begins, so never sleep longer than it may then take.
            await asyncio.wait({waiting}, timeout=max(min(left_ms, self._stuck_after_ms), 1.0) / 1000)
        return waiting.result()

    def _forget(self, job: _Job) -> None:
        with self._wake:
            if job in self._queue:
                self._queue.remove(job)

    # Under the lock -------------------------------------------------------------------------------

    def _pending(self) -> int:
        return len(self._queue) + sum(worker.job is not None for worker in self._workers)

    def _replace_stuck(self, now_ms: float) -> None:
        """Give up threads that hang and bring the pool to its size, as far as ``MAX_ABANDONED`` allows."""
        for worker in list(self._workers):
            started_ms = worker.job.started_ms if worker.job is not None else None
            if started_ms is not None and now_ms - started_ms >= self._stuck_after_ms:
                worker.abandoned = True
                self._workers.remove(worker)
                self._abandoned.append(worker)
                self._counters.add("fast.stuck")
                log.error("inference_stuck", thread=worker.thread.name, running_ms=now_ms - started_ms)
        self._abandoned = [worker for worker in self._abandoned if worker.thread.is_alive()]
        while len(self._workers) < self._size and len(self._abandoned) <= MAX_ABANDONED:
            self._started += 1
            worker = _Worker(self._serve, f"inference-{self._started}")
            self._workers.append(worker)
            worker.thread.start()

    # In the threads -------------------------------------------------------------------------------

    def _serve(self, worker: _Worker) -> None:
        while True:
            with self._wake:
                while not self._queue and not self._closing and not worker.abandoned:
                    self._wake.wait()
                if worker.abandoned or self._closing:
                    return
                job = self._queue.popleft()
                job.started_ms = self._clock.now_ms()
                worker.job = job
            tell = self._perform(job, job.started_ms) if job.future.set_running_or_notify_cancel() else None
            with self._wake:
                worker.job = None
            # Told last: whoever hears of it may at once submit again and must find the place free.
            if tell is not None:
                tell()

    def _perform(self, job: _Job, started_ms: float) -> Callable[[], None]:
        """Do the work; returns what tells the waiter how it went."""
        if started_ms > job.deadline_ms:
            self._counters.add("fast.deadline_exceeded")
            return partial(job.future.set_exception, DeadlineExceeded("begun after its deadline"))
        try:
            value = job.work()
        except ArwardenError as error:
            return partial(job.future.set_exception, error)
        except BaseException as error:  # noqa: BLE001 - whatever it was, the thread goes on and the waiter hears
            broken = TierError(f"the inference broke: {type(error).__name__}")
            broken.__cause__ = error
            return partial(job.future.set_exception, broken)
        return partial(job.future.set_result, Done(value, started_ms - job.submitted_ms))
