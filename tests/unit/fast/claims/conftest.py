from __future__ import annotations

from collections.abc import Callable

import pytest

from arwarden.core.findings import Box, Element, ElementType, Finding
from arwarden.fast.claims import ClaimReader, Lexicon, find_contradictions

FAR_APART = (Box(0.05, 0.05, 0.2, 0.05), Box(0.7, 0.8, 0.2, 0.05))

Judge = Callable[[str, str], tuple[Finding, ...]]


@pytest.fixture(scope="session")
def lexicon() -> Lexicon:
    return Lexicon.load(["en"])


@pytest.fixture(scope="session")
def reader(lexicon: Lexicon) -> ClaimReader:
    return ClaimReader(lexicon)


@pytest.fixture(scope="session")
def judge(lexicon: Lexicon, reader: ClaimReader) -> Judge:
    """Findings between two texts whose boxes lie far apart."""

    def between(one: str, other: str) -> tuple[Finding, ...]:
        elements = [
            Element(ElementType.TEXT, box, text, reader.claims(text))
            for box, text in zip(FAR_APART, (one, other), strict=True)
        ]
        return find_contradictions(elements, lexicon)

    return between
