"""What the generated scene says and when, with the truth about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

SECONDS_EACH = 4.0
FOR_EVER_S = 1e9
DEFAULT_SEED = 12
"""Begins with a coherent pair and "Made in France" against "Made in the Netherlands"."""


@dataclass(frozen=True, slots=True)
class Situation:
    """The virtual texts that are in view together, and on what they disagree, if they do."""

    texts: tuple[str, ...]
    contradicts_on: str = ""
    """In plain words ("origin"); empty where the texts go together."""


@dataclass(frozen=True, slots=True)
class SceneTruth:
    """What is in view from ``from_s`` until before ``to_s``, in seconds since the start."""

    from_s: float
    to_s: float
    texts: tuple[str, ...]
    contradictory: bool
    attribute: str
    """On what the texts disagree; empty where they do not."""


CONTRADICTORY: tuple[Situation, ...] = (
    Situation(("Made in France", "Made in the Netherlands"), "origin"),
    Situation(("Door is locked", "Door unlocked"), "lock"),
    Situation(("Restroom on the left", "Restroom on the right"), "direction"),
    Situation(("Battery full", "Battery empty"), "battery"),
    Situation(("Open 24 hours", "Closed"), "opening"),
    Situation(("Wheelchair accessible", "Not wheelchair accessible"), "accessible"),
    Situation(("Exit: 20 m", "Exit: 80 m"), "distance"),
    Situation(("Smoking allowed", "No smoking"), "permission"),
    Situation(("Coffee: $3.50", "Coffee: $5.00"), "price"),
    Situation(("Stove is on", "Stove is off"), "power"),
    Situation(("Surface is hot", "Surface is cold"), "temperature"),
)

COHERENT: tuple[Situation, ...] = (
    Situation(("Exit on the left", "Restroom on the right")),
    Situation(("Made in Italy", "Contents: 500 g")),
    Situation(("Meeting room 4", "Free until 15:00")),
    Situation(("Open until 20:00", "Last entry 19:30")),
    Situation(("Battery full", "Printer ready")),
    Situation(("Elevator", "Wheelchair accessible")),
    Situation(("Door is locked", "Use the main entrance")),
    Situation(("Reception", "Please wait here")),
)


class Timeline:
    """Situations one after the other without end: every contradictory one follows a coherent one.

    All of each kind come once, in an order chosen by the seed, before any comes again.
    """

    def __init__(
        self,
        seed: int = DEFAULT_SEED,
        *,
        seconds_each: float = SECONDS_EACH,
        coherent: Sequence[Situation] = COHERENT,
        contradictory: Sequence[Situation] = CONTRADICTORY,
    ) -> None:
        kinds = [tuple(kind) for kind in (coherent, contradictory) if kind]
        if not kinds or seconds_each <= 0:
            msg = "a timeline needs at least one situation and a time above zero for each"
            raise ValueError(msg)
        self.seconds_each = seconds_each
        self._rng = np.random.default_rng(seed)
        self._kinds = kinds
        self._bags: list[list[Situation]] = [[] for _ in kinds]
        self._order: list[Situation] = []

    @classmethod
    def constant(cls, situation: Situation) -> Timeline:
        """The same situation for ever."""
        return cls(coherent=(situation,), contradictory=(), seconds_each=FOR_EVER_S)

    def index_at(self, t_s: float) -> int:
        """Which situation, counted from 0, is in view at ``t_s``."""
        # The half microsecond keeps k/fps out of the slot before the one it starts.
        return int((t_s + 5e-7) / self.seconds_each)

    def situation(self, index: int) -> Situation:
        """The situation with this number."""
        while len(self._order) <= index:
            turn = len(self._order) % len(self._kinds)
            if not self._bags[turn]:
                kind = self._kinds[turn]
                self._bags[turn] = [kind[choice] for choice in self._rng.permutation(len(kind))]
            self._order.append(self._bags[turn].pop())
        return self._order[index]

    def truth_at(self, t_s: float) -> SceneTruth:
        """What is in view at ``t_s``."""
        index = self.index_at(t_s)
        situation = self.situation(index)
        return SceneTruth(
            from_s=index * self.seconds_each,
            to_s=(index + 1) * self.seconds_each,
            texts=situation.texts,
            contradictory=bool(situation.contradicts_on),
            attribute=situation.contradicts_on,
        )

    def truth(self, until_s: float) -> list[SceneTruth]:
        """Everything that comes into view before ``until_s``, in order."""
        count = int(np.ceil(until_s / self.seconds_each - 1e-9))
        return [self.truth_at(index * self.seconds_each) for index in range(count)]
