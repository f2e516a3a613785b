from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arwarden.adjust.steps import AS_PLACED, Correction, Wish, next_correction
from arwarden.config import AdjustConfig

CONFIG = AdjustConfig(gain=0.5, max_step_m=0.2, max_move_m=0.3, max_step_factor=1.5, max_factor=2.0)


def test_a_part_of_the_wish_is_carried_out() -> None:
    made = next_correction(AS_PLACED, Wish(right_m=0.1, up_m=-0.2), CONFIG)
    assert made.move_m == pytest.approx((0.05, -0.1, 0.0))
    assert made.scale == 1.0
    assert next_correction(AS_PLACED, Wish(scale=0.64), CONFIG).scale == pytest.approx(0.8)
    assert next_correction(Correction(scale=1.5), Wish(scale=1.21), CONFIG).scale == pytest.approx(1.65)


def test_steps_and_wholes_are_limited() -> None:
    made = next_correction(AS_PLACED, Wish(up_m=-1.0), CONFIG)
    assert made.move_m == pytest.approx((0.0, -0.2, 0.0))
    again = next_correction(made, Wish(up_m=-1.0), CONFIG)
    assert again.move_m == pytest.approx((0.0, -0.3, 0.0))
    assert next_correction(again, Wish(up_m=-1.0), CONFIG).same(again)
    assert next_correction(AS_PLACED, Wish(scale=0.01), CONFIG).scale == pytest.approx(1 / 1.5)
    assert next_correction(Correction(scale=1.9), Wish(scale=2.0), CONFIG).scale == 2.0


def test_what_nobody_sees_is_no_correction() -> None:
    assert Wish().nothing
    assert Wish(right_m=0.004, scale=1.005).nothing
    assert not Wish(up_m=0.006).nothing
    assert not Wish(scale=0.98).nothing
    assert Correction(scale=1.5).same(Correction((0.001, 0, 0), 1.49))


@given(
    start=st.tuples(*[st.floats(-5, 5)] * 3),
    scale=st.floats(0.01, 100),
    wish=st.builds(Wish, st.floats(-1, 1), st.floats(-1, 1), st.floats(0.01, 2)),
)
def test_no_whole_is_ever_beyond_the_limits(
    start: tuple[float, float, float], scale: float, wish: Wish
) -> None:
    made = next_correction(Correction(start, scale), wish, CONFIG)
    assert math.hypot(*made.move_m) <= CONFIG.max_move_m + 1e-9
    assert 0.5 <= made.scale <= 2.0
