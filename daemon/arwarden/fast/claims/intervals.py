"""Claims about how often something is done: "cleaned hourly", "inspected twice a year", "weekly check"."""

from __future__ import annotations

from collections.abc import Iterator

from arwarden.core.findings import Claim
from arwarden.fast.claims.clauses import Item
from arwarden.fast.claims.lexicon import Lexicon
from arwarden.fast.claims.numbers import shown
from arwarden.fast.claims.passage import Passage
from arwarden.fast.claims.words import singular

INTERVAL = "interval"
DONE_STRENGTH = 0.9
THING_STRENGTH = 0.8
_RATES = {
    "hourly": (1, "hour"),
    "daily": (1, "day"),
    "weekly": (1, "week"),
    "fortnightly": (0.5, "week"),
    "monthly": (1, "month"),
    "quarterly": (1 / 3, "month"),
    "half-yearly": (2, "year"),
    "yearly": (1, "year"),
    "annually": (1, "year"),
    "annual": (1, "year"),
}
"""Words for a rate: how many times in which unit."""
_TIMES = {"once": 1, "twice": 2, "thrice": 3}
_EACH = frozenset({"a", "an", "per", "each", "every"})
_BOUNDS = frozenset({"to", "least", "most", "max", "maximum", "min", "minimum", "than", "not"})
"""Before a rate these make it a bound, which other rates may keep."""


class IntervalClaims:
    """Reads how often something is done in words; "every 2 weeks" is a number's claim."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon

    def read(self, passage: Passage) -> Iterator[Claim]:
        """The interval of one clause, if it names one."""
        for at in range(passage.clause.start, passage.clause.end):
            times, unit, end = self._rate(passage, at)
            seconds = self._seconds(unit)
            if not seconds or passage.word_before(at) in _BOUNDS:
                continue
            item = Item(at, end, quality=passage.tokens[at].quality)
            subject, strength = done(passage, at), DONE_STRENGTH
            if not subject:
                subject, strength = passage.about(item, INTERVAL), THING_STRENGTH
            light = passage.light(item)
            if subject and light.tense == "present":
                sure = strength * light.strength * item.quality
                # Not by way of the passage: "daily" here is what is said, not when it holds.
                value = f"{shown(seconds / times)} s"
                yield Claim(INTERVAL, value, subject, not light.negated, sure, passage.span())
            return

    def _rate(self, passage: Passage, at: int) -> tuple[float, str, int]:
        """How many times in which unit, and where that ends; no unit where none begins at token *at*."""
        word, follows, third = (passage.word_after(at + ahead) for ahead in range(3))
        if word in _RATES:
            return *_RATES[word], at + 1
        if word in _TIMES and follows in _EACH:
            return _TIMES[word], third, at + 3
        counted = self._lexicon.data.number_words.get(word, int(word) if word.isdecimal() else 0)
        if counted and follows == "times" and third in _EACH:
            return counted, passage.word_after(at + 3), at + 4
        return 1, (follows if word in {"every", "each"} else ""), at + 2

    def _seconds(self, unit: str) -> float:
        """How long a unit of time is; nothing for other words."""
        spec = self._lexicon.data.units.get(self._lexicon.unit_words.get((unit,), ""))
        return spec.factor if spec is not None and spec.dimension == "duration" and len(unit) > 2 else 0.0


def done(passage: Passage, until: int) -> str:
    """What the clause says is done, and to what ("filter replace"); empty where it names no doing.

    An order is about what stands before token *until*, be it known for a thing or not.
    """
    words, start = passage.lexicon.words, passage.clause.start
    for at, word in enumerate(passage.words, start):
        named = [m for m in passage.mentions if m.start <= at < m.end]
        begins = at == start and not named and words.kinds.get(word, "")[:1] == "v"
        verb = word if begins else words.verb_of(word)
        if verb:
            things = [w for m in (named or passage.mentions)[:1] for w in m.name.split()]
            if begins and not things:
                things = [
                    singular(token.text) for token in passage.tokens[start + 1 : until] if token.is_word
                ]
            return " ".join((*(w for w in things if w not in {word, verb} and w not in _RATES), verb))
    return ""
