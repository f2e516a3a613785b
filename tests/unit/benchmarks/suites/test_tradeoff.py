"""Configurations composed from rows, the Pareto front, calibration, and where to cut a confidence."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.contrar.results import compared, result, verdict_of
from benchmarks.datasets.contrar import Video
from benchmarks.datasets.origin import Origin
from benchmarks.protocols.data import UnusableData
from benchmarks.runs.calls import Call, Given, Key, Row
from benchmarks.runs.plan import never, whole
from benchmarks.tradeoff import report
from benchmarks.tradeoff.calibration import Rates, curve, cut
from benchmarks.tradeoff.configurations import (
    Combination,
    Point,
    Spread,
    alone,
    confidences,
    pareto,
    point,
    points,
    together,
)
from benchmarks.tradeoff.report import Page, Reference, Wording

VIDEOS = [
    Video("a", Path("a"), "smart_retail", contradictory=True),
    Video("b", Path("b"), "smart_retail", False),
]


def row(
    video: str, method: str, verdict: str, ms: float, confidence: float | None = None, *, run: int = 0
) -> Row:
    answer: dict[str, object] = {"verdict": verdict}
    if confidence is not None:
        answer["confidence"] = confidence
    parse = "failed" if verdict == "failed" else "strict"
    return Row(
        Key("contrar", video, "1", method, "single", "v", run),
        Given(method, answer, parse, latency_ms=ms, cost=0.0 if method == "fast" else 0.01),
    )


def fast(a: tuple[str, float], b: tuple[str, float]) -> list[Row]:
    return [row("a", "fast", a[0], 50, a[1]), row("b", "fast", b[0], 50, b[1])]


JUDGE = [row("a", "judge", "yes", 4000), row("b", "judge", "no", 5000)]


def test_a_sure_alert_stands_and_nobody_is_asked() -> None:
    seen, asked = together(
        VIDEOS, fast(("yes", 0.9), ("yes", 0.9)), JUDGE, Combination("fast", "judge", 0.8, False)
    )
    assert asked == 0.0
    assert [one.verdict for one in seen] == [True, True]
    assert [one.final_ms for one in seen] == [50, 50]
    assert [one.cost for one in seen] == [0.0, 0.0]


def test_a_doubted_alert_is_out_at_once_and_taken_back_later() -> None:
    seen, asked = together(
        VIDEOS, fast(("yes", 0.7), ("yes", 0.7)), JUDGE, Combination("fast", "judge", 0.8, False)
    )
    assert asked == 1.0
    kept, taken_back = seen
    assert (kept.verdict, kept.first_alert_ms, kept.final_ms) == (True, 50, 4050)
    assert (taken_back.verdict, taken_back.first_alert_ms, taken_back.final_ms) == (False, 50, 5050)


def test_what_the_fast_tier_missed_is_found_by_the_judge_unless_it_had_no_doubt() -> None:
    missed = fast(("no", 0.0), ("no", 0.0))
    everything, asked = together(VIDEOS, missed, JUDGE, Combination("fast", "judge", 0.8, False))
    assert (everything[0].verdict, everything[0].first_alert_ms, asked) == (True, 4050, 1.0)
    doubts, asked = together(VIDEOS, missed, JUDGE, Combination("fast", "judge", 0.8, True))
    assert (doubts[0].verdict, doubts[0].first_alert_ms, asked) == (False, None, 0.0)


def test_without_an_answer_the_fast_verdict_stays() -> None:
    broken = [row("a", "judge", "failed", 0), row("b", "judge", "unknown", 3000)]
    seen, _ = together(
        VIDEOS, fast(("yes", 0.7), ("no", 0.2)), broken, Combination("fast", "judge", 0.8, False)
    )
    assert [one.verdict for one in seen] == [True, False]
    assert verdict_of(broken[0]) is None


def test_all_configurations_are_summed_up() -> None:
    rows = {"fast": fast(("no", 0.3), ("no", 0.0)), "judge": JUDGE}
    found = points(VIDEOS, rows, fast="fast", judges=("judge",), thresholds=(0.5, 0.9), scenes_per_hour=100)
    assert len(found) == 2 + 2 * 2
    alone_fast, alone_judge = found[:2]
    assert (alone_fast.value("accuracy"), alone_fast.first_alert_p95_ms) == (0.5, None)
    assert alone_judge.cost_per_hour == pytest.approx(1.0)
    doubts = next(one for one in found if one.name == "fast + judge, doubts below 0.5")
    assert (doubts.value("accuracy"), doubts.asked_share) == (1.0, 0.5)
    assert doubts.cost_per_hour == pytest.approx(0.5)


def test_questions_that_were_not_put_leave_no_video_out() -> None:
    calls = [Call(row.key, never) for row in JUDGE]
    rows = {"fast": fast(("no", 0.3), ("no", 0.0)), "judge": whole(calls, JUDGE[:1])}
    assert [row.given.problem for row in rows["judge"]] == ["", "not_asked"]
    found = points(VIDEOS, rows, fast="fast", judges=("judge",), thresholds=(0.5,), scenes_per_hour=100)
    assert [one.value("accuracy") for one in found] == [0.5, 0.5, 1.0, 1.0]
    assert found[2].asked_share == 1.0


def test_unknown_costs_are_not_summed() -> None:
    rows = [Row(one.key, Given("m", {"verdict": "yes"}, "strict", latency_ms=1.0)) for one in JUDGE]
    found = point("judge", "judge", alone(VIDEOS, rows), Spread(2, 1), 1.0)
    assert found.cost_per_hour is None
    with pytest.raises(UnusableData, match="no answers"):
        point("judge", "judge", [], Spread(2, 1), 1.0)


def test_the_front() -> None:
    assert pareto([(1, 0.5), (2, 0.9), (3, 0.8), (4, 0.95), (None, 1.0), (0.5, None)]) == [0, 1, 3]
    assert pareto([]) == []


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=12))
def test_nothing_dominates_the_front_and_it_dominates_the_rest(values: list[tuple[int, int]]) -> None:
    front = [values[at] for at in pareto([(float(x), float(y)) for x, y in values])]
    for x, y in values:
        assert any(a <= x and b >= y for a, b in front)
    for x, y in front:
        assert not any((a, b) != (x, y) and a <= x and b >= y for a, b in values)


def test_calibration_of_what_is_right_about_itself() -> None:
    confidence = [0.25] * 4 + [0.75] * 4
    truth = [True, False, False, False, True, True, True, False]
    found = curve(confidence, truth)
    assert [(one.count, one.contradictory) for one in found.bins] == [(4, 0.25), (4, 0.75)]
    assert found.error == pytest.approx(0.0)
    assert found.brier == pytest.approx(0.1875)


def test_the_threshold_for_a_rate_of_false_alarms() -> None:
    confidence = [0.9, 0.8, 0.6, 0.3, 0.7, 0.5, 0.0, 0.0]
    truth = [True, True, True, True, False, False, False, False]
    none = cut(confidence, truth, 0.0)
    assert (none.threshold, none.here) == (0.8, Rates(0.0, 0.5))
    quarter = cut(confidence, truth, 0.25)
    assert (quarter.threshold, quarter.here) == (0.6, Rates(0.25, 0.75))


def test_no_threshold_where_the_surest_is_wrong() -> None:
    found = cut([0.4, 1.0], [True, False], 0.0)
    assert (found.threshold, found.here) == (None, Rates(0.0, 0.0))


@pytest.mark.parametrize(("confidence", "truth"), [([], []), ([1.2], [True]), ([0.5], [True, False])])
def test_unusable_confidences(confidence: list[float], truth: list[bool]) -> None:
    with pytest.raises(UnusableData):
        curve(confidence, truth)


def test_one_label_has_no_threshold() -> None:
    with pytest.raises(UnusableData, match="with and without"):
        cut([0.5], [True], 0.1)


def test_a_video_without_a_verdict_is_wrong_and_runs_are_averaged() -> None:
    rows = [row("a", "m", "yes", 10), row("b", "m", "failed", 0), row("a", "m", "yes", 30, run=1)]
    rows.append(row("b", "m", "no", 20, run=1))
    found = result("m", "single", VIDEOS, rows)
    assert (found.accuracy.mean, found.accuracy.least, found.accuracy.most) == (0.75, 0.5, 1.0)
    assert found.runs[0].unanswered_coherent == 1
    assert found.right == (True, False)
    assert found.latency_mean_ms == pytest.approx(20.0)
    (test,) = compared([found, result("n", "single", VIDEOS, JUDGE)])
    assert (test.test.only_second_right, test.test.p) == (1, 1.0)


def test_a_judge_that_failed_has_no_time_and_no_cost() -> None:
    broken = [row("a", "judge", "failed", 0), JUDGE[1]]
    found = points(
        VIDEOS, {"judge": broken}, fast=None, judges=("judge",), thresholds=(), scenes_per_hour=100
    )
    assert found[0].final_p95_ms == 5000
    assert found[0].cost_per_hour == pytest.approx(1.0)
    assert found[0].value("accuracy") == 0.5, "what has no verdict is wrong"
    (silent,) = points(
        VIDEOS, {"judge": broken[:1]}, fast=None, judges=("judge",), thresholds=(), scenes_per_hour=100
    )
    assert (silent.final_p95_ms, silent.cost_per_hour, silent.first_alert_p95_ms) == (None, None, None)
    seen, _ = together(
        VIDEOS, fast(("yes", 0.5), ("no", 0.0)), broken, Combination("fast", "judge", 0.8, False)
    )
    assert (seen[0].verdict, seen[0].first_alert_ms, seen[0].final_ms) == (True, 50, None)


def test_a_threshold_is_tried_on_the_other_half() -> None:
    # Even places: the surest coherent scene has 0.2; odd places: 0.6.
    confidence = [0.9, 0.9, 0.2, 0.6, 0.5, 0.8, 0.1, 0.3]
    truth = [True, True, False, False, True, True, False, False]
    found = cut(confidence, truth, 0.0)
    assert (found.threshold, found.here) == (0.8, Rates(0.0, 0.75))
    # That of the even half, 0.5, lets the odd half's 0.6 through; that of the odd half, 0.8, loses 0.5.
    assert found.elsewhere == Rates(0.25, 0.75)
    assert cut([0.5, 0.4], [True, False], 0.0).elsewhere is None


def test_confidence_of_judges_is_the_share_of_runs_that_said_yes() -> None:
    rows = {
        "fast": fast(("yes", 0.9), ("no", 0.2)),
        "judge": [row("a", "judge", said, 9, run=run) for run, said in enumerate(("yes", "no", "yes"))]
        + [row("b", "judge", "no", 9, run=run) for run in range(3)]
        + [row("b", "judge", "failed", 9, run=3)],
        "once": [row("a", "once", "yes", 9), row("b", "once", "no", 9)],
    }
    own, voted = confidences(VIDEOS, rows, ("judge", "once"))
    assert (own.method, own.kind, own.given, own.contradictory) == (
        "fast",
        "its own",
        (0.9, 0.2),
        (True, False),
    )
    assert voted.method == "judge"
    assert voted.given == pytest.approx((2 / 3, 0.0))
    assert voted.contradictory == (True, False)
    assert "3 runs" in voted.kind


def page_of(found: list[Point], metric: str = "accuracy", published: tuple[Reference, ...] = ()) -> Page:
    return Page(
        Origin("here", generated=False), tuple(found), metric, 100.0, published, Wording("A yes.", "Names.")
    )


def test_a_set_without_any_alert_is_drawn_without_a_front(tmp_path: Path) -> None:
    rows = {"fast": fast(("no", 0.0), ("no", 0.0))}
    found = points(VIDEOS, rows, fast="fast", judges=(), thresholds=(), scenes_per_hour=1)
    page = page_of(found, "f1")
    report.figures(page, [], tmp_path)
    assert (tmp_path / "tradeoff.svg").stat().st_size > 0
    assert not (tmp_path / "calibration.svg").exists()
    assert "| 1: fast | 50.00 |" in report.markdown(page, [], {})


@pytest.mark.parametrize("metric", ["accuracy", "f1"])
def test_the_page_names_every_configuration_and_every_published_system(tmp_path: Path, metric: str) -> None:
    rows = {"fast": fast(("yes", 0.9), ("no", 0.1)), "judge": JUDGE}
    found = points(VIDEOS, rows, fast="fast", judges=("judge",), thresholds=(0.5, 0.95), scenes_per_hour=100)
    systems = (Reference("GPT-5, single", 0.88, "88.14", 19.29), Reference("No latency", 0.5, "50.00", None))
    page = page_of(found, metric, systems)
    report.figures(page, [], tmp_path)
    drawn = (tmp_path / "tradeoff.svg").read_text(encoding="utf-8")
    for name in [one.name for one in found] + [one.name for one in systems]:
        assert name in drawn
    text = report.markdown(page, [], {})
    assert "| P1: GPT-5, single (published) |" in text
    assert "19.29 (mean)" in text
    assert "P2: No latency (published)" in text
    widths = {line.count("|") for line in text.splitlines() if line.startswith("|")}
    assert len(widths) == 1, "all rows have the same columns"
