"""Elements over frames: which is which, and what they are by all that was seen of them.

Pure, in virtual time. An element moves with the camera (the median shift of all elements) and on its own
at a steady speed; it is the same one where its box overlaps the expected place, or lies near it and is
of like size. Class and direction are sums of log-shares that fade with time: an element seen for half
a second counts as long as it is remembered, one misjudged crop among several does not show.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from arwarden.fast.elements.detector import Detected, Seen
from arwarden.fast.ocr.base import FloatArray

Numbers = npt.NDArray[np.float64]

SAME_IOU: Final = 0.25
NEAR: Final = 0.6
"""Centres closer than this many times the smaller side are one place, where the sizes are alike."""
LIKE_SIZE: Final = 0.5
"""Ratio of areas from which sizes are alike."""
KEPT_MS: Final = 700.0
"""An element is shown this long after it was last found: detections fail now and then."""
HALF_LIFE_MS: Final = 2000.0
"""After which evidence counts half."""
LEAST_SIGHTINGS: Final = 2
"""Detections before an element is believed; one sure enough is believed at once."""
SURE_SCORE: Final = 0.7
FLOOR: Final = 1e-3
"""Least share of a label: one look alone excludes nothing."""
MOST_TRACKS: Final = 64
LEAST_DIRECTION: Final = 0.5
"""Mean length of the direction vectors below which an arrow's direction is in doubt."""
LEAST_FOR_MOTION: Final = 2
"""Fewer elements do not tell the camera's motion from their own."""
SPEED_SHARE: Final = 0.5
"""How far a new measurement changes the speed of an element."""


@dataclass(frozen=True, slots=True)
class TrackedElement:
    """An element as it is known now."""

    number: int
    """The same in every frame."""
    type: str
    box_px: tuple[float, float, float, float]
    score: float
    shares: FloatArray
    """(labels,), adding up to 1: by all that was seen."""
    direction_deg: float | None
    """Counter-clockwise from "to the right"; None while it is in doubt."""


class _Track:
    def __init__(self, number: int, found: Detected, now_ms: float, labels: int) -> None:
        self.number = number
        self.box = np.asarray(found.box_px, dtype=np.float64)
        self.speed = np.zeros(2)
        """Of the centre beyond the camera's motion, in pixels a second."""
        self.seen_ms = now_ms
        self.types: dict[str, float] = {}
        self.sightings = 0
        self.score = 0.0
        self.evidence = np.zeros(labels)
        self.direction = np.zeros(2)
        self.looks = 0
        self.weight = 0.0
        """Looks that have not faded."""

    def expected(self, now_ms: float, shift: Numbers) -> Numbers:
        move = shift + (self.speed * (now_ms - self.seen_ms) / 1000.0)
        return np.asarray(self.box + np.tile(move, 2))

    def sight(self, found: Detected, now_ms: float, shift: Numbers) -> None:
        box = np.asarray(found.box_px, dtype=np.float64)
        elapsed_s = (now_ms - self.seen_ms) / 1000.0
        if self.sightings and elapsed_s > 0:
            measured = (_centre(box) - _centre(self.box) - shift) / elapsed_s
            self.speed += SPEED_SHARE * (measured - self.speed)
        fade = 0.5 ** ((now_ms - self.seen_ms) / HALF_LIFE_MS)
        self.evidence *= fade
        self.direction *= fade
        self.weight *= fade
        self.types = {name: weight * fade for name, weight in self.types.items()}
        self.types[found.type] = self.types.get(found.type, 0.0) + found.score
        self.box, self.seen_ms = box, now_ms
        self.sightings += 1
        self.score = max(self.score * fade, found.score)

    def look(self, seen: Seen) -> None:
        shares = np.asarray(seen.shares, dtype=np.float64)
        self.evidence += np.log(np.maximum(shares, FLOOR))
        self.direction += seen.direction
        self.looks += 1
        self.weight += 1.0

    @property
    def believed(self) -> bool:
        return self.sightings >= LEAST_SIGHTINGS or self.score >= SURE_SCORE


