from __future__ import annotations

import pytest

from benchmarks.latency.analysis import (
    CAPTURE_TO_HEADSET,
    CAPTURE_TO_JUDGED,
    CAPTURE_TO_PUBLISH,
    VISIBLE_TO_HEADSET,
    naive_outcome,
    stream_result,
)
from benchmarks.latency.records import NaiveResult
from tests.unit.benchmarks.records import CLIP, alert, captured_ms, judged, phase_log, sender


def test_ages_count_from_the_true_capture_though_the_daemon_takes_another_time_for_it() -> None:
    frame = judged(25, error_ms=-40.0)
    result = stream_result(phase_log((frame,), sender(alert(frame))), CLIP)
    found = {name: summary.p50 for name, summary in result.latency_ms.items() if summary is not None}
    assert found[CAPTURE_TO_JUDGED] == pytest.approx(120.0)
    assert found[CAPTURE_TO_PUBLISH] == pytest.approx(121.0)
    assert found[CAPTURE_TO_HEADSET] == pytest.approx(123.0)
    assert found["delivery"] == pytest.approx(2.0)
    assert found["transport"] == pytest.approx(2.0)
    assert found["ocr"] == 100.0
    assert result.clock_error_ms is not None
    assert result.clock_error_ms.worst == pytest.approx(40.0)


def test_event_is_timed_from_its_first_visible_frame() -> None:
    frame = judged(25)
    result = stream_result(phase_log((judged(15), frame), sender(alert(frame))), CLIP)
    visible = result.latency_ms[VISIBLE_TO_HEADSET]
    assert visible is not None
    assert visible.p50 == pytest.approx(captured_ms(25) - captured_ms(20) + 123.0)
    assert (result.events.visible, result.events.alerted, result.events.missed) == (1, 1, ())


def test_event_without_an_alert_is_missed_and_named() -> None:
    result = stream_result(phase_log((judged(25),)), CLIP)
    assert (result.events.visible, result.events.alerted, result.events.missed) == (1, 0, ("lock",))
    assert result.latency_ms[VISIBLE_TO_HEADSET] is None


def test_alert_about_something_else_is_false() -> None:
    frame = judged(60)
    result = stream_result(phase_log((frame,), sender(alert(frame, texts=("Exit", "Closed")))), CLIP)
    assert result.events.false_alerts == ("Exit / Closed",)


def test_quality_alert_is_no_false_contradiction() -> None:
    frame = judged(60)
    result = stream_result(phase_log((frame,), sender(alert(frame, kind="quality", texts=()))), CLIP)
    assert result.events.false_alerts == ()


def test_update_of_a_shown_alert_has_an_age_but_is_no_answer_to_an_event() -> None:
    frame = judged(25)
    result = stream_result(phase_log((frame,), sender(alert(frame, shown=False))), CLIP)
    assert result.events.missed == ("lock",)
    ages = result.latency_ms[CAPTURE_TO_HEADSET]
    assert ages is not None
    assert ages.count == 1


def test_message_that_passing_time_caused_has_no_age() -> None:
    frame = judged(25)
    refresh = alert(frame, shown=False, stages_ms={"publish": 1.0})
    result = stream_result(phase_log((frame,), sender(alert(frame), refresh)), CLIP)
    ages = result.latency_ms[CAPTURE_TO_HEADSET]
    assert ages is not None
    assert ages.count == 1


def test_warm_up_is_left_out() -> None:
    early, inside, late = judged(5), judged(25), judged(115)
    result = stream_result(phase_log((early, inside, late), sender(alert(early, shown=False))), CLIP)
    assert result.frames.judged == 1
    assert result.latency_ms[CAPTURE_TO_HEADSET] is None
    assert result.frames.sent == 101, "frames captured from 2000 to 12000 ms"


def test_frames_without_the_headsets_clock_are_counted_and_have_no_clock_error() -> None:
    result = stream_result(phase_log((judged(25, synced=False),)), CLIP)
    assert result.unsynced_frames == 1
    assert result.clock_error_ms is None


def test_frame_whose_code_cannot_be_read_has_stages_but_no_age() -> None:
    frame = judged(25, readable=False)
    result = stream_result(phase_log((frame,), sender(alert(frame))), CLIP)
    assert result.frames.judged == 1
    assert result.latency_ms["ocr"] is not None
    assert result.latency_ms[CAPTURE_TO_JUDGED] is None
    assert result.latency_ms[CAPTURE_TO_HEADSET] is None


def test_counts_are_those_of_the_window() -> None:
    before = {"ingest.frames_received": 50, "sampling.superseded": 40}
    after = {"ingest.frames_received": 150, "sampling.superseded": 110, "sampling.overdue": 2}
    frames = stream_result(phase_log(before=before, after=after), CLIP).frames
    assert frames.received == 100
    assert frames.dropped["superseded"] == 70
    assert frames.dropped["overdue"] == 2
    assert frames.dropped["stale"] == 0


def test_each_headset_has_its_own_session_and_the_cost_is_per_stream() -> None:
    mine, theirs = judged(25, session="one"), judged(30, session="two")
    log = phase_log((mine, theirs), sender(alert(mine), session="one"), sender(alert(theirs), session="two"))
    result = stream_result(log, CLIP)
    assert (result.events.visible, result.events.alerted) == (2, 2)
    assert result.frames.judged == 2
    assert result.frames.sent == 202
    assert result.cpu_s_per_stream_minute == pytest.approx(15.0)


def test_memory_and_lag_are_handed_on() -> None:
    result = stream_result(phase_log(), CLIP)
    assert result.memory.end_mib == 300.0
    assert result.loop_lag_p95_ms == 4.0


def test_naive_results_age_from_capture_to_arrival() -> None:
    naive = (
        NaiveResult(12, captured_ms(12) + 500.0),
        NaiveResult(20, captured_ms(20) + 3000.0),
        NaiveResult(999, captured_ms(30)),
        NaiveResult(2, captured_ms(2) + 10.0),
    )
    log = phase_log((), sender(naive=naive), before={"naive.judged": 1}, after={"naive.judged": 31})
    outcome = naive_outcome(log, CLIP)
    assert outcome.age_ms is not None
    assert outcome.age_ms.count == 2
    assert outcome.age_ms.worst == pytest.approx(3000.0)
    assert outcome.judged == 30


def test_naive_design_that_never_answers_has_no_age() -> None:
    assert naive_outcome(phase_log(), CLIP).age_ms is None
