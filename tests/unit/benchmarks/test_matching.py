from __future__ import annotations

import pytest

from benchmarks.latency.matching import TimedAlert, match
from benchmarks.latency.records import SeenAlert
from benchmarks.latency.truth import VisibleEvent

LOCK = VisibleEvent(1000.0, 3000.0, ("Door is locked", "Door unlocked"), "lock")
PRICE = VisibleEvent(5000.0, 7000.0, ("Coffee: $3.50", "Coffee: $5.00"), "price")


def alert(event: VisibleEvent, captured_ms: float, arrived_ms: float, *texts: str) -> TimedAlert:
    seen = SeenAlert(
        alert_id="a",
        session_id="s",
        shown=True,
        kind="contradiction",
        state="raised",
        texts=texts or event.texts,
        captured_daemon_ms=0.0,
        published_daemon_ms=0.0,
        stages_ms={},
        arrived_mono_ms=arrived_ms,
    )
    return TimedAlert(seen, captured_ms)


def test_event_is_timed_from_its_first_frame_to_the_arrival_of_its_first_alert() -> None:
    found = match([LOCK, PRICE], [alert(LOCK, 2000.0, 2400.0), alert(LOCK, 1200.0, 1500.0)])
    assert found.visible_to_headset_ms() == [500.0]
    assert found.missed == (PRICE,)
    assert found.false == ()


def test_alert_about_the_first_visible_frame_counts_and_about_the_first_hidden_one_not() -> None:
    assert match([LOCK], [alert(LOCK, 1000.0, 1100.0)]).missed == ()
    late = match([LOCK], [alert(LOCK, 3000.0, 3100.0)])
    assert late.missed == (LOCK,)
    assert len(late.false) == 1


def test_alert_computed_in_time_counts_though_it_arrives_after_the_panel_has_gone() -> None:
    assert match([LOCK], [alert(LOCK, 2990.0, 3300.0)]).visible_to_headset_ms() == [2300.0]


@pytest.mark.parametrize("texts", [("door is locked", "Doorunlocked"), ("Door is 1ocked", "Door unlocked")])
def test_small_mistakes_of_reading_do_not_matter(texts: tuple[str, ...]) -> None:
    assert match([LOCK], [alert(LOCK, 1200.0, 1500.0, *texts)]).missed == ()


def test_alert_about_other_texts_is_false_even_while_a_contradiction_is_visible() -> None:
    found = match([LOCK], [alert(LOCK, 1200.0, 1500.0, "Door is locked", "Free until 15:00")])
    assert found.missed == (LOCK,)
    assert [timed.alert.texts for timed in found.false] == [("Door is locked", "Free until 15:00")]


def test_only_what_lies_within_the_measured_window_is_counted() -> None:
    astray = alert(LOCK, 4000.0, 4100.0)
    found = match([LOCK, PRICE], [alert(LOCK, 1200.0, 1500.0), astray])
    late = found.within(1500.0, 8000.0)
    assert (len(late.alerted), late.missed, late.false) == (0, (PRICE,), (astray,))
    early = found.within(0.0, 6000.0)
    assert (list(early.alerted), early.missed) == ([LOCK], ())
    assert found.within(4200.0, 8000.0).false == ()
