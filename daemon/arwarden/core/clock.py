"""One time base for the whole daemon.

Every time inside the daemon is a float in milliseconds on *the daemon's clock*: the Unix epoch read
once at start, advanced by the monotonic clock. It reads like wall time in messages and logs, yet no
NTP step or suspend of the wall clock can make an age negative or an expiry jump.
"""

from __future__ import annotations

import time
from typing import Protocol


class Clock(Protocol):
    """Anything that tells the daemon's time."""

    def now_ms(self) -> float:
        """The time now, in Unix epoch milliseconds that never run backwards."""
        ...


class SystemClock:
    """The daemon's clock on a real machine."""

    def __init__(self) -> None:
        self._anchor_ms = time.time() * 1000.0 - time.monotonic() * 1000.0

    def now_ms(self) -> float:
        """The time now, in Unix epoch milliseconds that never run backwards."""
        return self._anchor_ms + time.monotonic() * 1000.0

    def wall_step_ms(self) -> float:
        """How far the machine's wall clock has moved away from this clock since start."""
        return time.time() * 1000.0 - self.now_ms()


class VirtualClock:
    """A clock that moves only when told to: budgets and expiries are tested with it, without waiting."""

    def __init__(self, start_ms: float = 1_700_000_000_000.0) -> None:
        self._now_ms = start_ms

    def now_ms(self) -> float:
        """The time this clock was last moved to, in milliseconds."""
        return self._now_ms

    def advance(self, by_ms: float) -> float:
        """Move forward by ``by_ms`` (not negative) and return the new time."""
        if by_ms < 0:
            msg = f"time cannot go back by {-by_ms} ms"
            raise ValueError(msg)
        self._now_ms += by_ms
        return self._now_ms
