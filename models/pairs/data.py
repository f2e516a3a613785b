"""Files of pairs as batches of numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from arwarden.fast.pairs.weights import LABELS
from arwarden.fast.pairs.wordpieces import WordPieces
from models.pairs.compose import Pair

_SORTED_TOGETHER = 64
"""Batches whose pairs are sorted by length, so that little of a batch is padding."""
Batch = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]


@dataclass(frozen=True, slots=True)
class Encoded:
    """A pair in numbers."""

    numbers: list[int]
    segments: list[int]
    label: int


def read_pairs(path: Path) -> list[Pair]:
    """The pairs of a file. Raises ``SystemExit`` with the fix where it is not there."""
    if not path.exists():
        raise SystemExit(f"{path} is not there: write it with python -m models.pairs.generate")
    with path.open(encoding="utf-8") as file:
        return [Pair(*line.rstrip("\n").split("\t")) for line in file]


def encoded(pairs: Sequence[Pair], pieces: WordPieces) -> list[Encoded]:
    """All pairs in numbers."""
    return [Encoded(*pieces.pair(pair.first, pair.second), LABELS.index(pair.relation)) for pair in pairs]


def padded(rows: Sequence[Encoded]) -> Batch:
    """Numbers, segments (n, longest) and labels (n,)."""
    length = max(len(row.numbers) for row in rows)
    numbers, segments = (np.zeros((len(rows), length), dtype=np.int64) for _ in range(2))
    for at, row in enumerate(rows):
        numbers[at, : len(row.numbers)] = row.numbers
        segments[at, : len(row.segments)] = row.segments
    return numbers, segments, np.array([row.label for row in rows], dtype=np.int64)


def batches(
    pairs: Sequence[Pair], pieces: WordPieces, size: int, *, seed: int, skip: int = 0
) -> Iterator[Batch]:
    """Without end, in an order that follows from the seed; the first ``skip`` are left out."""
    made = 0
    turn = 0
    while True:
        rng = np.random.default_rng((seed, turn))
        order = rng.permutation(len(pairs))
        for start in range(0, len(order), size * _SORTED_TOGETHER):
            chunk = [pairs[at] for at in order[start : start + size * _SORTED_TOGETHER]]
            chunk.sort(key=lambda pair: len(pair.first) + len(pair.second))
            for first in rng.permutation(range(0, len(chunk), size)):
                made += 1
                if made > skip:
                    # Only now: numbers of all pairs at once would take half a minute at the start.
                    yield padded(encoded(chunk[first : first + size], pieces))
        turn += 1
