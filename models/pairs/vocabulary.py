"""The part of BERT's vocabulary that texts in Latin script need: without other scripts and unused places."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from arwarden.fast.pairs.wordpieces import BEGIN, END, INSIDE, PAD, UNKNOWN

_SIGNS = "€£¥°–—“”‘’…→←↑↓½²³×"


def chosen(vocabulary: Sequence[str]) -> npt.NDArray[np.int64]:
    """Places in the vocabulary, ascending, of those to keep: marks, single characters, Latin words, numbers.

    Also words that no training text has: the base knows them, and in pieces they would mean nothing.
    """
    kept = {vocabulary.index(mark) for mark in (PAD, UNKNOWN, BEGIN, END)}
    kept |= {at for at, piece in enumerate(vocabulary) if _is_letter(piece) or _is_latin(piece)}
    return np.array(sorted(kept), dtype=np.int64)


def _is_latin(piece: str) -> bool:
    plain = piece.removeprefix(INSIDE)
    return bool(plain) and all(char in _SIGNS or (char.isascii() and char.isalnum()) for char in plain)


def _is_letter(piece: str) -> bool:
    plain = piece.removeprefix(INSIDE)
    return len(plain) == 1 and (plain.isascii() or plain in _SIGNS)


def read_vocabulary(path: Path) -> list[str]:
    """One piece a line."""
    return path.read_text(encoding="utf-8").splitlines()
