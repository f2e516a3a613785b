"""A second opinion as the decision needs it: what a judge said, and what follows for which finding."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Literal

from arwarden.core.findings import Finding
from arwarden.core.frame import Frame


class Confirmation(StrEnum):
    """What a judge has to do with an alert."""

    NONE = "none"
    """No judge was asked."""
    PENDING = "pending"
    CONFIRMED = "confirmed"
    REJECTED = "rejected"
    UNVERIFIED = "unverified"
    """A judge was asked and did not answer, or not about this."""


@dataclass(frozen=True, slots=True)
class Opinion:
    """What a judge said, and what that took."""

    judge: str
    model: str
    verdict: Literal["yes", "no", "unknown"]
    """Whether virtual content contradicts itself."""
    reason: str = ""
    """In the judge's own words."""
    problem: str = ""
    """Why it is unknown, as a name: ``deadline``, ``http_500``, ``unreadable``."""
    latency_ms: float = 0.0
    tokens: int = 0
    cost: float | None = None
    prompt_version: str = ""


@dataclass(frozen=True, slots=True)
class Raised:
    """A finding that a judge stands for."""

    finding: Finding
    tier: str
    """Which tier sees it, and so can miss it: the fast one where it was the first to suspect it."""


@dataclass(frozen=True, slots=True)
class Ruling:
    """What follows from an opinion, by the keys of the findings that were asked about."""

    opinion: Opinion
    confirmed: tuple[str, ...] = ()
    rejected: tuple[str, ...] = ()
    unverified: tuple[str, ...] = ()
    why: str = ""
    """Why alerts stay unverified, as a name."""
    raised: tuple[Raised, ...] = ()
    judged: Frame | None = None
    """The frame that the judge saw."""
    seen: Frame | None = None
    """The newest frame that shows the same; None where it is gone by now."""
    budget_ms: float = 0.0
    """How old the messages that follow may be without being late."""
    holds_ms: float = 0.0
    """For how long a rejected finding is not raised again."""

    def without_cost(self) -> Ruling:
        """The same, remembered: it took no time and no money again."""
        return replace(self, opinion=replace(self.opinion, latency_ms=0.0, tokens=0, cost=None))
