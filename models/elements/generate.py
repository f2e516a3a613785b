"""Make what the two networks are trained on.

    python -m models.elements.generate --split train --scenes 6000 --crops 60000 --backgrounds PHOTOS
    python -m models.elements.generate --split validation --scenes 400 --crops 6000 --backgrounds PHOTOS

Written into ``--out`` are shards (see ``models.elements.store``): ``scenes-*``, whole pictures in the size of
the detector's input; ``cuts-*``, elements and pieces of background cut from the same scenes at full size; and
``crops-*``, single elements drawn on pieces of background, all labels equally often. The same arguments give
the same pictures. What is there already is kept, so a stopped run goes on, and a larger number adds to it.
"""

from __future__ import annotations

import argparse
import math
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np

from arwarden.core.frame import ByteImage
from arwarden.fast.elements.crops import crop_input, detector_input
from arwarden.fast.elements.decode import iou
from models.elements.collage import Collages, Found
from models.elements.crowded import CrowdedScenes
from models.elements.labels import BACKGROUND, label_name, trained_labels, type_number
from models.elements.store import write_shard
from models.elements.workers import make_shards
from models.scenes.backdrop import Backdrops
from models.scenes.kinds import Split
from models.scenes.scene import FULL_SIZE_PX, SMALL_SIZE_PX, Scene
from models.scenes.truth import ElementTruth

CROP_PX = 96
"""Crops are kept in this size; training may use a smaller one."""
SCENES_PER_SHARD = 128
COLLAGES_PER_SHARD = 96
NEGATIVES = 0.12
"""Share of scenes without any virtual content."""
LEAST_VISIBILITY = 0.35
FULL_SIZE_EVERY = 4
"""One shard in so many is drawn at full size and scaled down, the others at half size for less work."""
_Rng = np.random.Generator


@dataclass(frozen=True, slots=True)
class Order:
    """What every worker needs to know."""

    out: Path
    split: Split
    seed: int
    backgrounds: Path | None
    net_size: tuple[int, int]


def wanted_elements(elements: tuple[ElementTruth, ...]) -> list[ElementTruth]:
    """The elements that are to be found: no texts, and no glyph of a sign that is found as the sign."""
    by_index = {one.index: one for one in elements}
    kept = []
    for one in elements:
        carrier = None if one.carried_by is None else by_index.get(one.carried_by)
        part_of_sign = carrier is not None and carrier.kind in {"sign", "pictogram"}
        if type_number(one.kind) is not None and not part_of_sign and min(one.box[2:]) > 0:
            kept.append(one)
    return kept


def scene_entry(
    elements: list[ElementTruth], scene: Scene, net_size: tuple[int, int]
) -> tuple[ByteImage, dict[str, Any]]:
    """The picture for the detector and what is in it, boxes in network pixels."""
    height, width = scene.rgb.shape[:2]
    picture, place = detector_input(scene.rgb, net_size)
    boxes = [
        [
            round(value * place.scale + pad, 2)
            for value, pad in zip(
                corners(one.box, (width, height)), (place.pad_x, place.pad_y) * 2, strict=True
            )
        ]
        for one in elements
    ]
    return picture, {
        "id": scene.truth.id,
        "types": [type_number(one.kind) for one in elements],
        "boxes": boxes,
        "visibility": [round(one.visibility, 3) for one in elements],
    }


def corners(
    box: tuple[float, float, float, float], size_px: tuple[int, int]
) -> tuple[float, float, float, float]:
    """(x, y, width, height) in shares to (x0, y0, x1, y1) in pixels."""
    x, y, width, height = box
    return x * size_px[0], y * size_px[1], (x + width) * size_px[0], (y + height) * size_px[1]


def shaken(box: tuple[float, float, float, float], rng: _Rng) -> tuple[float, float, float, float]:
    """A box as a detector would find it: every edge a little off."""
    across, down = box[2] - box[0], box[3] - box[1]
    off = np.clip(rng.normal(0, 0.045, 4), -0.12, 0.12) * (across, down, across, down)
    x0, y0, x1, y1 = (float(value) for value in np.array(box) + off)
    return x0, y0, max(x0 + 2, x1), max(y0 + 2, y1)


def cut(rgb: ByteImage, found: Found, rng: _Rng) -> tuple[ByteImage, dict[str, Any]] | None:
    """The crop of an element, or None for what cannot be recognised or is not to be learnt."""
    label = label_name(found.kind, found.cls)
    side = math.sqrt(max(0.0, (found.box[2] - found.box[0]) * (found.box[3] - found.box[1])))
    unusable = found.visibility < LEAST_VISIBILITY or side < 10
    if label is None or unusable or trained_labels().number(label) is None:
        return None
    picture = crop_input(rgb, shaken(found.box, rng), CROP_PX)
    direction = found.direction_deg if found.kind == "arrow" else None
    return picture, {"label": label, "direction": direction, "side": round(side, 1)}


def background_cuts(
    rgb: ByteImage, elements: list[Found], count: int, rng: _Rng
) -> Iterator[tuple[ByteImage, dict[str, Any]]]:
    """Pieces of the picture that hold no element."""
    height, width = rgb.shape[:2]
    taken = np.array([one.box for one in elements], np.float32).reshape(-1, 4)
    for _ in range(count * 4):
        side = float(np.exp(rng.uniform(math.log(30), math.log(260))))
        across, down = side * math.sqrt(ratio := float(np.exp(rng.normal(0, 0.35)))), side / math.sqrt(ratio)
        x, y = float(rng.uniform(0, width - across)), float(rng.uniform(0, max(1, height - down)))
        box = (x, y, x + across, y + down)
        if len(taken) and iou(np.array([box], np.float32), taken).max() > 0.02:
            continue
        yield crop_input(rgb, box, CROP_PX), {"label": BACKGROUND, "direction": None, "side": round(side, 1)}
        count -= 1
        if not count:
            return


