"""Claims of sentences that are the same but for one word: a number, a letter, a name, a direction.

What stays is the attribute ("value (add egg)"), what changes is the value, so that "Add 2 eggs" contradicts
"Add 5 eggs" without anything known of eggs. Where the word only tells one thing from another ("Platform 3:
Berlin") it is no value.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from arwarden.core.findings import Claim
from arwarden.fast.claims.clauses import Item
from arwarden.fast.claims.lexicon import Kind, Lexicon, cut
from arwarden.fast.claims.numbers import AmountKind
from arwarden.fast.claims.open_attributes import FRAME
from arwarden.fast.claims.passage import Passage
from arwarden.fast.claims.tokens import Token
from arwarden.fast.claims.words import singular

NUMBER_STRENGTH = 0.86
NAME_STRENGTH = 0.86
YEAR_STRENGTH = 0.92
OPPOSITE_STRENGTH = 0.84
MAX_KEY_WORDS = 6
MIN_KEY_WORDS = 2
MAX_NAME_WORDS = 4
MAX_SHADE_WORDS = 2
"""Verb and thing: an order that says more ("press the red button to stop") may have another one beside it."""
SHADE_STRENGTH = 0.84
_BOUNDS = frozenset(
    {"to", "from", "over", "under", "above", "below", "max", "min", "maximum", "minimum", "least", "most"}
    | {
        "than",
        "about",
        "approx",
        "-",
        "\u2013",
        "between",
        "plus",
        "or",
        "and",
        "up",
        "until",
        "/",
        "every",
        "per",
    }
)
"""Beside a number these make it a bound or a range, which other numbers may lie in."""
_KINDS = frozenset({AmountKind.QUANTITY, AmountKind.COUNT, AmountKind.LABEL})
_PREPOSITIONS = frozenset(
    {"to", "of", "in", "at", "on", "for", "from", "with", "by", "per", "left", "remaining"}
)
_IRREGULAR = frozenset(
    {"built", "born", "made", "written", "drawn", "begun", "cast", "laid", "woven", "sunk"}
)
_YEARS = range(1000, 2100)


class FrameClaims:
    """Reads the one word that a sentence is about."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        grammar = lexicon.data.grammar
        self._small = frozenset(grammar.function_words) | frozenset(grammar.articles)
        self._copulas = frozenset(grammar.copulas)
        self._fields = frozenset(cut(name) for name in lexicon.data.fields)
        self._longest_field = max((len(field) for field in self._fields), default=0)

    def read(self, passage: Passage) -> Iterator[Claim]:
        """The claims of one clause."""
        yield from self._numbers(passage)
        yield from self._letter(passage)
        yield from self._shade(passage)
        yield from self._doer(passage)
        yield from self._field(passage)
        yield from self._goal(passage)
        yield from self._last_word(passage)

    def _claim(
        self, passage: Passage, key: Sequence[str], value: str, item: Item, strength: float
    ) -> Iterator[Claim]:
        """The claim that *value* is what goes with the words of *key*, which say all the rest."""
        light = passage.light(item)
        words = [word for word in key if word]
        if not words or len(words) > MAX_KEY_WORDS:
            return
        occasion = passage.frame or ("" if light.tense == "present" else light.tense)
        name = ".".join(part for part in (FRAME, " ".join(sorted(words)), occasion) if part)
        sure = strength * light.strength * item.quality
        yield Claim(name, value, "", not light.negated, sure, passage.span())

    def _rest(self, passage: Passage, start: int, end: int) -> list[str]:
        """The words of the clause that mean something, without those from *start* to *end*."""
        found: list[str] = []
        for at in range(passage.clause.start, passage.clause.end):
            token = passage.tokens[at]
            if start <= at < end or not (token.is_word or token.is_number) or token.text in self._small:
                continue
            if not passage.is_negator(token.text):
                word = singular(token.text)
                found.append(self._lexicon.subject_names.get(token.text, word))
        return found

    def _numbers(self, passage: Passage) -> Iterator[Claim]:
        for item in passage.items:
            amount = item.amount
            if amount is None or amount.kind not in _KINDS or self._is_bound(passage, item):
                continue
            if not self._is_told(passage, item):
                continue
            year = amount.kind is AmountKind.COUNT and amount.value.isdigit() and int(amount.value) in _YEARS
            if year and not self._dates(passage, item):
                continue
            key = self._rest(passage, item.start, item.end)
            if not key:
                continue
            strength = YEAR_STRENGTH if year else NUMBER_STRENGTH
            yield from self._claim(passage, [*key, "" if year else amount.unit], amount.value, item, strength)

    def _is_bound(self, passage: Passage, item: Item) -> bool:
        near = {passage.word_before(item.start), passage.word_before(item.start - 1)}
        behind = passage.word_after(item.end)
        return bool(near & _BOUNDS - {"and"}) or behind in {"-", "\u2013", "to", "or", "+", "/", "plus"}

    def _is_told(self, passage: Passage, item: Item) -> bool:
        """Whether the number is what the clause tells, and does not only name what it speaks of."""
        lead = passage.tokens[passage.clause.start : item.start]
        behind = [token.text for token in passage.tokens[item.end : passage.clause.end]]
        orders = bool(lead) and "v" in self._lexicon.words.all_kinds(lead[0].text)[:1]
        if behind[:1] == ["of"]:
            return False  # one of a series: "part 1 of 2"
        if orders or (lead and lead[-1].text == ":"):
            return True
        says_more = any(other.has(Kind.VALUE) and passage.claims_something(other) for other in passage.items)
        tells_apart = bool(lead) and lead[-1].is_word and lead[-1].text not in self._small
        if tells_apart and (says_more or len(self._rest(passage, item.start, item.end)) < MIN_KEY_WORDS):
            return False  # "elevator 1 in service", "step 1"
        counts = item.amount is not None and item.amount.kind is AmountKind.COUNT
        if counts and behind and not (lead and lead[-1].is_word and lead[-1].text not in self._small):
            behind = behind[1:]  # the thing counted
        return all(word in self._small or not word.isalpha() for word in behind[:1])

    def _dates(self, passage: Passage, item: Item) -> bool:
        """Whether a year is when something was done: "built in 1432", "founded 1850"."""
        lead = passage.word_before(item.start)
        verb = passage.word_before(item.start - 1) if lead in {"in", "around"} else lead
        return verb in _IRREGULAR or (verb.endswith("ed") and self._lexicon.words.is_verb(verb))

    def _letter(self, passage: Passage) -> Iterator[Claim]:
        """A single capital that tells which: "use screw A", "stage B tonight"."""
        for at in range(passage.clause.start + 1, passage.clause.end):
            token = passage.tokens[at]
            if not (len(token.text) == 1 and token.upper and token.is_word):
                continue
            lead = passage.word_before(at)
            item = Item(at, at + 1, quality=token.quality)
            if "n" in self._lexicon.words.all_kinds(lead) and self._is_told(passage, item):
                yield from self._claim(
                    passage, self._rest(passage, at, at + 1), token.text, item, NUMBER_STRENGTH
                )

    def _shade(self, passage: Passage) -> Iterator[Claim]:
        """Which one of several an order is about: "cut the blue cable", "take the second door"."""
        if not self._orders(passage):
            return
        for at in range(passage.clause.start + 1, passage.clause.end - 1):
            word = passage.tokens[at].text
            thing = passage.tokens[at + 1].text
            if "colour" not in self._lexicon.categories.of(word) or not self._is_noun(thing):
                continue
            key = self._rest(passage, at, at + 1)
            if len(key) <= MAX_SHADE_WORDS:
                item = Item(at, at + 1, quality=passage.tokens[at].quality)
                yield from self._claim(passage, key, word, item, SHADE_STRENGTH)

    def _is_noun(self, word: str) -> bool:
        return self._lexicon.words.kind(word) in "n?" and word not in self._small

    def _doer(self, passage: Passage) -> Iterator[Claim]:
        """Who did it: "painted by Monet"."""
        for at in range(passage.clause.start + 1, passage.clause.end - 1):
            verb = passage.tokens[at - 1].text
            if passage.tokens[at].text != "by" or not self._lexicon.words.is_verb(verb):
                continue
            name = passage.tokens[at + 1 : passage.clause.end]
            if self._is_name(name):
                item = Item(at + 1, passage.clause.end)
                key = ["by", *self._rest(passage, at + 1, passage.clause.end)]
                yield from self._claim(passage, key, _joined(name), item, NAME_STRENGTH)

    def _field(self, passage: Passage) -> Iterator[Claim]:
        """The name in a field that has one value: "Composer: Mozart", "your guide is Thomas"."""
        tokens = passage.tokens
        for at in range(passage.clause.start + 1, passage.clause.end - 1):
            if tokens[at].text != ":" and tokens[at].text not in {"is", "are"}:
                continue
            lead = [
                token.text
                for token in tokens[passage.clause.start : at]
                if token.text not in self._small and token.is_word
            ]
            name = tokens[at + 1 : passage.clause.end]
            if self._names_field(lead) and self._is_name(name):
                item = Item(at + 1, passage.clause.end)
                yield from self._claim(passage, lead, _joined(name), item, NAME_STRENGTH)
            return

    def _goal(self, passage: Passage) -> Iterator[Claim]:
        """Where a numbered thing goes: "bus 14 to Harbour", "bus 14 to the harbour"."""
        for at in range(passage.clause.start + 2, passage.clause.end - 1):
            numbered = any(item.end == at and item.amount is not None for item in passage.items)
            name = passage.tokens[at + 1 : passage.clause.end]
            if passage.tokens[at].text == "to" and numbered and (self._is_name(name) or _is_goal(name)):
                key = [token.text for token in passage.tokens[passage.clause.start : at]]
                item = Item(at + 1, passage.clause.end)
                goal = _joined(name).removeprefix("the ")
                yield from self._claim(passage, ["to", *key], goal, item, NAME_STRENGTH)

    def _names_field(self, lead: Sequence[str]) -> bool:
        """Whether the words end in the name of a field."""
        return any(tuple(lead[-length:]) in self._fields for length in range(1, self._longest_field + 1))

    def _is_name(self, tokens: Sequence[Token]) -> bool:
        """Whether it reads as a proper name: every word of it with a capital, no amount, not too long."""
        words = [token for token in tokens if token.is_word and token.text not in {"de", "von", "van", "le"}]
        plain = all(token.is_word or token.text in {".", "-", "'"} for token in tokens)
        return plain and 0 < len(words) <= MAX_NAME_WORDS and all(token.upper for token in words)

    def _last_word(self, passage: Passage) -> Iterator[Claim]:
        """An adverb or noun that has an opposite at the end: "insert from above", "treasure to the north"."""
        ends = [at for at in range(passage.clause.start, passage.clause.end) if passage.tokens[at].is_word]
        if len(ends) < 2:
            return
        at = ends[-1]
        word = passage.tokens[at].text
        if word not in self._lexicon.words.antonyms or self._lexicon.words.kind(word) not in "nr":
            return
        if any(item.start <= at < item.end and item.has(Kind.VALUE) for item in passage.items):
            return
        if passage.word_before(at) not in _PREPOSITIONS and not self._orders(passage):
            return
        key = self._rest(passage, at, at + 1)
        yield from self._claim(passage, key, word, Item(at, at + 1), OPPOSITE_STRENGTH)

    def _orders(self, passage: Passage) -> bool:
        return self._lexicon.words.kind(passage.tokens[passage.clause.start].text) == "v"


def _is_goal(tokens: Sequence[Token]) -> bool:
    """Whether it is one place by its article: "the harbour"."""
    return len(tokens) == 2 and tokens[0].text == "the" and tokens[1].is_word


def _joined(tokens: Sequence[Token]) -> str:
    return " ".join(token.text for token in tokens if token.is_word)
