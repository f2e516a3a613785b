"""The int8 forms of untrained networks: only where torch and onnx are installed."""

import sys
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
onnx = pytest.importorskip("onnx")

from arwarden.fast.elements.crops import as_input  # noqa: E402
from models.elements import export as exporting  # noqa: E402
from models.elements import quantise as quantising  # noqa: E402
from models.elements.inference import Networks, read_model  # noqa: E402
from models.elements.networks import Classifier, Detector, DetectorForExport  # noqa: E402
from models.elements.store import write_shard  # noqa: E402

LABELS = ("#background", "lock", "unlock")


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Untrained networks in floating point, and a few pictures beside them."""
    folder = tmp_path_factory.mktemp("full")
    torch.manual_seed(2)
    pictures = torch.rand(1, 3, 64, 96) * 2 - 1
    exporting.export(
        DetectorForExport(Detector()), folder / "detector.onnx", pictures, ("peaks", "ltrb"),
        input_name="pictures", half=False,
    )  # fmt: skip
    exporting.export(
        Classifier(3), folder / "classifier.onnx", torch.rand(2, 3, 64, 64), ("logits", "directions"),
        input_name="pictures", half=False,
    )  # fmt: skip
    exporting.describe(folder, LABELS, side=64, temperature=1.0, thresholds=exporting.THRESHOLDS)
    rng = np.random.default_rng(1)
    write_shard(
        folder / "scenes-train-1-00000", rng.integers(0, 255, (3, 64, 96, 3), dtype=np.uint8), [{}] * 3
    )
    write_shard(
        folder / "crops-train-1-00000", rng.integers(0, 255, (8, 96, 96, 3), dtype=np.uint8), [{}] * 8
    )
    return folder


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> None:
    monkeypatch.setattr(sys, "argv", ["quantise", *arguments])
    quantising.main()


def test_bytes_are_smaller_and_answer_alike(
    full: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(
        monkeypatch, "--weights", str(full), "--data", str(full), "--out", str(tmp_path),
        "--scenes", "3", "--crops", "8",
    )  # fmt: skip
    for name in ("detector.onnx", "classifier.onnx"):
        assert (tmp_path / name).stat().st_size < 0.4 * (full / name).stat().st_size
    crops = np.random.default_rng(2).integers(0, 255, (4, 64, 64, 3), dtype=np.uint8)
    small, large = (Networks(read_model(folder)).namer.raw(crops)[0] for folder in (tmp_path, full))
    assert np.corrcoef(small.ravel(), large.ravel())[0, 1] > 0.9


def test_first_and_last_layers_stay_in_floating_point(full: Path) -> None:
    model = onnx.load(str(full / "detector.onnx"))
    names = [node.name for node in model.graph.node if node.op_type == "Conv"]
    assert quantising.kept_in_float(model, "detector") == [names[0], *names[-2:]]
    assert quantising.kept_in_float(model, "classifier") == [names[0]]


def test_none_asked_for_leaves_fp16(full: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(monkeypatch, "--weights", str(full), "--data", str(full), "--out", str(tmp_path),
        "--scenes", "0", "--crops", "0")  # fmt: skip
    crops = as_input(np.full((1, 64, 64, 3), 90, np.uint8))
    assert crops.shape == (1, 3, 64, 64)
    half = {n.data_type for n in onnx.load(str(tmp_path / "detector.onnx")).graph.initializer if n.dims}
    assert onnx.TensorProto.FLOAT16 in half
    assert read_model(tmp_path).side_px == 64


def test_pictures_come_from_all_shards(full: Path, tmp_path: Path) -> None:
    for shard in range(3):
        write_shard(tmp_path / f"crops-train-1-{shard:05}", np.full((5, 8, 8, 3), shard, np.uint8), [{}] * 5)
    some = quantising.some_pictures(tmp_path, ("crops-train", "cuts-train"), 6)
    assert sorted(some[:, 0, 0, 0].tolist()) == [0, 0, 1, 1, 2, 2]
    with pytest.raises(SystemExit, match=r"models\.elements\.generate"):
        quantising.some_pictures(full, ("nothing",), 6)
