"""The tier with element networks: what they find and what is read become one scene."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from arwarden.config import FastConfig
from arwarden.core.clock import SystemClock
from arwarden.core.errors import ModelError, TierError
from arwarden.core.findings import ElementType, FindingKind, Findings
from arwarden.core.frame import ArrayPicture, ByteImage, CaptureClock, Frame, View
from arwarden.core.tier import SceneContext
from arwarden.fast import FastTier, models, models_in_use
from arwarden.fast import tier as tier_module
from arwarden.fast.elements.detector import Detected, Seen
from arwarden.fast.ocr.base import ModelFile, TextLine
from tests.unit.fast.drawing import text_line

LABELS = ("#background", "#panel", "flag:FR", "flag:IT")
WEIGHTS = ModelFile("detector.onnx", Path("detector.onnx"), "1" * 64, "Apache-2.0")
PANEL = Detected("panel", (380.0, 180.0, 700.0, 320.0), 0.9)
FLAG = Detected("flag", (800.0, 400.0, 920.0, 480.0), 0.9)
ITALY = text_line("Made in Italy", 400, 200, 240, 44)


class FakeReader:
    """Reads what it was told to read."""

    name = "fake"

    def __init__(self, *lines: TextLine) -> None:
        self.lines = list(lines)

    def models_in_use(self) -> Sequence[ModelFile]:
        return [ModelFile("fake.onnx", Path("fake.onnx"), "0" * 64, "Apache-2.0")]

    def warm_up(self) -> None:
        """Nothing to warm."""

    def close(self) -> None:
        """Nothing to close."""

    def read(self, _rgb: ByteImage, *, closely: bool = False) -> list[TextLine]:
        assert not closely
        return self.lines


class FakeFinder:
    """Finds what it was told to find; flags are of the country it was told."""

    def __init__(self, *found: Detected) -> None:
        self.found = list(found)
        self.flags = ["flag:FR"]
        self.calls = 0
        self.act: Callable[[], None] = lambda: None

    @property
    def labels(self) -> Sequence[str]:
        return LABELS

    def models_in_use(self) -> Sequence[ModelFile]:
        return [WEIGHTS]

    def find(self, _rgb: ByteImage) -> list[Detected]:
        self.calls += 1
        self.act()
        return self.found

    def classify(self, _rgb: ByteImage, boxes_px: Sequence[tuple[float, float, float, float]]) -> list[Seen]:
        seen = []
        for box in boxes_px:
            label = self.flags[0] if box == FLAG.box_px else "#panel"
            shares = np.full(len(LABELS), 0.02, np.float32)
            shares[LABELS.index(label)] = 0.94
            seen.append(Seen(shares, np.zeros(2, np.float32)))
        if len(self.flags) > 1:
            self.flags.pop(0)
        return seen


class Scene:
    """Frames of one stream through a tier with fakes, 250 ms apart."""

    def __init__(self) -> None:
        self.reader, self.finder = FakeReader(ITALY), FakeFinder(PANEL, FLAG)
        self.tier = FastTier(FastConfig(quality=False), SystemClock(), self.reader, finder=self.finder)
        self.now_ms = 1000.0

    def frame(
        self, view: View = View.COMPOSITED
    ) -> tuple[list[tuple[ElementType, str]], list[str], set[str]]:
        self.now_ms += 250.0
        picture = ArrayPicture(np.full((720, 1280, 3), 90, np.uint8))
        shown = Frame("s1", 1, self.now_ms, CaptureClock.ARRIVAL, self.now_ms, picture)
        findings = self.tier.analyse_now(shown, SceneContext("quest", view))
        return (
            [(element.type, element.text) for element in findings.elements],
            [f.attribute for f in findings.findings if f.kind is FindingKind.CONTRADICTION],
            set(findings.stages_ms),
        )


@pytest.fixture
def scene() -> Iterator[Scene]:
    made = Scene()
    yield made
    made.tier.close_now()


def test_a_flag_contradicts_what_a_panel_says(scene: Scene) -> None:
    elements, contradictions, stages = scene.frame()
    assert elements == [(ElementType.PANEL, "Made in Italy"), (ElementType.FLAG, "")]
    assert contradictions == ["origin"]
    assert stages == {"motion", "elements", "ocr", "panels", "claims", "turns"}


def test_a_flag_that_agrees_does_not(scene: Scene) -> None:
    scene.finder.flags = ["flag:IT"]
    assert scene.frame()[1] == []


def test_one_misjudged_crop_raises_nothing_once_the_flag_is_known(scene: Scene) -> None:
    scene.finder.flags = ["flag:IT", "flag:IT", "flag:FR", "flag:IT"]
    assert [scene.frame()[1] for _ in range(5)] == [[]] * 5


def test_a_missed_detection_changes_nothing(scene: Scene) -> None:
    for _ in range(2):
        scene.frame()
    scene.finder.found = []
    assert scene.frame()[1] == ["origin"]


def test_a_passthrough_view_has_no_elements(scene: Scene) -> None:
    assert scene.frame(View.PASSTHROUGH) == ([], [], set())
    assert scene.finder.calls == 0


def test_a_broken_network_is_a_tier_error(scene: Scene) -> None:
    def broken() -> None:
        raise ZeroDivisionError

    scene.finder.act = broken
    with pytest.raises(TierError, match="ZeroDivisionError"):
        scene.frame()


def test_all_weights_are_named(scene: Scene) -> None:
    assert [file.name for file in scene.tier.models_in_use()] == [
        "fake.onnx",
        "detector.onnx",
        "pairs.onnx",
        "vocabulary.txt",
    ]


# Whether the networks are shipped ------------------------------------------------------------------


def judged(tier: FastTier) -> Findings:
    picture = ArrayPicture(np.full((720, 1280, 3), 90, np.uint8))
    shown = Frame("s", 1, 1.0, CaptureClock.ARRIVAL, 1.0, picture)
    findings = tier.analyse_now(shown, SceneContext("quest"))
    tier.close_now()
    return findings


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tier_module, "open_reader", lambda *_: FakeReader(ITALY))


@pytest.mark.usefixtures("opened")
def test_without_networks_text_alone_is_judged() -> None:
    config = FastConfig(quality=False, elements=False, pairs=False)
    findings = judged(FastTier(config, SystemClock()))
    assert [element.type for element in findings.elements] == [ElementType.TEXT]
    assert "elements" not in findings.stages_ms
    assert len(models_in_use(config)) == 2


def test_networks_are_used_by_default() -> None:
    assert len(models_in_use(FastConfig())) == 8


@pytest.mark.usefixtures("opened")
def test_shipped_networks_are_warmed_up_and_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    warm: list[int] = []

    class Shipped(FakeFinder):
        def __init__(self, _weights: object, *, threads: int) -> None:
            super().__init__(PANEL)
            self.threads = threads

        def warm_up(self) -> None:
            warm.append(self.threads)

    monkeypatch.setattr(tier_module, "shipped_folder", lambda: tmp_path)
    monkeypatch.setattr(tier_module, "load_weights", lambda _folder: None)
    monkeypatch.setattr(tier_module, "ElementDetector", Shipped)
    findings = judged(FastTier(FastConfig(quality=False, elements=True), SystemClock()))
    assert [element.type for element in findings.elements] == [ElementType.PANEL]
    assert warm == [1]


@pytest.mark.usefixtures("opened")
def test_shipped_networks_that_are_damaged_stop_the_start(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "elements.json").write_text("{}")
    for module in (tier_module, models):
        monkeypatch.setattr(module, "shipped_folder", lambda: tmp_path)
    with pytest.raises(ModelError, match=r"elements\.json has not the format 1"):
        FastTier(FastConfig(elements=True), SystemClock())
    with pytest.raises(ModelError, match=r"elements\.json has not the format 1"):
        models_in_use(FastConfig(elements=True))


@pytest.mark.usefixtures("opened")
def test_networks_that_are_wanted_but_absent_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (tier_module, models):
        monkeypatch.setattr(module, "shipped_folder", lambda: None)
    with pytest.raises(ModelError, match="carries no element networks"):
        FastTier(FastConfig(elements=True), SystemClock())
    with pytest.raises(ModelError, match="carries no element networks"):
        models_in_use(FastConfig(elements=True))
