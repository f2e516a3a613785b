"""Claims from predicates of any vocabulary: "the water is drinkable", "bridge unstable", "raw salmon"."""

from __future__ import annotations

from collections.abc import Iterator

from arwarden.core.findings import Claim
from arwarden.fast.claims.clauses import Item
from arwarden.fast.claims.lexicon import Kind, Lexicon
from arwarden.fast.claims.open_attributes import PROPERTY
from arwarden.fast.claims.passage import Passage
from arwarden.fast.claims.subjects import Mention
from arwarden.fast.claims.words import NEGATIVE_PREFIXES

_NOW = frozenset({"now", "today", "tonight", "here", "currently", "!"})
_DEGREES = frozenset({"more", "less"})
_USUAL = frozenset({"usual", "normal", "average", "ever", "expected", "yours", "ours", "planned"})
"""Beside these things are compared where nothing is named ("busier", "busier than usual")."""
PREDICATE_STRENGTH = 0.97
ATTRIBUTIVE_STRENGTH = 0.76
"""Before its noun a word often only tells one thing from another ("single room 80 €")."""
WHOLE_STRENGTH = 0.83
LONE_STRENGTH = 0.85


class PredicateClaims:
    """Reads adjectives and participles said of something."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        grammar = lexicon.data.grammar
        self._copulas = frozenset(grammar.copulas)
        self._modifiers = frozenset(grammar.modifiers)
        self._fillers = frozenset(grammar.fillers)
        self._small = frozenset(grammar.function_words) | frozenset(grammar.articles)

    def read(self, passage: Passage) -> Iterator[Claim]:
        """The predicates of one clause."""
        yield from self._comparisons(passage)
        covered = self._covered(passage)
        for at in range(passage.clause.start, passage.clause.end):
            token = passage.tokens[at]
            lead = passage.word_before(at)
            compared = token.text in _DEGREES or passage.word_after(at + 1) == "than"
            if compared or not self._is_adjective(token.text, after_copula=lead in self._copulas):
                continue
            if at in covered and not self._is_lone_predicate(passage, at):
                continue
            name, strength = self._described(passage, at)
            if not strength:
                continue
            item = Item(at, at + 1, quality=token.quality)
            light = passage.light(item)
            yield from passage.claim(
                PROPERTY,
                token.text,
                item,
                name,
                strength * light.strength,
                negated=light.negated,
                tense=light.tense,
            )

    def _described(self, passage: Passage, at: int) -> tuple[str, float]:
        """What the adjective at token *at* is said of, and how surely; not at all where it only stands by."""
        word, lead = passage.tokens[at].text, passage.word_before(at)
        predicate = (
            lead in self._copulas
            or passage.is_negator(lead)
            or lead in {"very", "now", "too", "still", "highly"}
        )
        last = all(not t.is_word for t in passage.tokens[at + 1 : passage.clause.end])
        before = [m for m in passage.mentions if m.end <= at]
        after = [m for m in passage.mentions if m.start <= at + 1 <= m.end and m.end > at + 1]
        if before and (predicate or (last and before[-1].end == at)):
            return before[-1].name, PREDICATE_STRENGTH
        if after and not any(i.start == at and i.has(Kind.VALUE) for i in passage.items):
            name = " ".join(one for one in after[0].name.split() if one != word)
            return name, WHOLE_STRENGTH if self._is_all(passage, at, after[0]) else ATTRIBUTIVE_STRENGTH
        return "", LONE_STRENGTH if last and (predicate or not self._words_before(passage, at)) else 0.0

    def _comparisons(self, passage: Passage) -> Iterator[Claim]:
        """How something is beside something else: "stronger than usual", "is less crowded"."""
        if any(item.amount is not None for item in passage.items):
            return  # a bound
        for at in range(passage.clause.start, passage.clause.end):
            start = at - (passage.word_before(at) in _DEGREES)
            words = " ".join(token.text for token in passage.tokens[start : at + 1])
            compared = self._lexicon.words.comparative(words)
            if compared is None or "a" not in self._lexicon.words.all_kinds(compared[0]):
                continue
            than = passage.word_after(at + 1) == "than"
            if not than and passage.word_before(start) not in self._copulas:
                continue
            behind = [token.text for token in passage.tokens[at + 2 : passage.clause.end] if token.is_word]
            beside = [word for word in behind if than and word not in self._small and word not in _USUAL]
            item = Item(start, at + 1, quality=passage.tokens[at].quality)
            name = next((m.name for m in reversed(passage.mentions) if m.end <= start), "")
            light = passage.light(item)
            attribute = f"{PROPERTY}.than {' '.join(beside)}" if beside else PROPERTY
            sure = PREDICATE_STRENGTH * light.strength
            yield from passage.claim(
                attribute, words, item, name, sure, negated=light.negated, tense=light.tense
            )

    def _covered(self, passage: Passage) -> set[int]:
        """Tokens whose phrase means something else than the word alone.

        A word of an attribute's value also is a predicate, for what else it may be the opposite of; beside
        numbers and times it says little of now ("open 9-17").
        """
        timed = bool(passage.occasions) or any(item.amount is not None for item in passage.items)
        return {
            at
            for item in passage.items
            if not item.only_in_place and not self._depends(item)
            if timed or item.end - item.start > 1 or not all(s.kind is Kind.VALUE for s in item.senses)
            for at in range(item.start, item.end)
        }

    def _is_all(self, passage: Passage, at: int, thing: Mention) -> bool:
        """Whether the clause says nothing but this of the thing ("raw salmon"), and does not place it."""
        small = all(token.text in self._small for token in passage.tokens[passage.clause.start : at])
        placing = passage.tokens[at].text in self._modifiers
        behind = passage.tokens[thing.end : passage.clause.end]
        return small and not placing and all(token.text in _NOW for token in behind)

    def _depends(self, item: Item) -> bool:
        """Whether its value holds for a few things only ("dead" for a cable)."""
        return bool(item.senses) and all(
            sense.kind is Kind.VALUE
            and sense.strength < 1.0
            and bool(self._lexicon.data.attributes[sense.attribute].values[sense.value].only_for)
            for sense in item.senses
        )

    def _words_before(self, passage: Passage, at: int) -> bool:
        """Whether any word but a negator stands before token *at* in the clause."""
        lead = passage.tokens[passage.clause.start : at]
        return any(token.is_word and not passage.is_negator(token.text) for token in lead)

    def _is_lone_predicate(self, passage: Passage, at: int) -> bool:
        """Whether a word for a thing here says how another is ("the bag is light")."""
        item = next(item for item in passage.items if item.start <= at < item.end)
        only_subject = bool(item.senses) and all(sense.kind is Kind.SUBJECT for sense in item.senses)
        return only_subject and passage.word_before(at) in self._copulas and not passage.word_after(at + 1)

    def _is_adjective(self, word: str, *, after_copula: bool) -> bool:
        if word in self._small or (word in self._fillers and not after_copula) or len(word) < 3:
            return False
        words = self._lexicon.words
        kinds = words.kinds.get(word, "")
        if kinds[:1] == "a" or ("a" in kinds and word in words.antonyms):
            return True
        if word.endswith(("able", "ible")) and (not kinds or "a" in kinds):
            return True
        bare = [word.removeprefix(prefix) for prefix in NEGATIVE_PREFIXES if word.startswith(prefix)]
        participle = word.endswith("ed") and any("v" in words.all_kinds(one) for one in (word, *bare))
        return participle or any(words.kinds.get(one, "")[:1] == "a" for one in bare)
