"""AR-VIM's pairs and DiverseAR+'s views: generated, checked, and judged from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from arwarden.core.errors import ConfigError
from arwarden.escalate.answers import Answer, Judgement, ParseStatus, Verdict
from arwarden.escalate.questions import Question
from benchmarks.contrar.layouts import Layout
from benchmarks.datasets import arvim, diversear
from benchmarks.datasets.arvim import FORMATS, PURPOSES
from benchmarks.datasets.checks import Level
from benchmarks.datasets.drawing import write_picture
from benchmarks.datasets.generate_arvim import generate_arvim
from benchmarks.datasets.generate_diversear import DEVICES, generate_diversear
from benchmarks.runs.media import shots
from tests.unit.benchmarks.suites.made import (
    answer_to,
    bench,
    config_file,
    flat,
    recording,
    summary,
    write_csv,
)

SIZE_PX = (128, 96)


def differ(question: Question) -> Answer:
    """Says yes where the last picture is not the one without virtual content, by bytes."""
    half = len(question.pictures) // 2
    same = [one.jpeg for one in question.pictures[:half]] == [one.jpeg for one in question.pictures[half:]]
    return answer_to(question, Judgement(ParseStatus.STRICT, Verdict.NO if same else Verdict.YES))


def test_arvim_is_generated_in_the_published_layout_and_loads(tmp_path: Path) -> None:
    generate_arvim(tmp_path / "v", 18, seed=1, size_px=SIZE_PX)
    checked = arvim.load(tmp_path / "v", thoroughly=True)
    pairs = checked.usable()
    assert {(one.format, one.purpose) for one in pairs} == {(a, b) for a in FORMATS for b in PURPOSES}
    assert sum(one.attacked for one in pairs) == 9
    assert not [one for one in checked.problems if one.level is Level.ERROR]
    for one in pairs:
        raw, augmented = (shots(path, 1)[0].picture.rgb().astype(int) for path in (one.raw, one.augmented))
        assert np.abs(raw - augmented).max() > 60, one.id
        assert np.mean(np.abs(raw - augmented).max(axis=2) > 30) < 0.35, "the scene around it stays"


def test_the_same_seed_gives_the_same_files(tmp_path: Path) -> None:
    drawn = []
    for turn in range(8):  # the encoder's fast paths gave another file about every second time
        folder = tmp_path / str(turn)
        generate_arvim(folder, 2, seed=1, size_px=(96, 64))
        drawn.append({path.relative_to(folder): path.read_bytes() for path in folder.rglob("*.mp4")})
    assert len(drawn[0]) == 4
    assert all(one == drawn[0] for one in drawn)


def test_diversear_is_generated_in_the_published_layout_and_loads(tmp_path: Path) -> None:
    generate_diversear(tmp_path / "d", 4, seed=1, size_px=SIZE_PX)
    pairs = diversear.load(tmp_path / "d", thoroughly=True).usable()
    assert {one.device for one in pairs} == set(DEVICES)
    assert all(one.object == "Basketball" for one in pairs)
    assert [one.raw.name.replace("raw", "ar") for one in pairs] == [one.augmented.name for one in pairs]


def test_arvim_judges_see_the_real_scene_first_under_their_own_prompt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, out = tmp_path / "data", tmp_path / "out"
    generate_arvim(data, 4, seed=2, size_px=SIZE_PX)
    replay = tmp_path / "answers.jsonl"
    judge = recording(monkeypatch, replay)
    judge.says = differ
    config = config_file(tmp_path)
    with pytest.raises(ConfigError, match="set pictures: 6"):
        bench(
            "contrar",
            "--layout",
            "arvim",
            "--data",
            data,
            "--config",
            config,
            "--judge",
            "configured",
            "--out",
            out,
        )
    config.write_text(
        config.read_text(encoding="utf-8").replace("model: tiny,", "model: tiny, pictures: 6,"),
        encoding="utf-8",
    )
    common = ("contrar", "--layout", "arvim", "--data", data, "--config", config, "--runs", 1)
    result = bench(*common, "--judge", "configured", "--out", out)
    assert result.exit_code == 0, result.output
    assert {len(question.pictures) for question in judge.questions} == {2, 6}
    content = summary(out)
    assert content["layout"] == "arvim"
    single, multi = content["results"]
    assert set(single["applications"]) == {f"{FORMATS[0]} + {purpose}" for purpose in PURPOSES[:2]}
    assert single["runs"][0]["found"] == multi["runs"][0]["found"] == 2
    rows = [json.loads(line) for line in (out / "rows.jsonl").read_text(encoding="utf-8").splitlines()]
    assert all(row["asked"].startswith("contradiction@manipulation-1+") for row in rows)
    assert all("+" in row["content"] for row in rows), "a pair made anew is asked about anew, whichever half"
    report = (out / "report.md").read_text(encoding="utf-8")
    assert "manipulates what the real scene says" in report


def test_diversear_judges_tell_views_with_from_views_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, out = tmp_path / "data", tmp_path / "out"
    generate_diversear(data, 3, seed=2, size_px=SIZE_PX)
    judge = recording(monkeypatch, tmp_path / "answers.jsonl")
    common = ("contrar", "--layout", "diversear", "--data", data, "--config", config_file(tmp_path))
    result = bench(*common, "--judge", "configured", "--out", out, "--runs", 1)
    assert result.exit_code == 0, result.output
    assert len(judge.questions) == 6, "a picture has one protocol only"
    (found,) = summary(out)["results"]
    assert found["videos"] == 6
    assert set(found["applications"]) == set(DEVICES)
    for refused in ("fast", "ocr+configured"):
        with pytest.raises(ConfigError, match="diversear"):
            bench(*common, "--judge", refused, "--out", tmp_path / "other")


def test_texts_of_pairs_say_which_are_real() -> None:
    prompts = {(layout, text): layout.prompts(text_only=text) for layout in Layout for text in (False, True)}
    assert prompts[Layout.CONTRAR, False] is None
    files = [path for path in prompts.values() if path is not None]
    assert all((path / "contradiction.yaml").is_file() for path in files)
    assert len(set(files)) == 4
    told = (prompts[Layout.ARVIM, True] or Path()) / "contradiction.yaml"
    assert 'kind "real"' in told.read_text(encoding="utf-8")


def pair_table(folder: Path, rows: list[tuple[object, ...]]) -> Path:
    write_csv(folder / "pairs.csv", arvim.COLUMNS, rows)
    return folder


def test_what_is_wrong_with_pairs_is_named(tmp_path: Path) -> None:
    write_picture(tmp_path / "a.png", flat(80))
    write_picture(tmp_path / "b.png", flat(90)[:48])
    line = ("x", "a.png", "b.png", "Lab", "Phrase Manipulation", "Hiding", "yes")
    checked = arvim.load(pair_table(tmp_path, [line]), thoroughly=True)
    said = [str(problem) for problem in checked.problems]
    assert "note: x: the view without is 128x96, with 128x48" in said
    assert any("Hiding is no published purpose" in one for one in said)
    twice = arvim.load(pair_table(tmp_path, [line, ("x", "c.png", "b.png", *line[3:])]))
    said = [str(problem) for problem in twice.problems]
    assert "error: x: the id occurs 2 times" in said
    assert any("c.png: there is no such file" in one for one in said)


def test_an_object_without_its_background_or_the_other_way_round(tmp_path: Path) -> None:
    for name in ("iOS_Ball_1_ar", "iOS_Ball_2_raw", "photo"):
        write_picture(tmp_path / f"{name}.png", flat(80))
    said = [str(problem) for problem in diversear.load(tmp_path).problems]
    assert any(
        "iOS_Ball_1_ar.png: its picture without virtual content (..._raw) is missing" in one for one in said
    )
    assert any(
        "iOS_Ball_2_raw.png: its picture with virtual content (..._ar) is missing" in one for one in said
    )
    assert any("photo.png: is not named DEVICE_OBJECT_1_ar" in one for one in said)


@pytest.mark.parametrize("layout", ["arvim", "diversear"])
def test_sets_of_pairs_from_the_command_line(tmp_path: Path, layout: str) -> None:
    out = tmp_path / "set"
    made = bench("data", "generate", layout, out, "--count", 2, "--size", "96x64")
    assert made.exit_code == 0, made.output
    checked = bench("data", "check", layout, out, "--thoroughly")
    assert checked.exit_code == 0
    assert "GENERATED" in checked.output


def test_a_video_of_odd_size_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="even"):
        bench("data", "generate", "arvim", tmp_path / "set", "--count", 1, "--size", "97x64")
