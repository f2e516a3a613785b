from __future__ import annotations

from collections.abc import Sequence

import pytest

from arwarden.core.counters import Counters
from arwarden.core.frame import ArrayPicture, ByteImage, CaptureClock, Frame
from arwarden.fast.ocr.base import Point, Quad, TextLine
from arwarden.fast.ocr.rapid import RapidReader
from arwarden.fast.stream import Stream
from arwarden.fast.tracking.closer import AGAIN_MS, MOST, MOST_CLOSELY, Carrier, CloserLooks
from arwarden.fast.tracking.reader import FIND_EVERY_MS, MOST_MISSES, TrackedReader
from tests.unit.fast.drawing import Drawn, scene

ARROW = Carrier(1, (100.0, 100.0, 260.0, 200.0))


def numbers(chosen: Sequence[Carrier]) -> list[int]:
    return [one.number for one in chosen]


def test_what_has_no_text_is_looked_at_once_in_a_while() -> None:
    looks = CloserLooks()
    assert looks.choose([ARROW], [], 0.0, closely=False) == [ARROW]
    assert looks.choose([ARROW], [], AGAIN_MS - 1, closely=False) == []
    assert looks.choose([ARROW], [], AGAIN_MS, closely=False) == [ARROW]


def test_what_has_text_is_left_alone() -> None:
    looks = CloserLooks()
    assert looks.choose([ARROW], [(180.0, 150.0)], 0.0, closely=False) == []
    assert looks.choose([ARROW], [(300.0, 150.0)], 0.0, closely=False) == [ARROW]


@pytest.mark.parametrize("box", [(0.0, 0.0, 200.0, 20.0), (0.0, 0.0, 600.0, 400.0)])
def test_what_is_too_small_for_letters_or_large_enough_for_usual_looks_is_left_alone(
    box: tuple[float, float, float, float],
) -> None:
    assert CloserLooks().choose([Carrier(1, box)], [], 0.0, closely=True) == []


def test_many_take_turns_the_largest_first() -> None:
    looks = CloserLooks()
    several = [Carrier(number, (0.0, 0.0, 40.0 + number, 40.0)) for number in range(5)]
    assert numbers(looks.choose(several, [], 0.0, closely=True)) == [4, 3, 2][:MOST_CLOSELY]
    assert numbers(looks.choose(several, [], 10.0, closely=False)) == [1][:MOST]
    assert numbers(looks.choose(several, [], 20.0, closely=False)) == [0]
    assert looks.choose(several, [], 30.0, closely=False) == []
    assert numbers(looks.choose(several, [], AGAIN_MS, closely=False)) == [4]


def test_what_has_left_is_forgotten() -> None:
    looks = CloserLooks()
    looks.choose([ARROW], [], 0.0, closely=False)
    looks.choose([], [], 10.0, closely=False)
    assert looks.choose([ARROW], [], 20.0, closely=False) == [ARROW]


def test_a_cut_stays_within_the_picture() -> None:
    assert Carrier(1, (2.0, 1.0, 1279.0, 719.5)).cut_px(1280, 720) == (0, 0, 1280, 720)
    assert ARROW.cut_px(1280, 720) == (96, 96, 264, 204)


class NearSighted:
    """Finds its one line only in pictures smaller than the frame."""

    def __init__(self, line_px: tuple[float, float, float, float]) -> None:
        self.line_px = line_px
        self.text = "Gym"
        self.cuts: list[tuple[int, int]] = []

    def find(self, rgb: ByteImage, *, closely: bool = False) -> list[Quad]:  # noqa: ARG002 - the protocol's
        height_px, width_px = rgb.shape[:2]
        if width_px == 1280:
            return []
        self.cuts.append((width_px, height_px))
        left, top, _, _ = ARROW.cut_px(1280, 720)
        x0, y0, x1, y1 = self.line_px
        x0, x1 = (x0 - left) / width_px, (x1 - left) / width_px
        y0, y1 = (y0 - top) / height_px, (y1 - top) / height_px
        return [(Point(x0, y0), Point(x1, y0), Point(x1, y1), Point(x0, y1))]

    def read_lines(self, rgb: ByteImage, quads: Sequence[Quad]) -> list[TextLine]:
        assert rgb.shape[1] == 1280
        return [TextLine(self.text, 0.9 if self.text else 0.0, quad) for quad in quads]


class Follower:
    """Frames of one still picture through a reader, in virtual time."""

    def __init__(self, engine: NearSighted | RapidReader) -> None:
        self.counters = Counters()
        self.reader = TrackedReader(engine, self.counters)
        self.stream = Stream(self.reader, None)
        self.now_ms = 1_000_000.0

    def show(
        self, rgb: ByteImage, *carriers: Carrier, step_ms: float = 100.0, closely: bool = False
    ) -> list[TextLine]:
        self.now_ms += step_ms
        frame = Frame("s", 1, self.now_ms, CaptureClock.ARRIVAL, self.now_ms, ArrayPicture(rgb))
        search = self.stream.follow(frame, closely=closely).text
        return self.reader.read(frame, search=search, closely=closely, carriers=carriers)


ROOM = scene(1280, 720, Drawn("Gym", 150, 130, 20))


def test_a_line_on_an_arrow_is_found_in_the_arrow_and_kept() -> None:
    engine = NearSighted((146.0, 126.0, 200.0, 156.0))
    stream = Follower(engine)
    assert stream.show(ROOM) == []
    (line,) = stream.show(ROOM, ARROW)
    assert line.text == "Gym"
    assert line.box.x_norm == pytest.approx(146 / 1280, abs=1e-3)
    assert line.box.y_norm == pytest.approx(126 / 720, abs=1e-3)
    # The usual search never finds it; it stays as long as it looks the same, and is not looked for again.
    for _ in range(MOST_MISSES + 2):
        assert [one.text for one in stream.show(ROOM, ARROW, step_ms=FIND_EVERY_MS)] == ["Gym"]
    assert engine.cuts == [(168, 108)]
    assert stream.counters["tracking.looked_closer"] == 1


def test_it_goes_when_it_looks_different_and_is_looked_for_again() -> None:
    engine = NearSighted((146.0, 126.0, 200.0, 156.0))
    stream = Follower(engine)
    stream.show(ROOM, ARROW)
    engine.text = "Spa"
    other = scene(1280, 720, Drawn("Spa", 150, 130, 20))
    said = [tuple(one.text for one in stream.show(other, ARROW, step_ms=500.0)) for _ in range(8)]
    assert said[-1] == ("Spa",)
    assert ("Gym", "Spa") not in said


def test_what_cannot_be_read_there_is_looked_at_again_later() -> None:
    engine = NearSighted((146.0, 126.0, 200.0, 156.0))
    engine.text = ""
    stream = Follower(engine)
    for _ in range(5):
        assert stream.show(ROOM, ARROW) == []
    assert len(engine.cuts) == 1
    engine.text = "Gym"
    assert [line.text for line in stream.show(ROOM, ARROW, step_ms=AGAIN_MS)] == ["Gym"]


def test_small_letters_are_read_by_the_real_engine() -> None:
    small = Drawn("Helmet required", 600, 300, 10)
    room = scene(1280, 720, small)
    sign = Carrier(3, (590.0, 285.0, 760.0, 345.0))
    engine = RapidReader(side_px=480, threads=1)
    assert Follower(engine).show(room) == []
    (line,) = Follower(engine).show(room, sign)
    assert line.text.lower().replace(" ", "") == "helmetrequired"
