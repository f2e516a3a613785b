from __future__ import annotations

import math

import numpy as np
import pytest

from arwarden.core.frame import ByteImage
from arwarden.fast.tracking.follower import (
    FORGET_MS,
    Attention,
    Follower,
    Step,
    Urgency,
    one_at_a_time,
)
from arwarden.fast.tracking.novelty import NEW_TILES, Motion

NONE, ROUTINE, NOW = Urgency.NONE, Urgency.ROUTINE, Urgency.NOW


def view(x: int = 0) -> ByteImage:
    room = np.random.default_rng(3).integers(0, 255, (45, 90), dtype=np.uint8)
    return np.kron(room, np.ones((16, 16), np.uint8))[:, x : x + 1280]


def moved(*, tiles: int = 0, unseen: float = 0.0) -> Motion:
    new = np.zeros((22, 40), np.bool_)
    new.flat[:tiles] = True
    return Motion(np.eye(3, dtype=np.float32), new, unseen)


def test_a_first_frame_has_no_motion() -> None:
    step = Follower().step(view(), 1000.0)
    assert step.anew
    assert step.motion is None
    assert step.homography_px(1280, 720) is None


def test_the_motion_is_that_from_the_frame_before() -> None:
    follower = Follower()
    for count in range(4):
        step = follower.step(view(8 * count), 1000.0 + 100.0 * count)
    assert (step.anew, step.gap_ms) == (False, 100.0)
    matrix = step.homography_px(1280, 720)
    assert matrix is not None
    there = matrix @ [640.0, 360.0, 1.0]
    assert there[:2] / there[2] == pytest.approx([632.0, 360.0], abs=1.5)


def test_after_a_gap_what_was_followed_is_not_relied_on() -> None:
    follower = Follower()
    follower.step(view(), 1000.0)
    step = follower.step(view(), 1000.0 + FORGET_MS)
    assert step.anew
    assert step.motion is not None, "what is remembered for longer may still be carried"


@pytest.mark.parametrize("later_ms", [0.0, -50.0])
def test_a_frame_that_is_not_newer_starts_anew(later_ms: float) -> None:
    follower = Follower()
    follower.step(view(), 1000.0)
    assert follower.step(view(), 1000.0 + later_ms) == Step(1000.0 + later_ms, None, math.inf)


def test_a_search_is_due_at_once_where_nothing_is_known() -> None:
    attention = Attention(1000.0)
    assert attention.urgency(0.0) is NOW
    attention.looked(0.0)
    assert attention.urgency(10.0) is NONE
    attention.note(None)
    assert attention.urgency(20.0) is NOW


def test_a_search_is_due_again_after_a_while() -> None:
    attention = Attention(1000.0)
    attention.looked(0.0)
    attention.note(moved())
    assert (attention.urgency(999.0), attention.urgency(1000.0)) == (NONE, ROUTINE)
    assert attention.overdue_ms(1200.0) == 200.0


def test_what_is_new_stays_new_until_somebody_has_looked() -> None:
    attention = Attention(1000.0)
    attention.looked(0.0)
    attention.note(moved(tiles=NEW_TILES - 1))
    assert attention.urgency(100.0) is NONE
    attention.note(moved(tiles=NEW_TILES))
    attention.note(moved())
    assert attention.urgency(200.0) is NOW
    attention.looked(200.0)
    assert attention.urgency(300.0) is NONE


def test_a_slow_pan_adds_up() -> None:
    attention = Attention(1000.0)
    attention.looked(0.0)
    urgencies = []
    for count in range(4):
        attention.note(moved(unseen=0.03))
        urgencies.append(attention.urgency(100.0 * count))
    assert urgencies == [NONE, NONE, NONE, ROUTINE]


def test_after_something_new_further_frames_are_searched() -> None:
    attention = Attention(1000.0, again=2)
    urgencies = []
    for count in range(4):
        attention.note(moved())
        urgencies.append(attention.urgency(100.0 * count))
        if urgencies[-1]:
            attention.looked(100.0 * count)
    assert urgencies == [NOW, ROUTINE, ROUTINE, NONE]


@pytest.mark.parametrize(
    ("first", "second", "first_longer", "both"),
    [
        (NONE, NONE, True, (False, False)),
        (ROUTINE, NONE, False, (True, False)),
        (NONE, ROUTINE, True, (False, True)),
        (ROUTINE, ROUTINE, True, (True, False)),
        (ROUTINE, ROUTINE, False, (False, True)),
        (NOW, ROUTINE, False, (True, False)),
        (ROUTINE, NOW, True, (False, True)),
        (NOW, NOW, True, (True, True)),
    ],
)
def test_routine_searches_take_turns(
    first: Urgency, second: Urgency, *, first_longer: bool, both: tuple[bool, bool]
) -> None:
    assert one_at_a_time(first, second, first_longer=first_longer) == both
