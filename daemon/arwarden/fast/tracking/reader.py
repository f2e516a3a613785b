"""Text over a stream of frames: found when something is new, read when it has changed.

Finding lines costs about 70 ms a frame and reading about 20 ms a line; looking whether a line that was
read is still there costs about 1 ms. A stream's lines are therefore followed (``follower``, ``looks``),
and the networks run only where that does not answer what stands there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol, runtime_checkable

import cv2
import numpy as np

from arwarden.core.counters import Counters
from arwarden.core.findings import Box
from arwarden.core.frame import ByteImage, Frame
from arwarden.fast.ocr.base import FloatArray, Quad, TextLine, quad_from_pixels
from arwarden.fast.tracking import looks
from arwarden.fast.tracking.closer import Carrier, CloserLooks
from arwarden.fast.tracking.follower import Attention, Step, Urgency
from arwarden.fast.tracking.novelty import Motion
from arwarden.fast.tracking.patches import BoxPx
from arwarden.fast.tracking.readings import Readings, Reason, why_read

FIND_EVERY_MS: Final = 1000.0
"""Lines are looked for at least this often, whatever the comparison of pictures says."""
SAME_PLACE: Final = 0.3
"""Intersection over union from which a line that is found is the one that was followed there."""
SAME_SIZE: Final = 0.6
"""Below this it is longer than it was: it says more, or was found in part before."""
WITHIN: Final = 0.8
"""What lies on a line by so large a share is a part of it: now and then only "Nether" and "lands" of
"Netherlands" are found, while the whole of it still looks the same."""
MOST_MISSES: Final = 3
"""Looking for lines misses one now and then: one that still looks the same is kept over so many."""
MOST_STALE: Final = 1
"""Lines read in a frame for no other reason than that the last time is long ago."""
MOST_LINES: Final = 48
MOST_READS: Final = 10
"""Lines read in one frame, about 20 ms each, the most relevant first; the others wait for the next frame.
A closer look reads them all."""
EDGE_PX: Final = 3.0
"""A line this close to the picture's edge may go on beyond it."""
GROWN: Final = 1.0
"""By so much of its height such a line must have come further into the picture to be looked for again."""
LEGIBLE: Final = 0.5
"""Confidence of a reading from which a line says something."""
LEAST_VISIBLE: Final = 0.5
"""A line that leaves the picture says what it said while so much of it is in view."""


@runtime_checkable
class LineEngine(Protocol):
    """An engine that can find and read separately. Both may be called from several threads at once."""

    def find(self, rgb: ByteImage, *, closely: bool = False) -> list[Quad]:
        """Where lines of text are, looked for in a larger picture where ``closely``."""
        ...

    def read_lines(self, rgb: ByteImage, quads: Sequence[Quad]) -> list[TextLine]:
        """What they say, one answer for each quad; an empty text where nothing is legible."""
        ...


@dataclass(slots=True)
class _Line:
    now_px: FloatArray
    """Corners in the newest picture."""
    readings: Readings = field(default_factory=Readings)
    look: looks.Look | None = None
    """As it was when it was last read."""
    same: bool = False
    """Whether it looks so in the newest picture, as far as it is in view."""
    lost: bool = False
    """Whether the line has to be looked for: where it should be, something else is legible, or nothing."""
    cut_px: FloatArray | None = None
    """Where it was when it was read, where it then touched the picture's edge: there may be more of it."""
    misses: int = 0
    closer: bool = False
    """Found in a closer look only: that usual ones do not find it means nothing."""


