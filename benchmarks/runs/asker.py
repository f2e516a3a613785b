"""What a worker of a cluster does: it makes the run's plan once more and asks what it is told to, by key."""

from __future__ import annotations

import asyncio
import os
import socket
from dataclasses import dataclass
from typing import Final, NoReturn

from arwarden.core.errors import (
    ArwardenError,
    CircuitOpen,
    ConfigError,
    DeadlineExceeded,
    JudgeBusy,
    JudgeError,
    TierError,
)
from benchmarks.runs.calls import Call, Given, Key, NoAnswer
from benchmarks.runs.recipe import SOURCE, Planned, Recipe, source_of

_ALIKE: Final = "data, configuration and clone must be the same, at the same place, on every machine"
_KINDS: Final[list[type[JudgeError]]] = [JudgeError, *JudgeError.__subclasses__()]
_JUDGE_ERRORS: Final = {kind.__name__: kind for kind in _KINDS}


@dataclass(frozen=True, slots=True)
class NotGiven:
    """An error as it travels: exceptions that take arguments of their own cannot be pickled."""

    kind: str
    reason: str
    detail: str
    judge: str = ""
    retry_after_ms: float | None = None

    def throw(self) -> NoReturn:
        """Raise it where the question came from."""
        for kind in (JudgeBusy, CircuitOpen):
            if self.kind == kind.__name__:
                raise kind(self.judge, self.reason, self.detail, retry_after_ms=self.retry_after_ms)
        if self.kind in _JUDGE_ERRORS:
            raise _JUDGE_ERRORS[self.kind](self.judge, self.reason, self.detail)
        if self.kind == NoAnswer.__name__:
            raise NoAnswer(self.reason, self.detail)
        if self.kind == ConfigError.__name__:
            raise ConfigError(SOURCE, [self.detail])
        raise (
            DeadlineExceeded(self.detail)
            if self.kind == DeadlineExceeded.__name__
            else TierError(self.detail)
        )


def not_given(error: TierError | NoAnswer) -> NotGiven:
    """The error of a question."""
    name = type(error).__name__
    if isinstance(error, NoAnswer):
        return NotGiven(name, error.reason, str(error))
    if isinstance(error, JudgeError):
        detail = str(error).removeprefix(f"judge {error.judge}: ")
        after_ms = error.retry_after_ms if isinstance(error, JudgeBusy | CircuitOpen) else None
        return NotGiven(name, error.reason, detail, error.judge, after_ms)
    return NotGiven(name, "", str(error))


class Asker:
    """One worker. Ray makes it in a process of its own and calls it from afar."""

    def __init__(self, recipe: Recipe) -> None:
        self._recipe = recipe
        self._planned: Planned | None = None
        self._calls: dict[Key, Call] = {}

    async def open(self) -> str:
        """Make the plan; returns why it cannot be made here, empty where it was."""
        try:
            await asyncio.to_thread(self._open)
        except (ArwardenError, OSError) as error:
            return f"{socket.gethostname()}: {error}; {_ALIKE}"
        return ""

    async def ask(self, key: Key) -> Given | NotGiven:
        """The answer, or the error in its place. Errors that are faults of the program are raised."""
        call = self._calls.get(key)
        if call is None:
            return NotGiven(
                ConfigError.__name__, "", f"{socket.gethostname()}: {self._difference(key)}; {_ALIKE}"
            )
        try:
            return await call.ask()
        except (TierError, NoAnswer) as error:
            return not_given(error)

    async def close(self) -> None:
        """Let go of all that was opened."""
        for one in self._planned.close if self._planned is not None else ():
            await one()

    def _open(self) -> None:
        recipe = self._recipe
        missing = [name for name in recipe.variables if not os.environ.get(name)]
        if missing:
            fix = "export it before `ray start`, on every machine"
            raise ConfigError(SOURCE, [f"{missing[0]} is not in the environment of Ray here; {fix}"])
        others = sorted(set(source_of(recipe.rooms).items()) ^ set(recipe.source.items()))
        if others:
            raise ConfigError(SOURCE, [f"{others[0][0]} is another one here than where the run was started"])
        os.chdir(recipe.folder)
        self._planned = recipe.again(recipe.options)
        self._calls = {call.key: call for call in self._planned.calls}

    def _difference(self, key: Key) -> str:
        same = (key.sample, key.method, key.protocol, key.repetition)
        for mine in self._calls:
            if (mine.sample, mine.method, mine.protocol, mine.repetition) == same:
                if mine.content != key.content:
                    return f"the files of {key.sample} are others: {mine.content}, not {key.content}"
                return f"{key.method} would be asked as {mine.asked}, not {key.asked}"
        return f"there is no question about {key.sample} to {key.method}"
