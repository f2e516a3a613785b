from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from click.testing import CliRunner

from arwarden.config import Config
from arwarden.core.errors import ConfigError
from arwarden.fast.tier import FastTier
from arwarden.offline import OfflineAnalyser
from benchmarks.eval import command
from benchmarks.eval.judge import Judge, RecordingFinder
from benchmarks.eval.material import Material, Part
from models.assets.library import Library
from models.scenes.kinds import Split
from tests.unit.benchmarks.eval.cases import ALERT, SEEN, FakeTier, engine
from tests.unit.benchmarks.eval.test_judge import PANEL, FakeFinder
from tests.unit.models.scenes.fake_painter import FakePainter


def test_an_early_end_leaves_a_share_of_every_part_and_label() -> None:
    counts = {Part.FRAMES: 40, Part.CLIPS: 4, Part.NEGATIVES: 20}
    items = command.interleaved(counts)
    assert Counter(part for part, _ in items) == counts
    half = items[: len(items) // 2]
    assert Counter(part for part, _ in half)[Part.FRAMES] in range(18, 23)
    assert Counter(part for part, _ in half)[Part.CLIPS] == 2
    labels = [index % 2 for part, index in half if part is Part.FRAMES]
    assert abs(2 * sum(labels) - len(labels)) <= 1


def test_counts_asked_for_replace_the_usual_ones() -> None:
    counts = command._counts(command.QUICK, {Part.FRAMES: 10, Part.HELD_OUT: None, Part.CLIPS: 0}, 100)
    assert counts[Part.FRAMES] == 10
    assert counts[Part.HELD_OUT] == command.QUICK[Part.HELD_OUT]
    assert counts[Part.CLIPS] == 0
    assert (counts[Part.NEGATIVES], counts[Part.RECORDINGS]) == (96, 4)


def test_missing_assets_are_named_with_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "default_library", lambda: Library(tmp_path))
    with pytest.raises(ConfigError) as caught:
        command.open_material(tmp_path, Split.TEST, 1, None)
    assert "python -m models.assets.fetch" in caught.value.problems[0]


def test_a_folder_without_photos_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Library, "require", lambda _self: None)
    monkeypatch.setattr(command, "Material", refusing)
    with pytest.raises(ConfigError, match="--backgrounds"):
        command.open_material(tmp_path, Split.TEST, 1, tmp_path)


def refusing(*_arguments: Any, **_options: Any) -> None:
    raise ValueError("this folder holds no photos")


@contextmanager
def fake_tier(*_arguments: Any, **_options: Any) -> Iterator[command.Tier]:
    tier = cast("FastTier", FakeTier(*SEEN))
    yield command.Tier(Config(), Judge(OfflineAnalyser(Config(), tier), engine(), ALERT), None, "none")


def test_a_run_writes_numbers_report_and_pictures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    material = Material(
        tmp_path / "m", Split.VALIDATION, painter=FakePainter(), size_px=(640, 360), clip_s=(0.4, 0.5)
    )
    monkeypatch.setattr(command, "open_material", lambda *_arguments: material)
    monkeypatch.setattr(command, "_tier", fake_tier)
    counts = ["--frames", "2", "--held-out", "2", "--clips", "1", "--negatives", "2", "--crowded", "0"]
    arguments = [*counts, "--split", "validation", "--out", str(tmp_path)]
    result = CliRunner().invoke(command.command, arguments, catch_exceptions=False)
    assert result.exit_code == 0
    values = json.loads((tmp_path / "eval-validation.json").read_text(encoding="utf-8"))
    assert values["negatives"]["raised_rate"] == 1.0
    assert values["frames"]["accuracy"] == 0.5
    assert (tmp_path / "eval" / "validation" / "report.md").exists()
    assert (tmp_path / "eval" / "validation" / "false-alarms-00.jpg").exists()


def test_a_run_that_is_interrupted_reports_what_it_has(tmp_path: Path) -> None:
    class Interrupting(FakeTier):
        calls = 0

        def analyse_now(self, frame: Any, context: Any) -> Any:
            self.calls += 1
            if self.calls > 2:
                raise KeyboardInterrupt
            return super().analyse_now(frame, context)

    material = Material(tmp_path, Split.VALIDATION, painter=FakePainter(), size_px=(640, 360))
    tier = cast("FastTier", Interrupting(*SEEN))
    under_test = command.Tier(Config(), Judge(OfflineAnalyser(Config(), tier), engine(), ALERT), None, "none")
    result = command.evaluate(under_test, material, {Part.NEGATIVES: 6})
    assert len(result.records) == 2
    assert result.not_reached == 4


def test_a_run_out_of_time_judges_nothing_more(tmp_path: Path) -> None:
    material = Material(tmp_path, Split.VALIDATION, painter=FakePainter(), size_px=(640, 360))
    with fake_tier() as under_test:
        result = command.evaluate(under_test, material, {Part.NEGATIVES: 6}, minutes=-1.0)
    assert result.not_reached == 6


def test_crowded_pictures_count_elements_and_give_no_verdict(tmp_path: Path) -> None:
    material = Material(tmp_path, Split.VALIDATION, painter=FakePainter(), size_px=(640, 360))
    material._makers[Part.CROWDED] = material._makers[Part.FRAMES]
    finder = RecordingFinder(FakeFinder((PANEL, 1)))
    with fake_tier() as tier:
        result = command.evaluate(replace(tier, finder=finder), material, {Part.CROWDED: 2})
    assert (result.crowded, result.records, result.not_reached) == (2, [], 0)
    assert len(result.elements.frames) == 2
