from __future__ import annotations

import pytest

from benchmarks.published.printed import Printed


@pytest.mark.parametrize(
    ("text", "value", "low", "high", "decimals"),
    [
        ("0.59", 0.59, 0.585, 0.595, 2),
        (".039", 0.039, 0.0385, 0.0395, 3),
        ("-3.23", -3.23, -3.235, -3.225, 2),
        ("-0.0334", -0.0334, -0.03345, -0.03335, 4),
        ("88", 88, 87.5, 88.5, 0),
        ("<.001", 0.001, 0.0, 0.001, 3),
        (">.999", 0.999, 0.999, 1.0, 3),
    ],
)
def test_a_printed_number_stands_for_a_range(
    text: str, value: float, low: float, high: float, decimals: int
) -> None:
    found = Printed.parse(text)
    assert (found.value, found.low, found.high) == pytest.approx((value, low, high))
    assert (found.text, found.decimals) == (text, decimals)


@pytest.mark.parametrize("text", ["", "nan", "inf", "1e3", ".", "-", "<", "1,5", "--1", "0.5 "])
def test_what_is_no_number(text: str) -> None:
    with pytest.raises(ValueError, match="is not a printed number"):
        Printed.parse(text)


def test_halves_round_either_way() -> None:
    printed = Printed.parse("0.59")
    assert printed.covers(0.585)
    assert printed.covers(0.595)
    assert not printed.covers(0.5849)
    assert printed.overlaps(0.5, 0.586)
    assert printed.overlaps(0.4, 0.8)
    assert not printed.overlaps(0.6, 0.7)


def test_multiples() -> None:
    assert Printed.parse("2.38").multiples(210) == [5]
    assert Printed.parse("2.40").multiples(210) == []
    assert Printed.parse("0.00").multiples(210) == [0]
    assert Printed.parse("50").multiples(1000) == list(range(495, 506))
