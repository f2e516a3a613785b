"""Alerts as a daemon would send them."""

from __future__ import annotations

from typing import Any

from arwarden.contract.messages import Alert

START_MS = 1_700_000_000_000.0


def make_alert(**changes: Any) -> Alert:
    """An alert captured 200 ms before it was published at ``START_MS``, useful for 3 s."""
    values = {
        "epoch": "run-1",
        "published_ms": START_MS,
        "alert_id": "a1",
        "revision": 1,
        "state": "raised",
        "device_id": "quest-1",
        "session_id": "s1",
        "kind": "contradiction",
        "attribute": "origin",
        "severity": "warning",
        "message": "Two labels name different places of origin.",
        "confidence": 0.9,
        "tier": "fast",
        "first_captured_ms": START_MS - 300,
        "captured_ms": START_MS - 200,
        "capture_clock": "synced",
        "expires_ms": START_MS + 3000,
        "budget_ms": 500,
        "age_ms": 200,
        "late": False,
    }
    return Alert.model_validate({**values, **changes})
