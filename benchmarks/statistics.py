"""Percentiles of what was measured."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Summary:
    """A sample in five numbers, in the unit of its values."""

    count: int
    p50: float
    p95: float
    p99: float
    worst: float


def summary(values: Iterable[float]) -> Summary | None:
    """Percentiles with linear interpolation between ranks; None without any value."""
    sample = np.asarray(list(values), dtype=np.float64)
    if sample.size == 0:
        return None
    p50, p95, p99 = (float(value) for value in np.percentile(sample, (50, 95, 99)))
    return Summary(int(sample.size), p50, p95, p99, float(sample.max()))
