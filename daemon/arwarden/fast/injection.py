"""Text in the picture that gives orders to whatever judges the picture: found by words, without a model.

A vision-language model reads what is in the picture and may do what it reads. Ordinary signs give orders
too, but to the wearer: the patterns in ``injection.yaml`` ask for words about prompts, models, verdicts and
reports, several of them together. Look-alike letters, digits in place of letters, accents, spaced-out
letters, run-on words and single misread letters are read through; so is a sentence that several panels share.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Final

import yaml
from pydantic import BaseModel, ConfigDict, Field, model_validator

from arwarden.core.errors import ConfigError
from arwarden.core.findings import Element, Finding, FindingKind, Severity

PATTERNS_FILE: Final = "injection.yaml"
KEY: Final = "injection"
ATTRIBUTE: Final = "instruction"
MAX_CHARS: Final = 2000
"""What is read of one picture: a view full of text holds less."""
REMEMBERED: Final = 256
"""Texts whose scores are kept: a view has up to some dozens, and a few views follow each other."""
QUOTED_CHARS: Final = 60
ACROSS_WEIGHT: Final = 0.95
"""Words of different panels may stand together by chance, so what only they say together counts less."""
SQUEEZED_LEAST: Final = 6
"""Letters from which a word is looked for inside run-on text."""
FUZZY_LEAST: Final = 7
"""Letters from which a word with one letter misread is still taken for it."""
FUZZY_MOST: Final = 24
MAX_ELEMENTS: Final = 24
"""Elements whose texts are read together: a view that holds more is not read by anybody."""
_KEY_LETTERS: Final = 4
"""Letters by which words are looked up inside run-on text."""
_STEM_LETTERS: Final = 3
_RUN_ON: Final = 15
"""Letters without a space from which a word is probably several."""
_SPACED: Final = re.compile(r"(?:\b\w[\s.\-_*]+){4,}\w\b")
_LEET: Final = str.maketrans({"0": "o", "1": "i", "3": "e", "4": "a", "5": "s", "7": "t", "@": "a", "$": "s",
                              "|": "i", "!": "i", "€": "e"})  # fmt: skip
_LOOK_ALIKES: Final = str.maketrans(
    "авгеѕіјкмнорсԁтухһԛѡӏԍьαβγεηικνορτυχωδıɑɡℓ",
    "abresijkmhopcdtyxhqwlgbabyenikvoptuxwdiagl",
)
_CHUNK: Final = re.compile(r"[\w@$|!€]+")
_LEET_SIGNS: Final = frozenset("0134578@$|!€")
_WORD: Final = re.compile(r"[a-z']+")
_TOKEN: Final = re.compile(r"\w+")
_UNSPACED: Final = re.compile("[\u1100-\u11ff\u3040-\u30ff\u3130-\u318f\u3400-\u9fff\uac00-\ud7af]")
"""Letters of scripts that are written without spaces between words, or with endings on them."""


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Pattern(_Section):
    """Concepts that stand together, or phrases, or a regular expression, with a weight."""

    name: str
    weight: float = Field(gt=0, lt=1)
    all: tuple[str, ...] = ()
    within: int = Field(40, gt=0)
    ordered: bool = False
    text: tuple[str, ...] = ()
    pattern: str = ""
    across: bool = False
    """Whether it also counts in what several panels say together: its words hardly meet by chance there."""

    @model_validator(mode="after")
    def _one_kind(self) -> _Pattern:
        if sum(map(bool, (self.all, self.text, self.pattern))) != 1:
            msg = f"pattern {self.name}: give exactly one of all, text, pattern"
            raise ValueError(msg)
        return self


class _Patterns(_Section):
    threshold: float = Field(gt=0, lt=1)
    concepts: Mapping[str, tuple[str, ...]]
    not_after: Mapping[str, tuple[str, ...]] = Field(default_factory=dict)
    patterns: tuple[_Pattern, ...]

    @model_validator(mode="after")
    def _known_concepts(self) -> _Patterns:
        for pattern in self.patterns:
            unknown = set(pattern.all) - set(self.concepts)
            if unknown:
                msg = f"pattern {pattern.name}: no such concept: {', '.join(sorted(unknown))}"
                raise ValueError(msg)
        return self


@dataclass(frozen=True, slots=True)
class Match:
    """How much a text looks like orders to a judge, and by which patterns."""

    score: float
    """0..1."""
    patterns: tuple[str, ...] = ()


_NOTHING: Final = Match(0.0)
Span = tuple[int, int]
"""Begin and end of a place in a text, in characters."""


class InjectionDetector:
    """Finds orders to the judge in the text of a picture. May be shared by threads."""

    def __init__(self, patterns: _Patterns) -> None:
        self._patterns = patterns
        self.threshold = patterns.threshold
        self._terms = _Terms(patterns.concepts, patterns.not_after)
        self._phrases = {
            pattern.name: tuple(folded(text) for text in pattern.text)
            for pattern in patterns.patterns
            if pattern.text
        }
        self._expressions = {
            pattern.name: re.compile(pattern.pattern) for pattern in patterns.patterns if pattern.pattern
        }
        self._misread = _misreadings(patterns.concepts)
        # A scene says the same from one sample to the next, and 12 texts take 6 ms to look through.
        self._scored = lru_cache(maxsize=REMEMBERED)(self._score)

    @classmethod
    def load(cls) -> InjectionDetector:
        """The detector with the patterns that come with the package."""
        return cls(_shipped())

    def find(self, elements: Sequence[Element]) -> tuple[Finding, ...]:
        """At most one finding, with the elements that give the orders."""
        spoken = [element for element in elements if element.text.strip()][:MAX_ELEMENTS]
        guilty = [(element, self.score(element.text)) for element in spoken]
        strongest = max((match.score for _, match in guilty), default=0.0)
        named = tuple(element for element, match in guilty if match.score >= self.threshold)
        if not named and len(spoken) > 1:
            strongest, named = self._across(spoken)
        if not named or strongest < self.threshold:
            return ()
        return (_finding(named, strongest),)

    def score(self, text: str, *, across: bool = False) -> Match:
        """How much one text looks like orders to a judge; ``across`` where it is what several panels say."""
        return self._scored(text[:MAX_CHARS], across)

    def _score(self, text: str, across: bool) -> Match:
        best = _NOTHING
        for variant, squeezed in self._variants(text):
            places = self._terms.inside(variant) if squeezed else self._terms.among(variant)
            match = self._matched(variant, places, across=across)
            if match.score > best.score:
                best = match
        return best

    def _across(self, spoken: Sequence[Element]) -> tuple[float, tuple[Element, ...]]:
        """What elements say together, read in rows and in columns; those that have a part in it."""
        rows = sorted(spoken, key=lambda e: (round(e.box.y_norm * 8), e.box.x_norm))
        columns = sorted(spoken, key=lambda e: (round(e.box.x_norm * 6), e.box.y_norm))
        best: tuple[float, tuple[Element, ...]] = (0.0, ())
        for order in (rows, columns):
            score = ACROSS_WEIGHT * self.score(" ".join(element.text for element in order), across=True).score
            if score > best[0]:
                best = (score, tuple(order))
        score, order_of_best = best
        if score < self.threshold:
            return best
        # An element without which the rest says the same has no part in it.
        kept = list(order_of_best)
        for element in order_of_best:
            rest = [other for other in kept if other is not element]
            if (
                rest
                and ACROSS_WEIGHT * self.score(" ".join(other.text for other in rest), across=True).score
                >= score
            ):
                kept = rest
        return score, tuple(kept)

    def _variants(self, text: str) -> Iterator[tuple[str, bool]]:
        """The text as it is, with disguises taken off, and without spaces where words run on."""
        plain = folded(text)
        yield plain, False
        shown = folded(undisguised(text))
        repaired = self._repaired(shown)
        if repaired != plain:
            yield repaired, False
        letters = re.sub(r"[\W_]+", "", repaired)
        if _SPACED.search(shown) or any(len(word) >= _RUN_ON for word in _WORD.findall(repaired)):
            yield letters, True

    def _repaired(self, text: str) -> str:
        """Single misread letters in long words put right."""
        return _WORD.sub(lambda found: self._misread_as(found.group()), text)

    def _misread_as(self, word: str) -> str:
        if not FUZZY_LEAST <= len(word) <= FUZZY_MOST:
            return word
        for shorter in _one_less(word):
            meant = self._misread.get(shorter)
            if meant is not None:
                return meant
        return word

    def _matched(self, text: str, places: Mapping[str, Sequence[Span]], *, across: bool) -> Match:
        doubt, names = 1.0, []
        for pattern in self._patterns.patterns:
            if across and not pattern.across:
                continue
            if pattern.all:
                holds = _together([places.get(concept, ()) for concept in pattern.all], pattern)
            elif pattern.text:
                holds = any(phrase in text for phrase in self._phrases[pattern.name])
            else:
                holds = self._expressions[pattern.name].search(text) is not None
            if holds:
                doubt *= 1.0 - pattern.weight
                names.append(pattern.name)
        return Match(1.0 - doubt, tuple(names))


class _Terms:
    """Where the words of concepts stand in a text.

    Words are looked up, not tried one after the other: a view full of text would otherwise cost seconds.
    """

    def __init__(self, concepts: Mapping[str, Sequence[str]], not_after: Mapping[str, Sequence[str]]) -> None:
        self._not_after = {concept: tuple(words) for concept, words in not_after.items()}
        self._by_word: dict[str, list[_Term]] = {}
        self._by_stem: dict[str, list[_Term]] = {}
        self._by_key: dict[str, list[_Term]] = {}
        self._unspaced: list[tuple[str, str]] = []
        for concept, terms in concepts.items():
            for written in terms:
                self._add(concept, written)

    def among(self, text: str) -> Mapping[str, Sequence[Span]]:
        """Places by concept, in a text with spaces."""
        places: dict[str, list[Span]] = {}
        tokens = [(found.group(), found.start(), found.end()) for found in _TOKEN.finditer(text)]
        for index, (word, start, _) in enumerate(tokens):
            candidates = (*self._by_word.get(word, ()), *self._by_stem.get(word[:_STEM_LETTERS], ()))
            for term in candidates:
                end = term.end_at(tokens, index)
                if end is not None and not text.endswith(self._not_after.get(term.concept, "\0"), 0, start):
                    places.setdefault(term.concept, []).append((start, end))
        if _UNSPACED.search(text):
            for concept, letters in self._unspaced:
                at = text.find(letters)
                while at >= 0:
                    places.setdefault(concept, []).append((at, at + len(letters)))
                    at = text.find(letters, at + 1)
        return places

    def inside(self, text: str) -> Mapping[str, Sequence[Span]]:
        """Places by concept, in a text without spaces. Short words are everywhere and not looked for."""
        places: dict[str, list[Span]] = {}
        for start in range(len(text) - SQUEEZED_LEAST + 1):
            for term in self._by_key.get(text[start : start + _KEY_LETTERS], ()):
                if text.startswith(term.joined, start):
                    places.setdefault(term.concept, []).append((start, start + len(term.joined)))
        return places

    def _add(self, concept: str, written: str) -> None:
        words = tuple(_TOKEN.findall(folded(written.rstrip("*"))))
        term = _Term(concept, words, open_ended=written.endswith("*"))
        if _UNSPACED.search(written):
            self._unspaced.append((concept, folded(written.rstrip("*"))))
            return
        if term.open_ended and len(words) == 1:
            self._by_stem.setdefault(words[0][:_STEM_LETTERS], []).append(term)
        else:
            self._by_word.setdefault(words[0], []).append(term)
        if len(term.joined) >= SQUEEZED_LEAST:
            self._by_key.setdefault(term.joined[:_KEY_LETTERS], []).append(term)


@dataclass(frozen=True, slots=True)
class _Term:
    concept: str
    words: tuple[str, ...]
    open_ended: bool
    """Whether its last word may go on."""

    @property
    def joined(self) -> str:
        return "".join(self.words)

    def end_at(self, tokens: Sequence[tuple[str, int, int]], index: int) -> int | None:
        """Where it ends, if it stands at that token; None where it does not."""
        last = index + len(self.words) - 1
        if last >= len(tokens):
            return None
        *whole, tail = (word for word, _, _ in tokens[index : last + 1])
        same = tail.startswith(self.words[-1]) if self.open_ended else tail == self.words[-1]
        return tokens[last][2] if same and tuple(whole) == self.words[:-1] else None


def folded(text: str) -> str:
    """Lower case, compatibility forms unified, accents and invisible characters gone, spaces single."""
    decomposed = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text))
    kept = (
        char
        for char in decomposed
        if unicodedata.category(char) not in ("Mn", "Cf", "Cc", "Co", "Cs") or char.isspace()
    )
    joined = unicodedata.normalize("NFC", "".join(kept)).lower().replace("’", "'").replace("ß", "ss")
    return re.sub(r"\s+", " ", joined)


def undisguised(text: str) -> str:
    """Look-alikes of other alphabets and digits inside words as the Latin letters they stand for."""
    lower = unicodedata.normalize("NFKC", text).lower().translate(_LOOK_ALIKES).replace("_", " ")
    return _CHUNK.sub(lambda found: _letters(found.group()), lower)


def _letters(chunk: str) -> str:
    mixed = any(char.isalpha() for char in chunk) and not _LEET_SIGNS.isdisjoint(chunk)
    return chunk.translate(_LEET) if mixed else chunk


def _together(places: Sequence[Sequence[Span]], pattern: _Pattern) -> bool:
    """Whether there is one place of each concept, none inside another, within reach of each other."""
    if not all(places):
        return False
    return any(_reach([first], places[1:], pattern) for first in places[0])


def _reach(
    chosen: list[tuple[int, int]], rest: Sequence[Sequence[tuple[int, int]]], pattern: _Pattern
) -> bool:
    if not rest:
        return True
    for start, end in rest[0]:
        if pattern.ordered and start < chosen[-1][1]:
            continue
        if any(start < other_end and end > other_start for other_start, other_end in chosen):
            continue
        spans = [*chosen, (start, end)]
        if max(e for _, e in spans) - min(s for s, _ in spans) > pattern.within:
            continue
        if _reach(spans, rest[1:], pattern):
            return True
    return False


def _misreadings(concepts: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """What a long word looks like with one letter less, and the word itself for one letter more."""
    meant: dict[str, str] = {}
    words = {
        word
        for terms in concepts.values()
        for term in terms
        for word in [folded(term.rstrip("*"))]
        if len(word) >= FUZZY_LEAST and _WORD.fullmatch(word)
    }
    for word in sorted(words):
        for shorter in _one_less(word):
            meant.setdefault(shorter, word)
    return meant


def _one_less(word: str) -> Iterator[str]:
    yield word
    for index in range(len(word)):
        yield word[:index] + word[index + 1 :]


def _finding(elements: tuple[Element, ...], score: float) -> Finding:
    quoted = " … ".join(" ".join(element.text.split()) for element in elements)
    if len(quoted) > QUOTED_CHARS:
        quoted = quoted[: QUOTED_CHARS - 1].rstrip() + "…"
    return Finding(
        kind=FindingKind.INJECTION,
        key=KEY,
        attribute=ATTRIBUTE,
        severity=Severity.WARNING,
        message=f"Text in view gives orders to whatever checks the view: “{quoted}”",
        confidence=round(score * min(element.confidence for element in elements), 4),
        elements=elements,
    )


@lru_cache(maxsize=1)
def _shipped() -> _Patterns:
    text = files("arwarden.fast").joinpath(PATTERNS_FILE).read_text(encoding="utf-8")
    try:
        return _Patterns.model_validate(yaml.safe_load(text))
    except ValueError as error:
        raise ConfigError(PATTERNS_FILE, [" ".join(str(error).split())]) from error
