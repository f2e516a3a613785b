r"""Writes scenes and clips with their truth into a folder.

    python -m models.scenes.generate --out build/scenes/test --split test --count 624 --seed 1 \
        --backgrounds PHOTOS --negatives 300 --videos 60

The same arguments give the same files. A run that was stopped goes on where it was when it is started
again with the same arguments. Written are ``images/*.jpg`` with ``truth.jsonl`` (one scene a line),
``videos/*.mp4`` with one JSON file each, and ``manifest.json`` with the arguments. A scene whose two elements
find no room, one in some hundreds, is left out and counted.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass, replace
from enum import Enum
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import cv2
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from models.scenes.compose import NoRoomError
from models.scenes.kinds import KindFilter, Split
from models.scenes.painter import Painter
from models.scenes.scene import FULL_SIZE_PX, Scene, SceneMaker
from models.scenes.truth import FORMAT, to_json
from models.scenes.video import ClipMaker, write_clip

_JPEG_QUALITY = 95


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be written."""

    out: Path
    split: Split
    count: int
    seed: int
    videos: int = 0
    negatives: int = 0
    backgrounds: Path | None = None
    kinds: KindFilter = KindFilter.SEEN
    size_px: tuple[int, int] = FULL_SIZE_PX
    clip_s: tuple[float, float] = (3.0, 8.0)
    suffix: str = ".jpg"

    def manifest(self) -> dict[str, Any]:
        """What must be the same for a run to be continued. More scenes may be asked for later."""
        return {
            "format": FORMAT,
            "split": self.split.value,
            "seed": self.seed,
            "kinds": self.kinds.value,
            "size_px": list(self.size_px),
            "backgrounds": None if self.backgrounds is None else self.backgrounds.name,
            "clip_s": list(self.clip_s),
            "suffix": self.suffix,
        }


@dataclass(frozen=True, slots=True)
class _Task:
    kind: str
    """``scene``, ``negative`` or ``video``."""
    index: int

    def name(self, order: Order) -> str:
        """The file it goes to, below the folder."""
        if self.kind == "video":
            return f"videos/{self.index:05}.mp4"
        prefix = "n" if self.kind == "negative" else ""
        return f"images/{prefix}{self.index:06}{order.suffix}"


class Outcome(Enum):
    """Of a task that has no truth to be listed."""

    WRITTEN = "written"
    NO_ROOM = "no room"


Made = dict[str, Any] | Outcome


class _Worker:
    """Makes single files; one per process."""

    def __init__(self, order: Order, painter: Painter | None = None) -> None:
        self._order = order
        self._scenes = SceneMaker(
            order.split, order.seed, painter=painter, backgrounds=order.backgrounds, kinds=order.kinds,
            size_px=order.size_px,
        )  # fmt: skip
        self._clips = ClipMaker(self._scenes, duration_s=order.clip_s)

    def make(self, task: _Task) -> Made:
        """Write one file; the truth of a scene is returned, that of a clip is written beside it."""
        try:
            return self._written(task)
        except NoRoomError:
            return Outcome.NO_ROOM

    def _written(self, task: _Task) -> Made:
        path = self._order.out / task.name(self._order)
        if task.kind == "video":
            truth = write_clip(path, self._clips, task.index)
            _write_whole(path.with_suffix(".json"), json.dumps(to_json(truth)))
            return Outcome.WRITTEN
        scene = (
            self._scenes.negative(task.index) if task.kind == "negative" else self._scenes.scene(task.index)
        )
        _write_picture(path, scene)
        return to_json(replace(scene.truth, file=task.name(self._order)))


def generate(order: Order, *, processes: int = 1, painter: Painter | None = None, quiet: bool = False) -> int:
    """Write what is missing of the order. ``painter`` other than the own one works with one process only.

    Returns how many were left out, as their elements find no room.

    Raises ``ValueError`` where the folder holds something made with other arguments.
    """
    for folder in ("images", "videos") if order.videos else ("images",):
        (order.out / folder).mkdir(parents=True, exist_ok=True)
    _check_manifest(order, _assets(painter))
    done = _known(order)
    tasks = [task for task in _tasks(order) if not _is_done(task, order, done)]
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    truth_file = order.out / "truth.jsonl"
    with Progress(*columns, disable=quiet) as progress, truth_file.open("a", encoding="utf-8") as lines:
        bar = progress.add_task(f"{order.split} seed {order.seed}", total=len(tasks))
        left_out = 0
        for truth in _made(order, tasks, processes, painter):
            if isinstance(truth, dict):
                lines.write(json.dumps(truth) + "\n")
                lines.flush()
            left_out += truth is Outcome.NO_ROOM
            progress.advance(bar)
    _sort(truth_file)
    return left_out


