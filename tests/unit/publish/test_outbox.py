from __future__ import annotations

import pytest

from arwarden.core.counters import Counters
from arwarden.publish.outbox import REMEMBERED_PER_SLOT, Outbox, Outgoing, Taken


@pytest.fixture
def counters() -> Counters:
    return Counters()


@pytest.fixture
def outbox(counters: Counters) -> Outbox:
    return Outbox(4, counters)


def item(
    key: str, text: str = "", *, rank: int = 1, expires_ms: float | None = None, ends: bool = False
) -> Outgoing:
    payload = (text or key).encode()
    return Outgoing("topic", key, rank, expires_ms, 1, retain=False, render=lambda _now: payload, ends=ends)


def text_of(taken: Taken | None) -> str | None:
    if taken is None:
        return None
    payload = taken.item.render(0.0)
    assert payload is not None
    return payload.decode()


def drain(outbox: Outbox, now_ms: float = 0.0) -> list[str]:
    texts = []
    while (taken := outbox.take(now_ms)) is not None:
        texts.append(text_of(taken) or "")
        outbox.delivered(taken)
    return texts


def test_empty(outbox: Outbox) -> None:
    assert outbox.take(0.0) is None
    assert len(outbox) == 0


def test_most_severe_first_then_oldest_first(outbox: Outbox) -> None:
    for key, rank in (("health", -1), ("first", 1), ("second", 1), ("critical", 2)):
        outbox.put(item(key, rank=rank), 0.0)
    assert drain(outbox) == ["critical", "first", "second", "health"]


def test_newest_of_a_key_takes_the_place_of_the_older(outbox: Outbox, counters: Counters) -> None:
    outbox.put(item("a", "a1"), 0.0)
    outbox.put(item("b"), 0.0)
    outbox.put(item("a", "a2"), 5.0)
    assert len(outbox) == 2
    taken = outbox.take(5.0)
    assert text_of(taken) == "a2", "it keeps its place before b"
    assert taken is not None
    assert taken.put_ms == 5.0
    outbox.delivered(taken)
    assert drain(outbox) == ["b"]
    assert counters["outbox.superseded"] == 1


def test_a_new_severity_moves_it(outbox: Outbox) -> None:
    outbox.put(item("a", "a1", rank=2), 0.0)
    outbox.put(item("b", rank=1), 0.0)
    outbox.put(item("a", "a2", rank=0), 0.0)
    assert drain(outbox) == ["b", "a2"]


def test_expired_ones_are_dropped_and_counted(outbox: Outbox, counters: Counters) -> None:
    outbox.put(item("a", expires_ms=100.0), 0.0)
    outbox.put(item("b", expires_ms=200.0), 0.0)
    outbox.put(item("too-late", expires_ms=50.0), 50.0)
    assert drain(outbox, now_ms=100.0) == ["b"]
    assert counters["outbox.expired"] == 2


def test_an_expired_amendment_takes_the_older_word_with_it(outbox: Outbox, counters: Counters) -> None:
    outbox.put(item("a", "a1", expires_ms=500.0), 0.0)
    outbox.put(item("a", "a2", expires_ms=100.0), 150.0)
    assert drain(outbox, 150.0) == []
    assert (counters["outbox.expired"], counters["outbox.superseded"]) == (1, 1)


def test_full_the_oldest_of_the_least_severe_gives_way(outbox: Outbox, counters: Counters) -> None:
    for key, rank in (("w1", 1), ("w2", 1), ("c1", 2), ("c2", 2), ("c3", 2), ("i1", 0)):
        outbox.put(item(key, rank=rank), 0.0)
    assert drain(outbox) == ["c1", "c2", "c3", "w2"]
    assert counters["outbox.overflow"] == 2


def test_full_expired_ones_give_way_before_live_ones(outbox: Outbox, counters: Counters) -> None:
    outbox.put(item("dead", rank=2, expires_ms=10.0), 0.0)
    for key in ("a", "b", "c", "d"):
        outbox.put(item(key, rank=0), 20.0)
    assert drain(outbox, 20.0) == ["a", "b", "c", "d"]
    assert (counters["outbox.expired"], counters["outbox.overflow"]) == (1, 0)


