"""Any text, of any length, in any script: no crash, bounded time, sound claims."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arwarden.core.findings import Box, Element, ElementType
from arwarden.fast.claims import ClaimReader, Lexicon, find_contradictions

LEXICON = Lexicon.load(["en"])
READER = ClaimReader(LEXICON)

PIECES = st.sampled_from(
    [
        "not",
        "no",
        "door",
        "locked",
        "unlocked",
        "left",
        "right",
        "restroom",
        "exit",
        "open",
        "closed",
        "made",
        "in",
        "France",
        "from",
        "5",
        "m",
        "10:30",
        "€",
        "%",
        "-",
        ":",
        ",",
        ".",
        "!",
        "?",
        "/",
        "\n",
        "free",
        "contains",
        "nuts",
        "un",
        "non",
        "was",
        "now",
        "if",
        "50",
        "off",
        "gate",
        "B12",
        "2025",
        "may",
        "1st",
        "floor",
        "\u2192",
        "\u202e",
        "\u200f",
        "0",
        "O",
        "l1",
        "rn",
    ]
)
SENTENCES = st.lists(PIECES, max_size=40).map(" ".join)
TEXTS = st.one_of(st.text(max_size=400), SENTENCES, st.text("un0l1ocked-. \n", max_size=200))


def _check(text: str) -> None:
    for claim in READER.claims(text):
        assert 0 < claim.strength <= 1
        assert claim.attribute
        assert claim.value
        assert claim.subject == " ".join(claim.subject.split())
        assert "\n" not in claim.span


@settings(max_examples=300, deadline=None)
@given(TEXTS)
def test_any_text_is_read(text: str) -> None:
    _check(text)


@settings(max_examples=100, deadline=None)
@given(st.lists(TEXTS, max_size=6))
def test_any_texts_are_compared(texts: list[str]) -> None:
    elements = [
        Element(ElementType.TEXT, Box(0.1 * i, 0.1, 0.1, 0.1), text, READER.claims(text))
        for i, text in enumerate(texts)
    ]
    for finding in find_contradictions(elements, LEXICON):
        assert 0 < finding.confidence <= 1
        assert finding.key.startswith(f"contradiction:{finding.attribute}:".lower())
        one, other = finding.elements
        assert one.claims[0].attribute == other.claims[0].attribute == finding.attribute
        assert "\n" not in finding.message


@settings(max_examples=100, deadline=None)
@given(TEXTS)
def test_a_text_never_contradicts_itself_shown_twice(text: str) -> None:
    claims = READER.claims(text)
    twice = [Element(ElementType.TEXT, Box(x, 0.1, 0.1, 0.1), text, claims) for x in (0.1, 0.5)]
    assert find_contradictions(twice, LEXICON) == ()


@pytest.mark.parametrize(
    "unit",
    [
        "a",
        "un",
        "1",
        "l1",
        "rn",
        "locked ",
        "not ",
        "in ",
        "1.",
        "- a",
        "a-\n",
        "\u0301",
        "\u202e",
        "\x00",
        "€5",
        "no left, ",
    ],
)
def test_long_runs_take_bounded_time(unit: str) -> None:
    text = unit * 20_000
    start = time.thread_time()
    ClaimReader(LEXICON).claims(text)
    assert time.thread_time() - start < 2.0  # measured 0.001 to 0.15 s


@pytest.mark.parametrize(
    "text", ["\ud800", "a\ud800b", "مفتوح \u202b← مغلق", "关闭 打开", "ﬁre ｅｘｉｔ", "Z̷a̷l̷g̷o̷ locked"]
)
def test_odd_unicode(text: str) -> None:
    _check(text)
