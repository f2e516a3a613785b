"""Pictures made of real assets: only where ``models.assets.fetch`` has been run."""

import numpy as np
import pytest

from arwarden.fast.elements.decode import CROSSED, MANDATORY, OTHER
from models.assets.library import Library
from models.elements.collage import SIZE_PX, Collages
from models.elements.crowded import CrowdedScenes
from models.elements.generate import wanted_elements
from models.elements.labels import label_name, trained_labels
from models.scenes.backdrop import Backdrops
from models.scenes.kinds import Split, held_out_classes
from models.scenes.scene import SMALL_SIZE_PX

pytestmark = pytest.mark.skipif(
    not Library().complete, reason="assets are not fetched (python -m models.assets.fetch)"
)


@pytest.fixture(scope="module")
def collages() -> Collages:
    return Collages(Split.TRAIN, 3, Backdrops(Split.TRAIN))


def test_the_same_number_gives_the_same_collage(collages: Collages) -> None:
    first, again = collages.collage(5), Collages(Split.TRAIN, 3, Backdrops(Split.TRAIN)).collage(5)
    assert (first[0] == again[0]).all()
    assert first[1] == again[1]
    assert (first[0] != collages.collage(6)[0]).any()


def test_elements_lie_within_and_show_something_to_learn(collages: Collages) -> None:
    labels: list[str] = []
    for index in range(12):
        rgb, found = collages.collage(index)
        assert rgb.shape == (SIZE_PX[1], SIZE_PX[0], 3)
        assert found
        for one in found:
            assert min(one.box) >= 0
            assert one.box[2] <= SIZE_PX[0]
            assert one.box[3] <= SIZE_PX[1]
            assert one.cls not in held_out_classes()
        labels += [name for one in found if (name := label_name(one.kind, one.cls)) is not None]
    known = [name for name in labels if trained_labels().number(name) is not None]
    assert len(known) > 0.9 * len(labels)
    assert len(set(known)) > 30
    assert any(name.startswith("flag:") for name in known)


def test_arrows_have_directions(collages: Collages) -> None:
    found = [one for index in range(12) for one in collages.collage(index)[1] if one.kind == "arrow"]
    assert found
    assert all(one.direction_deg is not None for one in found if one.cls != "double")


def test_pictures_of_no_class_are_shown_in_every_way(collages: Collages) -> None:
    rng = np.random.default_rng(2)
    found = [collages.art(rng, {"other": 1.0}) for _ in range(40)]
    assert {(one.kind, label_name(one.kind, one.cls)) for one in found} >= {
        ("pictogram", OTHER),
        ("pictogram", CROSSED),
        ("sign", CROSSED),
        ("sign", MANDATORY),
        ("sign", "warning"),
    }
    assert not [one.source for one in found if "off" in one.source.split(":")[-1].split("-")]


def test_crowded_scenes_hold_more_than_panels(collages: Collages) -> None:
    scenes = CrowdedScenes(Split.TRAIN, 3, None, collages, SMALL_SIZE_PX)
    kinds = [one.kind for index in range(6) for one in wanted_elements(scenes.crowded(index).truth.elements)]
    assert len(set(kinds) - {"panel"}) >= 2
    again = CrowdedScenes(Split.TRAIN, 3, None, collages, SMALL_SIZE_PX)
    assert np.array_equal(scenes.crowded(2).rgb, again.crowded(2).rgb)
    assert wanted_elements(scenes.negative(1).truth.elements) == []
