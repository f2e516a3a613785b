from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from arwarden.sampling import FairShare, LatestSlot


def test_the_newest_wins_and_the_loss_is_counted() -> None:
    slot: LatestSlot[int] = LatestSlot()
    assert not slot
    assert slot.take() is None
    assert slot.put(1) is None
    assert slot.put(2) == 1
    assert slot.overwritten == 1
    assert slot
    assert slot.take() == 2
    assert not slot
    assert slot.put(3) is None
    assert slot.overwritten == 1


def test_turns_go_round() -> None:
    share = FairShare(stale_ms=1000)
    for now_ms, session_id in enumerate("abc"):
        share.ask(session_id, now_ms)
    turns = []
    for now_ms in range(10, 19):
        turn = share.next_turn(now_ms)
        assert turn is not None
        turns.append(turn)
        share.ask(turn, now_ms)
    assert "".join(turns) == "abcabcabc"


def test_a_greedy_session_keeps_its_place_only_once() -> None:
    share = FairShare(stale_ms=1000)
    share.ask("a", 0)
    share.ask("b", 1)
    for now_ms in range(2, 20):
        share.ask("a", now_ms)
    assert share.next_turn(20) == "a"
    share.ask("a", 21)
    assert share.next_turn(22) == "b"


def test_a_wish_that_nobody_repeats_is_passed_over() -> None:
    share = FairShare(stale_ms=100)
    share.ask("gone", 0)
    share.ask("here", 50)
    share.ask("here", 120)
    assert share.next_turn(130) == "here"
    assert share.passed_over == 1
    assert share.next_turn(131) is None


def test_withdrawing_is_allowed_at_any_time() -> None:
    share = FairShare(stale_ms=100)
    share.withdraw("nobody")
    share.ask("a", 0)
    share.withdraw("a")
    assert share.waiting == 0
    assert share.next_turn(1) is None


@given(sessions=st.integers(1, 6), turns=st.integers(1, 60))
def test_nobody_waits_for_more_than_one_turn_of_everybody_else(sessions: int, turns: int) -> None:
    share = FairShare(stale_ms=1e9)
    names = [str(index) for index in range(sessions)]
    last_turn = dict.fromkeys(names, -1)
    for turn in range(turns):
        for name in names:
            share.ask(name, turn)
        chosen = share.next_turn(turn)
        assert chosen is not None
        assert turn - last_turn[chosen] <= sessions
        last_turn[chosen] = turn
