from __future__ import annotations

import cv2
import numpy as np
import pytest

from arwarden.core.frame import ByteImage
from arwarden.fast.tracking import novelty
from tests.unit.fast.drawing import Drawn, scene


def view(
    *panels: Drawn,
    shift: tuple[float, float] = (0, 0),
    degrees: float = 0.0,
    gain: float = 1.0,
    seed: int = 1,
) -> ByteImage:
    """What a camera shows of a larger room; brightness, shrunk."""
    room = scene(1600, 1000, *panels)
    matrix = cv2.getRotationMatrix2D((800, 500), degrees, 1.0)
    matrix = matrix + np.array([[0, 0, shift[0] - 160], [0, 0, shift[1] - 140]])
    seen = cv2.warpAffine(room, matrix, (1280, 720)).astype(np.float32) * gain
    noisy = seen + np.random.default_rng(seed).normal(0, 2, seen.shape)
    return novelty.shrink(
        np.asarray(cv2.cvtColor(np.clip(noisy, 0, 255).astype(np.uint8), cv2.COLOR_RGB2GRAY), dtype=np.uint8)
    )


PANEL = Drawn("Door locked", 700, 400, 30)


@pytest.mark.parametrize("shift", [(0.0, 0.0), (12.0, -7.0), (-30.0, 10.0)])
@pytest.mark.parametrize("degrees", [0.0, 2.0])
def test_a_camera_that_moves_shows_nothing_new(shift: tuple[float, float], degrees: float) -> None:
    found = novelty.motion(novelty.scenery(view(PANEL)), view(PANEL, shift=shift, degrees=degrees, seed=2))
    assert found is not None
    assert not found.something_new
    middle = cv2.perspectiveTransform(np.array([[[0.5, 0.5]]], np.float32), found.homography)[0, 0]
    assert middle * [1280, 720] == pytest.approx([640 + shift[0], 360 + shift[1]], abs=4)


@pytest.mark.parametrize("shift", [(0.0, 0.0), (12.0, -7.0)])
@pytest.mark.parametrize(
    "now", [(PANEL, Drawn("Exit", 1000, 700, 24)), (), (Drawn("Door locked", 500, 400, 30),)]
)
def test_a_panel_that_comes_goes_or_moves_is_something_new(
    now: tuple[Drawn, ...], shift: tuple[float, float]
) -> None:
    found = novelty.motion(novelty.scenery(view(PANEL)), view(*now, shift=shift, seed=2))
    assert found is None or found.something_new


def test_light_that_changes_is_not_new() -> None:
    found = novelty.motion(novelty.scenery(view(PANEL)), view(PANEL, gain=0.93, seed=2))
    assert found is not None
    assert not found.something_new


def test_what_comes_in_at_the_edge_is_new() -> None:
    found = novelty.motion(novelty.scenery(view(PANEL)), view(PANEL, shift=(-150, 0), seed=2))
    assert found is None or found.something_new


def test_another_scene_has_no_motion() -> None:
    other = novelty.shrink(np.random.default_rng(5).integers(0, 255, (720, 1280), dtype=np.uint8))
    assert novelty.motion(novelty.scenery(view(PANEL)), other) is None


def test_another_size_has_no_motion() -> None:
    assert novelty.motion(novelty.scenery(view(PANEL)), np.zeros((180, 180), np.uint8)) is None


def test_a_panel_on_a_bare_wall_is_new() -> None:
    bare = np.full((180, 320), 90, np.uint8)
    shown = bare.copy()
    shown[60:90, 100:180] = 220
    same = novelty.motion(novelty.scenery(bare), bare.copy())
    found = novelty.motion(novelty.scenery(bare), shown)
    assert same is not None
    assert not same.something_new
    assert found is not None
    assert found.something_new


@pytest.mark.parametrize("shape", [(1, 1), (1, 4000), (4000, 1), (7, 5)])
def test_odd_sizes_are_survived(shape: tuple[int, int]) -> None:
    small = novelty.shrink(np.full(shape, 77, np.uint8))
    assert max(small.shape) <= max(novelty.LONGER_SIDE_PX, 1)
    found = novelty.motion(novelty.scenery(small), small)
    assert found is not None
    assert not found.something_new


def motion_with(*tiles: tuple[int, int]) -> novelty.Motion:
    new = np.zeros((22, 40), np.bool_)
    for row, column in tiles:
        new[row, column] = True
    return novelty.Motion(np.eye(3, dtype=np.float32), new, 0.0)


@pytest.mark.parametrize(
    ("tile", "known", "edge"),
    [((11, 20), 0, 1), ((5, 20), 0, 0), ((11, 10), 0, 0), ((2, 2), 1, 1)],
    ids=["inside", "upper edge", "left edge", "outside"],
)
def test_what_is_known_is_not_new_and_along_edges_nothing_is(
    tile: tuple[int, int], known: int, edge: int
) -> None:
    box = (0.25, 0.25, 0.75, 0.75)
    found = motion_with(tile)
    assert found.without([box], []).new_tiles == known
    assert found.without([], [box]).new_tiles == edge


def test_boxes_beyond_the_picture_and_tiny_ones_are_survived() -> None:
    found = motion_with((0, 0), (21, 39))
    assert found.without([(-3.0, -3.0, -2.0, -2.0)], [(0.5, 0.5, 0.5, 0.5)]).new_tiles == 2
    assert found.without([(-1.0, -1.0, 2.0, 2.0)], []).new_tiles == 0
