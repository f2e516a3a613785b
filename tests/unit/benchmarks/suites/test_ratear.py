"""The RateAR suite from the command line: forms, splits, baselines, adjustments, unsound data."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from arwarden.core.errors import ConfigError, InputError
from arwarden.escalate.answers import Adjustment, Answer, Judgement, ParseStatus
from arwarden.escalate.questions import Question, Task
from benchmarks.datasets.ball import read_truth
from benchmarks.datasets.generate_ratear import generate_ratear
from benchmarks.datasets.ratear import load
from benchmarks.protocols.data import UnusableData
from benchmarks.ratear.adjust import Proposal, by_simulated_people, carried_out
from tests.unit.benchmarks.suites.made import (
    answer_to,
    bench,
    config_file,
    from_truth,
    recording,
    summary,
    write_csv,
)


def test_ratear_of_a_judge_in_three_forms_and_a_baseline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, out = tmp_path / "data", tmp_path / "out"
    generate_ratear(data, 9, seed=3, size_px=(128, 96))
    judge = recording(monkeypatch, tmp_path / "answers.jsonl")
    write_csv(tmp_path / "base.csv", ("id", "placement", "size", "shadow"), [
        (f"ball_{index:04}", index, 9 - index, "" if index == 4 else index % 3) for index in range(9)
    ])  # fmt: skip
    write_csv(tmp_path / "trials.csv", ("trial", "factor", "before", "after"), [
        (index, "placement", 2, 2 + index % 3) for index in range(8)
    ])  # fmt: skip
    result = bench(
        "ratear", "--data", data, "--config", config_file(tmp_path), "--judge", "configured",
        "--judge", f"base=scores:{tmp_path / 'base.csv'}", "--runs", 1, "--out", out,
        "--form", "primitive", "--form", "contextual", "--form", "few_shot",
        "--adjustment", tmp_path / "trials.csv",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    content = summary(out)
    assert (len(content["training"]), len(content["test"])) == (2, 7)
    assert len(judge.questions) == 7 * 3 * 3
    assert {len(question.examples) for question in judge.questions} == {0, 3}
    (people,) = content["adjustment"]
    assert (people["factor"], people["rater"], people["found"]["improved"]) == ("placement", "people", 5)
    assert content["reliability"]["size"]["icc"] > 0.5
    report = (out / "report.md").read_text(encoding="utf-8")
    assert "| base | contextual |" in report
    assert "| configured | 63 | 0 | 0 | 1.500 | 1.500 | 60480 |" in report
    assert "nan" not in report.lower().replace("human", "")
    assert (out / "agreement.png").stat().st_size > 0


def test_an_annotator_who_always_says_the_same_is_named_before_anybody_is_asked(tmp_path: Path) -> None:
    generate_ratear(tmp_path / "data", 6, seed=3, size_px=(96, 64))
    table = tmp_path / "data" / "scores.csv"
    lines = table.read_text(encoding="utf-8").splitlines()
    same = [f"{line[:-1]}3" if ",size,a2," in line else line for line in lines]
    table.write_text("\n".join(same) + "\n", encoding="utf-8")
    write_csv(tmp_path / "base.csv", ("id", "placement", "size", "shadow"), [("ball_0000", 1, 1, 1)])
    with pytest.raises(UnusableData, match=r"size: .*annotator 1 .*order: a1, a2, a3"):
        bench(
            "ratear", "--data", tmp_path / "data", "--judge", f"scores:{tmp_path / 'base.csv'}",
            "--out", tmp_path / "out",
        )  # fmt: skip
    assert not (tmp_path / "out").exists()


LOWER, LARGER = Adjustment(up_m=-0.1), Adjustment(scale=2.0)


class Adjuster:
    """Lowers and enlarges everything, and now and then says no number."""

    def __init__(self) -> None:
        self.asked: list[Task] = []

    def __call__(self, question: Question) -> Answer:
        self.asked.append(question.task)
        if not question.task.adjusts:
            return from_truth(question)
        if self.asked.count(question.task) == 2:
            return answer_to(question, Judgement(ParseStatus.UNREADABLE, problem="no_adjustment", rating=2.0))
        change = LOWER if question.task is Task.PLACEMENT_ADJUSTMENT else LARGER
        return answer_to(question, Judgement(ParseStatus.STRICT, rating=2.0, adjustment=change))


@pytest.mark.parametrize("media", ["images", "videos"])
def test_adjustments_are_asked_for_carried_out_and_rated_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, media: str
) -> None:
    data, out = tmp_path / "data", tmp_path / "out"
    generate_ratear(data, 6, seed=3, size_px=(128, 96), media=media)
    judge, says = recording(monkeypatch, tmp_path / "answers.jsonl"), Adjuster()
    judge.says = says
    common = (
        "ratear", "--data", data, "--config", config_file(tmp_path), "--judge", "configured", "--runs", 2,
        "--media", media, "--adjust", "--out", out,
    )  # fmt: skip
    dry = bench(*common, "--dry-run")
    tested = 5 if media == "images" else 4
    assert f"configured: {tested * (3 * 2 + 2 + 2 * 2)} calls" in dry.output
    result = bench(*common)
    assert result.exit_code == 0, result.output
    content = summary(out)
    assert len(content["test"]) == tested
    assert says.asked.count(Task.PLACEMENT_ADJUSTMENT) == says.asked.count(Task.SIZE_ADJUSTMENT) == tested
    assert says.asked.count(Task.SIZE) == 2 * tested + 2 * (tested - 1)
    assert says.asked.count(Task.SHADOW) == 2 * tested
    found = {(one["factor"], one["rater"]): one for one in content["adjustment"]}
    assert set(found) == {
        (factor, rater)
        for factor in ("placement", "size")
        for rater in ("the judge itself", "simulated annotators")
    }
    assert {one["left_out"] for one in found.values()} == {1}
    truth = read_truth(data)
    assert truth is not None
    with (out / "adjustments.csv").open(encoding="utf-8", newline="") as file:
        proposed = list(csv.DictReader(file))
    assert len(proposed) == 2 * tested
    assert sum(one["up_m"] == "-0.1" for one in proposed) == tested - 1
    assert sum(one["scale"] == "" for one in proposed) == 2
    assert len(list((out / "adjusted").rglob("ball_*"))) == 2 * (tested - 1)
    lengths = len(says.asked)
    again = bench(*common, "--resume")
    assert again.exit_code == 0, again.output
    assert len(says.asked) == lengths, "nobody is asked twice"
    assert summary(out)["adjustment"] == content["adjustment"]
    report = (out / "report.md").read_text(encoding="utf-8")
    assert "| configured | size | simulated annotators |" in report
    assert "nan" not in report.lower()


def test_pictures_after_adjustments_may_come_from_an_app(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, out = tmp_path / "data", tmp_path / "out"
    generate_ratear(data, 4, seed=3, size_px=(128, 96))
    (data / "scenes.json").unlink()
    recording(monkeypatch, tmp_path / "answers.jsonl").says = Adjuster()
    common = (
        "ratear", "--data", data, "--config", config_file(tmp_path), "--judge", "configured", "--runs", 1,
        "--out", out,
    )  # fmt: skip
    first = bench(*common, "--adjust")
    assert "carry these out" in first.output
    with (out / "adjustments.csv").open(encoding="utf-8", newline="") as file:
        scaled = [line["id"] for line in csv.DictReader(file) if line["scale"] == "2.0"]
    assert len(scaled) == len(summary(out)["test"]) - 1
    files = tmp_path / "made.csv"
    heading = ("method", "id", "factor", "file")
    write_csv(files, heading, [("configured", scaled[0], "size", f"data/images/{scaled[0]}.jpg")])
    second = bench(*common, "--adjusted", files, "--resume")
    assert second.exit_code == 0, second.output
    compared = {one["factor"]: one for one in summary(out)["adjustment"]}
    assert compared["size"]["found"]["unchanged"] == 1
    assert compared["size"]["left_out"] == 1, "one had no adjustment that could be read"
    assert compared["size"]["rater"] == "the judge itself"
    write_csv(files, heading, [("other", scaled[0], "size", "x.jpg")])
    with pytest.raises(InputError, match="no such adjustment in this run"):
        bench(*common, "--adjusted", files, "--resume")
    write_csv(files, heading, [("configured", scaled[0], "size", "x.jpg")])
    with pytest.raises(InputError, match="there is no file"):
        bench(*common, "--adjusted", files, "--resume")


def test_measures_rate_pictures_and_videos_and_adjust_nothing(tmp_path: Path) -> None:
    for media in ("images", "videos"):
        data, out = tmp_path / media, tmp_path / f"out-{media}"
        generate_ratear(data, 6, seed=3, size_px=(128, 96), media=media)
        common = ("ratear", "--data", data, "--media", media, "--judge", "sharpness", "--out", out)
        result = bench(*common, "--judge", "colourfulness")
        assert result.exit_code == 0, result.output
        rows = [json.loads(line) for line in (out / "rows.jsonl").read_text(encoding="utf-8").splitlines()]
        assert all(row["parse"] == "computed" and row["latency_ms"] > 0 for row in rows)
        assert {row["method"] for row in rows} == {"sharpness", "colourfulness"}
        with pytest.raises(ConfigError, match="only judges propose adjustments"):
            bench(*common, "--adjust", "--resume")


def trials(path: Path, rows: Sequence[tuple[object, ...]]) -> Path:
    write_csv(path, ("trial", "factor", "before", "after"), rows)
    return path


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ([(1, "size", "nan", 3)], "must be finite"),
        ([(1, "size", "three", 3)], "must be numbers"),
        ([(1, "size", "", 3)], "is empty"),
        ([(1, "size", 2, 3), (1, "size", 2, 4)], "more than one line"),
        ([], "no"),
    ],
)
def test_trials_of_people_that_are_not_sound_are_named(
    tmp_path: Path, rows: list[tuple[object, ...]], problem: str
) -> None:
    generate_ratear(tmp_path / "data", 4, seed=3, size_px=(96, 64))
    with pytest.raises(InputError, match=problem):
        bench(
            "ratear", "--data", tmp_path / "data", "--judge", "sharpness", "--out", tmp_path / "out",
            "--adjustment", trials(tmp_path / "trials.csv", rows),
        )  # fmt: skip
    assert not (tmp_path / "out").exists(), "nobody is asked before that"


def test_the_right_adjustments_help_in_the_eyes_of_simulated_people_and_wrong_ones_do_not(
    tmp_path: Path,
) -> None:
    data = tmp_path / "data"
    generate_ratear(data, 16, seed=3, size_px=(64, 48))
    samples, truth = load(data, "images").usable(), read_truth(data)
    assert truth is not None
    balls = truth.balls
    right = [
        Proposal("right", one.id, "placement", 3.0, Adjustment(up_m=-balls[one.id].lift_m)) for one in samples
    ]
    wrong = [
        Proposal("wrong", one.id, "placement", 3.0, Adjustment(up_m=balls[one.id].lift_m)) for one in samples
    ]
    drawn = carried_out(right + wrong, balls, samples, tmp_path / "out")
    assert len({adjusted.file for adjusted, _ in drawn.values()}) == 32
    better, worse = by_simulated_people(right + wrong, drawn, samples, truth.seed)
    assert better.found is not None
    assert worse.found is not None
    assert (better.found.rank_biserial or 0) < -0.8
    assert better.found.after.median > 4.5
    assert (worse.found.rank_biserial or 0) > 0.8
    assert by_simulated_people(right, {}, samples, truth.seed)[0].left_out == 16
