"""RateAR (section 5.4.1): whether content is rated better after an adjustment than before."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pingouin
from scipy import stats

from benchmarks.protocols.data import Floats, same_length, vector


@dataclass(frozen=True, slots=True)
class Centre:
    """Median and interquartile range (quartiles interpolated linearly), in the unit of the ratings."""

    median: float
    iqr: float


@dataclass(frozen=True, slots=True)
class Adjustment:
    """Ratings of the same trials before and after.

    ``w`` is the smaller sum of ranks, ``z`` and ``rank_biserial`` (-1 to 1) are negative where ratings
    rose, as published (before minus after). They and ``p`` are None where no rating changed; ``why`` says
    so.
    """

    improved: int
    unchanged: int
    worse: int
    before: Centre
    after: Centre
    w: float | None
    z: float | None
    p: float | None
    rank_biserial: float | None
    why: str = ""

    @property
    def trials(self) -> int:
        """All trials."""
        return self.improved + self.unchanged + self.worse

    @property
    def shares(self) -> tuple[float, float, float]:
        """Improved, unchanged and worse, 0 to 1."""
        return self.improved / self.trials, self.unchanged / self.trials, self.worse / self.trials


def adjustment(before: npt.ArrayLike, after: npt.ArrayLike) -> Adjustment:
    """Two-sided Wilcoxon signed-rank test of paired ratings with the matched-pairs rank-biserial correlation.

    Trials that did not change are dropped (Wilcoxon's rule), p comes from the normal approximation without
    continuity correction, so that it follows from z as in the paper.

    Raises:
        UnusableData: the lengths differ, there are no trials, or a rating is not finite.
    """
    first, second = vector("ratings before", before), vector("ratings after", after)
    same_length("ratings after", second, "the ratings before", first.size)
    rose = second - first
    counts = int((rose > 0).sum()), int((rose == 0).sum()), int((rose < 0).sum())
    centres = _centre(first), _centre(second)
    if counts[1] == rose.size:
        return Adjustment(*counts, *centres, None, None, None, None, "no rating changed")
    options = {"zero_method": "wilcox", "correction": False, "method": "asymptotic"}
    row = pingouin.wilcoxon(first, second, alternative="two-sided", **options).iloc[0]
    z = float(stats.wilcoxon(first, second, **options).zstatistic)
    return Adjustment(*counts, *centres, float(row["W_val"]), z, float(row["p_val"]), float(row["RBC"]))


def p_of_z(z: float) -> float:
    """Two-sided p of a standard normal value."""
    return float(2 * stats.norm.sf(abs(z)))


def _centre(values: Floats) -> Centre:
    lower, median, upper = (float(one) for one in np.percentile(values, (25, 50, 75)))
    return Centre(median, upper - lower)
