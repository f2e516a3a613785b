from __future__ import annotations

import pytest

from benchmarks.statistics import Summary, summary


def test_nothing_has_no_summary() -> None:
    assert summary([]) is None


def test_one_value_is_all_of_its_percentiles() -> None:
    assert summary([7.0]) == Summary(1, 7.0, 7.0, 7.0, 7.0)


def test_percentiles_lie_between_ranks_whatever_the_order() -> None:
    found = summary(float(value) for value in range(100, -1, -1))
    assert found is not None
    assert (found.count, found.p50, found.p95, found.p99, found.worst) == (101, 50.0, 95.0, 99.0, 100.0)


def test_percentile_is_interpolated() -> None:
    found = summary([0.0, 10.0])
    assert found is not None
    assert found.p95 == pytest.approx(9.5)
