"""Accuracy on hand-written pairs in German, French, Spanish and Chinese. Run with ``-s`` to see the table."""

from __future__ import annotations

import csv
import sys
from collections import Counter
from pathlib import Path

import pytest

from arwarden.core.findings import Box, Element, ElementType, Finding
from arwarden.fast.claims import ClaimReader, ElementReader, Lexicon, Picture, find_contradictions

CORPUS = Path(__file__).resolve().parents[3] / "corpus" / "language_pairs.csv"
ALERT = 0.6
TOP, BOTTOM = Box(0.1, 0.1, 0.2, 0.05), Box(0.1, 0.7, 0.2, 0.05)


@pytest.fixture(scope="module")
def lexicon() -> Lexicon:
    return Lexicon.load(["en", "de", "fr", "es", "zh"])


@pytest.fixture(scope="module")
def texts(lexicon: Lexicon) -> ClaimReader:
    return ClaimReader(lexicon)


def judged(lexicon: Lexicon, texts: ClaimReader, one: str, other: str) -> list[Finding]:
    elements = [
        Element(ElementType.TEXT, box, text, texts.claims(text))
        for box, text in ((TOP, one), (BOTTOM, other))
    ]
    return [found for found in find_contradictions(elements, lexicon) if found.confidence >= ALERT]


def test_accuracy_by_language(lexicon: Lexicon, texts: ClaimReader) -> None:
    total: Counter[tuple[str, str]] = Counter()
    right: Counter[tuple[str, str]] = Counter()
    with CORPUS.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            found = judged(lexicon, texts, row["text_a"], row["text_b"])
            group = row["language"], row["label"]
            total[group] += 1
            right[group] += bool(found) == (row["label"] == "contradiction")
    for (language, label), count in sorted(total.items()):
        sys.stdout.write(f"{language} {label:14} {right[language, label]:3} of {count} right\n")
        share = right[language, label] / count
        assert share >= (0.93 if label == "contradiction" else 0.97), f"{language} {label}"
    assert min(total.values()) >= 40


@pytest.mark.parametrize(
    ("one", "other", "key"),
    [
        ("Ausgang links", "Exit on the right", "contradiction:direction:left|right:exit"),
        ("Sortie à gauche", "出口在右边", "contradiction:direction:left|right:exit"),
        (
            "La puerta no está cerrada con llave",
            "Tür abgeschlossen",
            "contradiction:lock:locked|unlocked:door",
        ),
        ("Hecho en España", "中国制造", "contradiction:origin:china|spain"),
        ("Glutenfrei", "Contains gluten", "contradiction:presence:absent|present:gluten"),
    ],
)
def test_two_languages_in_one_view(
    lexicon: Lexicon, texts: ClaimReader, one: str, other: str, key: str
) -> None:
    assert [found.key for found in judged(lexicon, texts, one, other)][:1] == [key]


@pytest.mark.parametrize(
    ("text", "kind", "picture", "attribute"),
    [
        ("Hergestellt in Deutschland", ElementType.FLAG, "flag:FR", "origin"),
        ("Toilettes à droite", ElementType.ARROW, "restroom", "direction"),
        ("Aquí se permite fumar", ElementType.SIGN, "no_smoking", "permission"),
        ("轮椅无法通行", ElementType.SIGN, "wheelchair", "accessible"),
    ],
)
def test_text_against_picture(
    lexicon: Lexicon, text: str, kind: ElementType, picture: str, attribute: str
) -> None:
    reader = ElementReader(lexicon)
    to_the_left = 180.0 if kind is ElementType.ARROW else None
    shown = reader.claims(kind, pictures=[Picture(picture)], direction_deg=to_the_left)
    elements = [
        Element(ElementType.PANEL, TOP, text, reader.claims(ElementType.PANEL, text=text)),
        Element(kind, BOTTOM, "", shown),
    ]
    found = find_contradictions(elements, lexicon)
    assert found[0].attribute == attribute
    assert found[0].confidence >= ALERT
