from __future__ import annotations

import pytest

from arwarden.fast.tracking.readings import (
    AGREEING,
    BETTER,
    MOST_ATTEMPTS,
    MOST_SAYINGS,
    STALE_MS,
    STRAY_READINGS,
    Readings,
    Reason,
    why_read,
)


class Seen:
    """A line that is read whenever it is due, in frames 100 ms apart."""

    def __init__(self) -> None:
        self.readings = Readings()
        self.now_ms = 0.0

    def frame(
        self, text: str, confidence: float = 0.97, *, quality: float = 10.0, changed: bool = False
    ) -> Reason | None:
        self.now_ms += 100.0
        reason = why_read(self.readings, self.now_ms, quality, changed=changed)
        if reason is not None:
            self.readings.add(text, confidence, quality, self.now_ms, changed=changed)
        return reason


def test_a_line_is_read_until_two_readings_agree_and_then_left_alone() -> None:
    seen = Seen()
    assert [seen.frame("Door locked") for _ in range(4)] == [Reason.NEW, Reason.UNSETTLED, None, None]
    assert seen.readings.text == "Door locked"
    assert seen.readings.confidence == pytest.approx(0.97)


def test_confidence_is_the_mean_of_the_readings_that_agree() -> None:
    seen = Seen()
    for confidence in (0.9, 0.8):
        seen.frame("Exit", confidence)
    assert seen.readings.confidence == pytest.approx(0.85)


def test_readings_that_differ_in_spaces_or_case_agree_and_the_surest_is_shown() -> None:
    seen = Seen()
    seen.frame("Doorlocked", 0.9)
    seen.frame("Door Locked", 0.95)
    assert seen.readings.settled
    assert seen.readings.text == "Door Locked"


def test_a_single_misreading_gives_way() -> None:
    seen = Seen()
    seen.frame("Gate 3", 0.92)
    for _ in range(AGREEING):
        assert seen.frame("Gate 8") is Reason.UNSETTLED
    assert seen.readings.text == "Gate 8"
    assert seen.readings.settled


def test_a_line_that_reads_differently_every_time_is_given_up() -> None:
    seen = Seen()
    reasons = [seen.frame(f"PAL{n}", 0.6) for n in range(MOST_ATTEMPTS + 2)]
    assert reasons[MOST_ATTEMPTS - 1] is not None
    assert reasons[MOST_ATTEMPTS:] == [None, None]


def test_an_illegible_line_settles_too_and_says_nothing() -> None:
    seen = Seen()
    assert [seen.frame("", 0.0) for _ in range(3)] == [Reason.NEW, Reason.UNSETTLED, None]
    assert seen.readings.text == ""
    assert seen.readings.confidence == 0.0


def test_a_badly_read_line_is_read_again_when_it_looks_better() -> None:
    seen = Seen()
    for _ in range(2):
        seen.frame("Exlt", 0.7)
    assert seen.frame("Exit", quality=10.0 * BETTER * 0.99) is None
    assert seen.frame("Exit", quality=10.0 * BETTER) is Reason.BETTER
    # The disagreement is settled by one more reading.
    assert seen.frame("Exit") is Reason.UNSETTLED
    assert seen.readings.text == "Exit"
    assert seen.frame("Exit", quality=1000.0) is None, "well read"


def test_a_changed_line_follows_at_once_when_it_is_read_surely() -> None:
    seen = Seen()
    for _ in range(2):
        seen.frame("Door locked")
    assert seen.frame("Door unlocked", changed=True) is Reason.CHANGED
    assert seen.readings.text == "Door unlocked"
    assert seen.frame("Door unlocked") is Reason.UNSETTLED
    assert seen.frame("Door unlocked") is None


def test_a_blurred_frame_does_not_change_what_a_line_says() -> None:
    seen = Seen()
    for _ in range(2):
        seen.frame("Door locked")
    assert seen.frame("Doar lacket", 0.5, changed=True) is Reason.CHANGED
    assert seen.readings.text == "Door locked"
    seen.frame("Door locked", changed=True)
    assert seen.readings.strays == 0
    assert seen.readings.confidence == pytest.approx(0.97)


def test_unsure_readings_in_a_row_are_believed() -> None:
    seen = Seen()
    for _ in range(2):
        seen.frame("Door locked")
    for _ in range(STRAY_READINGS):
        assert seen.readings.text == "Door locked"
        seen.frame("Gate", 0.6, changed=True)
    assert seen.readings.text == "Gate"


def test_a_line_that_has_gone_blank_says_nothing_soon() -> None:
    seen = Seen()
    for _ in range(2):
        seen.frame("Door locked")
    for _ in range(STRAY_READINGS):
        seen.frame("", 0.0, changed=True)
    assert seen.readings.text == ""


def test_a_stray_reading_says_that_the_look_is_not_what_was_read() -> None:
    readings = Readings()
    assert readings.add("Exit", 0.99, 1.0, 0.0, changed=False)
    assert not readings.add("Ex", 0.5, 1.0, 100.0, changed=True)
    assert readings.add("Exit", 0.5, 1.0, 200.0, changed=True)


def test_a_line_is_read_again_after_a_while_and_a_change_that_was_not_seen_comes_out() -> None:
    seen = Seen()
    for _ in range(2):
        seen.frame("Gate 3")
    seen.now_ms += STALE_MS - 200.0
    assert seen.frame("Gate 8") is None
    assert seen.frame("Gate 8") is Reason.STALE
    assert not seen.readings.settled
    assert seen.frame("Gate 8") is Reason.UNSETTLED
    assert seen.readings.text == "Gate 8"
    assert seen.frame("Gate 8") is None


@pytest.mark.parametrize("known", [2, 20])
def test_what_was_read_long_ago_does_not_outvote_what_is_read_now(known: int) -> None:
    readings = Readings()
    for at in range(known):
        readings.add("Gate 3", 0.99, 1.0, at, changed=False)
    for at in range(2):
        readings.add("Gate 8", 0.99, 1.0, known + at, changed=False)
    assert readings.text == "Gate 8"


def test_memory_is_bounded() -> None:
    readings = Readings()
    for at in range(100):
        readings.add(f"text {at}", 0.5, 1.0, at, changed=False)
    assert len(readings.sayings) <= MOST_SAYINGS
