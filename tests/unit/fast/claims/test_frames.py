"""Times that a whole text is about, phrases that permit, what is left, what follows."""

from __future__ import annotations

import pytest

from arwarden.fast.claims import ClaimReader
from tests.unit.fast.claims.conftest import Judge

ALERT = 0.6


@pytest.mark.parametrize(
    ("one", "other", "conflict"),
    [
        ("Until last week: door locked", "Door unlocked", False),
        ("Starting next month: made in Italy", "Made in Spain", False),
        ("Before the repair: lift broken", "Lift working", False),
        ("Last year: door locked", "Last year: door unlocked", True),
        ("In the past: dogs allowed", "No dogs", False),
        ("Next: left", "Turn right", True),
        ("In case of fire go left to the exit", "Exit on the right", True),
        ("Open 24 hours", "Closed", True),
        ("You have arrived", "Continue for 200 m", True),
        ("Arrived", "Destination 500 m ahead", True),
        ("Quiet zone", "Loud music allowed", True),
        ("Keep out", "Please enter", True),
        ("No pets", "Dogs allowed", True),
        ("No pets", "Guide dogs welcome", False),
        ("No jeans left", "Jeans available", True),
        ("No jeans left", "Turn right", False),
        ("Smoke-free area", "Smoking allowed", True),
        ("Helmet-free zone", "Helmet required", True),
        ("Not gluten-free", "Contains gluten", False),
        ("Not gluten-free", "Gluten-free", True),
        ("Nuts inside", "Contains no nuts", True),
        ("Safe for people with nut allergy", "Contains nuts", True),
        ("Not for people with nut allergy", "Contains nuts", False),
        ("Cyclists may enter", "No cycling", True),
        ("Do not eat or drink here", "No eating", False),
        ("Food and drinks allowed", "Do not eat or drink here", True),
        ("2-year warranty", "Comes with a 5-year warranty", True),
        ("Room C-450", "Your room: C-336", True),
        ("Tour at 12:30", "Tour starts at 12 pm", True),
        ("Heating on", "Cooling mode active", True),
        ("Heating on", "Heating off", True),
        ("Exit left", "Emergency exit right", False),
        ("Game console on!", "Game console switched off", True),
        ("Ferry 21:30", "Ferry scheduled for 21:00", True),
    ],
)
def test_pairs(judge: Judge, one: str, other: str, conflict: bool) -> None:
    found = [finding for finding in judge(one, other) if finding.confidence >= ALERT]
    assert bool(found) is conflict


def test_frame_is_an_occasion_of_every_claim(reader: ClaimReader) -> None:
    claims = reader.claims("Starting next week: Door locked. Window open.")
    assert claims
    assert {claim.attribute.partition(".")[2] for claim in claims} == {"starting next week"}


@pytest.mark.parametrize("text", ["By the door: keys", "Room 3: closed", "Last: ", "In stock: jeans", ":"])
def test_other_titles_are_no_frames(reader: ClaimReader, text: str) -> None:
    assert all("by" not in claim.attribute and "last" not in claim.attribute for claim in reader.claims(text))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Restroom", "restroom"),
        ("To the gate", "gate"),
        ("Game console", "game console"),
        ("Left", ""),
        ("", ""),
    ],
)
def test_names(reader: ClaimReader, text: str, name: str) -> None:
    assert reader.named(text) == name


@pytest.mark.parametrize(
    ("one", "other", "conflict"),
    [
        ("Spiders here", "No spiders", True),
        ("Milk in the fridge", "No milk", True),
        ("Spiders here", "No wasps", False),
        ("Score: 5", "Score: 9", True),
        ("Score: 5", "Total: 9", False),
        ("Antenna extended", "Antenna retracted", True),
        ("The tyre is inflated", "Tyre deflated", True),
        ("Coffee with milk", "Coffee without milk", True),
    ],
)
def test_open_words(judge: Judge, one: str, other: str, conflict: bool) -> None:
    found = [finding for finding in judge(one, other) if finding.confidence >= ALERT]
    assert bool(found) is conflict


@pytest.mark.parametrize(
    ("one", "other", "contradict"),
    [
        ("Caffeinated cola", "Decaffeinated tea", False),
        ("Caffeine-free tea", "Coffee with caffeine", False),
        ("Gluten-free bread", "Pasta contains gluten", False),
        ("Nut-free cookies", "Chocolate with nuts", False),
        ("Vegan burger", "Salad with chicken", False),
        ("Decaf coffee", "Contains caffeine", True),
        ("Gluten-free bread", "Bread contains wheat", True),
        ("Sugar-free cola", "Sugar added", True),
        ("Vegan burger", "Burger: contains milk", True),
    ],
)
def test_what_is_in_one_thing_is_not_in_another(
    judge: Judge, one: str, other: str, *, contradict: bool
) -> None:
    assert any(finding.confidence >= ALERT for finding in judge(one, other)) is contradict