def _made(order: Order, tasks: Sequence[_Task], processes: int, painter: Painter | None) -> Iterator[Made]:
    if processes <= 1 or painter is not None:
        if tasks:
            worker = _Worker(order, painter)
            yield from map(worker.make, tasks)
        return
    waiting = iter(tasks)
    context = get_context("spawn")
    with ProcessPoolExecutor(processes, mp_context=context, initializer=_start, initargs=(order,)) as pool:
        running: set[Future[Made]] = set()
        # Only a few are handed out at a time: a list of 100 000 tasks would sit in the queue otherwise.
        while True:
            running |= {pool.submit(_make, task) for task in islice(waiting, 4 * processes - len(running))}
            if not running:
                return
            finished, running = wait(running, return_when=FIRST_COMPLETED)
            for future in finished:
                yield future.result()


_of_process: list[_Worker] = []


def _start(order: Order) -> None:
    cv2.setNumThreads(1)
    _of_process[:] = [_Worker(order)]


def _make(task: _Task) -> Made:
    return _of_process[0].make(task)


def _tasks(order: Order) -> list[_Task]:
    return [
        *(_Task("scene", index) for index in range(order.count)),
        *(_Task("negative", index) for index in range(order.negatives)),
        *(_Task("video", index) for index in range(order.videos)),
    ]


def _is_done(task: _Task, order: Order, known: set[str]) -> bool:
    name = task.name(order)
    if not (order.out / name).exists():
        return False
    return (order.out / name).with_suffix(".json").exists() if task.kind == "video" else name in known


def _known(order: Order) -> set[str]:
    """Files whose truth is written. Unfinished lines, and lines about files that are gone, are dropped."""
    path = order.out / "truth.jsonl"
    if not path.exists():
        return set()
    whole: dict[str, str] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            name = json.loads(line)["file"]
            if (order.out / name).exists():
                whole[name] = line
        except (json.JSONDecodeError, KeyError):
            continue
    _write_whole(path, "".join(f"{line}\n" for line in whole.values()))
    return set(whole)


def _sort(path: Path) -> None:
    lines = sorted(
        path.read_text(encoding="utf-8").splitlines(), key=lambda line: str(json.loads(line)["file"])
    )
    _write_whole(path, "".join(f"{line}\n" for line in lines))


def _assets(painter: Painter | None) -> str:
    """Changes when other things would be drawn from the same seed."""
    if painter is not None:
        return type(painter).__name__
    from models.scenes.art.painter import default_library  # noqa: PLC0415 - tests run without the assets

    return default_library().fingerprint


def _check_manifest(order: Order, assets: str) -> None:
    path = order.out / "manifest.json"
    wanted = {**order.manifest(), "assets": assets}
    if path.exists():
        before = json.loads(path.read_text(encoding="utf-8"))
        other = sorted(name for name, value in wanted.items() if before.get(name) != value)
        if other:
            names = ", ".join(other)
            msg = f"{order.out} holds scenes made with another {names}; choose another folder or empty it"
            raise ValueError(msg)
    _write_whole(path, json.dumps(wanted, indent=2) + "\n")


def _write_picture(path: Path, scene: Scene) -> None:
    parameters = (cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY) if path.suffix == ".jpg" else ()
    done, data = cv2.imencode(path.suffix, scene.rgb[:, :, ::-1], parameters)
    if not done:
        msg = f"OpenCV could not encode {path.suffix}"
        raise ValueError(msg)
    partial = path.with_name(f".{path.name}.part")
    partial.write_bytes(data.tobytes())
    partial.replace(path)


def _write_whole(path: Path, text: str) -> None:
    partial = path.with_name(f".{path.name}.part")
    partial.write_text(text, encoding="utf-8")
    partial.replace(path)


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--split", type=Split, choices=list(Split), required=True)
    parser.add_argument(
        "--count", type=int, default=624, help="scenes; 312 hold the published proportions exactly"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--videos", type=int, default=0)
    parser.add_argument("--negatives", type=int, default=0, help="pictures without virtual content")
    parser.add_argument("--backgrounds", type=Path, help="folder of photos; drawn rooms without it")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--held-out-kinds", action="store_true", help="only kinds that training never sees")
    which.add_argument("--all-kinds", action="store_true")
    parser.add_argument("--size", default="1280x720", help="WIDTHxHEIGHT, even sides")
    parser.add_argument("--png", action="store_true", help="write PNG instead of JPEG of quality 95")
    parser.add_argument("--processes", type=int, default=max(1, (os.cpu_count() or 2) - 1))
    options = parser.parse_args(arguments)
    width, _, height = options.size.partition("x")
    kinds = (
        KindFilter.HELD_OUT
        if options.held_out_kinds
        else KindFilter.ALL
        if options.all_kinds
        else KindFilter.SEEN
    )
    order = Order(
        out=options.out, split=options.split, count=options.count, seed=options.seed, videos=options.videos,
        negatives=options.negatives, backgrounds=options.backgrounds, kinds=kinds,
        size_px=(int(width), int(height)), suffix=".png" if options.png else ".jpg",
    )  # fmt: skip
    try:
        left_out = generate(order, processes=options.processes)
    except ValueError as error:
        sys.exit(f"generate: {error}")
    if left_out:
        sys.stderr.write(f"left out, as their elements find no room: {left_out}\n")


if __name__ == "__main__":
    main()
