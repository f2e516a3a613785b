"""A queue of length one in which the newest wins."""

from __future__ import annotations

from typing import Generic, TypeVar

T = TypeVar("T")


class LatestSlot(Generic[T]):
    """Holds at most one item; putting a second one overwrites the first, which is counted."""

    def __init__(self) -> None:
        self._item: T | None = None
        self._overwritten = 0

    @property
    def overwritten(self) -> int:
        """Items that were never taken because a newer one came."""
        return self._overwritten

    def __bool__(self) -> bool:
        return self._item is not None

    def put(self, item: T) -> T | None:
        """Store the item and return the one it overwrote."""
        previous, self._item = self._item, item
        if previous is not None:
            self._overwritten += 1
        return previous

    def take(self) -> T | None:
        """Remove and return the item; None when there is none."""
        item, self._item = self._item, None
        return item
