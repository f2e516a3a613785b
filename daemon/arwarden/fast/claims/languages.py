"""Which language a text is in, by its script and its words, and its tokens in words of the lexicon."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from arwarden.fast.claims.gloss import Gloss, folded
from arwarden.fast.claims.schema import GlossSpec
from arwarden.fast.claims.tokens import MAX_CHARS, Token

BASE = "en"
"""The language of the lexicon itself."""
CHINESE = "zh"
UNREAD = "?"
"""Told of a text that is mostly in a script of no language that is loaded."""
MAX_UNREAD = 0.34
"""Up to this share of its letters may be in a script that nobody here reads."""
LETTER_WEIGHT = 0.4
"""An unknown word with a letter that English lacks speaks for the languages that have it."""
MAX_WORDS = 60
_WORD = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)?")
_HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
_LATIN = re.compile(r"[A-Za-z\u00aa\u00ba\u00c0-\u024f\u1e00-\u1eff\uff21-\uff3a\uff41-\uff5a]")
_ORDINAL_SIGN = re.compile(r"(?<=\d)[.]?\s?[\u00ba\u00aa](?!\s?[CcFf])")
_DEGREE_SIGN = re.compile(r"\u00ba(?=\s?[CcFf])")
_MARKS = str.maketrans(
    {"\u3002": ". ", "\u3001": ", ", "\u00bf": " ", "\u00a1": " ", "\u00ab": " ", "\u00bb": " "}
)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A language that a text may be in; *weight* counts the words that speak for it and against others."""

    language: str
    weight: float


class Languages:
    """The languages that are loaded beside English. Pure."""

    def __init__(
        self,
        specs: Mapping[str, GlossSpec],
        english: Callable[[str], bool],
        units: frozenset[str],
        numbered: frozenset[str],
    ) -> None:
        self._english = english
        self._glosses = {code: Gloss(spec, english, units, numbered) for code, spec in specs.items()}
        self._letters = {code: frozenset(spec.letters) for code, spec in specs.items()}
        self._telling = {
            code: frozenset(word for one in spec.telling for word in (one, folded(one)))
            for code, spec in specs.items()
        }
        self._characters = {ord(old): new for spec in specs.values() for old, new in spec.characters.items()}

    def prepared(self, text: str) -> str:
        """The text with marks of other scripts as Latin ones: stops, ordinal signs, character variants."""
        text = text[: 2 * MAX_CHARS]
        text = _DEGREE_SIGN.sub("\u00b0", _ORDINAL_SIGN.sub("th", text))
        return text.translate(_MARKS).translate(self._characters)

    def detect(self, text: str) -> tuple[Candidate, ...]:
        """The languages that the text may be in, the likeliest first; at least one.

        English where nothing speaks for another one. :data:`UNREAD` alone where most letters are of a
        script that no loaded language uses.
        """
        han, latin = len(_HAN.findall(text)), len(_LATIN.findall(text))
        letters = sum(map(str.isalpha, text))
        read = latin + (han if CHINESE in self._glosses and not _is_japanese(text) else 0)
        if letters and letters - read > MAX_UNREAD * letters:
            return (Candidate(UNREAD, float(letters - read)),)
        if han and CHINESE in self._glosses:
            return (Candidate(CHINESE, float(han)), Candidate(BASE, float(latin)))
        found = [Candidate(code, self._weight(code, text)) for code in self._glosses if code != CHINESE]
        likely = sorted((one for one in found if one.weight > 0), key=lambda one: -one.weight)
        return (*likely, Candidate(BASE, 0.0))

    def tokens(self, text: str, language: str) -> tuple[Token, ...] | None:
        """The tokens of a cleaned text in *language*, in words of the lexicon; ``None`` for English."""
        gloss = self._glosses.get(language)
        return gloss.tokens(text) if gloss is not None else None

    def _weight(self, code: str, text: str) -> float:
        """How many words speak for this language rather than for English, less those that speak against."""
        weight = 0.0
        gloss = self._glosses[code]
        for match in _WORD.finditer(text[: MAX_WORDS * 12]):
            word = match[0].lower().replace("\u2019", "'")
            parts = [part for part in word.split("'") if len(part) > 1] or [word]
            for part in parts:
                here, there = gloss.knows(part), self._english(part)
                if part in self._telling[code] or (here and not there):
                    weight += 1.0
                elif there and not here:
                    weight -= 1.0
                elif not there and self._letters[code] & set(part):
                    weight += LETTER_WEIGHT
        return weight


def _is_japanese(text: str) -> bool:
    return any("\u3040" <= char <= "\u30ff" for char in text)
