from __future__ import annotations

import pytest

from benchmarks.published.printed import Printed
from benchmarks.published.tables import PublishedVariability
from benchmarks.verify.counting import is_attainable, is_zero, run_distances


def row(mean: str, most: str, sd: str) -> PublishedVariability:
    return PublishedVariability("contrast", ("A",), *(Printed.parse(text) for text in (mean, most, sd)))


def test_three_runs_as_published() -> None:
    assert run_distances(row("1.90", "2.38", "0.82")) == [(2, 5, 5)]
    assert run_distances(row("10.48", "13.81", "4.97")) == [(10, 27, 29)]
    assert run_distances(row("0.00", "0.00", "0.00")) == [(0, 0, 0)]


@pytest.mark.parametrize(
    ("mean", "most", "sd"),
    [
        ("1.91", "2.38", "0.82"),  # no three counts have this mean
        ("1.90", "2.40", "0.82"),  # no multiple of 1/210
        ("1.90", "2.38", "0.67"),  # the SD of the population
        ("0.48", "0.48", "0.00"),  # 1, 1, 1: three runs of forced choices cannot differ so
        ("0.63", "1.43", "0.73"),  # 3, 1, 0: the ends are further apart than the way between them
    ],
)
def test_three_runs_that_cannot_be(mean: str, most: str, sd: str) -> None:
    assert run_distances(row(mean, most, sd)) == []


def test_nine_pairs_of_runs() -> None:
    assert is_attainable(row("40.79", "40.95", "0.24"), 9)
    assert not is_attainable(row("40.79", "40.95", "0.25"), 9)
    assert not is_attainable(row("40.80", "40.95", "0.24"), 9)  # 1/1890 apart
    assert not is_attainable(row("40.95", "40.48", "0.24"), 9)  # a mean above the maximum
    assert is_attainable(row("54.60", "61.90", "5.54"), 9)


def test_an_sd_of_zero() -> None:
    assert is_zero(row("4.76", "4.76", "0.00"))
    assert not is_zero(row("4.76", "4.76", "0.01"))
