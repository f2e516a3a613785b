"""An alert before its publication, and the step that turns it into the message on the wire."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from arwarden.contract.messages import Alert, AlertState, ClaimMessage, ElementMessage, JudgeOpinion
from arwarden.core.counters import Counters
from arwarden.core.findings import Element, FindingKind, Severity
from arwarden.core.frame import CaptureClock
from arwarden.core.opinion import Confirmation, Opinion

WARNING_STATES = frozenset({AlertState.RAISED, AlertState.CONFIRMED})
"""States that put a warning before the wearer or keep it there; the others take it away."""


@dataclass(frozen=True, slots=True)
class AlertDraft:
    """Everything in an alert message that does not depend on when it is published.

    Times are on the daemon's clock; their meaning is that of ``contract.messages.Alert``.
    """

    alert_id: str
    key: str
    """The finding's key: what stays the same over the alerts that one fault causes in a session."""
    revision: int
    state: AlertState
    reason: str
    device_id: str
    session_id: str
    kind: FindingKind
    attribute: str
    severity: Severity
    message: str
    elements: tuple[Element, ...]
    confidence: float
    tier: str
    first_captured_ms: float
    captured_ms: float
    capture_clock: CaptureClock
    expires_ms: float
    budget_ms: float
    stages_ms: Mapping[str, float]
    from_sample: bool = True
    """False where a standing picture, passing time or the end of the session caused the message: its age
    then says nothing about the pipeline's latency."""
    confirmation: Confirmation = Confirmation.NONE
    opinion: Opinion | None = None


def stamp(draft: AlertDraft, published_ms: float, epoch: str) -> Alert:
    """The message as it is true at ``published_ms``; ``epoch`` names the daemon's run."""
    age_ms = max(0.0, published_ms - draft.captured_ms)
    return Alert(
        epoch=epoch,
        published_ms=published_ms,
        alert_id=draft.alert_id,
        revision=draft.revision,
        state=draft.state,
        reason=draft.reason,
        device_id=draft.device_id,
        session_id=draft.session_id,
        kind=draft.kind.value,
        attribute=draft.attribute,
        severity=draft.severity.value,
        message=draft.message,
        elements=tuple(_element_message(element, draft.attribute) for element in draft.elements),
        confidence=draft.confidence,
        tier=draft.tier,
        confirmation=draft.confirmation.value,
        judge=None if draft.opinion is None else _judge_message(draft.opinion),
        first_captured_ms=draft.first_captured_ms,
        captured_ms=draft.captured_ms,
        capture_clock=draft.capture_clock.value,
        expires_ms=draft.expires_ms,
        budget_ms=draft.budget_ms,
        age_ms=age_ms,
        late=age_ms > draft.budget_ms,
        stages_ms=dict(draft.stages_ms),
    )


def publishable(
    draft: AlertDraft, published_ms: float, late: Literal["publish", "drop"], counters: Counters
) -> bool:
    """Whether the policy for late alerts lets this one out at ``published_ms``; late ones are counted.

    Only warnings are ever dropped: a retraction or an end is worth having at any time.
    """
    if draft.state not in WARNING_STATES or published_ms - draft.captured_ms <= draft.budget_ms:
        return True
    counters.add("alerts.late")
    if late == "publish":
        return True
    counters.add("alerts.dropped_late")
    return False


def _judge_message(opinion: Opinion) -> JudgeOpinion:
    return JudgeOpinion(
        name=opinion.judge,
        model=opinion.model,
        verdict=opinion.verdict,
        reason=opinion.reason,
        problem=opinion.problem,
        latency_ms=opinion.latency_ms,
        tokens=opinion.tokens,
        cost=opinion.cost,
        prompt_version=opinion.prompt_version,
    )


def _element_message(element: Element, attribute: str) -> ElementMessage:
    """The element with the one of its claims that the alert is about."""
    claim = next((claim for claim in element.claims if claim.attribute == attribute), None)
    return ElementMessage(
        type=element.type.value,
        text=element.text,
        box=tuple(element.box),
        label=element.label,
        direction_deg=element.direction_deg,
        object_id=element.object_id,
        claim=None
        if claim is None
        else ClaimMessage(
            subject=claim.subject, attribute=claim.attribute, value=claim.value, polarity=claim.polarity
        ),
    )
