"""Makes a JSON message fit a size limit by giving up what the wearer needs least.

First the per-stage times go, then the longest texts are cut to a common length with an ellipsis, then
all elements but two (a contradiction needs both of its sides). Identifiers, states, times and boxes
are never touched, so a shortened message still matches its schema.
"""

from __future__ import annotations

import json
from typing import Any

FREE_TEXTS = frozenset({"message", "reason", "text", "subject", "value"})
"""Members that people read. Nothing else may be cut: a cut identifier is a wrong identifier."""
SHORTEST_CHARS = 16
KEPT_ELEMENTS = 2
ELLIPSIS = "…"


def shorten_json(payload: bytes, limit_bytes: int) -> bytes | None:
    """The payload in at most ``limit_bytes``; None where that cannot be done.

    A payload that fits is returned as it is. One that is not a JSON object cannot be shortened.
    """
    if len(payload) <= limit_bytes:
        return payload
    try:
        message = json.loads(payload)
    except (ValueError, RecursionError):
        return None
    if not isinstance(message, dict):
        return None
    if "stages_ms" in message:
        message["stages_ms"] = {}
    fitting = _with_cut_texts(message, limit_bytes)
    if fitting is None and isinstance(message.get("elements"), list):
        message["elements"] = message["elements"][:KEPT_ELEMENTS]
        fitting = _with_cut_texts(message, limit_bytes)
    return fitting


def _with_cut_texts(message: dict[str, Any], limit_bytes: int) -> bytes | None:
    """The message with texts cut no further than needed, or None where even the shortest are too long."""
    whole = _encode(message)
    if len(whole) <= limit_bytes:
        return whole
    fitting = _encode(_cut(message, SHORTEST_CHARS))
    if len(fitting) > limit_bytes:
        return None
    fits, too_long = SHORTEST_CHARS, max(SHORTEST_CHARS + 1, len(whole))
    while too_long - fits > 1:
        chars = (fits + too_long) // 2
        candidate = _encode(_cut(message, chars))
        if len(candidate) <= limit_bytes:
            fits, fitting = chars, candidate
        else:
            too_long = chars
    return fitting


def _cut(value: Any, chars: int, name: str = "") -> Any:  # noqa: ANN401 - JSON has any shape
    if isinstance(value, dict):
        return {key: _cut(member, chars, key) for key, member in value.items()}
    if isinstance(value, list):
        return [_cut(member, chars, name) for member in value]
    if isinstance(value, str) and name in FREE_TEXTS and len(value) > chars:
        return value[: chars - 1] + ELLIPSIS
    return value


def _encode(message: dict[str, Any]) -> bytes:
    # A lone surrogate (a "\ud800" escape) cannot be written as UTF-8: it becomes a question mark.
    return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode(errors="replace")
