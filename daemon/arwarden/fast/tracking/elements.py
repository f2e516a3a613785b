"""Elements over frames: which is which, and what they are by all that was seen of them.

Pure, in virtual time. An element moves with the picture (``follower``) and on its own at a steady speed;
it is the same one where its box overlaps the expected place, or lies near it and is of like size. Class
and direction are means over all looks, older ones fading with every further look: an element seen for
half a second counts as long as it is remembered, one misjudged crop among several does not show. Where an
element looks different and is taken for something else, it is another one.

Why means: looks at one element are far from independent. In validation clips (16 pictograms and flags, 56
groups of four looks a quarter of a second apart) the mean of the shares was right in 79 % with a
calibration error of 0.05, the sum of log-shares over the root of their number in 75 % with 0.14, the plain
sum in 75 % with 0.20.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from arwarden.fast.elements.decode import Presence
from arwarden.fast.elements.detector import Detected, Seen
from arwarden.fast.ocr.base import FloatArray
from arwarden.fast.words.bank import Votes, Word

Numbers = npt.NDArray[np.float64]

SAME_IOU: Final = 0.25
NEAR: Final = 0.6
"""Centres closer than this many times the smaller side are one place, where the sizes are alike."""
LIKE_SIZE: Final = 0.5
"""Ratio of areas from which sizes are alike."""
SAME_TYPE: Final = 0.2
"""What one type adds to the likeness of two boxes."""
KEPT_MS: Final = 700.0
"""An element is shown this long after a search first missed it: detections fail now and then."""
KEPT_SAME_MS: Final = 2500.0
"""The same while its place looks as it did when it was there."""
HALF_LIFE_MS: Final = 2000.0
"""After which evidence counts half, once there is newer one."""
LEAST_SIGHTINGS: Final = 2
"""Detections before an element is believed; one sure enough is believed at once."""
SURE_SCORE: Final = 0.7
LIKELY: Final = 0.5
"""Chance from which one that was found again is believed."""
OTHER_SHARE: Final = 0.6
"""Share of another label from which an element that looks different is another one."""
OTHER_WAY_COS: Final = 0.3
"""Cosine between two directions below which an arrow that looks different is another one."""
MOST_TRACKS: Final = 64
LEAST_DIRECTION: Final = 0.5
"""Mean length of the direction vectors below which an arrow's direction is in doubt."""
LEAST_FOR_MOTION: Final = 2
"""Fewer elements do not tell the camera's motion from their own."""
SPEED_SHARE: Final = 0.5
"""How far a new measurement changes the speed of an element."""
LEAST_VISIBLE: Final = 0.2
"""Share of its box within the picture below which an element has left it."""


@dataclass(frozen=True, slots=True)
class TrackedElement:
    """An element as it is known now."""

    number: int
    """The same in every frame."""
    type: str
    box_px: tuple[float, float, float, float]
    score: float
    """How likely it is there, by detector and classifier."""
    shares: FloatArray
    """(labels,), adding up to 1: by all that was seen."""
    direction_deg: float | None
    """Counter-clockwise from "to the right"; None while it is in doubt."""
    looks: int = 1
    """How often it was classified."""
    votes: Votes | None = None
    """What it may be called, for pictures that the labels do not name."""
    word: Word | None = None
    """What it is called, in the light of the texts in view."""


class _Track:
    def __init__(self, number: int, found: Detected, now_ms: float, labels: int) -> None:
        self.number = number
        self.box = np.asarray(found.box_px, dtype=np.float64)
        self.speed = np.zeros(2)
        """Of the centre beyond the motion of the picture, in pixels a second."""
        self.found_ms = now_ms
        self.missed_ms: float | None = None
        """Of the first search that did not find it any more."""
        self.unchanged = False
        """Whether its place looks as it did when it was last classified."""
        self.types: dict[str, float] = {}
        self.sightings = 0
        self.score = 0.0
        self.looked_ms = now_ms
        self.forget(labels)

    def forget(self, labels: int) -> None:
        """What it is, not where."""
        self.evidence = np.zeros(labels)
        self.direction = np.zeros(2)
        self.looks = 0
        self.weight = 0.0
        """Looks that have not faded."""

    def expected(self, now_ms: float) -> Numbers:
        return np.asarray(self.box + np.tile(self.speed * (now_ms - self.found_ms) / 1000.0, 2))

    def sight(self, found: Detected, now_ms: float) -> None:
        box = np.asarray(found.box_px, dtype=np.float64)
        elapsed_s = (now_ms - self.found_ms) / 1000.0
        if self.sightings and elapsed_s > 0:
            measured = (_centre(box) - _centre(self.box)) / elapsed_s
            self.speed += SPEED_SHARE * (measured - self.speed)
        fade = 0.5 ** ((now_ms - self.found_ms) / HALF_LIFE_MS)
        self.types = {name: weight * fade for name, weight in self.types.items()}
        self.types[found.type] = self.types.get(found.type, 0.0) + found.score
        self.box, self.found_ms, self.missed_ms = box, now_ms, None
        self.sightings += 1
        self.score = max(self.score * fade, found.score)

    def look(self, seen: Seen, now_ms: float) -> None:
        fade = 0.5 ** ((now_ms - self.looked_ms) / HALF_LIFE_MS)
        self.evidence = self.evidence * fade + seen.shares
        self.direction = self.direction * fade + seen.direction
        self.weight = self.weight * fade + 1.0
        self.looks += 1
        self.looked_ms = now_ms

    def differs(self, seen: Seen) -> bool:
        """Whether a look takes it for something else than all looks before."""
        if not self.looks:
            return False
        best = int(np.argmax(seen.shares))
        if best != int(self.evidence.argmax()) and float(seen.shares[best]) >= OTHER_SHARE:
            return True
        lengths = float(np.hypot(*self.direction)) * float(np.hypot(*seen.direction))
        sure = min(float(np.hypot(*self.direction)) / self.weight, float(np.hypot(*seen.direction)))
        return sure >= LEAST_DIRECTION and float(self.direction @ seen.direction) < OTHER_WAY_COS * lengths

    @property
    def type(self) -> str:
        return max(self.types, key=lambda name: self.types[name])

    def chance(self, presence: Presence) -> float:
        return presence.of(self.score, self.shares) if self.looks else self.score

    def believed(self, presence: Presence) -> bool:
        chance = self.chance(presence)
        return chance >= (LIKELY if self.sightings >= LEAST_SIGHTINGS else SURE_SCORE)

    @property
    def shares(self) -> FloatArray:
        if not self.looks:
            return np.full(len(self.evidence), 1.0 / max(len(self.evidence), 1), np.float32)
        return np.asarray(self.evidence / self.weight, dtype=np.float32)


