from __future__ import annotations

import numpy as np
import pytest

from arwarden.fast.ocr.base import Point, TextLine, quad_from_pixels, tidy


def test_corners_become_normalised() -> None:
    corners = np.array([[64, 72], [128, 72], [128, 144], [64, 144]], dtype=np.float32)
    quad = quad_from_pixels(corners, 640, 720)
    assert quad == (Point(0.1, 0.1), Point(0.2, 0.1), Point(0.2, 0.2), Point(0.1, 0.2))


def test_box_is_the_upright_rectangle_around_a_turned_line() -> None:
    line = TextLine("a", 1.0, (Point(0.2, 0.1), Point(0.6, 0.2), Point(0.5, 0.4), Point(0.1, 0.3)))
    assert line.box == pytest.approx((0.1, 0.1, 0.5, 0.3))


def test_box_is_cut_to_the_picture() -> None:
    line = TextLine("a", 1.0, (Point(-0.2, -0.1), Point(1.3, -0.1), Point(1.3, 0.5), Point(-0.2, 0.5)))
    assert line.box == pytest.approx((0.0, 0.0, 1.0, 0.5))


@pytest.mark.parametrize(
    ("raw", "clean"),
    [("  Made\tin\n France ", "Made in France"), ("a\x00b\x1b[31m", "a b [31m"), ("\u200b \x07", "")],
)
def test_control_characters_do_not_survive(raw: str, clean: str) -> None:
    assert tidy(raw) == clean
