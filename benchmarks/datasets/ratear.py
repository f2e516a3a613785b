"""RateAR: images and videos of one virtual object each, with the annotators' scores or their mean."""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from arwarden.core.errors import InputError
from arwarden.headset.pictures import IMAGE_SUFFIXES
from benchmarks.datasets.checks import Checked, Problem, doubled, error, note, table, unreadable
from benchmarks.protocols.data import Floats
from benchmarks.protocols.splits import PUBLISHED_TEST, PUBLISHED_TRAINING
from benchmarks.published.files import Line, lines
from benchmarks.published.tables import FACTORS

TABLE = "scores.csv"
COLUMNS = ("id", "file", "factor", "annotator", "score")
EXAMPLES = "few_shot.csv"
EXAMPLE_COLUMNS = ("factor", "file", "content", "rating")
PUBLISHED = {
    "images": ("rateAR_images", "rateAR_image_metadata_mos.csv"),
    "videos": ("rateAR_videos", "rateAR_video_metadata_mos.csv"),
}
"""Folder and table of the published set, as its description names them."""
_FILE_COLUMNS = ("file", "path", "image", "video", "name")


@dataclass(frozen=True, slots=True)
class Rated:
    """One image or video with what people say of it."""

    id: str
    file: Path
    scores: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """Factor → annotator → 1..5; empty where only means are known."""
    mean: Mapping[str, float] = field(default_factory=dict)
    """Factor → mean opinion score, where the set gives it in place of scores."""


@dataclass(frozen=True, slots=True)
class ExampleOf:
    """A rated picture for the few-shot form."""

    factor: str
    file: Path
    content: str
    rating: int


def load(folder: Path, media: str, *, thoroughly: bool = False) -> Checked[Rated]:
    """A set of ``images`` or ``videos``: ``scores.csv`` in the folder, or the published tree.

    Raises:
        InputError: there is neither, or the table cannot be read.
    """
    inside, name = PUBLISHED[media]
    published = [
        path for path in (folder / inside / name, folder / "dataset" / inside / name) if path.is_file()
    ]
    if (folder / TABLE).is_file() or not published:
        samples, problems = _from_scores(folder)
    else:
        samples, problems = _from_means(published[0])
    problems += doubled(sample.id for sample in samples)
    problems += unreadable((sample.file for sample in samples), thoroughly=thoroughly)
    problems += [
        error(sample.file, f"is no file of {media}; --media says which a set holds")
        for sample in samples
        if (sample.file.suffix.lower() in IMAGE_SUFFIXES) != (media == "images")
    ]
    wanted = PUBLISHED_TRAINING[media] + PUBLISHED_TEST[media]
    if len(samples) != wanted:
        problems.append(note(folder, f"{len(samples)} {media}, published are {wanted}"))
    return Checked(folder, tuple(sorted(samples, key=lambda sample: sample.id)), tuple(problems))


def examples(folder: Path) -> list[ExampleOf]:
    """The pictures that the few-shot form shows first; none without ``few_shot.csv``.

    Raises:
        InputError: the table is not as described.
    """
    path = folder / EXAMPLES
    if not path.is_file():
        return []
    return [
        ExampleOf(
            row.one_of("factor", FACTORS), folder / row.text("file"), row.text("content"), row.count("rating")
        )
        for row in table(path, EXAMPLE_COLUMNS, ("factor", "file"))
    ]


def annotators(samples: Sequence[Rated], factor: str) -> list[str]:
    """The names of all who scored a factor."""
    return sorted({name for sample in samples for name in sample.scores.get(factor, {})})


def score_table(samples: Sequence[Rated], factor: str) -> Floats:
    """Scores of (annotators, samples); NaN where one is missing."""
    names = annotators(samples, factor)
    return np.array(
        [[sample.scores.get(factor, {}).get(name, math.nan) for sample in samples] for name in names],
        dtype=np.float64,
    ).reshape(len(names), len(samples))


def _from_scores(folder: Path) -> tuple[list[Rated], list[Problem]]:
    files: dict[str, Path] = {}
    scores: dict[str, dict[str, dict[str, float]]] = {}
    problems: list[Problem] = []
    for row in table(folder / TABLE, COLUMNS, ("id", "factor", "annotator")):
        name, path = row.text("id"), folder / row.text("file")
        if files.setdefault(name, path) != path:
            problems.append(error(name, f"two files have this id, {files[name].name} and {path.name}"))
        value = _score(row, problems)
        if value is not None:
            by_factor = scores.setdefault(name, {}).setdefault(row.one_of("factor", FACTORS), {})
            by_factor[row.text("annotator")] = value
    samples = [Rated(name, path, scores.get(name, {})) for name, path in files.items()]
    return samples, problems + _gaps(samples)


def _score(row: Line, problems: list[Problem]) -> float | None:
    where = f"{row.source}, line {row.number}"
    try:
        value = float(row.cells["score"])
    except ValueError:
        problems.append(error(where, f"the score {row.cells['score']!r} is no number"))
        return None
    if not 1 <= value <= 5:  # NaN too
        problems.append(error(where, f"the score {row.cells['score']} is not between 1 and 5"))
        return None
    return value


def _gaps(samples: Sequence[Rated]) -> list[Problem]:
    problems: list[Problem] = []
    for factor in FACTORS:
        names = set(annotators(samples, factor))
        if not names:
            problems.append(note(factor, "nobody scored it; it is left out"))
            continue
        if len(names) == 1:
            problems.append(note(factor, "one annotator: there is no reliability"))
        problems += [
            note(factor, f"{name} gave every sample the same score: ratear has no z-scores; leave {name} out")
            for name in sorted(names)
            if len(samples) > 1 and len({sample.scores.get(factor, {}).get(name) for sample in samples}) == 1
        ]
        for sample in samples:
            missing = sorted(names - set(sample.scores.get(factor, {})))
            if missing:
                problems.append(error(sample.id, f"{factor}: no score of {', '.join(missing)}"))
    return problems


def _from_means(path: Path) -> tuple[list[Rated], list[Problem]]:
    rows = _all_lines(path)
    columns = list(rows[0].cells)
    which = next((c for word in _FILE_COLUMNS for c in columns if word in c.lower()), None)
    factors = {f: next((c for c in columns if f in c.lower()), None) for f in FACTORS}
    if which is None or None in factors.values():
        raise InputError(
            str(path), f"a column of file names and one per factor are needed; it has {', '.join(columns)}"
        )
    problems: list[Problem] = []
    samples = []
    for row in rows:
        name = row.text(which)
        means = {factor: _mean(row, column or "", problems) for factor, column in factors.items()}
        samples.append(Rated(name, _found(path.parent, name), mean=means))
    return samples, problems


def _all_lines(path: Path) -> list[Line]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        heading = next(csv.reader(file), [])
    return lines(path, heading, heading)


def _mean(row: Line, column: str, problems: list[Problem]) -> float:
    try:
        value = float(row.cells[column])
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        problems.append(error(f"{row.source}, line {row.number}", f"{column} is no number"))
    return value


def _found(folder: Path, name: str) -> Path:
    """The file of that name, wherever below the folder it lies."""
    direct = folder / name
    if direct.is_file():
        return direct
    stem = Path(name).name
    return next((path for path in sorted(folder.rglob("*")) if stem in {path.name, path.stem}), direct)
