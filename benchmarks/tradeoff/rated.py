"""The same for ratings: a cheap measure rates first, and where it is near the limit a judge rates instead.

A rating below a limit warns the wearer that something is placed, sized or lit badly. How sure a measure is of
that is how far its rating lies from the limit. Numbers of measures are brought to the scale of 1 to 5 by a
straight line, fitted to people's mean scores of the training samples, as baselines are trained in the paper.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from benchmarks.datasets.ratear import Rated
from benchmarks.protocols.agreement import TOO_FEW, Coefficient, correlate
from benchmarks.protocols.data import UnusableData, is_constant
from benchmarks.ratear.results import People
from benchmarks.runs.calls import Row
from benchmarks.tradeoff.calibration import Confidences, votes
from benchmarks.tradeoff.configurations import Point, Seen, Spread, Worth, point

LOWEST: Final = 1.0
HIGHEST: Final = 5.0
MOS_TOP: Final = 100.0


@dataclass(frozen=True, slots=True)
class Truth:
    """People's opinion of the samples that are tested, in one factor."""

    factor: str
    mos: Mapping[str, float]
    """What correlations are with."""
    mean: Mapping[str, float]
    """On the scale of 1 to 5."""
    limit: float
    """Below it a sample is bad."""

    def bad(self, sample: str) -> bool:
        """Whether people rate it below the limit."""
        return self.mean[sample] < self.limit


@dataclass(frozen=True, slots=True)
class Fit:
    """A line from a measure's numbers to ratings."""

    slope: float
    offset: float

    def rating(self, value: float) -> float:
        """On the scale of 1 to 5."""
        return min(HIGHEST, max(LOWEST, self.slope * value + self.offset))


def mean_scores(samples: Sequence[Rated], factor: str) -> dict[str, float]:
    """People's mean on the scale of 1 to 5; of sets with means only, of 0 to 100, brought to it.

    Raises:
        UnusableData: nobody scored a sample in this factor.
    """
    found: dict[str, float] = {}
    for sample in samples:
        scores = list(sample.scores.get(factor, {}).values())
        mean = sample.mean.get(factor)
        if scores:
            found[sample.id] = sum(scores) / len(scores)
        elif mean is not None and math.isfinite(mean):
            found[sample.id] = LOWEST + (HIGHEST - LOWEST) * mean / MOS_TOP
        else:
            raise UnusableData(sample.id, f"nobody scored its {factor}")
    return found


def truth_of(
    samples: Sequence[Rated], tested: Sequence[str], people: Mapping[str, People], factor: str, limit: float
) -> Truth:
    """The truth about the samples that are tested. MOS are over all samples, as published.

    Raises:
        UnusableData: nobody scored this factor.
    """
    if factor not in people:
        raise UnusableData(factor, "nobody scored it; choose another --factor")
    mos = dict(
        zip((sample.id for sample in samples), (float(one) for one in people[factor].mos), strict=True)
    )
    return Truth(factor, {name: mos[name] for name in tested}, mean_scores(samples, factor), limit)


def fitted(rows: Sequence[Row], mean: Mapping[str, float], training: Sequence[str]) -> Fit:
    """The line of a measure, by least squares over the training samples; level where all numbers are equal.

    Raises:
        UnusableData: fewer than three have a number.
    """
    wanted = set(training)
    known = {name: value for name, value in ratings(rows).items() if name in wanted}
    values = np.array(list(known.values()), dtype=np.float64)
    if values.size < TOO_FEW:
        raise UnusableData(
            "training samples", f"{values.size} have a number of the measure, three at least are needed"
        )
    if is_constant(values):
        return Fit(0.0, sum(mean[name] for name in known) / len(known))
    slope, offset = np.polyfit(values, [mean[name] for name in known], 1)
    return Fit(float(slope), float(offset))


def ratings(rows: Sequence[Row]) -> dict[str, float]:
    """Mean over runs by sample, of those that have any."""
    said: dict[str, list[float]] = {}
    for row in rows:
        value = row.given.answer.get("rating")
        if isinstance(value, int | float):
            said.setdefault(row.key.sample, []).append(float(value))
    return {name: sum(values) / len(values) for name, values in said.items()}


