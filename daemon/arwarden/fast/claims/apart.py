"""Whether two texts name two things or two cases, so that a judge of sentences need not be asked about them.

A judge takes any difference between two alike sentences for a contradiction. What only tells one thing from
another (a day, a number, a colour, a place, what holds it) is none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import pairwise

from arwarden.fast.claims.lexicon import Lexicon
from arwarden.fast.claims.passage import WEEK
from arwarden.fast.claims.words import singular

_SERIES = frozenset({"step", "part", "stage", "phase", "chapter", "task"})
"""Nouns that a number follows, beside those that the lexicon knows."""
_PLACING = frozenset({"in", "on", "at"})
_ARTICLES = frozenset({"the", "a", "an", "your", "our", "this"})
NAME_WORDS = 2
_NUMBER = r" (\d+(?:[.:,]\d+)?)(?: ([^\W\d]+))?"
_FROM = re.compile(r"\b(?:above|over|from|after|exceeding|more than|at least)" + _NUMBER)
_UP_TO = re.compile(r"\b(?:below|under|until|till|before|up to|less than|at most)" + _NUMBER)
_STAGE = re.compile(r"\b(before|during|after) [^\W\d]")
_FIRST = frozenset({"first", "firstly"})
_LATER = frozenset({"then", "next", "afterwards", "finally", "lastly"})
"""At either end of a sentence these make it one step of several."""
_WHEN = frozenset({"before", "after", "while", "during", "when", "once"})


class Named:
    """What one sentence names, worked out once, with however many others it is compared."""

    def __init__(self, said: str, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self.words = _words(said)
        self.step = _step(self.words)

    @cached_property
    def days(self) -> frozenset[str]:
        """Days of the week."""
        names, words = self._lexicon.data.qualifiers, set(self.words)
        return frozenset(day for day in WEEK if words.intersection(names.get(day, ())))

    @cached_property
    def numbers(self) -> dict[str, str]:
        """The first number of each sort of thing: "counter 4"."""
        named = self._lexicon.numbered | _SERIES
        pairs = reversed([*pairwise(self.words)])
        return {
            noun: number for noun, number in pairs if number.isdigit() and noun.isalpha() and noun in named
        }

    @cached_property
    def shades(self) -> dict[str, str]:
        """The colour before each word: "red means"."""
        colours = self._lexicon.categories
        return {after: word for word, after in pairwise(self.words) if "colour" in colours.of(word)}

    @cached_property
    def quantities(self) -> dict[str, str]:
        """The word before each thing that is measured: "set temperature"."""
        measured, small = self._lexicon.measured, self._lexicon.before_any_measure
        return {noun: word for word, noun in pairwise(self.words) if noun in measured and word not in small}

    @cached_property
    def place(self) -> Sequence[str]:
        """The words from the preposition on, where the sentence ends in a place."""
        for length in (2, 3):
            tail = self.words[-length:]
            articles = all(word in _ARTICLES for word in tail[1:-1])
            placed = len(self.words) > length and tail[0] in _PLACING and articles
            if placed and self._lexicon.words.kind(tail[-1]) == "n":
                return tail
        return ()

    def is_apart(self, other: Named) -> bool:
        """Whether the words name two days, or two things of one sort."""
        return (
            {self.step, other.step} == {"first", "later"}
            or (bool(self.days and other.days) and not self.days & other.days)
            or _differ(self.numbers, other.numbers)
            or _differ(self.shades, other.shades)
            or _differ(self.quantities, other.quantities)
            or _other_name(self.words, other.words, self._lexicon)
            or _other_place(self, other)
            or _other_holder(self.words, other.words, self._lexicon)
        )


def other_case(said: str, told: str, lexicon: Lexicon) -> bool:
    """Whether each holds in a case of its own: above and below 2 m, before the start and after it."""
    one, other = (" ".join(text.casefold().split()) for text in (said, told))
    stages = set(_STAGE.findall(one)), set(_STAGE.findall(other))
    staged = all(stages) and not stages[0] & stages[1]
    return staged or _beyond(one, other, lexicon) or _beyond(other, one, lexicon)


def _beyond(above: str, below: str, lexicon: Lexicon) -> bool:
    """Whether the one speaks of nothing below a number, and the other of nothing above it."""
    found, bound = _FROM.search(above), _UP_TO.search(below)
    if found is None or bound is None or {found[2], bound[2]} & lexicon.data.months.keys():
        return False
    low, high = (float(re.sub("[:,]", ".", match[1])) for match in (found, bound))
    return low >= high


def timed_apart(said: str, told: str) -> bool:
    """Whether two orders are to be followed at two times: steps, or "when cold" and "when hot".

    What holds before and what holds after the same thing are two cases (`other_case`), orders or not.
    """
    one, other = _words(said), _words(told)
    steps, times = {_step(one), _step(other)}, (_when(one), _when(other))
    another_step = "later" in steps and len(steps) > 1
    return another_step or (bool(times[0] and times[1]) and times[0] != times[1])


def _step(words: Sequence[str]) -> str:
    """Whether a sentence is the first of several steps or a later one; empty where it does not say."""
    ends = {*words[:1], *words[-1:]}
    return "first" if ends & _FIRST else "later" if ends & _LATER else ""


def _when(words: Sequence[str]) -> Sequence[str]:
    """Beside what an order is to be followed, as its last words say: "use" of "after use"."""
    at = next((at for at in range(len(words) - 1, 0, -1) if words[at] in _WHEN), len(words))
    return [singular(word) for word in words[at + 1 :] if word not in _ARTICLES]


def _words(text: str) -> list[str]:
    return [word.strip(".,:;!?()\"'") for word in text.casefold().split()]


def _differ(first: Mapping[str, str], second: Mapping[str, str]) -> bool:
    """Whether they say two things of one: "counter 4", "counter 5"."""
    return any(first[noun] != second[noun] for noun in first.keys() & second.keys())


def _other_name(one: Sequence[str], other: Sequence[str], lexicon: Lexicon) -> bool:
    """Two bare names of things of one sort, which the rules compare: "hot water", "cold water"."""
    alike = len(one) == len(other) == NAME_WORDS and one[-1] == other[-1] and one[0] != other[0]
    return alike and lexicon.words.kind(one[-1]) == "n"


def _other_place(one: Named, other: Named) -> bool:
    """Different things said of two places: "open in the hall", "closed in the bath"."""
    first, second = one.place, other.place
    if not first or not second or first == second:
        return False
    return one.words[: -len(first)] != other.words[: -len(second)] and first[-1] != second[-1]


def _other_holder(one: Sequence[str], other: Sequence[str], lexicon: Lexicon) -> bool:
    """Two things of which the same verb is said: "sauce contains", "fries contain"."""
    if len(one) <= NAME_WORDS or len(other) <= NAME_WORDS or singular(one[1]) != singular(other[1]):
        return False
    things = [singular(words[0]) for words in (one, other)]
    verb = lexicon.words.kind(one[1]) == "v" and singular(one[1]) not in {"is", "are"}
    return verb and things[0] != things[1] and all("n" in lexicon.words.all_kinds(thing) for thing in things)
