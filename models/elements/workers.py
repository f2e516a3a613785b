"""Shards made by several processes, each with a worker of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import cv2
from rich.progress import track

Work = Callable[[Any], None]
_work: Work | None = None


def make_shards(worker: Callable[[], Work], tasks: Sequence[Any], processes: int, description: str) -> None:
    """Give each task to one of the processes, and show how far they are.

    Every process makes its ``worker`` once, as it reads the assets. Both must be picklable.
    """
    with ProcessPoolExecutor(processes, get_context("spawn"), _start, (worker,)) as pool:
        for _ in track(pool.map(_make, tasks), description=description, total=len(tasks)):
            pass


def _start(worker: Callable[[], Work]) -> None:
    global _work  # noqa: PLW0603 - one per process
    cv2.setNumThreads(1)
    _work = worker()


def _make(task: Any) -> None:  # noqa: ANN401 - what the worker takes
    if _work is None:
        raise RuntimeError("the worker was not started")
    _work(task)
