"""A text's tokens as clauses of matched phrases and amounts: the structure that claims are read from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from arwarden.fast.claims.lexicon import Kind, Lexicon, Sense
from arwarden.fast.claims.numbers import Amount, NumberReader
from arwarden.fast.claims.tokens import Token

HARD_BREAKS = frozenset({"\n", ".", "!", "?", ";", "\u2022", "\u00b7", "|"})
SOFT_BREAKS = frozenset({","})
DASH_BREAKS = frozenset({"-", "\u2013", "\u2014", "/"})
_ABBREVIATED = frozenset({"max", "min", "no", "nr", "approx", "vol", "incl", "excl", "ca"})


@dataclass(frozen=True, slots=True)
class Item:
    """A phrase or an amount at tokens ``start`` to ``end`` (excluded)."""

    start: int
    end: int
    senses: tuple[Sense, ...] = ()
    amount: Amount | None = None
    quality: float = 1.0

    def of(self, kind: Kind) -> list[Sense]:
        """The senses of one kind."""
        return [sense for sense in self.senses if sense.kind is kind]

    @property
    def only_in_place(self) -> bool:
        """Whether it claims something only at the end of a clause or on its own."""
        return bool(self.senses) and all(sense.kind in {Kind.ALONE, Kind.LAST} for sense in self.senses)

    def has(self, kind: Kind) -> bool:
        """Whether it has a sense of this kind."""
        return any(sense.kind is kind for sense in self.senses)


@dataclass(slots=True)
class Clause:
    """Tokens ``start`` to ``end`` (excluded) that state one thing or a few side by side."""

    start: int
    end: int
    items: list[Item] = field(default_factory=list)
    question: bool = False
    after_hard_break: bool = True


def scan(tokens: Sequence[Token], lexicon: Lexicon, numbers: NumberReader) -> list[Item]:
    """Matched phrases and amounts in order, never overlapping; the longer one wins, then the amount."""
    words = [token.text for token in tokens]
    amounts = {amount.start: amount for amount in numbers.find(tokens)}
    items: list[Item] = []
    at = 0
    while at < len(words):
        length, senses = lexicon.table.longest(words, at)
        least = length + (
            words[at] not in lexicon.data.grammar.copulas
        )  # "is off" gives way to "off limits" too
        if any(lexicon.table.longest(words, later)[0] >= least for later in range(at + 1, at + length)):
            length, senses = 0, []  # "is on | the right" gives way to "is | on the right"
        if any(place in amounts and amounts[place].end > at + length for place in range(at + 1, at + length)):
            length, senses = 0, []  # "meeting room" gives way to "room 4"
        amount = amounts.get(at)
        if amount is not None and amount.end - at >= length:
            length, senses = amount.end - at, []
        elif amount is not None:
            amount = None
        if not length:
            at += 1
            continue
        quality = min(token.quality for token in tokens[at : at + length])
        items.append(Item(at, at + length, tuple(senses), amount, quality))
        at += length
    return items


def split(tokens: Sequence[Token], items: Sequence[Item], joiners: frozenset[str]) -> list[Clause]:
    """The clauses, each with its items. *joiners* are words such as "but" that begin a new one."""
    covered = {at for item in items for at in range(item.start, item.end)}
    clauses: list[Clause] = []
    current = Clause(0, 0)
    for at, token in enumerate(tokens):
        breaks = at not in covered and _breaks(tokens, at, joiners) and not _excepts(tokens, items, at)
        if breaks:
            current.end = at
            current.question = token.text == "?"
            clauses.append(current)
            keep = token.text in joiners
            current = Clause(at if keep else at + 1, 0, after_hard_break=token.text in HARD_BREAKS)
    current.end = len(tokens)
    clauses.append(current)
    for clause in clauses:
        clause.items = [item for item in items if clause.start <= item.start < clause.end]
    return [clause for clause in clauses if clause.end > clause.start]


def _breaks(tokens: Sequence[Token], at: int, joiners: frozenset[str]) -> bool:
    text = tokens[at].text
    if text in HARD_BREAKS:
        return not (text == "." and _abbreviation(tokens, at))
    if text in SOFT_BREAKS or text in joiners:
        return True
    if text in DASH_BREAKS and 0 < at < len(tokens) - 1:
        return tokens[at - 1].end < tokens[at].start and tokens[at].end < tokens[at + 1].start
    return False


def _excepts(tokens: Sequence[Token], items: Sequence[Item], at: int) -> bool:
    """Whether a "but" between two times takes the second out of the first ("every day but Sunday")."""
    if tokens[at].text != "but":
        return False
    times = [item for item in items if item.has(Kind.QUALIFIER)]
    before = any(item.end == at for item in times)
    return before and any(item.start in {at + 1, at + 2} for item in times)


def _abbreviation(tokens: Sequence[Token], at: int) -> bool:
    """A point that touches a word on both sides ("w.c."), or that ends "max.", "no.", "approx."."""
    if at == 0:
        return False
    touching = at + 1 < len(tokens) and tokens[at].end == tokens[at + 1].start
    if touching and len(tokens[at - 1].text) == 1:
        return True
    return tokens[at - 1].text in _ABBREVIATED and at + 1 < len(tokens)
