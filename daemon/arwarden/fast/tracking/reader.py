"""Text over a stream of frames: found when something is new, read when it has changed.

Finding lines costs about 70 ms a frame and reading about 20 ms a line; looking whether a line that was
read is still there costs about 1 ms. A session's lines are therefore followed (``novelty``, ``looks``),
and the networks run only where that does not answer what stands there.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Final, Protocol, runtime_checkable

import cv2
import numpy as np

from arwarden.core.counters import Counters
from arwarden.core.findings import Box
from arwarden.core.frame import ByteImage, Frame
from arwarden.fast.ocr.base import FloatArray, Quad, TextLine, quad_from_pixels
from arwarden.fast.tracking import looks, novelty
from arwarden.fast.tracking.readings import Readings, Reason, why_read

FIND_EVERY_MS: Final = 1000.0
"""Lines are looked for at least this often, whatever the comparison of pictures says."""
FORGET_MS: Final = 2000.0
"""After a gap this long a session starts anew: following points over it would find nothing."""
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
EDGE_PX: Final = 3.0
"""A line this close to the picture's edge may go on beyond it."""
EDGE_MOVE_PX: Final = 3.0
"""So far such a line must have moved to be read again."""


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
    at_px: FloatArray
    """Corners in the picture that lines were last looked for in."""
    now_px: FloatArray
    """Corners in the newest picture."""
    readings: Readings = field(default_factory=Readings)
    look: looks.Look | None = None
    """As it was when it was last read."""
    same: bool = False
    """Whether it looks so in the newest picture."""
    cut_px: FloatArray | None = None
    """Where it was when it was read, where it then touched the picture's edge: there may be more of it."""
    misses: int = 0


@dataclass(slots=True)
class _Session:
    lock: Lock = field(default_factory=Lock)
    seen_ms: float = -math.inf
    found_ms: float = -math.inf
    unconfirmed: bool = False
    """Looking for lines found other ones than were known: the next frame has to agree."""
    scenery: novelty.Scenery | None = None
    lines: list[_Line] = field(default_factory=list)

    def reset(self) -> None:
        self.found_ms, self.unconfirmed, self.scenery, self.lines = -math.inf, False, None, []


class TrackedReader:
    """Reads the frames of up to ``sessions`` streams. ``read`` may run in several threads at once."""

    def __init__(self, engine: LineEngine, *, sessions: int, counters: Counters | None = None) -> None:
        self._engine = engine
        self._most = sessions
        self._counters = counters if counters is not None else Counters()
        self._sessions: OrderedDict[str, _Session] = OrderedDict()
        self._lock = Lock()

    def read(self, frame: Frame, *, closely: bool = False) -> list[TextLine]:
        """All lines of text in a frame, top to bottom, by this and earlier frames of its session.

        Where ``closely``, lines are looked for in any case, and in a larger picture.
        A frame that is not newer than the last one of its session starts the session anew.
        """
        session = self._session(frame.session_id)
        with session.lock:
            lines = self._read(session, frame, closely=closely)
        return sorted(lines, key=lambda line: (line.box.y_norm, line.box.x_norm))

    def _session(self, session_id: str) -> _Session:
        with self._lock:
            session = self._sessions.pop(session_id, None) or _Session()
            self._sessions[session_id] = session
            if len(self._sessions) > self._most:
                self._sessions.popitem(last=False)
            return session

    def _read(self, session: _Session, frame: Frame, *, closely: bool) -> list[TextLine]:
        now_ms, luma = frame.arrival_ms, frame.picture.luma()
        if not 0 < now_ms - session.seen_ms < FORGET_MS:
            session.reset()
        session.seen_ms = now_ms
        small = novelty.shrink(luma)
        motion = None if session.scenery is None else novelty.motion(session.scenery, small)
        _follow(session.lines, motion, luma)
        if closely or self._must_find(session, motion, now_ms):
            self._counters.add("tracking.searched")
            self._find(session, frame, small, closely=closely)
        else:
            self._counters.add("tracking.followed")
        self._read_lines(session, frame, luma)
        height_px, width_px = luma.shape
        return [
            TextLine(
                line.readings.text,
                line.readings.confidence,
                quad_from_pixels(_within(line.now_px, width_px, height_px), width_px, height_px),
            )
            for line in session.lines
            if line.readings.text
        ]

    def _must_find(self, session: _Session, motion: novelty.Motion | None, now_ms: float) -> bool:
        return (
            motion is None
            or session.unconfirmed
            or motion.something_new
            or now_ms - session.found_ms >= FIND_EVERY_MS
            or not all(line.same for line in session.lines)
        )

    def _find(self, session: _Session, frame: Frame, small: ByteImage, *, closely: bool) -> None:
        rgb = frame.picture.rgb()
        height_px, width_px = rgb.shape[:2]
        found = [looks.quad_px(quad, width_px, height_px) for quad in self._engine.find(rgb, closely=closely)]
        known = [id(line) for line in session.lines if line.same]
        session.lines = _matched(session.lines, found)[:MOST_LINES]
        # Finding errs now and then as reading does; one search more keeps that from lasting. One only:
        # where every search finds something else, the scene is no better known after the third.
        kept = [id(line) for line in session.lines if line.same]
        session.unconfirmed = not session.unconfirmed and (kept != known or len(kept) != len(session.lines))
        for line in session.lines:
            line.at_px = line.now_px
        session.found_ms, session.scenery = frame.arrival_ms, novelty.scenery(small)

    def _read_lines(self, session: _Session, frame: Frame, luma: ByteImage) -> None:
        due: list[tuple[_Line, looks.Look, float]] = []
        stale = 0
        for line in session.lines:
            changed = line.look is not None and not line.same
            quality = 0.0
            if line.readings.confidence < 1.0:
                seen = looks.look(luma, line.now_px)
                quality = looks.sharpness(seen) * _height(line.now_px)
            reason = why_read(line.readings, frame.arrival_ms, quality, changed=changed)
            if reason is Reason.STALE:
                stale += 1
                reason = reason if stale <= MOST_STALE else None
            if reason is not None:
                self._counters.add(f"tracking.read_{reason}")
                due.append((line, looks.look(luma, line.now_px), quality))
        if not due:
            return
        height_px, width_px = luma.shape
        quads = [quad_from_pixels(line.now_px, width_px, height_px) for line, _, _ in due]
        answers = self._engine.read_lines(frame.picture.rgb(), quads)
        for (line, seen, quality), answer in zip(due, answers, strict=True):
            changed = line.look is not None and not line.same
            if line.readings.add(answer.text, answer.confidence, quality, frame.arrival_ms, changed=changed):
                line.look, line.same = seen, True
                line.cut_px = line.now_px if _at_edge(line.now_px, width_px, height_px) else None


