"""What a price is for; and that there is none to pay ("no booking fee"), or none of what else is a number."""

from __future__ import annotations

from collections.abc import Iterator

from arwarden.core.findings import Claim
from arwarden.fast.claims.clauses import Item
from arwarden.fast.claims.lexicon import Lexicon
from arwarden.fast.claims.passage import Passage
from arwarden.fast.claims.words import singular

NONE_STRENGTH = 0.95
NOTHING = "0.00"
FEES = frozenset({"fee", "fees", "charge", "charges", "cost", "costs"})
EXTRAS = frozenset({"shipping", "deposit", "tax"})
"""Prices that come on top: the words for them name no thing that is bought."""
_MEASURED = frozenset({"warranty", "waiting time", "speed limit"})
_DENYING = frozenset({"no", "without", "zero"})
_NOT_THAT = frozenset({"of", "that"})
"""Behind these it is something else that there is none of ("no guarantee of delivery")."""
_LEAST = frozenset({"minimum", "min"})
_MAX_WORDS = 4
PIECE = "piece"
_PIECES = frozenset({"piece", "pieces", "item", "unit", "pc", "pcs", "each", "apiece"})
_PER = frozenset({"per", "/"})
_FOR_ONE = frozenset({"a", "an", "the"})
_LEAD = 4


class FeeClaims:
    """Reads what there is none of, as a number: it contradicts any other."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        grammar = lexicon.data.grammar
        self._small = frozenset(grammar.function_words) | frozenset(grammar.articles)
        data = lexicon.data
        self._extras = extra_names(lexicon)
        self._measured = {
            word: (name, f"0 {data.dimensions[dimension].base}")
            for dimension, groups in data.measure_names.items()
            for name, words in groups.items()
            if name in _MEASURED
            for word in words
        }

    def read(self, passage: Passage) -> Iterator[Claim]:
        """The claims of one clause."""
        if any(item.amount is not None for item in passage.items):
            return
        for at in range(passage.clause.start, passage.clause.end):
            if passage.tokens[at].text in _DENYING:
                words = self._denied(passage, at + 1)
            elif passage.tokens[at].text == "none" and passage.word_before(at) == ":":
                words = passage.words[: at - 1 - passage.clause.start]
            else:
                continue
            yield from self._nothing(passage, Item(at, at + 1), words)

    def _denied(self, passage: Passage, start: int) -> list[str]:
        """The words of what is denied from token *start* on."""
        end = start
        while end < min(passage.clause.end, start + _MAX_WORDS) and self._names(passage.tokens[end].text):
            end += 1
        words = [token.text for token in passage.tokens[start:end]]
        while len(words) > 1 and self._lexicon.words.kind(words[-1]) in "va":
            words.pop()  # "no warranty given"
        return [] if passage.word_after(end) in _NOT_THAT else words

    def _names(self, word: str) -> bool:
        return word.isalpha() and word not in self._small

    def _nothing(self, passage: Passage, item: Item, words: list[str]) -> Iterator[Claim]:
        if not words:
            return
        name = next((self._extras[word] for word in words if word in self._extras), None)
        if words[0] in _LEAST:
            subject = " ".join(word for word in words[1:] if word == "order")
            yield from passage.claim("price.min", NOTHING, item, subject, NONE_STRENGTH)
        elif name is not None and (words[-1] in FEES or name != "shipping"):
            yield from passage.claim(f"price.{name}", NOTHING, item, "", NONE_STRENGTH)
        elif words[-1] in FEES and len(words) > 1:
            named = self._lexicon.subject_names.get(" ".join(words[-2:]), " ".join(words[:-1]))
            yield from passage.claim("price", NOTHING, item, named, NONE_STRENGTH)
        elif (measured := self._measured.get(" ".join(words))) is not None:
            yield from passage.claim(measured[0], measured[1], item, "", NONE_STRENGTH)


def extra_names(lexicon: Lexicon) -> dict[str, str]:
    """The words for what is paid on top, with the name of that price."""
    return {
        word: name
        for name, phrases in lexicon.data.price_names.items()
        if name in EXTRAS
        for word in phrases
        if word.isalpha()
    }


def unit_price(passage: Passage, item: Item, lexicon: Lexicon) -> tuple[str, frozenset[str]]:
    """How much a price is for ("kg", "100 g", "piece"), and the words that tell; empty where none do.

    It stands behind the price ("€3 per kg", "€2 each", "€4 a kilo") or before it ("price per kg: €3").
    """
    at = item.end
    if passage.word_after(at) in _PIECES:
        return PIECE, frozenset({passage.word_after(at)})
    if passage.word_after(at) in _FOR_ONE:
        closes = at + 2 >= passage.clause.end
        return _unit(passage, at + 1, lexicon) if closes else ("", frozenset())
    if passage.word_after(at) in _PER:
        return _unit(passage, at + 1, lexicon)
    lead = range(item.start - 2, max(passage.clause.start, item.start - _LEAD) - 1, -1)
    start = next((place for place in lead if passage.tokens[place].text == "per"), None)
    return _unit(passage, start + 1, lexicon) if start is not None else ("", frozenset())


def _unit(passage: Passage, at: int, lexicon: Lexicon) -> tuple[str, frozenset[str]]:
    """The unit at token *at*, by its short name, and its words."""
    word = passage.word_after(at)
    if word.isdigit():
        unit, words = _unit(passage, at + 1, lexicon)
        return f"{word} {unit}".strip(), words
    if word in _PIECES:
        return PIECE, frozenset({word, singular(word)})
    return lexicon.unit_words.get((word,), singular(word)), frozenset({word, singular(word)})
