from __future__ import annotations

import cv2
import numpy as np
import pytest

from models.scenes.art.element import Mask
from models.scenes.art.glyph import Glyph
from models.scenes.art.redraw import LEVELS, redrawn

SIDE = 120


def disc() -> Mask:
    ink = np.zeros((SIDE, SIDE), np.uint8)
    cv2.circle(ink, (60, 60), 58, 255, cv2.FILLED, cv2.LINE_AA)
    return ink


def ring() -> Mask:
    ink = np.zeros((SIDE, SIDE), np.uint8)
    cv2.circle(ink, (60, 60), 54, 255, 8, cv2.LINE_AA)
    return ink


def many(glyph: Glyph, cls: str, count: int = 150) -> list[Glyph]:
    rng = np.random.default_rng(3)
    return [redrawn(glyph, cls, rng) for _ in range(count)]


def middle(ink: Mask) -> int:
    rows, columns = ink.shape
    return int(ink[rows // 2, columns // 2])


def test_same_generator_same_picture() -> None:
    glyph = Glyph(disc(), None, "a:b")
    one, two = many(glyph, "sun", 20), many(glyph, "sun", 20)
    assert all(np.array_equal(a.ink, b.ink) for a, b in zip(one, two, strict=True))
    assert len({a.ink.tobytes() for a in one}) > 10
    assert {a.source for a in one} == {"a:b"}


def test_filled_ones_become_outlines_now_and_then() -> None:
    hollow = [middle(made.ink) < 40 for made in many(Glyph(disc(), None, "a:b"), "sun")]
    assert 3 < sum(hollow) < 60


def test_outlines_get_a_paler_ground_now_and_then() -> None:
    grounds = [middle(made.ink) for made in many(Glyph(ring(), None, "a:b"), "sun")]
    assert 5 < sum(40 < ground < 150 for ground in grounds) < 60


@pytest.mark.parametrize("cls", [f"{name}_x" for name in LEVELS])
def test_what_tells_by_being_filled_stays_filled_or_empty(cls: str) -> None:
    assert all(middle(made.ink) > 200 for made in many(Glyph(disc(), None, "a:b"), cls))
    assert all(middle(made.ink) < 40 for made in many(Glyph(ring(), None, "a:b"), cls))


def test_lines_get_bolder_and_thinner_but_never_vanish() -> None:
    inks = [float((made.ink > 127).mean()) for made in many(Glyph(ring(), None, "a:b"), "door_open")]
    plain = float((ring() > 127).mean())
    assert min(inks) < 0.85 * plain
    assert max(inks) > 1.15 * plain
    assert min(inks) > 0.3 * plain


def test_colours_stay_with_their_picture() -> None:
    colours = np.dstack([np.full((SIDE, SIDE, 3), (200, 30, 30), np.uint8), disc()])
    made = many(Glyph(disc(), colours, "a:b"), "sun")
    for one in made:
        assert one.colours is not None
        assert one.colours.shape == (*one.ink.shape, 4)
        assert np.abs(one.colours[:, :, 3].astype(int) - one.ink).max() <= 1
    hues = {
        tuple(one.colours[one.ink.shape[0] // 2, one.ink.shape[1] // 2, :3])
        for one in made
        if one.colours is not None
    }
    assert len(hues) > 10