class ElementTracker:
    """The elements of one stream. ``labels`` is what the classifier tells apart."""

    def __init__(self, labels: Sequence[str]) -> None:
        self._labels = len(labels)
        self._presence = Presence(labels)
        self._tracks: list[_Track] = []
        self._count = 0

    def carry(self, moved_px: FloatArray | None, size_px: tuple[int, int]) -> None:
        """Move all elements as the picture has moved; those that have left it are forgotten.

        ``moved_px`` is a homography in pixels, of shape ``(3, 3)``, None where it is not known; ``size_px``
        is ``(width, height)``.
        """
        for track in self._tracks:
            if moved_px is not None:
                track.box = _carried(track.box, moved_px)
        limit = np.asarray((*size_px, *size_px), dtype=np.float64)
        self._tracks = [
            track
            for track in self._tracks
            if _area(np.clip(track.box, 0.0, limit)) >= LEAST_VISIBLE * max(_area(track.box), 1e-6)
        ]

    def observe(self, found: Sequence[Detected], now_ms: float, *, moved: bool = False) -> list[int]:
        """Take a frame's detections into account; returns the number of each one's element.

        ``moved``: ``carry`` has already taken out the camera's motion. Otherwise it is the median way from
        every element to the nearest of its type.
        """
        shift = np.zeros(2) if moved else self._shift(found)
        for track in self._tracks:
            track.box = track.box + np.tile(shift, 2)
        pairs = self._pairs(found, now_ms)
        numbers: list[int] = []
        for index, one in enumerate(found):
            paired = pairs.get(index)
            track = _Track(self._next(), one, now_ms, self._labels) if paired is None else paired
            if paired is None:
                self._tracks.append(track)
            track.sight(one, now_ms)
            numbers.append(track.number)
        for track in self._tracks:
            if track.found_ms < now_ms and track.missed_ms is None:
                track.missed_ms = now_ms
        self._forget(now_ms)
        return numbers

    def look(self, number: int, seen: Seen, now_ms: float, *, changed: bool = False) -> int:
        """Take into account what the classifier made of a crop of this element; returns its number.

        ``changed``: the element looks different from when it was last classified. Where it is also taken
        for something else, it has given way to another one, with a number of its own.
        """
        track = self._track(number)
        if track is None:
            return number
        if changed and track.differs(seen):
            track.forget(self._labels)
            track.number = self._next()
            track.types = {track.type: track.score}
        track.look(seen, now_ms)
        return track.number

    def gone(self, number: int) -> None:
        """Its place shows something else, and a search did not find it: it is not there any more."""
        self._tracks = [track for track in self._tracks if track.number != number]

    def note_place(self, number: int, *, unchanged: bool) -> None:
        """Whether its place looks as it did when it was classified."""
        track = self._track(number)
        if track is not None:
            track.unchanged = unchanged

    def missed(self, number: int) -> bool:
        """Whether the last search did not find it."""
        track = self._track(number)
        return track is not None and track.missed_ms is not None

    def looked_ms(self, number: int) -> float:
        """When it was last classified; for one that never was, when it was first found."""
        track = self._track(number)
        return math.inf if track is None else track.looked_ms

    def all(self) -> list[TrackedElement]:
        """All elements, believed or not, in the order in which they appeared."""
        return [self._known(track) for track in self._tracks]

    def elements(self) -> list[TrackedElement]:
        """The elements that are believed, in the order in which they appeared."""
        return [self._known(track) for track in self._tracks if track.believed(self._presence)]

    def _known(self, track: _Track) -> TrackedElement:
        length = float(np.hypot(*track.direction)) / max(track.weight, 1e-6)
        degrees = math.degrees(math.atan2(track.direction[1], track.direction[0])) % 360.0
        x0, y0, x1, y1 = (float(value) for value in track.box)
        return TrackedElement(
            number=track.number,
            type=track.type,
            box_px=(x0, y0, x1, y1),
            score=track.chance(self._presence),
            shares=track.shares,
            direction_deg=degrees if length >= LEAST_DIRECTION else None,
            looks=track.looks,
        )

    def _track(self, number: int) -> _Track | None:
        return next((track for track in self._tracks if track.number == number), None)

    def _next(self) -> int:
        self._count += 1
        return self._count

    def _shift(self, found: Sequence[Detected]) -> Numbers:
        ways = []
        for track in self._tracks:
            centres = [
                _centre(np.asarray(one.box_px, dtype=np.float64)) for one in found if one.type == track.type
            ]
            if centres:
                away = np.asarray(centres) - _centre(track.box)
                ways.append(away[int(np.hypot(away[:, 0], away[:, 1]).argmin())])
        if len(ways) < LEAST_FOR_MOTION:
            return np.zeros(2)
        return np.asarray(np.median(np.asarray(ways), axis=0), dtype=np.float64)

    def _pairs(self, found: Sequence[Detected], now_ms: float) -> dict[int, _Track]:
        if not found or not self._tracks:
            return {}
        expected = np.asarray([track.expected(now_ms) for track in self._tracks])
        likeness = _likeness(expected, np.asarray([one.box_px for one in found], dtype=np.float64))
        known = np.asarray([[one.type in track.types for one in found] for track in self._tracks])
        scores = np.where(likeness > 0, likeness + SAME_TYPE * known, 0.0)
        pairs: dict[int, _Track] = {}
        taken: set[int] = set()
        for flat in np.argsort(-scores, axis=None, kind="stable"):
            row, index = divmod(int(flat), len(found))
            if scores[row, index] <= 0:
                break
            if index not in pairs and row not in taken:
                pairs[index] = self._tracks[row]
                taken.add(row)
        return pairs

    def _forget(self, now_ms: float) -> None:
        kept = [
            track
            for track in self._tracks
            if track.missed_ms is None
            or now_ms - track.missed_ms < (KEPT_SAME_MS if track.unchanged else KEPT_MS)
        ]
        self._tracks = sorted(kept, key=lambda track: -track.found_ms)[:MOST_TRACKS]
        self._tracks.sort(key=lambda track: track.number)


