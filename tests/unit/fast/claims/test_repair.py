from __future__ import annotations

import string
from collections.abc import Iterator

import pytest

from arwarden.fast.claims import ClaimReader, Lexicon
from arwarden.fast.claims.repair import skeleton
from arwarden.fast.claims.tokens import MAX_CHARS, MAX_TOKENS, clean, tokenise


def words(lexicon: Lexicon, text: str) -> list[str]:
    return [t.text for t in tokenise(clean(text), lexicon.repairer, lexicon.touching, lexicon.numbered)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("hasbeenlocked", ["has", "been", "locked"]),
        ("c1osed", ["closed"]),
        ("righit", ["right"]),
        ("0pen", ["open"]),
        ("n0t", ["not"]),
        ("together", ["together"]),
        ("notable", ["notable"]),
        ("un locked", ["unlocked"]),
        ("5km", ["5", "km"]),
        ("Gate B12", ["gate", "b12"]),
        ("Seat 14C", ["seat", "14c"]),
        ("Room204", ["room", "204"]),
        ("isn't", ["isn't"]),
        ("acces-\nsible", ["accessible"]),
        ("step-\nfree", ["step", "-", "free"]),
    ],
)
def test_tokens(lexicon: Lexicon, text: str, expected: list[str]) -> None:
    assert words(lexicon, text) == expected


@pytest.mark.parametrize("damaged", ["nlocked", "inlocked", "onlocked", "naccessible", "isconnected1x"])
def test_what_could_be_two_words_is_left_alone(lexicon: Lexicon, damaged: str) -> None:
    assert not {"locked", "accessible", "connected"} & set(words(lexicon, damaged))


def _damaged(word: str) -> Iterator[str]:
    for at in range(len(word)):
        yield word[:at] + word[at + 1 :]
        for char in string.ascii_lowercase + "0158":
            yield word[:at] + char + word[at:]
            yield word[:at] + char + word[at + 1 :]


@pytest.mark.parametrize(
    ("word", "attribute", "opposite"),
    [
        ("unlocked", "lock", "locked"),
        ("locked", "lock", "unlocked"),
        ("inaccessible", "accessible", "accessible"),
        ("disconnected", "connection", "connected"),
        ("unsafe", "safety", "safe"),
        ("inactive", "power", "on"),
        ("deactivated", "power", "on"),
        ("disarmed", "alarm", "armed"),
        ("undrinkable", "edible", "fit"),
        ("prohibited", "permission", "allowed"),
    ],
)
def test_no_single_damage_turns_a_word_into_its_opposite(
    reader: ClaimReader, word: str, attribute: str, opposite: str
) -> None:
    flipped = [
        damaged
        for damaged in _damaged(word)
        for claim in reader.claims(f"The parking door is {damaged}")
        if claim.attribute == attribute
        and claim.value == opposite
        and claim.polarity
        and claim.strength > 0.5
    ]
    assert flipped == []


@pytest.mark.parametrize(
    ("one", "other"), [("c1osed", "closed"), ("rnade", "made"), ("5top", "stop"), ("Exlt", "exit")]
)
def test_look_alikes_share_a_skeleton(one: str, other: str) -> None:
    assert skeleton(one) == skeleton(other)


def test_a_word_too_damaged_lowers_nothing_else(lexicon: Lexicon) -> None:
    tokens = tokenise(clean("door xqzzw"), lexicon.repairer, lexicon.touching, lexicon.numbered)
    assert [token.quality for token in tokens] == [1.0, 1.0]


def test_clean_unifies_and_bounds() -> None:
    assert clean("\ufb01re\u200b exit\u0007") == "fire exit"
    assert clean("a\r\nb\n\nc") == "a b\nc"
    assert len(clean("ab " * 5000)) <= MAX_CHARS


def test_tokens_are_bounded(lexicon: Lexicon) -> None:
    assert len(words(lexicon, "a 1 " * 2000)) <= MAX_TOKENS
