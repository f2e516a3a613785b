from __future__ import annotations

import math

import pytest

from benchmarks.protocols.adjustment import adjustment, p_of_z
from benchmarks.protocols.data import UnusableData


def test_ratings_that_only_rose() -> None:
    found = adjustment([1, 1, 1, 1, 3], [2, 3, 4, 5, 3])
    assert (found.improved, found.unchanged, found.worse, found.trials) == (4, 1, 0, 5)
    assert found.shares == pytest.approx((0.8, 0.2, 0.0))
    assert (found.before.median, found.before.iqr, found.after.median, found.after.iqr) == (1, 0, 3, 1)
    assert found.w == 0
    assert found.z == pytest.approx(-5 / math.sqrt(7.5))
    assert found.p == pytest.approx(0.0679, abs=5e-5)
    assert found.rank_biserial == -1.0


def test_one_that_fell_among_others() -> None:
    # Ranks of 1, 2, 3, 4: the third fell, so the sums are 7 and 3.
    found = adjustment([0, 0, 3, 0], [1, 2, 0, 4])
    assert (found.improved, found.worse, found.w) == (3, 1, 3)
    assert found.rank_biserial == pytest.approx(-(7 - 3) / 10)


def test_p_follows_from_z() -> None:
    found = adjustment([1, 2, 3, 4, 5, 1], [2, 2, 5, 5, 3, 5])
    assert found.z is not None
    assert found.p == pytest.approx(p_of_z(found.z))
    assert p_of_z(-2.57) == pytest.approx(0.0102, abs=5e-5)


def test_nothing_changed() -> None:
    found = adjustment([3, 4], [3, 4])
    assert (found.unchanged, found.w, found.z, found.p, found.rank_biserial) == (2, None, None, None, None)
    assert found.why == "no rating changed"


def test_one_trial_and_ties_everywhere_are_finite() -> None:
    for found in (adjustment([1], [2]), adjustment([1] * 6, [2] * 6)):
        assert found.p is not None
        assert found.z is not None
        assert math.isfinite(found.p + found.z)
        assert found.rank_biserial == -1.0


def test_bad_ratings_are_named() -> None:
    with pytest.raises(UnusableData, match="ratings after: 1 values, but 2"):
        adjustment([1, 2], [1])
    with pytest.raises(UnusableData, match="ratings before: 1 of 2 values are missing"):
        adjustment([1, math.nan], [1, 2])
    with pytest.raises(UnusableData, match="ratings before: 0 values"):
        adjustment([], [])
