"""What is not sound, in every suite: an error that names it, or a defined result; never NaN in a table."""

from __future__ import annotations

import csv
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from arwarden.core.errors import ArwardenError
from arwarden.escalate.answers import Answer, Comparison, Judgement, ParseStatus, Verdict
from arwarden.escalate.questions import Question, Scale, Task
from benchmarks.__main__ import main
from benchmarks.datasets.contrar import COLUMNS, TABLE
from benchmarks.datasets.generate_arvim import generate_arvim
from benchmarks.datasets.generate_psychophysics import generate_psychophysics
from benchmarks.datasets.generate_ratear import generate_ratear
from tests.unit.benchmarks.suites.made import answer_to, config_file, contrar_set, recording, write_csv

NAN = re.compile(r"\b(nan|inf|infinity)\b", re.IGNORECASE)


def constant(question: Question) -> Answer:
    """Always the same: yes, 3, the first."""
    choices = tuple(Comparison(scale, "A") for scale in Scale)
    if question.task is Task.CONTRADICTION:
        return answer_to(question, Judgement(ParseStatus.STRICT, Verdict.YES))
    if question.task is Task.PAIRWISE:
        return answer_to(question, Judgement(ParseStatus.STRICT, comparisons=choices))
    return answer_to(question, Judgement(ParseStatus.STRICT, rating=3.0))


def silent(question: Question) -> Answer:
    """Nothing that could be read."""
    return answer_to(question, Judgement(ParseStatus.UNREADABLE, problem="refused"))


JUDGES: dict[str, Callable[[Question], Answer]] = {"constant": constant, "silent": silent}


@pytest.fixture(params=list(JUDGES))
def suite(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., dict[str, Any]]:
    """Runs a suite with a judge that is of no use, and returns its summary: whole, and without NaN."""
    recording(monkeypatch, tmp_path / "answers.jsonl").says = JUDGES[request.param]
    config = config_file(tmp_path)

    def run(name: str, data: Path, *more: object) -> dict[str, Any]:
        out = tmp_path / f"out-{name}"
        arguments = (name, "--data", data, "--config", config, "--judge", "configured", "--out", out, *more)
        result = CliRunner().invoke(main, [str(one) for one in arguments], catch_exceptions=False)
        assert result.exit_code == 0, result.output
        report, summary = ((out / file).read_text(encoding="utf-8") for file in ("report.md", "summary.json"))
        assert not NAN.search(report), report
        assert not NAN.search(summary)
        found: dict[str, Any] = json.loads(summary)
        return found

    return run


def refused(name: str, data: Path, *more: object) -> str:
    """What a suite says instead of asking anybody."""
    out = data.parent / "never"
    arguments = (name, "--data", data, "--judge", "openai:none@http://127.0.0.1:9/v1", "--out", out, *more)
    with pytest.raises(ArwardenError) as caught:
        CliRunner().invoke(main, [str(one) for one in arguments], catch_exceptions=False)
    assert not out.exists(), "nobody was asked"
    return str(caught.value)


def edited(path: Path, edit: Callable[[list[list[str]]], list[list[str]]]) -> None:
    with path.open(encoding="utf-8", newline="") as file:
        heading, *rows = csv.reader(file)
    write_csv(path, heading, edit(rows))


# ContrAR, and with it every layout of verdicts


@pytest.mark.parametrize("name", ["contrar", "tradeoff"])
@pytest.mark.parametrize("limit", [1, 3])
def test_verdicts_about_hardly_any_scene(
    suite: Callable[..., dict[str, Any]], tmp_path: Path, name: str, limit: int
) -> None:
    suite(name, contrar_set(tmp_path / "data"), "--limit", limit)


@pytest.mark.parametrize("name", ["contrar", "tradeoff"])
def test_verdicts_where_all_scenes_have_one_label(
    suite: Callable[..., dict[str, Any]], tmp_path: Path, name: str
) -> None:
    data = contrar_set(tmp_path / "data")
    for folder in list(data.rglob("contradictory")):
        shutil.rmtree(folder)
    found = suite(name, data)
    if name == "contrar":
        assert found["results"][0]["accuracy"]["mean"] == 0.0
    else:
        assert found["thresholds"] == {}


@pytest.mark.parametrize("name", ["contrar", "tradeoff"])
def test_two_methods_that_tie_everywhere(
    suite: Callable[..., dict[str, Any]], tmp_path: Path, name: str
) -> None:
    found = suite(name, contrar_set(tmp_path / "data"), "--judge", "again=configured")
    if name == "contrar":
        assert {one["test"]["p"] for one in found["mcnemar"] if one["first"].endswith("single")} == {1.0}


