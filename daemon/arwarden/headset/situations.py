"""What the generated scene says and when, with the truth about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

SECONDS_EACH = 4.0
FOR_EVER_S = 1e9
DEFAULT_SEED = 9043
"""Begins with "Made in France" against "Made in the Netherlands", then a flag, then two arrows, each after a
coherent pair."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A virtual element that is more than a panel with words: an arrow, a sign or a flag."""

    text: str = ""
    """Printed on an arrow."""
    arrow: str = ""
    """``left``, ``right``, ``up`` or ``down``."""
    picture: str = ""
    """A sign of ``signs.SIGNS``, or ``flag:`` with a country of ``signs.FLAGS``."""

    @property
    def words(self) -> str:
        """What is shown, in words."""
        if self.arrow:
            return f"{self.text} (arrow {self.arrow})"
        name, _, country = self.picture.partition(":")
        return f"({name} {country})" if country else f"({name.replace('_', ' ')} sign)"


@dataclass(frozen=True, slots=True)
class Situation:
    """The virtual elements that are in view together, and on what they disagree, if they do."""

    elements: tuple[str | Shown, ...]
    """A string is a panel with these words."""
    contradicts_on: str = ""
    """In plain words ("origin"); empty where the elements go together."""

    @property
    def texts(self) -> tuple[str, ...]:
        """The elements in words."""
        return tuple(one if isinstance(one, str) else one.words for one in self.elements)


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

PICTURED_CONTRADICTORY: tuple[Situation, ...] = (
    Situation((Shown(picture="flag:FR"), "Made in the Netherlands"), "origin"),
    Situation((Shown("Exit", arrow="left"), Shown("Exit", arrow="right")), "direction"),
    Situation((Shown(picture="lock"), "Door unlocked"), "lock"),
    Situation((Shown(picture="no_smoking"), "Smoking allowed"), "permission"),
    Situation(("Battery full", Shown(picture="battery_empty")), "battery"),
    Situation((Shown("Restroom", arrow="right"), "Restroom on the left"), "direction"),
    Situation(("Wi-Fi connected", Shown(picture="wifi_off")), "connection"),
)

PICTURED_COHERENT: tuple[Situation, ...] = (
    Situation((Shown(picture="flag:IT"), "Made in Italy")),
    Situation((Shown("Exit", arrow="left"), Shown("Restroom", arrow="right"))),
    Situation((Shown(picture="lock"), "Door is locked")),
    Situation((Shown(picture="no_smoking"), "No smoking")),
    Situation(("Battery full", Shown(picture="battery_full"))),
    Situation((Shown("Meeting room 4", arrow="up"), "Free until 15:00")),
    Situation((Shown(picture="no_entry"), "Do not enter")),
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
        coherent: Sequence[Situation] = COHERENT + PICTURED_COHERENT,
        contradictory: Sequence[Situation] = CONTRADICTORY + PICTURED_CONTRADICTORY,
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
