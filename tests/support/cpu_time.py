"""How long something computes, on a machine that others use too."""

from __future__ import annotations

import time
from collections.abc import Callable


def least_cpu_s(work: Callable[[], object], tries: int = 3) -> float:
    """Seconds of this thread's processor time, in the best of some tries.

    Garbage of a long test run is collected by whoever allocates then: half a second was seen.
    """
    spent_s = []
    for _ in range(tries):
        begun_s = time.thread_time()
        work()
        spent_s.append(time.thread_time() - begun_s)
    return min(spent_s)
