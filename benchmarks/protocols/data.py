"""What every protocol needs of its data, and the error for data that does not have it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from arwarden.core.errors import ArwardenError

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


class UnusableData(ArwardenError):
    """No statistic can be made of this. Names the data, what is wrong with it and the fix."""

    def __init__(self, what: str, problem: str) -> None:
        self.what = what
        super().__init__(f"{what}: {problem}")


@dataclass(frozen=True, slots=True)
class Interval:
    """A 95 % confidence interval, in the unit of what it is of."""

    low: float
    high: float


def vector(what: str, values: npt.ArrayLike, *, at_least: int = 1) -> Floats:
    """The values as one row of finite numbers.

    Raises:
        UnusableData: not one-dimensional, too few, or a value is NaN or infinite.
    """
    found = _numbers(what, values)
    if found.ndim != 1:
        raise UnusableData(what, f"one row of numbers is needed, this has the shape {found.shape}")
    if found.size < at_least:
        raise UnusableData(what, f"{found.size} values are too few, at least {at_least} are needed")
    bad = np.flatnonzero(~np.isfinite(found))
    if bad.size:
        raise UnusableData(
            what,
            f"{bad.size} of {found.size} values are missing, NaN or infinite, first at {bad[0]} (from 0); "
            "fill them in or leave these samples out",
        )
    return found


def matrix(what: str, values: npt.ArrayLike, *, rows: str, columns: str) -> Floats:
    """The values as a table of finite numbers, neither side empty.

    Raises:
        UnusableData: not two-dimensional, empty, or a value is NaN or infinite; names its row and column.
    """
    found = _numbers(what, values)
    if found.ndim != 2 or 0 in found.shape:
        raise UnusableData(
            what, f"a table of {rows} by {columns} is needed, this has the shape {found.shape}"
        )
    bad = np.argwhere(~np.isfinite(found))
    if bad.size:
        row, column = (int(index) for index in bad[0])
        raise UnusableData(
            what,
            f"{len(bad)} values are missing, NaN or infinite, first for {rows} {row}, {columns} {column} "
            "(from 0); fill them in or leave these samples out",
        )
    return found


def same_length(first: str, one: Sequence[object] | npt.NDArray[np.generic], second: str, size: int) -> None:
    """Check that two rows belong together.

    Raises:
        UnusableData: their lengths differ.
    """
    if len(one) != size:
        raise UnusableData(
            first, f"{len(one)} values, but {size} in {second}: they must be of the same samples"
        )


def is_constant(values: Floats) -> bool:
    """Whether all values are equal, so that nothing can correlate with them."""
    return values.size == 0 or bool(np.ptp(values) == 0)


def _numbers(what: str, values: npt.ArrayLike) -> Floats:
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise UnusableData(what, f"not numbers in rows of equal length: {error}") from None