class Worker:
    """Makes shards, each by its number."""

    def __init__(self, order: Order) -> None:
        self._order = order

    @cached_property
    def _makers(self) -> tuple[CrowdedScenes, CrowdedScenes]:
        return tuple(
            CrowdedScenes(self._order.split, self._order.seed, self._order.backgrounds, self._collages, size)
            for size in (SMALL_SIZE_PX, FULL_SIZE_PX)
        )  # type: ignore[return-value]

    @cached_property
    def _collages(self) -> Collages:
        order = self._order
        return Collages(order.split, order.seed, Backdrops(order.split, order.backgrounds))

    def scenes(self, shard: int) -> None:
        """One shard of scenes and the cuts from them."""
        pictures, entries, cuts = [], [], []
        maker = self._makers[shard % FULL_SIZE_EVERY == FULL_SIZE_EVERY - 1]
        for index in range(shard * SCENES_PER_SHARD, (shard + 1) * SCENES_PER_SHARD):
            rng = np.random.default_rng((self._order.seed, tuple(Split).index(self._order.split), 9, index))
            negative = rng.random() < NEGATIVES
            scene = maker.negative(index) if negative else maker.crowded(index)
            elements = wanted_elements(scene.truth.elements)
            picture, entry = scene_entry(elements, scene, self._order.net_size)
            pictures.append(picture)
            entries.append(entry)
            cuts += list(self._cuts(scene, elements, 4 if negative else 1, rng))
        # The cuts come first: a shard of scenes that is there tells that its cuts are too.
        write_shard(self._path("cuts", shard), np.stack([one[0] for one in cuts]), [one[1] for one in cuts])
        write_shard(self._path("scenes", shard), np.stack(pictures), entries)

    def crops(self, shard: int) -> None:
        """One shard of crops."""
        made = []
        for index in range(shard * COLLAGES_PER_SHARD, (shard + 1) * COLLAGES_PER_SHARD):
            rng = np.random.default_rng((self._order.seed, tuple(Split).index(self._order.split), 8, index))
            rgb, found = self._collages.collage(index)
            made += [crop for one in found if (crop := cut(rgb, one, rng)) is not None]
        write_shard(self._path("crops", shard), np.stack([one[0] for one in made]), [one[1] for one in made])

    def _cuts(
        self, scene: Scene, elements: list[ElementTruth], backgrounds: int, rng: _Rng
    ) -> Iterator[tuple[ByteImage, dict[str, Any]]]:
        height, width = scene.rgb.shape[:2]
        found = [
            Found(one.kind, one.cls, corners(one.box, (width, height)), one.visibility, one.direction_deg)
            for one in elements
        ]
        for one in found:
            crop = cut(scene.rgb, one, rng)
            if crop is not None:
                yield crop
        yield from background_cuts(scene.rgb, found, backgrounds, rng)

    def _path(self, kind: str, shard: int) -> Path:
        return shard_path(self._order, kind, shard)


def shard_path(order: Order, kind: str, shard: int) -> Path:
    """Where a shard lies, without suffix."""
    return order.out / f"{kind}-{order.split}-{order.seed}-{shard:05}"


def missing(order: Order, counts: Mapping[str, int]) -> list[tuple[str, int]]:
    """The shards of each kind, by number, that are not there yet; kinds take turns."""
    lists = [
        [
            (kind, shard)
            for shard in range(count)
            if not shard_path(order, kind, shard).with_suffix(".json").exists()
        ]
        for kind, count in counts.items()
    ]
    longest = max((len(one) for one in lists), default=0)
    # Spread evenly, so that a stopped run has made its share of every kind.
    spread = [((place + 0.5) * longest / len(one), task) for one in lists for place, task in enumerate(one)]
    return [task for _, task in sorted(spread)]


def _start(order: Order) -> Callable[[tuple[str, int]], None]:
    worker = Worker(order)
    made: Mapping[str, Callable[[int], None]] = {"scenes": worker.scenes, "crops": worker.crops}
    return lambda task: made[task[0]](task[1])


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--out", type=Path, default=Path("build/elements/data"))
    parser.add_argument("--split", type=Split, choices=tuple(Split), required=True)
    parser.add_argument("--scenes", type=int, default=0, help="how many scenes")
    parser.add_argument("--crops", type=int, default=0, help="about how many balanced crops")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--backgrounds", type=Path, help="folder of photos; without it rooms are drawn")
    parser.add_argument(
        "--size", default="640x384", help="input of the detector, WIDTHxHEIGHT, multiples of 32"
    )
    parser.add_argument("--processes", type=int, default=max(1, (os.cpu_count() or 2) - 1))
    arguments = parser.parse_args()
    width, height = (int(part) for part in arguments.size.split("x"))
    order = Order(arguments.out, arguments.split, arguments.seed, arguments.backgrounds, (width, height))
    counts = {
        "scenes": math.ceil(arguments.scenes / SCENES_PER_SHARD),
        "crops": math.ceil(arguments.crops / (COLLAGES_PER_SHARD * Collages.PER_PICTURE)),
    }
    tasks = missing(order, counts)
    make_shards(partial(_start, order), tasks, arguments.processes, f"{arguments.split} shards")


if __name__ == "__main__":
    main()
