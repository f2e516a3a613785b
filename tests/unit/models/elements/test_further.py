"""The shipped classifier trained further from its own file: only where torch and onnx are installed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

torch = pytest.importorskip("torch")
onnx = pytest.importorskip("onnx")

import onnxruntime  # noqa: E402

from arwarden.fast.elements.crops import as_input  # noqa: E402
from arwarden.fast.elements.decode import CROSSED, OTHER  # noqa: E402
from models.cards.description import sha256_of, write_description  # noqa: E402
from models.elements.further import VARIED_FROZEN_TO, Rest, described, let_answer, main, mean_of  # noqa: E402
from models.elements.labels import trained_labels  # noqa: E402
from models.elements.store import write_shard  # noqa: E402
from models.elements.trunk import CLASSIFIER, FrozenPart, Graph  # noqa: E402

SIDE = 96
LABELS = ("lock", "unlock", "#arrow", "flag:FR", "#background", "egg")
Bytes = npt.NDArray[np.uint8]


def blots(count: int, seed: int = 1) -> Bytes:
    rough = np.random.default_rng(seed).integers(0, 256, (count, 12, 12, 3), np.uint8)
    return np.asarray(rough.repeat(SIDE // 12, axis=1).repeat(SIDE // 12, axis=2), np.uint8)


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    folder = tmp_path / "weights"
    shutil.copytree(CLASSIFIER.parent, folder)
    return folder


@pytest.fixture
def data(tmp_path: Path) -> Path:
    for split in ("train", "validation"):
        entries = [
            {"label": label, "direction": 90.0 if label == "#arrow" else None, "side": 50.0}
            for label in LABELS
        ]
        write_shard(tmp_path / "data" / f"crops-{split}-1-00000", blots(len(LABELS)), entries)
    return tmp_path / "data"


def answers(path: Path, crops: Bytes) -> list[npt.NDArray[np.float32]]:
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    return [np.asarray(one) for one in session.run(["logits", "directions"], {"pictures": as_input(crops)})]


def test_what_is_trained_begins_as_the_file_is() -> None:
    graph, crops = Graph(frozen_to=VARIED_FROZEN_TO), blots(5)
    rest = Rest(graph).eval()
    with torch.no_grad():
        found = rest(torch.from_numpy(FrozenPart(graph).of_inputs(as_input(crops))))
    for own, wanted in zip(found, answers(CLASSIFIER, crops), strict=True):
        assert np.abs(wanted).max() > 0.2
        assert np.abs(own.numpy() - wanted).max() < 2e-3


def test_all_after_the_frozen_blocks_is_trained() -> None:
    rest = Rest(Graph(frozen_to=VARIED_FROZEN_TO))
    blocks = {name.split("-")[1] for name in rest.part.weights}
    assert blocks == {str(number) for number in range(VARIED_FROZEN_TO + 1, 15)}
    assert all(one.requires_grad for one in rest.parameters())


def test_a_run_is_written_into_the_file(weights: Path, data: Path, tmp_path: Path) -> None:
    crops = blots(4, seed=3)
    before = answers(weights / "classifier.onnx", crops)[0]
    common = ["--weights", str(weights)]
    for seed in ("1", "2"):
        main(
            [*common, "train", "--data", str(data), "--out", str(tmp_path / seed), "--minutes", "0.001",
             "--seed", seed, "--batch", "6", "--rate", "0.01"]
        )  # fmt: skip
    assert answers(weights / "classifier.onnx", crops)[0] == pytest.approx(before)
    main([*common, "write", "--runs", str(tmp_path / "1"), str(tmp_path / "2")])
    after = answers(weights / "classifier.onnx", crops)[0]
    rest = Rest(Graph(frozen_to=VARIED_FROZEN_TO))
    kept = [torch.load(tmp_path / seed / "checkpoint.pt", weights_only=True)["average"] for seed in "12"]
    rest.load_state_dict(mean_of(kept))
    with torch.no_grad():
        wanted, _ = rest.eval()(
            torch.from_numpy(FrozenPart(Graph(frozen_to=VARIED_FROZEN_TO)).of_inputs(as_input(crops)))
        )
    assert np.abs(after - before).max() > 1e-3
    assert np.abs(after - wanted.numpy()).max() < 2e-2  # the file has half the bits
    sums = described(weights)["sha256"]
    assert sums == {name: sha256_of(weights / name) for name in ("classifier.onnx", "detector.onnx")}
    assert described(weights)["classifier"] == described(CLASSIFIER.parent)["classifier"]


def test_labels_that_the_file_lacks_are_added(weights: Path, data: Path, tmp_path: Path) -> None:
    crops = blots(4, seed=3)
    values = described(weights)
    names = values["classifier"]["labels"]
    graph, before = (
        Graph(weights / "classifier.onnx", frozen_to=VARIED_FROZEN_TO),
        answers(CLASSIFIER, crops)[0],
    )
    had = [name for name in names if name not in {CROSSED, "lock"}]
    let_answer(graph, names, had)
    onnx.save(graph.model, str(weights / "classifier.onnx"))
    old = answers(weights / "classifier.onnx", crops)[0]
    assert old == pytest.approx(before[:, [names.index(name) for name in had]], abs=1e-3)
    values["classifier"]["labels"] = had
    write_description(weights, "elements.json", values, ["classifier.onnx", "detector.onnx"])
    order = ["--weights", str(weights), "train", "--data", str(data), "--minutes", "0.001", "--batch", "6"]
    main([*order, "--rate", "0", "--out", str(tmp_path / "run")])
    main(["--weights", str(weights), "write", "--runs", str(tmp_path / "run")])
    assert described(weights)["classifier"]["labels"] == list(trained_labels().names)
    after, rows = answers(weights / "classifier.onnx", crops)[0], trained_labels().names
    for new in (CROSSED, "lock"):
        assert after[:, rows.index(new)] == pytest.approx(after[:, rows.index(OTHER)])
    assert after[:, rows.index("unlock")] == pytest.approx(old[:, had.index("unlock")], abs=0.3)


def test_a_stopped_run_goes_on(weights: Path, data: Path, tmp_path: Path) -> None:
    order = ["--weights", str(weights), "train", "--data", str(data), "--out", str(tmp_path / "run"),
             "--minutes", "0.001", "--batch", "4"]  # fmt: skip
    main(order)
    main([*order, "--resume"])
    lines = (tmp_path / "run" / "log.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(lines[-1])["step"] == 2


def test_crops_that_stay_as_they_are_go_through_the_first_blocks_once(
    weights: Path, data: Path, tmp_path: Path
) -> None:
    crops = blots(4, seed=3)
    before = answers(weights / "classifier.onnx", crops)[0]
    order = ["--weights", str(weights), "train", "--data", str(data), "--minutes", "0.001", "--batch", "4",
             "--as-they-are", "--rate", "0.01"]  # fmt: skip
    main([*order, "--out", str(tmp_path / "run")])
    kept = sorted(data.glob("*.map7-*.npy"))
    assert [one.name.split(".")[0] for one in kept] == ["crops-train-1-00000", "crops-validation-1-00000"]
    written = [one.stat().st_mtime_ns for one in kept]
    main([*order, "--out", str(tmp_path / "again")])
    assert [one.stat().st_mtime_ns for one in kept] == written
    main(["--weights", str(weights), "write", "--runs", str(tmp_path / "run"), str(tmp_path / "again")])
    assert np.abs(answers(weights / "classifier.onnx", crops)[0] - before).max() > 1e-3


def test_without_crops_it_says_what_makes_them(weights: Path, tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"lacks crops.*models\.elements\.generate"):
        main(["--weights", str(weights), "train", "--data", str(tmp_path), "--out", str(tmp_path / "run")])


def test_runs_of_different_networks_have_no_mean() -> None:
    one, other = {"a": torch.ones(2)}, {"b": torch.ones(2)}
    with pytest.raises(ValueError, match="different networks"):
        mean_of([one, other])
    assert mean_of([one, {"a": torch.zeros(2)}])["a"].tolist() == [0.5, 0.5]