class ElementTracker:
    """The elements of one stream. ``labels`` is how many labels the classifier tells apart."""

    def __init__(self, labels: int) -> None:
        self._labels = labels
        self._tracks: list[_Track] = []
        self._count = 0

    def observe(self, found: Sequence[Detected], now_ms: float) -> list[int]:
        """Take a frame's detections into account; returns the number of each one's element."""
        shift = self._shift(found)
        pairs = self._pairs(found, now_ms, shift)
        numbers: list[int] = []
        for index, one in enumerate(found):
            track = pairs.get(index)
            if track is None:
                self._count += 1
                track = _Track(self._count, one, now_ms, self._labels)
                self._tracks.append(track)
            track.sight(one, now_ms, shift)
            numbers.append(track.number)
        for track in self._tracks:
            if track.seen_ms < now_ms:
                # Not found: it stays where the camera's motion carries it.
                track.box = track.box + np.tile(shift, 2)
        self._forget(now_ms)
        return numbers

    def look(self, number: int, seen: Seen) -> None:
        """Take into account what the classifier made of a crop of this element."""
        for track in self._tracks:
            if track.number == number:
                track.look(seen)

    def looks(self, number: int) -> int:
        """How often an element was classified; 0 for an unknown one."""
        return next((track.looks for track in self._tracks if track.number == number), 0)

    def elements(self) -> list[TrackedElement]:
        """The elements that are believed, in the order in which they appeared."""
        return [self._known(track) for track in self._tracks if track.believed]

    def _known(self, track: _Track) -> TrackedElement:
        # Looks at one element share camera, light and classifier: n of them count as the root of n, as
        # samples do for an alert.
        evidence = track.evidence / math.sqrt(max(track.weight, 1.0))
        powers = np.exp(evidence - evidence.max()) if self._labels else evidence
        shares = powers / powers.sum() if self._labels else powers
        length = float(np.hypot(*track.direction)) / max(track.weight, 1e-6)
        degrees = math.degrees(math.atan2(track.direction[1], track.direction[0])) % 360.0
        x0, y0, x1, y1 = (float(value) for value in track.box)
        return TrackedElement(
            number=track.number,
            type=max(track.types, key=lambda name: track.types[name]),
            box_px=(x0, y0, x1, y1),
            score=track.score,
            shares=np.asarray(shares, dtype=np.float32),
            direction_deg=degrees if length >= LEAST_DIRECTION else None,
        )

    def _shift(self, found: Sequence[Detected]) -> Numbers:
        """The camera's motion: the median way from every element to the nearest of its type."""
        ways = []
        for track in self._tracks:
            kind = max(track.types, key=lambda name: track.types[name])
            centres = [_centre(np.asarray(one.box_px, dtype=np.float64)) for one in found if one.type == kind]
            if centres:
                away = np.asarray(centres) - _centre(track.box)
                ways.append(away[int(np.hypot(away[:, 0], away[:, 1]).argmin())])
        if len(ways) < LEAST_FOR_MOTION:
            return np.zeros(2)
        return np.asarray(np.median(np.asarray(ways), axis=0), dtype=np.float64)

    def _pairs(self, found: Sequence[Detected], now_ms: float, shift: Numbers) -> dict[int, _Track]:
        scored: list[tuple[float, int, _Track]] = []
        for track in self._tracks:
            place = track.expected(now_ms, shift)
            for index, one in enumerate(found):
                likeness = _likeness(place, np.asarray(one.box_px, dtype=np.float64))
                if likeness > 0:
                    scored.append((likeness + (0.2 if one.type in track.types else 0.0), index, track))
        pairs: dict[int, _Track] = {}
        taken: set[int] = set()
        for _, index, track in sorted(scored, key=lambda pair: -pair[0]):
            if index not in pairs and track.number not in taken:
                pairs[index] = track
                taken.add(track.number)
        return pairs

    def _forget(self, now_ms: float) -> None:
        kept = [track for track in self._tracks if now_ms - track.seen_ms < KEPT_MS]
        self._tracks = sorted(kept, key=lambda track: -track.seen_ms)[:MOST_TRACKS]
        self._tracks.sort(key=lambda track: track.number)


def _likeness(expected: Numbers, box: Numbers) -> float:
    """Above 0 where two boxes may be one element."""
    low, high = np.maximum(expected[:2], box[:2]), np.minimum(expected[2:], box[2:])
    shared = float(np.prod(np.maximum(high - low, 0.0)))
    areas = sorted((_area(expected), _area(box)))
    iou = shared / max(areas[0] + areas[1] - shared, 1e-6)
    if iou >= SAME_IOU:
        return iou
    side = float(min((expected[2:] - expected[:2]).min(), (box[2:] - box[:2]).min()))
    away = float(np.hypot(*(_centre(expected) - _centre(box))))
    if areas[0] < LIKE_SIZE * areas[1] or away > NEAR * side:
        return 0.0
    return SAME_IOU * (1.0 - away / max(NEAR * side * 2.0, 1e-6))


def _area(box: Numbers) -> float:
    return float(np.prod(np.maximum(box[2:] - box[:2], 0.0)))


def _centre(box: Numbers) -> Numbers:
    return (box[:2] + box[2:]) / 2.0
