"""What a loader found, and what is wrong with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Generic, TypeVar

from rich.console import Console

from arwarden.core.errors import ArwardenError, InputError
from benchmarks.published.files import Line, lines
from benchmarks.runs.media import problem_of

S = TypeVar("S")
SHOWN = 20
"""Problems listed in an error; the rest is counted."""


class Level(StrEnum):
    """How bad a problem is."""

    ERROR = "error"
    """No benchmark runs on this."""
    NOTE = "note"
    """Results would be of other data than published."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is missing or inconsistent."""

    level: Level
    where: str
    what: str

    def __str__(self) -> str:
        return f"{self.level}: {self.where}: {self.what}"


class BadData(ArwardenError):
    """A set that no benchmark can run on. Lists what is wrong."""

    def __init__(self, folder: Path, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        shown = [str(problem) for problem in problems[:SHOWN]]
        more = [f"and {len(problems) - SHOWN} more"] if len(problems) > SHOWN else []
        super().__init__("\n  ".join([f"{folder} cannot be used:", *shown, *more]))


@dataclass(frozen=True, slots=True)
class Checked(Generic[S]):
    """Samples of a set, by id, and its problems."""

    folder: Path
    samples: tuple[S, ...]
    problems: tuple[Problem, ...] = ()

    def usable(self) -> tuple[S, ...]:
        """The samples.

        Raises:
            BadData: there are none, or a problem is an error.
        """
        errors = [problem for problem in self.problems if problem.level is Level.ERROR]
        if not errors and not self.samples:
            errors = [
                Problem(
                    Level.ERROR,
                    str(self.folder),
                    "holds no samples in a known layout; see docs/benchmarks.md",
                )
            ]
        if errors:
            raise BadData(self.folder, errors)
        return self.samples


def taken(console: Console, checked: Checked[S]) -> tuple[S, ...]:
    """The samples of a set, for a command: what is not as published is said.

    Raises:
        BadData: the set cannot be used.
    """
    samples = checked.usable()
    for problem in checked.problems:
        console.print(str(problem))
    return samples


def error(where: object, what: str) -> Problem:
    """A problem that stops a benchmark."""
    return Problem(Level.ERROR, str(where), what)


def note(where: object, what: str) -> Problem:
    """A problem that does not."""
    return Problem(Level.NOTE, str(where), what)


def table(path: Path, columns: Sequence[str], key: Sequence[str]) -> list[Line]:
    """The lines of a CSV file of a set.

    Raises:
        InputError: the file is missing or not as described; names it, the line and the column.
    """
    if not path.is_file():
        raise InputError(str(path), f"not found; a CSV file with the columns {','.join(columns)} is needed")
    return lines(path, columns, key)


def doubled(ids: Iterable[str]) -> list[Problem]:
    """Ids that occur more than once."""
    return [error(name, f"the id occurs {count} times") for name, count in Counter(ids).items() if count > 1]


def unreadable(paths: Iterable[Path], *, thoroughly: bool) -> list[Problem]:
    """Files that cannot be used."""
    found = [(path, problem_of(path, thoroughly=thoroughly)) for path in paths]
    return [error(path, what) for path, what in found if what]


def spelled(name: str) -> str:
    """A name as it is compared: small letters, words joined by ``_``."""
    return "_".join(name.lower().replace("-", " ").replace("_", " ").split())
