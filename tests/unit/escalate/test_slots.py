from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from arwarden.escalate.slots import Place, Slots


def test_first_come_first_served_with_a_bounded_line() -> None:
    slots = Slots(concurrent=1, waiting=2)
    assert [slots.arrive(visit) for visit in range(4)] == [
        Place.GRANTED,
        Place.WAITING,
        Place.WAITING,
        Place.REFUSED,
    ]
    assert slots.leave(0) == 1
    assert slots.leave(1) == 2
    assert slots.leave(2) is None
    assert slots.inside == 0


def test_who_leaves_the_line_grants_nobody() -> None:
    slots = Slots(concurrent=1, waiting=2)
    for visit in range(3):
        slots.arrive(visit)
    assert slots.leave(1) is None
    assert slots.leave(0) == 2


def test_leaving_twice_grants_no_second_slot() -> None:
    slots = Slots(concurrent=1, waiting=2)
    for visit in range(3):
        slots.arrive(visit)
    assert slots.leave(0) == 1
    assert slots.leave(0) is None
    assert slots.inside == 1


@given(st.lists(st.integers(0, 30), max_size=120), st.integers(1, 4), st.integers(0, 4))
@settings(deadline=None)
def test_limits_hold_and_nobody_waits_before_a_free_slot(
    moves: list[int], concurrent: int, waiting: int
) -> None:
    slots = Slots(concurrent=concurrent, waiting=waiting)
    inside: set[int] = set()
    line: set[int] = set()
    for visit, move in enumerate(moves):
        present = sorted(inside | line)
        if present and move % 2:
            leaver = present[move % len(present)]
            following = slots.leave(leaver)
            inside.discard(leaver)
            line.discard(leaver)
            if following is not None:
                line.discard(following)
                inside.add(following)
        else:
            place = slots.arrive(visit + 1000)
            if place is not Place.REFUSED:
                (inside if place is Place.GRANTED else line).add(visit + 1000)
        assert slots.inside == len(inside) <= concurrent
        assert len(line) <= waiting
        assert not line or len(inside) == concurrent
