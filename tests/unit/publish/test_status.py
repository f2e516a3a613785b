from __future__ import annotations

import pytest

from arwarden.contract.messages import DaemonStatus
from arwarden.publish.status import MAX_STATUS_BYTES, StatusReader, StatusState, status_payload


def test_what_is_written_matches_the_contract() -> None:
    status = DaemonStatus.model_validate_json(status_payload("online", "mine", "1.2.3", 5.0))
    assert (status.state, status.epoch, status.version, status.published_ms) == (
        "online",
        "mine",
        "1.2.3",
        5.0,
    )


@pytest.mark.parametrize(
    ("state", "epoch", "expected"),
    [
        ("online", "mine", False),
        ("online", "other", False),
        ("offline", "other", True),
        ("offline", "mine", True),
        ("stopped", "other", True),
        ("stopped", "mine", False),
    ],
)
def test_what_has_to_be_healed(state: StatusState, epoch: str, expected: bool) -> None:
    assert StatusReader("mine").needs_healing(status_payload(state, epoch, "1", 1.0)) is expected


@pytest.mark.parametrize("payload", [b"", b"offline", b"\xff", b"{}", b"x" * (MAX_STATUS_BYTES + 1)])
def test_anything_else_on_the_topic_is_written_over(payload: bytes) -> None:
    assert StatusReader("mine").needs_healing(payload)
