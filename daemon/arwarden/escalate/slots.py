"""Who may ask now and who waits: a limit on requests in flight with a short line before it. Pure."""

from __future__ import annotations

from collections import deque
from enum import StrEnum


class Place(StrEnum):
    """Where an arrival stands."""

    GRANTED = "granted"
    WAITING = "waiting"
    REFUSED = "refused"


class Slots:
    """``concurrent`` at a time, ``waiting`` in line, first come first served. Visits are told by number."""

    def __init__(self, *, concurrent: int, waiting: int) -> None:
        self._concurrent = concurrent
        self._waiting = waiting
        self._inside: set[int] = set()
        self._line: deque[int] = deque()

    @property
    def inside(self) -> int:
        """How many ask now."""
        return len(self._inside)

    def arrive(self, visit: int) -> Place:
        """Take a slot, a place in line, or nothing."""
        if len(self._inside) < self._concurrent:
            self._inside.add(visit)
            return Place.GRANTED
        if len(self._line) < self._waiting:
            self._line.append(visit)
            return Place.WAITING
        return Place.REFUSED

    def leave(self, visit: int) -> int | None:
        """Give up the slot or the place in line; returns the visit whose turn has come, if one's has."""
        if visit in self._line:
            self._line.remove(visit)
            return None
        self._inside.discard(visit)
        if not self._line or len(self._inside) >= self._concurrent:
            return None
        following = self._line.popleft()
        self._inside.add(following)
        return following
