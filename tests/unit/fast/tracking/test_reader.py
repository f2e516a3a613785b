from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest

from arwarden.core.counters import Counters
from arwarden.core.frame import ArrayPicture, ByteImage, CaptureClock, Frame
from arwarden.fast.ocr.base import Point, Quad, TextLine, quad_from_pixels
from arwarden.fast.stream import Stream as Follows
from arwarden.fast.tracking.follower import FORGET_MS
from arwarden.fast.tracking.patches import BoxPx
from arwarden.fast.tracking.reader import (
    FIND_EVERY_MS,
    MOST_LINES,
    MOST_MISSES,
    MOST_READS,
    LineEngine,
    TrackedReader,
)
from arwarden.fast.tracking.readings import STALE_MS
from tests.unit.fast.drawing import Drawn, scene

LOCKED = Drawn("Door locked", 200, 120, 40)
EXIT = Drawn("Exit", 700, 400, 40)
STEP_MS = 100.0


@dataclass(frozen=True)
class Shown:
    """A panel in a picture, and what the engine makes of it."""

    panel: Drawn
    text: str = ""
    confidence: float = 0.97
    found: bool = True

    @property
    def corners_px(self) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
        """The letters and some room around them, as the engine finds them."""
        return _corners_px(self.panel)


@cache
def _corners_px(p: Drawn) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    alone = scene(1280, 720, Drawn(p.text, p.x_px, p.y_px, p.height_px, (255, 255, 255), (0, 0, 0)))
    ink = np.argwhere(alone.max(axis=2) < 30)
    (top, left), (bottom, right) = ink.min(axis=0) - 12, ink.max(axis=0) + 12
    corners = [[left, top], [right, top], [right, bottom], [left, bottom]]
    return np.asarray(np.clip(corners, 0, [1280, 720]), dtype=np.float32)


class FakeEngine:
    """Finds the panels that are shown and reads them as it was told to."""

    def __init__(self) -> None:
        self.shown: tuple[Shown, ...] = ()
        self.searches = self.closer = 0
        self.reads: list[str] = []

    def find(self, rgb: ByteImage, *, closely: bool = False) -> list[Quad]:
        height_px, width_px = rgb.shape[:2]
        self.searches += 1
        self.closer += closely
        return [quad_from_pixels(s.corners_px, width_px, height_px) for s in self.shown if s.found]

    def read_lines(self, rgb: ByteImage, quads: Sequence[Quad]) -> list[TextLine]:
        return [self._read(quad, rgb.shape[1], rgb.shape[0]) for quad in quads]

    def _read(self, quad: Quad, width_px: int, height_px: int) -> TextLine:
        middle = np.asarray(quad).mean(axis=0) * [width_px, height_px]
        for one in self.shown:
            (left, top), (right, bottom) = one.corners_px.min(axis=0), one.corners_px.max(axis=0)
            if left <= middle[0] <= right and top <= middle[1] <= bottom:
                self.reads.append(one.text or one.panel.text)
                return TextLine(self.reads[-1], one.confidence, quad)
        self.reads.append("")
        return TextLine("", 0.0, quad)


class Stream:
    """Frames of one session through a reader, in virtual time."""

    def __init__(self) -> None:
        self.engine, self.counters = FakeEngine(), Counters()
        self.reader = TrackedReader(self.engine, self.counters)
        self.follows = Follows(self.reader, None)
        self.now_ms = 1_000_000.0
        self.count = 0

    def show(self, *shown: Shown | Drawn, step_ms: float = STEP_MS, closely: bool = False) -> list[str]:
        self.now_ms += step_ms
        self.count += 1
        self.engine.shown = tuple(one if isinstance(one, Shown) else Shown(one) for one in shown)
        room = scene(1280, 720, *(one.panel for one in self.engine.shown)).astype(np.int16)
        noisy = np.clip(room + np.random.default_rng(self.count).integers(-4, 5, room.shape), 0, 255)
        return [line.text for line in self.lines(noisy.astype(np.uint8), closely=closely)]

    def lines(self, rgb: ByteImage, *, closely: bool = False, first: Sequence[BoxPx] = ()) -> list[TextLine]:
        frame = Frame("s1", self.count, self.now_ms, CaptureClock.ARRIVAL, self.now_ms, ArrayPicture(rgb))
        search = self.follows.follow(frame, closely=closely).text
        return self.reader.read(frame, search=search, closely=closely, first=first)


