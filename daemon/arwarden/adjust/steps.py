"""How far a correction goes: what a judge asks for, damped and held within the configured limits. Pure."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from arwarden.config import AdjustConfig

SAME_M: Final = 0.005
SAME_FACTOR: Final = 1.01
"""Less than this nobody sees: it is no correction."""


@dataclass(frozen=True, slots=True)
class Correction:
    """A whole correction against where the app placed an object: right, up, away in metres, and a factor."""

    move_m: tuple[float, float, float] = (0.0, 0.0, 0.0)
    scale: float = 1.0

    def same(self, other: Correction) -> bool:
        """Whether nobody could tell them apart."""
        ratio = self.scale / other.scale
        return math.dist(self.move_m, other.move_m) < SAME_M and max(ratio, 1 / ratio) < SAME_FACTOR


AS_PLACED: Final = Correction()


@dataclass(frozen=True, slots=True)
class Wish:
    """What a judge asks for, against what it saw: metres to the right and up, and a factor."""

    right_m: float = 0.0
    up_m: float = 0.0
    scale: float = 1.0

    @property
    def nothing(self) -> bool:
        """Whether it would change nothing."""
        return Correction((self.right_m, self.up_m, 0.0), self.scale).same(AS_PLACED)


def next_correction(now: Correction, wish: Wish, config: AdjustConfig) -> Correction:
    """The whole correction that carries out a part of the wish, from the one in force.

    Damped by ``gain``, the step and the whole each within their limits. The same as now where they allow
    nothing.
    """
    step = _at_most((wish.right_m * config.gain, wish.up_m * config.gain, 0.0), config.max_step_m)
    whole = (now.move_m[0] + step[0], now.move_m[1] + step[1], now.move_m[2] + step[2])
    factor = _within(wish.scale**config.gain, config.max_step_factor)
    return Correction(_at_most(whole, config.max_move_m), _within(now.scale * factor, config.max_factor))


def _at_most(vector: tuple[float, float, float], most_m: float) -> tuple[float, float, float]:
    """The same direction, no longer than ``most_m``."""
    length = math.hypot(*vector)
    share = most_m / length if length > most_m else 1.0
    return (vector[0] * share, vector[1] * share, vector[2] * share)


def _within(factor: float, most: float) -> float:
    return min(max(factor, 1.0 / most), most)
