from __future__ import annotations

import pytest

from benchmarks.latency.clip import ClipEvent
from benchmarks.latency.truth import StreamTimes, visible_events

TIMES = StreamTimes(started_mono_ms=1000.0, fps=10.0, loop_frames=50)
EVENT = ClipEvent(20, 40, ("Open", "Closed"), "opening")


def test_frames_are_captured_at_even_distances_over_all_loops() -> None:
    assert TIMES.captured_mono_ms(0) == 1000.0
    assert TIMES.captured_mono_ms(123) == 13_300.0


@pytest.mark.parametrize("age_ms", [0.0, 3.0, 99.0, 1500.0, 4900.0])
@pytest.mark.parametrize("tick", [0, 7, 49, 50, 123])
def test_code_and_time_of_sight_tell_the_frame(tick: int, age_ms: float) -> None:
    seen_ms = TIMES.captured_mono_ms(tick) + age_ms
    assert TIMES.tick_of(tick % 50, seen_ms) == tick
    assert TIMES.captured_of(tick % 50, seen_ms) == TIMES.captured_mono_ms(tick)


def test_rounding_of_the_time_of_sight_does_not_cost_a_loop() -> None:
    assert TIMES.tick_of(7, TIMES.captured_mono_ms(57) - 0.01) == 57


@pytest.mark.parametrize(
    ("code", "seen_ms"),
    [(50, 60_000.0), (-1, 60_000.0), (7, 1000.0), (7, 0.0)],
    ids=["beyond the clip", "negative", "not yet captured", "before the stream"],
)
def test_code_of_no_frame_so_far_has_no_time(code: int, seen_ms: float) -> None:
    assert TIMES.tick_of(code, seen_ms) is None
    assert TIMES.captured_of(code, seen_ms) is None


def test_contradictions_come_again_in_every_loop() -> None:
    found = visible_events([EVENT], TIMES, until_mono_ms=12_000.0)
    assert [(event.visible_mono_ms, event.hidden_mono_ms) for event in found] == [
        (3000.0, 5000.0),
        (8000.0, 10_000.0),
    ]
    assert {event.attribute for event in found} == {"opening"}


def test_contradiction_that_appears_after_the_end_is_left_out() -> None:
    assert len(visible_events([EVENT], TIMES, until_mono_ms=8000.0)) == 1
    assert visible_events([EVENT], TIMES, until_mono_ms=1000.0) == []
