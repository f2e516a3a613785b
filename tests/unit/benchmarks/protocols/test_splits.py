from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.protocols.data import UnusableData
from benchmarks.protocols.splits import PUBLISHED_TEST, PUBLISHED_TRAINING, split_by_list, split_by_seed

IDS = [f"s{index:03}" for index in range(321)]


def test_a_seed_always_draws_the_same() -> None:
    split = split_by_seed(IDS, PUBLISHED_TRAINING["images"], seed=7)
    assert (len(split.training), len(split.test)) == (100, PUBLISHED_TEST["images"])
    assert set(split.training) | set(split.test) == set(IDS)
    assert split == split_by_seed(IDS[::-1], 100, seed=7)
    assert split != split_by_seed(IDS, 100, seed=8)


def test_a_list_names_the_training_samples(tmp_path: Path) -> None:
    listed = tmp_path / "training.txt"
    listed.write_text("# training\n s002 \n\ns000\n", encoding="utf-8")
    split = split_by_list(["s000", "s001", "s002"], listed)
    assert (split.training, split.test) == (("s000", "s002"), ("s001",))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\na\n", "1 ids occur more than once, such as a"),
        ("a\nx\n", "1 ids are not in the data, such as x"),
        ("a\nb\n", "none is left to test on"),
    ],
)
def test_lists_that_cannot_be_used(tmp_path: Path, text: str, message: str) -> None:
    listed = tmp_path / "training.txt"
    listed.write_text(text, encoding="utf-8")
    with pytest.raises(UnusableData, match=message):
        split_by_list(["a", "b"], listed)


def test_a_list_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UnusableData, match=r"training\.txt: the list of training samples cannot be read"):
        split_by_list(["a"], tmp_path / "training.txt")


def test_draws_that_cannot_be_made() -> None:
    with pytest.raises(UnusableData, match="leaves none to test on"):
        split_by_seed(["a", "b"], 2, seed=1)
    with pytest.raises(UnusableData, match="occur more than once"):
        split_by_seed(["a", "a"], 1, seed=1)
