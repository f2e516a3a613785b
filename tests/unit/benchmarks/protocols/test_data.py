from __future__ import annotations

import math

import numpy as np
import pytest

from benchmarks.protocols.data import UnusableData, is_constant, matrix, same_length, vector


def test_numbers_pass() -> None:
    assert vector("scores", [1, 2.5]).tolist() == [1.0, 2.5]
    assert matrix("scores", [[1, 2], [3, 4]], rows="annotator", columns="sample").shape == (2, 2)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, None])
def test_a_number_that_is_none_is_named_with_its_place(bad: float | None) -> None:
    with pytest.raises(UnusableData, match=r"scores: 1 of 3 values are missing, NaN or infinite, first at 1"):
        vector("scores", np.array([1.0, bad, 2.0], dtype=np.float64))
    with pytest.raises(UnusableData, match=r"first for annotator 1, sample 0"):
        matrix("s", np.array([[1.0, 2.0], [bad, 3.0]], np.float64), rows="annotator", columns="sample")


def test_shapes_are_checked() -> None:
    with pytest.raises(UnusableData, match="0 values are too few, at least 1"):
        vector("scores", [])
    with pytest.raises(UnusableData, match=r"one row of numbers is needed, this has the shape \(1, 2\)"):
        vector("scores", [[1, 2]])
    with pytest.raises(
        UnusableData, match=r"a table of annotator by sample is needed, this has the shape \(2,\)"
    ):
        matrix("scores", [1, 2], rows="annotator", columns="sample")
    with pytest.raises(UnusableData, match=r"shape \(0, 0\)"):
        matrix("scores", np.empty((0, 0)), rows="annotator", columns="sample")


def test_words_and_ragged_tables_are_not_numbers() -> None:
    with pytest.raises(UnusableData, match="not numbers in rows of equal length"):
        vector("scores", ["good"])
    with pytest.raises(UnusableData, match="not numbers in rows of equal length"):
        matrix("scores", [[1, 2], [3]], rows="annotator", columns="sample")


def test_lengths_must_agree() -> None:
    same_length("predictions", [1, 2], "the scores", 2)
    with pytest.raises(UnusableData, match="predictions: 1 values, but 2 in the scores"):
        same_length("predictions", [1], "the scores", 2)


def test_constant() -> None:
    assert is_constant(np.array([2.0, 2.0]))
    assert is_constant(np.empty(0))
    assert not is_constant(np.array([2.0, 2.1]))
