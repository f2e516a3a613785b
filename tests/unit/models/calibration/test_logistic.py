"""The line from scores to chances."""

from __future__ import annotations

import numpy as np
import pytest

from models.calibration.logistic import calibration_error, logistic_fit


@pytest.mark.parametrize(("slope", "offset"), [(1.0, 0.0), (2.0, -0.5), (0.5, 1.0)])
def test_the_line_is_found_again(slope: float, offset: float) -> None:
    rng = np.random.default_rng(1)
    scores = rng.uniform(0.02, 0.98, 20_000)
    chance = 1 / (1 + np.exp(-(slope * np.log(scores / (1 - scores)) + offset)))
    assert logistic_fit(scores, rng.random(len(chance)) < chance) == pytest.approx((slope, offset), abs=0.08)


def test_little_to_go_by_changes_little() -> None:
    slope, offset = logistic_fit(np.array([0.6]), np.array([True]))
    assert slope == pytest.approx(1.0, abs=0.2)
    assert offset == pytest.approx(0.0, abs=0.4)


def test_scores_of_nought_and_one_are_taken() -> None:
    assert np.isfinite(
        logistic_fit(np.array([0.0, 1.0, 0.0, 1.0]), np.array([False, True, True, False]))
    ).all()


@pytest.mark.parametrize("count", [1, 20, 2000])
def test_where_all_are_wrong_no_score_is_sure(count: int) -> None:
    scores = np.array([0.0, 0.2, 0.5, 0.9, 1.0] * count)
    slope, offset = logistic_fit(scores, np.zeros(len(scores), bool))
    odds = slope * np.log((1 - 1e-4) / 1e-4) + offset
    assert 1 / (1 + np.exp(-odds)) < (0.3 if count == 1 else 0.1)


def test_calibration_is_the_distance_of_share_and_truth() -> None:
    assert calibration_error(np.array([0.0, 1.0, 1.0]), np.array([False, True, True]), 10) == 0
    assert calibration_error(np.array([1.0, 1.0]), np.array([True, False]), 10) == pytest.approx(0.5)
    shares, right = np.full(100, 0.75), np.arange(100) < 75
    assert calibration_error(shares, right, 10) == pytest.approx(0)
