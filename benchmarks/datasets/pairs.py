"""What sets of pairs share: a view without and the same with virtual content."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol, TypeVar

from arwarden.core.errors import InputError
from benchmarks.datasets.checks import Problem, doubled, note, table, unreadable
from benchmarks.published.files import Line
from benchmarks.runs.media import shots

TABLE = "pairs.csv"


class ViewPair(Protocol):
    """A view without and with virtual content."""

    @property
    def id(self) -> str: ...  # noqa: D102 - of the pair

    @property
    def raw(self) -> Path: ...  # noqa: D102 - without

    @property
    def augmented(self) -> Path: ...  # noqa: D102 - with


P = TypeVar("P", bound=ViewPair)


def load_pairs(
    folder: Path,
    columns: Sequence[str],
    of_row: Callable[[Line], P],
    of_tree: Callable[[Path], tuple[list[P], list[Problem]]],
    *,
    thoroughly: bool,
) -> tuple[list[P], list[Problem]]:
    """The pairs of ``pairs.csv``, else of the published folders, by id; doubled ids and unusable files.

    ``thoroughly`` decodes every file, and notes pairs of different sizes.

    Raises:
        InputError: the folder or its table cannot be read.
    """
    if not folder.is_dir():
        raise InputError(str(folder), "there is no such folder")
    if (folder / TABLE).is_file():
        pairs = [of_row(row) for row in table(folder / TABLE, columns, ("id", "raw"))]
        problems: list[Problem] = []
    else:
        pairs, problems = of_tree(folder)
    problems += doubled(pair.id for pair in pairs)
    bad = unreadable((path for pair in pairs for path in (pair.raw, pair.augmented)), thoroughly=thoroughly)
    problems += bad
    if thoroughly and not bad:
        problems += [problem for pair in pairs for problem in _sizes(pair)]
    return sorted(pairs, key=lambda pair: pair.id), problems


def _sizes(pair: ViewPair) -> list[Problem]:
    sizes = [shots(path, 1)[0].picture for path in (pair.raw, pair.augmented)]
    raw, augmented = ((one.width_px, one.height_px) for one in sizes)
    if raw == augmented:
        return []
    return [note(pair.id, f"the view without is {raw[0]}x{raw[1]}, with {augmented[0]}x{augmented[1]}")]
