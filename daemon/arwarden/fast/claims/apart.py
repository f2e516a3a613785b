"""Whether two texts name two things or two cases, so that a judge of sentences need not be asked about them.

A judge takes any difference between two alike sentences for a contradiction. What only tells one thing from
another (a day, a number, a colour, a place, what holds it) is none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from arwarden.fast.claims.lexicon import Lexicon
from arwarden.fast.claims.passage import WEEKDAYS, WEEKEND
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


def told_apart(said: str, told: str, lexicon: Lexicon) -> bool:
    """Whether the words name two days, or two things of one sort."""
    words = _words(said), _words(told)
    return (
        {"first", "later"} == {_step(one) for one in words}
        or _other_day(*words, lexicon)
        or _other_number(*words, lexicon)
        or _other_shade(*words, lexicon)
        or _other_quantity(*words, lexicon)
        or _other_name(*words, lexicon)
        or _other_place(*words, lexicon)
        or _other_holder(*words, lexicon)
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


def _other_day(one: Sequence[str], other: Sequence[str], lexicon: Lexicon) -> bool:
    """Different days of the week."""
    names = lexicon.data.qualifiers
    first, second = (
        {day for day in (*WEEKDAYS, *WEEKEND) if set(names.get(day, ())) & set(words)}
        for words in (one, other)
    )
    return bool(first and second) and not first & second


def _other_number(one: Sequence[str], other: Sequence[str], lexicon: Lexicon) -> bool:
    """Different numbers of the same sort of thing, the first that is named: "counter 4", "counter 5"."""
    first, second = (
        dict(pair for pair in reversed([*pairwise(words)]) if pair[1].isdigit() and pair[0].isalpha())
        for words in (one, other)
    )
    named = lexicon.numbered | _SERIES
    return any(first[noun] != second[noun] for noun in first.keys() & second.keys() & named)


def _other_shade(one: Sequence[str], other: Sequence[str], lexicon: Lexicon) -> bool:
    """Different colours before the same word: "red means", "green means"."""
    first, second = (
        {after: word for word, after in pairwise(words) if "colour" in lexicon.categories.of(word)}
        for words in (one, other)
    )
    return any(first[noun] != second[noun] for noun in first.keys() & second.keys())


def _other_quantity(one: Sequence[str], other: Sequence[str], lexicon: Lexicon) -> bool:
    """Different words before what is measured: "set temperature", "actual temperature"."""
    grammar = lexicon.data.grammar
    small = {*grammar.articles, *grammar.function_words, *grammar.max_words, *grammar.min_words}
    first, second = (
        {noun: word for word, noun in pairwise(words) if noun in lexicon.measured and word not in small}
        for words in (one, other)
    )
    return any(first[noun] != second[noun] for noun in first.keys() & second.keys())


def _other_name(one: Sequence[str], other: Sequence[str], lexicon: Lexicon) -> bool:
    """Two bare names of things of one sort, which the rules compare: "hot water", "cold water"."""
    alike = len(one) == len(other) == NAME_WORDS and one[-1] == other[-1] and one[0] != other[0]
    return alike and lexicon.words.kind(one[-1]) == "n"


def _other_place(one: Sequence[str], other: Sequence[str], lexicon: Lexicon) -> bool:
    """Different things said of two places: "open in the hall", "closed in the bath"."""
    first, second = _place(one, lexicon), _place(other, lexicon)
    if not first or not second or first == second:
        return False
    return one[: -len(first)] != other[: -len(second)] and first[-1] != second[-1]


def _place(words: Sequence[str], lexicon: Lexicon) -> Sequence[str]:
    """The words from the preposition on, where a text ends in a place."""
    for length in (2, 3):
        tail = words[-length:]
        articles = all(word in _ARTICLES for word in tail[1:-1])
        if len(words) > length and tail[0] in _PLACING and articles and lexicon.words.kind(tail[-1]) == "n":
            return tail
    return ()


def _other_holder(one: Sequence[str], other: Sequence[str], lexicon: Lexicon) -> bool:
    """Two things of which the same verb is said: "sauce contains", "fries contain"."""
    if len(one) <= NAME_WORDS or len(other) <= NAME_WORDS or singular(one[1]) != singular(other[1]):
        return False
    things = [singular(words[0]) for words in (one, other)]
    verb = lexicon.words.kind(one[1]) == "v" and singular(one[1]) not in {"is", "are"}
    return verb and things[0] != things[1] and all("n" in lexicon.words.all_kinds(thing) for thing in things)
