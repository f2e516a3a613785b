"""Elements in words: as they are shown to people, and in English for judges of sentences."""

from __future__ import annotations

import re
from dataclasses import replace

from arwarden.core.findings import Element
from arwarden.fast.claims.lexicon import Lexicon

MAX_SENTENCE = 160
ENGLISH_SHARE = 0.5
LEAST_LETTERS = 3
"""Shorter words tell no language."""
_SYMBOL = " symbol"
_WORD = re.compile(r"[^\W\d_]+")


def sentence(element: Element) -> str:
    """An element in words: its text, what its pictures show ("Kitchen. locked symbol"); "" for nothing.

    Pictograms of which no claim speaks go by the names of their classes.
    """
    shown = list(dict.fromkeys(claim.span for claim in element.claims if claim.pictured))
    if not any(span.endswith(_SYMBOL) for span in shown):
        labels = (part.label for part in element.parts if ":" not in part.label)
        shown = [*(label.replace("_", " ") + _SYMBOL for label in labels), *shown]
    said = " ".join(element.text.split())
    return ". ".join(part.rstrip(". ") for part in (said, *shown) if part)[:MAX_SENTENCE]


def spoken(element: Element, lexicon: Lexicon) -> str:
    """The same for judges, with words repaired that were misread or run together; "" for other languages.

    Glosses would do for these, but leave names out: two trains to two cities become trains.
    """
    repaired = lexicon.repaired(element.text) if element.text else ""
    return sentence(replace(element, text=repaired)) if repaired or not element.text else ""


def is_english(said: str, lexicon: Lexicon) -> bool:
    """Whether at least half of the longer words of a repaired text are English: the others nobody knows."""
    words = [word for word in _WORD.findall(said) if len(word) >= LEAST_LETTERS]
    known = sum(lexicon.is_english(word) or word in lexicon.subject_names for word in words)
    return known >= ENGLISH_SHARE * len(words)
