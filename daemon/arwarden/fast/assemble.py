"""From what is seen and what is read to elements: which text is on what, and what carries what. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from arwarden.core.findings import Box, Element, ElementType, Part
from arwarden.fast.claims.elements import WORD, ElementReader, Picture
from arwarden.fast.elements.decode import CARRIED_AREA, CARRIED_SHARE, is_picture, judged
from arwarden.fast.panels import Panel
from arwarden.fast.tracking.closer import Carrier
from arwarden.fast.tracking.elements import TrackedElement

ONE_PLACE: Final = 0.5
"""Intersection over union from which a panel, arrow or tag is another one's double: only one of them, the
surer, can be there."""
ON_IT: Final = 0.6
"""So much of a text lies on the element that it belongs to."""
LEAST_PICTURE: Final = 0.5
"""Share of a label below which a picture says nothing."""
CAPTION_GAP: Final = 0.5
"""A caption is no farther from its picture than this share of its own height."""
_PICTURES: Final = frozenset({ElementType.SIGN, ElementType.FLAG})
CARRIERS: Final = frozenset({ElementType.PANEL, ElementType.ARROW, ElementType.TAG})
_TURNS: Final = {"#arrow:u_turn": "u_turn"}


@dataclass(slots=True)
class _Thing:
    type: ElementType
    box: Box
    score: float
    parts: list[Part] = field(default_factory=list)
    direction_deg: float | None = None
    texts: list[Panel] = field(default_factory=list)
    number: int | None = None


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
    found = [thing for one in seen if (thing := _thing(one, labels, frame_size)) is not None]
    for thing in found:
        _panel_if_printed_on(thing, texts)
    things = _carried(_without_doubles(found))
    alone: list[Panel] = []
    for text in texts:
        on = [thing for thing in things if _share(text.box, thing.box) >= ON_IT]
        if on:
            min(on, key=lambda thing: _area(thing.box)).texts.append(text)
        else:
            alone.append(text)
    alone = _without_captions(alone, things, reader)
    elements = [_element(thing, reader) for thing in things]
    elements += [
        Element(ElementType.TEXT, text.box, text.text, reader.claims(ElementType.TEXT, text=text.text),
                text.confidence)
        for text in alone
    ]  # fmt: skip
    elements.sort(key=lambda element: (element.box.y_norm, element.box.x_norm))
    return reader.named_by_place(elements)


def carriers(seen: Sequence[TrackedElement], labels: Sequence[str]) -> list[Carrier]:
    """Those of the elements that text may be on."""
    return [Carrier(one.number, one.box_px) for one in seen if _taken_for(one, labels)[0] in CARRIERS]


def _taken_for(one: TrackedElement, labels: Sequence[str]) -> tuple[str | None, str, float]:
    """Its type, None for what is taken for no element; its likeliest label, and that one's share."""
    best = int(one.shares.argmax())
    label, share = labels[best], float(one.shares[best])
    return judged(one.type, label, share), label, share


def _without_captions(texts: Sequence[Panel], things: Sequence[_Thing], reader: ElementReader) -> list[Panel]:
    """The texts that are no captions; a caption has become the text of the picture right above or below it.

    Both are printed on one panel that was not found, or on none.
    """
    rest: list[Panel] = []
    pictures = [thing for thing in things if thing.type in _PICTURES and not thing.texts]
    for text in texts:
        near = [thing for thing in pictures if not thing.texts and _in_column(text.box, thing.box)]
        if len(near) == 1 and reader.names(text.text):
            near[0].texts.append(text)
        else:
            rest.append(text)
    return rest


def _in_column(text: Box, picture: Box) -> bool:
    """Whether the text stands right above or below the picture, one's middle within the other's width."""
    above, below = sorted((text, picture), key=lambda box: box.y_norm)
    apart = below.y_norm - (above.y_norm + above.h_norm)
    narrow, wide = sorted((text, picture), key=lambda box: box.w_norm)
    middle = narrow.x_norm + narrow.w_norm / 2
    return apart <= CAPTION_GAP * text.h_norm and wide.x_norm <= middle <= wide.x_norm + wide.w_norm


