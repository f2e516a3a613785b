"""What a suite is about to ask, and asking it as a command does."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console

from arwarden.core.errors import ConfigError
from benchmarks.runs.calls import FAILED, Call, Given, NoAnswer, Row
from benchmarks.runs.carry_out import Close, announce, carry_out
from benchmarks.runs.cluster import Cluster
from benchmarks.runs.judging import AskedJudge, Terms, terms_of
from benchmarks.runs.methods import Spec
from benchmarks.runs.options import Engine, RunOptions
from benchmarks.runs.recipe import asked_here


@dataclass(slots=True)
class Plan:
    """All calls of a run, sample by sample, and what is to be closed at its end."""

    calls: list[Call] = field(default_factory=list)
    close: list[Close] = field(default_factory=list)
    again: Callable[[RunOptions], Plan] | None = None
    """Makes the same plan in another process, of options alone. All else that it needs can be pickled."""
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held by whatever computes in this process: two at a time would lengthen each other's times."""

    def judge(
        self,
        spec: Spec,
        options: RunOptions,
        *,
        pictures: int,
        least: int = 1,
        prompts: Path | None = None,
    ) -> tuple[Terms, AskedJudge | None]:
        """A judge and how it is asked; a dry run opens none. ``prompts`` replace shipped ones.

        ``least`` are the pictures of a question that must not be cut down.

        Raises:
            ConfigError: it cannot be used or opened; names the fix.
        """
        terms = terms_of(
            spec,
            options.config,
            deadline_ms=options.deadline_ms,
            concurrency=options.concurrency,
            pictures=pictures,
            prompts=prompts,
        )
        if terms.pictures < least:
            raise ConfigError(
                "--judge", [f"{spec.label} takes {terms.pictures} pictures; set pictures: {least}"]
            )
        if options.dry_run:
            return terms, None
        judge = AskedJudge(terms, opened=asked_here(spec, options))
        self.close.append(judge.close)
        return terms, judge


def whole(calls: Sequence[Call], rows: Sequence[Row]) -> list[Row]:
    """A row for each call: questions that were not put, as their judge kept failing, have failed too."""
    known = {row.key: row for row in rows}
    unasked = Given("", {}, FAILED, "not_asked")
    return [known.get(call.key) or Row(call.key, unasked) for call in calls]


async def never(*_: object) -> Given:
    """What calls of a dry run ask."""
    raise NoAnswer("dry_run", "a dry run asks nobody")


def perform(console: Console, options: RunOptions, made: Plan) -> list[Row] | None:
    """The rows of all calls, in their order; None after a dry run, which says what they would cost.

    Raises:
        ConfigError: the engine cannot be used.
        InputError: the file of rows cannot be used.
        JudgeRejected: a judge refuses all questions.
        WorkersLost: none is left to ask.
    """
    if options.dry_run:
        announce(console, made.calls, options.out, resume=options.resume)
        return None
    return carry_out(
        console,
        made.calls,
        options.out,
        resume=options.resume,
        concurrency=options.concurrency,
        close=made.close,
        calls_per_minute=options.calls_per_minute,
        elsewhere=Cluster(options, made) if options.engine is Engine.RAY else None,
    )
