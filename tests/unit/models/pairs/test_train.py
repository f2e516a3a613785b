"""With what a training run begins: the base alone, another run's weights, or its own."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("safetensors")
pytest.importorskip("onnx")

from safetensors.torch import save_file  # noqa: E402

from models.pairs.network import LAYERS, POSITIONS, WIDTH  # noqa: E402
from models.pairs.train import CHECKPOINT, Run, opened  # noqa: E402

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "door", "gate"]
INNER = 4 * WIDTH


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An encoder of the base's shape with weights of one value each, its words numbered from 1."""
    folder = tmp_path_factory.mktemp("base")
    shapes = {
        "attention.self.query": (WIDTH, WIDTH), "attention.self.key": (WIDTH, WIDTH),
        "attention.self.value": (WIDTH, WIDTH), "attention.output.dense": (WIDTH, WIDTH),
        "attention.output.LayerNorm": (WIDTH,), "intermediate.dense": (INNER, WIDTH),
        "output.dense": (WIDTH, INNER), "output.LayerNorm": (WIDTH,),
    }  # fmt: skip
    stored = {
        "embeddings.word_embeddings.weight": torch.arange(1.0, len(WORDS) + 1)[:, None].expand(-1, WIDTH),
        "embeddings.position_embeddings.weight": torch.zeros(POSITIONS, WIDTH),
        "embeddings.token_type_embeddings.weight": torch.zeros(2, WIDTH),
        "embeddings.LayerNorm.weight": torch.ones(WIDTH),
        "embeddings.LayerNorm.bias": torch.zeros(WIDTH),
    }
    for layer in range(LAYERS):
        for name, shape in shapes.items():
            stored[f"encoder.layer.{layer}.{name}.weight"] = torch.full(shape, 0.01)
            stored[f"encoder.layer.{layer}.{name}.bias"] = torch.zeros(shape[0])
    save_file({name: part.contiguous() for name, part in stored.items()}, folder / "model.safetensors")
    (folder / "vocab.txt").write_text("\n".join(WORDS) + "\n", encoding="utf-8")
    return folder


def opening(base: Path, out: Path, *, start: Path | None = None, resume: bool = False) -> Run:
    return opened(Namespace(base=base, out=out, start=start, resume=resume, rate=1e-4, frozen=2))


def words_of(run: Run) -> list[float]:
    """What the word table holds, a number for each word."""
    return [round(float(value), 1) for value in (run.network.table[:, :1] * run.network.scales)[:, 0]]


def test_a_new_run_knows_all_words_of_the_base(base: Path, tmp_path: Path) -> None:
    run = opening(base, tmp_path)
    assert run.vocabulary == WORDS
    assert words_of(run) == [1, 2, 3, 4, 5, 6]


def test_another_runs_weights_go_with_all_words_of_the_base(base: Path, tmp_path: Path) -> None:
    """Also where that run knew fewer words."""
    earlier = opening(base, tmp_path)
    with torch.no_grad():
        earlier.average[_last(earlier)].fill_(3.0)
    earlier.vocabulary = WORDS[:5]
    earlier.network.table, earlier.network.scales = earlier.network.table[:5], earlier.network.scales[:5]
    earlier.steps = 7
    earlier.save(tmp_path)
    run = opening(base, tmp_path / "new", start=tmp_path / CHECKPOINT)
    assert run.vocabulary == WORDS
    assert words_of(run) == [1, 2, 3, 4, 5, 6]
    assert run.steps == 0
    assert bool((run.average[_last(run)] == 3.0).all())


def test_a_run_that_goes_on_keeps_its_words_and_its_clock(base: Path, tmp_path: Path) -> None:
    earlier = opening(base, tmp_path)
    earlier.vocabulary = WORDS[:5]
    earlier.network.table, earlier.network.scales = earlier.network.table[:5], earlier.network.scales[:5]
    earlier.steps = 7
    earlier.save(tmp_path)
    run = opening(base, tmp_path, resume=True)
    assert (run.vocabulary, run.steps) == (WORDS[:5], 7)
    assert words_of(run) == [1, 2, 3, 4, 5]


def _last(run: Run) -> str:
    return [name for name in run.average if name.startswith("head.") and name.endswith("bias")][-1]