def _likeness(expected: Numbers, boxes: Numbers) -> Numbers:
    """(tracks, boxes), above 0 where two boxes may be one element."""
    one, other = expected[:, None], boxes[None]
    low, high = np.maximum(one[..., :2], other[..., :2]), np.minimum(one[..., 2:], other[..., 2:])
    shared = np.prod(np.maximum(high - low, 0.0), axis=2)
    areas, others = _areas(expected)[:, None], _areas(boxes)[None]
    iou = shared / np.maximum(areas + others - shared, 1e-6)
    sides = np.minimum(
        (expected[:, 2:] - expected[:, :2]).min(axis=1)[:, None],
        (boxes[:, 2:] - boxes[:, :2]).min(axis=1)[None],
    )
    away = np.linalg.norm((one[..., :2] + one[..., 2:] - other[..., :2] - other[..., 2:]) / 2.0, axis=2)
    alike = (np.minimum(areas, others) >= LIKE_SIZE * np.maximum(areas, others)) & (away <= NEAR * sides)
    near = SAME_IOU * (1.0 - away / np.maximum(NEAR * sides * 2.0, 1e-6))
    return np.asarray(np.where(iou >= SAME_IOU, iou, np.where(alike, near, 0.0)))


def _carried(box: Numbers, moved_px: FloatArray) -> Numbers:
    """The box moved and scaled, not turned: around a turned one it would grow with every frame."""
    corners = np.asarray([[box[0], box[1]], [box[2], box[1]], [box[2], box[3]], [box[0], box[3]]])
    moved = cv2.perspectiveTransform(corners[None].astype(np.float32), moved_px.astype(np.float64))[0]
    across = (np.linalg.norm(moved[1] - moved[0]) + np.linalg.norm(moved[2] - moved[3])) / 2.0
    down = (np.linalg.norm(moved[3] - moved[0]) + np.linalg.norm(moved[2] - moved[1])) / 2.0
    half = np.asarray([across, down]) / 2.0
    centre = moved.mean(axis=0)
    return np.asarray([*(centre - half), *(centre + half)], dtype=np.float64)


def _areas(boxes: Numbers) -> Numbers:
    return np.asarray(np.prod(np.maximum(boxes[:, 2:] - boxes[:, :2], 0.0), axis=1))


def _area(box: Numbers) -> float:
    return float(np.prod(np.maximum(box[2:] - box[:2], 0.0)))


def _centre(box: Numbers) -> Numbers:
    return np.asarray((box[:2] + box[2:]) / 2.0)
