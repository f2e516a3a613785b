"""An event loop whose time passes only while nothing else happens: hours of waiting take milliseconds."""

from __future__ import annotations

import asyncio
import functools
import selectors
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, ParamSpec

P = ParamSpec("P")
START_MS = 1_700_000_000_000.0


class _NoWaitingSelector(selectors.DefaultSelector):
    """Never sleeps: the time it was told to wait passes on the loop's own clock instead."""

    passed_s = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if not ready and timeout is None:
            msg = "everything waits for something that will never happen"
            raise RuntimeError(msg)
        if not ready and timeout:
            self.passed_s += timeout
        return ready


class VirtualLoop(asyncio.SelectorEventLoop):
    """A loop for code that waits only by timers. Threads and sockets do not fit into its time."""

    def __init__(self) -> None:
        self._no_waiting = _NoWaitingSelector()
        super().__init__(self._no_waiting)

    def time(self) -> float:
        return self._no_waiting.passed_s


class LoopClock:
    """The daemon's clock, driven by the running loop's time."""

    def now_ms(self) -> float:
        return START_MS + asyncio.get_running_loop().time() * 1000.0


def in_virtual_time(test: Callable[P, Coroutine[Any, Any, None]]) -> Callable[P, None]:
    """Run an asynchronous test in virtual time; an unhandled error of any task fails it."""

    @functools.wraps(test)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        faults: list[Mapping[str, Any]] = []

        async def watched() -> None:
            asyncio.get_running_loop().set_exception_handler(lambda _loop, context: faults.append(context))
            await test(*args, **kwargs)

        with asyncio.Runner(loop_factory=VirtualLoop) as runner:
            runner.run(watched())
        assert not faults

    return run
