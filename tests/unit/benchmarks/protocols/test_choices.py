from __future__ import annotations

import numpy as np
import pytest

from benchmarks.protocols.choices import (
    NO_ANSWER,
    Choices,
    between_judges,
    pairs,
    position_bias,
    wins,
    within_judge,
)
from benchmarks.protocols.data import UnusableData

SEVEN = tuple("ABCDEFG")


def of_runs(*changed: set[int]) -> Choices:
    """Runs of the published size in one order, all alike but for the trials named."""
    answers = np.zeros((len(changed), 210), dtype=np.int8)
    for run, trials in enumerate(changed):
        answers[run, sorted(trials)] = 1
    return Choices(SEVEN, answers.reshape(len(changed), 1, 10, 21))


def two_items(orders: list[list[int]]) -> Choices:
    """One run of one pair in some scenes: an answer for each scene, per order."""
    return Choices(("A", "B"), np.array(orders, dtype=np.int8)[None, :, :, None])


def test_pairs_are_in_the_order_of_the_answers() -> None:
    assert pairs("ABC") == [("A", "B"), ("A", "C"), ("B", "C")]
    assert len(pairs(SEVEN)) == 21


def test_wins_add_runs_and_orders() -> None:
    answers = np.array([[[[1, 1, 0]], [[1, NO_ANSWER, 0]]]], dtype=np.int8)
    found = wins(Choices(("A", "B", "C"), answers))
    assert found.tolist() == [[[0, 2, 1], [0, 0, 0], [0, 2, 0]]]


def test_a_judge_that_always_takes_the_first() -> None:
    found = position_bias(two_items([[1] * 10, [0] * 10]))
    assert (found.first_share, found.flipped_share, found.answered) == (1.0, 1.0, 20)
    assert found.p == pytest.approx(2 / 2**20)
    assert found.interval.high == 1.0


def test_a_judge_that_looks_at_the_pictures() -> None:
    found = position_bias(two_items([[1, 0, 1], [1, 0, 1]]))
    assert (found.first_share, found.flipped_share, found.p) == (0.5, 0.0, 1.0)


def test_position_bias_with_one_order_or_missing_answers() -> None:
    assert position_bias(two_items([[1, 1]])).flipped_share is None
    partly = position_bias(two_items([[1, NO_ANSWER], [NO_ANSWER, 0]]))
    assert (partly.answered, partly.first_share, partly.flipped_share) == (2, 1.0, None)
    with pytest.raises(UnusableData, match="no trial has an answer"):
        position_bias(two_items([[NO_ANSWER], [NO_ANSWER]]))


def test_variability_within_a_judge_as_published() -> None:
    # Claude, contrast: 1.90 (2.38, 0.82), from runs that differ in 5, 5 and 2 trials.
    found = within_judge(of_runs(set(), {0, 1, 2, 3, 4}, {0, 1, 2, 3, 5}))
    assert (round(found.mean_pct, 2), round(found.max_pct, 2)) == (1.90, 2.38)
    assert found.sd_pct == pytest.approx(0.82, abs=5e-3)
    assert (found.pairs_of_runs, found.trials, found.left_out) == (3, 210, 0)


def test_variability_between_judges_is_over_nine_pairs_of_runs() -> None:
    # 86 trials differ, 85 against one of the runs: 40.79 (40.95, 0.24), as Intern and Claude on contrast.
    found = between_judges(
        of_runs(set(), set(), set()), of_runs(set(range(86)), set(range(86)), set(range(85)))
    )
    assert (round(found.mean_pct, 2), round(found.max_pct, 2)) == (40.79, 40.95)
    assert found.sd_pct == pytest.approx(0.24, abs=5e-3)
    assert found.pairs_of_runs == 9


def test_trials_without_an_answer_are_left_out_of_all_runs() -> None:
    found = within_judge(
        Choices(("A", "B"), np.array([1, 0, 1, NO_ANSWER], dtype=np.int8).reshape(2, 1, 2, 1))
    )
    assert (found.trials, found.left_out, found.mean_pct, found.sd_pct) == (1, 1, 0.0, None)
    with pytest.raises(UnusableData, match="no trial has an answer in every run"):
        within_judge(Choices(("A", "B"), np.array([1, NO_ANSWER], dtype=np.int8).reshape(2, 1, 1, 1)))


def test_judges_that_cannot_be_compared() -> None:
    with pytest.raises(UnusableData, match="one run does not vary"):
        within_judge(of_runs(set()))
    with pytest.raises(UnusableData, match="comparable on the same items"):
        between_judges(two_items([[1]]), two_items([[1, 1]]))
    with pytest.raises(UnusableData, match="comparable on the same items"):
        between_judges(two_items([[1]]), Choices(("A", "C"), two_items([[1]]).answers))


@pytest.mark.parametrize(
    ("items", "answers", "message"),
    [
        (("A",), np.zeros((1, 1, 1, 0)), "two items at least"),
        (("A", "A"), np.zeros((1, 1, 1, 1)), "a name of its own"),
        (("A", "B"), np.zeros((1, 3, 1, 1)), r"1 or 2 orders, scenes, 1 pairs"),
        (("A", "B"), np.zeros((1, 1, 1, 2)), "is needed, this is"),
        (("A", "B"), np.zeros((0, 1, 1, 1)), "is needed, this is"),
        (("A", "B"), np.zeros((1, 1)), "is needed, this is"),
        (("A", "B"), np.full((1, 1, 1, 1), 2), "an answer is 1, 0, or -1"),
    ],
)
def test_choices_that_are_none(items: tuple[str, ...], answers: np.ndarray, message: str) -> None:
    with pytest.raises(UnusableData, match=message):
        Choices(items, answers.astype(np.int8))
