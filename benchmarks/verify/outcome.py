"""What became of a published number, and of all numbers of a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Outcome(StrEnum):
    """Of one published number."""

    REPRODUCED = "reproduced"
    NOT_REPRODUCIBLE = "not reproducible"
    DIFFERS = "differs"


Key = tuple[str, str, str]
"""Table, row and quantity."""


@dataclass(frozen=True, slots=True)
class Check:
    """One published number. ``reason`` says why it is not reproducible, or why it is known to differ."""

    row: str
    quantity: str
    printed: str
    recomputed: str
    outcome: Outcome
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """The checks of a published table. ``how`` says what is recomputed from what, ``remark`` the rest."""

    name: str
    how: str
    checks: tuple[Check, ...]
    remark: str = ""

    def count(self, outcome: Outcome) -> int:
        """How many of the checks ended so."""
        return sum(check.outcome is outcome for check in self.checks)

    @property
    def unexplained(self) -> tuple[Check, ...]:
        """Checks that differ without a known reason."""
        return tuple(check for check in self.checks if check.outcome is Outcome.DIFFERS and not check.reason)


def compared(row: str, quantity: str, printed: str, recomputed: str, *, same: bool) -> Check:
    """A check that could be made."""
    outcome = Outcome.REPRODUCED if same else Outcome.DIFFERS
    return Check(row, quantity, printed, recomputed, outcome)


def impossible(row: str, quantity: str, printed: str, reason: str) -> Check:
    """A number that cannot be recomputed, and why."""
    return Check(row, quantity, printed, "", Outcome.NOT_REPRODUCIBLE, reason)


def explained(table: Table, known: Mapping[Key, str]) -> Table:
    """The table with the reasons of known differences, which remain differences."""
    checks = tuple(
        Check(
            check.row,
            check.quantity,
            check.printed,
            check.recomputed,
            check.outcome,
            known.get((table.name, check.row, check.quantity), ""),
        )
        if check.outcome is Outcome.DIFFERS
        else check
        for check in table.checks
    )
    return Table(table.name, table.how, checks, table.remark)
