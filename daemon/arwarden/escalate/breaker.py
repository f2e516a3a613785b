"""When a judge that keeps failing is left alone, and when it is tried again. Pure."""

from __future__ import annotations

from enum import StrEnum


class BreakerState(StrEnum):
    """The state of a circuit."""

    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half_open"
    """Its rest is over: one question may try whether it works again."""


class Breaker:
    """Opens after ``failures`` in a row; then admits one probe at a time, after rests that double.

    A failure that names when to come again (Retry-After) opens it at once for that long, if it is not one of
    several: then its own rest is the least. Times are on the daemon's clock.
    """

    def __init__(self, *, failures: int, open_ms: float, max_open_ms: float) -> None:
        self._limit = failures
        self._open_ms = open_ms
        self._max_open_ms = max(open_ms, max_open_ms)
        self._rest_ms = open_ms
        self._in_a_row = 0
        self._closed_until_ms: float | None = None
        self._probing = False

    def state(self, now_ms: float) -> BreakerState:
        """The state at a time."""
        if self._closed_until_ms is None:
            return BreakerState.CLOSED
        return BreakerState.HALF_OPEN if now_ms >= self._closed_until_ms else BreakerState.OPEN

    def retry_in_ms(self, now_ms: float) -> float:
        """How long until a question may be asked again; 0 where one may now."""
        return 0.0 if self._closed_until_ms is None else max(0.0, self._closed_until_ms - now_ms)

    def admit(self, now_ms: float) -> bool:
        """True where a question may be asked now. Every admitted one must be settled by one of the rest."""
        state = self.state(now_ms)
        if state is BreakerState.OPEN or (state is BreakerState.HALF_OPEN and self._probing):
            return False
        self._probing = state is BreakerState.HALF_OPEN
        return True

    def succeeded(self) -> None:
        """An admitted question was answered."""
        self._in_a_row = 0
        self._rest_ms = self._open_ms
        self._closed_until_ms = None
        self._probing = False

    def failed(self, now_ms: float, retry_after_ms: float | None = None) -> None:
        """An admitted question was not answered."""
        was_open, self._probing = self._closed_until_ms is not None, False
        self._in_a_row += 1
        if was_open and now_ms >= (self._closed_until_ms or 0.0):
            self._rest_ms = min(self._max_open_ms, self._rest_ms * 2.0)
        keeps_failing = was_open or self._in_a_row >= self._limit
        if not keeps_failing and retry_after_ms is None:
            return
        rest_ms = max(self._rest_ms if keeps_failing else 0.0, retry_after_ms or 0.0)
        self._closed_until_ms = max(self._closed_until_ms or 0.0, now_ms + min(self._max_open_ms, rest_ms))

    def withdrawn(self) -> None:
        """An admitted question was given up by whoever asked: it says nothing about the judge."""
        self._probing = False
