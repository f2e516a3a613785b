"""The generator's situations as a perfect eye would report them: elements with boxes, texts and classes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from arwarden.core.findings import Box, Element, ElementType, Part
from arwarden.fast.claims import ElementReader, Picture
from models.scenes.kinds import PROPORTIONS, KindFilter, Split
from models.scenes.situation import Author, Design, Programme, Situation

DIRECTIONS_DEG = {"right": 0.0, "up": 90.0, "left": 180.0, "down": 270.0, "uturn": 270.0}
"""As the generator paints them; arrows of its pictures are turned by some degrees more."""
TURN_DEG = 13.0
_TYPES = {
    "panel": ElementType.PANEL,
    "arrow": ElementType.ARROW,
    "sign": ElementType.SIGN,
    "flag": ElementType.FLAG,
}
_ATTEMPTS = 60


@dataclass(frozen=True, slots=True)
class SeenScene:
    """A situation and its elements, in the same order: the pair is elements 0 and 1."""

    situation: Situation
    elements: tuple[Element, ...]


def seen_scenes(
    split: Split, kinds: KindFilter, count: int, seed: int, reader: ElementReader
) -> Iterator[SeenScene]:
    """``count`` scenes in the published proportions, labels alternating, the same for the same seed."""
    programme = Programme(seed)
    author = Author(split, kinds)
    for index in range(count):
        application, contradictory = programme.at(index)
        rng = np.random.default_rng((seed, tuple(Split).index(split), tuple(KindFilter).index(kinds), index))
        situation = author.situation(application, rng, contradictory=contradictory)
        yield SeenScene(situation, tuple(_elements(situation.elements, reader, rng)))


def applications() -> tuple[str, ...]:
    """The names of the applications."""
    return tuple(PROPORTIONS)


def _elements(
    designs: tuple[Design, ...], reader: ElementReader, rng: np.random.Generator
) -> tuple[Element, ...]:
    boxes: list[Box] = []
    elements: list[Element] = []
    for design in designs:
        box = _free_box(design, boxes, rng)
        boxes.append(box)
        kind = _TYPES[design.carrier]
        pictures: tuple[Picture, ...] = () if design.picture is None else (Picture(design.picture.cls),)
        direction_deg = None
        if kind is ElementType.ARROW:
            turn = float(rng.uniform(-TURN_DEG, TURN_DEG))
            direction_deg = (DIRECTIONS_DEG[design.pointing] + turn) % 360.0
            pictures += (Picture("u_turn"),) if design.pointing == "uturn" else ()
        claims = reader.claims(kind, text=design.text, pictures=pictures, direction_deg=direction_deg)
        parts = tuple(Part(picture.cls, picture.confidence) for picture in pictures)
        elements.append(Element(kind, box, design.text, claims, parts=parts, direction_deg=direction_deg))
    return reader.named_by_place(elements)


def _free_box(design: Design, taken: list[Box], rng: np.random.Generator) -> Box:
    """A place anywhere in the picture that covers no other element; the last try in any case."""
    width = min(0.4, 0.04 + 0.011 * len(design.text)) if design.text else 0.09
    height = 0.09 if design.text else 0.16
    box = Box(0.0, 0.0, width, height)
    for _ in range(_ATTEMPTS):
        x, y = rng.uniform(0, 1 - width), rng.uniform(0, 1 - height)
        box = Box(float(x), float(y), width, height)
        if all(box.overlap(other) == 0 for other in taken):
            break
    return box
