from __future__ import annotations

import pytest

from arwarden.fast.pairs.wordpieces import MAX_CHARS, MAX_PIECES, WordPieces

VOCABULARY = (
    "[PAD]", "[UNK]", "[CLS]", "[SEP]",
    "un", "##lock", "##ed", "##locked", "door", "cafe", ":", "5", "€", "!",
    "##s",
    "電", "[", "]", "cls", "unlock", "a",
)  # fmt: skip


@pytest.fixture
def pieces() -> WordPieces:
    return WordPieces(VOCABULARY)


def read(pieces: WordPieces, text: str) -> list[str]:
    return [VOCABULARY[number] for number in pieces.numbers(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Doors", ["door", "##s"]),
        ("UNLOCKED!", ["unlock", "##ed", "!"]),
        ("café: 5€", ["cafe", ":", "[UNK]"]),
        ("café: 5 €", ["cafe", ":", "5", "€"]),
        ("  door\t\n door ", ["door", "door"]),
        ("door\u200b\x00s", ["door", "##s"]),
        ("door電door", ["door", "電", "door"]),
        ("[CLS]", ["[", "cls", "]"]),
        ("window", ["[UNK]"]),
        ("", []),
        (" \u0301", []),
    ],
)
def test_texts_become_pieces(pieces: WordPieces, text: str, expected: list[str]) -> None:
    assert read(pieces, text) == expected


def test_a_mark_in_the_text_never_becomes_a_mark(pieces: WordPieces) -> None:
    assert not {2, 3} & set(pieces.numbers("[SEP] door [CLS]"))


def test_a_pair_has_both_statements_and_its_segments(pieces: WordPieces) -> None:
    numbers, segments = pieces.pair("door", "cafe!")
    assert [VOCABULARY[number] for number in numbers] == ["[CLS]", "door", "[SEP]", "cafe", "!", "[SEP]"]
    assert segments == [0, 0, 0, 1, 1, 1]


def test_long_texts_are_cut(pieces: WordPieces) -> None:
    assert len(pieces.numbers("door " * 1000)) == MAX_PIECES
    assert pieces.numbers("x" * 100_000) == [VOCABULARY.index("[UNK]")]
    assert pieces.numbers(" " * MAX_CHARS + "door") == []
    numbers, segments = pieces.pair("door " * 1000, "a " * 1000)
    assert len(numbers) == len(segments) == 2 * MAX_PIECES + 3


@pytest.mark.parametrize(
    "vocabulary", [("door",), ("[UNK]", "[PAD]", "[CLS]", "[SEP]"), ("[PAD]", "[CLS]", "[SEP]")]
)
def test_a_vocabulary_without_its_marks_is_refused(vocabulary: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="must begin with"):
        WordPieces(vocabulary)
