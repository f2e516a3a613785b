"""What is asked, and what comes back."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Self

from arwarden.core.errors import ArwardenError
from arwarden.escalate.budget import Estimate

NO_COST = Estimate(0, 0)
"""Of what is computed here."""
FORMAT = 2
"""Counts up when a member of a row changes its meaning."""


class NoAnswer(ArwardenError):
    """A method that is asked in this process could not answer. ``reason`` is a short name for the row."""

    def __init__(self, reason: str, detail: str) -> None:
        self.reason = reason
        super().__init__(detail)


class WorkersLost(ArwardenError):
    """No process is left to ask. What was answered is in the file of rows."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"{reason}; what was answered is kept, go on with --resume")


@dataclass(frozen=True, slots=True)
class Key:
    """What makes two questions the same: such a question is asked once, however often a run is started."""

    suite: str
    sample: str
    content: str
    """Checksum of the sample's files, so that a changed one is asked about anew."""
    method: str
    """The label of what is asked."""
    protocol: str
    """How: ``single``, ``placement.contextual``, ``forward``."""
    asked: str
    """Version of the prompt and checksum of the models asked, or version of the measure."""
    repetition: int


@dataclass(frozen=True, slots=True)
class Given:
    """What a method said to one question, and what that took."""

    model: str
    answer: Mapping[str, Any]
    """As JSON; its members are the suite's."""
    parse: str
    """How the answer was read (``strict``, ``tolerant``, ``unreadable``), ``computed``, or ``failed``."""
    problem: str = ""
    """Why there is no usable answer, as a name."""
    latency_ms: float = 0.0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float | None = None
    """In the currency of the price table; None where it has no price for the model."""

    @property
    def answered(self) -> bool:
        """Whether an answer came: one that cannot be read has cost its tokens and is not asked for again."""
        return self.parse != FAILED


FAILED = "failed"
COMPUTED = "computed"


@dataclass(frozen=True, slots=True)
class Call:
    """A question that can be put. ``ask`` raises ``TierError`` or ``NoAnswer`` where nothing comes back."""

    key: Key
    ask: Callable[[], Awaitable[Given]]
    estimate: Estimate = NO_COST
    """The most it can cost."""
    priced: bool = True
    """False where nothing is known of what it costs."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the file of rows."""

    key: Key
    given: Given

    def as_json(self) -> dict[str, Any]:
        """All members in one object."""
        return {"format": FORMAT, **asdict(self.key), **asdict(self.given)}

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Self:
        """Read what ``as_json`` wrote. Raises ``ValueError``, ``KeyError`` or ``TypeError`` for other."""
        if values["format"] != FORMAT:
            raise ValueError(
                f"format {values['format']}, not {FORMAT}: of another version; choose another --out"
            )
        key = Key(**{field.name: values[field.name] for field in fields(Key)})
        given = Given(**{field.name: values[field.name] for field in fields(Given)})
        return cls(key, given)
