"""Named counters for what is dropped, refused or late. Nothing is thrown away uncounted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping


class Counters:
    """Counts by dotted name, for example ``frames.stale`` or ``outbox.expired``."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def add(self, name: str, amount: int = 1) -> None:
        """Count ``amount`` more of ``name``."""
        self._counts[name] += amount

    def __getitem__(self, name: str) -> int:
        return self._counts[name]

    def snapshot(self) -> Mapping[str, int]:
        """All counts so far."""
        return dict(self._counts)