def rated_points(
    truth: Truth,
    rows: Mapping[str, Sequence[Row]],
    fits: Mapping[str, Fit],
    *,
    thresholds: Sequence[float],
    scenes_per_hour: float,
) -> list[Point]:
    """Every method alone, and the first measure with every judge: asked where it is surer of nothing.

    ``fits`` names the measures; their rows may hold training samples, which are passed over.

    Raises:
        UnusableData: a method has no answers.
    """
    spread = Spread(len(truth.mos), scenes_per_hour)
    tested = {name: [row for row in mine if row.key.sample in truth.mos] for name, mine in rows.items()}
    found = []
    for name, mine in tested.items():
        family, asked = ("fast", 0.0) if name in fits else ("judge", 1.0)
        scale = fits.get(name)
        seen = [_alone(truth, row, scale) for row in mine]
        values = ratings(mine)
        if scale is not None:
            values = {sample: scale.rating(value) for sample, value in values.items()}
        found.append(point(name, family, seen, spread, asked, srcc=_srcc(truth, values)))
    fast = next(iter(fits), None)
    for judge in (name for name in rows if name not in fits and fast is not None):
        for sure in thresholds:
            name = f"{fast} + {judge}, asked below {sure:g}"
            seen, values, asked = _both(
                truth, _own(tested[fast or ""], fits[fast or ""]), tested[judge], sure
            )
            found.append(point(name, "both", seen, spread, asked, srcc=_srcc(truth, values)))
    return found


def rated_confidences(
    truth: Truth, rows: Mapping[str, Sequence[Row]], fits: Mapping[str, Fit]
) -> list[Confidences]:
    """How sure each method is that a sample is bad: by its rating, or by how many of its runs say so."""
    bad = {name: truth.bad(name) for name in truth.mos}
    found: list[Confidences] = []
    for name, mine in rows.items():
        tested = [row for row in mine if row.key.sample in truth.mos]
        scale = fits.get(name)
        if scale is not None:
            values = {sample: scale.rating(value) for sample, value in ratings(tested).items()}
            given = tuple((HIGHEST - value) / (HIGHEST - LOWEST) for value in values.values())
            kind = "how low it rates, 5 to 1 as 0 to 1"
            found += (
                [Confidences(name, kind, given, tuple(bad[sample] for sample in values))] if given else []
            )
            continue
        said: dict[str, list[bool]] = {}
        for row in tested:
            value = row.given.answer.get("rating")
            if isinstance(value, int | float):
                said.setdefault(row.key.sample, []).append(float(value) < truth.limit)
        voted = votes(name, said, bad)
        found += [] if voted is None else [voted]
    return found


@dataclass(frozen=True, slots=True)
class _Own:
    """A measure's rating of one sample."""

    rating: float
    spent_ms: float
    cost: float | None


def _own(rows: Sequence[Row], scale: Fit) -> dict[str, _Own]:
    return {
        row.key.sample: _Own(
            scale.rating(float(row.given.answer["rating"])), row.given.latency_ms, row.given.cost
        )
        for row in rows
        if "rating" in row.given.answer
    }


def _alone(truth: Truth, row: Row, scale: Fit | None) -> Seen:
    value, spent_ms = row.given.answer.get("rating"), row.given.latency_ms if row.given.answered else None
    verdict: bool | None = None
    if isinstance(value, int | float):
        verdict = (float(value) if scale is None else scale.rating(value)) < truth.limit
    return Seen(truth.bad(row.key.sample), verdict, spent_ms if verdict else None, spent_ms, row.given.cost)


def _both(
    truth: Truth, own: Mapping[str, _Own], judge: Sequence[Row], sure: float
) -> tuple[list[Seen], dict[str, float], float]:
    """What both make of every sample in every run of the judge, ratings, and the share it is asked about."""
    widest = max(truth.limit - LOWEST, HIGHEST - truth.limit)
    theirs = ratings(judge)
    seen: list[Seen] = []
    values: dict[str, float] = {}
    asked = 0
    for row in judge:
        sample = row.key.sample
        mine = own.get(sample)
        first = None if mine is None else mine.rating < truth.limit
        before_ms = 0.0 if mine is None else mine.spent_ms
        if mine is not None and abs(mine.rating - truth.limit) / widest >= sure:
            values[sample] = mine.rating
            seen.append(Seen(truth.bad(sample), first, before_ms if first else None, before_ms, mine.cost))
            continue
        asked += 1
        said = row.given.answer.get("rating")
        # Without an answer the measure's rating stays, as the fast tier's verdict does in the daemon.
        verdict = float(said) < truth.limit if isinstance(said, int | float) else first
        final_ms = before_ms + row.given.latency_ms
        alert = before_ms if first else final_ms if verdict else None
        done_ms = final_ms if row.given.answered else None
        value = theirs.get(sample, None if mine is None else mine.rating)
        if value is not None:
            values[sample] = value
        seen.append(Seen(truth.bad(sample), verdict, alert, done_ms, row.given.cost))
    return seen, values, asked / len(seen) if seen else 0.0


def _srcc(truth: Truth, values: Mapping[str, float]) -> Worth:
    found = correlate(
        list(truth.mos.values()), [values.get(name, math.nan) for name in truth.mos], Coefficient.SRCC
    )
    return Worth(found.r, found.interval)
