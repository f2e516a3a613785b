"""Adjustments that judges propose: written down, carried out where scenes are known, and rated again."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from arwarden.core.errors import InputError
from arwarden.escalate.answers import Adjustment
from benchmarks.datasets.ball import Ball
from benchmarks.datasets.checks import table
from benchmarks.datasets.generate_ratear import SimulatedPeople, write_scene
from benchmarks.datasets.ratear import Rated
from benchmarks.protocols import adjustment as protocol
from benchmarks.ratear.ask import ADJUSTMENTS, AFTER, Adjusted
from benchmarks.runs.calls import Row
from benchmarks.runs.media import shots

PROPOSALS: Final = "adjustments.csv"
"""In ``--out``: what each judge would do to each sample, for an app to carry out."""
FOLDER: Final = "adjusted"
HEADING: Final = ("method", "id", "factor", "rating", "right_m", "up_m", "scale")
PICTURES: Final = ("method", "id", "factor", "file")
"""Columns of a file that names samples after adjustments."""
TRIALS: Final = ("trial", "factor", "before", "after")
"""Columns of a file of people's ratings before and after an adjustment."""
PEOPLE: Final = "people"
ITSELF: Final = "the judge itself"
SIMULATED: Final = "simulated annotators"


@dataclass(frozen=True, slots=True)
class Proposal:
    """What a judge would do to a sample; ``change`` is None where it gave no readable adjustment."""

    method: str
    sample: str
    factor: str
    rating: float | None
    change: Adjustment | None

    @property
    def name(self) -> str:
        """The change as numbers."""
        moved = self.change or Adjustment()
        return f"{moved.right_m:g},{moved.up_m:g},{moved.scale:g}"


@dataclass(frozen=True, slots=True)
class Compared:
    """Ratings before and after the adjustments of one method in one factor, by one rater.

    ``left_out`` trials lack an adjustment or a rating. ``found`` is None where none is left.
    """

    method: str
    factor: str
    rater: str
    left_out: int
    found: protocol.Adjustment | None


def proposals(rows: Iterable[Row]) -> list[Proposal]:
    """What the answers to the adjustment prompts propose, failed ones included."""
    factors = {task.value: factor for factor, task in ADJUSTMENTS.items()}
    found = []
    for row in rows:
        factor = factors.get(row.key.protocol)
        if factor is None:
            continue
        rating, said = row.given.answer.get("rating"), row.given.answer.get("adjustment")
        change = Adjustment(**said) if isinstance(said, Mapping) else None
        found.append(Proposal(row.key.method, row.key.sample, factor, rating, change))
    return found


def write_proposals(path: Path, found: Sequence[Proposal]) -> None:
    """Write them as CSV; cells of what a judge did not say are empty."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(HEADING)
        for one in found:
            moved = one.change
            numbers = ("", "", "") if moved is None else (moved.right_m, moved.up_m, moved.scale)
            rating = "" if one.rating is None else one.rating
            writer.writerow((one.method, one.sample, one.factor, rating, *numbers))


def carried_out(
    found: Sequence[Proposal], balls: Mapping[str, Ball], samples: Sequence[Rated], out: Path
) -> dict[Proposal, tuple[Adjusted, Ball]]:
    """Every proposal drawn into its scene; those without an adjustment or a known scene are left out.

    Raises:
        InputError: a sample cannot be read.
    """
    files = {sample.id: sample.file for sample in samples}
    methods = list(dict.fromkeys(one.method for one in found))
    drawn: dict[Proposal, tuple[Adjusted, Ball]] = {}
    for one in found:
        if one.change is None or one.sample not in balls:
            continue
        original = files[one.sample]
        picture = shots(original, 1)[0].picture
        ball = balls[one.sample].adjusted(one.change, picture.width_px / picture.height_px)
        label = f"{methods.index(one.method)}_{re.sub(r'[^A-Za-z0-9._-]+', '_', one.method)}"
        path = out / FOLDER / label / f"{one.sample}.{one.factor}{original.suffix}"
        path.parent.mkdir(parents=True, exist_ok=True)
        write_scene(path, ball, (picture.width_px, picture.height_px))
        drawn[one] = Adjusted(one.method, one.sample, one.factor, path, one.name), ball
    return drawn


def read_adjusted(path: Path, found: Sequence[Proposal]) -> list[Adjusted]:
    """Samples after adjustments, from a CSV file of ``method,id,factor,file`` (relative to it).

    Raises:
        InputError: the file is not as described, a picture or video is missing, or nobody has proposed it.
    """
    proposed = {(one.method, one.sample, one.factor): one for one in found if one.change is not None}
    adjusted = []
    for row in table(path, PICTURES, ("method", "id", "factor")):
        key = row.text("method"), row.text("id"), row.one_of("factor", tuple(ADJUSTMENTS))
        file = path.parent / row.text("file")
        if key not in proposed:
            raise row.fault("method", f"{', '.join(key)}: no such adjustment in this run; see {PROPOSALS}")
        if not file.is_file():
            raise row.fault("file", f"there is no file {file}")
        adjusted.append(Adjusted(*key, file, proposed[key].name))
    return adjusted


def by_the_judge(found: Sequence[Proposal], rows: Sequence[Row], form: str) -> list[Compared]:
    """A judge's own ratings, by the same prompt before and after; means over its runs."""
    before, after = _means(rows, form), _means(rows, f"{form}.{AFTER}")
    compared = []
    for (method, factor), mine in _grouped(found).items():
        keys = [(method, factor, one.sample) for one in mine]
        compared.append(
            _compared(method, factor, ITSELF, [(before.get(key), after.get(key)) for key in keys])
        )
    return compared


