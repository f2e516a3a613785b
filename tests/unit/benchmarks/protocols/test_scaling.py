from __future__ import annotations

import math

import numpy as np
import pytest

from benchmarks.protocols.data import UnusableData
from benchmarks.protocols.scaling import agreement_by_separability, attribute_weights, case_v, separability

HADAMARD = np.array(
    [[1, 1, 1, 1, -1, -1, -1, -1], [1, 1, -1, -1, 1, 1, -1, -1], [1, -1, 1, -1, 1, -1, 1, -1]]
)


def test_two_items() -> None:
    assert case_v([[0, 3], [1, 0]]).tolist() == pytest.approx([0.6745 / 2, -0.6745 / 2], abs=5e-5)


def test_a_unanimous_pair_is_half_a_judgement_short() -> None:
    assert case_v([[0, 4], [0, 0]])[0] == pytest.approx(1.1503 / 2, abs=5e-5)
    assert case_v([[0, 1], [0, 0]]).tolist() == [0.0, 0.0]


def test_scale_values_keep_the_order_and_have_mean_zero() -> None:
    found = case_v([[0, 6, 6], [0, 0, 6], [0, 0, 0]])
    assert found[0] > found[1] > found[2]
    assert found.mean() == pytest.approx(0.0)
    assert case_v([[0, 3, 3], [3, 0, 3], [3, 3, 0]]).tolist() == [0.0, 0.0, 0.0]


def test_the_diagonal_is_not_looked_at() -> None:
    assert case_v([[9, 3], [1, 9]]).tolist() == case_v([[0, 3], [1, 0]]).tolist()


@pytest.mark.parametrize(
    ("wins", "message"),
    [
        ([[0, 1], [1, 0], [1, 1]], "a square of counts"),
        ([[0]], "a square of counts"),
        ([[0, -1], [1, 0]], "a square of counts"),
        ([[0, 1, 0], [1, 0, 1], [0, 1, 0]], "items 0 and 2 .from 0. were never compared"),
        ([[0, math.nan], [1, 0]], "first for item 0, item 1"),
    ],
)
def test_wins_without_a_scale(wins: list[list[float]], message: str) -> None:
    with pytest.raises(UnusableData, match=message):
        case_v(wins)


def test_weights_of_uncorrelated_attributes_are_their_correlations() -> None:
    contrast, colour, rest = HADAMARD
    overall = 0.16 * contrast + 0.59 * colour + math.sqrt(1 - 0.16**2 - 0.59**2) * rest
    found = attribute_weights(10 + 3 * overall, 2 * contrast - 1, 5 * colour)
    assert (found.contrast, found.colourfulness) == pytest.approx((0.16, 0.59))
    assert found.r_squared == pytest.approx(0.16**2 + 0.59**2)
    assert found.n == 8
    assert found.contrast_interval.low < 0.16 < found.contrast_interval.high
    assert found.colourfulness_interval.low < 0.59 < found.colourfulness_interval.high


def test_weights_that_are_undefined() -> None:
    contrast, colour, rest = HADAMARD
    with pytest.raises(UnusableData, match="they are proportional"):
        attribute_weights(rest, contrast, -2 * contrast + 1)
    with pytest.raises(UnusableData, match="colourfulness: all values are equal"):
        attribute_weights(rest, contrast, np.ones(8))
    with pytest.raises(UnusableData, match="overall: 3 values are too few, at least 4"):
        attribute_weights([1, 2, 3], [1, 3, 2], [3, 1, 2])
    with pytest.raises(UnusableData, match="contrast: 7 values, but 8"):
        attribute_weights(rest, contrast[:7], colour)


def test_separability_is_the_spread_of_a_scene() -> None:
    assert separability([[0, 0, 0], [-1, 0, 1]]).tolist() == [0.0, 1.0]
    with pytest.raises(UnusableData, match="one item per scene has no spread"):
        separability([[1], [2]])


def test_agreement_that_grows_with_separability() -> None:
    human = np.outer([1, 2, 3, 4], [-1, -0.5, 0.5, 1.0])
    model = np.array([[4, 3, 2, 1], [2, 1, 4, 3], [1, 2, 4, 3], [1, 2, 3, 4.0]])
    found = agreement_by_separability(human, model, seed=1, resamples=200)
    assert found.agreements == pytest.approx((-1.0, 0.6, 0.8, 1.0))
    assert found.agreement.value == pytest.approx(0.35)
    assert found.relation.value == pytest.approx(1.0)
    interval = found.agreement.interval
    assert interval is not None
    assert -1 <= interval.low < 0.35 < interval.high <= 1
    assert found == agreement_by_separability(human, model, seed=1, resamples=200)
    assert found.relation.undefined > 0  # draws of one scene only
    assert found.relation.interval is not None


def test_scenes_without_agreement_are_left_out() -> None:
    found = agreement_by_separability([[1, 2, 3], [1, 1, 1]], [[1, 2, 3], [1, 2, 3]], seed=1, resamples=20)
    assert found.agreements == (1.0, None)
    assert found.agreement.value == 1.0
    assert (found.relation.value, found.relation.interval) == (None, None)
    assert found.relation.why == "fewer than three scenes, or all are alike"
    flat = agreement_by_separability([[1, 1, 1]], [[1, 2, 3]], seed=1, resamples=20)
    assert (flat.agreement.value, flat.agreement.interval) == (None, None)
    assert "no scene has an agreement" in flat.agreement.why


def test_scores_must_be_of_the_same_scenes_and_items() -> None:
    with pytest.raises(UnusableData, match=r"model z-scores: shape \(1, 3\), but humans have \(2, 3\)"):
        agreement_by_separability([[1, 2, 3], [1, 2, 3]], [[1, 2, 3]], seed=1)
