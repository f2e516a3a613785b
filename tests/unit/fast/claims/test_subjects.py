from __future__ import annotations

import pytest

from arwarden.fast.claims import ClaimReader
from arwarden.fast.claims.subjects import BOTH_UNNAMED, CONTAINED, DIFFERENT, SAME, UNNAMED, relation


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("door", "door", SAME),
        ("car door", "door", CONTAINED),
        ("gate 4", "gate", CONTAINED),
        ("gate 4", "gate 7", DIFFERENT),
        ("front door", "back door", DIFFERENT),
        ("museum", "museum shop", DIFFERENT),
        ("restroom", "exit", DIFFERENT),
        ("door", "", UNNAMED),
        ("", "", BOTH_UNNAMED),
    ],
)
def test_relation(one: str, other: str, expected: float) -> None:
    assert relation(one, other) == expected
    assert relation(other, one) == expected


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("The door to the kitchen is locked", "kitchen door"),
        ("Locked: front door", "front door"),
        ("Your car doors are locked", "car door"),
        ("Elevator A is locked", "elevator a"),
        ("Locker 12 locked", "locker 12"),
        ("The safe is locked", "safe"),
        ("Please note: the Starbucks is locked", "starbuck"),
        ("Locked", ""),
        ("It is now locked", ""),
    ],
)
def test_subject_of_a_state(reader: ClaimReader, text: str, subject: str) -> None:
    assert [c.subject for c in reader.claims(text) if c.attribute == "lock"] == [subject]
