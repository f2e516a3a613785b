"""From the paper's numbers to the contract's: the one place where signs are turned and ranges are held."""

from __future__ import annotations

from typing import Final

from arwarden.escalate.answers import Adjustment

MOVE_RANGE_M: Final = (-1.0, 1.0)
SCALE_RANGE: Final = (0.01, 2.0)
"""RateAR, appendix A.1.1 and A.1.2."""


def move_from_paper(sideways_m: float, downwards_m: float) -> Adjustment:
    """A placement in the paper's signs (right and down are positive) in the contract's (right and up)."""
    right_m, down_m = _clamped(sideways_m, MOVE_RANGE_M), _clamped(downwards_m, MOVE_RANGE_M)
    return Adjustment(
        right_m=right_m, up_m=0.0 - down_m, clamped=(right_m, down_m) != (sideways_m, downwards_m)
    )


def scale_from_paper(factor: float) -> Adjustment:
    """A size factor; the paper and the contract agree on what it means."""
    scale = _clamped(factor, SCALE_RANGE)
    return Adjustment(scale=scale, clamped=scale != factor)


def _clamped(value: float, limits: tuple[float, float]) -> float:
    return min(max(value, limits[0]), limits[1])