def test_an_alert_that_ends_before_anybody_heard_of_it_vanishes(outbox: Outbox, counters: Counters) -> None:
    outbox.put(item("a", "raised"), 0.0)
    outbox.put(item("a", "cleared", ends=True), 1.0)
    assert drain(outbox) == []
    assert counters["outbox.vanished"] == 2


def test_the_end_of_a_delivered_alert_is_sent_once(outbox: Outbox) -> None:
    outbox.put(item("a", "raised"), 0.0)
    assert drain(outbox) == ["raised"]
    outbox.put(item("a", "confirmed"), 1.0)
    outbox.put(item("a", "cleared", ends=True), 2.0)
    assert drain(outbox) == ["cleared"]
    outbox.put(item("a", "cleared again", ends=True), 3.0)
    assert drain(outbox) == []


def test_the_end_of_an_alert_in_flight_is_kept(outbox: Outbox, counters: Counters) -> None:
    outbox.put(item("a", "raised"), 0.0)
    taken = outbox.take(0.0)
    assert taken is not None
    outbox.put(item("a", "cleared", ends=True), 1.0)
    outbox.give_back(taken, 2.0)
    assert drain(outbox) == ["cleared"], "the raise may have been delivered"
    assert counters["outbox.superseded"] == 1


def test_an_alert_that_could_never_be_sent_takes_its_end_with_it(outbox: Outbox, counters: Counters) -> None:
    outbox.put(item("a", "too large"), 0.0)
    taken = outbox.take(0.0)
    assert taken is not None
    outbox.put(item("a", "cleared", ends=True), 1.0)
    outbox.dropped(taken)
    assert drain(outbox) == []
    assert counters["outbox.vanished"] == 1


def test_dropping_keeps_a_newer_word(outbox: Outbox) -> None:
    outbox.put(item("a", "too large"), 0.0)
    taken = outbox.take(0.0)
    assert taken is not None
    outbox.put(item("a", "smaller"), 1.0)
    outbox.dropped(taken)
    assert drain(outbox) == ["smaller"]


def test_given_back_it_goes_first_again_with_its_first_time(outbox: Outbox) -> None:
    outbox.put(item("a"), 3.0)
    outbox.put(item("b"), 4.0)
    taken = outbox.take(5.0)
    assert taken is not None
    outbox.give_back(taken, 6.0)
    again = outbox.take(7.0)
    assert again is not None
    assert (text_of(again), again.put_ms) == ("a", 3.0)


def test_given_back_expired_it_is_dropped(outbox: Outbox, counters: Counters) -> None:
    outbox.put(item("a", expires_ms=10.0), 0.0)
    taken = outbox.take(5.0)
    assert taken is not None
    outbox.give_back(taken, 10.0)
    assert len(outbox) == 0
    assert counters["outbox.expired"] == 1


def test_given_back_to_a_full_outbox_the_bound_holds(outbox: Outbox, counters: Counters) -> None:
    outbox.put(item("a"), 0.0)
    taken = outbox.take(0.0)
    assert taken is not None
    for key in ("b", "c", "d", "e"):
        outbox.put(item(key, rank=2), 0.0)
    outbox.give_back(taken, 0.0)
    assert len(outbox) == 4
    assert counters["outbox.overflow"] == 1


def test_what_was_delivered_is_not_remembered_for_ever(outbox: Outbox) -> None:
    for number in range(REMEMBERED_PER_SLOT * 4 + 1):
        outbox.put(item(f"id-{number}"), 0.0)
        drain(outbox)
    outbox.put(item("id-0", "forgotten", ends=True), 0.0)
    outbox.put(item("id-1", "remembered", ends=True), 0.0)
    assert drain(outbox) == ["remembered"]


@pytest.mark.parametrize(
    ("expires_ms", "expected"),
    [(None, None), (1.0, 1), (999.0, 1), (1000.0, 1), (1001.0, 2), (2999.5, 3), (3000.0, 3)],
)
def test_message_expiry_is_rounded_up_to_whole_seconds(
    expires_ms: float | None, expected: int | None
) -> None:
    assert item("a", expires_ms=expires_ms).expiry_s(0.0) == expected


def test_expiry_is_exclusive() -> None:
    assert not item("a", expires_ms=10.0).expired(9.999)
    assert item("a", expires_ms=10.0).expired(10.0)
    assert not item("a").expired(1e18)
