"""When to ask a sender for a keyframe (RTCP picture loss indication, RFC 4585, section 6.3.1).

Neither a lost first keyframe nor a frame given up for lost makes aiortc ask: measured, none of the 29
frames after a lost VP8 keyframe decoded and nothing was sent. A sender that does not answer is asked
at most once a second, then every five seconds, and the session says ``no_keyframe``.
"""

from __future__ import annotations

INTERVAL_MS = 1_000.0
SLOW_INTERVAL_MS = 5_000.0
UNANSWERED_LIMIT = 3
"""Requests in a row without a keyframe after which the sender is said not to answer."""


class KeyframeRequests:
    """Decides when a request is due. Every method takes the time now on the daemon's clock."""

    def __init__(self, keyframe_after_ms: float) -> None:
        self._keyframe_after_ms = keyframe_after_ms
        self._wanted = False
        self._undecoded_since_ms: float | None = None
        self._asked_ms: float | None = None
        self._unanswered = 0
        self.sent = 0

    @property
    def no_keyframe(self) -> bool:
        """Whether the sender was asked repeatedly and has not answered."""
        return self._unanswered >= UNANSWERED_LIMIT

    @property
    def waiting(self) -> bool:
        """Whether a request is open."""
        return self._unanswered > 0

    def want(self) -> None:
        """Something was lost that only a keyframe repairs."""
        self._wanted = True

    def packet(self, now_ms: float) -> None:
        """Picture data came in."""
        if self._undecoded_since_ms is None:
            self._undecoded_since_ms = now_ms

    def decoded(self) -> None:
        """A picture came out of the decoder."""
        self._undecoded_since_ms = None

    def keyframe(self) -> None:
        """A whole keyframe came in."""
        self._wanted = False
        self._undecoded_since_ms = None
        self._unanswered = 0

    def due(self, now_ms: float) -> bool:
        """Whether to send a request now; it counts as sent when this says so."""
        overdue = (
            self._undecoded_since_ms is not None
            and now_ms - self._undecoded_since_ms >= self._keyframe_after_ms
        )
        if not (self._wanted or overdue):
            return False
        interval_ms = SLOW_INTERVAL_MS if self.no_keyframe else INTERVAL_MS
        if self._asked_ms is not None and now_ms - self._asked_ms < interval_ms:
            return False
        self._asked_ms = now_ms
        self._unanswered += 1
        self.sent += 1
        return True
