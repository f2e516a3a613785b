from __future__ import annotations

import math

import numpy as np
import pytest

from benchmarks.protocols.agreement import Coefficient, bonferroni, correlate, interval_of, p_of
from benchmarks.protocols.data import UnusableData

HUMAN = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]
NOISY = [1.0, 3.0, 2.0, 5.0, 4.0, 7.0, 6.0]


def test_rank_correlations_of_a_small_example() -> None:
    srcc = correlate(HUMAN, NOISY, Coefficient.SRCC)
    assert srcc.r == pytest.approx(1 - 6 * 6 / 336)
    assert srcc.p == pytest.approx(0.0068, abs=5e-5)
    krcc = correlate(HUMAN, NOISY, Coefficient.KRCC)
    assert krcc.r == pytest.approx((18 - 3) / 21)
    assert (srcc.n, srcc.left_out, srcc.why) == (7, 0, "")


def test_pearson_of_a_line_with_a_bend() -> None:
    found = correlate([0, 1, 2, 3], [0, 1, 2, 5], Coefficient.PLCC)
    assert found.r == pytest.approx(8 / math.sqrt(5 * 14))
    assert found.interval is not None
    assert found.interval.low < 0 < found.interval.high < 1


def test_interval_and_p_are_those_of_r_and_n() -> None:
    for coefficient in (Coefficient.SRCC, Coefficient.PLCC):
        found = correlate(HUMAN, NOISY, coefficient)
        assert found.r is not None
        assert found.p == pytest.approx(p_of(found.r, 7))
        assert found.interval == interval_of(found.r, 7)


@pytest.mark.parametrize(
    ("r", "n", "low", "high"),
    [(0.8336, 221, 0.79, 0.87), (0.0436, 221, -0.09, 0.17), (0.9028, 62, 0.84, 0.94)],
)
def test_published_intervals(r: float, n: int, low: float, high: float) -> None:
    found = interval_of(r, n)
    assert found is not None
    assert (round(found.low, 2), round(found.high, 2)) == (low, high)


def test_p_of_r_and_n() -> None:
    assert p_of(0.3385, 62) == pytest.approx(0.0071, abs=5e-5)
    assert p_of(-0.3385, 62) == p_of(0.3385, 62)
    assert p_of(0.0, 62) == pytest.approx(1.0)
    assert p_of(1.0, 62) == 0.0
    assert p_of(0.5, 2) is None


def test_perfect_agreement() -> None:
    found = correlate(HUMAN, HUMAN, Coefficient.PLCC)
    assert found.r == pytest.approx(1.0)
    assert interval_of(1.0, 7) == interval_of(1.0, 200)
    assert correlate(HUMAN, HUMAN[::-1], Coefficient.SRCC).r == pytest.approx(-1.0)


@pytest.mark.parametrize("coefficient", list(Coefficient))
def test_constant_ratings_have_no_correlation(coefficient: Coefficient) -> None:
    of_predictions = correlate(HUMAN, [3.0] * 7, coefficient)
    assert (of_predictions.r, of_predictions.interval, of_predictions.p) == (None, None, None)
    assert of_predictions.why == "all predictions are equal"
    assert correlate([3.0] * 7, HUMAN, coefficient).why == "all human scores are equal"


@pytest.mark.parametrize("coefficient", list(Coefficient))
def test_ties_everywhere_have_finite_numbers(coefficient: Coefficient) -> None:
    found = correlate([1, 1, 1, 2, 2, 2, 2, 2], [5, 5, 4, 4, 5, 4, 4, 4], coefficient)
    assert found.r is not None
    assert found.p is not None
    assert found.interval is not None
    assert np.isfinite([found.r, found.p, found.interval.low, found.interval.high]).all()


@pytest.mark.parametrize("coefficient", list(Coefficient))
def test_fewer_than_three_samples_have_no_correlation(coefficient: Coefficient) -> None:
    found = correlate([1, 2], [2, 1], coefficient)
    assert (found.n, found.r) == (2, None)
    assert "2 samples have an answer, at least 3" in found.why


@pytest.mark.parametrize("coefficient", list(Coefficient))
def test_three_samples_have_no_interval(coefficient: Coefficient) -> None:
    found = correlate([1, 2, 3], [2, 1, 3], coefficient)
    assert found.r is not None
    assert found.interval is None
    assert found.why == "three samples have no interval"


def test_samples_without_an_answer_are_left_out_and_counted() -> None:
    found = correlate([*HUMAN, 8.0], [*NOISY, math.nan], Coefficient.SRCC)
    assert (found.n, found.left_out) == (7, 1)
    assert found.r == correlate(HUMAN, NOISY, Coefficient.SRCC).r
    nothing = correlate([1.0, 2.0], [math.nan, math.nan], Coefficient.SRCC)
    assert (nothing.n, nothing.left_out, nothing.r) == (0, 2, None)


def test_bad_data_is_named() -> None:
    with pytest.raises(UnusableData, match="human scores: 1 of 2"):
        correlate([1.0, math.nan], [1.0, 2.0], Coefficient.SRCC)
    with pytest.raises(UnusableData, match="predictions: a prediction is infinite"):
        correlate([1.0, 2.0], [1.0, math.inf], Coefficient.SRCC)
    with pytest.raises(UnusableData, match="predictions: 1 values, but 2"):
        correlate([1.0, 2.0], [1.0], Coefficient.SRCC)
    with pytest.raises(UnusableData, match="correlation: nan"):
        interval_of(math.nan, 10)
    with pytest.raises(UnusableData, match="between -1 and 1"):
        p_of(1.2, 10)


def test_bonferroni() -> None:
    assert bonferroni([0.01, 0.4, None]) == [0.03, 1.0, None]
    assert bonferroni([0.01], 17) == [pytest.approx(0.17)]
    with pytest.raises(UnusableData, match="2 tests are fewer than the 3"):
        bonferroni([0.1, 0.1, 0.1], 2)
    with pytest.raises(UnusableData, match="not between 0 and 1"):
        bonferroni([math.nan])
