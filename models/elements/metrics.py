"""Precision and recall of boxes, in plain numpy."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from arwarden.fast.elements.decode import TYPES, Detections, iou

Floats = npt.NDArray[np.float32]
MATCH_IOU = 0.5
FALSE, IGNORED = -1, -2
BUCKETS_PX = ((0, 40), (40, 64), (64, 100), (100, 160), (160, 260), (260, 10_000))
"""By the square root of the area of the box, in pixels of a frame 720 lines high."""


@dataclass(frozen=True, slots=True)
class Truths:
    """The elements of one frame. ``ignored`` ones are neither wanted nor wrong when found."""

    boxes_px: Floats
    types: npt.NDArray[np.int64]
    ignored: npt.NDArray[np.bool_]


@dataclass(slots=True)
class Tally:
    """Counts of one group."""

    found: int = 0
    missed: int = 0
    false: int = 0

    @property
    def precision(self) -> float:
        """Share of what was reported that is there; 1 where nothing was reported."""
        reported = self.found + self.false
        return self.found / reported if reported else 1.0

    @property
    def recall(self) -> float:
        """Share of what is there that was reported; 1 where nothing is there."""
        there = self.found + self.missed
        return self.found / there if there else 1.0

    def as_dict(self) -> dict[str, float]:
        """For JSON."""
        return {
            "precision": round(self.precision, 4),
            "recall": round(self.recall, 4),
            "elements": self.found + self.missed,
            "false": self.false,
        }


@dataclass(slots=True)
class Scores:
    """Tallies over frames: by type, and by size for the recall."""

    types: dict[str, Tally] = field(default_factory=lambda: defaultdict(Tally))
    sizes: dict[str, Tally] = field(default_factory=lambda: defaultdict(Tally))

    def overall(self) -> Tally:
        """All types together."""
        parts = list(self.types.values())
        return Tally(sum(p.found for p in parts), sum(p.missed for p in parts), sum(p.false for p in parts))

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "overall": self.overall().as_dict(),
            "types": {name: self.types[name].as_dict() for name in TYPES},
            "sizes": {name: tally.as_dict() for name, tally in sorted(self.sizes.items(), key=_first_number)},
        }


def match(found: Detections, truths: Truths) -> npt.NDArray[np.int64]:
    """For each detection the index of its truth, ``FALSE``, or ``IGNORED`` for one that does not count.

    Each truth is given once, to the best-scored detection of its type that overlaps it enough.
    """
    result = np.full(len(found), FALSE, np.int64)
    overlap = iou(found.boxes_px, truths.boxes_px)
    free = np.ones(len(truths.boxes_px), bool)
    for index in range(len(found)):
        fits = (truths.types == found.types[index]) & (overlap[index] >= MATCH_IOU)
        wanted = np.where(fits & free & ~truths.ignored, overlap[index], 0)
        if wanted.size and wanted.max() > 0:
            result[index] = int(wanted.argmax())
            free[result[index]] = False
        elif (truths.ignored & (overlap[index] >= 0.3)).any():
            result[index] = IGNORED
    return result


def score(frames: Iterable[tuple[Detections, Truths, float]]) -> Scores:
    """Count over frames; the number is the height of the frame in pixels."""
    scores = Scores()
    for found, truths, height_px in frames:
        matched = match(found, truths)
        for kind, truth in zip(found.types, matched, strict=True):
            if truth == FALSE:
                scores.types[TYPES[kind]].false += 1
        hit = set(matched[matched >= 0].tolist())
        for index in np.flatnonzero(~truths.ignored):
            size = bucket(truths.boxes_px[index], height_px)
            for tally in (scores.types[TYPES[truths.types[index]]], scores.sizes[size]):
                if int(index) in hit:
                    tally.found += 1
                else:
                    tally.missed += 1
    return scores


def bucket(box: Floats, height_px: float) -> str:
    """The size group of a box."""
    side = float(np.sqrt(max(0.0, (box[2] - box[0]) * (box[3] - box[1])))) * 720 / height_px
    low, high = next((low, high) for low, high in BUCKETS_PX if side < high)
    return f"{low}-{high}" if high < 10_000 else f"{low}+"


def angle_error(found_deg: float, true_deg: float) -> float:
    """Degrees between two directions, 0..180."""
    return abs((found_deg - true_deg + 180) % 360 - 180)


def _first_number(item: tuple[str, Tally]) -> int:
    return int(item[0].rstrip("+").split("-")[0])
