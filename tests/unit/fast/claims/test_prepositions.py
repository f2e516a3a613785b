""" "On" as a state and as a preposition."""

from __future__ import annotations

import pytest

from arwarden.fast.claims import ClaimReader, Lexicon


@pytest.fixture(scope="module")
def reader(lexicon: Lexicon) -> ClaimReader:
    return ClaimReader(lexicon)


@pytest.mark.parametrize(
    "text", ["The lamp is on", "The lamp is on now", "The heating is on in the kitchen", "The TV is on!"]
)
def test_what_is_on_runs(reader: ClaimReader, text: str) -> None:
    assert ("power", "on") in {(claim.attribute, claim.value) for claim in reader.claims(text)}


@pytest.mark.parametrize(
    "text",
    [
        "The lamp is on the table",
        "The orchestra is on strike",
        "The bus is on time",
        "The pool is on floor 3",
        "Reception now on level 5",
    ],
)
def test_what_is_on_something_does_not(reader: ClaimReader, text: str) -> None:
    assert "power" not in {claim.attribute for claim in reader.claims(text)}


@pytest.mark.parametrize(
    ("text", "floor"), [("The pool is on floor 3", "3"), ("The pool is now on the second floor", "2")]
)
def test_what_is_on_a_floor_is_there(reader: ClaimReader, text: str, floor: str) -> None:
    assert ("pool", "floor", floor) in {(c.subject, c.attribute, c.value) for c in reader.claims(text)}
