"""Elements and reasoning in words: a legend and a tree for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from arwarden.core.findings import Element, readable
from arwarden.explain.reasoning import Reasoning, Relation

WAYS = ("right", "up and right", "up", "up and left", "left", "down and left", "down", "down and right")
MAX_TEXT = 80


def way(direction_deg: float) -> str:
    """Where an arrow points, in words."""
    return WAYS[round(direction_deg / 45.0) % 8]


def heading(element: Element) -> str:
    """Type, picture, direction and text of an element in one line."""
    parts = [element.type.value]
    shown = ", ".join(readable(part.label) for part in element.parts)
    if shown:
        parts.append(f"[{shown}]")
    if element.direction_deg is not None:
        parts.append(f"pointing {way(element.direction_deg)} ({element.direction_deg:.0f}°)")
    if element.text:
        text = " / ".join(element.text.split("\n"))
        parts.append(f"“{text if len(text) <= MAX_TEXT else text[: MAX_TEXT - 1] + '…'}”")
    return " ".join(parts)


def verdict(reasoning: Reasoning) -> str:
    """The outcome in one line."""
    if reasoning.contradictory:
        return "CONTRADICTORY"
    if reasoning.findings:
        surest = reasoning.findings[0].confidence
        return f"no contradiction that is sure enough: {surest:.2f} of {reasoning.threshold:.2f} needed"
    return "no contradiction"


def judgement(relation: Relation) -> str:
    """What came of a comparison."""
    if not relation.contradictory:
        return f"no contradiction: {relation.why}"
    sure = "" if relation.alerting else ", not sure enough for an alert"
    return f"CONTRADICTION: {relation.why} (confidence {relation.confidence:.2f}{sure})"


def tree(reasoning: Reasoning) -> str:
    """Elements, their claims, and what was compared with what, as an indented text."""
    return "\n".join(_lines(reasoning))


def _lines(reasoning: Reasoning) -> Iterator[str]:
    yield verdict(reasoning)
    for finding in reasoning.findings:
        yield f"  {finding.severity.value}, confidence {finding.confidence:.2f}: {finding.message}"
    yield f"elements ({len(reasoning.elements)})"
    for number, element in enumerate(reasoning.elements, start=1):
        last = number == len(reasoning.elements)
        yield f"{'└' if last else '├'}─ {number} {heading(element)}"
        stem = "   " if last else "│  "
        for place, claim in enumerate(element.claims, start=1):
            branch = "└" if place == len(element.claims) else "├"
            source = f"from “{claim.span}”, strength {claim.strength:.2f}"
            yield f"{stem}  {branch}─ {claim.describe()}  ({source})"
        if not element.claims:
            yield f"{stem}  └─ claims nothing"
    yield f"compared ({len(reasoning.relations)})"
    for one in reasoning.relations:
        first, second = (number + 1 for number in one.elements)
        yield f"├─ {first} ↔ {second} on {one.attribute}: {judgement(one)}"
        yield f"│    {one.claims[0].describe()}  |  {one.claims[1].describe()}"
    if reasoning.left_out:
        yield f"├─ and {reasoning.left_out} more comparisons"
    yield f"└─ {reasoning.unrelated} pair(s) of elements claim nothing on a common attribute"