class TrackedReader:
    """Reads the frames of one stream. ``follow``, ``urgency`` and ``read`` are called for every frame."""

    def __init__(self, engine: LineEngine, counters: Counters | None = None) -> None:
        self._engine = engine
        self._counters = counters if counters is not None else Counters()
        self._attention = Attention(FIND_EVERY_MS)
        self._lines: list[_Line] = []
        self._closer = CloserLooks()
        self._fresh = True
        """Whether nothing has been looked for in this scene."""
        self._unconfirmed = False
        """Looking for lines found other ones than were known, in a fresh scene: once more."""

    def follow(self, step: Step, luma: ByteImage) -> list[BoxPx]:
        """Take note of a new frame; returns the boxes of the lines that look as they did."""
        if step.anew:
            self._lines, self._unconfirmed = [], False
        self._lines = _follow(self._lines, step, luma)
        return [_ends(line.now_px) for line in self._lines if line.same]

    def urgency(self, motion: Motion | None, now_ms: float) -> Urgency:
        """How soon to look for lines; ``motion`` is that of the new frame, without what is known."""
        self._attention.note(motion)
        self._fresh = self._fresh or motion is None
        if any(line.lost for line in self._lines):
            return Urgency.NOW
        urgency = self._attention.urgency(now_ms)
        return max(urgency, Urgency.ROUTINE) if self._unconfirmed else urgency

    def overdue_ms(self, now_ms: float) -> float:
        """For how long looking for lines has been due."""
        return self._attention.overdue_ms(now_ms)

    def read(
        self,
        frame: Frame,
        *,
        search: bool,
        closely: bool = False,
        first: Sequence[BoxPx] = (),
        carriers: Sequence[Carrier] = (),
    ) -> list[TextLine]:
        """All lines of text in the frame that was followed last, top to bottom, by it and earlier ones.

        ``search``: look for lines, in a larger picture where ``closely``. Lines within the boxes of ``first``
        are read before others. What is not read in this frame is counted: ``tracking.read_postponed``.
        Of the ``carriers``, those without text are looked at closer, by turns.
        """
        luma = frame.picture.luma()
        self._counters.add("tracking.searched" if search else "tracking.followed")
        if search:
            self._find(frame, closely=closely)
        self._read_lines(frame, luma, first, closely=closely)
        if self._find_closer(frame, carriers, closely=closely):
            self._read_lines(frame, luma, first, closely=closely)
        height_px, width_px = luma.shape
        lines = [
            TextLine(
                line.readings.text,
                line.readings.confidence,
                quad_from_pixels(_within(line.now_px, width_px, height_px), width_px, height_px),
            )
            for line in self._lines
            if line.readings.text
        ]
        return sorted(lines, key=lambda line: (line.box.y_norm, line.box.x_norm))

    def _find(self, frame: Frame, *, closely: bool) -> None:
        rgb = frame.picture.rgb()
        height_px, width_px = rgb.shape[:2]
        found = [looks.quad_px(quad, width_px, height_px) for quad in self._engine.find(rgb, closely=closely)]
        matched = _matched(self._lines, found)
        self._counters.add("tracking.lines_left_out", max(0, len(matched) - MOST_LINES))
        self._lines = sorted(matched, key=lambda line: -_height(line.now_px))[:MOST_LINES]
        # Finding errs now and then as reading does; one search more keeps that from lasting. Later on the
        # search of every second does.
        self._unconfirmed, self._fresh = self._fresh and bool(self._lines), False
        self._attention.looked(frame.arrival_ms)

    def _find_closer(self, frame: Frame, carriers: Sequence[Carrier], *, closely: bool) -> bool:
        """Look for lines on carriers that have none; returns whether there are new ones."""
        known = [_middle(line.now_px) for line in self._lines if _says_something(line)]
        chosen = self._closer.choose(carriers, known, frame.arrival_ms, closely=closely)
        found: list[FloatArray] = []
        for one in chosen:
            rgb = frame.picture.rgb()
            left, top, right, bottom = one.cut_px(rgb.shape[1], rgb.shape[0])
            cut = np.ascontiguousarray(rgb[top:bottom, left:right])
            corner = np.array([left, top], dtype=np.float32)
            found += [
                looks.quad_px(quad, right - left, bottom - top) + corner for quad in self._engine.find(cut)
            ]
            # What was found there before is not legible.
            self._lines = [line for line in self._lines if not one.holds(_middle(line.now_px))]
        self._counters.add("tracking.looked_closer", len(chosen))
        new = [corners for corners in found if not any(_covers(line.now_px, corners) for line in self._lines)]
        self._lines += [_Line(corners, closer=True) for corners in new[: MOST_LINES - len(self._lines)]]
        return bool(new)

    def _read_lines(self, frame: Frame, luma: ByteImage, first: Sequence[BoxPx], *, closely: bool) -> None:
        due = self._due(frame.arrival_ms, luma)
        if not due:
            return
        if not closely and len(due) > MOST_READS:
            self._counters.add("tracking.read_postponed", len(due) - MOST_READS)
            due = sorted(due, key=lambda one: _relevance(one[0], first))[:MOST_READS]
        height_px, width_px = luma.shape
        quads = [quad_from_pixels(line.now_px, width_px, height_px) for line, _, _ in due]
        answers = self._engine.read_lines(frame.picture.rgb(), quads)
        for (line, seen, quality), answer in zip(due, answers, strict=True):
            changed = line.look is not None and not line.same
            before = line.readings.text
            if line.readings.add(answer.text, answer.confidence, quality, frame.arrival_ms, changed=changed):
                line.look, line.same = seen, True
                line.cut_px = line.now_px if _at_edge(line.now_px, width_px, height_px) else None
            # In its place something else was read: it may have moved, or say more than it did.
            line.lost = changed and not line.readings.says(before)

    def _due(self, now_ms: float, luma: ByteImage) -> list[tuple[_Line, looks.Look, float]]:
        """The lines to read, each as it looks now and how well it is seen."""
        due: list[tuple[_Line, looks.Look, float]] = []
        stale = 0
        for line in self._lines:
            changed = line.look is not None and not line.same
            quality = 0.0
            if line.readings.confidence < 1.0:
                seen = looks.look(luma, line.now_px)
                quality = looks.sharpness(seen) * _height(line.now_px)
            reason = why_read(line.readings, now_ms, quality, changed=changed)
            if reason is Reason.STALE:
                stale += 1
                reason = reason if stale <= MOST_STALE else None
            if reason is not None:
                self._counters.add(f"tracking.read_{reason}")
                due.append((line, looks.look(luma, line.now_px), quality))
        return due


