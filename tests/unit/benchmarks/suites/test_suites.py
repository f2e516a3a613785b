"""A small instance of each suite, from the command line: recorded, replayed, resumed, dry."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.datasets.generate_psychophysics import OPERATORS, generate_psychophysics
from benchmarks.datasets.generate_ratear import generate_ratear
from benchmarks.runs.calls import Given
from benchmarks.runs.media import Shot
from tests.unit.benchmarks.published.small import write_tables
from tests.unit.benchmarks.suites.made import bench, config_file, contrar_set, recording, summary


@pytest.fixture
def published(tmp_path: Path) -> Path:
    folder = tmp_path / "published"
    folder.mkdir()
    return write_tables(folder)


def test_contrar_with_a_judge_recorded_resumed_and_replayed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, published: Path
) -> None:
    data, config, file = contrar_set(tmp_path / "data"), config_file(tmp_path), tmp_path / "answers.jsonl"
    judge = recording(monkeypatch, file)
    out = tmp_path / "out"
    common = ("contrar", "--data", data, "--config", config, "--published", published)
    first = bench(*common, "--judge", "configured", "--out", out, "--runs", 2)
    assert first.exit_code == 0, first.output
    assert "smart_retail, contradictory: 2 videos" not in first.output
    assert "smart_retail, contradictory: 1 videos, published are 33" in first.output
    assert len(judge.questions) == 4 * 2 * 2
    assert {len(question.pictures) for question in judge.questions} == {1, 3}
    again = bench(*common, "--judge", "configured", "--out", out, "--runs", 2, "--resume")
    assert again.exit_code == 0
    assert len(judge.questions) == 16
    single, multi = summary(out)["results"]
    assert (single["protocol"], single["accuracy"]["mean"], single["accuracy"]["runs"]) == ("single", 1.0, 2)
    assert multi["latency_ms"]["p95"] == 1500.0
    assert single["cost"] == pytest.approx(0.008)
    report = (out / "report.md").read_text(encoding="utf-8")
    assert "| Some (as published, on other videos) | single |" in report
    assert "data: data" in report
    for name in ("accuracy.png", "accuracy.svg", "latency.png", "latency.svg"):
        assert (out / name).stat().st_size > 0
    monkeypatch.undo()
    replayed = bench(*common, "--judge", f"replay:{file}", "--out", tmp_path / "again", "--runs", 1)
    assert replayed.exit_code == 0, replayed.output
    assert len(judge.questions) == 16
    assert summary(tmp_path / "again")["results"][0]["accuracy"]["mean"] == 1.0


def test_contrar_dry_run_opens_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = contrar_set(tmp_path / "data")
    monkeypatch.setattr("benchmarks.runs.judging.open_configured", None)
    result = bench(
        "contrar", "--data", data, "--config", config_file(tmp_path), "--judge", "configured",
        "--judge", "fast", "--out", tmp_path / "out", "--dry-run",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    assert "configured: 24 calls" in result.output
    assert "fast: 8 calls" in result.output
    assert not (tmp_path / "out").exists()


class FakeFast:
    """Sure of what is dark, in doubt about the rest."""

    version = "fast@test"

    def __init__(self, *_: object, **__: object) -> None: ...

    async def ask(self, shots: tuple[Shot, ...]) -> Given:
        dark = min(float(shot.picture.rgb().mean()) for shot in shots) < 41.5
        answer = {"verdict": "yes" if dark else "no", "confidence": 0.9 if dark else 0.4, "reason": ""}
        return Given("fast", answer, "computed", latency_ms=50.0, cost=0.0)

    async def close(self) -> None: ...


def test_tradeoff_of_the_fast_tier_a_judge_and_both(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, published: Path
) -> None:
    data, out = contrar_set(tmp_path / "data"), tmp_path / "out"
    judge = recording(monkeypatch, tmp_path / "answers.jsonl")
    monkeypatch.setattr("benchmarks.contrar.ask.AskedFastTier", FakeFast)
    result = bench(
        "tradeoff", "--data", data, "--config", config_file(tmp_path), "--judge", "fast",
        "--judge", "configured", "--runs", 1, "--threshold", 0.8, "--out", out,
        "--published", published, "--false-alarms", 0.1,
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    assert len(judge.questions) == 4
    found = {one["name"]: one for one in summary(out)["configurations"]}
    assert set(found) == {
        "fast", "configured", "fast + configured, all below 0.8", "fast + configured, doubts below 0.8",
    }  # fmt: skip
    both = found["fast + configured, all below 0.8"]
    assert both["worth"]["accuracy"]["value"] == 1.0
    assert both["asked_share"] < 1.0
    assert both["cost_per_hour"] < found["configured"]["cost_per_hour"] == pytest.approx(0.36)
    assert found["fast"]["first_alert_p95_ms"] == 50.0
    assert summary(out)["fronts"]["final verdict"][0] == "fast"
    report = (out / "report.md").read_text(encoding="utf-8")
    assert "Some, single (published)" in report
    for name in ("tradeoff.png", "tradeoff.svg", "calibration.png", "calibration.svg"):
        assert (out / name).stat().st_size > 0


def test_the_papers_rows_stand_beside_those_of_ratings_and_choices(tmp_path: Path, published: Path) -> None:
    generate_psychophysics(tmp_path / "p", 1, seed=3, size_px=(64, 48))
    generate_ratear(tmp_path / "r", 6, seed=3, size_px=(96, 64))
    for suite, data in (("psychophysics", "p"), ("ratear", "r")):
        out = tmp_path / f"out-{suite}"
        result = bench(
            suite,
            "--data",
            tmp_path / data,
            "--judge",
            "colourfulness",
            "--out",
            out,
            "--published",
            published,
        )
        assert result.exit_code == 0, result.output
    choices = (tmp_path / "out-psychophysics" / "report.md").read_text(encoding="utf-8")
    assert "| A, overall (as published, on other pictures) | 0.77 | 0.041 |" in choices
    assert "| contrast: A (as published, on other pictures) | 1.27 | 1.90 | 0.55 |" in choices
    assert "| contrast: B and A (as published, on other pictures) | 4.76 | 4.76 | 0.00 |" in choices
    ratings = (tmp_path / "out-ratear" / "report.md").read_text(encoding="utf-8")
    assert "| Some (as published, on other samples) | vlm | 0.5000 |" in ratings
    assert "| Some (as published, on other samples) | few_shot | 0.4000 |" in ratings


def test_psychophysics_of_a_judge_that_likes_the_first_and_of_measures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, out = tmp_path / "data", tmp_path / "out"
    generate_psychophysics(data, 2, seed=3, size_px=(128, 96))
    recording(monkeypatch, tmp_path / "answers.jsonl")
    result = bench(
        "psychophysics", "--data", data, "--config", config_file(tmp_path), "--judge", "configured",
        "--judge", "colourfulness", "--judge", "rms_contrast", "--runs", 2, "--out", out, "--limit", 1,
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    content = summary(out)
    assert content["operators"] == list(OPERATORS)
    biased, measured = content["results"][0], content["results"][4]
    assert biased["position_bias"]["first_share"] == 1.0
    assert biased["position_bias"]["flipped_share"] == 1.0
    assert biased["within_judge_vr"]["mean_pct"] == 0.0
    assert (measured["method"], measured["scale"]) == ("colourfulness", "colourfulness")
    assert measured["human"]["r"] > 0.8
    report = (out / "report.md").read_text(encoding="utf-8")
    assert "GENERATED data" in report
    assert "| configured | 84 | 0 | 0 |" in report
    assert (out / "scale_values.svg").stat().st_size > 0
