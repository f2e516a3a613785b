"""Claims of whole clauses, open to any words: that something is there or is not, or a plain denial."""

from __future__ import annotations

from collections.abc import Iterator

from arwarden.core.findings import Claim
from arwarden.fast.claims.clauses import Item
from arwarden.fast.claims.lexicon import Lexicon
from arwarden.fast.claims.numbers import AmountKind
from arwarden.fast.claims.open_attributes import EXISTENCE, NUMBER, STATEMENT
from arwarden.fast.claims.passage import Passage
from arwarden.fast.claims.words import singular

MAX_STATEMENT_WORDS = 8
_THERE = frozenset({"here", "ahead", "detected", "present", "nearby", "found", "there"})
_WHERE = frozenset({"in", "at", "on"})


class StatementClaims:
    """Reads existence, bare numbers of names, and whole statements."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        grammar = lexicon.data.grammar
        self._copulas = frozenset(grammar.copulas)
        self._small = frozenset(grammar.function_words) | frozenset(grammar.articles)

    def read(self, passage: Passage) -> Iterator[Claim]:
        """The claims of one clause."""
        yield from self._existence(passage)
        yield from self._number(passage)
        yield from self._statement(passage)

    def _existence(self, passage: Passage) -> Iterator[Claim]:
        """Whether a thing is there at all: "no bridge here", "bridge ahead"."""
        words = passage.words
        mention = next(iter(passage.mentions), None)
        if mention is None or mention.name in self._lexicon.activities:
            return
        item = Item(mention.start, mention.end)
        lead = words[: mention.start - passage.clause.start]
        rest = words[mention.end - passage.clause.start :]
        if lead == ["no"] and (not rest or rest[0] in _THERE | _WHERE):
            yield from passage.claim(EXISTENCE, "absent", item, mention.name, 0.85)
        elif all(word in {"a", "an", "the"} for word in lead) and rest and passage.light(item).strength > 0:
            strength = 0.85 if rest[0] in _THERE else 0.75 if rest[0] in _WHERE and len(rest) > 1 else 0.0
            if strength and not any(passage.is_negator(word) for word in rest):
                yield from passage.claim(EXISTENCE, "present", item, mention.name, strength)

    def _number(self, passage: Passage) -> Iterator[Claim]:
        """A bare number given for a name: "score: 5"."""
        amounts = [item for item in passage.items if item.amount is not None]
        if len(amounts) != 1 or len(passage.mentions) != 1:
            return
        item, mention = amounts[0], passage.mentions[0]
        between = [token.text for token in passage.tokens[mention.end : item.start]]
        counts = item.amount is not None and item.amount.kind is AmountKind.COUNT
        if counts and between == [":"] and item.end == passage.clause.end and item.amount is not None:
            yield from passage.claim(NUMBER, item.amount.value, item, mention.name, 0.85)

    def _statement(self, passage: Passage) -> Iterator[Claim]:
        """The whole clause as one claim, so that its plain denial contradicts it ("is (not) monitored")."""
        if not set(passage.words) & self._copulas:
            return
        clause = passage.clause
        words = [t.text for t in passage.tokens[clause.start : clause.end] if t.is_word or t.is_number]
        content = sorted(
            singular(word)
            for word in words
            if word not in self._small
            and not passage.is_negator(word)
            and word not in {"please", "now", "currently"}
        )
        if not 2 <= len(content) <= MAX_STATEMENT_WORDS:
            return
        item = Item(clause.end - 1, clause.end)
        light = passage.light(item)
        denials = sum(passage.is_negator(word) for word in words)
        yield from passage.claim(
            STATEMENT,
            " ".join(content),
            item,
            "",
            light.strength * 0.9,
            negated=denials % 2 == 1,
            tense=light.tense,
        )