@pytest.fixture
def stream() -> Stream:
    return Stream()


def test_the_fake_is_an_engine() -> None:
    assert isinstance(FakeEngine(), LineEngine)


def test_a_still_scene_is_found_and_read_twice(stream: Stream) -> None:
    for _ in range(6):
        assert stream.show(LOCKED, EXIT) == ["Door locked", "Exit"]
    assert stream.engine.searches == 2
    assert stream.engine.reads == ["Door locked", "Exit"] * 2
    assert (stream.counters["tracking.searched"], stream.counters["tracking.followed"]) == (2, 4)


def test_lines_are_looked_for_from_time_to_time(stream: Stream) -> None:
    frames = round(3 * FIND_EVERY_MS / STEP_MS)
    for _ in range(frames):
        stream.show(LOCKED)
    assert 4 <= stream.engine.searches <= 5


def test_a_closer_look_looks_for_lines_in_any_case(stream: Stream) -> None:
    for _ in range(3):
        stream.show(LOCKED)
    assert stream.show(LOCKED, Shown(EXIT), closely=True) == ["Door locked", "Exit"]
    assert (stream.engine.searches, stream.engine.closer) == (3, 1)
    assert stream.show(LOCKED, closely=True) == ["Door locked"]
    assert stream.engine.closer == 2


def test_a_new_panel_is_read_in_its_first_frame(stream: Stream) -> None:
    for _ in range(3):
        stream.show(LOCKED)
    stream.engine.reads.clear()
    assert stream.show(LOCKED, EXIT) == ["Door locked", "Exit"]
    assert stream.engine.reads == ["Exit"]


def test_a_panel_that_goes_is_gone_in_the_same_frame(stream: Stream) -> None:
    for _ in range(3):
        stream.show(LOCKED, EXIT)
    assert stream.show(EXIT) == ["Exit"]


def test_a_changed_word_is_read_in_its_first_frame(stream: Stream) -> None:
    for _ in range(3):
        stream.show(Drawn("Gate 3", 200, 120, 40))
    assert stream.show(Drawn("Gate 8", 200, 120, 40)) == ["Gate 8"]


def test_a_panel_that_moves_keeps_its_text_without_being_read_again(stream: Stream) -> None:
    for step in range(8):
        stream.show(Drawn("Door locked", 200 + 6 * step, 120 + 3 * step, 40))
    assert set(stream.engine.reads) == {"Door locked"}
    assert len(stream.engine.reads) <= 4


def test_boxes_follow_a_camera_that_moves(stream: Stream) -> None:
    room = scene(1600, 1000, LOCKED, EXIT)
    stream.engine.shown = (Shown(LOCKED), Shown(EXIT))
    for step in range(4):
        stream.now_ms += STEP_MS
        stream.count += 1
        lines = stream.lines(
            np.ascontiguousarray(room[5 * step : 720 + 5 * step, 8 * step : 1280 + 8 * step])
        )
    assert stream.engine.searches == 2
    expected = Shown(LOCKED).corners_px - [24, 15]
    assert np.asarray(lines[0].quad) * [1280, 720] == pytest.approx(expected, abs=1.5)


def test_a_misreading_of_one_frame_gives_way_to_the_readings_that_follow(stream: Stream) -> None:
    assert stream.show(Shown(EXIT, "Exlt", 0.9)) == ["Exlt"]
    for _ in range(2):
        stream.show(EXIT)
    assert stream.show(EXIT) == ["Exit"]
    stream.engine.reads.clear()
    stream.show(EXIT)
    assert stream.engine.reads == []


