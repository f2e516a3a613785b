"""The clock offset: right through delays that no single exchange gets right."""

from __future__ import annotations

import math

import numpy as np
import pytest

from arwarden.core.offset import STEPS_TO_RESTART, WINDOW, OffsetFilter


def exchange(
    filter_: OffsetFilter, *, offset_ms: float, out_ms: float, back_ms: float, at_ms: float = 1000.0
) -> bool:
    t1 = at_ms + out_ms + offset_ms
    return filter_.add(at_ms, t1, t1 + 1.0, at_ms + out_ms + 1.0 + back_ms)


def test_empty_filter_knows_nothing() -> None:
    filter_ = OffsetFilter()
    assert filter_.offset_ms is None
    assert filter_.rtt_ms is None
    assert filter_.exchanges == 0


def test_symmetric_exchange_is_exact() -> None:
    filter_ = OffsetFilter()
    assert exchange(filter_, offset_ms=-7200_000.25, out_ms=20, back_ms=20)
    assert filter_.offset_ms == pytest.approx(-7200_000.25)
    assert filter_.rtt_ms == pytest.approx(40)


def test_time_held_by_the_answerer_does_not_count() -> None:
    filter_ = OffsetFilter()
    assert filter_.add(0.0, 105.0, 605.0, 510.0)
    assert filter_.rtt_ms == pytest.approx(10)
    assert filter_.offset_ms == pytest.approx(100)


def test_queueing_in_one_direction_is_filtered_out() -> None:
    filter_ = OffsetFilter()
    rng = np.random.default_rng(7)
    for index in range(100):
        queued = float(rng.exponential(200.0))
        exchange(filter_, offset_ms=42.0, out_ms=2 + queued, back_ms=2, at_ms=index * 200.0)
        if index % 5 == 0:
            exchange(filter_, offset_ms=42.0, out_ms=2.1, back_ms=2, at_ms=index * 200.0 + 100)
    offset = filter_.offset_ms
    assert offset is not None
    assert abs(offset - 42.0) < 0.2


@pytest.mark.parametrize(
    "times",
    [
        (0.0, math.nan, 1.0, 2.0),
        (0.0, math.inf, math.inf, 2.0),
        (10.0, 0.0, 0.0, 5.0),
        (0.0, 20.0, 10.0, 30.0),
        (0.0, 1.0, 1.0, 60_000.0),
    ],
    ids=["nan", "infinite", "answered-before-asked", "answered-before-arrival", "a-minute-late"],
)
def test_impossible_exchange_is_ignored(times: tuple[float, float, float, float]) -> None:
    filter_ = OffsetFilter()
    assert not filter_.add(*times)
    assert filter_.offset_ms is None


def test_single_wrong_exchange_does_not_move_the_estimate() -> None:
    filter_ = OffsetFilter()
    for _ in range(10):
        exchange(filter_, offset_ms=5.0, out_ms=3, back_ms=3)
    exchange(filter_, offset_ms=900.0, out_ms=1, back_ms=1)
    assert filter_.offset_ms == pytest.approx(5.0)


def test_stepped_clock_is_followed_after_three_exchanges() -> None:
    filter_ = OffsetFilter()
    for _ in range(WINDOW):
        exchange(filter_, offset_ms=5.0, out_ms=1, back_ms=1)
    for _ in range(STEPS_TO_RESTART):
        exchange(filter_, offset_ms=3605.0, out_ms=4, back_ms=4)
    assert filter_.offset_ms == pytest.approx(3605.0)


def test_window_is_bounded_and_follows_drift() -> None:
    filter_ = OffsetFilter()
    for index in range(WINDOW * 4):
        exchange(filter_, offset_ms=index * 0.01, out_ms=2, back_ms=2)
    assert filter_.exchanges == WINDOW
    offset = filter_.offset_ms
    assert offset is not None
    assert offset > WINDOW * 3 * 0.01
