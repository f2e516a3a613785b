"""What the tier saw of the elements that are there, and what it would have seen without any error."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from arwarden.core.findings import Box, Element, ElementType, Part
from arwarden.fast.claims import ElementReader, Picture
from models.scenes.truth import ElementTruth

ON_IT = 0.5
"""So much of what was found lies on the element that it was found of."""
WRONG_WAY_DEG = 45.0
NEARLY = 0.8
"""Likeness of two texts from which one is the other misread, 0..1."""
SURE = 0.75
"""A picture recognised with less confidence may leave a contradiction below the threshold of alerts."""
DISBELIEVED = "found by the networks, but not believed"
_TYPES: Mapping[str, ElementType] = {
    "panel": ElementType.PANEL,
    "arrow": ElementType.ARROW,
    "pictogram": ElementType.SIGN,
    "sign": ElementType.SIGN,
    "flag": ElementType.FLAG,
    "tag": ElementType.TAG,
    "badge": ElementType.TAG,
}
_TURNS = {"u_turn": "u_turn"}
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Shown:
    """An element of the truth with the pictures that it is or carries."""

    truth: ElementTruth
    pictures: tuple[str, ...]

    @property
    def type(self) -> ElementType:
        """Its kind in the words of the daemon."""
        return _TYPES[self.truth.kind]

    @property
    def form(self) -> str:
        """How it says what it says: words, picture, arrow, or several of them."""
        has = [
            name
            for name, there in (
                ("arrow", self.type is ElementType.ARROW and self.truth.direction_deg is not None),
                ("picture", bool(self.pictures)),
                ("words", bool(self.truth.text)),
            )
            if there
        ]
        return "+".join(has) or "nothing"


def shown(elements: Sequence[ElementTruth]) -> list[Shown]:
    """The elements that carry the others, in their order: the pair is 0 and 1."""
    found = []
    for one in elements:
        if one.carried_by is not None:
            continue
        own = (one.cls,) if one.kind in {"pictogram", "sign", "flag"} and one.cls else ()
        carried = tuple(
            part.cls
            for part in elements
            if part.carried_by == one.index and part.kind in {"pictogram", "flag"}
        )
        # The glyph of a sign is the sign once more.
        found.append(Shown(one, own or tuple(dict.fromkeys(carried))))
    return found


def perfectly_seen(things: Sequence[Shown], reader: ElementReader) -> list[Element]:
    """The elements as an eye without error sees them, where they are in the picture; in the same order."""
    elements = []
    for one in things:
        pictures = [Picture(cls) for cls in one.pictures]
        direction = one.truth.direction_deg if one.type is ElementType.ARROW else None
        if one.truth.cls in _TURNS:
            pictures.append(Picture(_TURNS[one.truth.cls]))
        claims = reader.claims(one.type, text=one.truth.text, pictures=pictures, direction_deg=direction)
        parts = tuple(Part(cls, 1.0) for cls in one.pictures)
        elements.append(Element(one.type, Box(*one.truth.box), one.truth.text, claims, 1.0, parts, direction))
    return elements


def owner(box: Box, things: Sequence[Shown]) -> int | None:
    """The place in ``things`` of the element on which most of the box lies; None for a box on none."""
    shares = [_share(box, Box(*one.truth.box)) for one in things]
    best = max(range(len(things)), key=lambda place: shares[place], default=None)
    return best if best is not None and shares[best] >= ON_IT else None


def seen_of(
    things: Sequence[Shown], elements: Sequence[Element]
) -> tuple[list[list[Element]], list[Element]]:
    """What was found of each thing, and what was found where nothing is."""
    found: list[list[Element]] = [[] for _ in things]
    phantoms: list[Element] = []
    for element in elements:
        place = owner(element.box, things)
        (phantoms if place is None else found[place]).append(element)
    return found, phantoms


def faults(thing: Shown, found: Sequence[Element], detected: Sequence[Box] = ()) -> list[str]:
    """What is wrong with what was found of an element; most serious first.

    ``detected`` is what the networks alone found of its type, whatever became of it.
    """
    spotted = any(box.overlap(Box(*thing.truth.box)) >= ON_IT for box in detected)
    if not found:
        return [f"{thing.form}: {DISBELIEVED if spotted else 'nothing found'}"]
    wrong = [*_words_wrong(thing.truth.text, found), *_pictures_wrong(thing.pictures, found)]
    arrows = [element for element in found if element.type is ElementType.ARROW]
    if thing.type is not ElementType.ARROW:
        return [*wrong, "taken for an arrow"] if arrows else wrong
    if not arrows:
        return [*wrong, f"arrow {DISBELIEVED}" if spotted else "arrow not found"]
    return [*wrong, *_way_wrong(thing.truth.direction_deg, arrows)]


def _pictures_wrong(pictures: Sequence[str], found: Sequence[Element]) -> list[str]:
    sure: dict[str, float] = {}
    for part in (part for element in found for part in element.parts):
        sure[part.label] = max(part.confidence, sure.get(part.label, 0.0))
    wrong = []
    for cls in pictures:
        kind = "flag" if cls.startswith("flag:") else "picture"
        if cls not in sure:
            wrong.append(f"{kind} taken for another" if sure else f"{kind} not recognised")
        elif sure[cls] < SURE:
            wrong.append(f"{kind} recognised, but in doubt")
    return wrong


def _way_wrong(direction_deg: float | None, arrows: Sequence[Element]) -> list[str]:
    if direction_deg is None:
        return []
    ways = [element.direction_deg for element in arrows if element.direction_deg is not None]
    if not ways:
        return ["arrow's direction in doubt"]
    return (
        ["arrow's direction wrong"] if min(_turn(way, direction_deg) for way in ways) > WRONG_WAY_DEG else []
    )


def _words_wrong(text: str, found: Sequence[Element]) -> list[str]:
    wanted = _WORD.findall(text.casefold())
    texts = [element.text for element in found if element.text]
    read = _WORD.findall(" ".join(texts).casefold())
    if not (wanted and read):
        return ["words not read"] if wanted else ["words where none are"] if read else []
    whole, said = "".join(wanted), "".join(read)
    if any("".join(_WORD.findall(one.casefold())) == whole for one in texts):
        return []
    if sorted(read) == sorted(wanted):
        return ["words in pieces" if len(texts) > 1 else "words in another order"]
    if len(said) < NEARLY * len(whole):
        return ["words read in part"]
    if len(said) > len(whole) / NEARLY:
        return ["words mixed with others"]
    likeness = SequenceMatcher(None, said, whole, autojunk=False).ratio()
    return ["words misread a little" if likeness >= NEARLY else "words misread"]


def with_observed(
    perfect: Sequence[Element], place: int, found: Sequence[Element], reader: ElementReader
) -> tuple[Element, ...]:
    """The scene seen without error but for one element, of which is seen what was found."""
    elements = [*perfect[:place], *found, *perfect[place + 1 :]]
    return reader.named_by_place(elements)


def _turn(one_deg: float, other_deg: float) -> float:
    return abs((one_deg - other_deg + 180.0) % 360.0 - 180.0)


def _share(inner: Box, outer: Box) -> float:
    """How much of one box lies on another, 0..1."""
    width = min(inner.x_norm + inner.w_norm, outer.x_norm + outer.w_norm) - max(inner.x_norm, outer.x_norm)
    height = min(inner.y_norm + inner.h_norm, outer.y_norm + outer.h_norm) - max(inner.y_norm, outer.y_norm)
    area = inner.w_norm * inner.h_norm
    return max(width, 0.0) * max(height, 0.0) / area if area > 0 else 0.0
