from pathlib import Path

import numpy as np
import pytest

from models.elements.collage import Found
from models.elements.generate import (
    CROP_PX,
    Order,
    background_cuts,
    corners,
    cut,
    missing,
    scene_entry,
    shaken,
    shard_path,
    wanted_elements,
)
from models.elements.store import write_shard
from models.scenes.kinds import Split
from models.scenes.scene import Scene
from models.scenes.truth import ElementTruth, SceneTruth

RGB = np.full((180, 320, 3), 90, np.uint8)


def element(index: int, kind: str, cls: str = "", carried_by: int | None = None) -> ElementTruth:
    quad = ((0.1, 0.1), (0.4, 0.1), (0.4, 0.3), (0.1, 0.3))
    return ElementTruth(index, kind, cls, "", (0.1, 0.1, 0.3, 0.2), quad, 1.0, None, carried_by)


def scene(*elements: ElementTruth) -> Scene:
    truth = SceneTruth(
        id="train-1-000000",
        split="train",
        application="smart_retail",
        contradictory=False,
        kind="",
        attribute="",
        recipe="negative",
        pair=None,
        elements=elements,
        size_px=(320, 180),
    )
    return Scene(RGB, truth)


def order(out: Path) -> Order:
    return Order(out, Split.TRAIN, 1, None, (256, 160))


def test_texts_and_glyphs_of_signs_are_not_wanted() -> None:
    elements = (
        element(0, "panel"),
        element(1, "sign", "biohazard"),
        element(2, "text", carried_by=0),
        element(3, "flag", "FR", carried_by=0),
        element(4, "pictogram", "biohazard", carried_by=1),
    )
    assert [one.index for one in wanted_elements(elements)] == [0, 1, 3]


def test_entry_has_boxes_in_network_pixels() -> None:
    picture, entry = scene_entry([element(0, "panel")], scene(), (256, 160))
    assert picture.shape == (160, 256, 3)
    # 320x180 scaled by 0.8 to 256x144, 8 rows of padding above
    assert entry["boxes"] == [[25.6, 22.4, 102.4, 51.2]]
    assert entry["types"] == [0]


def test_shares_become_corners() -> None:
    assert corners((0.25, 0.5, 0.5, 0.25), (400, 200)) == (100, 100, 300, 150)


def test_shaken_boxes_stay_near_and_solid() -> None:
    rng = np.random.default_rng(1)
    for _ in range(200):
        box = np.array(shaken((100, 50, 200, 90), rng))
        assert (np.abs(box - (100, 50, 200, 90)) <= (12.1, 4.9, 12.1, 4.9)).all()
        assert (box[2:] - box[:2] >= 2).all()


def test_cut_carries_label_and_direction_of_arrows_only() -> None:
    rng = np.random.default_rng(1)
    crop = cut(RGB, Found("arrow", "straight", (20, 20, 90, 60), 1.0, 123.0), rng)
    assert crop is not None
    assert crop[0].shape == (CROP_PX, CROP_PX, 3)
    assert crop[1] == {"label": "#arrow", "direction": 123.0, "side": 52.9}
    flag = cut(RGB, Found("flag", "FR", (20, 20, 90, 60), 1.0, 12.0), rng)
    assert flag is not None
    assert flag[1]["direction"] is None


@pytest.mark.parametrize(
    "found",
    [
        Found("pictogram", "lock", (20, 20, 60, 60), 0.2),
        Found("pictogram", "lock", (20, 20, 28, 28), 1.0),
        Found("pictogram", "camera", (20, 20, 60, 60), 1.0),
        Found("text", "", (20, 20, 60, 60), 1.0),
    ],
    ids=["hidden", "tiny", "held out", "text"],
)
def test_nothing_is_cut_of(found: Found) -> None:
    assert cut(RGB, found, np.random.default_rng(1)) is None


def test_pieces_of_background_avoid_the_elements() -> None:
    rgb = np.zeros((180, 320, 3), np.uint8)
    rgb[:, :200] = 255
    found = [Found("panel", "", (0, 0, 200, 180), 1.0)]
    pieces = list(background_cuts(rgb, found, 5, np.random.default_rng(2)))
    assert pieces
    for picture, entry in pieces:
        assert entry["label"] == "#background"
        assert (picture == 255).mean() < 0.3


def test_shards_that_are_there_are_not_made_again(tmp_path: Path) -> None:
    it = order(tmp_path)
    write_shard(shard_path(it, "crops", 1), np.zeros((1, 4, 4, 3), np.uint8), [{}])
    tasks = missing(it, {"scenes": 2, "crops": 4})
    assert sorted(tasks) == [("crops", 0), ("crops", 2), ("crops", 3), ("scenes", 0), ("scenes", 1)]
    assert tasks.index(("scenes", 1)) > tasks.index(("crops", 0))
