from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from arwarden.config import Config
from arwarden.core.frame import ByteImage
from arwarden.fast.elements.detector import Detected, Seen
from arwarden.fast.ocr.base import ModelFile
from arwarden.fast.tier import FastTier
from arwarden.offline import OfflineAnalyser
from benchmarks.eval.boxes import ElementScore
from benchmarks.eval.judge import NOT_TOGETHER, Judge, RecordingFinder
from benchmarks.eval.material import Moving, Part, Still
from models.scenes.truth import ClipTruth, FrameTruth, SceneTruth
from tests.support.panel_files import picture, save, video
from tests.unit.benchmarks.eval.cases import (
    ALERT,
    COHERENT,
    FRANCE,
    ITALY,
    ORIGIN,
    SEEN,
    FakeTier,
    engine,
    said,
    scene,
    truth_of,
)

EMPTY = scene(contradictory=False)


def judge(*elements: Any, finder: RecordingFinder | None = None) -> Judge:
    tier = cast("FastTier", FakeTier(*elements))
    return Judge(OfflineAnalyser(Config(), tier), engine(), ALERT, finder)


@pytest.fixture
def still(tmp_path: Path) -> Still:
    return Still(save(tmp_path / "00001.png", picture()), ORIGIN)


def test_a_contradiction_that_is_found_is_right_and_named(still: Still) -> None:
    record = judge(*SEEN).still(Part.FRAMES, still)
    assert record.raised
    assert record.right
    assert record.cause is None
    assert record.named is not None
    assert record.named.right
    assert record.first_look is not None
    assert (record.first_look.wall_ms, record.first_look.cpu_ms) == (100.0, 50.0)


def test_the_wrong_pair_or_attribute_is_told(still: Still) -> None:
    other = said("Made in Italy", (0.3, 0.8, 0.2, 0.1))
    record = judge(SEEN[0], other).still(Part.FRAMES, still)
    assert record.raised
    assert record.named is not None
    assert not record.named.pair_right
    record = judge(*SEEN).still(Part.FRAMES, replace(still, truth=scene(FRANCE, ITALY, attribute="lock")))
    assert record.named is not None
    assert record.named.attribute_right is False
    held_out = scene(FRANCE, ITALY, attribute="lock", held_out=True)
    record = judge(*SEEN).still(Part.HELD_OUT, replace(still, truth=held_out))
    assert record.named is not None
    assert record.named.right


def test_misses_and_false_alarms_have_causes(still: Still) -> None:
    record = judge(SEEN[0]).still(Part.FRAMES, still)
    assert not record.right
    assert record.cause is not None
    assert record.cause.faults == ("words: nothing found",)
    record = judge(*SEEN).still(Part.NEGATIVES, replace(still, truth=EMPTY))
    assert record.raised
    assert record.cause is not None
    assert record.named is None


def test_silence_on_coherent_pictures_is_right(still: Still) -> None:
    record = judge(SEEN[0]).still(Part.FRAMES, replace(still, truth=COHERENT))
    assert record.right
    assert record.cause is None


# Clips ------------------------------------------------------------------------------------------------


def clip(folder: Path, truth: SceneTruth, *, from_s: float | None = 1.0, both: bool = True) -> Moving:
    frames = [picture(shift_px=3 * number) for number in range(20)]
    elements = truth.elements if both else truth.elements[:1]
    moments = tuple(FrameTruth(number / 10, elements) for number in range(20))
    return Moving(video(folder / "00002.mp4", frames), ClipTruth(truth, 10.0, "together", from_s, moments))


def test_an_alert_is_timed_from_when_both_can_be_read(tmp_path: Path) -> None:
    record = judge(*SEEN).moving(Part.CLIPS, clip(tmp_path, ORIGIN, from_s=0.0))
    assert record.right
    assert record.s_to_alert is not None
    assert 0.0 < record.s_to_alert < 1.0
    assert record.steady
    assert record.first_look is not None
    late = judge(*SEEN).moving(Part.CLIPS, clip(tmp_path, ORIGIN, from_s=1.9))
    assert late.s_to_alert == 0.0


def test_a_clip_that_cannot_be_read_is_not_judged(tmp_path: Path) -> None:
    record = judge().moving(Part.CLIPS, clip(tmp_path, ORIGIN, from_s=None))
    assert not record.judged
    assert judge().moving(Part.CLIPS, clip(tmp_path, COHERENT, from_s=None)).judged