def by_simulated_people(
    found: Sequence[Proposal],
    drawn: Mapping[Proposal, tuple[Adjusted, Ball]],
    samples: Sequence[Rated],
    seed: int,
) -> list[Compared]:
    """Mean scores of the annotators of a generated set, before as in the set, after by the known faults."""
    scores = {sample.id: sample.scores for sample in samples}
    places = {sample.id: index for index, sample in enumerate(sorted(samples, key=lambda one: one.id))}
    people = SimulatedPeople(seed)
    compared = []
    for (method, factor), mine in _grouped(found).items():
        pairs: list[tuple[float | None, float | None]] = []
        for one in mine:
            before = list(scores[one.sample].get(factor, {}).values())
            if one not in drawn or not before:
                pairs.append((None, None))
                continue
            rng = np.random.default_rng((seed, 3, places[one.sample], tuple(ADJUSTMENTS).index(factor)))
            after = people.scores(getattr(drawn[one][1].faults, factor), rng)
            pairs.append((sum(before) / len(before), sum(after) / len(after)))
        compared.append(_compared(method, factor, SIMULATED, pairs))
    return compared


def by_people(path: Path) -> list[Compared]:
    """People's ratings before and after, from a CSV file of ``trial,factor,before,after``.

    Raises:
        InputError: the file is not as described, or a rating is no number.
    """
    pairs: dict[str, list[tuple[float | None, float | None]]] = {}
    for row in table(path, TRIALS, ("trial", "factor")):
        try:
            pair = float(row.text("before")), float(row.text("after"))
        except ValueError:
            raise row.fault("before", "before and after must be numbers") from None
        if not all(np.isfinite(pair)):
            raise row.fault("before", "before and after must be finite; leave unrated trials out")
        pairs.setdefault(row.text("factor"), []).append(pair)
    if not pairs:
        raise InputError(str(path), "holds no trial")
    return [_compared("–", factor, PEOPLE, trials) for factor, trials in pairs.items()]


def _grouped(found: Sequence[Proposal]) -> dict[tuple[str, str], list[Proposal]]:
    groups: dict[tuple[str, str], list[Proposal]] = {}
    for one in found:
        groups.setdefault((one.method, one.factor), []).append(one)
    return groups


def _means(rows: Sequence[Row], form: str) -> dict[tuple[str, str, str], float]:
    said: dict[tuple[str, str, str], list[float]] = {}
    for row in rows:
        factor, _, rest = row.key.protocol.partition(".")
        rating = row.given.answer.get("rating")
        if rest == form and isinstance(rating, int | float):
            said.setdefault((row.key.method, factor, row.key.sample), []).append(float(rating))
    return {key: sum(values) / len(values) for key, values in said.items()}


def _compared(
    method: str, factor: str, rater: str, pairs: Sequence[tuple[float | None, float | None]]
) -> Compared:
    whole = [(one, two) for one, two in pairs if one is not None and two is not None]
    found = protocol.adjustment(*zip(*whole, strict=True)) if whole else None
    return Compared(method, factor, rater, len(pairs) - len(whole), found)
