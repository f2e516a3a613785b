"""How long to wait before trying again."""

from __future__ import annotations

import random

FIRST_S, LONGEST_S = 0.2, 5.0
STEADY_AFTER_S = 10.0
"""A connection that held this long was a good one: the next loss starts from the shortest pause."""


class Backoff:
    """Pauses that double from 0.2 s to 5 s, each shortened by up to a quarter so that clients spread."""

    def __init__(self) -> None:
        self._next_s = FIRST_S

    def pause_s(self, held_s: float = 0.0) -> float:
        """The next pause; ``held_s`` is how long the connection that was just lost had lasted."""
        if held_s >= STEADY_AFTER_S:
            self._next_s = FIRST_S
        pause_s = self._next_s
        self._next_s = min(LONGEST_S, 2 * pause_s)
        return pause_s * (1 - random.random() / 4)  # noqa: S311 - spreads load, guards nothing
