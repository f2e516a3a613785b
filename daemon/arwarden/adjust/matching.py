"""Which of the app's own objects an element in the picture is, by where it is and what it says. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from arwarden.adjust.scene import Seen
from arwarden.core.findings import Box, Element, Findings

LEAST_SCORE: Final = 0.35
INSIDE: Final = 0.6
"""What lying wholly inside an object's box is worth: less than covering it, which tells a label's panel from
the shelf that it hangs on."""
SAME_WORDS: Final = 0.2


def named(findings: Findings, objects: Iterable[Seen]) -> Findings:
    """The findings with the id of the app's object at each element that is one."""
    around = [seen for seen in objects if seen.area > 0]
    if not around:
        return findings
    return replace(
        findings,
        findings=tuple(
            replace(finding, elements=tuple(_named(element, around) for element in finding.elements))
            for finding in findings.findings
        ),
        elements=tuple(_named(element, around) for element in findings.elements),
    )


def object_at(element: Element, objects: Iterable[Seen]) -> Seen | None:
    """The app's object that an element most likely is; None where none is likely enough.

    Of two that fit equally well the smaller is meant: an element on a shelf's label is the label's.
    """
    scored = [(_score(element, seen), -seen.area, seen) for seen in objects]
    best = max(scored, key=lambda entry: entry[:2], default=None)
    return best[2] if best is not None and best[0] >= LEAST_SCORE else None


def _named(element: Element, objects: list[Seen]) -> Element:
    found = object_at(element, objects)
    return element if found is None else replace(element, object_id=found.item.id)


def _score(element: Element, seen: Seen) -> float:
    """How well they fit, 0..1.2: the boxes' overlap, or how much of the element lies inside, and words."""
    placed = max(element.box.overlap(seen.box), INSIDE * _inside(element.box, seen.box))
    if placed == 0.0:
        return 0.0
    return placed + (SAME_WORDS if _same_words(element, seen) else 0.0)


def _inside(box: Box, outer: Box) -> float:
    """The share of a box that lies inside another."""
    area = box.w_norm * box.h_norm
    width = min(box.x_norm + box.w_norm, outer.x_norm + outer.w_norm) - max(box.x_norm, outer.x_norm)
    height = min(box.y_norm + box.h_norm, outer.y_norm + outer.h_norm) - max(box.y_norm, outer.y_norm)
    return max(0.0, width) * max(0.0, height) / area if area > 0 else 0.0


def _same_words(element: Element, seen: Seen) -> bool:
    said = {" ".join(text.casefold().split()) for text in (element.text, element.label) if text.strip()}
    named_so = {" ".join(text.casefold().split()) for text in (seen.item.label, seen.item.class_)}
    return bool(said & named_so)
