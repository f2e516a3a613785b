"""RateAR (section 3, Labeling, and 5.1): mean opinion scores and the reliability of annotators.

Scores are a table of annotators by samples, one table for each factor (placement, size, shadow).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd
import pingouin

from benchmarks.protocols.data import Floats, Interval, UnusableData, matrix

CLIP = 3.0
"""Standard deviations at which z-scores are cut."""
FEWEST_SCORES = 5
"""Scores of all annotators that Pingouin's analysis of variance asks for."""
SAME = 1e-12


@dataclass(frozen=True, slots=True)
class Reliability:
    """ICC(2,k): two-way random effects, absolute agreement, mean of the ``annotators``.

    F tests that samples do not differ, with ``df1`` and ``df2`` degrees of freedom. ``why`` says why a
    field is None.
    """

    annotators: int
    samples: int
    icc: float | None
    interval: Interval | None
    f: float | None
    df1: int
    df2: int
    p: float | None
    why: str = ""


def scaled_scores(scores: npt.ArrayLike) -> Floats:
    """Every annotator's z-scores, cut at ±3 and scaled to 0..100; shape (annotators, samples) as given.

    The standard deviation is the sample's, as in ITU-R BT.500. (The paper does not say; dividing by n instead
    moves all scores by the same factor, 0.1 % for 433 samples, and no correlation unless a score is cut.)

    Raises:
        UnusableData: a score is missing, there are fewer than two samples, or an annotator gave all the
            same score.
    """
    raw = matrix("scores", scores, rows="annotator", columns="sample")
    if raw.shape[1] < 2:
        raise UnusableData("scores", "one sample has no z-score, at least two are needed")
    constant = np.flatnonzero(np.ptp(raw, axis=1) == 0)
    if constant.size:
        raise UnusableData(
            "scores",
            f"annotator {constant[0]} (from 0) gave every sample the same score, so there are no z-scores; "
            "leave the annotator out",
        )
    z = (raw - raw.mean(axis=1, keepdims=True)) / raw.std(axis=1, ddof=1, keepdims=True)
    return np.asarray(100 * (np.clip(z, -CLIP, CLIP) + CLIP) / (2 * CLIP), dtype=np.float64)


def mean_opinion_scores(scores: npt.ArrayLike) -> Floats:
    """The mean opinion score of every sample, 0 to 100, from scores of (annotators, samples).

    Raises:
        UnusableData: as ``scaled_scores``.
    """
    return np.asarray(scaled_scores(scores).mean(axis=0), dtype=np.float64)


def reliability(scores: npt.ArrayLike) -> Reliability:
    """ICC(2,k) with its 95 % interval, from raw scores of (annotators, samples).

    Where all scores are equal, or there are but four, there is no ICC. Where annotators differ by a constant
    only, F is infinite: ICC is given, F and interval are not.

    Raises:
        UnusableData: a score is missing, one annotator, or one sample.
    """
    raw = matrix("scores", scores, rows="annotator", columns="sample")
    annotators, samples = raw.shape
    if annotators < 2 or samples < 2:
        raise UnusableData(
            "scores", f"{annotators} annotators and {samples} samples: reliability needs two of each at least"
        )
    df1, df2 = samples - 1, (samples - 1) * (annotators - 1)
    if raw.size < FEWEST_SCORES:
        why = f"{raw.size} scores are too few, at least {FEWEST_SCORES} are needed"
        return Reliability(annotators, samples, None, None, None, df1, df2, None, why)
    by_sample, by_annotator = raw.mean(axis=0), raw.mean(axis=1)
    if np.ptp(by_sample) < SAME and np.ptp(raw - by_annotator[:, None]) < SAME:
        why = "all samples have the same scores"
        return Reliability(annotators, samples, None, None, None, df1, df2, None, why)
    if np.ptp(raw - by_sample - by_annotator[:, None]) < SAME:
        between_samples = annotators * float(by_sample.var(ddof=1))
        between_annotators = samples * float(by_annotator.var(ddof=1))
        icc = between_samples / (between_samples + between_annotators / samples)
        why = "annotators differ by a constant at most, so F is infinite"
        return Reliability(annotators, samples, icc, None, None, df1, df2, 0.0, why)
    return _library(raw, df1, df2)


def _library(raw: Floats, df1: int, df2: int) -> Reliability:
    annotators, samples = raw.shape
    table = pd.DataFrame(
        {
            "sample": np.tile(np.arange(samples), annotators),
            "annotator": np.repeat(np.arange(annotators), samples),
            "score": raw.ravel(),
        }
    )
    # Samples or annotators whose means agree make it divide by zero; what is undefined becomes None below.
    with np.errstate(divide="ignore", invalid="ignore"):
        all_forms = pingouin.intraclass_corr(table, targets="sample", raters="annotator", ratings="score")
    row = all_forms.set_index("Type").loc["ICC(A,k)"]
    icc, f, p = (float(row[name]) for name in ("ICC", "F", "pval"))
    low, high = (float(bound) for bound in row["CI95"])
    if not icc <= 1:  # the estimate's denominator is not above zero
        why = "samples differ so much less than chance would have it that the estimate is undefined"
        return Reliability(annotators, samples, None, None, f, df1, df2, p, why)
    if not low <= icc <= high:
        return Reliability(annotators, samples, icc, None, f, df1, df2, p, "the interval is undefined")
    return Reliability(annotators, samples, icc, Interval(low, high), f, df1, df2, p)
