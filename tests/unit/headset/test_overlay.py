"""Overlays are read, refused with reasons, and drawn at their time and place."""

from __future__ import annotations

import math

import numpy as np
import pytest

from arwarden.core.errors import ConfigError
from arwarden.core.frame import ByteImage
from arwarden.headset.overlay import OverlaidSource, Overlay
from arwarden.headset.pictures import PictureSize

SIZE = PictureSize(640, 360)


class Grey:
    """A still source that counts and ends."""

    name = "grey"

    def __init__(self) -> None:
        self.rgb = np.full((360, 640, 3), 90, dtype=np.uint8)
        self.rgb.flags.writeable = False
        self.closed = False

    def read(self, t_s: float) -> ByteImage | None:
        return self.rgb if t_s < 10 else None

    def close(self) -> None:
        self.closed = True


def drawn_box(rgb: ByteImage | None) -> tuple[int, int, int, int] | None:
    """Left, top, right and bottom of what is not grey."""
    assert rgb is not None
    rows, columns = np.nonzero((rgb != 90).any(axis=2))
    return None if rows.size == 0 else (columns.min(), rows.min(), columns.max(), rows.max())


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("Made in France@0.5,0.2,2,8", Overlay("Made in France", 0.5, 0.2, 2, 8)),
        ("Made in France@0.5,0.2,2,-", Overlay("Made in France", 0.5, 0.2, 2, math.inf)),
        ("mail a@b.c, or call@0,1,0,0.5", Overlay("mail a@b.c, or call", 0, 1, 0, 0.5)),
        ("  50 % off, today @ 0.1 , 0.2 , 0 , - ", Overlay("50 % off, today", 0.1, 0.2, 0, math.inf)),
    ],
)
def test_overlay_is_read(spec: str, expected: Overlay) -> None:
    assert Overlay.parse(spec) == expected


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("Made in France", "needs a text, an @ and four values"),
        ("Text@0.5,0.2,2", "needs a text, an @ and four values"),
        ("Text@0.5,0.2,2,3,4", "needs a text, an @ and four values"),
        ("@0.5,0.2,2,3", "the text before the last @"),
        ("   @0.5,0.2,2,3", "the text before the last @"),
        ("x" * 201 + "@0.5,0.2,2,3", "1 to 200 characters"),
        ("Text@left,0.2,2,3", "x is 'left', not a number"),
        ("Text@1.5,0.2,2,3", "x is 1.5, it must be 0 to 1"),
        ("Text@0.5,-0.2,2,3", "y is -0.2, it must be 0 to 1"),
        ("Text@0.5,,2,3", "y is '', not a number"),
        ("Text@0.5,0.2,soon,3", "from is 'soon', not a number"),
        ("Text@0.5,0.2,-1,3", "from is -1, it must be 0 or more"),
        ("Text@0.5,0.2,nan,3", "from is nan, it must be 0 or more"),
        ("Text@0.5,0.2,1,inf", "to is inf, it must be 0 or more"),
        ("Text@0.5,0.2,3,3", r"to \(3\) must be later than from \(3\)"),
        ("Text@0.5,0.2,-,3", "from is '-', not a number"),
    ],
)
def test_fault_is_named_with_the_form(spec: str, words: str) -> None:
    with pytest.raises(ConfigError, match=words) as caught:
        Overlay.parse(spec)
    assert "the form is TEXT@x,y,from,to" in str(caught.value)
    assert spec in str(caught.value)


def test_panel_is_there_from_its_time_until_its_time() -> None:
    source = OverlaidSource(Grey(), [Overlay("Closed", 0.25, 0.5, 2, 4)], SIZE)
    seen = [drawn_box(source.read(t_s)) is not None for t_s in (0.0, 1.99, 2.0, 3.99, 4.0)]
    assert seen == [False, False, True, True, False]


def test_panel_hangs_at_its_top_left() -> None:
    box = drawn_box(OverlaidSource(Grey(), [Overlay("Closed", 0.25, 0.5, 0, 9)], SIZE).read(0))
    assert box is not None
    assert abs(box[0] - 160) <= 2
    assert abs(box[1] - 180) <= 2


def test_panel_near_the_edge_is_broken_not_cut() -> None:
    overlay = Overlay("Not wheelchair accessible", 0.75, 0.1, 0, 9)
    box = drawn_box(OverlaidSource(Grey(), [overlay], SIZE).read(0))
    assert box is not None
    assert box[2] < 639
    assert box[3] - box[1] > 60, "more than one line"


def test_panel_outside_the_view_is_cut_off_quietly() -> None:
    source = OverlaidSource(Grey(), [Overlay("Closed", 1.0, 1.0, 0, 9)], SIZE)
    assert drawn_box(source.read(0)) is None


def test_panels_differ_in_colour_and_leave_the_source_alone() -> None:
    grey = Grey()
    source = OverlaidSource(grey, [Overlay("One", 0.1, 0.1, 0, 9), Overlay("Two", 0.1, 0.6, 0, 9)], SIZE)
    rgb = source.read(0)
    assert rgb is not None
    assert (grey.rgb == 90).all()
    # Just inside each panel's left edge, where there is no text.
    assert tuple(rgb[360 // 10 + 20, 64 + 7]) != tuple(rgb[360 * 6 // 10 + 20, 64 + 7])


def test_source_without_a_visible_panel_is_passed_through() -> None:
    grey = Grey()
    source = OverlaidSource(grey, [Overlay("Later", 0.1, 0.1, 5, 9)], SIZE)
    assert source.read(0) is grey.rgb
    assert source.read(11) is None
    source.close()
    assert grey.closed
    assert source.name == "grey"
