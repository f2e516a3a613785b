"""ContrAR (section 5): accuracy of yes-or-no verdicts, by application, over runs, and between methods.

A judge that gives no verdict is wrong: the paper's models always gave one, ours are not spared the loss.
Latencies are summed up by ``benchmarks.statistics.summary`` (p50, p95, p99), not only by their mean.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
from statsmodels.stats.contingency_tables import mcnemar as statsmodels_mcnemar
from statsmodels.stats.proportion import proportion_confint

from benchmarks.protocols.data import Bools, Interval, UnusableData, same_length, vector

RUNS = 3
"""Runs whose mean the paper reports."""
ROUNDED_PCT = 0.005 + 1e-9
"""What an accuracy that is printed with two digits may be off."""
EXACT_BELOW = 25
"""Discordant pairs from which McNemar's test is chi-squared with continuity correction."""


@dataclass(frozen=True, slots=True)
class Confusion:
    """Counts of videos. Contradictory is positive."""

    found: int
    missed: int
    false_alarms: int
    passed: int
    unanswered_contradictory: int = 0
    unanswered_coherent: int = 0

    @property
    def total(self) -> int:
        """All videos."""
        return self.contradictory + self.coherent

    @property
    def contradictory(self) -> int:
        """Videos that hold a contradiction."""
        return self.found + self.missed + self.unanswered_contradictory

    @property
    def coherent(self) -> int:
        """Videos that hold none."""
        return self.false_alarms + self.passed + self.unanswered_coherent

    @property
    def unanswered(self) -> int:
        """Videos without a verdict; they are wrong."""
        return self.unanswered_contradictory + self.unanswered_coherent

    @property
    def correct(self) -> int:
        """Videos judged rightly."""
        return self.found + self.passed

    @property
    def accuracy(self) -> float | None:
        """Share judged rightly, 0 to 1; None without videos."""
        return self.correct / self.total if self.total else None

    @property
    def recall(self) -> float | None:
        """Share of the contradictory that was found; None without any."""
        return self.found / self.contradictory if self.contradictory else None

    @property
    def precision(self) -> float | None:
        """Share of the alarms that was right; None without any."""
        alarms = self.found + self.false_alarms
        return self.found / alarms if alarms else None

    @property
    def f1(self) -> float | None:
        """Harmonic mean of precision and recall; None without a contradictory video."""
        if not self.contradictory:
            return None
        return 2 * self.found / (self.found + self.false_alarms + self.contradictory)


@dataclass(frozen=True, slots=True)
class OverRuns:
    """One number measured in several runs, in its own unit. ``sd`` is the sample's; None for one run."""

    mean: float
    sd: float | None
    least: float
    most: float
    runs: int


@dataclass(frozen=True, slots=True)
class McNemar:
    """Two methods on the same videos: how often each alone was right, and two-sided p of equal accuracy."""

    both_right: int
    only_first_right: int
    only_second_right: int
    both_wrong: int
    p: float
    exact: bool


def confusion(contradictory: Sequence[bool] | Bools, said: Sequence[bool | None]) -> Confusion:
    """What became of videos that are contradictory or not, by what was said of them; None is no verdict.

    Raises:
        UnusableData: the lengths differ, or there are no videos.
    """
    same_length("verdicts", said, "the labels", len(contradictory))
    if not said:
        raise UnusableData("verdicts", "there are none")
    pairs = [
        (bool(label), None if verdict is None else bool(verdict))
        for label, verdict in zip(contradictory, said, strict=True)
    ]
    return Confusion(
        found=pairs.count((True, True)),
        missed=pairs.count((True, False)),
        false_alarms=pairs.count((False, True)),
        passed=pairs.count((False, False)),
        unanswered_contradictory=pairs.count((True, None)),
        unanswered_coherent=pairs.count((False, None)),
    )


