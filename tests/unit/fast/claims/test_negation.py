from __future__ import annotations

import pytest

from arwarden.fast.claims import ClaimReader


@pytest.mark.parametrize(
    ("text", "attribute", "value", "holds"),
    [
        ("The door is not locked", "lock", "unlocked", True),
        ("The door isn't locked", "lock", "unlocked", True),
        ("The door is not unlocked", "lock", "locked", True),
        ("The door is no longer locked", "lock", "unlocked", True),
        ("Not only locked but also sealed", "lock", "locked", True),
        ("The door, not the window, is locked", "lock", "locked", True),
        ("Never locked", "lock", "unlocked", True),
        ("Neither open nor locked", "lock", "unlocked", True),
        ("Not full", "fill", "available", True),
        ("Not made in China", "origin", "China", False),
        ("Do not turn left or right", "direction", "right", False),
        ("Not sunny", "weather", "sunny", False),
        ("No entry", "permission", "forbidden", True),
        ("Entry is not prohibited", "permission", "allowed", True),
        ("Has been locked", "lock", "locked", True),
        ("No snow chains needed", "requirement", "optional", True),
        ("No snow, chains needed", "requirement", "required", True),
    ],
)
def test_scope(reader: ClaimReader, text: str, attribute: str, value: str, holds: bool) -> None:
    claims = {(c.value, c.polarity) for c in reader.claims(text) if c.attribute == attribute}
    assert (value, holds) in claims
    assert len(claims) == 1 or attribute == "direction"


@pytest.mark.parametrize(
    ("text", "attribute"),
    [
        ("The shop was open", "opening.past"),
        ("The shop will be open", "opening.future"),
        ("Open on Mondays", "opening.monday"),
        ("Will be closed tomorrow", "opening.tomorrow"),
    ],
)
def test_time_is_kept_apart(reader: ClaimReader, text: str, attribute: str) -> None:
    assert [c.attribute for c in reader.claims(text) if c.attribute.startswith("opening")] == [attribute]


@pytest.mark.parametrize("text", ["Maybe the shop is open", "The shop is nearly full", "Possibly closed"])
def test_hedges_weaken(reader: ClaimReader, text: str) -> None:
    assert max((c.strength for c in reader.claims(text)), default=0) <= 0.9
    states = [c for c in reader.claims(text) if c.attribute in {"opening", "fill"}]
    assert all(c.strength <= 0.6 for c in states)


def test_what_follows_a_condition_is_weaker(reader: ClaimReader) -> None:
    after = [c for c in reader.claims("If it rains, the pool is closed") if c.attribute == "opening"]
    assert all(c.strength < 0.6 for c in after)