@pytest.mark.parametrize("name", ["contrar", "tradeoff"])
def test_files_of_verdicts_that_cannot_be_used(tmp_path: Path, name: str) -> None:
    data = contrar_set(tmp_path / "data")
    heading, rows = COLUMNS, [("a", "x.mp4", "smart_retail", "contradictory")]
    write_csv(data / TABLE, heading, rows)
    assert "x.mp4: there is no such file" in refused(name, data)
    (data / "x.mp4").write_bytes(b"")
    assert "x.mp4: the file is empty" in refused(name, data)
    (data / "x.mp4").write_bytes(b"no video" * 99)
    assert "x.mp4: cannot be read as a video" in refused(name, data)
    write_csv(data / TABLE, heading, [*rows, ("a", "y.mp4", "smart_retail", "contradictory")])
    assert "a: the id occurs 2 times" in refused(name, data)
    write_csv(data / TABLE, heading, [("a", "x.mp4", "smart_retail", "perhaps")])
    assert "line 2, column label" in refused(name, data)
    write_csv(data / TABLE, heading, [])
    assert "no" in refused(name, data)


@pytest.mark.parametrize("name", ["contrar", "tradeoff"])
def test_pairs_that_lack_a_half(tmp_path: Path, name: str) -> None:
    data = tmp_path / "data"
    generate_arvim(data, 2, seed=1, size_px=(96, 64))
    next(data.rglob("Augmented_*")).unlink()
    assert "its augmented video is missing" in refused(name, data, "--layout", "arvim")


# RateAR


@pytest.mark.parametrize("name", ["ratear", "tradeoff"])
@pytest.mark.parametrize("count", [1, 2, 4])
def test_ratings_of_hardly_any_sample(
    suite: Callable[..., dict[str, Any]], tmp_path: Path, name: str, count: int
) -> None:
    data = tmp_path / "data"
    generate_ratear(data, 8, seed=3, size_px=(96, 64))
    layout = ("--layout", "ratear-images") if name == "tradeoff" else ()
    found = suite(name, data, *layout, "--limit", count, "--runs", 1)
    if name == "ratear":
        assert all(one["correlation"]["r"] is None for one in found["agreement"])
        assert all(one["correlation"]["why"] for one in found["agreement"])


@pytest.mark.parametrize("name", ["ratear", "tradeoff"])
def test_one_annotator(suite: Callable[..., dict[str, Any]], tmp_path: Path, name: str) -> None:
    data = tmp_path / "data"
    generate_ratear(data, 6, seed=3, size_px=(96, 64))
    edited(data / "scores.csv", lambda rows: [row for row in rows if row[3] == "a1"])
    layout = ("--layout", "ratear-images") if name == "tradeoff" else ()
    found = suite(name, data, *layout, "--runs", 1)
    if name == "ratear":
        assert found["reliability"] == dict.fromkeys(("placement", "size", "shadow"))


def test_adjustments_that_change_nothing_or_are_none(
    suite: Callable[..., dict[str, Any]], tmp_path: Path
) -> None:
    data = tmp_path / "data"
    generate_ratear(data, 4, seed=3, size_px=(96, 64))
    found = suite("ratear", data, "--adjust", "--runs", 1)
    assert all(one["found"] is None for one in found["adjustment"])


@pytest.mark.parametrize("name", ["ratear", "tradeoff"])
def test_scores_that_cannot_be_used(tmp_path: Path, name: str) -> None:
    data = tmp_path / "data"
    layout = ("--layout", "ratear-images") if name == "tradeoff" else ()
    generate_ratear(data, 6, seed=3, size_px=(96, 64))
    table, whole = data / "scores.csv", (data / "scores.csv").read_bytes()
    for score, said in (("nan", "not between 1 and 5"), ("", "no number"), ("9", "not between 1 and 5")):
        edited(table, lambda rows, score=score: [[*rows[0][:-1], score], *rows[1:]])  # type: ignore[misc]
        assert said in refused(name, data, *layout)
        table.write_bytes(whole)
    edited(table, lambda rows: rows[1:])
    assert "placement: no score of a1" in refused(name, data, *layout)
    table.write_bytes(whole)
    edited(table, lambda rows: [*rows, rows[0]])
    assert "more than one line" in refused(name, data, *layout)
    table.write_bytes(whole)
    edited(table, lambda rows: [[*row[:-1], "3"] for row in rows])
    assert "gave every sample the same score" in refused(name, data, *layout)
    table.write_bytes(whole)
    next((data / "images").glob("ball_*")).unlink()
    assert "there is no such file" in refused(name, data, *layout)
    table.unlink()
    assert "not found" in refused(name, data, *layout)


