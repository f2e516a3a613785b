"""Training, export and inference on a handful of tiny pictures: only where torch and onnx are installed."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("onnx")

from arwarden.fast.elements.decode import TYPES  # noqa: E402
from models.elements import export as exporting  # noqa: E402
from models.elements.backbone import STRIDE_16_BLOCK  # noqa: E402
from models.elements.data import CropData, DetectorData, wanted_of  # noqa: E402
from models.elements.inference import Networks, read_model  # noqa: E402
from models.elements.labels import Labels  # noqa: E402
from models.elements.networks import Classifier, Detector, DetectorForExport  # noqa: E402
from models.elements.store import write_shard  # noqa: E402
from models.elements.training import Run, optimiser_of  # noqa: E402

LABELS = Labels(("#background", "lock", "unlock"))


def write_scenes(folder: Path, split: str, shard: int = 0) -> None:
    entry = {"types": [0, 1], "boxes": [[16, 16, 48, 40], [60, 40, 62, 60]], "visibility": [1.0, 1.0]}
    pictures = np.random.default_rng(shard).integers(0, 255, (3, 64, 96, 3), dtype=np.uint8)
    write_shard(folder / f"scenes-{split}-1-{shard:05}", pictures, [entry] * 3)


def write_crops(folder: Path, *labels: str) -> None:
    pictures = np.zeros((len(labels), 96, 96, 3), np.uint8)
    entries = [
        {"label": label, "direction": 90.0 if label == "lock" else None, "side": 50.0} for label in labels
    ]
    write_shard(folder / "crops-train-1-00000", pictures, entries)


def test_narrow_and_hidden_elements_are_ignored() -> None:
    entry = {
        "types": [0, 1, 2],
        "boxes": [[0, 0, 30, 30], [0, 0, 4, 30], [0, 0, 30, 30]],
        "visibility": [1, 1, 0.1],
    }
    assert [one.ignored for one in wanted_of(entry)] == [False, True, True]


def test_maps_are_computed_once_and_kept(tmp_path: Path) -> None:
    write_scenes(tmp_path, "train")
    detector = Detector(STRIDE_16_BLOCK).eval()
    data = DetectorData(tmp_path, "scenes-train", detector, cached=True, seed=1)
    kept = sorted(tmp_path.glob("*.at*.npy"))
    assert len(kept) == 2
    batch = data.batch(5)
    assert [tuple(part.shape) for part in batch.inputs] == [(5, 40, 8, 12), (5, 112, 4, 6)]
    assert batch.heat.shape == (5, len(TYPES), 8, 12)
    changed = [path.stat().st_mtime_ns for path in kept]
    DetectorData(tmp_path, "scenes-train", detector, cached=True, seed=1)
    assert [path.stat().st_mtime_ns for path in kept] == changed


def test_maps_of_another_trunk_are_not_taken(tmp_path: Path) -> None:
    write_scenes(tmp_path, "train")
    for _ in range(2):
        DetectorData(tmp_path, "scenes-train", Detector(STRIDE_16_BLOCK).eval(), cached=True, seed=1)
    assert len(list(tmp_path.glob("*.at*.npy"))) == 4


def test_changed_scenes_are_pictures_with_grids(tmp_path: Path) -> None:
    write_scenes(tmp_path, "train")
    data = DetectorData(tmp_path, "scenes-train", Detector().eval(), cached=False, seed=1, vary=True)
    batch = data.batch(6)
    assert [tuple(part.shape) for part in batch.inputs] == [(6, 3, 64, 96)]
    assert batch.heat.shape == (6, len(TYPES), 8, 12)
    assert float(batch.heat.max()) == 1


def test_scenes_whose_maps_are_kept_join_at_once(tmp_path: Path) -> None:
    detector = Detector(STRIDE_16_BLOCK).eval()
    for shard in range(4):
        write_scenes(tmp_path, "train", shard)
    assert len(DetectorData(tmp_path, "scenes-train", detector, cached=True, seed=1, at_first=3)) == 9
    again = DetectorData(tmp_path, "scenes-train", detector, cached=True, seed=1, at_first=1)
    assert len(again) == 12


def test_shards_that_come_later_join(tmp_path: Path) -> None:
    write_scenes(tmp_path, "train")
    data = DetectorData(tmp_path, "scenes-train", Detector().eval(), cached=False, seed=1)
    assert len(data) == 3
    write_scenes(tmp_path, "train", 1)
    data.refresh()
    assert len(data) == 6
    assert sum(len(wanted) for _, wanted in data.all(2)) == 6


def test_crops_of_unknown_labels_are_left_out(tmp_path: Path) -> None:
    write_crops(tmp_path, "lock", "camera", "unlock")
    data = CropData(tmp_path, ("crops-train",), LABELS, side=64, seed=1)
    assert data.labels.tolist() == [1, 2]
    batch = data.batch(6)
    assert batch.inputs.shape == (6, 3, 64, 64)
    assert set(batch.labels.tolist()) <= {1, 2}
    assert torch.isnan(batch.directions[batch.labels == 2]).all()


def test_rare_labels_come_up_more_often(tmp_path: Path) -> None:
    write_crops(tmp_path, *["lock"] * 16, "unlock")
    data = CropData(tmp_path, ("crops-train",), LABELS, side=32, seed=1)
    share = float((data.batch(2000).labels == 2).float().mean())
    assert 0.15 < share < 0.25


def make_run(folder: Path, seconds: float = 0.5) -> tuple[Run, Any]:
    torch.manual_seed(1)
    classifier = Classifier(3, STRIDE_16_BLOCK)
    optimiser = optimiser_of(classifier, classifier.backbone, 1e-3, 0.3)
    return Run(folder, classifier, optimiser, seconds, seed=1), classifier


def run_loop(run: Run, model: Any) -> None:
    def loss_of(batch: Any) -> tuple[Any, dict[str, float]]:
        logits, directions = model(batch)
        loss = (logits**2).mean() + (directions**2).mean()
        return loss, {"loss": float(loss.detach())}

    run.loop(lambda: torch.rand(4, 3, 32, 32), loss_of, lambda: {"accuracy": 0.5}, 60, 4)


def test_run_keeps_its_time_box_and_can_be_resumed(tmp_path: Path) -> None:
    run, model = make_run(tmp_path / "run")
    run_loop(run, model)
    assert run.steps > 0
    lines = [json.loads(line) for line in (tmp_path / "run" / "log.jsonl").read_text().splitlines()]
    assert lines[-1]["final"]
    assert lines[-1]["validation"] == {"accuracy": 0.5}
    again, other = make_run(tmp_path / "run")
    again.resume()
    assert again.steps == run.steps
    assert torch.equal(other.label.weight, model.label.weight)
    run_loop(again, other)
    assert again.steps > run.steps


def test_resuming_nothing_or_another_network_is_refused(tmp_path: Path) -> None:
    run, _ = make_run(tmp_path / "empty")
    with pytest.raises(SystemExit, match="without --resume"):
        run.resume()
    run.save()
    classifier = Classifier(5)
    other = Run(
        tmp_path / "empty", classifier, optimiser_of(classifier, classifier.backbone, 1e-3, 1), 1, seed=1
    )
    with pytest.raises(SystemExit, match="another network"):
        other.resume()


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Untrained networks, exported."""
    folder = tmp_path_factory.mktemp("weights")
    torch.manual_seed(2)
    detector, classifier = Detector(), Classifier(3)
    picture = torch.rand(1, 3, 96, 160) * 2 - 1
    exporting.export(
        DetectorForExport(detector),
        folder / "detector.onnx",
        picture,
        ("peaks", "ltrb"),
        input_name="pictures",
        half=True,
    )
    exporting.export(
        classifier, folder / "classifier.onnx", torch.rand(2, 3, 64, 64), ("logits", "directions"),
        input_name="pictures", half=False,
    )  # fmt: skip
    exporting.describe(folder, LABELS.names, side=64, temperature=1.0, thresholds=exporting.THRESHOLDS)
    return folder


