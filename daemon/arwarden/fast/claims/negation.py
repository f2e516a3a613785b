"""In which light a clause says something: denied, past, future, conditional, doubtful, or only asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from arwarden.fast.claims.clauses import Clause, Item
from arwarden.fast.claims.lexicon import Kind, Lexicon, cut
from arwarden.fast.claims.tokens import Token

SCOPE_WORDS = 6
"""A negator reaches this many words ahead at most, in its own clause."""
HEDGE_STRENGTH = 0.6
CONDITIONAL_STRENGTH = 0.55
UNTIL = frozenset({"until", "till"})
_LIMITING = frozenset({"if", "unless", "while", "when", "whenever"})
_LIMITING_DENIALS = frozenset({"before", "without", *UNTIL})
"""Behind what is denied these tell when or how it is all the same ("do not enter until called")."""


@dataclass(frozen=True, slots=True)
class Light:
    """How a phrase is meant."""

    negated: bool = False
    tense: str = "present"
    strength: float = 1.0


class LightReader:
    """Judges phrases by the small words before them."""

    def __init__(self, lexicon: Lexicon) -> None:
        grammar = lexicon.data.grammar
        self._lexicon = lexicon
        self._negators = {words[0] for words in map(cut, grammar.negators) if len(words) == 1}
        self._scope_ends = frozenset(grammar.scope_ends)
        self._past = [cut(words) for words in grammar.past]
        self._present = frozenset(grammar.present)
        self._future = [cut(words) for words in grammar.future]
        self._hedges = [cut(words) for words in grammar.hedges]
        self._time_nouns = frozenset(grammar.time_nouns)
        self._conditionals = [cut(words) for words in grammar.conditionals]

    @cached_property
    def negators(self) -> frozenset[str]:
        """Single words that deny."""
        return frozenset(self._negators)

    def at(self, tokens: Sequence[Token], clause: Clause, item: Item) -> Light:
        """The light in which *item* stands in its clause."""
        if clause.question:
            return Light(strength=0.0)
        words = [token.text for token in tokens[clause.start : item.start]]
        strength = 1.0
        occasions = {
            at for other in clause.items if other.has(Kind.QUALIFIER) for at in range(other.start, other.end)
        }
        free = ["" if at in occasions else word for at, word in enumerate(words, clause.start)]
        conditional = self._last(free, self._conditionals)
        if conditional >= 0 or self._awaited(tokens, clause, item):
            return Light(strength=0.0)
        if clause_is_after_condition(tokens, clause, self._conditionals):
            strength *= CONDITIONAL_STRENGTH
        if self._limited(tokens, clause, item):
            strength *= CONDITIONAL_STRENGTH
        if self._last(words[-4:], self._hedges) >= 0:
            strength *= HEDGE_STRENGTH
        return Light(self._negated(tokens, clause, item), self._tense(words), strength)

    def _awaited(self, tokens: Sequence[Token], clause: Clause, item: Item) -> bool:
        """Whether it is what one waits for ("wait until the oven is hot"), and so is not yet."""
        if not item.has(Kind.VALUE):
            return False
        for at in range(item.start - 1, clause.start - 1, -1):
            timed = any(
                other.start <= at < other.end and (other.amount is not None or other.has(Kind.QUALIFIER))
                for other in clause.items
            )
            if timed or tokens[at].text in self._time_nouns:
                return False  # "until 6 pm open"
            if tokens[at].text in UNTIL:
                return True
        return False

    def _limited(self, tokens: Sequence[Token], clause: Clause, item: Item) -> bool:
        """Whether a condition follows: "do not enter while the light is red"."""
        behind = [token.text for token in tokens[item.end : clause.end + 1]]
        lead = [token.text for token in tokens[clause.start : item.end]]
        denied = any(word in self._negators or word.endswith("n't") for word in lead)
        limiting = _LIMITING | _LIMITING_DENIALS if denied else _LIMITING
        return any(
            word in limiting and behind[at + 1 : at + 2] not in (["wet"], ["further"])
            for at, word in enumerate(behind)
        )

    def _negated(self, tokens: Sequence[Token], clause: Clause, item: Item) -> bool:
        """Whether an odd number of negators reach the item."""
        behind = [token.text for token in tokens[item.end : item.end + 2]]
        count = int(item.has(Kind.VALUE) and behind == ["-", "free"])  # "snow-free"
        words_between = 0
        at = item.start - 1
        inside = {place: other for other in clause.items for place in range(other.start, other.end)}
        while at >= clause.start and words_between <= SCOPE_WORDS:
            text = tokens[at].text
            other = inside.get(at)
            if text == ":" or (text in self._scope_ends and not (other and other.has(Kind.IGNORE))):
                break
            if other is not None:
                if other.has(Kind.NEGATOR) or is_no_one([t.text for t in tokens[other.start : other.end]]):
                    count += 1
                elif (
                    other.has(Kind.VALUE)
                    and other.start != item.start
                    and not self._coordinated(tokens, other, item)
                    and not self._describes(tokens, other, item)
                ):
                    break
                at = other.start - 1
                words_between += 1
                continue
            if text == "nor":
                count += 1
                break  # it stands for the "neither" before it
            if text in self._negators or text.endswith("n't"):
                if text != "no" or words_between <= 2:
                    count += 1
            elif tokens[at].is_word:
                words_between += 1
            at -= 1
        return count % 2 == 1

    def _coordinated(self, tokens: Sequence[Token], other: Item, item: Item) -> bool:
        between = {token.text for token in tokens[other.end : item.start]}
        return bool(between & {"or", "nor"})

    def _describes(self, tokens: Sequence[Token], other: Item, item: Item) -> bool:
        """Whether a value between "no" and a noun only tells which ("no snow chains needed")."""
        lead = tokens[other.start - 1].text if other.start else ""
        words = [token.text for token in tokens[other.end : item.start]]
        nouns = [word for word in words if self._lexicon.words.kind(word) == "n"]
        return lead == "no" and other.end - other.start == 1 and bool(words) and nouns == words

    def _tense(self, words: Sequence[str]) -> str:
        past = self._last(words, self._past)
        future = self._last(words, self._future)
        now = max((at for at, word in enumerate(words) if word in self._present), default=-1)
        if past > max(now, future) and not _perfect(words, past):
            return "past"
        return "future" if future > now else "present"

    def _last(self, words: Sequence[str], phrases: Sequence[tuple[str, ...]]) -> int:
        """Where the last of the phrases begins; -1 where none is."""
        for at in range(len(words) - 1, -1, -1):
            if any(
                tuple(words[at : at + len(phrase)]) == phrase for phrase in phrases if phrase[0] == words[at]
            ):
                return at
        return -1


def is_no_one(words: Sequence[str]) -> bool:
    """Whether the words deny of everybody what follows, besides saying that nobody is there."""
    return " ".join(words) in {"nobody", "no one"}


def _perfect(words: Sequence[str], at: int) -> bool:
    """Whether it is "has been" or "have been", which reach into the present."""
    return words[at] == "been" and at > 0 and words[at - 1] in {"has", "have"}


def clause_is_after_condition(
    tokens: Sequence[Token], clause: Clause, conditionals: Sequence[tuple[str, ...]]
) -> bool:
    """Whether the clause before this one, in the same sentence, begins with a condition."""
    at = clause.start - 1
    while at > 0 and tokens[at - 1].text not in {".", "!", "?", ";"}:
        at -= 1
    first = tuple(token.text for token in tokens[at : at + 4]) if 0 <= at < clause.start - 1 else ()
    return any(first[: len(phrase)] == phrase for phrase in conditionals)
