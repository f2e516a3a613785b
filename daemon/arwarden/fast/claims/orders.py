"""Orders: any verb that begins a clause, with its object ("do not shake", "press the button")."""

from __future__ import annotations

from collections.abc import Iterator

from arwarden.core.findings import Claim
from arwarden.fast.claims.clauses import Item
from arwarden.fast.claims.lexicon import Kind, Lexicon, cut
from arwarden.fast.claims.open_attributes import INSTRUCTION
from arwarden.fast.claims.passage import Passage

ORDER_STRENGTH = 0.9
FORBIDDING_STRENGTH = 0.95
_PLACES = frozenset({"here", "there", "inside", "outside"})
_SKIP = frozenset({"please", "kindly", "always", "now", "also", "and", "then", ":", "you"})
_FILLING_ORDERS = frozenset({"press", "push", "use", "click", "tap", "pay", "enjoy"})
_PLAIN_ORDERS = frozenset({"press", "push", "use", "open", "shake"})
"""Verbs that mostly are nouns or adjectives, but begin orders all the same."""
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
        self._fillers = frozenset(grammar.fillers)
        self._small = frozenset(grammar.function_words) | frozenset(grammar.articles)

    def read(self, passage: Passage) -> Iterator[Claim]:
        """The orders of one clause."""
        at = passage.clause.start
        while (
            at < passage.clause.end
            and (passage.tokens[at].text in _SKIP or passage.tokens[at].text in {"must", "do"})
            and passage.tokens[at + 1 : at + 2]
            and passage.tokens[at].text != "do"
        ):
            at += 1
        negated = False
        for phrase in self._forbids:
            if tuple(t.text for t in passage.tokens[at : at + len(phrase)]) == phrase:
                at, negated = at + len(phrase), True
                break
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
        if not negated and kinds[0] != "v" and verb not in _PLAIN_ORDERS:
            return
        following = [m for m in passage.mentions if m.start > at]
        thing = following[0].name if following else ""
        rest = [t.text for t in passage.tokens[at + 1 : passage.clause.end] if t.is_word]
        if not negated and self._is_no_order(passage, at, thing, rest):
            return
        item = Item(at, at + 1, quality=passage.tokens[at].quality)
        place = next((word for word in rest if word in _PLACES), "")
        subject = " ".join(part for part in (thing, place, verb) if part)
        strength = FORBIDDING_STRENGTH if negated else ORDER_STRENGTH
        yield from passage.claim(INSTRUCTION, "do", item, subject, strength, negated=negated)

    def _is_no_order(self, passage: Passage, at: int, thing: str, rest: list[str]) -> bool:
        """Whether the verb at token *at* has no object, or is a part of a name: "print room", "test load 2 t"."""
        if not thing and any(self._lexicon.words.kind(w) != "r" and w not in self._small for w in rest):
            return True
        room = len(rest) == 1 and rest[0] in _NAMED_BY_USE
        return passage.names_a_quantity(at) or (room and passage.tokens[at].text not in _DONE_TO_PLACES)