def _thing(one: TrackedElement, labels: Sequence[str], frame_size: tuple[int, int]) -> _Thing | None:
    """None for what the classifier takes for no element."""
    width, height = frame_size
    x0, x1 = (min(max(one.box_px[i] / width, 0.0), 1.0) for i in (0, 2))
    y0, y1 = (min(max(one.box_px[i] / height, 0.0), 1.0) for i in (1, 3))
    believed, label, share = _taken_for(one, labels)
    if believed is None:
        return None
    kind = ElementType(believed)
    thing = _Thing(kind, Box(x0, y0, x1 - x0, y1 - y0), one.score, number=one.number)
    if kind is ElementType.ARROW:
        thing.direction_deg = one.direction_deg
        label = _TURNS.get(label, label)
    if share >= LEAST_PICTURE and is_picture(label):
        thing.parts.append(Part(label, share))
    elif kind is ElementType.SIGN and one.word is not None and one.word.share >= LEAST_PICTURE:
        thing.parts.append(Part(WORD + one.word.words, one.word.share))
    return thing


def _panel_if_printed_on(thing: _Thing, texts: Sequence[Panel]) -> None:
    """What has words on it is no flag, whatever its stripes: a panel of two colours."""
    if thing.type is ElementType.FLAG and any(_share(text.box, thing.box) >= ON_IT for text in texts):
        thing.type = ElementType.PANEL
        thing.parts.clear()


def _lies_on(picture: _Thing, carrier: _Thing) -> bool:
    """Whether a sign or flag lies on another thing, which is clearly larger."""
    return (
        picture.type in _PICTURES
        and _share(picture.box, carrier.box) >= CARRIED_SHARE
        and _area(picture.box) <= CARRIED_AREA * _area(carrier.box)
    )


def _without_doubles(things: Sequence[_Thing]) -> list[_Thing]:
    """One thing in each place; a flag on a flag is a part of it."""
    kept: list[_Thing] = []
    for thing in sorted(things, key=lambda thing: -thing.score):
        double = any(
            other.box.overlap(thing.box) >= ONE_PLACE and {thing.type, other.type} <= CARRIERS
            for other in kept
        )
        flags = (other for other in things if other is not thing and other.type is ElementType.FLAG)
        within = thing.type is ElementType.FLAG and any(_lies_on(thing, flag) for flag in flags)
        if not double and not within:
            kept.append(thing)
    return kept


def _carried(things: Sequence[_Thing]) -> list[_Thing]:
    """The things that stand for themselves; what lies on a carrier has become its picture."""
    own: list[_Thing] = []
    for thing in things:
        under = [
            other
            for other in things
            if other is not thing and other.type in CARRIERS and _lies_on(thing, other)
        ]
        if under:
            smallest = min(under, key=lambda other: _area(other.box))
            smallest.parts.extend(replace(part, box=thing.box) for part in thing.parts)
        else:
            own.append(thing)
    return own


def _element(thing: _Thing, reader: ElementReader) -> Element:
    text = "\n".join(panel.text for panel in thing.texts)
    parts = tuple(sorted(thing.parts, key=lambda part: -part.confidence))
    pictures = [Picture(part.label, part.confidence) for part in parts]
    claims = reader.claims(thing.type, text=text, pictures=pictures, direction_deg=thing.direction_deg)
    confidence = min([thing.score, *(panel.confidence for panel in thing.texts)])
    return Element(thing.type, thing.box, text, claims, confidence, parts, thing.direction_deg, thing.number)


def _share(inner: Box, outer: Box) -> float:
    """How much of one box lies on another, 0..1."""
    width = min(inner.x_norm + inner.w_norm, outer.x_norm + outer.w_norm) - max(inner.x_norm, outer.x_norm)
    height = min(inner.y_norm + inner.h_norm, outer.y_norm + outer.h_norm) - max(inner.y_norm, outer.y_norm)
    area = _area(inner)
    return max(width, 0.0) * max(height, 0.0) / area if area > 0 else 0.0


def _area(box: Box) -> float:
    return box.w_norm * box.h_norm
