from __future__ import annotations

from collections.abc import Sequence

import pytest

from arwarden.core.frame import ArrayPicture, ByteImage, CaptureClock, Frame
from arwarden.fast.ocr.base import Quad, TextLine
from arwarden.fast.stream import Stream, Streams
from arwarden.fast.tracking.reader import FIND_EVERY_MS, TrackedReader
from arwarden.fast.watch import ElementWatch
from tests.unit.fast.drawing import Drawn, scene
from tests.unit.fast.test_watch import FakeFinder, sign

PANEL = Drawn("Door locked", 200, 120, 40)
OTHER = Drawn("Exit", 800, 500, 60)
STEP_MS = 100.0


class NoText:
    """An engine that finds nothing."""

    def find(self, _rgb: ByteImage, *, closely: bool = False) -> list[Quad]:
        self.closely = closely
        return []

    def read_lines(self, _rgb: ByteImage, _quads: Sequence[Quad]) -> list[TextLine]:
        return []


class Scene:
    """Frames through the decisions of a stream, which search as they say."""

    def __init__(self) -> None:
        self.stream = Stream(TrackedReader(NoText()), ElementWatch(FakeFinder(sign())))
        self.now_ms = 1000.0

    def show(self, *panels: Drawn, step_ms: float = STEP_MS, closely: bool = False) -> tuple[bool, bool]:
        self.now_ms += step_ms
        picture = ArrayPicture(scene(1280, 720, *panels))
        frame = Frame("s1", 1, self.now_ms, CaptureClock.ARRIVAL, self.now_ms, picture)
        searches = self.stream.follow(frame, closely=closely)
        assert self.stream.elements is not None
        assert self.stream.text is not None
        self.stream.elements.observe(frame, search=searches.elements)
        self.stream.text.read(frame, search=searches.text, closely=closely)
        return searches.text, searches.elements


def test_both_searches_come_together_only_when_something_is_new() -> None:
    shown = Scene()
    assert shown.show(PANEL) == (True, True)
    turns = [shown.show(PANEL) for _ in range(round(3 * FIND_EVERY_MS / STEP_MS))]
    assert all(turn != (True, True) for turn in turns)
    assert sum(text for text, _ in turns) in (2, 3)
    assert sum(elements for _, elements in turns) in (3, 4), "one again after something new"
    assert shown.show(PANEL, OTHER) == (True, True)


def test_a_closer_look_searches_for_both() -> None:
    shown = Scene()
    for _ in range(4):
        shown.show(PANEL)
    assert shown.show(PANEL, closely=True) == (True, True)


@pytest.mark.parametrize("text", [True, False])
def test_one_kind_of_search_alone(*, text: bool) -> None:
    stream = Stream(TrackedReader(NoText()), None) if text else Stream(None, ElementWatch(FakeFinder()))
    picture = ArrayPicture(scene(1280, 720, PANEL))
    searches = stream.follow(Frame("s1", 1, 1.0, CaptureClock.ARRIVAL, 1.0, picture), closely=False)
    assert (searches.text, searches.elements) == (text, not text)


def test_streams_do_not_know_of_each_other_and_the_oldest_gives_way() -> None:
    streams = Streams(lambda: Stream(None, None), most=2)
    seen = []
    for name in ("a", "b", "a", "c", "a", "b"):
        with streams.of(name) as stream:
            assert stream.lock.locked()
            seen.append(stream)
    a, b, again, c, still, renewed = seen
    assert a is again is still
    assert len({id(one) for one in (a, b, c, renewed)}) == 4
