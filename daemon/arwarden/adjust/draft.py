"""A correction before its publication, and the step that turns it into the message on the wire. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from arwarden.adjust.steps import AS_PLACED, Correction
from arwarden.contract.objects import Adjustment


@dataclass(frozen=True, slots=True)
class AdjustmentDraft:
    """Everything in a correction that does not depend on when it is published.

    Times are on the daemon's clock.
    """

    adjustment_id: str
    version: int
    device_id: str
    session_id: str
    object_id: str
    correction: Correction
    message: str
    captured_ms: float
    expires_ms: float
    undoes: bool = False
    """Whether it takes an earlier one back, wholly or in part."""

    @property
    def reverts(self) -> bool:
        """Whether the object goes back to where the app placed it."""
        return self.undoes and self.correction.same(AS_PLACED)


def stamp(draft: AdjustmentDraft, published_ms: float, epoch: str) -> Adjustment:
    """The message as it is true at ``published_ms``; ``epoch`` names the daemon's run."""
    correction = AS_PLACED if draft.reverts else draft.correction
    return Adjustment(
        epoch=epoch,
        published_ms=published_ms,
        adjustment_id=draft.adjustment_id,
        version=draft.version,
        device_id=draft.device_id,
        session_id=draft.session_id,
        object_id=draft.object_id,
        action="revert" if draft.reverts else "apply",
        move_m=correction.move_m,
        scale=correction.scale,
        message=draft.message,
        captured_ms=draft.captured_ms,
        expires_ms=draft.expires_ms,
    )
