from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from models.scenes.backdrop import Backdrops, read_photos
from models.scenes.clutter import add_clutter, arm
from models.scenes.kinds import Split


@pytest.fixture(scope="module")
def photos(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("photos")
    rng = np.random.default_rng(1)
    lines = ["file,kind"]
    for kind in ("indoor", "outdoor"):
        (folder / kind).mkdir()
        for number in range(30):
            name = f"{kind}/{number}.png"
            cv2.imwrite(str(folder / name), rng.integers(0, 255, (48, 64, 3), dtype=np.uint8))
            lines.append(f"{name},{kind}")
    (folder / "index.csv").write_text("\n".join(lines) + "\n")
    return folder


def test_every_photo_is_in_one_split(photos: Path) -> None:
    found = read_photos(photos)
    assert len(found) == 60
    by_split = {split: {photo.path for photo in Backdrops(split, photos).photos()} for split in Split}
    assert sum(map(len, by_split.values())) == 60
    assert len(by_split[Split.TRAIN]) > len(by_split[Split.TEST]) > 3
    assert len(by_split[Split.VALIDATION]) > 3


def test_the_split_stays_when_a_photo_is_renamed(photos: Path, tmp_path: Path) -> None:
    photo = read_photos(photos)[0]
    (tmp_path / "other_name.png").write_bytes(photo.path.read_bytes())
    (moved,) = read_photos(tmp_path)
    assert moved.split == photo.split
    assert moved.kind == "indoor"


def test_outdoor_scenes_are_mostly_outdoors(photos: Path) -> None:
    backdrops = Backdrops(Split.TRAIN, photos)
    rng = np.random.default_rng(3)
    names = [backdrops.picture("outdoor_navigation", (64, 36), rng, clutter=False)[1] for _ in range(60)]
    assert sum(name.startswith("outdoor/") for name in names) > 35
    names = [backdrops.picture("smart_apartment", (64, 36), rng, clutter=False)[1] for _ in range(60)]
    assert sum(name.startswith("indoor/") for name in names) > 45


@pytest.mark.parametrize("size", [(320, 180), (90, 160)])
def test_pictures_have_the_wanted_size(photos: Path, size: tuple[int, int]) -> None:
    rgb, _ = Backdrops(Split.TRAIN, photos).picture("smart_retail", size, np.random.default_rng(0))
    assert rgb.shape == (size[1], size[0], 3)


def test_without_photos_rooms_are_drawn_and_those_of_splits_differ() -> None:
    names = {}
    for split in (Split.TRAIN, Split.TEST):
        rgb, names[split] = Backdrops(split).picture("smart_apartment", (160, 90), np.random.default_rng(0))
        assert rgb.std() > 5
    assert names[Split.TRAIN].startswith("room/")
    assert int(names[Split.TRAIN][5:]) % 3 != int(names[Split.TEST][5:]) % 3


def test_a_folder_without_photos_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="holds no photos"):
        Backdrops(Split.TRAIN, tmp_path)


def test_a_broken_photo_is_named(tmp_path: Path) -> None:
    for number in range(30):
        (tmp_path / f"{number}.jpg").write_bytes(f"not a picture {number}".encode())
    backdrops = Backdrops(Split.TRAIN, tmp_path)
    rng = np.random.default_rng(1)
    with pytest.raises(ValueError, match=r"\.jpg is not a readable photo"):
        _ = [backdrops.picture("smart_retail", (64, 36), rng) for _ in range(10)]


def test_clutter_changes_a_part_of_the_world() -> None:
    world = np.full((180, 320, 3), 120, dtype=np.uint8)
    shares = []
    for seed in range(20):
        out = add_clutter(world, np.random.default_rng(seed))
        shares.append(float((np.abs(out.astype(int) - world).max(axis=2) > 8).mean()))
    assert 0.005 < np.median(shares) < 0.4
    assert np.array_equal(world, np.full_like(world, 120))


def test_an_arm_reaches_in_from_below() -> None:
    rgb, mask = arm((320, 180), np.random.default_rng(4))
    assert rgb.shape == (180, 320, 3)
    assert 0.01 < (mask > 127).mean() < 0.35
    assert (mask[-1] > 127).any()
    assert not (mask[0] > 127).any()