def test_a_line_that_is_missed_once_is_kept_while_it_looks_the_same(stream: Stream) -> None:
    for _ in range(2):
        stream.show(LOCKED, EXIT)
    for _ in range(MOST_MISSES):
        assert stream.show(Shown(LOCKED, found=False), EXIT, step_ms=FIND_EVERY_MS) == ["Door locked", "Exit"]
    assert stream.show(Shown(LOCKED, found=False), EXIT, step_ms=FIND_EVERY_MS) == ["Exit"]


class InPieces(FakeEngine):
    """Finds two pieces of every line, as the real one now and then does."""

    def find(self, rgb: ByteImage, *, closely: bool = False) -> list[Quad]:
        pieces: list[Quad] = []
        for start, _, _, last in super().find(rgb, closely=closely):
            quad = super().find(rgb)[0]
            (left, top), (right, bottom) = start, (quad[2].x_norm, last.y_norm)
            for a, b in ((0.0, 0.4), (0.5, 1.0)):
                x0, x1 = left + a * (right - left), left + b * (right - left)
                pieces.append((Point(x0, top), Point(x1, top), Point(x1, bottom), Point(x0, bottom)))
        return pieces


def test_a_line_found_in_pieces_stays_whole_while_it_looks_the_same(stream: Stream) -> None:
    whole = stream.engine
    for _ in range(3):
        stream.show(LOCKED)
    stream.reader._engine = stream.engine = InPieces()
    assert stream.show(LOCKED, step_ms=FIND_EVERY_MS) == ["Door locked"]
    assert stream.engine.searches >= 1
    assert stream.engine.reads == []
    stream.reader._engine = stream.engine = whole
    assert stream.show(LOCKED, step_ms=FIND_EVERY_MS) == ["Door locked"]


def test_a_line_found_in_pieces_first_becomes_whole_in_the_next_frame(stream: Stream) -> None:
    whole = stream.engine
    stream.reader._engine = stream.engine = InPieces()
    assert len(stream.show(LOCKED)) == 2
    stream.reader._engine = stream.engine = whole
    assert stream.show(LOCKED) == ["Door locked"]


def test_where_every_search_finds_something_else_there_is_no_search_in_every_frame(stream: Stream) -> None:
    stream.show(LOCKED)
    for count in range(9):
        stream.show(Shown(LOCKED, found=count % 2 == 0), Shown(EXIT, found=count % 2 == 1))
    assert stream.engine.searches <= 6


def test_of_lines_that_were_read_long_ago_one_a_frame_is_read_again(stream: Stream) -> None:
    panels = [Drawn(f"Gate {n}", 100 + 300 * n, 300, 36) for n in range(4)]
    for _ in range(2):
        stream.show(*panels)
    for _ in range(round(STALE_MS / 1000) - 1):
        stream.show(*panels, step_ms=1000.0)
    stream.engine.reads.clear()
    stream.show(*panels, step_ms=1000.0)
    assert len(stream.engine.reads) == 1
    for _ in range(3):
        stream.show(*panels)
    assert sorted(stream.engine.reads) == [panel.text for panel in panels]


def test_a_line_cut_by_the_edge_is_read_again_when_more_of_it_shows(stream: Stream) -> None:
    for _ in range(3):
        stream.show(Shown(Drawn("Made in Italy", -80, 300, 40), "in Italy"))
    assert stream.show(Drawn("Made in Italy", 60, 300, 40)) == ["Made in Italy"]


def test_a_gap_starts_anew(stream: Stream) -> None:
    stream.show(LOCKED)
    stream.show(LOCKED, step_ms=FORGET_MS)
    assert stream.engine.searches == 2


