"""Finding members in objects that models wrote, whatever they called them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Final

from arwarden.escalate.lenient import Json

Object = dict[str, Json]
MAX_NESTING: Final = 4
_NOT_A_LETTER: Final = re.compile(r"[\W_]+")
_NUMBER: Final = re.compile(
    r"^\W*?(?P<sign>[-+−]?)(?P<digits>\d{1,6}(?:[.,]\d{1,12})?|[.,]\d{1,12})\s*(?:m|met(?:er|re)s?|x|×|times)?\W*$",
    re.IGNORECASE,
)


def key_of(name: str) -> str:
    """A name without case, spaces and punctuation: ``Final Answer`` and ``final_answer`` are one."""
    return _NOT_A_LETTER.sub("", name).casefold()


def walk(value: Json, depth: int = 0) -> Iterator[tuple[str, Json]]:
    """All members of nested objects, outer ones first; members of lists are left out."""
    if not isinstance(value, dict) or depth > MAX_NESTING:
        return
    for name, member in value.items():
        yield key_of(name), member
    for member in value.values():
        yield from walk(member, depth + 1)


def pick(value: Json, *names: str) -> Json:
    """The member whose name comes first in ``names``; None where there is none."""
    members = dict(reversed(list(walk(value))))
    return next((members[name] for name in names if members.get(name) is not None), None)


def text_of(value: Json) -> str:
    """Text, lists of text joined, finite numbers as text; nothing for anything else."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "; ".join(filter(None, (text_of(item) for item in value[:32])))
    if isinstance(value, dict):
        return "; ".join(text_of(item) for item in value.values())
    number = number_of(value)
    return "" if number is None else f"{number:g}"


def number_of(value: Json) -> float | None:
    """A finite number, written as one or as text such as ``-0,3 m``."""
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        try:
            number = float(value)
        except OverflowError:  # a whole number of hundreds of digits
            return None
        return number if math.isfinite(number) else None
    if isinstance(value, list) and len(value) == 1:
        return number_of(value[0])
    match = _NUMBER.match(value) if isinstance(value, str) and len(value) <= 40 else None
    if match is None:
        return None
    number = float(match.group("digits").replace(",", "."))
    return -number if match.group("sign") in ("-", "−") else number