def _follow(lines: Sequence[_Line], motion: novelty.Motion | None, luma: ByteImage) -> None:
    """Where the lines are in a new picture, and whether they look as they did when they were read."""
    height_px, width_px = luma.shape
    scale = np.diag([width_px, height_px, 1.0]).astype(np.float32)
    moved = None if motion is None else scale @ motion.homography @ np.linalg.inv(scale)
    for line in lines:
        line.same = False
        if moved is None:
            continue
        line.now_px = _through(moved, line.at_px)
        if line.look is None or not _visible(line.now_px, width_px, height_px):
            continue
        if line.cut_px is not None and float(np.abs(line.now_px - line.cut_px).max()) > EDGE_MOVE_PX:
            continue
        likeness = looks.compare(line.look, luma, line.now_px)
        if likeness.same and likeness.move is not None:
            line.same = True
            line.now_px = looks.moved(line.now_px, line.look, likeness.move)
            line.at_px = _through(np.linalg.inv(moved).astype(np.float32), line.now_px)


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
    for i, line in enumerate(lines):
        if i in kept or not line.same or any(_covers(corners, line.now_px) for corners in found):
            continue
        line.misses += 1
        if line.misses <= MOST_MISSES:
            kept[i] = line
    # A part of a line that still looks the same is no line of its own.
    still = [line for line in kept.values() if line.same]
    new = [
        _Line(corners, corners)
        for j, corners in enumerate(found)
        if j not in taken and not any(_covers(line.now_px, corners) for line in still)
    ]
    return [*(kept[i] for i in sorted(kept)), *new]


def _through(matrix: FloatArray, corners_px: FloatArray) -> FloatArray:
    moved = cv2.perspectiveTransform(corners_px[None].astype(np.float32), np.asarray(matrix, np.float64))[0]
    return np.asarray(moved, dtype=np.float32)


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
    x, y = inner_px.mean(axis=0)
    return bool(left <= x <= right and top <= y <= bottom)


def _visible(corners_px: FloatArray, width_px: int, height_px: int) -> bool:
    """Whether all of a line is in the picture, a pixel at the edge more or less."""
    slack = 2.0
    low, high = corners_px.min(axis=0), corners_px.max(axis=0)
    return bool(low.min() >= -slack and high[0] <= width_px + slack and high[1] <= height_px + slack)


def _at_edge(corners_px: FloatArray, width_px: int, height_px: int) -> bool:
    low, high = corners_px.min(axis=0), corners_px.max(axis=0)
    return bool(low.min() < EDGE_PX or high[0] > width_px - EDGE_PX or high[1] > height_px - EDGE_PX)


def _within(corners_px: FloatArray, width_px: int, height_px: int) -> FloatArray:
    limit = np.array([width_px, height_px], dtype=np.float32)
    return np.asarray(np.clip(corners_px, 0, limit), dtype=np.float32)


def _height(corners_px: FloatArray) -> float:
    return float(np.linalg.norm(corners_px[3] - corners_px[0]))
