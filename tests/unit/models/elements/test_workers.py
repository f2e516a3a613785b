"""Shards made by several processes."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from models.elements.workers import make_shards


def ready(folder: Path) -> Callable[[int], None]:
    (folder / f"worker-{os.getpid()}").touch()

    def make(task: int) -> None:
        (folder / f"shard-{task}").write_text(str(os.getpid()))

    return make


def failing() -> Callable[[int], None]:
    def make(task: int) -> None:
        raise ValueError(f"shard {task}")

    return make


def test_every_task_is_done_by_a_worker_that_is_made_once(tmp_path: Path) -> None:
    make_shards(partial(ready, tmp_path), range(5), 2, "shards")
    by = {(tmp_path / f"shard-{task}").read_text() for task in range(5)}
    made = {path.name.removeprefix("worker-") for path in tmp_path.glob("worker-*")}
    assert by <= made
    assert 1 <= len(made) <= 2
    assert str(os.getpid()) not in made


def test_a_failure_is_not_swallowed() -> None:
    with pytest.raises(ValueError, match="shard 0"):
        make_shards(failing, [0], 1, "shards")
