"""What the life cycle knows about a finding that waits for evidence, and about an alert."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from arwarden.contract.messages import AlertState
from arwarden.core.findings import NO_STAGES, Finding, Severity
from arwarden.core.frame import CaptureClock
from arwarden.core.opinion import Confirmation, Opinion
from arwarden.decide.evidence import Evidence


@dataclass(slots=True)
class Pending:
    """A finding that was seen, but not yet often enough."""

    finding: Finding
    tier: str
    evidence: Evidence


@dataclass(slots=True)
class Record:
    """An alert that the headset knows and that has not been cleared."""

    alert_id: str
    finding: Finding
    """As last seen."""
    tier: str
    evidence: Evidence
    severity: Severity
    first_captured_ms: float
    captured_ms: float
    capture_clock: CaptureClock
    expires_ms: float
    seen_healthy_ms: float
    """When last seen, on the clock that stands still while the transport is damaged."""
    state: AlertState = AlertState.RAISED
    revision: int = 0
    announced_expires_ms: float = 0.0
    agreed: int = 0
    """Agreeing samples since it was raised."""
    samples: int = 0
    misses: int = 0
    """Samples in a row that did not show it."""
    contradicted: int = 0
    """Those of them that read the same elements."""
    muted: bool = False
    """The wearer dismissed it: it is kept, but not refreshed on the display."""
    stages_ms: Mapping[str, float] = field(default_factory=lambda: NO_STAGES)
    confirmation: Confirmation = Confirmation.NONE
    opinion: Opinion | None = None
    announced_tier: str = ""
    """The tier that messages name, where it is not the one that sees it."""

    @property
    def open(self) -> bool:
        """Whether it warns now."""
        return self.state is not AlertState.RETRACTED
