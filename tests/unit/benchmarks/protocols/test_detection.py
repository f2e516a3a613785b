from __future__ import annotations

import math

import numpy as np
import pytest

from benchmarks.protocols.data import Interval, UnusableData
from benchmarks.protocols.detection import (
    Confusion,
    accuracy_interval,
    by_application,
    confusion,
    mcnemar,
    over_runs,
    overall_pct,
)

VIDEOS = {"indoor": 54, "outdoor": 60}


def test_confusion_counts_every_outcome() -> None:
    labels = [True, True, True, False, False, False, False]
    said = [True, False, None, True, False, False, None]
    found = confusion(labels, said)
    assert found == Confusion(1, 1, 1, 2, 1, 1)
    assert (found.total, found.contradictory, found.coherent) == (7, 3, 4)
    assert (found.correct, found.unanswered) == (3, 2)
    assert found.accuracy == pytest.approx(3 / 7)
    assert found.recall == pytest.approx(1 / 3)
    assert found.precision == pytest.approx(1 / 2)
    assert found.f1 == pytest.approx(2 / 5)


def test_a_missing_verdict_is_wrong() -> None:
    assert confusion([True, False], [None, None]).accuracy == 0.0


def test_numpy_labels_count_as_booleans() -> None:
    assert confusion(np.array([True, False]), [True, False]).correct == 2


def test_rates_without_a_base_are_none() -> None:
    only_coherent = confusion([False], [False])
    assert (only_coherent.recall, only_coherent.precision, only_coherent.f1) == (None, None, None)
    assert Confusion(0, 0, 0, 0).accuracy is None
    assert confusion([True], [False]).f1 == 0.0


def test_verdicts_must_fit_the_labels() -> None:
    with pytest.raises(UnusableData, match="verdicts: 1 values, but 2"):
        confusion([True, False], [True])
    with pytest.raises(UnusableData, match="there are none"):
        confusion([], [])
    with pytest.raises(UnusableData, match="there are none"):
        by_application([], [], [])
    with pytest.raises(UnusableData, match="in the applications"):
        by_application(["a"], [True, False], [True, True])


def test_by_application() -> None:
    found = by_application(["b", "a", "b"], [True, False, False], [True, True, False])
    assert list(found) == ["a", "b"]
    assert (found["a"].false_alarms, found["b"].correct) == (1, 2)


def test_overall_is_of_counts_not_of_rounded_accuracies() -> None:
    # 45 of 54 and 53 of 60: 85.9649 %; the printed 83.33 and 88.33 weighted give 85.9616 %.
    assert overall_pct({"indoor": 83.33, "outdoor": 88.33}, VIDEOS, runs=1) == pytest.approx(100 * 98 / 114)


def test_overall_of_a_mean_over_three_runs() -> None:
    third = 100 * (45 + 45 + 46) / 162
    assert overall_pct({"indoor": round(third, 2), "outdoor": 50.0}, VIDEOS) == pytest.approx(
        100 * (136 + 90) / 342
    )


@pytest.mark.parametrize(
    ("accuracy", "message"),
    [
        ({"indoor": 83.33}, "missing for outdoor"),
        ({"indoor": 83.33, "outdoor": math.nan}, "accuracy of outdoor: 1 of 1 values are missing"),
        ({"indoor": 83.33, "outdoor": 100.1}, "accuracy of outdoor: 100.1 % is no share of 180"),
        ({"indoor": 83.33, "outdoor": -1.0}, "no share"),
        ({"indoor": 83.33, "outdoor": 88.2}, "no share"),
    ],
)
def test_overall_of_impossible_accuracies(accuracy: dict[str, float], message: str) -> None:
    with pytest.raises(UnusableData, match=message):
        overall_pct(accuracy, VIDEOS)


def test_overall_of_nothing() -> None:
    with pytest.raises(UnusableData, match="missing for every application"):
        overall_pct({}, {})
    with pytest.raises(UnusableData, match="indoor needs at least one video"):
        overall_pct({"indoor": 50.0}, {"indoor": 0})


def test_intervals_of_a_share() -> None:
    wilson = accuracy_interval(8, 10)
    assert (wilson.low, wilson.high) == pytest.approx((0.4902, 0.9433), abs=5e-5)
    exact = accuracy_interval(8, 10, "clopper-pearson")
    assert (exact.low, exact.high) == pytest.approx((0.4439, 0.9748), abs=5e-5)


@pytest.mark.parametrize("method", ["wilson", "clopper-pearson"])
def test_none_or_all_right_reach_the_bounds(method: str) -> None:
    assert accuracy_interval(0, 5, method).low == 0.0  # type: ignore[arg-type]
    assert accuracy_interval(5, 5, method).high == 1.0  # type: ignore[arg-type]
    assert isinstance(accuracy_interval(0, 1, method), Interval)  # type: ignore[arg-type]


@pytest.mark.parametrize(("correct", "total"), [(0, 0), (3, 2), (-1, 2)])
def test_shares_that_are_none(correct: int, total: int) -> None:
    with pytest.raises(UnusableData, match="is no share"):
        accuracy_interval(correct, total)


def test_mean_over_runs() -> None:
    found = over_runs([80.0, 82.0, 84.0])
    assert (found.mean, found.sd, found.least, found.most, found.runs) == (82.0, 2.0, 80.0, 84.0, 3)
    assert over_runs([80.0]).sd is None
    with pytest.raises(UnusableData, match="runs: 0 values"):
        over_runs([])


def _two_methods(both: int, first: int, second: int, neither: int) -> tuple[list[bool], list[bool]]:
    return (
        [True] * both + [True] * first + [False] * second + [False] * neither,
        [True] * both + [False] * first + [True] * second + [False] * neither,
    )


def test_mcnemar_is_exact_for_few_differences() -> None:
    found = mcnemar(*_two_methods(50, 10, 2, 7))
    assert (found.both_right, found.only_first_right, found.only_second_right, found.both_wrong) == (
        50,
        10,
        2,
        7,
    )
    assert found.exact
    assert found.p == pytest.approx(2 * (1 + 12 + 66) / 2**12)


def test_mcnemar_of_many_differences_is_chi_squared_with_correction() -> None:
    found = mcnemar(*_two_methods(5, 30, 10, 5))
    assert not found.exact
    assert found.p == pytest.approx(math.erfc(math.sqrt((20 - 1) ** 2 / 40 / 2)))


def test_mcnemar_of_methods_that_agree_everywhere() -> None:
    assert mcnemar([True, False], [True, False]).p == 1.0
    assert mcnemar(*_two_methods(0, 1, 1, 0)).p == 1.0


def test_mcnemar_needs_the_same_videos() -> None:
    with pytest.raises(UnusableData, match="second method: 1 values, but 2"):
        mcnemar([True, False], [True])
    with pytest.raises(UnusableData, match="no videos"):
        mcnemar([], [])
