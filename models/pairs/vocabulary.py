"""The part of BERT's vocabulary that AR texts in Latin script need: a third of its words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from arwarden.fast.pairs.wordpieces import BEGIN, END, INSIDE, PAD, UNKNOWN, WordPieces

SIZE = 11_000
_SIGNS = "€£¥°–—“”‘’…→←↑↓½²³×"


def chosen(vocabulary: Sequence[str], texts: Iterable[str], size: int = SIZE) -> npt.NDArray[np.int64]:
    """Places in the vocabulary, ascending, of those to keep.

    All marks and single letters, all pieces of the texts, and then the most frequent Latin words: BERT's
    vocabulary is ordered by frequency.
    """
    pieces = WordPieces(vocabulary)
    kept = {vocabulary.index(mark) for mark in (PAD, UNKNOWN, BEGIN, END)}
    kept |= {at for at, piece in enumerate(vocabulary) if _is_letter(piece)}
    for text in texts:
        kept |= set(pieces.numbers(text))
    for at, piece in enumerate(vocabulary):
        if len(kept) >= size:
            break
        plain = piece.removeprefix(INSIDE)
        if plain.isascii() and plain.isalpha():
            kept.add(at)
    return np.array(sorted(kept), dtype=np.int64)


def _is_letter(piece: str) -> bool:
    plain = piece.removeprefix(INSIDE)
    return len(plain) == 1 and (plain.isascii() or plain in _SIGNS)


def read_vocabulary(path: Path) -> list[str]:
    """One piece a line."""
    return path.read_text(encoding="utf-8").splitlines()
