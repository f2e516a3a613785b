from __future__ import annotations

import numpy as np
import pytest

from arwarden.core.clock import SystemClock, VirtualClock
from arwarden.core.counters import Counters
from arwarden.core.findings import Box, Claim, Severity
from arwarden.core.frame import ArrayPicture, CaptureClock, Frame


def test_the_system_clock_never_runs_back() -> None:
    clock = SystemClock()
    times = [clock.now_ms() for _ in range(100)]
    assert times == sorted(times)
    assert abs(clock.wall_step_ms()) < 1000


def test_a_virtual_clock_moves_only_forward() -> None:
    clock = VirtualClock(10.0)
    assert clock.advance(5.0) == clock.now_ms() == 15.0
    with pytest.raises(ValueError, match="cannot go back"):
        clock.advance(-1.0)


def test_box_overlap_and_union() -> None:
    box = Box(0.0, 0.0, 0.2, 0.2)
    assert box.overlap(box) == pytest.approx(1.0)
    assert box.overlap(Box(0.1, 0.0, 0.2, 0.2)) == pytest.approx(1 / 3)
    assert box.overlap(Box(0.5, 0.5, 0.1, 0.1)) == 0.0
    assert box.union(Box(0.1, 0.1, 0.3, 0.1)) == pytest.approx((0.0, 0.0, 0.4, 0.2))


def test_severities_are_ordered() -> None:
    assert [Severity.INFO.rank, Severity.WARNING.rank, Severity.CRITICAL.rank] == [0, 1, 2]


def test_a_claim_describes_itself() -> None:
    assert Claim("origin", "france").describe() == "origin = france"
    assert Claim("state", "locked", subject="door", polarity=False).describe() == "door: state ≠ locked"


def test_an_array_picture_has_luma_and_refuses_other_shapes() -> None:
    picture = ArrayPicture(np.full((3, 5, 3), 200, np.uint8))
    assert (picture.width_px, picture.height_px) == (5, 3)
    assert picture.luma().shape == (3, 5)
    assert picture.luma()[0, 0] == 200
    empty, grey = np.zeros((0, 5, 3), np.uint8), np.zeros((3, 5), np.uint8)
    for bad in (empty, grey, np.zeros((3, 5, 3), np.float32).view(np.uint8)):
        with pytest.raises(ValueError, match="RGB picture"):
            ArrayPicture(bad)


def test_a_frame_knows_its_age() -> None:
    picture = ArrayPicture(np.zeros((2, 2, 3), np.uint8))
    assert Frame("s", 1, 100.0, CaptureClock.SYNCED, 110.0, picture).age_ms(150.0) == 50.0


def test_counters_count() -> None:
    counters = Counters()
    counters.add("a.b")
    counters.add("a.b", 2)
    assert counters["a.b"] == 3
    assert counters["never"] == 0
    assert counters.snapshot() == {"a.b": 3}
