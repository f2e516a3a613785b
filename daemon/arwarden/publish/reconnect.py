"""When to connect again, and when another client has taken our place. Pure."""

from __future__ import annotations

import random

SESSION_TAKEN_OVER = 142
"""MQTT 5 reason code: another client connected with our client id."""


class Backoff:
    """Pauses that double from ``min_ms`` to ``max_ms``, each shortened at random by up to a half.

    The jitter keeps daemons that lost the same broker from coming back in step.
    """

    def __init__(self, min_ms: float, max_ms: float, rng: random.Random) -> None:
        self._min_ms = min_ms
        self._max_ms = max(min_ms, max_ms)
        self._rng = rng
        self._full_ms = min_ms

    def next_ms(self) -> float:
        """The next pause."""
        pause_ms = self._full_ms * self._rng.uniform(0.5, 1.0)
        self._full_ms = min(self._max_ms, self._full_ms * 2.0)
        return pause_ms

    def reset(self) -> None:
        """Start from the shortest pause again."""
        self._full_ms = self._min_ms


class TakeoverGuard:
    """Tells a rival with our client id from an unreliable broker.

    A broker that follows MQTT 5 closely says so with reason 142. Mosquitto 2.0.11 and rumqttd 0.20 just
    close the connection. Then the sign is ``limit`` connections in a row that each were accepted at the
    first attempt and closed again within ``stable_ms``: a broker that restarts refuses in between.
    """

    def __init__(self, stable_ms: float, limit: int = 3) -> None:
        self._stable_ms = stable_ms
        self._limit = limit
        self._short_lived = 0
        self._opened_ms: float | None = None

    def opened(self, now_ms: float) -> None:
        """A connection was accepted."""
        self._opened_ms = now_ms

    def failed(self) -> None:
        """A connection attempt failed: the broker itself is away, no rival needed."""
        self._short_lived = 0

    def closed(self, now_ms: float, reason_code: int | None, *, by_broker: bool) -> bool:
        """A connection ended. True where another client has taken our place."""
        lived_ms = now_ms - self._opened_ms if self._opened_ms is not None else 0.0
        self._opened_ms = None
        if reason_code == SESSION_TAKEN_OVER:
            self._short_lived = self._limit
        elif by_broker and reason_code is None and lived_ms < self._stable_ms:
            self._short_lived += 1
        else:
            self._short_lived = 0
        return self._short_lived >= self._limit
