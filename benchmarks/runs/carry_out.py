"""A run as a command shows it: what it will cost, how far it is, when it ends, what it has cost so far."""

from __future__ import annotations

import asyncio
import shlex
import sys
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Final, Protocol

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from benchmarks.runs.calls import Call, Key, Row
from benchmarks.runs.engine import GIVEN_UP, Pace, Tally, run
from benchmarks.runs.store import RowFile

ROWS: Final = "rows.jsonl"

Close = Callable[[], Awaitable[None]]


class Elsewhere(Protocol):
    """Other processes that ask."""

    @property
    def lost(self) -> int:
        """Processes that were lost and replaced."""

    async def start(self) -> None:
        """Get ready. Raises ``ConfigError`` where that is impossible."""

    def calls(self, calls: Sequence[Call]) -> list[Call]:
        """The same calls, asked there."""
        ...

    async def close(self) -> None:
        """Let go of them, also where they were never started."""


def announce(console: Console, calls: Sequence[Call], out: Path, *, resume: bool) -> None:
    """Say how many calls a run takes, by method, and what they cost at most; asks nothing."""
    path = out / ROWS
    known: set[Key] = set()
    if resume and path.exists():
        with RowFile(path, resume=True) as rows:
            known = rows.foreseen(call.key for call in calls)
    waiting = [call for call in calls if call.key not in known]
    for method in dict.fromkeys(call.key.method for call in calls):
        mine = [call for call in waiting if call.key.method == method]
        tokens = sum(call.estimate.tokens for call in mine)
        cost = sum(call.estimate.cost for call in mine)
        unpriced = sum(not call.priced for call in mine)
        price = (
            f"{unpriced} of unknown price (escalate.budget.prices of --config names it)"
            if unpriced
            else f"at most {cost:.4f}"
        )
        console.print(f"{method}: {len(mine)} calls, at most {tokens} tokens, {price}")
    done = len(calls) - len(waiting)
    console.print(f"{len(waiting)} calls in all; {done} are answered already")


def carry_out(
    console: Console,
    calls: Sequence[Call],
    out: Path,
    *,
    resume: bool,
    concurrency: int,
    close: Sequence[Close] = (),
    calls_per_minute: float | None = None,
    elsewhere: Elsewhere | None = None,
) -> list[Row]:
    """Ask what is missing and return the rows of all calls, in their order.

    Ctrl-C and faults leave a file that ``resume`` goes on from; after Ctrl-C the command to type is said.

    Raises:
        InputError: the file of rows cannot be used.
        JudgeRejected: a judge refuses all questions.
        ConfigError: the processes ``elsewhere`` cannot be reached or used.
        WorkersLost: none of them is left.
    """
    with RowFile(out / ROWS, resume=resume) as rows:
        try:
            asyncio.run(
                _asked(
                    console,
                    calls,
                    rows,
                    concurrency=concurrency,
                    pace=Pace(calls_per_minute),
                    close=close,
                    elsewhere=elsewhere,
                )
            )
        except KeyboardInterrupt:
            answered = sum(rows.answered(call.key) for call in calls)
            said = (
                f"stopped: {answered} of {len(calls)} answers are kept; go on with: {resuming(sys.orig_argv)}"
            )
            console.print(said)
            raise
        return rows.of(call.key for call in calls)


def resuming(typed: Sequence[str]) -> str:
    """The command that goes on with a run, for the one that was typed."""
    return shlex.join([*typed, *([] if "--resume" in typed else ["--resume"])])


async def _asked(
    console: Console,
    calls: Sequence[Call],
    rows: RowFile,
    *,
    concurrency: int,
    pace: Pace,
    close: Sequence[Close],
    elsewhere: Elsewhere | None,
) -> None:
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        TextColumn("cost {task.fields[cost]}"),
        TextColumn("{task.fields[failed]} failed"),
    )
    waiting = sum(not rows.answered(call.key) for call in calls)
    tally = Tally()
    try:
        if elsewhere is not None and waiting:
            await elsewhere.start()
            calls = elsewhere.calls(calls)
        with Progress(*columns, console=console) as progress:
            bar = progress.add_task("calls", total=waiting, cost="0", failed=0)

            def advance(_: Row, tally: Tally) -> None:
                progress.update(bar, advance=1, cost=cost_text(tally), failed=tally.failed)

            tally = await run(calls, rows, concurrency=concurrency, pace=pace, on_row=advance)
    finally:
        for one in close if elsewhere is None else (elsewhere.close, *close):
            await one()
    console.print(
        f"{tally.asked} asked, {len(calls) - waiting} were answered before, {tally.failed} failed"
        f"{' (asked again by --resume)' if tally.failed else ''}, cost {cost_text(tally)}"
    )
    if tally.failed:
        why = ", ".join(f"{name} {count}" for name, count in tally.problems.most_common())
        console.print(f"failed by reason: {why}")
    for method, count in tally.left.items():
        console.print(f"{method} failed at {GIVEN_UP} questions in a row: {count} more are left to --resume")
    if elsewhere is not None and elsewhere.lost:
        console.print(f"{elsewhere.lost} workers were lost; others answered what was open")


def cost_text(tally: Tally) -> str:
    """The cost so far; with a plus where some of it is not known."""
    return f"{tally.cost:.4f}{'+' if tally.unpriced else ''}"