def test_exported_networks_run_on_any_frame(weights: Path) -> None:
    networks = Networks(read_model(weights))
    for height, width in ((720, 1280), (480, 640), (3, 5)):
        frame = np.zeros((height, width, 3), np.uint8)
        networks.find(frame, (0.0,) * len(TYPES))
        readings = networks.read(frame, np.array([[0, 0, width, height]] * 20, np.float32))
        assert len(readings) == 20
        assert readings[0].label in LABELS.names
    assert networks.read(frame, np.zeros((0, 4), np.float32)) == []


def test_weights_are_half_as_large(weights: Path) -> None:
    assert (weights / "detector.onnx").stat().st_size < 0.6 * (
        weights / "classifier.onnx"
    ).stat().st_size * 1.1


def test_another_file_than_described_is_refused(weights: Path, tmp_path: Path) -> None:
    for path in weights.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "classifier.onnx").write_bytes(b"changed")
    with pytest.raises(SystemExit, match=r"classifier\.onnx is not the network"):
        read_model(tmp_path)
    (tmp_path / "classifier.onnx").unlink()
    with pytest.raises(SystemExit, match="no file"):
        read_model(tmp_path)


def test_nothing_exported_says_how_to(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"models\.elements\.export"):
        read_model(tmp_path)
    with pytest.raises(SystemExit, match="train first"):
        exporting.averaged(tmp_path)


def test_a_wrong_file_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exporting, "FLOAT_TOLERANCE", -1.0)
    with pytest.raises(SystemExit, match="do not use it"):
        exporting.export(
            Classifier(3), tmp_path / "x.onnx", torch.rand(1, 3, 64, 64), ("logits", "directions"),
            input_name="pictures", half=False,
        )  # fmt: skip
