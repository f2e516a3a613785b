"""A session manager with a handler that takes notes, and the waiting that wire tests need."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import gc
import threading
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ParamSpec, Self

import uvloop

from arwarden.config import IngestConfig
from arwarden.contract.messages import SessionState
from arwarden.core.clock import Clock, SystemClock
from arwarden.core.counters import Counters
from arwarden.core.frame import Frame, View
from arwarden.ingest.sessions import SessionManager
from arwarden.ingest.signalling import Answer, Offer
from tests.support.feeder import Feeder, FeederProcess, close_feeders, read_mark

P = ParamSpec("P")


def on_uvloop(test: Callable[P, Coroutine[Any, Any, None]]) -> Callable[P, None]:
    """Run an asynchronous test on the event loop that the daemon uses."""

    @functools.wraps(test)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(test(*args, **kwargs))

    return run


@dataclass
class Notes:
    """A stream handler that writes down what it is told."""

    session_id: str
    device_id: str
    offered_view: View
    clock: Clock
    frames: list[Frame] = field(default_factory=list)
    shown_ms: list[float] = field(default_factory=list)
    states: list[tuple[SessionState, tuple[str, ...], float]] = field(default_factory=list)
    views: list[View] = field(default_factory=list)
    offsets: list[float | None] = field(default_factory=list)
    closed: str | None = None
    keep: int = 10_000
    work: Callable[[Frame], None] = lambda _frame: None

    def on_frame(self, frame: Frame) -> None:
        self.frames.append(frame)
        del self.frames[: -self.keep]
        self.shown_ms.append(self.clock.now_ms())
        self.work(frame)

    def on_state(self, state: SessionState, reasons: tuple[str, ...], now_ms: float) -> None:
        self.states.append((state, reasons, now_ms))

    def on_view(self, view: View) -> None:
        self.views.append(view)

    def on_clock(self, offset_ms: float | None) -> None:
        self.offsets.append(offset_ms)

    async def close(self, reason: str) -> None:
        self.closed = reason

    @property
    def state(self) -> SessionState | None:
        return self.states[-1][0] if self.states else None

    def first(self, state: SessionState) -> float | None:
        """When a state was first told."""
        return next((at_ms for each, _, at_ms in self.states if each is state), None)

    def reasons(self) -> set[str]:
        """Every reason that was ever told."""
        return {reason for _, reasons, _ in self.states for reason in reasons}


class Receiver:
    """The daemon's receiving half."""

    def __init__(self, config: IngestConfig | None = None) -> None:
        self.clock = SystemClock()
        self.counters = Counters()
        self.notes: list[Notes] = []
        self.errors: list[dict[str, Any]] = []
        self.manager = SessionManager(config or IngestConfig(), self.clock, self._make, self.counters)

    def _make(self, session_id: str, device_id: str, view: View) -> Notes:
        notes = Notes(session_id, device_id, view, self.clock)
        self.notes.append(notes)
        return notes

    async def connect(self, feeder: Feeder | FeederProcess, device_id: str = "quest") -> Notes:
        """Let a feeder in and wait for nothing."""
        offer = feeder.offer if isinstance(feeder, FeederProcess) else await feeder.offer()
        answer = await self.open(offer, device_id)
        await feeder.accept(answer.sdp)
        return self.notes[-1]

    async def open(self, sdp: str, device_id: str = "quest") -> Answer:
        return await self.manager.open(Offer(sdp=sdp, device_id=device_id, view=View.UNKNOWN))


@contextlib.asynccontextmanager
async def receiving(config: IngestConfig | None = None) -> AsyncIterator[Receiver]:
    """A receiver whose end, and the absence of unhandled errors, are checked."""
    receiver = Receiver(config)
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _loop, context: receiver.errors.append(context))
    try:
        yield receiver
    finally:
        ended = await receiver.manager.close_all(10)
        await close_feeders()
        gc.collect()
        await asyncio.sleep(0)
        loop.set_exception_handler(None)
    assert ended, "a session did not end"
    assert not receiver.errors, receiver.errors
    assert receiver.counters["ingest.handler_errors"] == 0
    assert receiver.counters["ingest.tick_errors"] == 0
    assert receiver.counters["ingest.unclean_closes"] == 0


async def until(condition: Callable[[], object], timeout_s: float, what: str = "") -> float:
    """Wait until a condition holds and return how long it took, in seconds."""
    start = time.monotonic()
    while not condition():
        if time.monotonic() - start > timeout_s:
            raise AssertionError(f"not within {timeout_s} s: {what or condition}")
        await asyncio.sleep(0.01)
    return time.monotonic() - start


class LoopStalls:
    """Measures the longest time for which the event loop stood still."""

    def __init__(self) -> None:
        self.worst_ms = 0.0
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._watch())
        return self

    async def __aexit__(self, *_exc: object) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})

    async def _watch(self) -> None:
        while True:
            before = time.monotonic()
            await asyncio.sleep(0.005)
            self.worst_ms = max(self.worst_ms, (time.monotonic() - before) * 1000 - 5)


@dataclass(frozen=True)
class Held:
    """What this process holds."""

    threads: int
    tasks: int
    files: int

    @classmethod
    def now(cls) -> Held:
        gc.collect()
        return cls(
            threading.active_count(), len(asyncio.all_tasks()), len(list(Path("/proc/self/fd").iterdir()))
        )


def numbers(frames: list[Frame]) -> list[int]:
    """The numbers that the feeder drew into its pictures, of those that can be read."""
    marks = [read_mark(frame.picture.luma()) for frame in frames]
    return [mark.number for mark in marks if mark is not None]
