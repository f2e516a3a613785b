"""RateAR (section 5.1 and A.2): SRCC, PLCC and KRCC between human scores and predictions.

As published, all three have the interval of Fisher's transformation that Pingouin gives, although for ranks
it is an approximation, and p is adjusted by Bonferroni over the methods of a column.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt
import pingouin
from scipy import stats

from benchmarks.protocols.data import Floats, Interval, UnusableData, is_constant, same_length, vector

TOO_FEW = 3
"""Samples below which no correlation is given: two always lie on a line."""
INTERVAL_DIGITS = 12


class Coefficient(StrEnum):
    """Which correlation."""

    SRCC = "srcc"
    PLCC = "plcc"
    KRCC = "krcc"


@dataclass(frozen=True, slots=True)
class Correlation:
    """A correlation of ``n`` samples; ``left_out`` more had no answer. ``why`` says why a field is None."""

    coefficient: Coefficient
    n: int
    left_out: int
    r: float | None
    interval: Interval | None
    p: float | None
    why: str = ""


def correlate(human: npt.ArrayLike, predicted: npt.ArrayLike, coefficient: Coefficient) -> Correlation:
    """Correlation of human scores with predictions of the same samples, two-sided p, ties shared (tau-b).

    A NaN among the predictions is a sample without an answer: it is left out and counted. Fewer than three
    samples, or all scores equal on either side, have no correlation; three have no interval.

    Raises:
        UnusableData: the lengths differ, a human score is not finite, or a prediction is infinite.
    """
    truth = vector("human scores", human)
    answers = np.asarray(predicted, dtype=np.float64)
    same_length("predictions", answers, "the human scores", truth.size)
    if np.isinf(answers).any():
        raise UnusableData("predictions", "a prediction is infinite; NaN is what marks a missing answer")
    given = ~np.isnan(answers)
    truth, answers = truth[given], answers[given]
    n, left_out = int(answers.size), int((~given).sum())
    why = _undefined(truth, answers)
    if why:
        return Correlation(coefficient, n, left_out, None, None, None, why)
    r, p = _library(truth, answers, coefficient)
    interval = interval_of(r, n)
    return Correlation(coefficient, n, left_out, r, interval, p, "" if interval else _NO_INTERVAL)


def interval_of(r: float, n: int) -> Interval | None:
    """95 % interval of a correlation by Fisher's transformation; None for fewer than four samples.

    Raises:
        UnusableData: ``r`` is not a correlation.
    """
    _check(r)
    if n <= TOO_FEW:
        return None
    if abs(r) == 1:
        return Interval(r, r)
    low, high = pingouin.compute_esci(stat=r, nx=n, ny=n, eftype="r", decimals=INTERVAL_DIGITS)
    return Interval(float(low), float(high))


def p_of(r: float, n: int) -> float | None:
    """Two-sided p of an SRCC or PLCC by Student's t, ``n - 2`` degrees of freedom; None below three samples.

    Not for KRCC, whose p depends on the ties in the data.

    Raises:
        UnusableData: ``r`` is not a correlation.
    """
    _check(r)
    if n < TOO_FEW:
        return None
    if abs(r) == 1:
        return 0.0
    t = abs(r) * math.sqrt((n - 2) / ((1 - r) * (1 + r)))
    return float(2 * stats.t.sf(t, n - 2))


def bonferroni(p: Sequence[float | None], tests: int | None = None) -> list[float | None]:
    """``min(1, p * tests)``; tests are all entries of the column unless said, those without p included.

    Raises:
        UnusableData: fewer tests than entries, or an entry that is no probability.
    """
    count = len(p) if tests is None else tests
    if count < len(p):
        raise UnusableData("adjusted p", f"{count} tests are fewer than the {len(p)} values of p")
    if any(one is not None and not 0 <= one <= 1 for one in p):
        raise UnusableData("adjusted p", "a value of p is not between 0 and 1")
    return [None if one is None else min(1.0, one * count) for one in p]


_NO_INTERVAL = "three samples have no interval"


def _undefined(truth: Floats, answers: Floats) -> str:
    if answers.size < TOO_FEW:
        return f"{answers.size} samples have an answer, at least {TOO_FEW} are needed"
    if is_constant(truth):
        return "all human scores are equal"
    if is_constant(answers):
        return "all predictions are equal"
    return ""


def _library(truth: Floats, answers: Floats, coefficient: Coefficient) -> tuple[float, float]:
    if coefficient is Coefficient.SRCC:
        result = stats.spearmanr(truth, answers)
    elif coefficient is Coefficient.PLCC:
        result = stats.pearsonr(truth, answers)
    else:
        result = stats.kendalltau(truth, answers)
    return float(np.clip(result.statistic, -1, 1)), float(result.pvalue)


def _check(r: float) -> None:
    if not -1 <= r <= 1:
        raise UnusableData("correlation", f"{r} is not between -1 and 1")
