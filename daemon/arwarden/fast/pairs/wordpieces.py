"""Text to numbers for the pair network: BERT's uncased word pieces (Devlin et al. 2019, section 3).

Written here because the library for it brings a client for downloading models along.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from typing import Final

PAD: Final = "[PAD]"
UNKNOWN: Final = "[UNK]"
BEGIN: Final = "[CLS]"
END: Final = "[SEP]"
INSIDE: Final = "##"
"""Before a piece that continues a word."""
MAX_PIECES: Final = 24
"""Of each statement; the rest is cut off. AR texts have some eight."""
MAX_CHARS: Final = 200
"""Read of each statement, before anything else: bounds the time for any text."""
_LONGEST_WORD: Final = 100
_IDEOGRAPHS: Final = ((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x2FA1F))


class WordPieces:
    """Cuts texts into the pieces of one vocabulary; a piece's number is its place in it."""

    def __init__(self, vocabulary: Sequence[str]) -> None:
        """Raises ``ValueError`` where one of the four marks is missing."""
        self._numbers = {piece: number for number, piece in enumerate(vocabulary)}
        missing = [mark for mark in (PAD, UNKNOWN, BEGIN, END) if mark not in self._numbers]
        if missing or vocabulary[0] != PAD:
            msg = f"the vocabulary must begin with {PAD} and have {UNKNOWN}, {BEGIN}, {END}"
            raise ValueError(msg)
        self._unknown, self._begin, self._end = (self._numbers[mark] for mark in (UNKNOWN, BEGIN, END))
        self._longest = max(map(len, vocabulary))

    def numbers(self, text: str) -> list[int]:
        """The numbers of the pieces of a text, at most :data:`MAX_PIECES`."""
        found: list[int] = []
        for word in _words(text[:MAX_CHARS]):
            found += self._pieces(word)
            if len(found) >= MAX_PIECES:
                break
        return found[:MAX_PIECES]

    def pair(self, first: str, second: str) -> tuple[list[int], list[int]]:
        """Numbers and segments of "[CLS] first [SEP] second [SEP]"; segment 1 is the second statement."""
        a, b = self.numbers(first), self.numbers(second)
        numbers = [self._begin, *a, self._end, *b, self._end]
        return numbers, [0] * (len(a) + 2) + [1] * (len(b) + 1)

    def _pieces(self, word: str) -> list[int]:
        """The longest known piece, then the longest that goes on from there; unknown where that fails."""
        if len(word) > _LONGEST_WORD:
            return [self._unknown]
        found: list[int] = []
        start = 0
        while start < len(word):
            mark = INSIDE if start else ""
            for end in range(min(len(word), start + self._longest), start, -1):
                number = self._numbers.get(mark + word[start:end])
                if number is not None:
                    found.append(number)
                    start = end
                    break
            else:
                return [self._unknown]
        return found


def _words(text: str) -> Iterator[str]:
    """Words in lower case without accents; every punctuation mark and ideograph is a word of its own."""
    word = ""
    for letter in unicodedata.normalize("NFD", text.lower()):
        category = unicodedata.category(letter)
        if category == "Mn":
            continue
        if letter.isspace() or category.startswith("Z"):
            alone = ""
        elif category.startswith("C"):
            continue
        elif _stands_alone(letter, category):
            alone = letter
        else:
            word += letter
            continue
        if word:
            yield word
            word = ""
        if alone:
            yield alone
    if word:
        yield word


def _stands_alone(letter: str, category: str) -> bool:
    code = ord(letter)
    if code < 128:
        return not letter.isalnum()
    return category.startswith("P") or any(low <= code <= high for low, high in _IDEOGRAPHS)