@pytest.mark.parametrize("step_ms", [0.0, -50.0])
def test_a_frame_that_is_not_newer_starts_anew(stream: Stream, step_ms: float) -> None:
    stream.show(LOCKED)
    assert stream.show(EXIT, step_ms=step_ms) == ["Exit"]
    assert stream.engine.searches == 2


def test_another_size_of_the_picture_is_looked_at_afresh(stream: Stream) -> None:
    stream.show(LOCKED)
    stream.engine.shown = ()
    stream.now_ms += STEP_MS
    assert stream.lines(np.full((360, 480, 3), 90, np.uint8)) == []
    assert stream.engine.searches == 2


def test_nothing_to_read(stream: Stream) -> None:
    for _ in range(3):
        assert stream.show() == []
    assert stream.engine.searches == 1


def test_odd_pictures_are_survived(stream: Stream) -> None:
    for shape in ((1, 1), (1, 1), (500, 3), (31, 2000), (31, 2000)):
        stream.now_ms += STEP_MS
        stream.engine.shown = (Shown(LOCKED),) if shape[0] > 1 else ()
        stream.lines(np.full((*shape, 3), 90, np.uint8))


def test_a_crowd_of_lines_is_read_over_several_frames_those_on_elements_first(stream: Stream) -> None:
    panels = [Drawn(f"Gate {n}", 40 + 300 * (n % 4), 60 + 90 * (n // 4), 30) for n in range(2 * MOST_READS)]
    stream.engine.shown = tuple(Shown(panel) for panel in panels)
    room = scene(1280, 720, *panels)
    x, y = panels[-1].x_px, panels[-1].y_px
    stream.now_ms += STEP_MS
    first = stream.lines(room, first=[(x - 20.0, y - 40.0, x + 200.0, y + 60.0)])
    assert len(first) == len(stream.engine.reads) == MOST_READS
    assert stream.engine.reads[0] == panels[-1].text
    assert stream.counters["tracking.read_postponed"] == MOST_READS
    stream.now_ms += STEP_MS
    assert len(stream.lines(room)) == 2 * MOST_READS


def test_a_closer_look_reads_all_lines(stream: Stream) -> None:
    panels = [Drawn(f"Gate {n}", 40 + 300 * (n % 4), 60 + 90 * (n // 4), 30) for n in range(2 * MOST_READS)]
    assert len(stream.show(*panels, closely=True)) == 2 * MOST_READS


def test_five_hundred_lines_are_cut_to_what_can_be_followed(stream: Stream) -> None:
    class Crowd(FakeEngine):
        def find(self, rgb: ByteImage, *, closely: bool = False) -> list[Quad]:
            quads = super().find(rgb, closely=closely)
            for n in range(500):
                x, y = 0.04 * (n % 25), 0.05 * (n // 25)
                corners = ((x, y), (x + 0.03, y), (x + 0.03, y + 0.03), (x, y + 0.03))
                a, b, c, d = (Point(*corner) for corner in corners)
                quads.append((a, b, c, d))
            return quads

    stream.reader._engine = stream.engine = Crowd()
    stream.show(closely=True)
    assert len(stream.engine.reads) == MOST_LINES
    assert stream.counters["tracking.lines_left_out"] == 500 - MOST_LINES


def test_a_line_at_the_edge_that_leaves_is_neither_looked_for_nor_read_again(stream: Stream) -> None:
    room = scene(1600, 1000, Drawn("Made in Italy", 40, 300, 40), EXIT)
    stream.engine.shown = (Shown(Drawn("Made in Italy", 40, 300, 40)), Shown(EXIT))
    for step in range(6):
        stream.now_ms += STEP_MS
        stream.count += 1
        lines = stream.lines(np.ascontiguousarray(room[:720, 12 * step : 1280 + 12 * step]))
        assert sorted(line.text for line in lines) == ["Exit", "Made in Italy"]
    assert stream.engine.searches == 2
    assert len(stream.engine.reads) == 4
