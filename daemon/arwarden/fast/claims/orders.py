"""Orders: any verb that begins a clause, with its object ("do not shake", "press the button").

What may be done is read as an order too, for it contradicts one not to ("you may stack", "do not stack").
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from arwarden.core.findings import Claim
from arwarden.fast.claims.clauses import Item
from arwarden.fast.claims.lexicon import Kind, Lexicon, cut
from arwarden.fast.claims.numbers import AmountKind
from arwarden.fast.claims.open_attributes import EXISTENCE, INSTRUCTION, PERMISSION
from arwarden.fast.claims.passage import Passage
from arwarden.fast.claims.subjects import THE

ORDER_STRENGTH = 0.9
FORBIDDING_STRENGTH = 0.95
_FORBIDDEN, _ALLOWED = "forbidden", "allowed"
_HEADING_WORDS = 3
_PLACES = frozenset({"here", "there", "inside", "outside"})
_SKIP = frozenset({"please", "kindly", "always", "now", "also", "and", "then", ":", "you"})
_FILLING_ORDERS = frozenset({"press", "push", "use", "click", "tap", "pay", "enjoy"})
_PLAIN_ORDERS = frozenset({"press", "push", "use", "open", "shake"})
"""Verbs that mostly are nouns or adjectives, but begin orders all the same."""
_TIMES = frozenset({"before", "after", "during", "while"})
"""From these on an order says when ("shake before use")."""
_NAMED_BY_USE = frozenset(
    {"room", "shop", "office", "area", "zone", "station", "hall", "desk", "centre", "center", "counter"}
)
"""Behind a verb, and nothing else, these are called by what one does there ("print room")."""
_DONE_TO_PLACES = frozenset({"enter", "leave", "exit", "vacate", "clean", "lock", "close", "open"})
"""Unless that is done to places."""


class OrderClaims:
    """Reads orders."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        grammar = lexicon.data.grammar
        self._forbids = sorted((cut(words) for words in grammar.forbids), key=len, reverse=True)
        self._permits = sorted((cut(words) for words in grammar.permits), key=len, reverse=True)
        self._fillers = frozenset(grammar.fillers)
        self._small = frozenset(grammar.function_words) | frozenset(grammar.articles)

    def read(self, passage: Passage) -> Iterator[Claim]:
        """The orders of one clause."""
        at, mood = self._begin(passage)
        if at >= passage.clause.end:
            return
        verb = passage.tokens[at].text
        if any(
            i.start <= at < i.end and (passage.claims_something(i) or i.has(Kind.ACTIVITY))
            for i in passage.items
        ):
            return
        kinds = self._lexicon.words.kinds.get(verb, "")
        if "v" not in kinds or verb in self._small or (verb in self._fillers and verb not in _FILLING_ORDERS):
            return
        plain = kinds[0] == "v" or verb in _PLAIN_ORDERS or passage.word_after(at + 1) in THE
        if not mood and not plain:
            return
        thing = self._thing(passage, at)
        rest = [t.text for t in passage.tokens[at + 1 : passage.clause.end] if t.is_word]
        rest = rest[: next((place for place, word in enumerate(rest) if word in _TIMES), None)]
        if not mood and self._is_no_order(passage, at, thing, rest):
            return
        item = Item(at, at + 1, quality=passage.tokens[at].quality)
        place = next((word for word in rest if word in _PLACES), "")
        subject = " ".join(part for part in (thing, place, verb) if part)
        strength = FORBIDDING_STRENGTH if mood == _FORBIDDEN else ORDER_STRENGTH
        strength *= passage.light(item).strength
        yield from passage.claim(INSTRUCTION, "do", item, subject, strength, negated=mood == _FORBIDDEN)

    def _begin(self, passage: Passage) -> tuple[int, str]:
        """Where the verb is, behind a heading and what forbids or allows, and which of both it is."""
        words, at = passage.words, 0
        if ":" in words[: _HEADING_WORDS + 1]:
            at = words.index(":") + 1
        while at + 1 < len(words) and (words[at] in _SKIP or words[at] == "must"):
            at += 1
        for phrase in self._forbids:
            if tuple(words[at : at + len(phrase)]) == phrase:
                return passage.clause.start + at + len(phrase), _FORBIDDEN
        for phrase in self._permits:
            told = len(phrase) > 1 or words[at - 1 : at] == ["you"]
            if told and tuple(words[at : at + len(phrase)]) == phrase:
                return passage.clause.start + at + len(phrase), _ALLOWED
        return passage.clause.start + at, ""

    def _thing(self, passage: Passage, at: int) -> str:
        """What the order at token *at* is about: the first thing behind it, else its heading."""
        behind = [m.name for m in passage.mentions if m.start > at]
        heading = [m.name for m in passage.mentions if m.end <= at and passage.word_after(m.end) == ":"]
        return (*behind, *heading, "")[0]

    def _is_no_order(self, passage: Passage, at: int, thing: str, rest: list[str]) -> bool:
        """Whether the verb at token *at* has no object, or begins a name: "print room", "test load 2 t"."""
        if not thing and any(self._lexicon.words.kind(w) != "r" and w not in self._small for w in rest):
            return True
        if any(mention.start == at for mention in passage.mentions):
            return True  # "filter cleaned", "ferry leaves"
        if "n" in self._lexicon.words.all_kinds(passage.tokens[at].text) and self._is_amount(passage, at + 1):
            return True
        room = len(rest) == 1 and rest[0] in _NAMED_BY_USE
        return passage.names_a_quantity(at) or (room and passage.tokens[at].text not in _DONE_TO_PLACES)

    def _is_amount(self, passage: Passage, at: int) -> bool:
        """Whether a noun before token *at* only names an amount: "pack of 6", "deposit €0.25"."""
        priced = any(
            item.start == at and item.amount is not None and item.amount.kind is AmountKind.PRICE
            for item in passage.items
        )
        return priced or passage.word_after(at) in {"of", ":"}


def as_order(claim: Claim, lexicon: Lexicon) -> Iterator[Claim]:
    """What an activity's permission orders, where the lexicon does not list it: "feeding prohibited"."""
    base, dot, occasion = claim.attribute.partition(".")
    doing = claim.subject.rpartition(" ")[2]
    verb = lexicon.words.verb_of(doing) if doing.endswith("ing") and doing not in lexicon.activities else ""
    denied = base == EXISTENCE and claim.value == "absent"
    if verb and (denied or base == PERMISSION):
        yield replace(
            claim,
            attribute=INSTRUCTION + dot + occasion,
            value="do",
            subject=claim.subject.removesuffix(doing) + verb,
            polarity=claim.value == _ALLOWED,
        )
