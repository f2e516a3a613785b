"""A text of another language in the words of the lexicon: a gloss, word by word and phrase by phrase.

All meaning stays in one lexicon, so that a German panel and an English one, a pictogram or a flag are
compared by the same attributes and values, and what is added in English holds for every language.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from arwarden.fast.claims.repair import Repairer
from arwarden.fast.claims.schema import GlossSpec
from arwarden.fast.claims.tokens import Token, tokenise

NUMBER = "#"
FOLLOWED = "..."
MIN_STEM = 3
MIN_HEAD = 4
"""Letters of the first part of a compound; the last may have three ("Kellertür")."""
MIN_COMPOUND = 7
MEMORY = 4096
"""Words whose alternatives are remembered."""
BREAKS = frozenset({".", "!", "?", ";", ",", ":", "\n", "\u2022", "\u00b7", "|", "(", ")"})
_KEY = re.compile(r"#|[\u3400-\u9fff]|[^\W\d_]+'?|\d+|[^\w\s]")
_HAN = re.compile(r"[\u3400-\u9fff]")
_PIECE = re.compile(r"[\u3400-\u9fff]|[^\u3400-\u9fff]+")
_GROUPED = re.compile(r"\d{1,3}(?:\.\d{3})+(?:,\d+)?")
_DECIMAL = re.compile(r"\d+,\d{1,2}")
_POLITE = frozenset({"please", "always", "now", "also", "and", "then", "or"})

_PLAIN = Repairer(frozenset(), frozenset(), lambda _word: True)

Phrase = tuple[str, ...]


class Meaning(NamedTuple):
    """What a wording means."""

    words: Phrase
    """Tokens of the lexicon; none for a wording that says nothing."""
    followed: bool = False
    """Only where another word follows."""
    verb: bool = False
    """A verb that ends an order."""


NOTHING = Meaning(())
Key = tuple[Phrase, bool]
"""A wording, and whether another word must follow."""
Part = tuple[Meaning, Token]


def folded(word: str) -> str:
    """The word without accents, as careless print and damaged readings have it."""
    plain = unicodedata.normalize("NFD", word.replace("\u00df", "ss"))
    return "".join(char for char in plain if not unicodedata.combining(char))


class Gloss:
    """One language, compiled. Pure; remembers the alternatives of the words it met."""

    def __init__(
        self, spec: GlossSpec, known: Callable[[str], bool], units: frozenset[str], numbered: frozenset[str]
    ) -> None:
        self._spec = spec
        self._numbered = numbered
        self._phrases: dict[str, dict[Key, Meaning]] = {}
        self._longest: dict[str, int] = {}
        self._elisions = frozenset(word.rstrip("'") + "'" for word in spec.elisions)
        self._modals = frozenset(spec.modals)
        self._compile()
        # "3e étage": what follows a number in a wording may touch it.
        self._units = units | {
            word
            for phrases in self._phrases.values()
            for phrase, _ in phrases
            for before, word in pairwise(phrase)
            if before == NUMBER and word.isalpha()
        }
        self._vocabulary = frozenset(
            word for phrases in self._phrases.values() for phrase, _ in phrases for word in phrase
        )
        # Shorter ones would be found inside words that the file does not know.
        letters = frozenset(word for word in self._vocabulary if word.isalpha() and len(word) >= MIN_HEAD)
        self._memory: dict[str, tuple[str, ...]] = {}
        self._repairer = Repairer(letters, letters, lambda word: self.knows(word) or known(word))

    def knows(self, word: str) -> bool:
        """Whether it is a word of this language as far as the file tells, inflected or compounded."""
        alternatives = self._alternatives(word)
        return any(one in self._vocabulary for one in alternatives) or bool(self._compound(word))

    def has(self, word: str) -> bool:
        """Whether it stands in the file itself, accents aside."""
        return word in self._vocabulary or folded(word) in self._vocabulary

    def tokens(self, text: str) -> tuple[Token, ...]:
        """The tokens of a cleaned text in words of the lexicon, each with its place in *text*."""
        letter = self._spec.hour_letter
        if letter:
            text = re.sub(rf"(?<=\d){letter}(?=[0-5]\d\b)", ":", text)
        read = tokenise(text, self._repairer, self._units, self._numbered)
        pieces = [piece for token in read for piece in self._pieces(token)]
        return tuple(self._in_order(self._render(pieces)))

    def _compile(self) -> None:
        for verbs, section in ((False, self._spec.words), (True, self._spec.orders)):
            for english, wordings in section.items():
                for wording in wordings:
                    self._add(wording, Meaning(in_english(english), wording.endswith(FOLLOWED), verbs))
        for wording in self._spec.drop:
            self._add(wording, NOTHING)
        for phrases in list(self._phrases.values()):
            for (phrase, _), meaning in list(phrases.items()):
                for variant in self._variants(phrase):
                    self._put(variant, meaning)

    def _variants(self, phrase: Phrase) -> Iterator[Phrase]:
        yield tuple(folded(word) for word in phrase)
        if self._spec.digraphs:
            yield tuple(
                "".join(self._spec.digraphs.get(char, char) for char in word).replace("\u00df", "ss")
                for word in phrase
            )

    def _add(self, wording: str, meaning: Meaning) -> None:
        self._put(cut_wording(wording.removesuffix(FOLLOWED)), meaning)

    def _put(self, phrase: Phrase, meaning: Meaning) -> None:
        self._phrases.setdefault(phrase[0], {}).setdefault((phrase, meaning.followed), meaning)
        self._longest[phrase[0]] = max(self._longest.get(phrase[0], 1), len(phrase))

    def _pieces(self, token: Token) -> Iterator[Token]:
        """A token cut where this language cuts: after an elision, at every Chinese character."""
        text = token.text
        if _HAN.search(text):
            at = token.start
            for match in _PIECE.finditer(text):
                yield replace(token, text=match[0], start=at + match.start(), end=at + match.end())
            return
        head, mark, tail = text.partition("'")
        if mark and tail and head + mark in self._elisions:
            middle = token.start + len(head) + 1
            yield replace(token, text=head + mark, end=middle)
            yield replace(token, text=tail, start=middle)
            return
        if self._spec.decimal_comma and (_GROUPED.fullmatch(text) or _DECIMAL.fullmatch(text)):
            text = text.replace(".", "").replace(",", ".")
        yield replace(token, text=text)

    def _render(self, tokens: Sequence[Token]) -> list[Part]:
        """Each phrase's meaning with the stretch of text that it stands for; unknown words as they are."""
        made: list[Part] = []
        at = 0
        while at < len(tokens):
            length, meaning = self._match(tokens, at)
            if not length:
                length, meaning = self._unmatched(tokens, at)
            last = tokens[at + length - 1]
            quality = min(token.quality for token in tokens[at : at + length])
            if meaning.words:
                made.append((meaning, replace(tokens[at], end=last.end, quality=quality)))
            at += length
        return made

    def _unmatched(self, tokens: Sequence[Token], at: int) -> tuple[int, Meaning]:
        """A compound's parts, a number, or a name: characters that no phrase holds stay together."""
        parts = self._compound(tokens[at].text)
        if parts:
            return 1, Meaning(parts)
        end = at + 1
        if _HAN.fullmatch(tokens[at].text):
            while (
                end < len(tokens)
                and _HAN.fullmatch(tokens[end].text)
                and tokens[end].start == tokens[end - 1].end
                and not self._match(tokens, end)[0]
            ):
                end += 1
        return end - at, Meaning(("".join(token.text for token in tokens[at:end]),))

    def _match(self, tokens: Sequence[Token], at: int) -> tuple[int, Meaning]:
        """Length and meaning of the longest wording that begins at *at*; 0 where none does."""
        best = (0, NOTHING)
        firsts = self._alternatives(tokens[at].text)
        for first in (*firsts, NUMBER) if self._number(tokens[at]) else firsts:
            phrases = self._phrases.get(first)
            if phrases is None:
                continue
            for length in range(min(self._longest[first], len(tokens) - at), best[0], -1):
                here = tokens[at : at + length]
                goes_on = at + length < len(tokens) and tokens[at + length].text not in BREAKS
                found = self._fits(phrases, first, here, followed=True) if goes_on else None
                found = found or self._fits(phrases, first, here, followed=False)
                if found is not None:
                    best = (length, self._with_numbers(found, here))
                    break
        return best

    def _fits(
        self, phrases: dict[Key, Meaning], first: str, tokens: Sequence[Token], *, followed: bool
    ) -> Meaning | None:
        if len(tokens) == 1:
            return phrases.get(((first,), followed))
        for (phrase, is_followed), meaning in phrases.items():
            if (
                is_followed == followed
                and len(phrase) == len(tokens)
                and all(
                    (word == NUMBER and self._number(token)) or word in self._alternatives(token.text)
                    for word, token in zip(phrase[1:], tokens[1:], strict=True)
                )
            ):
                return meaning
        return None

    def _number(self, token: Token) -> str:
        """The digits that a token is or is a word for; empty for other words."""
        if token.is_number:
            return token.text
        words = self._alone(token.text).words
        return words[0] if len(words) == 1 and words[0].isdigit() else ""

    def _with_numbers(self, meaning: Meaning, tokens: Sequence[Token]) -> Meaning:
        """The meaning with the numbers of the text put where it has ``#``."""
        if NUMBER not in meaning.words:
            return meaning
        numbers = (number for number in map(self._number, tokens) if number)
        words = (next(numbers, "") if word == NUMBER else word for word in meaning.words)
        return meaning._replace(words=tuple(filter(None, words)))

    def _alternatives(self, word: str) -> tuple[str, ...]:
        """The word as it is, without accents, and without the endings of inflection."""
        known = self._memory.get(word)
        if known is not None:
            return known
        found = [word, folded(word)]
        for base in dict.fromkeys(found):
            for ending, other in self._spec.endings.items():
                if base.endswith(ending) and len(base) - len(ending) >= MIN_STEM:
                    found.append(base.removesuffix(ending) + other)
        result = tuple(dict.fromkeys(found))
        if len(self._memory) >= MEMORY:
            self._memory.clear()
        self._memory[word] = result
        return result

    def _single(self, word: str) -> Phrase:
        """What one word means by itself; empty for one that the file does not list or that says nothing."""
        for one in self._alternatives(word):
            found = self._alone(one)
            if found.words:
                return found.words
        return ()

    def _alone(self, word: str) -> Meaning:
        return self._phrases.get(word, {}).get(((word,), False), NOTHING)

    def _compound(self, word: str) -> Phrase:
        """The meanings of a compound's two parts ("Kellertür"); empty where it is none."""
        if not self._spec.joints or len(word) < MIN_COMPOUND or not word.isalpha():
            return ()
        for at in range(MIN_HEAD, len(word) - MIN_STEM + 1):
            tail = self._single(word[at:])
            if not tail:
                continue
            for joint in ("", *self._spec.joints):
                stem = word[:at].removesuffix(joint)
                head = self._alone(stem).words if len(stem) >= MIN_HEAD else ()
                if head and word[:at].endswith(joint):
                    return (*head, *tail)
        return ()

    def _in_order(self, parts: Sequence[Part]) -> Iterator[Token]:
        """The parts as tokens, with verbs that end an order or follow a modal where English has them."""
        clause: list[Part] = []
        for part in parts:
            if len(part[0].words) == 1 and part[0].words[0] in BREAKS:
                yield from _as_tokens(self._verb_first(clause))
                yield from _as_tokens([part])
                clause = []
            else:
                clause.append(part)
        yield from _as_tokens(self._verb_first(clause))

    def _verb_first(self, clause: list[Part]) -> list[Part]:
        if len(clause) < 2 or not clause[-1][0].verb:
            return clause
        *rest, verb = clause
        modal = next((at for at, part in enumerate(rest) if part[0].words[0] in self._modals), -1)
        denied = next((at for at, part in enumerate(rest) if part[0].words == ("not",)), -1)
        kept = [part for at, part in enumerate(rest) if at not in (modal, denied)]
        if modal >= 0:
            lead = modal - (0 <= denied < modal)
            negator = [rest[denied]] if denied >= 0 else []
            return [*kept[:lead], rest[modal], *negator, verb, *kept[lead:]]
        lead = next((at for at, part in enumerate(kept) if part[0].words[0] not in _POLITE), len(kept))
        if denied >= 0:
            verb = (Meaning(("do", "not", *verb[0].words)), verb[1])
        return [*kept[:lead], verb, *kept[lead:]]


def cut_wording(wording: str) -> Phrase:
    """A wording of a lexicon file as tokens; every Chinese character is one, an elision ends one."""
    return tuple(_KEY.findall(unicodedata.normalize("NFKC", wording).lower().replace("\u2019", "'")))


def in_english(meaning: str) -> Phrase:
    """An English wording as the lexicon's tokens, ``#`` being one."""
    words: list[str] = []
    for at, part in enumerate(meaning.split(NUMBER)):
        words += [NUMBER] if at else []
        words += (token.text for token in tokenise(part, _PLAIN, frozenset(), frozenset()))
    return tuple(words)


def _as_tokens(parts: Sequence[Part]) -> Iterator[Token]:
    for meaning, token in parts:
        for word in meaning.words:
            yield replace(token, text=word)
