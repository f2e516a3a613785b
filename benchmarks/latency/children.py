"""The benchmark's own processes: one receiver and some headsets, each measured and ended by itself."""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
import signal
from collections.abc import Callable, Coroutine
from multiprocessing.connection import Connection
from typing import Any, Self, TypeVar

from arwarden.cli.run import run_in_loop
from arwarden.config import LoggingConfig
from arwarden.core.errors import ArwardenError
from arwarden.observe.logs import configure_logging
from benchmarks.latency.records import Failed

END_TIMEOUT_S = 20.0
MARK, STOP = "mark", "stop"

T = TypeVar("T")
S = TypeVar("S")


class BenchmarkFailed(ArwardenError):
    """A process of the benchmark did not do its part, so there is nothing to report."""


class Orders:
    """The child's end: what it is told to do, and what it answers."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def next(self) -> str:
        """The next order; ``STOP`` too where whoever gives orders is gone."""
        try:
            return str(await asyncio.to_thread(self._connection.recv))
        except EOFError:
            return STOP

    def answer(self, message: object) -> None:
        """Send a record."""
        with contextlib.suppress(BrokenPipeError):  # the other end is gone, the next order is to stop
            self._connection.send(message)


ChildMain = Callable[[S, Orders], Coroutine[Any, Any, None]]


class Child:
    """A process that runs one coroutine. Entering starts it, leaving ends it."""

    def __init__(self, name: str, main: ChildMain[S], spec: S) -> None:
        context = multiprocessing.get_context("spawn")
        self.name = name
        self._connection, self._theirs = context.Pipe()
        self._process = context.Process(
            target=_run, args=(main, spec, self._theirs), name=f"benchmark-{name}", daemon=True
        )

    async def __aenter__(self) -> Self:
        await asyncio.to_thread(self._process.start)
        self._theirs.close()  # so that its end is noticed here
        return self

    async def __aexit__(self, *_exc_info: object) -> None:
        self._order(STOP)
        await asyncio.to_thread(self._process.join, END_TIMEOUT_S)
        if self._process.is_alive():
            self._process.kill()
            await asyncio.to_thread(self._process.join, END_TIMEOUT_S)
        self._connection.close()

    @property
    def pid(self) -> int:
        """The process to measure."""
        if self._process.pid is None:
            msg = f"{self.name} was not started"
            raise BenchmarkFailed(msg)
        return self._process.pid

    async def ask(self, order: str, answer: type[T], timeout_s: float) -> T:
        """Give an order and wait for its answer. Raises ``BenchmarkFailed``."""
        self._order(order)
        return await self.expect(answer, timeout_s)

    async def expect(self, answer: type[T], timeout_s: float) -> T:
        """Wait for a record. Raises ``BenchmarkFailed`` where another, or none, comes."""
        if not await asyncio.to_thread(self._connection.poll, timeout_s):
            msg = f"{self.name} gave no {answer.__name__} within {timeout_s:g} s"
            raise BenchmarkFailed(msg)
        try:
            message = self._connection.recv()
        except EOFError as error:
            msg = f"{self.name} ended by itself before its {answer.__name__}"
            raise BenchmarkFailed(msg) from error
        if isinstance(message, answer):
            return message
        reason = message.reason if isinstance(message, Failed) else f"said {type(message).__name__} instead"
        msg = f"{self.name}, before its {answer.__name__}: {reason}"
        raise BenchmarkFailed(msg)

    def _order(self, order: str) -> None:
        with contextlib.suppress(OSError):  # it is gone; waiting for its answer says so
            self._connection.send(order)


def _run(main: ChildMain[S], spec: S, connection: Connection) -> None:
    """In the child. Ctrl-C reaches every process of the terminal; the first one ends the others."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    configure_logging(LoggingConfig(level="warning"))
    run_in_loop(_guarded(main, spec, Orders(connection)))


async def _guarded(main: ChildMain[S], spec: S, orders: Orders) -> None:
    # Said before the loop ends: its end waits for the thread that waits for the next order.
    try:
        await main(spec, orders)
    except Exception as error:  # noqa: BLE001 - whatever it was, the process that sums up has to hear of it
        orders.answer(Failed(f"{type(error).__name__}: {error}"))
