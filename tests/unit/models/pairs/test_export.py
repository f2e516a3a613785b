"""What is exported of one training run, and of several."""

from __future__ import annotations

from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("onnxruntime.quantization")
pytest.importorskip("onnx")

from models.pairs.export import LONGEST, trained  # noqa: E402
from models.pairs.network import PairNetwork  # noqa: E402
from models.pairs.train import CHECKPOINT  # noqa: E402

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "door"]


def run(folder: Path, value: float, vocabulary: list[str] = WORDS) -> Path:
    """A run that ended with all its weights at one value."""
    weights = PairNetwork(len(vocabulary)).state_dict()
    folder.mkdir()
    average = {name: torch.full_like(part, value) for name, part in weights.items()}
    torch.save({"average": average, "vocabulary": vocabulary}, folder / CHECKPOINT)
    return folder


def test_one_run_gives_its_own_weights_as_long_as_pairs_are(tmp_path: Path) -> None:
    network, vocabulary = trained([run(tmp_path / "a", 0.5)])
    assert vocabulary == WORDS
    assert network.positions.shape[0] == LONGEST
    assert all(bool((part == 0.5).all()) for part in network.parameters())
    assert not network.training


def test_several_runs_give_their_mean(tmp_path: Path) -> None:
    network, _ = trained([run(tmp_path / "a", 0.5), run(tmp_path / "b", 1.0)])
    assert all(bool((part == 0.75).all()) for part in network.parameters())


def test_runs_that_do_not_go_together_are_named(tmp_path: Path) -> None:
    one, other = run(tmp_path / "a", 0.5), run(tmp_path / "b", 0.5, [*WORDS, "gate"])
    with pytest.raises(SystemExit, match="b has another vocabulary"):
        trained([one, other])
    with pytest.raises(SystemExit, match=r"c/checkpoint\.pt is not there: train first"):
        trained([one, tmp_path / "c"])
