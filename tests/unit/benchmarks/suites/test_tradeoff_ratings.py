"""The trade-off of ratings: measures fitted on training samples, judges asked near the limit, SRCC."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from arwarden.core.errors import ConfigError
from benchmarks.datasets.generate_ratear import generate_ratear
from benchmarks.datasets.ratear import Rated
from benchmarks.protocols.data import UnusableData
from benchmarks.runs.calls import Given, Key, Row
from benchmarks.tradeoff.rated import Fit, Truth, fitted, mean_scores, rated_confidences, rated_points
from tests.unit.benchmarks.suites.made import bench, config_file, recording

MEAN = {"a": 1.0, "b": 2.0, "c": 4.0, "d": 5.0}
TRUTH = Truth("size", {name: 10 * value for name, value in MEAN.items()}, MEAN, limit=3.0)
PLAIN = Fit(1.0, 0.0)


def row(sample: str, method: str, rating: float | None, ms: float, run: int = 0) -> Row:
    answer = {} if rating is None else {"rating": rating}
    parse = "failed" if rating is None else "strict"
    cost = 0.0 if method == "fast" else 0.01
    key = Key("ratear", sample, "1", method, "size.contextual", "v", run)
    return Row(key, Given(method, answer, parse, latency_ms=ms, cost=cost))


def rows_of(method: str, ms: float, *ratings: float | None) -> list[Row]:
    return [row(name, method, rating, ms) for name, rating in zip(MEAN, ratings, strict=True)]


def test_a_measure_rates_where_it_is_sure_and_the_judge_elsewhere() -> None:
    rows = {"fast": rows_of("fast", 10, 1.2, 3.2, 2.8, 4.9), "judge": rows_of("judge", 1000, 1, 2, 4, 5)}
    found = rated_points(TRUTH, rows, {"fast": PLAIN}, thresholds=(0.5,), scenes_per_hour=100)
    fast, judge, both = found
    assert [one.family for one in found] == ["fast", "judge", "both"]
    assert fast.value("accuracy") == 0.5, "b is missed, c raises a false alarm"
    assert (judge.value("srcc"), judge.value("accuracy"), judge.value("f1")) == (1.0, 1.0, 1.0)
    assert (both.value("srcc"), both.asked_share) == (1.0, 0.5)
    assert both.value("accuracy") == 1.0
    assert both.cost_per_hour == pytest.approx(0.5)
    # First alerts: a at once, b by the judge, c falsely at once.
    assert 10 < (both.first_alert_p95_ms or 0) <= 1010
    assert both.name == "fast + judge, asked below 0.5"


def test_without_the_judges_answer_the_measures_rating_stays() -> None:
    rows = {
        "fast": rows_of("fast", 10, 2.9, 2.9, 3.1, 3.1),
        "judge": rows_of("judge", 0, None, None, None, 5),
    }
    (*_, both) = rated_points(TRUTH, rows, {"fast": PLAIN}, thresholds=(0.9,), scenes_per_hour=1)
    assert both.value("accuracy") == 1.0
    assert both.final_p95_ms == pytest.approx(10.0), "what failed has no time"


def test_constant_ratings_have_no_correlation_and_say_nothing_else() -> None:
    (found,) = rated_points(
        TRUTH, {"judge": rows_of("judge", 5, 3, 3, 3, 3)}, {}, thresholds=(), scenes_per_hour=1
    )
    assert found.worth["srcc"].value is None
    assert found.value("accuracy") == 0.5


def test_a_line_is_fitted_to_training_samples_whatever_its_direction() -> None:
    falling = rows_of("fast", 1, 30, 20, 0, -10)
    fit = fitted(falling, MEAN, list(MEAN))
    assert [fit.rating(value) for value in (30, 20, 0, -10)] == pytest.approx([1, 2, 4, 5])
    assert (fit.rating(90), fit.rating(-90)) == (1.0, 5.0), "ratings are 1 to 5"
    with pytest.raises(UnusableData, match="three at least"):
        fitted(falling, MEAN, ["a", "b"])


def test_a_measure_that_is_the_same_everywhere_rates_the_mean_and_correlates_with_nothing() -> None:
    rows = rows_of("fast", 1, 7, 7, 7, 7)
    fit = fitted(rows, MEAN, list(MEAN))
    assert fit.slope == 0.0
    assert fit.offset == pytest.approx(sum(MEAN.values()) / 4)
    (found,) = rated_points(TRUTH, {"fast": rows}, {"fast": fit}, thresholds=(), scenes_per_hour=1)
    assert found.worth["srcc"].value is None
    assert found.value("accuracy") is not None


def test_means_of_sets_without_annotators_are_brought_to_one_to_five() -> None:
    samples = [Rated("a", Path("a"), mean={"size": 0.0}), Rated("b", Path("b"), mean={"size": 75.0})]
    assert mean_scores(samples, "size") == {"a": 1.0, "b": 4.0}
    with pytest.raises(UnusableData, match="nobody scored its shadow"):
        mean_scores(samples, "shadow")


def test_confidences_of_ratings() -> None:
    rows = {
        "fast": rows_of("fast", 1, 1, 2, 3, 5),
        "judge": [
            row(name, "judge", 2.0 if run else MEAN[name], 9, run) for name in MEAN for run in range(2)
        ],
    }
    fast, judge = rated_confidences(TRUTH, rows, {"fast": PLAIN})
    assert fast.given == (1.0, 0.75, 0.5, 0.0)
    assert judge.given == (1.0, 1.0, 0.5, 0.5)
    assert fast.contradictory == judge.contradictory == (True, True, False, False)


@pytest.mark.parametrize("media", ["images", "videos"])
def test_ratings_from_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, media: str) -> None:
    data, out = tmp_path / "data", tmp_path / "out"
    generate_ratear(data, 12, seed=3, size_px=(128, 96), media=media)
    judge = recording(monkeypatch, tmp_path / "answers.jsonl")
    common = (
        "tradeoff", "--layout", f"ratear-{media}", "--data", data, "--config", config_file(tmp_path),
        "--judge", "colourfulness", "--judge", "configured", "--runs", 2, "--threshold", 0.5, "--out", out,
    )  # fmt: skip
    dry = bench(*common, "--dry-run")
    assert "colourfulness: 12 calls" in dry.output, "measures are asked about training samples too"
    assert not out.exists()
    result = bench(*common)
    assert result.exit_code == 0, result.output
    content: Any = json.loads((out / "summary.json").read_text(encoding="utf-8"))
    assert (content["metric"], content["factor"]) == ("srcc", "placement")
    assert [one["family"] for one in content["configurations"]] == ["fast", "judge", "both"]
    assert set(content["calibration"]) == {"colourfulness", "configured"}
    asked = len(judge.questions)
    assert asked == 2 * content["samples"]
    assert bench(*common, "--resume", "--metric", "f1").exit_code == 0
    assert len(judge.questions) == asked
    assert (out / "tradeoff.png").stat().st_size > 0
    assert "nan" not in (out / "report.md").read_text(encoding="utf-8").lower()


def test_verdicts_have_no_srcc(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="verdicts, no ratings"):
        bench("tradeoff", "--data", tmp_path, "--judge", "fast", "--metric", "srcc", "--out", tmp_path / "o")
