"""The generated scene: its truth, its repeatability, its looks as far as numbers tell them."""

from __future__ import annotations

import itertools

import cv2
import numpy as np
import pytest

from arwarden.headset import timecode
from arwarden.headset.panels import OUTLINE_COLOUR, PASTELS, Shape, Style, panel_sprite
from arwarden.headset.pictures import PictureSize
from arwarden.headset.scene import ArScene
from arwarden.headset.situations import (
    COHERENT,
    CONTRADICTORY,
    PICTURED_COHERENT,
    PICTURED_CONTRADICTORY,
    Shown,
    Situation,
    Timeline,
)
from tests.support.cpu_time import least_cpu_s

SIZE = PictureSize(640, 360)
ALL_CONTRADICTORY, ALL_COHERENT = CONTRADICTORY + PICTURED_CONTRADICTORY, COHERENT + PICTURED_COHERENT
ORIGIN = Situation(("Made in France", "Made in the Netherlands"), "origin")


def test_same_seed_same_scene_other_seed_other_scene() -> None:
    first, again, other = (ArScene(SIZE, seed=seed, static=True) for seed in (1, 1, 2))
    assert (first.read(5.0) == again.read(5.0)).all()
    assert (first.read(5.0) != other.read(5.0)).any()
    assert first.truth(60) == again.truth(60)
    assert first.truth(60) != other.truth(60)


def test_moving_scene_never_shows_the_same_picture_twice() -> None:
    scene = ArScene(SIZE, timeline=Timeline.constant(ORIGIN))
    pictures = [scene.read(tick / 30) for tick in range(10)]
    assert all((a != b).any() for a, b in itertools.combinations(pictures, 2))


def test_static_scene_stands_still_until_the_situation_changes() -> None:
    scene = ArScene(SIZE, static=True)
    assert (scene.read(0.0) == scene.read(3.9)).all()
    assert (scene.read(0.0) != scene.read(4.0)).any()
    constant = ArScene(SIZE, static=True, timeline=Timeline.constant(ORIGIN))
    assert (constant.read(0.0) == constant.read(1000.0)).all()


def test_panels_move_with_the_head() -> None:
    scene = ArScene(SIZE, timeline=Timeline.constant(Situation(("Made in France",))))
    places = []
    for t_s in range(9):
        rgb = scene.read(float(t_s))
        outline = (np.abs(rgb.astype(int) - OUTLINE_COLOUR).max(axis=2) < 12).nonzero()[1]
        places.append(float(np.median(outline)))
    assert 20 < max(places) - min(places) < 80


def test_room_is_seen_without_an_edge_wherever_the_head_turns() -> None:
    scene = ArScene(PictureSize(320, 240))
    for t_s in range(0, 600, 7):
        rgb = scene.read(float(t_s))
        assert rgb.shape == (240, 320, 3)
        assert rgb.mean() > 60