def _follow(lines: Sequence[_Line], step: Step, luma: ByteImage) -> list[_Line]:
    """Where lines are in a new picture, and whether they look as they did when read; those in view."""
    height_px, width_px = luma.shape
    moved = step.homography_px(width_px, height_px)
    kept: list[_Line] = []
    for line in lines:
        line.same = False
        if moved is not None:
            line.now_px = _through(moved, line.now_px)
            if _share_visible(line.now_px, width_px, height_px) < LEAST_VISIBLE:
                continue
        kept.append(line)
        if moved is None or line.look is None:
            continue
        if _grown(line, width_px, height_px):
            line.lost = True
            continue
        if not _visible(line.now_px, width_px, height_px):
            line.same = True
            continue
        likeness = looks.compare(line.look, luma, line.now_px)
        if likeness.same and likeness.move is not None:
            line.same, line.lost = True, False
            line.now_px = looks.moved(line.now_px, line.look, likeness.move)
    return kept


def _grown(line: _Line, width_px: int, height_px: int) -> bool:
    """Whether a line that was cut by the edge when it was read has come further into the picture."""
    if line.cut_px is None:
        return False
    was, now = line.cut_px, line.now_px
    inwards = [
        now[:, axis].min() - was[:, axis].min() if was[:, axis].min() < EDGE_PX else 0.0 for axis in (0, 1)
    ]
    inwards += [
        was[:, axis].max() - now[:, axis].max() if was[:, axis].max() > side - EDGE_PX else 0.0
        for axis, side in ((0, width_px), (1, height_px))
    ]
    return float(max(inwards)) > GROWN * _height(was)


def _relevance(line: _Line, first: Sequence[BoxPx]) -> tuple[bool, bool, float]:
    """What to sort by, the most relevant line first: never read, on an element, large."""
    x, y = _middle(line.now_px)
    on = any(x0 <= x <= x1 and y0 <= y <= y1 for x0, y0, x1, y1 in first)
    return bool(line.readings.attempts), not on, -_height(line.now_px)


