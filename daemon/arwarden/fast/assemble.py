"""From what is seen and what is read to elements: which text is on what, and what carries what. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from arwarden.core.findings import Box, Element, ElementType
from arwarden.fast.claims.elements import ElementReader, Picture
from arwarden.fast.elements.decode import CARRIED_AREA, CARRIED_SHARE
from arwarden.fast.panels import Panel
from arwarden.fast.tracking.elements import TrackedElement

ONE_PLACE: Final = 0.5
"""Intersection over union from which a panel, arrow or tag is another one's double: only one of them, the
surer, can be there."""
ON_IT: Final = 0.6
"""So much of a text lies on the element that it belongs to."""
LEAST_PICTURE: Final = 0.5
"""Share of a label below which a picture says nothing."""
CARRIERS: Final = frozenset({ElementType.PANEL, ElementType.ARROW, ElementType.TAG})
_TURNS: Final = {"#arrow:u_turn": "u_turn"}
_NO_PICTURE: Final = "#"
"""Labels that are no class of a pictogram begin with this."""


@dataclass(slots=True)
class _Thing:
    type: ElementType
    box: Box
    score: float
    pictures: list[Picture] = field(default_factory=list)
    direction_deg: float | None = None
    texts: list[Panel] = field(default_factory=list)


def assemble(
    texts: Sequence[Panel],
    seen: Sequence[TrackedElement],
    labels: Sequence[str],
    frame_size: tuple[int, int],
    reader: ElementReader,
) -> tuple[Element, ...]:
    """The elements of a frame with their claims, top to bottom.

    ``texts`` are what is printed together, ``seen`` the virtual elements, ``labels`` what their shares stand
    for, ``frame_size`` is ``(width, height)`` in pixels. A text that lies on an element is its text; a sign
    or flag that lies on a panel, arrow or tag is its picture; a text on nothing is an element of its own.
    """
    things = _carried(_without_doubles([_thing(one, labels, frame_size) for one in seen]))
    alone: list[Panel] = []
    for text in texts:
        on = [thing for thing in things if _share(text.box, thing.box) >= ON_IT]
        if on:
            min(on, key=lambda thing: thing.box.w_norm * thing.box.h_norm).texts.append(text)
        else:
            alone.append(text)
    elements = [_element(thing, reader) for thing in things]
    elements += [
        Element(ElementType.TEXT, text.box, text.text, reader.claims(ElementType.TEXT, text=text.text),
                text.confidence)
        for text in alone
    ]  # fmt: skip
    elements.sort(key=lambda element: (element.box.y_norm, element.box.x_norm))
    return reader.named_by_place(elements)


def _thing(one: TrackedElement, labels: Sequence[str], frame_size: tuple[int, int]) -> _Thing:
    width, height = frame_size
    x0, x1 = (min(max(one.box_px[i] / width, 0.0), 1.0) for i in (0, 2))
    y0, y1 = (min(max(one.box_px[i] / height, 0.0), 1.0) for i in (1, 3))
    kind = ElementType(one.type)
    thing = _Thing(kind, Box(x0, y0, x1 - x0, y1 - y0), one.score)
    best = int(one.shares.argmax())
    label, share = labels[best], float(one.shares[best])
    if kind is ElementType.ARROW:
        thing.direction_deg = one.direction_deg
        label = _TURNS.get(label, label)
    if share >= LEAST_PICTURE and not label.startswith(_NO_PICTURE):
        thing.pictures.append(Picture(label, share))
    return thing


def _without_doubles(things: Sequence[_Thing]) -> list[_Thing]:
    kept: list[_Thing] = []
    for thing in sorted(things, key=lambda thing: -thing.score):
        double = any(
            other.box.overlap(thing.box) >= ONE_PLACE and {thing.type, other.type} <= CARRIERS
            for other in kept
        )
        if not double:
            kept.append(thing)
    return kept


def _carried(things: Sequence[_Thing]) -> list[_Thing]:
    """The things that stand for themselves; what lies on a carrier has become its picture."""
    own: list[_Thing] = []
    for thing in things:
        area = thing.box.w_norm * thing.box.h_norm
        carriers = [
            other
            for other in things
            if other is not thing
            and other.type in CARRIERS
            and thing.type in (ElementType.SIGN, ElementType.FLAG)
            and _share(thing.box, other.box) >= CARRIED_SHARE
            and area <= CARRIED_AREA * other.box.w_norm * other.box.h_norm
        ]
        if carriers:
            smallest = min(carriers, key=lambda other: other.box.w_norm * other.box.h_norm)
            smallest.pictures.extend(thing.pictures)
        else:
            own.append(thing)
    return own


def _element(thing: _Thing, reader: ElementReader) -> Element:
    text = "\n".join(panel.text for panel in thing.texts)
    claims = reader.claims(thing.type, text=text, pictures=thing.pictures, direction_deg=thing.direction_deg)
    confidence = min([thing.score, *(panel.confidence for panel in thing.texts)])
    return Element(thing.type, thing.box, text, claims, confidence)


def _share(inner: Box, outer: Box) -> float:
    """How much of one box lies on another, 0..1."""
    width = min(inner.x_norm + inner.w_norm, outer.x_norm + outer.w_norm) - max(inner.x_norm, outer.x_norm)
    height = min(inner.y_norm + inner.h_norm, outer.y_norm + outer.h_norm) - max(inner.y_norm, outer.y_norm)
    area = inner.w_norm * inner.h_norm
    return max(width, 0.0) * max(height, 0.0) / area if area > 0 else 0.0