def test_a_split_that_leaves_nothing(tmp_path: Path) -> None:
    data = tmp_path / "data"
    generate_ratear(data, 3, seed=3, size_px=(96, 64))
    listed = tmp_path / "training.txt"
    listed.write_text("".join(f"ball_{index:04}\n" for index in range(3)), encoding="utf-8")
    assert "none is left to test" in refused("ratear", data, "--split", listed)
    listed.write_text("ball_0000\nball_0000\n", encoding="utf-8")
    assert "occur more than once" in refused("ratear", data, "--split", listed)
    listed.write_text("other\n", encoding="utf-8")
    assert "not in the data" in refused("ratear", data, "--split", listed)


# Psychophysics


def test_choices_of_one_scene(suite: Callable[..., dict[str, Any]], tmp_path: Path) -> None:
    data = tmp_path / "data"
    generate_psychophysics(data, 1, seed=3, size_px=(64, 48))
    suite("psychophysics", data, "--runs", 1)


def test_choices_among_two_operators(suite: Callable[..., dict[str, Any]], tmp_path: Path) -> None:
    data = tmp_path / "data"
    generate_psychophysics(data, 2, seed=3, size_px=(64, 48))
    with (data / "pictures.csv").open(encoding="utf-8", newline="") as file:
        kept = tuple(dict.fromkeys(row["operator"] for row in csv.DictReader(file)))[:2]
    edited(data / "pictures.csv", lambda rows: [row for row in rows if row[1] in kept])
    edited(data / "zscores.csv", lambda rows: [row for row in rows if row[2] in kept])
    found = suite("psychophysics", data, "--runs", 2)
    assert all((one["human"] or {}).get("r") is None for one in found["results"])


def test_people_who_tie_everywhere(suite: Callable[..., dict[str, Any]], tmp_path: Path) -> None:
    data = tmp_path / "data"
    generate_psychophysics(data, 2, seed=3, size_px=(64, 48))
    edited(data / "zscores.csv", lambda rows: [[*row[:-1], "0"] for row in rows])
    found = suite("psychophysics", data, "--judge", "colourfulness", "--runs", 2)
    assert all((one["human"] or {}).get("r") is None for one in found["results"])
    said = [why for one in found["results"] if one["method"] == "colourfulness" for why in one["why"]]
    assert "agreement with people: all human scores are equal" in said
    assert isinstance(found["weights"]["people"], str)


def test_nobody_was_asked(suite: Callable[..., dict[str, Any]], tmp_path: Path) -> None:
    data = tmp_path / "data"
    generate_psychophysics(data, 2, seed=3, size_px=(64, 48))
    (data / "zscores.csv").unlink()
    suite("psychophysics", data, "--runs", 1)


def test_pictures_and_z_scores_that_cannot_be_used(tmp_path: Path) -> None:
    data = tmp_path / "data"
    generate_psychophysics(data, 2, seed=3, size_px=(64, 48))
    table, whole = data / "zscores.csv", (data / "zscores.csv").read_bytes()
    for z in ("nan", "", "much", "inf"):
        edited(table, lambda rows, z=z: [[*rows[0][:-1], z], *rows[1:]])  # type: ignore[misc]
        assert "z" in refused("psychophysics", data)
        table.write_bytes(whole)
    edited(table, lambda rows: [*rows, rows[0]])
    assert "more than one line" in refused("psychophysics", data)
    table.write_bytes(whole)
    edited(data / "pictures.csv", lambda rows: [*rows, rows[0]])
    assert "more than one line" in refused("psychophysics", data)
    edited(data / "pictures.csv", lambda rows: rows[1:-1])
    assert "every scene needs every operator" in refused("psychophysics", data)
    edited(data / "pictures.csv", lambda rows: [row for row in rows if row[1] == rows[-1][1]])
    assert "two at least" in refused("psychophysics", data)
    next(data.glob("scene_01/*.png")).write_bytes(b"")
    assert "the file is empty" in refused("psychophysics", data)
