"""Psychophysics (Methodology and Analysis): forced choices between all pairs of a scene's pictures.

The paper shows every pair in one order; here it may be shown in both, so that a judge that likes the first
picture whatever it shows is seen to do so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt
from scipy import stats

from benchmarks.protocols.data import Bools, Interval, UnusableData
from benchmarks.protocols.detection import accuracy_interval

NO_ANSWER = -1
RUNS = 3
"""Repetitions of every pair in the paper."""

Answers = npt.NDArray[np.int8]


@dataclass(frozen=True, slots=True)
class Choices:
    """Who was chosen, on one scale by one judge.

    ``answers`` has the shape (runs, orders, scenes, pairs), pairs as ``combinations(items, 2)``. 1: the
    pair's first item was chosen, 0: its second, -1: no answer. In order 0 the first item is shown first, in
    order 1 second.
    """

    items: tuple[str, ...]
    answers: Answers

    def __post_init__(self) -> None:
        pairs = len(self.items) * (len(self.items) - 1) // 2
        if len(set(self.items)) != len(self.items) or len(self.items) < 2:
            raise UnusableData("choices", "two items at least are needed, each with a name of its own")
        shape = self.answers.shape
        if len(shape) != 4 or shape[1] not in (1, 2) or shape[3] != pairs or 0 in shape:
            raise UnusableData(
                "choices",
                f"the shape (runs, 1 or 2 orders, scenes, {pairs} pairs) is needed, this is {shape}",
            )
        if not np.isin(self.answers, (NO_ANSWER, 0, 1)).all():
            raise UnusableData("choices", "an answer is 1, 0, or -1 for none")

    @property
    def trials(self) -> Answers:
        """Answers of each run in one row: (runs, orders x scenes x pairs)."""
        return self.answers.reshape(self.answers.shape[0], -1)


@dataclass(frozen=True, slots=True)
class PositionBias:
    """How often the picture shown first was chosen (0 to 1 of ``answered``), and two-sided p of one half.

    ``flipped_share`` is the share of pairs, asked in both orders within a run, where the order decided;
    None with one order or without such a pair.
    """

    answered: int
    first_share: float
    interval: Interval
    p: float
    flipped_share: float | None


@dataclass(frozen=True, slots=True)
class Variability:
    """Variability rate (VR), percent: share of picture pairs judged differently, over pairs of runs.

    ``mean_pct``, ``max_pct`` and ``sd_pct`` (the sample's) are over the pairs of runs, as all 18 entries of
    the paper's table 1 show. ``sd_pct`` is None for a single pair of runs. ``left_out`` trials lacked an
    answer.
    """

    mean_pct: float
    max_pct: float
    sd_pct: float | None
    pairs_of_runs: int
    trials: int
    left_out: int


def pairs(items: Sequence[str]) -> list[tuple[str, str]]:
    """All pairs in the order in which ``Choices`` holds them."""
    return list(combinations(items, 2))


def wins(choices: Choices) -> npt.NDArray[np.int64]:
    """How often each item was chosen over each other, (scenes, items, items), row over column."""
    count = len(choices.items)
    scenes = choices.answers.shape[2]
    found = np.zeros((scenes, count, count), dtype=np.int64)
    for index, (first, second) in enumerate(combinations(range(count), 2)):
        answers = choices.answers[..., index]
        found[:, first, second] = (answers == 1).sum(axis=(0, 1))
        found[:, second, first] = (answers == 0).sum(axis=(0, 1))
    return found


def position_bias(choices: Choices) -> PositionBias:
    """Whether the first position is preferred.

    Within one order the share also tells which items are better, so only both orders together show a bias.

    Raises:
        UnusableData: no trial has an answer.
    """
    shown_first = choices.answers.copy()
    if choices.answers.shape[1] == 2:
        turned = choices.answers[:, 1]
        shown_first[:, 1] = np.where(turned == NO_ANSWER, NO_ANSWER, 1 - turned)
    answered = int((shown_first != NO_ANSWER).sum())
    if answered == 0:
        raise UnusableData("choices", "no trial has an answer")
    first = int((shown_first == 1).sum())
    p = float(stats.binomtest(first, answered, 0.5).pvalue)
    return PositionBias(
        answered, first / answered, accuracy_interval(first, answered), p, _flipped(choices.answers)
    )


def within_judge(choices: Choices) -> Variability:
    """VR between the runs of one judge (table 1): the mean of its pairs of runs, 3 for three runs.

    Raises:
        UnusableData: fewer than two runs, or no trial with an answer in all of them.
    """
    runs = choices.trials
    if len(runs) < 2:
        raise UnusableData("choices", "one run does not vary, at least two are needed")
    return _variability([(runs[i], runs[j]) for i, j in combinations(range(len(runs)), 2)], _complete(runs))


def between_judges(first: Choices, second: Choices) -> Variability:
    """VR between two judges (table 2): the mean over all pairs of their runs, 9 for three runs each.

    Raises:
        UnusableData: other items, scenes or orders, or no trial with an answer in all runs of both.
    """
    if first.items != second.items or first.answers.shape[1:] != second.answers.shape[1:]:
        raise UnusableData("choices", "two judges are comparable on the same items, orders and scenes only")
    one, other = first.trials, second.trials
    return _variability([(a, b) for a in one for b in other], _complete(np.concatenate([one, other])))


def _flipped(answers: Answers) -> float | None:
    if answers.shape[1] != 2:
        return None
    forward, turned = answers[:, 0], answers[:, 1]
    both = (forward != NO_ANSWER) & (turned != NO_ANSWER)
    return float((forward != turned)[both].mean()) if both.any() else None


def _complete(runs: Answers) -> Bools:
    complete: Bools = (runs != NO_ANSWER).all(axis=0)
    if not complete.any():
        raise UnusableData("choices", "no trial has an answer in every run")
    return complete


def _variability(pairs_of_runs: list[tuple[Answers, Answers]], complete: Bools) -> Variability:
    rates = np.array([100 * (one != other)[complete].mean() for one, other in pairs_of_runs])
    return Variability(
        float(rates.mean()),
        float(rates.max()),
        float(rates.std(ddof=1)) if rates.size > 1 else None,
        rates.size,
        int(complete.sum()),
        int((~complete).sum()),
    )
