"""Whether two claims on one attribute can both be true."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from math import inf

from arwarden.core.findings import Claim
from arwarden.fast.claims.lexicon import Lexicon
from arwarden.fast.claims.open_attributes import (
    EXISTENCE,
    FRAME,
    INSTRUCTION,
    NUMBER,
    PRESENCE,
    PROPERTY,
    STATEMENT,
)
from arwarden.fast.claims.slots import COUNTRY
from arwarden.fast.claims.words import prefix_opposites

SAME_SIZE = 0.03
"""Quantities this close, relative to the greater, agree: units are rounded ("1 mile", "1.6 km")."""
SAME_LEVEL = 8.0
"""Percentages this close agree: a level is shown rounded and moves."""
SAME_DEGREES = 2.0
_NUMBER = re.compile(r"(-?\d+(?:\.\d+)?)(?: (\S+))?")
_DATE = re.compile(r"(\d{4}|\*)-(\d\d)(?:-(\d\d))?")
RANGE_CONFLICT = 0.95
_BOUNDS = ("<", ">")
OTHER_NAME = 0.95
UNNAMED_DENIALS = 0.95
UNNAMED_ANTONYMS = 0.6
"""Opposite predicates ("new", "old") of which it is not said that they are about one thing."""


_OF_NAMED = frozenset({PRESENCE, INSTRUCTION, EXISTENCE, NUMBER, COUNTRY, "quantity"})


class Comparer:
    """Judges pairs of claims by the lexicon."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon

    def needs_subject(self, attribute: str) -> bool:
        """Whether claims are only comparable when both say what they are about."""
        spec = self._lexicon.attribute(attribute)
        if spec is not None:
            return spec.subject_required
        base = attribute.partition(".")[0]
        return base in _OF_NAMED or base in self._lexicon.categories

    def all_conflict(
        self, attribute: str, values: Iterable[tuple[str, bool]], others: Iterable[tuple[str, bool]]
    ) -> bool:
        """Whether no value of one element agrees with a value of the other: lists of alternatives do."""
        return all(
            self._pair(attribute, value, polarity, other, opposite) > 0
            for value, polarity in values
            if polarity
            for other, opposite in others
            if opposite
        )

    def conflict(self, attribute: str, one: Claim, other: Claim) -> float:
        """How surely the two exclude each other, 0 (not at all) to 1."""
        sure = self._pair(attribute, one.value, one.polarity, other.value, other.polarity)
        if (
            attribute.startswith(PROPERTY)
            and one.value != other.value
            and not (one.subject and other.subject)
        ):
            sure *= UNNAMED_DENIALS if prefix_opposites(one.value, other.value) else UNNAMED_ANTONYMS
        return sure

    def _pair(self, attribute: str, one: str, one_holds: bool, other: str, other_holds: bool) -> float:
        base = attribute.partition(".")[0]
        if not one_holds and not other_holds:
            return 0.0
        if one_holds != other_holds:
            return 1.0 if self._same(base, one, other) else 0.0
        if one == other:
            return 0.0
        bounds = one[:1] in _BOUNDS or other[:1] in _BOUNDS
        return self._apart(base, one, other) if bounds else self._exclusive(base, one, other)

    def _same(self, base: str, one: str, other: str) -> bool:
        if one == other:
            return True
        first, second = _measure(one), _measure(other)
        return first is not None and second is not None and self._sizes(base, first, second) == 0

    def _exclusive(self, base: str, one: str, other: str) -> float:  # noqa: PLR0911 - one per sort of value
        if base == PROPERTY:
            return self._lexicon.opposed(one, other)
        if base in {INSTRUCTION, STATEMENT}:
            return 0.0
        if base == FRAME:
            return self._filled(one, other)
        categories = self._lexicon.categories
        if base in categories.of(one) and base in categories.of(other):
            return categories.exclusive(base, one, other)
        spec = self._lexicon.data.attributes.get(base)
        if spec is not None:
            if (base, one, other) in self._lexicon.compatible:
                return 0.0
            if one not in spec.values or other not in spec.values:
                return self._in_range(base, one, other)
            return 1.0
        origin = self._lexicon.data.origin
        if origin is not None and base in {origin.attribute, COUNTRY}:
            return 0.0 if self._contains(one, other) or self._contains(other, one) else 1.0
        first, second = _measure(one), _measure(other)
        if first is not None and second is not None:
            return self._sizes(base, first, second)
        return self._dates(one, other)

    def _filled(self, one: str, other: str) -> float:
        """What fills the same place of two sentences: numbers, opposites, or names without a common word."""
        first, second = _measure(one), _measure(other)
        if first is not None or second is not None:
            return self._sizes(FRAME, first, second) if first is not None and second is not None else 0.0
        antonyms = self._lexicon.words.antonyms
        if one in antonyms and other in antonyms:
            return self._lexicon.opposed(one, other)
        return 0.0 if set(one.split()) & set(other.split()) else OTHER_NAME

    def _contains(self, union: str, country: str) -> bool:
        return country in self._lexicon.members.get(union, frozenset())

    def _apart(self, base: str, one: str, other: str) -> float:
        """A bound ("< 5000 g") against a value, a level's name or another bound: whether none can be both."""
        first, second = self._span(base, one), self._span(base, other)
        if first is None or second is None or (first[2] != second[2] and first[2] and second[2]):
            return 0.0
        (_, below, _), (above, _, _) = sorted((first, second))
        return RANGE_CONFLICT if above - below > SAME_SIZE * abs(below) else 0.0

    def _span(self, base: str, value: str) -> tuple[float, float, str] | None:
        """The least and the greatest number that agree with a value, and their unit."""
        size = _measure(value.lstrip("<> "))
        spec = self._lexicon.data.attributes.get(base)
        if size is None:
            named = spec.values.get(value) if spec is not None else None
            return (*named.range, "") if named is not None and named.range is not None else None
        low, high = (-inf if value[0] == "<" else size[0]), (inf if value[0] == ">" else size[0])
        return low, high, size[1]

    def _sizes(self, base: str, one: tuple[float, str], other: tuple[float, str]) -> float:
        if one[1] != other[1] and one[0] != 0 and other[0] != 0:
            return 0.0
        gap = abs(one[0] - other[0])
        if one[1] == "°C":
            return 1.0 if gap > SAME_DEGREES else 0.0
        if base == "battery":
            return 1.0 if gap > SAME_LEVEL else 0.0
        if base == "price" or not one[1] or one[1] == "%":
            return 1.0 if gap > 1e-9 else 0.0
        return 1.0 if gap > SAME_SIZE * max(abs(one[0]), abs(other[0])) else 0.0

    def _dates(self, one: str, other: str) -> float:
        first, second = _DATE.fullmatch(one), _DATE.fullmatch(other)
        if first is None or second is None:
            return 1.0
        pairs = zip(first.groups(), second.groups(), strict=True)
        return 0.0 if all(a == b or "*" in (a, b) or None in (a, b) for a, b in pairs) else 1.0

    def _in_range(self, base: str, one: str, other: str) -> float:
        """A measured level against a named one ("8 %" against "full"), or two measured levels."""
        first, second = _measure(one), _measure(other)
        if first is not None and second is not None:
            return self._sizes(base, first, second)
        size, named = (first, other) if first is not None else (second, one)
        value = self._lexicon.data.attributes[base].values.get(named)
        if size is None or value is None or value.range is None:
            return 0.0
        low, high = value.range
        return 0.0 if low <= size[0] <= high else RANGE_CONFLICT


@lru_cache(maxsize=4096)
def _measure(value: str) -> tuple[float, str] | None:
    found = _NUMBER.fullmatch(value)
    return (float(found[1]), found[2] or "") if found else None
