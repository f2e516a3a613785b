"""Asks what has not been answered yet, a few questions at a time."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from arwarden.core.errors import (
    CircuitOpen,
    ConfigError,
    DeadlineExceeded,
    JudgeBusy,
    JudgeError,
    JudgeRejected,
    TierError,
)
from benchmarks.runs.calls import FAILED, Call, Given, NoAnswer, Row, WorkersLost
from benchmarks.runs.store import RowFile

TRIES: Final = 4
"""Times that a question is put to a judge that is busy or resting."""
WAIT_S: Final = 1.0
"""Before the second try; doubles with each."""
LONGEST_WAIT_S: Final = 60.0
GIVEN_UP: Final = 10
"""Questions in a row that a judge fails at before no more are put to it: the next run may find it well."""
ENDS_A_RUN: Final = (JudgeRejected, ConfigError, WorkersLost)


@dataclass(slots=True)
class Tally:
    """How far a run is."""

    asked: int = 0
    failed: int = 0
    problems: Counter[str] = field(default_factory=Counter)
    """Why they failed, by name."""
    cost: float = 0.0
    unpriced: int = 0
    """Answers whose cost is not known."""
    left: dict[str, int] = field(default_factory=dict)
    """Method → questions that were not put, as its judge failed at ``GIVEN_UP`` in a row."""

    def add(self, given: Given) -> None:
        """Count one more answer."""
        self.asked += 1
        self.failed += not given.answered
        self.problems.update(() if given.answered else (given.problem,))
        self.cost += given.cost or 0.0
        self.unpriced += given.cost is None and given.tokens_in + given.tokens_out > 0


class Pace:
    """When the next question may be asked: so many a minute, evenly spread, retries counted. Pure.

    A method whose judge has named a time to come back at rests until then, whichever process was told.
    """

    def __init__(self, per_minute: float | None = None) -> None:
        self._apart_s = 0.0 if per_minute is None else 60.0 / per_minute
        self._next_s = 0.0
        self._rests_until_s: dict[str, float] = {}

    def wait_s(self, now_s: float) -> float:
        """Take the next place; returns how long it is until then."""
        at_s = max(now_s, self._next_s)
        self._next_s = at_s + self._apart_s
        return at_s - now_s

    def rest(self, method: str, now_s: float, for_s: float) -> None:
        """Its judge is to be left alone for a time."""
        self._rests_until_s[method] = max(self._rests_until_s.get(method, 0.0), now_s + for_s)

    def rest_s(self, method: str, now_s: float) -> float:
        """How long its judge is still to be left alone."""
        return max(0.0, self._rests_until_s.get(method, 0.0) - now_s)


async def run(
    calls: Sequence[Call],
    rows: RowFile,
    *,
    concurrency: int,
    pace: Pace | None = None,
    on_row: Callable[[Row, Tally], None] = lambda row, tally: None,  # noqa: ARG005 - nobody listens
    wait_s: float = WAIT_S,
) -> Tally:
    """Ask what ``rows`` does not hold; at most ``concurrency`` questions are open at a time.

    ``pace`` holds back what is asked of judges, not what is computed.

    A busy judge is asked again after the time it names, or after waits that double. A question without an
    answer becomes a row that says so, and is asked again by the next run. What is left of a judge that keeps
    failing is left to that run too.

    Raises:
        JudgeRejected: a judge refuses, and will refuse all else, such as for a wrong key.
        ConfigError, WorkersLost: other processes ask, and cannot.
    """
    paced = pace or Pace()
    waiting = (call for call in calls if not rows.answered(call.key))
    tally = Tally()

    in_a_row: dict[str, int] = {}

    async def work() -> None:
        for call in waiting:
            method = call.key.method
            if in_a_row.get(method, 0) >= GIVEN_UP:
                tally.left[method] = tally.left.get(method, 0) + 1
                continue
            given, judge_failed = await _given(call, paced, wait_s)
            in_a_row[method] = in_a_row.get(method, 0) + 1 if judge_failed else 0
            row = Row(call.key, given)
            rows.add(row)
            tally.add(row.given)
            on_row(row, tally)

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(max(1, concurrency)):
                group.create_task(work())
    except ExceptionGroup as group:
        # Not except*: before Python 3.11.4 what is raised in it arrives in another group.
        ends = next((error for error in group.exceptions if isinstance(error, ENDS_A_RUN)), None)
        if ends is None:
            raise
        raise ends from None
    return tally


async def _given(call: Call, pace: Pace, wait_s: float) -> tuple[Given, bool]:
    """What came back, and whether a judge failed, not the file or what computes."""
    for attempt in range(TRIES):
        if call.estimate.tokens > 0:
            await asyncio.sleep(pace.rest_s(call.key.method, time.monotonic()))
            await asyncio.sleep(pace.wait_s(time.monotonic()))
        try:
            return await call.ask(), False
        except (CircuitOpen, JudgeBusy) as error:
            if attempt + 1 == TRIES:
                return _failed(error.reason), True
            rest_s = min(LONGEST_WAIT_S, (error.retry_after_ms or 0.0) / 1000.0)
            pace.rest(call.key.method, time.monotonic(), rest_s)
            await asyncio.sleep(max(rest_s, wait_s * 2**attempt))
        except JudgeRejected:
            raise
        except (NoAnswer, TierError) as error:
            return _failed(_problem(error)), isinstance(error, JudgeError | DeadlineExceeded)
    return _failed("busy"), True


def _problem(error: NoAnswer | TierError) -> str:
    if isinstance(error, DeadlineExceeded):
        return "deadline"
    return error.reason if isinstance(error, NoAnswer | JudgeError) else type(error).__name__


def _failed(problem: str) -> Given:
    return Given("", {}, FAILED, problem)
