"""Batches for the two trainings, drawn from the shards on disk and from those that join meanwhile."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from arwarden.fast.elements.crops import as_input
from models.elements.augment import COLOUR_TELLS, ONE_WAY, varied, varied_scene
from models.elements.backbone import STRIDE_16_BLOCK
from models.elements.labels import Labels
from models.elements.metrics import Truths
from models.elements.networks import Classifier, Detector
from models.elements.store import entries_of, pictures_of, shards
from models.elements.targets import LEAST_SIDE_PX, LEAST_VISIBILITY, Wanted, targets

Halves = npt.NDArray[np.float16]
MapsOf = Callable[[Path], Halves]
"""A shard to the maps of its pictures (n, channels, cells, cells)."""
_SCENES_AT_ONCE, _CROPS_AT_ONCE = 1, 32
"""On a CPU a scene alone takes a third of its time among sixteen: the maps stay in the caches."""


GONE, LEAST_LEFT = 0.02, 0.3
"""What a change leaves less of is not in the picture any more, and neither asked for nor forbidden."""


@dataclass(frozen=True, slots=True)
class DetectorBatch:
    """Inputs, either pictures or the maps of the frozen trunk, and the grids to answer."""

    inputs: tuple[Tensor, ...]
    heat: Tensor
    counts: Tensor
    boxes: Tensor
    weights: Tensor


@dataclass(frozen=True, slots=True)
class CropBatch:
    """Inputs, labels and directions (NaN where there is none) of n crops."""

    inputs: Tensor
    labels: Tensor
    directions: Tensor


def wanted_of(entry: Mapping[str, Any]) -> list[Wanted]:
    """The elements of a stored scene as the detector should see them."""
    result = []
    for type_, box, visibility in zip(entry["types"], entry["boxes"], entry["visibility"], strict=True):
        x0, y0, x1, y1 = (float(value) for value in box)
        ignored = min(x1 - x0, y1 - y0) < LEAST_SIDE_PX or visibility < LEAST_VISIBILITY
        result.append(Wanted(int(type_), (x0, y0, x1, y1), ignored))
    return result


def truths_of(elements: Sequence[Wanted]) -> Truths:
    """The same for scoring."""
    return Truths(
        np.array([one.box for one in elements], np.float32).reshape(-1, 4),
        np.array([one.type for one in elements], np.int64),
        np.array([one.ignored for one in elements], bool),
    )


class DetectorData:
    """Scenes of one folder and prefix. With ``cached``, the frozen trunk has seen each scene just once."""

    def __init__(
        self, folder: Path, prefix: str, detector: Detector, *,
        cached: bool, seed: int, at_first: int = 1000, vary: bool = False,
    ) -> None:  # fmt: skip
        """With ``vary`` each scene of a batch is changed at random; that needs the pictures themselves."""
        self._vary = vary
        self._folder, self._prefix, self._detector, self._cached = folder, prefix, detector, cached
        self._rng = np.random.default_rng(seed)
        self._trunk = detector.backbone.fingerprint()
        self._known: list[Path] = []
        self._inputs: list[tuple[npt.NDArray[Any], ...]] = []
        self._wanted: list[list[list[Wanted]]] = []
        self.refresh(at_first)

    def __len__(self) -> int:
        return sum(len(entries) for entries in self._wanted)

    @property
    def net_size(self) -> tuple[int, int]:
        """Width and height of the pictures."""
        height, width = pictures_of(self._known[0]).shape[1:3]
        return width, height

    def refresh(self, most: int = 1000) -> None:
        """Take in what has been completed since: at most so many shards whose maps are still to be made."""
        known = set(self._known)
        new = [shard for shard in shards(self._folder, self._prefix) if shard not in known]
        made = {shard for shard in new if self._cached and all(path.exists() for path in self._paths(shard))}
        for shard in [*sorted(made), *[shard for shard in new if shard not in made][:most]]:
            pictures = pictures_of(shard)
            self._inputs.append(self._maps(shard) if self._cached else (pictures,))
            self._wanted.append([wanted_of(entry) for entry in entries_of(shard)])
            self._known.append(shard)

    def batch(self, size: int) -> DetectorBatch:
        """Random scenes."""
        places = [self._place(int(self._rng.integers(len(self)))) for _ in range(size)]
        scenes = [
            (tuple(part[index] for part in self._inputs[shard]), self._wanted[shard][index])
            for shard, index in places
        ]
        if self._vary:
            scenes = [self._varied(inputs[0], wanted) for inputs, wanted in scenes]
        grids = [targets(wanted, self.net_size) for _, wanted in scenes]
        stacked = [np.stack(parts) for parts in zip(*(inputs for inputs, _ in scenes), strict=True)]
        return DetectorBatch(
            self._tensors(stacked),
            torch.from_numpy(np.stack([one.heat for one in grids])),
            torch.from_numpy(np.stack([one.counts for one in grids])),
            torch.from_numpy(np.stack([one.boxes for one in grids])),
            torch.from_numpy(np.stack([one.weights for one in grids])),
        )

    def all(self, size: int) -> Iterator[tuple[tuple[Tensor, ...], list[list[Wanted]]]]:
        """All scenes in order, in batches, with their elements."""
        for inputs, wanted in zip(self._inputs, self._wanted, strict=True):
            for start in range(0, len(wanted), size):
                chunk = [part[start : start + size] for part in inputs]
                yield self._tensors(chunk), wanted[start : start + size]

    def _tensors(self, parts: Sequence[npt.NDArray[Any]]) -> tuple[Tensor, ...]:
        if self._cached:
            return tuple(torch.from_numpy(np.asarray(part, np.float32)) for part in parts)
        return (torch.from_numpy(as_input(np.asarray(parts[0]))),)

    def _varied(
        self, picture: npt.NDArray[np.uint8], wanted: Sequence[Wanted]
    ) -> tuple[tuple[npt.NDArray[Any], ...], list[Wanted]]:
        boxes = np.array([one.box for one in wanted], np.float32).reshape(-1, 4)
        made, kept, shares = varied_scene(np.asarray(picture), boxes, self._rng)
        left = []
        for one, box, share in zip(wanted, kept, shares, strict=True):
            x0, y0, x1, y1 = (float(value) for value in box)
            if share > GONE:
                ignored = one.ignored or share < LEAST_LEFT or min(x1 - x0, y1 - y0) < LEAST_SIDE_PX
                left.append(Wanted(one.type, (x0, y0, x1, y1), ignored))
        return (made,), left

    def _place(self, number: int) -> tuple[int, int]:
        for shard, entries in enumerate(self._wanted):
            if number < len(entries):
                return shard, number
            number -= len(entries)
        raise IndexError(number)

    def _paths(self, shard: Path) -> list[Path]:
        """Where the maps of a shard are kept."""
        strides = (8, 16) if self._detector.backbone.frozen_to >= STRIDE_16_BLOCK else (8,)
        return [shard.with_name(f"{shard.name}.at{stride}.{self._trunk}.npy") for stride in strides]

    def _maps(self, shard: Path) -> tuple[Halves, ...]:
        paths = self._paths(shard)
        if not all(path.exists() for path in paths):
            pictures = pictures_of(shard)
            parts: tuple[list[Halves], ...] = tuple([] for _ in paths)
            with torch.no_grad():
                for start in range(0, len(pictures), _SCENES_AT_ONCE):
                    chunk = torch.from_numpy(as_input(pictures[start : start + _SCENES_AT_ONCE]))
                    maps = self._detector.kept(placed(chunk, self._detector))
                    for kept, one in zip(parts, maps, strict=True):
                        kept.append(one.cpu().numpy().astype(np.float16))
            for path, halves in zip(paths, parts, strict=True):
                np.save(path, np.concatenate(halves))
        return tuple(np.load(path, mmap_mode="r") for path in paths)


class CropData:
    """Crops of one folder, from all shards whose names begin with one of the prefixes."""

    def __init__(
        self, folder: Path, prefixes: Sequence[str], labels: Labels, *, side: int, seed: int,
        maps: MapsOf | None = None, at_first: int = 1000, vary: bool = False,
    ) -> None:  # fmt: skip
        """With ``maps``, what frozen blocks make of a shard is kept instead of its crops.

        ``at_first`` shards are taken in at once, the others by ``refresh``. With ``vary`` each crop of a
        batch is changed at random; that needs the crops themselves.
        """
        self._vary = vary
        self._coloured = np.array(
            [name.startswith("flag:") or name in COLOUR_TELLS for name in labels.names], bool
        )
        self._one_way = np.array([name.startswith("flag:") or name in ONE_WAY for name in labels.names], bool)
        self._folder, self._prefixes, self._labels, self._side = folder, tuple(prefixes), labels, side
        self._maps = maps
        self._rng = np.random.default_rng(seed)
        self._known: set[Path] = set()
        self._inputs: list[npt.NDArray[Any]] = []
        self.labels = np.zeros(0, np.int64)
        self.directions = np.zeros(0, np.float32)
        self.sides_px = np.zeros(0, np.float32)
        self._where = np.zeros((0, 2), np.int64)
        self._chance = np.zeros(0)
        self.refresh(at_first)

    def __len__(self) -> int:
        return len(self.labels)

    def refresh(self, most: int = 1000) -> None:
        """Take in at most so many shards that have been completed since."""
        new = self._turns()[:most]
        for shard in new:
            self._take(shard)
            self._known.add(shard)
        if new:
            self._balance()

    def batch(self, size: int) -> CropBatch:
        """Random crops; labels with few crops come more often than their number says."""
        picked = np.minimum(np.searchsorted(self._chance, self._rng.random(size)), len(self) - 1)
        return self._batch(picked, vary=self._vary)

    def all(self, size: int) -> Iterator[CropBatch]:
        """All crops in order."""
        for start in range(0, len(self), size):
            yield self._batch(np.arange(start, min(len(self), start + size)))

    def _batch(self, picked: npt.NDArray[np.int64], *, vary: bool = False) -> CropBatch:
        chosen = np.stack([self._inputs[shard][index] for shard, index in self._where[picked]])
        labels, directions = self.labels[picked], self.directions[picked]
        if vary:
            chosen = varied(chosen, directions, self._coloured[labels], self._one_way[labels], self._rng)
        inputs = as_input(chosen) if self._maps is None else chosen.astype(np.float32)
        return CropBatch(torch.from_numpy(inputs), torch.from_numpy(labels), torch.from_numpy(directions))

    def _turns(self) -> list[Path]:
        """The shards that are not in yet; the prefixes take turns, so that none waits for another."""
        lists = [shards(self._folder, prefix) for prefix in self._prefixes]
        ranked = sorted(
            (place, row, shard) for row, found in enumerate(lists) for place, shard in enumerate(found)
        )
        return [shard for _, _, shard in ranked if shard not in self._known]

    def _take(self, shard: Path) -> None:
        entries = entries_of(shard)
        numbers = [self._labels.number(entry["label"]) for entry in entries]
        kept = np.array([index for index, number in enumerate(numbers) if number is not None], np.int64)
        if not len(kept):
            return
        self._inputs.append(
            resized(pictures_of(shard), self._side) if self._maps is None else self._maps(shard)
        )
        where = np.stack([np.full(len(kept), len(self._inputs) - 1), kept], axis=1)
        self._where = np.concatenate([self._where, where])
        self.labels = np.append(self.labels, np.array([numbers[index] for index in kept], np.int64))
        self.directions = np.append(self.directions, _column(entries, kept, "direction"))
        self.sides_px = np.append(self.sides_px, _column(entries, kept, "side"))

    def _balance(self) -> None:
        counts = np.bincount(self.labels, minlength=len(self._labels.names))
        # Square root: halfway between every crop and every label having the same chance.
        shares = 1.0 / np.sqrt(counts[self.labels])
        self._chance = np.cumsum(shares / shares.sum())


def maps_of_block(classifier: Classifier, block: int, side: int) -> MapsOf:
    """Gives what the blocks up to this one make of the crops of a shard."""

    def maps(shard: Path) -> Halves:
        pictures, parts = resized(pictures_of(shard), side), []
        with torch.no_grad():
            for start in range(0, len(pictures), _CROPS_AT_ONCE):
                chunk = torch.from_numpy(as_input(pictures[start : start + _CROPS_AT_ONCE]))
                made = classifier.maps(placed(chunk, classifier), block)
                parts.append(made.cpu().numpy().astype(np.float16))
        return np.concatenate(parts)

    return maps


def placed(pictures: Tensor, model: nn.Module) -> Tensor:
    """Where and how a model computes fastest."""
    return pictures.to(next(model.parameters()).device, memory_format=torch.channels_last)


def resized(pictures: npt.NDArray[np.uint8], side: int) -> npt.NDArray[np.uint8]:
    """Square pictures in another size."""
    import cv2  # noqa: PLC0415

    if pictures.shape[1] == side:
        return np.asarray(pictures)
    method = cv2.INTER_AREA if side < pictures.shape[1] else cv2.INTER_LINEAR
    return np.stack(
        [np.asarray(cv2.resize(one, (side, side), interpolation=method), np.uint8) for one in pictures]
    )


def _column(
    entries: Sequence[Mapping[str, Any]], kept: npt.NDArray[np.int64], name: str
) -> npt.NDArray[np.float32]:
    values = [entries[int(index)][name] for index in kept]
    return np.array([math.nan if value is None else value for value in values], np.float32)
