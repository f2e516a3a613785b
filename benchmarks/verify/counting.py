"""Variability rates are counts of trials: which counts could be behind a printed mean, maximum and SD."""

from __future__ import annotations

import math
from itertools import combinations_with_replacement

import numpy as np

from benchmarks.published.printed import SLACK
from benchmarks.published.tables import PublishedVariability

TRIALS = 210
"""21 pairs of 7 operators in 10 scenes."""


def run_distances(row: PublishedVariability) -> list[tuple[int, int, int]]:
    """In how many trials three runs of a model can differ pairwise, sorted, with the numbers as printed.

    Three runs of forced choices: where not all agree one run differs from both others, so the three counts
    add up to an even number and none is more than the other two together.
    """
    found = []
    for most in row.max_pct.multiples(TRIALS):
        for least, middle in combinations_with_replacement(range(most + 1), 2):
            counts = np.array([least, middle, most])
            possible = counts.sum() % 2 == 0 and most <= least + middle
            if (
                possible
                and row.mean_pct.covers(_pct(counts.mean()))
                and row.sd_pct.covers(_pct(counts.std(ddof=1)))
            ):
                found.append((least, middle, most))
    return found


def is_attainable(row: PublishedVariability, pairs_of_runs: int) -> bool:
    """Whether some counts for that many pairs of runs have the printed mean, maximum and sample SD."""
    return any(
        _spread_attainable(row, most, total, pairs_of_runs)
        for most in row.max_pct.multiples(TRIALS)
        for total in row.mean_pct.multiples(TRIALS * pairs_of_runs)
    )


def _spread_attainable(row: PublishedVariability, most: int, total: int, pairs_of_runs: int) -> bool:
    """Whether counts of at most ``most`` (one reaches it) that add up to ``total`` can have the printed SD.

    Counts are looked at as what they lack to ``most``; bit ``q`` of ``squares[s]`` says that some numbers
    add up to ``s`` and their squares to ``q``.
    """
    lack = pairs_of_runs * most - total
    if lack < 0:
        return False
    squares = [1] + [0] * lack
    for _ in range(pairs_of_runs - 1):
        squares = [_with_one_more(squares, total_lack, most) for total_lack in range(lack + 1)]
    reachable, square = squares[lack], 0
    while reachable >> square:
        if reachable >> square & 1:
            variance = (square - lack**2 / pairs_of_runs) / (pairs_of_runs - 1)
            if row.sd_pct.covers(_pct(math.sqrt(max(variance, 0.0)))):
                return True
        square += 1
    return False


def _with_one_more(squares: list[int], lack: int, most: int) -> int:
    found = 0
    for one in range(min(lack, most) + 1):
        found |= squares[lack - one] << one * one
    return found


def _pct(count: float) -> float:
    return 100 * count / TRIALS


def is_zero(row: PublishedVariability) -> bool:
    """Whether the printed SD says that all counts are equal: the least other SD of nine counts is 0.16 %."""
    return row.sd_pct.value < SLACK
