"""Psychophysics (Analysis and Results): from choices to a scale, and how a scale relates to the human one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import statsmodels.api as sm
from scipy import stats

from benchmarks.protocols.agreement import Coefficient, correlate
from benchmarks.protocols.data import Floats, Interval, UnusableData, is_constant, matrix, same_length, vector

RESAMPLES = 2000


@dataclass(frozen=True, slots=True)
class AttributeWeights:
    """Standardised weights of contrast and colourfulness in overall preference, with 95 % intervals."""

    contrast: float
    colourfulness: float
    contrast_interval: Interval
    colourfulness_interval: Interval
    r_squared: float
    n: int


@dataclass(frozen=True, slots=True)
class Bootstrapped:
    """A value with a percentile interval over resampled scenes; ``undefined`` ones are left out."""

    value: float | None
    interval: Interval | None
    undefined: int
    why: str = ""


@dataclass(frozen=True, slots=True)
class Separability:
    """Per scene the separability d(s) and the agreement a(s), None where undefined, and how they relate.

    ``agreement`` is the mean of a(s), ``relation`` Spearman's correlation of a(s) with d(s).
    """

    separability: tuple[float, ...]
    agreements: tuple[float | None, ...]
    agreement: Bootstrapped
    relation: Bootstrapped


def case_v(wins: npt.ArrayLike) -> Floats:
    """Scale values of items by Thurstone's Case V, in standard deviations of a difference, with mean 0.

    ``wins`` is (items, items): how often row was chosen over column; sum over scenes for a scale over all
    of them. The z-score of every proportion is averaged over the other items and the item itself (z = 0).
    Unanimous pairs have an infinite z-score; of ``n`` judgements they count as ``1 - 1/(2n)``, half a
    judgement short of unanimous.

    Raises:
        UnusableData: not a square of counts, or a pair that was never judged.
    """
    counts = matrix("wins", wins, rows="item", columns="item")
    if counts.shape[0] != counts.shape[1] or counts.shape[0] < 2 or counts.min() < 0:
        raise UnusableData(
            "wins", f"a square of counts for two items at least is needed, this is {counts.shape}"
        )
    judged = counts + counts.T
    unseen = np.argwhere((judged == 0) & ~np.eye(len(counts), dtype=np.bool_))
    if unseen.size:
        raise UnusableData("wins", f"items {unseen[0][0]} and {unseen[0][1]} (from 0) were never compared")
    np.fill_diagonal(judged, 1.0)
    share = counts / judged
    np.fill_diagonal(share, 0.5)
    half = 1 / (2 * judged)
    np.fill_diagonal(half, 0.5)
    return np.asarray(stats.norm.ppf(np.clip(share, half, 1 - half)).mean(axis=1), dtype=np.float64)


def attribute_weights(
    overall: npt.ArrayLike, contrast: npt.ArrayLike, colourfulness: npt.ArrayLike
) -> AttributeWeights:
    """Least squares ``z(overall) = a z(contrast) + b z(colourfulness)`` over matched pictures of all scenes.

    Raises:
        UnusableData: lengths differ, fewer than four pictures, a constant attribute, or attributes that say
            the same.
    """
    rows = {
        name: vector(name, values, at_least=4)
        for name, values in (("overall", overall), ("contrast", contrast), ("colourfulness", colourfulness))
    }
    for name, values in rows.items():
        same_length(name, values, "overall", rows["overall"].size)
        if is_constant(values):
            raise UnusableData(name, "all values are equal, so it cannot be standardised")
    z = {name: (values - values.mean()) / values.std() for name, values in rows.items()}
    predictors = np.column_stack([z["contrast"], z["colourfulness"]])
    if np.linalg.matrix_rank(predictors) < 2:
        raise UnusableData(
            "contrast and colourfulness", "they are proportional, so their weights are undefined"
        )
    fitted = sm.OLS(z["overall"], predictors).fit()
    of_contrast, of_colourfulness = (float(one) for one in fitted.params)
    bounds = [Interval(float(low), float(high)) for low, high in fitted.conf_int(0.05)]
    r_squared, n = float(fitted.rsquared), rows["overall"].size
    return AttributeWeights(of_contrast, of_colourfulness, bounds[0], bounds[1], r_squared, n)


def separability(human: npt.ArrayLike) -> Floats:
    """How well humans tell a scene's renderings apart: sample SD of z-scores; (scenes, items) to (scenes,).

    Raises:
        UnusableData: a value is missing, or a scene has one item.
    """
    scores = matrix("human z-scores", human, rows="scene", columns="item")
    if scores.shape[1] < 2:
        raise UnusableData("human z-scores", "one item per scene has no spread, at least two are needed")
    return np.asarray(scores.std(axis=1, ddof=1), dtype=np.float64)


def agreement_by_separability(
    human: npt.ArrayLike, model: npt.ArrayLike, *, seed: int, resamples: int = RESAMPLES
) -> Separability:
    """Agreement with humans per scene, against how separable the scene is; both arrays are (scenes, items).

    Intervals are the 2.5th and 97.5th percentiles over ``resamples`` draws of scenes with replacement.

    Raises:
        UnusableData: the shapes differ, a value is missing, or there are no two items.
    """
    truth = matrix("human z-scores", human, rows="scene", columns="item")
    answers = matrix("model z-scores", model, rows="scene", columns="item")
    if truth.shape != answers.shape:
        raise UnusableData("model z-scores", f"shape {answers.shape}, but humans have {truth.shape}")
    spread = separability(truth)
    each = [correlate(one, other, Coefficient.SRCC).r for one, other in zip(truth, answers, strict=True)]
    known = np.array([index for index, value in enumerate(each) if value is not None], dtype=np.int64)
    a = np.array([value for value in each if value is not None])
    d = spread[known]

    def mean_of(drawn: npt.NDArray[np.int64]) -> float | None:
        return float(a[drawn].mean())

    def relation_of(drawn: npt.NDArray[np.int64]) -> float | None:
        return correlate(d[drawn], a[drawn], Coefficient.SRCC).r

    return Separability(
        tuple(float(one) for one in spread),
        tuple(each),
        _bootstrap(mean_of, known.size, seed, resamples),
        _bootstrap(relation_of, known.size, seed, resamples),
    )


def _bootstrap(
    statistic: Callable[[npt.NDArray[np.int64]], float | None], scenes: int, seed: int, resamples: int
) -> Bootstrapped:
    if scenes == 0:
        return Bootstrapped(None, None, 0, "no scene has an agreement: all scores of a scene are equal")
    value = statistic(np.arange(scenes))
    if value is None:
        return Bootstrapped(None, None, 0, "fewer than three scenes, or all are alike")
    rng = np.random.default_rng(seed)
    drawn = [statistic(rng.integers(0, scenes, scenes)) for _ in range(resamples)]
    found = [one for one in drawn if one is not None]
    if not found:
        return Bootstrapped(value, None, resamples, "no resample has a value")
    low, high = (float(one) for one in np.percentile(found, (2.5, 97.5)))
    return Bootstrapped(value, Interval(low, high), resamples - len(found))
