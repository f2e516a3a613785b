"""The tier with the pair network: asked where no rule judges, and only if it is on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from arwarden.config import FastConfig
from arwarden.core.clock import SystemClock
from arwarden.core.errors import ModelError
from arwarden.core.findings import FindingKind, Findings
from arwarden.core.frame import ArrayPicture, ByteImage, CaptureClock, Frame
from arwarden.core.tier import SceneContext
from arwarden.fast import FastTier, models_in_use
from arwarden.fast import tier as tier_module
from arwarden.fast.claims import PairRelation, PairVerdict
from arwarden.fast.ocr.base import ModelFile, TextLine
from arwarden.fast.pairs import weights as pair_weights
from tests.unit.fast.drawing import text_line

WEIGHTS = ModelFile("pairs.onnx", Path("pairs.onnx"), "1" * 64, "Apache-2.0")
STRIKE = (
    text_line("The orchestra plays Brahms", 100, 100, 300, 40),
    text_line("The orchestra is on strike", 800, 500, 300, 40),
)
TAPS = (
    text_line("Made in France", 100, 100, 300, 40),
    text_line("Origin: Italy", 800, 500, 300, 40),
)


class FakeReader:
    name = "fake"

    def __init__(self, lines: Sequence[TextLine]) -> None:
        self.lines = list(lines)

    def models_in_use(self) -> Sequence[ModelFile]:
        return []

    def warm_up(self) -> None:
        """Nothing to warm."""

    def close(self) -> None:
        """Nothing to close."""

    def read(self, _rgb: ByteImage, *, closely: bool = False) -> list[TextLine]:
        assert not closely
        return self.lines


class FakeModel:
    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []

    def judge(self, pairs: Sequence[tuple[str, str]]) -> Sequence[PairVerdict]:
        self.asked += pairs
        return [PairVerdict(PairRelation.CONTRADICTORY, 0.95)] * len(pairs)

    def models_in_use(self) -> Sequence[ModelFile]:
        return [WEIGHTS]


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> FakeModel:
    made = FakeModel()

    def opened(*, threads: int) -> FakeModel:
        assert threads == 1
        return made

    monkeypatch.setattr(tier_module, "open_shipped", opened)
    return made


@pytest.fixture
def analysed() -> Iterator[Callable[..., tuple[FastTier, Findings]]]:
    tiers: list[FastTier] = []

    def run(lines: Sequence[TextLine], *, pairs: bool) -> tuple[FastTier, Findings]:
        config = FastConfig(quality=False, pairs=pairs)
        tiers.append(FastTier(config, SystemClock(), FakeReader(lines)))
        picture = ArrayPicture(np.full((720, 1280, 3), 200, np.uint8))
        frame = Frame("s", 1, 1.0, CaptureClock.ARRIVAL, 1.0, picture)
        return tiers[-1], tiers[-1].analyse_now(frame, SceneContext("quest"))

    yield run
    for tier in tiers:
        tier.close_now()


def test_the_network_is_asked_where_no_rule_judges(
    model: FakeModel, analysed: Callable[..., tuple[FastTier, Findings]]
) -> None:
    tier, found = analysed(STRIKE, pairs=True)
    (finding,) = [one for one in found.findings if one.kind is FindingKind.CONTRADICTION]
    assert {element.text for element in finding.elements} == {line.text for line in STRIKE}
    assert any("orchestra" in text for pair in model.asked for text in pair)
    assert WEIGHTS in tier.models_in_use()


def test_rules_need_no_network(model: FakeModel, analysed: Callable[..., tuple[FastTier, Findings]]) -> None:
    _, found = analysed(TAPS, pairs=True)
    assert [one.attribute for one in found.findings] == ["origin"]
    assert not model.asked


def test_without_it_rules_judge_alone(
    model: FakeModel, analysed: Callable[..., tuple[FastTier, Findings]]
) -> None:
    tier, found = analysed(STRIKE, pairs=False)
    assert not found.findings
    assert not model.asked
    assert WEIGHTS not in tier.models_in_use()


def test_an_installation_without_the_network_says_how_to_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pair_weights, "IN_PACKAGE", tmp_path)
    monkeypatch.setattr(pair_weights, "IN_CHECKOUT", tmp_path)
    for use in (models_in_use, lambda config: FastTier(config, SystemClock(), FakeReader(()))):
        with pytest.raises(ModelError, match=r"fast\.pairs is on.*switch it off"):
            use(FastConfig(pairs=True))
