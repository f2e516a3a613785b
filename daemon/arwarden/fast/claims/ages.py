"""Claims about the age from which something is for people ("ages 8 and up", "over 18s only")."""

from __future__ import annotations

import re
from collections.abc import Iterator

from arwarden.core.findings import Claim
from arwarden.fast.claims.clauses import Item
from arwarden.fast.claims.passage import Passage

STRENGTH = 0.9
MINIMUM_AGE = "minimum age"
ADULT = 18
CHILD = 12
_LEGAL = frozenset({12, 14, 15, 16, 18, 21})
"""Of a bare "over 20" or "5+" only these are ages."""
_MONTHS = 12
_WHO = r"(?:children|kids|persons|people|players|anyone|anybody|guests|customers|visitors|riders|viewers)"
_AROUND = (
    rf"(?:{_WHO}|suitable|recommended|intended|suited|fits|for|strictly|only|entry|admission|admitted|allowed"
    r"|welcome|toy|game|film|movie|ride|sale|sold|to|is|are|the|and|all|:|-)"
)
_UNIT = r"(?: (?P<unit>s|years|year|yrs|months)(?: (?:old|olds|of age))?)?"
_UP = r"(?: \+| (?:and|or|&) (?:over|up|older|above|upwards))"
_AGE = r"(?:the )?(?:ages?|aged)(?: of)?"
_FROM = r"(?:from |over |above )"
_N = r"(?P<age>\d{1,2})"
_LOWEST = tuple(
    re.compile(rf"(?:{_AROUND} )*?{pattern}(?: {_AROUND})*")
    for pattern in (
        rf"{_N}{_UNIT}{_UP}",
        rf"{_FROM}?{_AGE} {_FROM}?{_N}(?: (?:-|to|\u2013) \d{{1,2}}|{_UP})?{_UNIT}{_UP}?",
        rf"(?:from|above) {_N} (?P<unit>years|year|yrs|months)(?: (?:old|olds|of age))?",
        rf"over(?: - | ){_N}(?: (?P<unit>s)|(?: years)? (?:old|olds|of age))?",
        rf"(?:min|minimum|min \.) age (?:is |of |: )?{_N}{_UNIT}",
        rf"(?:age rating|age restriction|age restricted|pegi|fsk|usk) (?:: )?{_N}{_UP}?",
    )
)
"""Each is all that the clause says: "over 65s free" is about their price."""
_UNDER = rf"(?:under|below)(?: - | )(?:{_AGE} )?"
_BARRED = re.compile(
    rf"(?:not|no|nobody|no one|never)(?: {_AROUND})* {_UNDER}{_N}{_UNIT}(?: {_AROUND})*"
    rf"|(?:{_AROUND} )*{_UNDER}(?P<age2>\d{{1,2}}) s"
    r" (?:prohibited|barred|not (?:admitted|allowed|permitted))"
)


def lowest_age(passage: Passage) -> float | None:
    """The age in years that the clause, and nothing else, tells; ``None`` where it tells none.

    Toys for older children are "not for children under 3" as well: such a bar says nothing more.
    """
    if not any(token.is_number for token in passage.tokens[passage.clause.start : passage.clause.end]):
        return None
    text = " ".join(passage.words).rstrip(" !.")
    for pattern in _LOWEST:
        if (found := pattern.fullmatch(text)) is not None:
            unit = found.groupdict().get("unit")
            if len(passage.words) <= 2 and int(found["age"]) not in _LEGAL:  # only a number and its sign
                return None
            return float(found["age"]) / (_MONTHS if unit == "months" else 1)
    barred = _BARRED.fullmatch(text)
    age = float(barred["age"] or barred["age2"]) if barred is not None else 0.0
    return age if age > CHILD else None


def age_claims(passage: Passage, age: float) -> Iterator[Claim]:
    """The claims of a clause that tells this age, and nothing else."""
    item = Item(passage.clause.start, passage.clause.end)
    yield from passage.claim(MINIMUM_AGE, f"{age:g} years", item, "", STRENGTH)
    if age >= ADULT or age <= CHILD:
        audience = "adults only" if age >= ADULT else "children too"
        yield from passage.claim("audience", audience, item, "", STRENGTH)
