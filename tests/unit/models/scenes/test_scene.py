from __future__ import annotations

import json
from itertools import islice

import numpy as np
import pytest

from models.scenes.compose import LEAST_LINE_PX, MOST_TURN_DEG
from models.scenes.kinds import KindFilter, Split
from models.scenes.scene import FULL_SIZE_PX, Scene, SceneMaker, scenes
from models.scenes.situation import conflicts
from models.scenes.truth import ElementTruth, scene_from_json, to_json
from tests.unit.models.scenes.fake_painter import DIRECTIONS, FakePainter

SIZE = (640, 360)
COUNT = 60


def maker(split: Split = Split.TRAIN, seed: int = 1, size: tuple[int, int] = SIZE) -> SceneMaker:
    return SceneMaker(split, seed, painter=FakePainter(), size_px=size)


@pytest.fixture(scope="module")
def made() -> list[Scene]:
    one = maker()
    return [one.scene(index) for index in range(COUNT)]


def top_level(scene: Scene) -> list[ElementTruth]:
    return [element for element in scene.truth.elements if element.carried_by is None]


def test_the_same_seed_gives_the_same_pixels_in_any_order() -> None:
    forward, backward = maker(), maker()
    first = [forward.scene(index) for index in range(6)]
    second = [backward.scene(index) for index in reversed(range(6))][::-1]
    for one, other in zip(first, second, strict=True):
        assert np.array_equal(one.rgb, other.rgb)
        assert one.truth == other.truth


def test_other_seeds_and_splits_give_other_scenes() -> None:
    pictures = [
        maker(seed=1).scene(0).rgb,
        maker(seed=2).scene(0).rgb,
        maker(split=Split.TEST).scene(0).rgb,
        maker().scene(1).rgb,
    ]
    assert len({picture.tobytes() for picture in pictures}) == 4


def test_the_truth_holds_one_contradiction_or_none(made: list[Scene]) -> None:
    for scene in made:
        claims = [element.claims for element in top_level(scene)]
        assert conflicts(claims) == ([scene.truth.pair] if scene.truth.contradictory else [])
    assert sum(scene.truth.contradictory for scene in made) == COUNT // 2


def test_both_elements_of_the_pair_can_be_recognised(made: list[Scene]) -> None:
    for scene in made:
        assert scene.truth.pair == (0, 1)
        for index in scene.truth.pair:
            element = scene.truth.elements[index]
            assert element.carried_by is None
            assert element.visibility > 0.45, scene.truth.id
            lines = [one for one in scene.truth.elements if one.carried_by == index and one.kind == "text"]
            assert all(line.visibility > 0.95 for line in lines)
            heights = [
                np.linalg.norm(np.subtract(line.quad[3], line.quad[0]) * SIZE) for line in lines if line.text
            ]
            assert all(height > 0.45 * LEAST_LINE_PX * SIZE[1] / FULL_SIZE_PX[1] for height in heights)


def test_indices_and_carriers_are_in_order(made: list[Scene]) -> None:
    carried = 0
    for scene in made:
        elements = scene.truth.elements
        assert [element.index for element in elements] == list(range(len(elements)))
        for element in elements:
            if element.carried_by is not None:
                carried += 1
                carrier = elements[element.carried_by]
                assert carrier.carried_by is None
                assert element.kind in {"text", "pictogram", "flag"}
    assert carried > COUNT


def test_boxes_are_within_the_picture_and_within_their_quads(made: list[Scene]) -> None:
    for scene in made:
        for element in scene.truth.elements:
            x, y, width, height = element.box
            assert x >= 0
            assert y >= 0
            assert x + width <= 1 + 1e-9
            assert y + height <= 1 + 1e-9
            low, high = np.min(element.quad, axis=0), np.max(element.quad, axis=0)
            assert np.all(np.array([x, y]) >= low - 2.5 / SIZE[1])
            assert np.all(np.array([x + width, y + height]) <= high + 2.5 / SIZE[1])


def test_arrows_point_about_where_they_are_meant_to(made: list[Scene]) -> None:
    arrows = 0
    for scene in made:
        for element in top_level(scene):
            if element.kind == "arrow" and element.direction_deg is not None:
                arrows += 1
                nearest = min(
                    abs((element.direction_deg - meant + 180) % 360 - 180)
                    for meant in DIRECTIONS.values()
                    if meant is not None
                )
                assert nearest <= MOST_TURN_DEG + 1e-6
    assert arrows > 10


def test_some_elements_are_cut_and_most_are_whole(made: list[Scene]) -> None:
    visibilities = [element.visibility for scene in made for element in top_level(scene)]
    cut = np.mean([visibility < 0.985 for visibility in visibilities])
    assert 0.05 < cut < 0.5


def test_truth_survives_json(made: list[Scene]) -> None:
    for scene in made[:10]:
        back = scene_from_json(json.loads(json.dumps(to_json(scene.truth))))
        assert back.pair == scene.truth.pair
        assert back.elements[0].claims == scene.truth.elements[0].claims
        assert to_json(back) == to_json(scene.truth)


def test_truth_of_another_format_is_refused(made: list[Scene]) -> None:
    with pytest.raises(ValueError, match="this version reads format"):
        scene_from_json({**to_json(made[0].truth), "format": 99})


def test_negatives_hold_nothing_virtual_and_are_deterministic() -> None:
    first, second = maker().negative(3), maker().negative(3)
    assert first.truth.elements == ()
    assert first.truth.pair is None
    assert not first.truth.contradictory
    assert np.array_equal(first.rgb, second.rgb)


def test_the_stream_goes_on_where_it_is_told_to() -> None:
    stream = scenes(Split.TRAIN, 1, painter=FakePainter(), size_px=SIZE, start=4)
    ahead = list(islice(stream, 2))
    assert [scene.truth.id for scene in ahead] == ["train-1-000004", "train-1-000005"]
    assert np.array_equal(ahead[0].rgb, maker().scene(4).rgb)


def test_held_out_kinds_are_marked() -> None:
    held = SceneMaker(Split.TEST, 1, painter=FakePainter(), kinds=KindFilter.HELD_OUT, size_px=(320, 180))
    assert all(held.scene(index).truth.held_out_kind for index in range(6))
    assert not any(maker(size=(320, 180)).scene(index).truth.held_out_kind for index in range(6))


@pytest.mark.parametrize("size", [(320, 180), (360, 640), (1280, 720)])
def test_pictures_of_other_sizes(size: tuple[int, int]) -> None:
    scene = maker(size=size).scene(5)
    assert scene.rgb.shape == (size[1], size[0], 3)
    assert scene.truth.size_px == size
