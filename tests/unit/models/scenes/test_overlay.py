from __future__ import annotations

import cv2
import numpy as np
import pytest

from models.scenes.art.element import Art, Part
from models.scenes.overlay import Shown, inside_share, overlay
from models.scenes.truth import Box

WORLD = np.full((360, 640, 3), 50, dtype=np.uint8)


def plain(width: int = 200, height: int = 100, parts: tuple[Part, ...] = (), **more: object) -> Art:
    rgba = np.zeros((height, width, 4), dtype=np.uint8)
    rgba[:, :] = (250, 240, 10, 255)
    return Art(rgba, "panel", "plain", "", None, parts, **more)  # type: ignore[arg-type]


def at(left: float, top: float, width: float = 200, height: float = 100) -> np.ndarray:
    corners = [[left, top], [left + width, top], [left + width, top + height], [left, top + height]]
    return np.array(corners, dtype=float)


def box_px(box: Box) -> tuple[float, ...]:
    return tuple(np.array(box) * (640, 360, 640, 360))


def changed_bounds(rgb: np.ndarray) -> tuple[int, ...]:
    return tuple(cv2.boundingRect((np.abs(rgb.astype(int) - 50).max(axis=2) > 100).astype(np.uint8)))


def test_the_box_is_where_the_pixels_are() -> None:
    rgb, (seen,) = overlay(WORLD, [Shown(plain(), at(100, 50))])
    assert box_px(seen.box) == pytest.approx((100, 50, 200, 100), abs=1)
    assert seen.visibility == pytest.approx(1.0)
    assert tuple(rgb[100, 200]) == (250, 240, 10)
    assert tuple(rgb[20, 20]) == (50, 50, 50)


@pytest.mark.parametrize("seed", range(25))
def test_boxes_fit_in_perspective_to_two_pixels(seed: int) -> None:
    rng = np.random.default_rng(seed)
    quad = at(*rng.uniform(20, 250, 2), *rng.uniform(60, 300, 2)) + rng.uniform(-18, 18, (4, 2))
    rgb, (seen,) = overlay(WORLD, [Shown(plain(400, 300), quad)])
    assert box_px(seen.box) == pytest.approx(changed_bounds(rgb), abs=2)


def test_a_triangle_has_the_box_of_its_pixels_not_of_its_picture() -> None:
    art = plain()
    art.rgba[:, :] = 0
    cv2.fillPoly(art.rgba, [np.array([[20, 80], [100, 10], [180, 80]])], (250, 240, 10, 255))
    rgb, (seen,) = overlay(WORLD, [Shown(art, at(100, 50))])
    assert box_px(seen.box) == pytest.approx((120, 60, 161, 71), abs=2)
    assert box_px(seen.box) == pytest.approx(changed_bounds(rgb), abs=2)


def test_an_element_half_out_of_the_picture() -> None:
    _, (seen,) = overlay(WORLD, [Shown(plain(), at(-100, 50))])
    assert seen.visibility == pytest.approx(0.5, abs=0.02)
    assert box_px(seen.box) == pytest.approx((0, 50, 100, 100), abs=1)
    assert seen.quad[0] == pytest.approx((-100 / 640, 50 / 360), abs=1e-3)


def test_an_element_out_of_the_picture_is_not_drawn() -> None:
    rgb, (seen,) = overlay(WORLD, [Shown(plain(), at(700, 50))])
    assert seen.visibility == 0.0
    assert np.array_equal(rgb, WORLD)


def test_the_upper_element_hides_the_lower() -> None:
    lower, upper = Shown(plain(), at(100, 50)), Shown(plain(), at(200, 50))
    _, (first, second) = overlay(WORLD, [lower, upper])
    assert first.visibility == pytest.approx(0.5, abs=0.02)
    assert box_px(first.box) == pytest.approx((100, 50, 100, 100), abs=1)
    assert second.visibility == pytest.approx(1.0)


def test_a_hand_before_an_element_hides_it() -> None:
    hand = np.zeros((360, 640), dtype=np.uint8)
    hand[:, 250:400] = 255
    rgb, (seen,) = overlay(WORLD, [Shown(plain(), at(100, 50))], hand)
    assert seen.visibility == pytest.approx(0.75, abs=0.02)
    assert tuple(rgb[100, 280]) == (50, 50, 50)


def test_parts_are_found_in_the_picture_and_say_how_much_of_them_is_seen() -> None:
    parts = (
        Part("text", "", (0.05, 0.2, 0.4, 0.3), "Origin"),
        Part("flag", "FR", (0.5, 0.5, 0.5, 0.4)),
    )
    _, (seen,) = overlay(WORLD, [Shown(plain(parts=parts), at(500, 100))])
    text, flag = seen.parts
    assert text.part is parts[0]
    assert box_px(text.box) == pytest.approx((510, 120, 80, 30), abs=1.5)
    assert text.visibility == pytest.approx(1.0, abs=0.02)
    assert flag.visibility == pytest.approx(0.4, abs=0.03)


def test_a_shadow_is_drawn_but_not_boxed() -> None:
    art = plain(body_norm=(0.1, 0.1, 0.8, 0.8))
    art.rgba[:, :, 3] = 40
    art.rgba[10:90, 20:180, 3] = 255
    rgb, (seen,) = overlay(WORLD, [Shown(art, at(100, 50))])
    assert box_px(seen.box) == pytest.approx((120, 60, 160, 80), abs=1.5)
    assert rgb[55, 110, 0] > 60


def test_opacity_lets_the_world_through() -> None:
    rgb, _ = overlay(WORLD, [Shown(plain(), at(100, 50), opacity=0.5)])
    assert rgb[100, 200, 0] == pytest.approx(150, abs=3)


def test_directions_are_as_seen() -> None:
    art = plain().with_(kind="arrow", direction_deg=0.0)
    turned = at(100, 50, 100, 200)[[1, 2, 3, 0]]
    _, (seen,) = overlay(WORLD, [Shown(art, turned)])
    assert seen.direction_deg == pytest.approx(270.0, abs=0.5)


def test_edges_do_not_take_the_colour_behind_transparent_pixels() -> None:
    art = plain()
    art.rgba[:, :, :3] = 255
    art.rgba[:30, :, 3] = 0
    art.rgba[:30, :, :3] = (255, 0, 0)
    rgb, _ = overlay(WORLD, [Shown(art, at(100, 50.5))])
    red_only = (rgb[:, :, 0].astype(int) - rgb[:, :, 1]) > 20
    assert not red_only.any()


def test_the_share_inside() -> None:
    assert inside_share(at(-50, 0), (640, 360)) == pytest.approx(0.75)
    assert inside_share(at(10, 10), (640, 360)) == pytest.approx(1.0)
    assert inside_share(at(900, 10), (640, 360)) == 0.0
