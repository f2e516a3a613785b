"""Scenes of everyday AR, invented for this: coherent ones stay quiet, of contradictory ones some are found.

The contradictory ones are of kinds that nothing was made for. Run with ``-s`` to see what is found.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from arwarden.core.findings import Box, Element, ElementType, Finding, Part
from arwarden.fast.claims import ElementReader, Lexicon, Picture, find_contradictions
from arwarden.fast.pairs.model import PairModel, open_shipped

SCENES = Path(__file__).resolve().parents[3] / "corpus" / "everyday_scenes.yaml"
ALERT = 0.6
MOST_RAISED = 1
LEAST_FOUND = 12
"""Of thirty each."""


@pytest.fixture(scope="module")
def network() -> PairModel:
    return open_shipped()


def elements_of(scene: list[Any], reader: ElementReader) -> tuple[Element, ...]:
    return reader.named_by_place([_element(one, place, reader) for place, one in enumerate(scene)])


def _element(given: str | dict[str, Any], place: int, reader: ElementReader) -> Element:
    spec: dict[str, Any] = {"text": given} if isinstance(given, str) else given
    text, direction = str(spec.get("text", "")), spec.get("arrow")
    pictures = [Picture(cls) for cls in spec.get("pictures", ())]
    kind = ElementType.ARROW if direction is not None else ElementType.PANEL if text else ElementType.SIGN
    claims = reader.claims(kind, text=text, pictures=pictures, direction_deg=direction)
    parts = tuple(Part(picture.cls, 1.0) for picture in pictures)
    box = Box(0.1, 0.05 + 0.25 * place, 0.3, 0.08)
    return Element(kind, box, text, claims, parts=parts, direction_deg=direction)


def raised(
    label: str, lexicon: Lexicon, judge: PairModel | None
) -> Iterator[tuple[list[Any], Finding | None]]:
    reader = ElementReader(lexicon)
    for scene in yaml.safe_load(SCENES.read_text(encoding="utf-8"))[label]:
        found = find_contradictions(elements_of(scene, reader), lexicon, judge)
        yield scene, next((one for one in found if one.confidence >= ALERT), None)


def test_coherent_scenes_stay_quiet(lexicon: Lexicon, network: PairModel) -> None:
    wrong = [(scene, found.message) for scene, found in raised("coherent", lexicon, network) if found]
    assert len(wrong) <= MOST_RAISED, wrong


def test_contradictions_of_unknown_kinds_are_found(lexicon: Lexicon, network: PairModel) -> None:
    found = {
        name: sum(finding is not None for _, finding in raised("contradictory", lexicon, judge))
        for name, judge in (("rules", None), ("rules and pair network", network))
    }
    sys.stdout.write(f"found of 30: {found}\n")
    assert found["rules and pair network"] >= LEAST_FOUND
    assert found["rules and pair network"] > found["rules"]


def test_the_scenes_are_thirty_of_each_label() -> None:
    scenes = yaml.safe_load(SCENES.read_text(encoding="utf-8"))
    assert {label: len(part) for label, part in scenes.items()} == {"coherent": 30, "contradictory": 30}
