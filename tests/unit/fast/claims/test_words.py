from __future__ import annotations

import pytest

from arwarden.fast.claims.words import (
    CLUSTER_OPPOSITES,
    DIRECT_OPPOSITES,
    PREFIX_OPPOSITES,
    singular,
    word_base,
)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("hot", "cold", DIRECT_OPPOSITES),
        ("drinkable", "undrinkable", DIRECT_OPPOSITES),
        ("edible", "inedible", PREFIX_OPPOSITES),
        ("sure", "sure", 0.0),
        ("red", "heavy", 0.0),
    ],
)
def test_opposed(one: str, other: str, expected: float) -> None:
    assert word_base().opposed(one, other) == expected
    assert word_base().opposed(other, one) == expected


def test_similar_words_have_the_opposites_of_their_cluster() -> None:
    assert word_base().opposed("boiling", "cold") in {CLUSTER_OPPOSITES, 0.0}
    assert word_base().opposed("gigantic", "small") == CLUSTER_OPPOSITES


@pytest.mark.parametrize(
    ("plural", "expected"),
    [
        ("doors", "door"),
        ("batteries", "battery"),
        ("boxes", "box"),
        ("glass", "glass"),
        ("bus", "bus"),
        ("is", "is"),
    ],
)
def test_singular(plural: str, expected: str) -> None:
    assert singular(plural) == expected


@pytest.mark.parametrize(
    ("noun", "verb"),
    [
        ("registration", "register"),
        ("calibration", "calibrate"),
        ("inspection", "inspect"),
        ("running", "run"),
        ("closing", "close"),
        ("payment", "pay"),
        ("replaced", "replace"),
        ("station", ""),
        ("building", "build"),
        ("door", ""),
    ],
)
def test_verb_of(noun: str, verb: str) -> None:
    assert word_base().verb_of(noun) == verb


@pytest.mark.parametrize(
    "word", ["door", "doors", "parked", "stopping", "headset", "together", "easier", "carried"]
)
def test_known(word: str) -> None:
    assert word_base().known(word)


def test_unknown() -> None:
    assert not word_base().known("hasbeenlocked")
    assert word_base().kind("hasbeenlocked") == "?"
    assert word_base().kind("door") == "n"
