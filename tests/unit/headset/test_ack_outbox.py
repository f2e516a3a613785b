"""Acknowledgements are told until somebody has them, in order and within bounds."""

from __future__ import annotations

from arwarden.contract.messages import Ack
from arwarden.core.counters import Counters
from arwarden.headset.ack_outbox import AGAIN_MS, MOST_ACKS, MOST_TELLS, AckOutbox, WaitingAck


def ack(number: int) -> Ack:
    return Ack(alert_id=f"a{number}", revision=1, action="shown", headset_ms=1.0, reason="")


def filled(count: int) -> tuple[AckOutbox, Counters]:
    counters = Counters()
    outbox = AckOutbox(counters)
    for number in range(count):
        outbox.add(ack(number))
    return outbox, counters


def due(outbox: AckOutbox, now_ms: float) -> WaitingAck:
    waiting = outbox.next(now_ms)
    assert waiting is not None
    return waiting


def test_what_is_heard_is_told_once_and_in_order() -> None:
    outbox, counters = filled(3)
    told = []
    while (waiting := outbox.next(0.0)) is not None:
        told.append(waiting.ack.alert_id)
        outbox.settle(waiting, 0.0, heard=True)
    assert told == ["a0", "a1", "a2"]
    assert (len(outbox), counters["acks.sent"]) == (0, 3)
    assert outbox.wait_ms(0.0) is None


def test_what_nobody_has_is_told_again_after_a_pause_and_does_not_stop_the_rest() -> None:
    outbox, counters = filled(2)
    outbox.settle(due(outbox, 100.0), 100.0, heard=False)
    outbox.settle(due(outbox, 100.0), 100.0, heard=True)
    assert outbox.next(100.0 + AGAIN_MS - 1) is None
    assert outbox.wait_ms(100.0) == AGAIN_MS
    again = due(outbox, 100.0 + AGAIN_MS)
    assert again.ack.alert_id == "a0"
    outbox.settle(again, 100.0 + AGAIN_MS, heard=True)
    assert (counters["acks.again"], counters["acks.sent"], len(outbox)) == (1, 2, 0)


def test_what_a_lost_connection_left_open_stays_first() -> None:
    outbox, _ = filled(2)
    assert due(outbox, 0.0) is due(outbox, 5.0)


def test_what_nobody_ever_has_is_given_up() -> None:
    outbox, counters = filled(1)
    for turn in range(MOST_TELLS):
        outbox.settle(due(outbox, turn * AGAIN_MS), turn * AGAIN_MS, heard=False)
    assert len(outbox) == 0
    assert (counters["acks.unheard"], counters["acks.again"]) == (1, MOST_TELLS - 1)


def test_the_oldest_gives_way_even_while_it_is_told() -> None:
    outbox, counters = filled(MOST_ACKS)
    oldest = due(outbox, 0.0)
    outbox.add(ack(MOST_ACKS))
    outbox.settle(oldest, 0.0, heard=True)
    assert (len(outbox), counters["acks.dropped"]) == (MOST_ACKS, 1)
    assert due(outbox, 0.0).ack.alert_id == "a1"
