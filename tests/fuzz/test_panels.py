"""Whatever an engine reports, every line ends up in exactly one panel and order of report does not matter."""

from __future__ import annotations

from random import Random

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from arwarden.fast.ocr.base import Point, TextLine
from arwarden.fast.panels import group

PICTURE = np.random.default_rng(0).integers(0, 255, (90, 160, 3), dtype=np.uint8)

coordinates = st.floats(-0.25, 1.25, allow_nan=False)
points = st.builds(Point, coordinates, coordinates)
wild = st.builds(TextLine, st.text(min_size=1, max_size=8), st.floats(0, 1), st.tuples(*[points] * 4))


@st.composite
def upright(draw: st.DrawFn) -> TextLine:
    left, top = draw(st.floats(0, 0.8)), draw(st.floats(0, 0.8))
    right, bottom = left + draw(st.floats(0.001, 0.3)), top + draw(st.floats(0.001, 0.1))
    quad = (Point(left, top), Point(right, top), Point(right, bottom), Point(left, bottom))
    return TextLine(draw(st.text(min_size=1, max_size=8)), draw(st.floats(0, 1)), quad)


@settings(max_examples=150, deadline=None)
@given(st.lists(wild | upright(), max_size=12), st.booleans())
def test_every_line_is_in_exactly_one_panel(lines: list[TextLine], with_picture: bool) -> None:
    panels = group(lines, 160, 90, PICTURE if with_picture else None)
    assert sorted(id(line) for panel in panels for line in panel.lines) == sorted(id(x) for x in lines)
    for panel in panels:
        assert all(-1e-6 <= value <= 1 + 1e-6 for value in panel.box)
        assert 0 <= panel.confidence <= 1 + 1e-6


@settings(max_examples=100, deadline=None)
@given(st.lists(upright(), max_size=8), st.randoms(use_true_random=False))
def test_the_order_of_report_does_not_change_the_panels(lines: list[TextLine], random: Random) -> None:
    shuffled = list(lines)
    random.shuffle(shuffled)

    def members(reported: list[TextLine]) -> set[frozenset[int]]:
        found = group(reported, 160, 90, PICTURE)
        return {frozenset(id(line) for line in panel.lines) for panel in found}

    assert members(lines) == members(shuffled)