def by_application(
    applications: Sequence[str], contradictory: Sequence[bool] | Bools, said: Sequence[bool | None]
) -> dict[str, Confusion]:
    """A confusion for each application, sorted by name. The three rows belong to the same videos.

    Raises:
        UnusableData: the lengths differ, or there are no videos.
    """
    same_length("verdicts", said, "the labels", len(contradictory))
    same_length("verdicts", said, "the applications", len(applications))
    found: dict[str, Confusion] = {}
    for name in sorted(set(applications)):
        chosen = [index for index, one in enumerate(applications) if one == name]
        found[name] = confusion([bool(contradictory[i]) for i in chosen], [said[i] for i in chosen])
    if not found:
        raise UnusableData("verdicts", "there are none")
    return found


def overall_pct(accuracy_pct: Mapping[str, float], videos: Mapping[str, int], runs: int = RUNS) -> float:
    """Accuracy over all videos from the accuracies per application, in percent.

    Accuracies may be printed with two digits: each is taken back to the count of right verdicts in all runs
    that it was computed from, so that no rounding is passed on. (Weighting the printed ones misses 3 of 24
    by 0.01.)

    Raises:
        UnusableData: an application has an accuracy or a count but not both, or an accuracy is no share of
            its
            videos over so many runs.
    """
    if set(accuracy_pct) != set(videos) or not videos:
        odd = ", ".join(sorted(set(accuracy_pct) ^ set(videos))) or "every application"
        raise UnusableData("accuracy per application", f"accuracy or number of videos is missing for {odd}")
    right = asked = 0
    for name, count in videos.items():
        verdicts = count * runs
        if verdicts <= 0:
            raise UnusableData("videos per application", f"{name} needs at least one video and run")
        found = vector(f"accuracy of {name}", [accuracy_pct[name]])[0] * verdicts / 100
        right_here = round(found)
        if not 0 <= right_here <= verdicts or abs(right_here - found) * 100 / verdicts > ROUNDED_PCT:
            problem = f"{accuracy_pct[name]} % is no share of {verdicts} verdicts"
            raise UnusableData(f"accuracy of {name}", problem)
        right, asked = right + right_here, asked + verdicts
    return 100 * right / asked


def accuracy_interval(
    correct: int, total: int, method: Literal["wilson", "clopper-pearson"] = "wilson"
) -> Interval:
    """95 % interval of a share of independent videos, 0 to 1. Runs over the same videos are not independent.

    Raises:
        UnusableData: no videos, or more right than there are.
    """
    if not 0 <= correct <= total or total == 0:
        raise UnusableData("accuracy", f"{correct} right of {total} is no share")
    low, high = proportion_confint(
        correct, total, alpha=0.05, method="wilson" if method == "wilson" else "beta"
    )
    # None or all right is a bound of the interval by definition; the library misses it by 1e-17.
    return Interval(0.0 if correct == 0 else float(low), 1.0 if correct == total else float(high))


def over_runs(values: npt.ArrayLike) -> OverRuns:
    """Mean and spread of one number over runs.

    Raises:
        UnusableData: no run, or a value that is not finite.
    """
    found = vector("runs", values)
    sd = float(found.std(ddof=1)) if found.size > 1 else None
    return OverRuns(math.fsum(found) / found.size, sd, float(found.min()), float(found.max()), found.size)


def mcnemar(first_correct: Sequence[bool] | Bools, second_correct: Sequence[bool] | Bools) -> McNemar:
    """McNemar's test of two methods on the same videos.

    Exact (binomial) below 25 discordant videos, chi-squared with continuity correction from there on.
    Methods that are right about the same videos have p = 1.

    Raises:
        UnusableData: the lengths differ, or there are no videos.
    """
    same_length("second method", second_correct, "the first", len(first_correct))
    if len(first_correct) == 0:
        raise UnusableData("two methods", "there are no videos to compare them on")
    first, second = (np.asarray(row, dtype=np.bool_) for row in (first_correct, second_correct))
    both, only_first = int((first & second).sum()), int((first & ~second).sum())
    only_second, neither = int((~first & second).sum()), int((~first & ~second).sum())
    exact = only_first + only_second < EXACT_BELOW
    if only_first + only_second == 0:
        p = 1.0
    else:
        table = [[both, only_first], [only_second, neither]]
        p = min(1.0, float(statsmodels_mcnemar(table, exact=exact, correction=True).pvalue))
    return McNemar(both, only_first, only_second, neither, p, exact)
