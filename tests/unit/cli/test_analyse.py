"""``analyse``: JSON Lines, exit codes, and inputs of every kind side by side."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import Result
from PIL import Image

from arwarden.cli import analyse
from arwarden.config import FastConfig
from arwarden.core.clock import SystemClock
from arwarden.core.findings import Box, Claim, Element, ElementType, Finding, FindingKind, Findings, Severity
from arwarden.fast.tier import FastTier
from arwarden.offline import Report
from tests.support.panel_files import (
    FRANCE,
    HEIGHT_PX,
    NETHERLANDS,
    RECEPTION,
    WIDTH_PX,
    black,
    cut,
    film,
    panel_box,
    picture,
    save,
    video,
)
from tests.unit.cli.conftest import Run

TOP = {"source", "contradictory", "confidence", "findings", "elements", "quality", "latency_ms"}
FINDING = {"kind", "attribute", "severity", "confidence", "message", "elements"}
ELEMENT = {"type", "text", "box", "claim"}


@pytest.fixture(scope="module")
def tier() -> Iterator[FastTier]:
    fast = FastTier(FastConfig(), SystemClock())
    yield fast
    fast.close_now()


@pytest.fixture(autouse=True)
def lent(monkeypatch: pytest.MonkeyPatch, tier: FastTier) -> list[str]:
    """Loading the models for every call would take most of the time."""
    closed: list[str] = []
    monkeypatch.setattr(analyse, "FastTier", lambda _config, _clock: tier)
    monkeypatch.setattr(tier, "close_now", lambda: closed.append("closed"))
    return closed


def objects(result: Result) -> list[dict[str, Any]]:
    """Standard output holds objects, one a line, and nothing else."""
    assert "Traceback" not in result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


# The shape --------------------------------------------------------------------------------------------


def test_each_input_gives_one_object_of_the_promised_shape(run: Run, tmp_path: Path, lent: list[str]) -> None:
    wrong = save(tmp_path / "a.png", picture(FRANCE, NETHERLANDS))
    right = save(tmp_path / "b.png", picture(FRANCE, RECEPTION))
    result = run("analyse", "--json", wrong, right)
    assert result.exit_code == 0
    assert result.stderr == ""
    first, second = objects(result)
    assert (first["source"], second["source"]) == (str(wrong), str(right))
    assert (first["contradictory"], second["contradictory"]) == (True, False)
    assert second["confidence"] == 0
    assert second["findings"] == []
    assert {element["text"] for element in second["elements"]} == {"Made in France", "Reception"}
    check_shape(first)
    assert lent == ["closed"]


def check_shape(content: dict[str, Any]) -> None:
    assert set(content) == TOP
    assert 0.6 < content["confidence"] <= 1
    (finding,) = content["findings"]
    assert set(finding) == FINDING
    assert (finding["kind"], finding["attribute"]) == ("contradiction", "origin")
    assert finding["severity"] in {"info", "warning", "critical"}
    assert "Made in France" in finding["message"]
    assert {element["text"] for element in finding["elements"]} == {
        "Made in France",
        "Made in the Netherlands",
    }
    for element in finding["elements"]:
        assert set(element) == ELEMENT
        assert element["type"] in {"text", "panel"}
        assert element["claim"] in {"origin = France", "origin = Netherlands"}
        assert all(0 <= value <= 1 for value in element["box"])
    assert {"ocr", "panels", "claims", "quality", "total"} <= set(content["latency_ms"])
    stages = [spent for name, spent in content["latency_ms"].items() if name != "total"]
    assert content["latency_ms"]["total"] == pytest.approx(sum(stages), abs=0.1)
    assert {"contrast_ratio", "mean_luma_levels"} <= set(content["quality"])
    assert any(name.startswith("colourfulness") for name in content["quality"])


def test_video_is_judged_as_a_whole_and_sample_by_sample(run: Run, tmp_path: Path) -> None:
    frames = film(3, lambda at_s: (FRANCE, NETHERLANDS) if at_s >= 1 else (FRANCE, RECEPTION))
    path = video(tmp_path / "shop.mp4", frames)
    result = run("analyse", "--json", path)
    assert result.exit_code == 0
    (content,) = objects(result)
    assert set(content) == TOP | {"duration_s", "samples"}
    assert content["contradictory"] is True
    assert [finding["attribute"] for finding in content["findings"]] == ["origin"]
    assert content["duration_s"] == pytest.approx(2.9, abs=0.01)
    samples = content["samples"]
    assert set(samples[0]) == {"at_s", "findings", "faults", "elements", "latency_ms"}
    assert [sample["at_s"] for sample in samples] == sorted(sample["at_s"] for sample in samples)
    assert samples[0]["findings"] == []
    assert samples[-1]["findings"][0]["attribute"] == "origin"


def test_claim_that_is_shown_is_the_one_that_contradicts() -> None:
    claims = (Claim("price", "3", "coffee"), Claim("origin", "France"))
    label = Element(ElementType.TEXT, Box(0, 0, 0.1, 0.1), "Coffee 3 €, from France", claims)
    finding = Finding(FindingKind.CONTRADICTION, "k", "origin", Severity.WARNING, "m", 0.9, (label,))
    last = Findings((finding,), (label,), (), {"ocr": 1.0})
    report = Report("a.png", True, 0.9, (finding,), last, {"ocr": 1.0})
    content: Any = analyse.to_json(report)
    assert content["findings"][0]["elements"][0]["claim"] == "origin = France"
    assert content["elements"][0]["claim"] == "coffee: price = 3"


def test_words_for_people(run: Run, tmp_path: Path) -> None:
    save(tmp_path / "a.png", picture(FRANCE, NETHERLANDS))
    save(tmp_path / "b.png", black())
    result = run("analyse", tmp_path)
    assert result.exit_code == 0
    assert "a.png: CONTRADICTORY" in result.stdout
    assert "“Made in France” at x 0." in result.stdout
    assert "b.png: no contradiction" in result.stdout
    assert "read: no text" in result.stdout


def test_configuration_is_used_and_checked(run: Run, tmp_path: Path) -> None:
    path = save(tmp_path / "a.png", picture(FRANCE, NETHERLANDS))
    config = tmp_path / "config.yaml"
    config.write_text("alerts: {min_confidence: 1.0}", encoding="utf-8")
    (content,) = objects(run("analyse", "--json", "--config", config, path))
    assert content["contradictory"] is False
    assert content["confidence"] > 0.6
    config.write_text("alerts: {min_confidence: 2}", encoding="utf-8")
    result = run("analyse", "--json", "--config", config, path)
    assert result.exit_code == 2
    assert "alerts.min_confidence" in result.stderr
    assert result.stdout == ""


# Pictures of every kind -------------------------------------------------------------------------------


def upright(folder: Path) -> Path:
    return save(folder / "a.png", picture(FRANCE, NETHERLANDS))


def grey(folder: Path) -> Path:
    path = folder / "grey.png"
    Image.fromarray(picture(FRANCE, NETHERLANDS)).convert("L").save(path)
    return path


def transparent(folder: Path) -> Path:
    path = folder / "rgba.png"
    rgb = picture(FRANCE, NETHERLANDS)
    alpha = np.full((*rgb.shape[:2], 1), 255, np.uint8)
    Image.fromarray(np.concatenate([rgb, alpha], axis=2)).save(path)
    return path


def palette(folder: Path) -> Path:
    path = folder / "palette.gif"
    Image.fromarray(picture(FRANCE, NETHERLANDS)).convert("P", palette=Image.Palette.ADAPTIVE).save(path)
    return path


def sixteen_bit(folder: Path) -> Path:
    path = folder / "deep.png"
    luma = np.asarray(Image.fromarray(picture(FRANCE, NETHERLANDS)).convert("L"), np.uint16)
    Image.fromarray(luma * 257).save(path)
    return path


def turned(folder: Path) -> Path:
    """As a phone that is held upright saves it: the pixels lie, a note says how to turn them."""
    path = folder / "turned.jpg"
    image = Image.fromarray(np.ascontiguousarray(np.rot90(picture(FRANCE, NETHERLANDS))))
    exif = image.getexif()
    exif[0x0112] = 6
    image.save(path, exif=exif, quality=95)
    return path


@pytest.mark.parametrize("make", [upright, grey, transparent, palette, sixteen_bit, turned])
def test_picture_of_every_kind_is_read(run: Run, tmp_path: Path, make: Any) -> None:
    result = run("analyse", "--json", make(tmp_path))
    assert result.exit_code == 0
    (content,) = objects(result)
    assert content["contradictory"] is True
    boxes = {element["text"]: element["box"] for element in content["elements"]}
    there = panel_box(FRANCE)
    x, y, w, h = boxes["Made in France"]
    assert x + w / 2 == pytest.approx(there.x_norm + there.w_norm / 2, abs=0.02)
    assert y + h / 2 == pytest.approx(there.y_norm + there.h_norm / 2, abs=0.03)


@pytest.mark.parametrize("size", [(WIDTH_PX, HEIGHT_PX), (1, 1), (3000, 2)])
def test_black_picture_raises_no_finding(run: Run, tmp_path: Path, size: tuple[int, int]) -> None:
    result = run("analyse", "--json", save(tmp_path / "black.png", black(*size)))
    assert result.exit_code == 0
    (content,) = objects(result)
    assert (content["contradictory"], content["confidence"], content["elements"]) == (False, 0, [])
    assert content["findings"] == []
    assert {fault["kind"] for fault in content["quality"]["faults"]} <= {"quality"}


# Folders and faults -----------------------------------------------------------------------------------


def test_folder_is_judged_in_depth(run: Run, tmp_path: Path) -> None:
    deep = tmp_path / "one" / "two"
    deep.mkdir(parents=True)
    save(deep / "b.png", picture(FRANCE))
    save(tmp_path / "a.jpg", picture(FRANCE), quality=95)
    (tmp_path / "notes.txt").write_text("not mine", encoding="utf-8")
    found = objects(run("analyse", "--json", tmp_path))
    assert [content["source"] for content in found] == [str(tmp_path / "a.jpg"), str(deep / "b.png")]


def test_broken_inputs_are_named_and_the_others_are_still_judged(run: Run, tmp_path: Path) -> None:
    good = save(tmp_path / "good.png", picture(FRANCE, NETHERLANDS))
    text = tmp_path / "text.png"
    text.write_text("no picture", encoding="utf-8")
    empty = tmp_path / "empty.jpg"
    empty.touch()
    barren = tmp_path / "barren"
    barren.mkdir()
    broken = [
        text,
        empty,
        barren,
        tmp_path / "nowhere.mp4",
        cut(save(tmp_path / "cut.png", picture())),
        cut(save(tmp_path / "cut.jpg", picture())),
        cut(video(tmp_path / "cut.mp4", film(1, lambda _at_s: ()))),
        video(tmp_path / "no-frames.mp4", []),
    ]
    also_good = save(tmp_path / "z.png", picture(FRANCE))
    result = run("analyse", "--json", good, *broken, also_good)
    assert result.exit_code == 2
    assert [content["source"] for content in objects(result)] == [str(good), str(also_good)]
    complaints = result.stderr.splitlines()
    assert len(complaints) == len(broken), result.stderr
    for path, complaint in zip(broken, complaints, strict=True):
        assert complaint.startswith(f"arwarden: {path}: ")
        assert len(complaint) > len(f"arwarden: {path}: ") + 10


def test_nothing_to_judge_is_an_error(run: Run) -> None:
    result = run("analyse", "--json")
    assert result.exit_code == 2
    assert "PATHS" in result.stderr