def _matched(lines: Sequence[_Line], found: Sequence[FloatArray]) -> list[_Line]:
    """The lines after looking for them: followed ones found again or still the same, and new ones."""
    pairs = sorted(
        (
            (overlap, i, j)
            for i, line in enumerate(lines)
            for j, corners in enumerate(found)
            if (overlap := _box(line.now_px).overlap(_box(corners))) >= SAME_PLACE
        ),
        reverse=True,
    )
    kept: dict[int, _Line] = {}
    taken: set[int] = set()
    for overlap, i, j in pairs:
        if i in kept or j in taken:
            continue
        taken.add(j)
        line = kept[i] = lines[i]
        line.misses = 0
        whole = overlap >= SAME_SIZE or _share(found[j], line.now_px) >= WITHIN
        if not (line.same and whole):
            line.same, line.now_px = False, found[j]
        line.lost = False
    for i, line in enumerate(lines):
        if i in kept or not line.same or any(_covers(corners, line.now_px) for corners in found):
            continue
        line.misses += not line.closer
        if line.misses <= MOST_MISSES:
            kept[i] = line
    # A part of a line that still looks the same is no line of its own.
    still = [line for line in kept.values() if line.same]
    new = [
        _Line(corners)
        for j, corners in enumerate(found)
        if j not in taken and not any(_covers(line.now_px, corners) for line in still)
    ]
    return [*(kept[i] for i in sorted(kept)), *new]


def _says_something(line: _Line) -> bool:
    """Whether it has been read, or waits for it."""
    return not line.readings.attempts or line.readings.confidence >= LEGIBLE


def _middle(corners_px: FloatArray) -> tuple[float, float]:
    x, y = corners_px.mean(axis=0)
    return float(x), float(y)


def _through(matrix: FloatArray, corners_px: FloatArray) -> FloatArray:
    moved = cv2.perspectiveTransform(corners_px[None].astype(np.float32), np.asarray(matrix, np.float64))[0]
    return np.asarray(moved, dtype=np.float32)


def _ends(corners_px: FloatArray) -> BoxPx:
    (left, top), (right, bottom) = corners_px.min(axis=0), corners_px.max(axis=0)
    return float(left), float(top), float(right), float(bottom)


def _box(corners_px: FloatArray) -> Box:
    left, top = corners_px.min(axis=0)
    right, bottom = corners_px.max(axis=0)
    return Box(float(left), float(top), float(right - left), float(bottom - top))


def _share(inner_px: FloatArray, outer_px: FloatArray) -> float:
    """How much of the one's upright box lies on the other's, 0..1."""
    low = np.maximum(inner_px.min(axis=0), outer_px.min(axis=0))
    high = np.minimum(inner_px.max(axis=0), outer_px.max(axis=0))
    area = float(np.prod(inner_px.max(axis=0) - inner_px.min(axis=0)))
    return float(np.prod(np.maximum(high - low, 0.0))) / max(area, 1.0)


def _covers(outer_px: FloatArray, inner_px: FloatArray) -> bool:
    """Whether a line lies within another one, so that it was found as a part of it."""
    left, top = outer_px.min(axis=0)
    right, bottom = outer_px.max(axis=0)
    x, y = _middle(inner_px)
    return bool(left <= x <= right and top <= y <= bottom)


def _visible(corners_px: FloatArray, width_px: int, height_px: int) -> bool:
    """Whether all of a line is in the picture, a pixel at the edge more or less."""
    slack = 2.0
    low, high = corners_px.min(axis=0), corners_px.max(axis=0)
    return bool(low.min() >= -slack and high[0] <= width_px + slack and high[1] <= height_px + slack)


def _share_visible(corners_px: FloatArray, width_px: int, height_px: int) -> float:
    inside = _within(corners_px, width_px, height_px)
    shown = float(np.prod(inside.max(axis=0) - inside.min(axis=0)))
    return shown / max(float(np.prod(corners_px.max(axis=0) - corners_px.min(axis=0))), 1.0)


def _at_edge(corners_px: FloatArray, width_px: int, height_px: int) -> bool:
    low, high = corners_px.min(axis=0), corners_px.max(axis=0)
    return bool(low.min() < EDGE_PX or high[0] > width_px - EDGE_PX or high[1] > height_px - EDGE_PX)


def _within(corners_px: FloatArray, width_px: int, height_px: int) -> FloatArray:
    limit = np.array([width_px, height_px], dtype=np.float32)
    return np.asarray(np.clip(corners_px, 0, limit), dtype=np.float32)


def _height(corners_px: FloatArray) -> float:
    return float(np.linalg.norm(corners_px[3] - corners_px[0]))