def test_elements_that_are_never_together_are_named_as_the_cause(tmp_path: Path) -> None:
    record = judge(SEEN[0]).moving(Part.CLIPS, clip(tmp_path, ORIGIN, both=False))
    assert record.cause is not None
    assert record.cause.faults == (NOT_TOGETHER,)


def test_a_recording_of_nothing_that_raises_something_is_a_false_alarm(tmp_path: Path) -> None:
    record = judge(*SEEN).moving(Part.RECORDINGS, clip(tmp_path, EMPTY, from_s=None))
    assert record.raised
    assert not record.right
    assert record.cause is not None


# What the networks say -----------------------------------------------------------------------------------


class FakeFinder:
    labels: Sequence[str] = ("#background", "#panel", "flag:IT", "#other")

    def __init__(self, *found: tuple[Detected, int]) -> None:
        self._found = dict(found)

    def find(self, rgb: ByteImage) -> list[Detected]:
        del rgb
        return list(self._found)

    def classify(self, rgb: ByteImage, boxes_px: Sequence[tuple[float, float, float, float]]) -> list[Seen]:
        del rgb
        labels = {one.box_px: label for one, label in self._found.items()}
        return [Seen(np.eye(4, dtype=np.float32)[labels[box]], np.zeros(2, np.float32)) for box in boxes_px]

    def models_in_use(self) -> Sequence[ModelFile]:
        return ()


def seen_by(*found: tuple[Detected, int]) -> RecordingFinder:
    finder = RecordingFinder(FakeFinder(*found))
    blank = np.zeros((360, 640, 3), np.uint8)
    boxes = [one.box_px for one in finder.find(blank)]
    finder.classify(blank, boxes)
    return finder


PANEL = Detected("panel", (0.05 * 640, 0.1 * 360, 0.35 * 640, 0.3 * 360), 0.6)
FLAG_BOX = Detected("flag", (0.6 * 640, 0.5 * 360, 0.9 * 640, 0.7 * 360), 0.9)
ITALIAN = truth_of(1, (0.6, 0.5, 0.3, 0.2), kind="flag", cls="flag:IT")


def test_boxes_and_names_are_counted() -> None:
    result = ElementScore()
    for _ in range(8):
        result.add(scene(FRANCE, ITALIAN), seen_by((PANEL, 1), (FLAG_BOX, 2)))
    overall = result.boxes().overall()
    assert (overall.precision, overall.recall) == (1.0, 1.0)
    assert result.worst() == [("#panel", 1.0), ("flag:IT", 1.0)]
    for _ in range(8):
        result.add(scene(FRANCE, ITALIAN), seen_by((PANEL, 1), (FLAG_BOX, 1)))
    assert result.boxes().overall().recall == 1.0
    assert result.worst()[0][1] == 0.5


def test_labels_that_are_never_said_are_no_shipped_class() -> None:
    finder = RecordingFinder(FakeFinder((PANEL, 1), (FLAG_BOX, 1)), {"flag:IT"})
    blank = np.zeros((360, 640, 3), np.uint8)
    result = ElementScore()
    for _ in range(8):
        finder.look(blank)
        result.add(scene(FRANCE, ITALIAN), finder)
    assert [name for name, _ in result.worst()] == ["#panel"]
    assert result.boxes().overall().recall == 1.0, "as boxes they count"
    assert result.silent == {"flag:IT"}


def test_pictures_of_no_class_are_no_class() -> None:
    result = ElementScore()
    other = truth_of(1, (0.6, 0.5, 0.3, 0.2), kind="pictogram", cls="other")
    for _ in range(8):
        result.add(scene(FRANCE, other), seen_by((PANEL, 1), (FLAG_BOX, 1)))
    assert [name for name, _ in result.worst()] == ["#panel"]


def test_too_few_of_a_class_say_nothing() -> None:
    result = ElementScore()
    result.add(scene(FRANCE), seen_by((PANEL, 1)))
    assert result.worst() == []


def test_what_the_networks_found_and_the_tier_left_out_is_named(still: Still) -> None:
    finder = seen_by((PANEL, 1))
    record = judge(SEEN[1], finder=finder).still(Part.FRAMES, still)
    assert record.cause is not None
    assert record.cause.faults == ("words: found by the networks, but not believed",)
