"""Generated pictures on disk, in shards: arrays of bytes beside what is known about each picture.

A shard is ``NAME.npy`` with the pictures and ``NAME.json`` with one entry per picture. The JSON is
written last and by renaming, so a shard with one is complete: an interrupted run leaves nothing half.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Bytes = npt.NDArray[np.uint8]


def write_shard(path: Path, pictures: Bytes, entries: Sequence[Mapping[str, Any]]) -> None:
    """Write ``path`` (without suffix): pictures (n, height, width, 3) and n entries.

    Raises:
        ValueError: not one entry for each picture.
    """
    if len(pictures) != len(entries):
        msg = f"{len(pictures)} pictures and {len(entries)} entries for {path}"
        raise ValueError(msg)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path.with_suffix(".npy"), lambda file: np.save(file, pictures))
    text = json.dumps(list(entries))
    write_whole(path.with_suffix(".json"), lambda file: file.write(text.encode()))


def shards(folder: Path, prefix: str) -> list[Path]:
    """The complete shards of a folder whose names begin so, in order, without suffix."""
    found = sorted(folder.glob(f"{prefix}-*.json")) if folder.is_dir() else []
    return [path.with_suffix("") for path in found if path.with_suffix(".npy").exists()]


def entries_of(shard: Path) -> list[dict[str, Any]]:
    """What is known about each picture of a shard."""
    read: list[dict[str, Any]] = json.loads(shard.with_suffix(".json").read_text(encoding="utf-8"))
    return read


def pictures_of(shard: Path) -> Bytes:
    """The pictures of a shard, read from disk when used."""
    mapped: Bytes = np.load(shard.with_suffix(".npy"), mmap_mode="r")
    return mapped


def write_whole(path: Path, write: Any) -> None:  # noqa: ANN401 - takes any function of a file
    """Let ``write`` fill a file that takes the place of ``path`` when it is whole."""
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    with partial.open("wb") as file:
        write(file)
    partial.replace(path)
