"""What the adjustment loop speaks of: the object in hand, what a judge says of it, what happens to it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from arwarden.adjust.draft import AdjustmentDraft
from arwarden.adjust.records import End
from arwarden.adjust.scene import Seen
from arwarden.adjust.steps import AS_PLACED, Correction, Wish
from arwarden.config.adjust import Factor


class Phase(StrEnum):
    """Where the object in hand is."""

    JUDGING = "judging"
    SENT = "sent"
    SETTLING = "settling"
    REJUDGING = "rejudging"
    UNDOING = "undoing"


class Effect(StrEnum):
    """What a correction did, by the judge's ratings before and after it."""

    IMPROVED = "improved"
    UNCHANGED = "unchanged"
    WORSE = "worse"


@dataclass(frozen=True, slots=True)
class Target:
    """What to ask a judge about."""

    object_id: str
    factor: Factor
    seen: Seen


@dataclass(frozen=True, slots=True)
class Rated:
    """What a judge said: 1 to 5, and what it asks for where it asks for something."""

    rating: float
    wish: Wish | None = None


@dataclass(frozen=True, slots=True)
class Note:
    """Something that happened, for metrics and whoever watches."""

    what: str
    """``rated``, ``sent``, ``acknowledged``, ``effect`` or ``ended``."""
    object_id: str
    factor: Factor
    detail: str = ""
    """The kind of what happened: an action, an effect, an end."""
    rating: float | None = None
    version: int = 0
    correction: Correction = AS_PLACED


@dataclass(slots=True)
class Episode:
    """The object in hand, from its first rating to its end."""

    object_id: str
    factor: Factor
    adjustment_id: str
    phase: Phase
    since_ms: float
    asked_ms: float
    captured_ms: float
    in_force: Correction
    view_ms: float
    """Capture time of the picture in whose view the correction in force is expressed."""
    label: str
    rating: float = 0.0
    best_rating: float = 0.0
    best: Correction = AS_PLACED
    best_view_ms: float = 0.0
    steps: int = 0
    clamped: bool = False
    draft: AdjustmentDraft | None = None
    deadline_ms: float = 0.0
    resend_ms: float = 0.0
    """When the draft is sent again; endless once the headset has said that it is there."""
    undo_tries: int = 0
    end: End = End.WORSE
    """What an undo ends with."""


def effect_of(before: float, after: float) -> Effect:
    """What a correction did, by the ratings before and after it."""
    if after == before:
        return Effect.UNCHANGED
    return Effect.IMPROVED if after > before else Effect.WORSE