def test_truth_alternates_and_every_situation_comes_once_before_any_returns() -> None:
    timeline = Timeline(3)
    rounds = 2 * len(ALL_CONTRADICTORY)
    truth = timeline.truth(rounds * 4.0)
    assert [entry.contradictory for entry in truth] == [False, True] * (rounds // 2)
    bad = [entry.texts for entry in truth if entry.contradictory]
    assert sorted(bad) == sorted(situation.texts for situation in ALL_CONTRADICTORY)
    assert all(bool(entry.attribute) == entry.contradictory for entry in truth)
    assert [entry.from_s for entry in truth[:3]] == [0.0, 4.0, 8.0]
    assert all(before.to_s == after.from_s for before, after in itertools.pairwise(truth))


def test_truth_at_a_time_is_the_truth_of_the_list() -> None:
    timeline = Timeline(5, seconds_each=2.5)
    listed = timeline.truth(50)
    for t_s in np.arange(0, 50, 0.31):
        entry = timeline.truth_at(float(t_s))
        assert entry in listed
        assert entry.from_s <= t_s < entry.to_s


@pytest.mark.parametrize("fps", [24, 25, 29.97, 30, 60, 90])
def test_frame_at_a_border_belongs_to_what_begins(fps: float) -> None:
    timeline = Timeline(1, seconds_each=1 / fps * 10)
    assert [timeline.index_at(tick / fps) for tick in range(0, 1000, 10)] == list(range(100))


def test_truth_covers_no_more_than_asked_for() -> None:
    assert len(Timeline(1).truth(8.0)) == 2
    assert len(Timeline(1).truth(8.1)) == 3
    assert Timeline(1).truth(0) == []


def test_timeline_needs_something_to_show() -> None:
    with pytest.raises(ValueError, match="at least one situation"):
        Timeline(coherent=(), contradictory=())
    with pytest.raises(ValueError, match="above zero"):
        Timeline(seconds_each=0)


def test_only_contradictory_situations() -> None:
    truth = Timeline(coherent=(), contradictory=(ORIGIN,)).truth(12)
    assert [entry.attribute for entry in truth] == ["origin"] * 3


def test_first_contradiction_is_the_one_everybody_understands() -> None:
    first, second = Timeline().truth(8)
    assert not first.contradictory
    assert second.texts == ("Made in France", "Made in the Netherlands")


def test_a_flag_and_two_arrows_come_next() -> None:
    contradictions = [entry.texts for entry in Timeline().truth(24) if entry.contradictory]
    assert contradictions[1:] == [
        ("(flag FR)", "Made in the Netherlands"),
        ("Exit (arrow left)", "Exit (arrow right)"),
    ]


@pytest.mark.parametrize("situation", PICTURED_COHERENT + PICTURED_CONTRADICTORY)
def test_every_pictured_situation_can_be_drawn(situation: Situation) -> None:
    scene = ArScene(SIZE, static=True, timeline=Timeline.constant(situation))
    words = ArScene(SIZE, static=True, timeline=Timeline.constant(Situation(("a",))))
    assert any(isinstance(one, Shown) for one in situation.elements)
    assert (scene.read(0.0) != words.read(0.0)).any()


def test_no_text_is_on_both_sides_of_the_truth() -> None:
    assert not {entry.texts for entry in ALL_COHERENT} & {entry.texts for entry in ALL_CONTRADICTORY}
    assert all(len(set(entry.texts)) == len(entry.texts) for entry in (*ALL_COHERENT, *ALL_CONTRADICTORY))


def test_time_code_counts_frames() -> None:
    scene = ArScene(SIZE, timecode_fps=30)
    luma = cv2.cvtColor(scene.read(100 / 30), cv2.COLOR_RGB2GRAY)
    assert timecode.read(np.asarray(luma, dtype=np.uint8)) == 100


@pytest.mark.parametrize("size", [(1280, 720), (640, 640), (360, 640), (64, 64), (1922, 1080)])
def test_any_size_and_shape_is_drawn(size: tuple[int, int]) -> None:
    rgb = ArScene(PictureSize(*size)).read(4.5)
    assert rgb.shape == (size[1], size[0], 3)


def test_every_panel_lies_inside_the_view_at_rest() -> None:
    for index in range(2 * len(ALL_CONTRADICTORY)):
        scene = ArScene(SIZE, static=True, seed=index)
        scene._place_panels(index * 4.0)
        for sprite, left, top in scene._panels:
            assert left > 0
            assert top > 0
            assert left + sprite.width_px < 640
            assert top + sprite.height_px < 360


def test_drawing_is_cheap() -> None:
    """Measured at 0.5 ms of CPU at 720p; the bound only catches a lost cache."""
    scene = ArScene(PictureSize(1280, 720), timecode_fps=30)
    scene.read(0.0)
    assert least_cpu_s(lambda: [scene.read(tick / 30) for tick in range(30)]) / 30 < 0.008


def test_panel_has_dark_text_on_its_pastel() -> None:
    style = Style(fill=PASTELS[2])
    sprite = panel_sprite("Closed", 24, 400, style)
    rgb = np.zeros((200, 400, 3), np.uint8)
    sprite.blend(rgb, 20, 20)
    inside = rgb[20 : 20 + sprite.height_px, 20 : 20 + sprite.width_px].reshape(-1, 3)
    assert tuple(np.median(inside, axis=0).astype(int)) == PASTELS[2]
    assert (inside.max(axis=1) < 60).mean() > 0.05, "text"
    assert not rgb[:20].any()


@pytest.mark.parametrize("text", ["", " ", "é ü ß 漢字", "a" * 200, "one two three four five six seven"])
def test_any_text_becomes_a_panel_of_bounded_width(text: str) -> None:
    sprite = panel_sprite(text, 24, 200, Style())
    assert sprite.height_px > 0
    if len(text) < 200:
        assert sprite.width_px <= 210


@pytest.mark.parametrize("at", [(-30, -10), (390, 190), (-500, 0), (0, 500), (400, 200)])
def test_panel_across_the_edge_is_cut(at: tuple[int, int]) -> None:
    rgb = np.zeros((200, 400, 3), np.uint8)
    panel_sprite("Closed", 24, 400, Style(shape=Shape.CALLOUT)).blend(rgb, *at)
    assert rgb.shape == (200, 400, 3)


def test_tilt_makes_one_side_taller() -> None:
    def heights(tilt: float) -> tuple[int, int]:
        opaque = panel_sprite("Closed", 48, 400, Style(tilt=tilt)).through[:, :, 0] < 128
        return int(opaque[:, 20].sum()), int(opaque[:, -20].sum())

    left, right = heights(0.2)
    assert right > left * 1.08
    left, right = heights(-0.2)
    assert left > right * 1.08
