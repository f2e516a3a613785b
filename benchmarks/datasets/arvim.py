"""AR-VIM: pairs of a raw and an augmented video, attacked or not, by format and purpose."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.datasets.checks import Checked, Problem, error, note
from benchmarks.datasets.contrar import Video
from benchmarks.datasets.pairs import load_pairs
from benchmarks.published.files import Line

COLUMNS = ("id", "raw", "augmented", "source", "format", "purpose", "attacked")
SOURCES = {"Monitor-Based Data": 307, "Real-World Data": 145}
"""Pairs of each in the published set."""
FORMATS = ("Character Manipulation", "Phrase Manipulation", "Pattern Manipulation")
PURPOSES = ("Information Replacement", "Information Obfuscation", "Extra Wrong Information")
_NAME = re.compile(r"(Raw|Augmented)_Recordings_([AN])_(\d+)")


@dataclass(frozen=True, slots=True)
class ManipulationPair:
    """A scene without and with virtual content."""

    id: str
    raw: Path
    augmented: Path
    source: str
    format: str
    """Character, phrase or pattern manipulation."""
    purpose: str
    """Information replacement, obfuscation, or extra wrong information."""
    attacked: bool


def load(folder: Path, *, thoroughly: bool = False) -> Checked[ManipulationPair]:
    """A set: ``pairs.csv``, or the published folders ``SOURCE/FORMAT + PURPOSE/``.

    Raises:
        InputError: the folder or its table cannot be read.
    """

    def of_row(row: Line) -> ManipulationPair:
        return ManipulationPair(
            row.text("id"), folder / row.text("raw"), folder / row.text("augmented"), row.text("source"),
            row.text("format"), row.text("purpose"), row.one_of("attacked", ("yes", "no")) == "yes",
        )  # fmt: skip

    pairs, problems = load_pairs(folder, COLUMNS, of_row, _from_tree, thoroughly=thoroughly)
    return Checked(folder, tuple(pairs), (*problems, *_unpublished(folder, pairs)))


def as_videos(checked: Checked[ManipulationPair]) -> Checked[Video]:
    """The same for a suite of verdicts: attacked is a yes, format and purpose stand for the application."""
    videos = [
        Video(one.id, one.augmented, f"{one.format} + {one.purpose}", one.attacked, one.raw)
        for one in checked.samples
    ]
    return Checked(checked.folder, tuple(videos), checked.problems)


def _unpublished(folder: Path, pairs: list[ManipulationPair]) -> Iterator[Problem]:
    for source, count in SOURCES.items():
        have = sum(pair.source == source for pair in pairs)
        if have != count:
            yield note(folder, f"{source}: {have} pairs, published are {count}")
    for name, known in (("format", FORMATS), ("purpose", PURPOSES)):
        for other in sorted({getattr(pair, name) for pair in pairs} - set(known)):
            yield note(folder, f"{other} is no published {name}")


def _from_tree(folder: Path) -> tuple[list[ManipulationPair], list[Problem]]:
    pairs: list[ManipulationPair] = []
    problems: list[Problem] = []
    for path in sorted(folder.rglob("*.mp4")):
        match = _NAME.fullmatch(path.stem)
        form, _, purpose = path.parent.name.partition(" + ")
        if match is None or not purpose:
            problems.append(
                error(path, "is not named KIND_Recordings_A_001.mp4 in a folder FORMAT + PURPOSE")
            )
            continue
        other = path.with_name(
            f"{'Raw' if match[1] == 'Augmented' else 'Augmented'}_Recordings_{match[2]}_{match[3]}.mp4"
        )
        if match[1] == "Raw":
            if not other.is_file():
                problems.append(error(path, "its augmented video is missing"))
            continue
        name = f"{path.parent.relative_to(folder).as_posix()}/{match[2]}_{match[3]}"
        pairs.append(
            ManipulationPair(name, other, path, path.parent.parent.name, form, purpose, match[2] == "A")
        )
    return pairs, problems
