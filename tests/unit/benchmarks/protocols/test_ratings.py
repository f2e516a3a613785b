from __future__ import annotations

import math

import numpy as np
import pytest

from benchmarks.protocols.data import UnusableData
from benchmarks.protocols.ratings import mean_opinion_scores, reliability, scaled_scores
from benchmarks.verify.text import SHROUT_FLEISS


def test_scores_of_two_annotators() -> None:
    found = mean_opinion_scores([[1, 2, 3], [2, 4, 6]])
    assert found.tolist() == pytest.approx([100 * 2 / 6, 50.0, 100 * 4 / 6])


def test_each_annotator_is_scaled_alone() -> None:
    strict_and_generous = mean_opinion_scores([[1, 1, 2], [4, 4, 5]])
    assert strict_and_generous.tolist() == pytest.approx(mean_opinion_scores([[1, 1, 2]]).tolist())


def test_an_outlier_is_cut_at_three_deviations() -> None:
    one_good_of_twenty = [[1.0] * 19 + [5.0]]
    found = scaled_scores(one_good_of_twenty)
    assert found[0, -1] == 100.0
    assert found[0, 0] == pytest.approx(100 * (3 - 1 / math.sqrt(20)) / 6)


def test_scores_that_cannot_be_scaled() -> None:
    with pytest.raises(UnusableData, match=r"annotator 1 \(from 0\) gave every sample the same score"):
        mean_opinion_scores([[1, 2, 3], [4, 4, 4]])
    with pytest.raises(UnusableData, match="one sample has no z-score"):
        mean_opinion_scores([[1], [2]])
    with pytest.raises(UnusableData, match="first for annotator 0, sample 2"):
        mean_opinion_scores([[1.0, 2.0, math.nan], [1.0, 2.0, 3.0]])


def test_reliability_of_shrout_and_fleiss() -> None:
    found = reliability(np.array(SHROUT_FLEISS).T)
    assert found.icc == pytest.approx(0.62, abs=5e-3)
    assert found.f == pytest.approx(11.03, abs=5e-3)
    assert (found.annotators, found.samples, found.df1, found.df2) == (4, 6, 5, 15)
    assert found.p == pytest.approx(0.00013, abs=5e-6)
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == pytest.approx((0.071, 0.93), abs=5e-3)


def test_degrees_of_freedom_of_the_paper() -> None:
    rng = np.random.default_rng(1)
    quality = rng.integers(1, 6, 433)
    found = reliability(np.clip(quality + rng.integers(-1, 2, (5, 433)), 1, 5))
    assert (found.df1, found.df2) == (432, 1728)
    assert found.icc is not None
    assert found.icc > 0.9


def test_annotators_that_agree_perfectly() -> None:
    found = reliability([[1, 2, 5], [1, 2, 5]])
    assert (found.icc, found.interval, found.f, found.p) == (1.0, None, None, 0.0)
    assert "F is infinite" in found.why


def test_a_constant_offset_lowers_absolute_agreement() -> None:
    found = reliability([[1, 2, 5], [2, 3, 6]])
    # MS of samples 2 * 13/3, of annotators 3 * 1/2: 8.667 / (8.667 + 1.5 / 3)
    assert found.icc == pytest.approx((26 / 3) / (26 / 3 + 0.5))


def test_constant_ratings_have_no_reliability() -> None:
    for scores in ([[3, 3, 3], [3, 3, 3]], [[3, 3, 3], [4, 4, 4]]):
        found = reliability(scores)
        assert (found.icc, found.interval, found.f, found.p) == (None, None, None, None)
        assert found.why == "all samples have the same scores"


def test_four_scores_are_too_few() -> None:
    found = reliability([[1, 2], [2, 1]])
    assert (found.icc, found.p) == (None, None)
    assert found.why == "4 scores are too few, at least 5 are needed"


def test_samples_that_differ_less_than_chance() -> None:
    found = reliability([[1, 2, 3], [3, 2, 1]])
    assert (found.icc, found.interval) == (None, None)
    assert found.f == pytest.approx(0.0)
    assert "the estimate is undefined" in found.why


def test_no_number_is_ever_not_finite() -> None:
    rng = np.random.default_rng(5)
    for _ in range(30):
        shape = rng.integers(2, 5), rng.integers(2, 5)
        found = reliability(rng.integers(1, 4, shape))
        bounds = [found.interval.low, found.interval.high] if found.interval else []
        assert np.isfinite([one for one in (found.icc, found.f, found.p, *bounds) if one is not None]).all()
        assert bool(found.why) == (found.interval is None)


@pytest.mark.parametrize("scores", [[[1, 2, 3]], [[1], [2]]])
def test_one_annotator_or_one_sample(scores: list[list[int]]) -> None:
    with pytest.raises(UnusableData, match="reliability needs two of each"):
        reliability(scores)


def test_missing_scores_are_named() -> None:
    with pytest.raises(UnusableData, match="first for annotator 1, sample 1"):
        reliability([[1.0, 2.0], [1.0, math.nan]])
