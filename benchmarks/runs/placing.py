"""Which of several workers is asked next. Pure."""

from __future__ import annotations

import math
from collections import deque
from typing import Final

from benchmarks.runs.media import REMEMBERED


class Placing:
    """Workers by number, the questions open at each, and the samples whose files each has read last.

    A question goes to a worker that has its sample's files in memory, as long as that worker has less than
    its share of what may be open; else to the one with the fewest open questions, of
    these to the one that was asked the least.
    """

    def __init__(self, most_open: int) -> None:
        """``most_open`` questions are open at a time over all workers; whoever asks keeps to it."""
        self._most_open: Final = most_open
        self._open: dict[int, int] = {}
        self._asked: dict[int, int] = {}
        self._read: dict[int, deque[str]] = {}

    def join(self, worker: int) -> None:
        """One more that can be asked."""
        self._open[worker] = 0
        self._asked[worker] = 0
        self._read[worker] = deque(maxlen=REMEMBERED)

    def leave(self, worker: int) -> None:
        """It cannot be asked any more. One that has left already is none the worse for it."""
        self._open.pop(worker, None)
        self._asked.pop(worker, None)
        self._read.pop(worker, None)

    def take(self, sample: str) -> int | None:
        """The worker to ask about a sample; None where there is none."""
        if not self._open:
            return None
        share = math.ceil(self._most_open / len(self._open))

        def order(worker: int) -> tuple[bool, int, int]:
            far = sample not in self._read[worker] or self._open[worker] >= share
            return far, self._open[worker], self._asked[worker]

        chosen = min(self._open, key=order)
        self._open[chosen] += 1
        self._asked[chosen] += 1
        if sample not in self._read[chosen]:
            self._read[chosen].append(sample)
        return chosen

    def give_back(self, worker: int) -> None:
        """A question to it has ended."""
        if worker in self._open:
            self._open[worker] -= 1
