"""The daemon's own status topic: what is written there, and when it must be written again. Pure."""

from __future__ import annotations

from typing import Literal

from pydantic import ValidationError

from arwarden.contract.messages import DaemonStatus

MAX_STATUS_BYTES = 4096

StatusState = Literal["online", "offline", "stopped"]


def status_payload(state: StatusState, epoch: str, version: str, now_ms: float) -> bytes:
    """The status message as it goes on the wire."""
    return (
        DaemonStatus(epoch=epoch, published_ms=now_ms, state=state, version=version)
        .model_dump_json()
        .encode()
    )


class StatusReader:
    """Tells from what arrives on the status topic whether the retained status is wrong.

    While we are connected we are online, whatever is written there. A wrong ``offline`` comes from the
    late will of an old connection: of an earlier run, or of this one (then it carries our own epoch, so
    the epoch is no reason to let it stand). ``stopped`` with our epoch is our own goodbye.
    """

    def __init__(self, epoch: str) -> None:
        self._epoch = epoch

    def needs_healing(self, payload: bytes) -> bool:
        """Whether ``online`` has to be published again. Never raises, whatever the payload."""
        if len(payload) > MAX_STATUS_BYTES:
            return True
        try:
            status = DaemonStatus.model_validate_json(payload)
        except ValidationError:
            return True
        if status.state == "stopped":
            return status.epoch != self._epoch
        return status.state == "offline"
