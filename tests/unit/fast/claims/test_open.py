"""Claims that need no attribute of the lexicon: categories, sentences that differ in one word, predicates."""

from __future__ import annotations

import pytest

from arwarden.core.findings import ElementType
from arwarden.fast.claims import ClaimReader, ElementReader, Lexicon, Picture
from arwarden.fast.claims.categories import Categories, kinds
from arwarden.fast.claims.schema import CategorySpec
from tests.unit.fast.claims.conftest import Judge

ALERT = 0.6


def raised(judge: Judge, one: str, other: str) -> bool:
    return any(finding.confidence >= ALERT for finding in judge(one, other))


@pytest.mark.parametrize(
    ("category", "one", "other", "exclusive"),
    [
        ("animal", "wolf", "fox", True),
        ("animal", "dog", "poodle", False),
        ("season", "fall", "autumn", False),
        ("season", "winter", "autumn", True),
        ("material", "oak", "glass", True),
        ("material", "oak", "wood", False),
        ("colour", "blue", "navy", False),
        ("animal", "wolf", "unheard-of", False),
    ],
)
def test_what_excludes_each_other(
    lexicon: Lexicon, category: str, one: str, other: str, exclusive: bool
) -> None:
    assert (lexicon.categories.exclusive(category, one, other) > 0) is exclusive
    assert (lexicon.categories.exclusive(category, other, one) > 0) is exclusive


def test_categories_of_ones_own() -> None:
    mine = Categories({"mood": CategorySpec(values={"cheerful": ("merry",), "gloomy": ()}, modifies=True)})
    assert "mood" in mine
    assert "animal" in mine
    assert "nonsense" not in mine
    assert mine.of("merry")[0] == "mood"
    assert mine.value("mood", "merry") == "cheerful"
    assert mine.exclusive("mood", "merry", "gloomy") > 0
    assert mine.exclusive("mood", "merry", "cheerful") == 0
    assert mine.modifies("mood")
    assert not mine.modifies("animal")


def test_trees_of_kinds_are_well_formed() -> None:
    trees = kinds()
    assert len(trees.above) > 10_000
    assert all(parent < node for node, above in enumerate(trees.above) for parent in above)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The charger is in the attic", "Charger kept in the garage"),
        ("Species: wolf", "Species: fox"),
        ("The tabletop is made of oak", "Tabletop: glass"),
        ("Festival in May", "The festival is in September"),
        ("Capital of Peru", "Capital of Chile"),
        ("Add 2 eggs", "Add 5 eggs"),
        ("Use screw A", "Use screw C"),
        ("Composer: Mozart", "Composer: Verdi"),
        ("Painted by Monet", "Painted by Rembrandt"),
        ("Built in 1432", "Built in 1901"),
        ("Transparent crystal", "Opaque crystal"),
        ("Bus 14 to Harbour", "Bus 14 to Airport"),
    ],
)
def test_contradictions_without_an_attribute(judge: Judge, one: str, other: str) -> None:
    assert raised(judge, one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Lecture in room 204", "Seminar in room 311"),
        ("Bus 14 to Harbour", "Bus 22 to Airport"),
        ("Menu in English", "Menu in Greek"),
        ("Part 1 of 2", "Part 2 of 2"),
        ("5-10 min walk", "7 min walk"),
        ("High tide 12:10", "Low tide 18:25"),
        ("Paper bin", "Glass bin"),
        ("Turn clockwise to close", "Turn counter-clockwise to open"),
        ("Do not enter while light is red", "Enter"),
        ("Ketchup: no sugar", "Lemonade with added sugar"),
        ("Window open in the hall", "Window closed in the bath"),
        ("Lamp in the hall on", "Lamp in the attic off"),
        ("Double bed 90 €", "Single bed 60 €"),
        ("Bus every 10 min", "Bus in 3 min"),
        ("Safe: bolt withdrawn", "Bike: bolt closed"),
    ],
)
def test_look_alikes_that_agree(judge: Judge, one: str, other: str) -> None:
    assert not raised(judge, one, other)


def test_a_heading_names_what_follows(reader: ClaimReader) -> None:
    assert {claim.subject for claim in reader.claims("Crate: unlocked") if claim.attribute == "lock"} == {
        "crate"
    }
    assert all(claim.subject != "warning" for claim in reader.claims("Warning: toxic"))


def test_names_of_unknown_pictures_are_read(lexicon: Lexicon) -> None:
    elements = ElementReader(lexicon)
    picture = Picture("never_seen", 0.8, ("out of order", "broken"))
    claims = elements.claims(ElementType.SIGN, pictures=[picture])
    broken = next(claim for claim in claims if claim.attribute == "function")
    assert broken.pictured
    assert broken.value == "broken"
    assert broken.strength < 0.8
    assert elements.claims(ElementType.SIGN, pictures=[Picture("never_seen")]) == ()
