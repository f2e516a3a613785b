from pathlib import Path

import numpy as np
import pytest

from models.elements.store import entries_of, pictures_of, shards, write_shard


def test_shard_comes_back(tmp_path: Path) -> None:
    pictures = np.arange(2 * 4 * 4 * 3, dtype=np.uint8).reshape(2, 4, 4, 3)
    write_shard(tmp_path / "crops-train-1-00000", pictures, [{"label": "lock"}, {"label": "key"}])
    (shard,) = shards(tmp_path, "crops-train")
    assert (pictures_of(shard) == pictures).all()
    assert [one["label"] for one in entries_of(shard)] == ["lock", "key"]


def test_shard_without_entries_is_not_there_yet(tmp_path: Path) -> None:
    np.save(tmp_path / "scenes-train-1-00000.npy", np.zeros((1, 4, 4, 3), np.uint8))
    assert shards(tmp_path, "scenes-train") == []
    assert shards(tmp_path / "nowhere", "scenes-train") == []


def test_prefix_keeps_the_splits_apart(tmp_path: Path) -> None:
    for name in ("crops-train-1-00000", "crops-validation-1-00000"):
        write_shard(tmp_path / name, np.zeros((1, 4, 4, 3), np.uint8), [{}])
    assert [shard.name for shard in shards(tmp_path, "crops-train")] == ["crops-train-1-00000"]


def test_nothing_half_stays_beside_a_shard(tmp_path: Path) -> None:
    write_shard(tmp_path / "a-0", np.zeros((1, 4, 4, 3), np.uint8), [{}])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a-0.json", "a-0.npy"]


def test_each_picture_needs_its_entry(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="2 pictures and 1 entries"):
        write_shard(tmp_path / "a-0", np.zeros((2, 4, 4, 3), np.uint8), [{}])
