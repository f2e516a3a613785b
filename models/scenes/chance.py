"""Small random choices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

Rng = np.random.Generator
_T = TypeVar("_T")


def happens(share: float, rng: Rng) -> bool:
    """True in this share of the calls."""
    return bool(rng.random() < share)


def one_of(options: Sequence[_T], rng: Rng) -> _T:
    """Any of the options, all alike."""
    return options[int(rng.integers(len(options)))]


def weighted(options: Sequence[_T], weights: Sequence[float], rng: Rng) -> _T:
    """One of the options, as often as its weight says."""
    edges = np.cumsum(np.asarray(weights, dtype=np.float64))
    return options[int(np.searchsorted(edges, rng.random() * edges[-1], side="right"))]
