"""What the documentation of languages shows is what happens."""

from __future__ import annotations

import re
from pathlib import Path

from arwarden.core.findings import Box, Element, ElementType
from arwarden.fast.claims import ClaimReader, ElementReader, Lexicon, Picture, find_contradictions

PAGE = (Path(__file__).resolve().parents[4] / "docs" / "languages.md").read_text(encoding="utf-8")
FERRY, DUTCH = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)


def written(folder: Path, text: str) -> Path:
    path = folder / "own.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_words_of_your_own(tmp_path: Path) -> None:
    reader = ClaimReader(Lexicon.load(["en", "de"], [written(tmp_path, FERRY)]))
    assert reader.claims("Autofähre nach links")[0].describe() == "ferry: direction = left"
    assert "exit: direction = left" in {claim.describe() for claim in reader.claims("Ausgang links")}


def test_a_language_of_your_own(tmp_path: Path) -> None:
    lexicon = Lexicon.load(["en"], [written(tmp_path, DUTCH)])
    reader = ElementReader(lexicon)

    def attributes(one: str, other: Element) -> list[str]:
        claims = reader.claims(ElementType.PANEL, text=one)
        panel = Element(ElementType.PANEL, Box(0, 0, 0.2, 0.1), one, claims)
        return [found.attribute for found in find_contradictions([panel, other], lexicon)]

    def text(words: str) -> Element:
        claims = reader.claims(ElementType.PANEL, text=words)
        return Element(ElementType.PANEL, Box(0, 0.8, 0.2, 0.1), words, claims)

    shown = reader.claims(ElementType.ARROW, pictures=[Picture("restroom")], direction_deg=0.0)
    assert attributes("De deur is niet op slot", text("Door locked"))[:1] == ["lock"]
    assert attributes("Verboden te roken", text("U mag hier roken")) == ["permission"]
    assert attributes("Toilet links", Element(ElementType.ARROW, Box(0, 0.8, 0.1, 0.1), "", shown)) == [
        "direction"
    ]
    assert attributes("Gelieve de deur te sluiten", text("De deur is open")) == []
    assert attributes("Toilet op de 3e verdieping", text("Toilet op de 3e verdieping")) == []
