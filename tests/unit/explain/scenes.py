"""Elements to explain, with the claims that the engine reads from them."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from arwarden.core.findings import Box, Element, ElementType, Part
from arwarden.explain import Reasoning, reasoning
from arwarden.fast.claims import ElementReader, Lexicon, Picture, find_contradictions

THRESHOLD = 0.6


@cache
def lexicon() -> Lexicon:
    return Lexicon.load(["en"])


@cache
def reader() -> ElementReader:
    return ElementReader(lexicon())


def said(text: str, x: float, y: float) -> Element:
    return Element(
        ElementType.TEXT, Box(x, y, 0.2, 0.1), text, reader().claims(ElementType.TEXT, text=text), 0.95
    )


def arrow(text: str, direction_deg: float, x: float, y: float) -> Element:
    claims = reader().claims(ElementType.ARROW, text=text, direction_deg=direction_deg)
    return Element(ElementType.ARROW, Box(x, y, 0.2, 0.1), text, claims, 0.9, (), direction_deg)


def flag(code: str, x: float, y: float) -> Element:
    claims = reader().claims(ElementType.FLAG, pictures=[Picture(f"flag:{code}")])
    return Element(ElementType.FLAG, Box(x, y, 0.1, 0.1), "", claims, 0.9, (Part(f"flag:{code}", 0.97),))


def explained(*elements: Element, threshold: float = THRESHOLD) -> Reasoning:
    findings = find_contradictions(elements, lexicon())
    return reasoning(elements, findings, lexicon(), threshold)


LEFT, RIGHT = arrow("Exit", 178.0, 0.1, 0.1), arrow("Exit", 3.0, 0.6, 0.6)
FRANCE, ITALY = said("Made in France", 0.1, 0.1), said("Made in Italy", 0.6, 0.6)


def replace_box(element: Element, box: Box) -> Element:
    return replace(element, box=box)
