"""What the rows of a run say against people's scores."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from arwarden.escalate.questions import Form
from benchmarks.datasets.ratear import Rated, annotators, score_table
from benchmarks.protocols.agreement import Coefficient, Correlation, bonferroni, correlate
from benchmarks.protocols.data import Floats, UnusableData
from benchmarks.protocols.ratings import Reliability, mean_opinion_scores, reliability
from benchmarks.published.tables import FACTORS
from benchmarks.ratear.ask import protocol
from benchmarks.runs.calls import Row

RATINGS = frozenset(protocol(factor, form) for factor in FACTORS for form in Form)
"""Protocols of ratings of samples as they are."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """One method in one form on one factor; ``p_adjusted`` is Bonferroni's over methods and forms."""

    method: str
    form: str
    factor: str
    correlation: Correlation
    p_adjusted: float | None


@dataclass(frozen=True, slots=True)
class People:
    """What people say of a factor: a score per sample (from annotators 0 to 100), and how reliable it is."""

    mos: Floats
    reliability: Reliability | None
    why: str = ""
    """Why there is no reliability."""


def people_of(samples: Sequence[Rated], factors: Sequence[str] = FACTORS) -> dict[str, People]:
    """By factor; a factor without scores is left out. MOS are over all samples given, as published.

    Raises:
        UnusableData: scores that no mean can be made of, such as an annotator who always gave the same.
    """
    found: dict[str, People] = {}
    for factor in factors:
        if not annotators(samples, factor):
            means = [sample.mean.get(factor, math.nan) for sample in samples]
            if samples and all(math.isfinite(mean) for mean in means):
                found[factor] = People(np.array(means), None, "the set gives means only")
            continue
        scores = score_table(samples, factor)
        try:
            mos = mean_opinion_scores(scores)
        except UnusableData as error:
            names = ", ".join(annotators(samples, factor))
            raise UnusableData(factor, f"{error} (annotators in order: {names})") from None
        try:
            found[factor] = People(mos, reliability(scores))
        except UnusableData as error:
            found[factor] = People(mos, None, str(error))
    return found


def agreements(
    people: Mapping[str, People], order: Sequence[str], tested: Sequence[str], rows: Sequence[Row]
) -> list[Agreement]:
    """Correlations over the ``tested`` ids; ``order`` are the ids that people's scores are of.

    A method's rating is the mean over its runs. Methods and forms of a column are adjusted for together.
    Answers to other prompts than those for ratings are passed over.
    """
    places = {name: index for index, name in enumerate(order)}
    rows = [row for row in rows if row.key.protocol in RATINGS]
    ratings = _ratings(rows)
    lines = list(dict.fromkeys((row.key.method, row.key.protocol.partition(".")[2]) for row in rows))
    found: list[Agreement] = []
    for factor, said in people.items():
        truth = said.mos[[places[name] for name in tested]]
        for coefficient in Coefficient:
            column = [
                correlate(
                    truth,
                    [ratings.get((method, f"{factor}.{form}", name), math.nan) for name in tested],
                    coefficient,
                )
                for method, form in lines
            ]
            adjusted = bonferroni([one.p for one in column])
            found += [
                Agreement(method, form, factor, one, p)
                for (method, form), one, p in zip(lines, column, adjusted, strict=True)
            ]
    return found


def _ratings(rows: Sequence[Row]) -> dict[tuple[str, str, str], float]:
    """Mean rating over runs by method, protocol and sample."""
    said: dict[tuple[str, str, str], list[float]] = {}
    for row in rows:
        rating = row.given.answer.get("rating")
        if isinstance(rating, int | float):
            said.setdefault((row.key.method, row.key.protocol, row.key.sample), []).append(float(rating))
    return {key: sum(values) / len(values) for key, values in said.items()}
