"""From a trained network to the files that the daemon reads: only where torch and onnx are installed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

torch = pytest.importorskip("torch")
onnx = pytest.importorskip("onnx")

from arwarden.fast.assemble import LEAST_PICTURE  # noqa: E402
from arwarden.fast.elements.crops import as_input  # noqa: E402
from arwarden.fast.words.bank import Bank, Votes, Word  # noqa: E402
from arwarden.fast.words.model import WordModel  # noqa: E402
from arwarden.fast.words.weights import bank_bytes, load_weights, read_bank  # noqa: E402
from models.calibration.logistic import logistic_fit  # noqa: E402
from models.elements.trunk import SIDE, FrozenPart, Graph, TrainedPart  # noqa: E402
from models.words import export as exporting  # noqa: E402
from models.words.data import Drawn  # noqa: E402
from models.words.export import (  # noqa: E402
    MOST_DRAWINGS,
    SHARPNESS,
    SURE,
    answers,
    bank_of,
    folded,
    joined,
    measured,
    needed,
    table,
    write,
)
from models.words.train import DIMENSIONS, WordNetwork, looks_of  # noqa: E402
from tests.unit.models.words.test_trunk_and_train import crops, write_crops  # noqa: E402

Floats = npt.NDArray[np.float32]
NAMES = ("bell", "bell off", "door", "wine glass")
NUMBERS = {
    "pictures": 9, "right": 0.5, "exact": 0.25, "said": 0.4, "right_where_said": 0.8, "calibration_error": 0.1
}  # fmt: skip


def trained(graph: Graph) -> WordNetwork:
    """A network whose every part has changed, as by training."""
    torch.manual_seed(4)
    network = WordNetwork(TrainedPart(graph), len(NAMES))
    with torch.no_grad():
        for one in network.part.weights.values():
            one.mul_(1.01)
        network.norm.running_mean.uniform_(-0.5, 0.5)
        network.norm.running_var.uniform_(0.5, 2)
        network.norm.weight.uniform_(0.5, 2)
        network.norm.bias.uniform_(-0.5, 0.5)
        network.head.bias.uniform_(-0.5, 0.5)
    return network


def drawn_of(count: int) -> Drawn:
    return Drawn(FrozenPart(Graph()).maps(crops(count)), tuple(NAMES[n % 4] for n in range(count)))


@pytest.fixture(scope="module")
def network() -> WordNetwork:
    return trained(Graph())


@pytest.fixture(scope="module")
def model(network: WordNetwork) -> Any:
    return joined(Graph(), network)


@pytest.fixture
def written(tmp_path: Path, model: Any, network: WordNetwork) -> Path:
    vectors = torch.nn.functional.normalize(network.names).detach().numpy()
    write(
        tmp_path / "weights", model, bank_bytes(NAMES, vectors),
        fit=(1.2, -0.3), numbers=NUMBERS,
    )  # fmt: skip
    return tmp_path / "weights"


def looks_by_torch(network: WordNetwork, count: int) -> Floats:
    return np.asarray(looks_of(network, drawn_of(count)).numpy())


def test_the_joined_file_computes_what_the_network_does(network: WordNetwork, written: Path) -> None:
    loaded = load_weights(written)
    finder = WordModel(loaded)
    rgb = crops(11)
    found = np.concatenate(
        [finder._network.run(None, {"pictures": as_input(rgb[at : at + 4])})[0] for at in range(0, 11, 4)]
    )
    expected = looks_by_torch(network, 11)
    assert found.shape == expected.shape == (11, DIMENSIONS)
    assert np.linalg.norm(found, axis=1) == pytest.approx(1, abs=1e-4)
    assert (found * expected).sum(axis=1).min() > 0.999
    alone = expected - expected.mean(axis=0)
    assert ((found - expected.mean(axis=0)) * alone).sum() / (alone**2).sum() == pytest.approx(1, abs=0.03)


def test_the_daemon_finds_the_same_words(network: WordNetwork, written: Path) -> None:
    finder = WordModel(load_weights(written))
    finder.warm_up()
    vectors = torch.nn.functional.normalize(network.names).detach().numpy()
    bank = Bank(NAMES, vectors, sharpness=SHARPNESS, fit=(1.2, -0.3))
    for crop, look in zip(crops(6), looks_by_torch(network, 6), strict=True):
        # A box of which the margin is cut off, so that the crop is the whole picture.
        (seen,) = finder.look(crop, [(0.0, 0.0, float(SIDE), float(SIDE))])
        word, expected = finder.votes(seen).word(), bank.word(look)
        assert word.share == pytest.approx(expected.share, abs=0.02)
        assert word.words == expected.words or abs(word.share - 0.25) < 0.05


def test_the_joined_file_has_nothing_of_the_labels_left(model: Any) -> None:
    assert [one.name for one in model.graph.input] == ["pictures"]
    assert [one.name for one in model.graph.output] == ["looks"]
    names = {tensor.name for tensor in model.graph.initializer}
    assert model.graph.node[-1].output[0] == "looks"
    assert not [name for name in names if name.startswith(("label", "direction", "norm"))]
    used = {name for node in model.graph.node for name in node.input} | {"looks"}
    assert names <= used
    assert all(set(node.output) & used for node in model.graph.node)
    whole = Graph().model
    assert model.ByteSize() < whole.ByteSize()
    assert {one.version for one in model.opset_import} == {one.version for one in whole.opset_import}


def test_what_a_value_needs_stays_in_its_order() -> None:
    made = [
        onnx.helper.make_node("Relu", given, [output])
        for given, output in ((["x"], "a"), (["x"], "b"), (["a"], "c"), (["b"], "d"), (["c", "a"], "e"))
    ]
    assert [node.output[0] for node in needed(made, "e")] == ["a", "c", "e"]
    assert needed(made, "x") == []


def test_norm_and_head_fold_into_one_product(network: WordNetwork) -> None:
    scale, shift = folded(network)
    features = torch.randn(5, network.part.features)
    network.eval()
    with torch.no_grad():
        expected = network.head(network.norm(features)).numpy()
    assert np.allclose(features.numpy() @ scale + shift, expected, atol=1e-4)


def test_files_are_described_with_their_sums(written: Path) -> None:
    described = json.loads((written / "words.json").read_text(encoding="utf-8"))
    assert (described["side_px"], described["validation"]) == (SIDE, NUMBERS)
    lines = (written / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
    sums = {line[66:]: line[:64] for line in lines}
    assert sums == described["sha256"]
    assert {path.name for path in written.iterdir()} == {*sums, "words.json", "SHA256SUMS"}
    for name, digest in sums.items():
        assert hashlib.sha256((written / name).read_bytes()).hexdigest() == digest
    loaded = load_weights(written)
    assert loaded.bank.names == NAMES
    assert [file.name for file in loaded.files] == ["words.onnx", "words.npz"]


def test_the_bank_holds_some_drawings_of_each_name(network: WordNetwork) -> None:
    few = drawn_of(6)
    bank = read_bank(bank_of(network, few), sharpness=SHARPNESS, fit=(1.0, 0.0))
    assert bank.names == few.words
    assert (bank._vectors * looks_of(network, few).numpy()).sum(axis=1).min() > 0.999
    many = Drawn(few.maps[:1].repeat(MOST_DRAWINGS + 9, axis=0), ("bell",) * (MOST_DRAWINGS + 8) + ("door",))
    kept = read_bank(bank_of(network, many), sharpness=SHARPNESS, fit=(1.0, 0.0))
    assert (kept.names.count("bell"), kept.names.count("door")) == (MOST_DRAWINGS, 1)
    assert bank_of(network, many) == bank_of(network, many)


def test_numbers_go_into_the_card(model: Any, tmp_path: Path) -> None:
    card = tmp_path / "MODEL_CARD.md"
    card.write_text("# Card\n<!-- numbers: begin -->\nold\n<!-- numbers: end -->\nrest\n", encoding="utf-8")
    content = bank_bytes(("bell",), np.ones((1, DIMENSIONS), np.float32))
    write(tmp_path, model, content, fit=(1.0, 0.0), numbers=NUMBERS)
    text = card.read_text(encoding="utf-8")
    assert table(NUMBERS) in text
    assert "old" not in text
    assert text.endswith("rest\n")
    assert "| right where said | 0.800 |" in text.splitlines()


def test_the_same_network_gives_the_same_files(network: WordNetwork, written: Path, tmp_path: Path) -> None:
    vectors = torch.nn.functional.normalize(network.names).detach().numpy()
    write(
        tmp_path / "again", joined(Graph(), network), bank_bytes(NAMES, vectors),
        fit=(1.2, -0.3), numbers=NUMBERS,
    )  # fmt: skip
    for path in written.iterdir():
        assert (tmp_path / "again" / path.name).read_bytes() == path.read_bytes(), path.name


def test_what_is_always_wrong_is_never_sure() -> None:
    slope, offset = logistic_fit(np.array([0.0, 0.2, 0.5, 0.9, 1.0] * 20), np.zeros(100, bool))
    bank = Bank(("bell",), np.ones((1, 2), np.float32), sharpness=1.0, fit=(slope, offset))
    assert bank.word(np.ones(2, np.float32)).share < 0.1


class FakeVotes(Votes):
    """For one word."""

    def __init__(self, word: Word) -> None:
        super().__init__({word.words: word.share})

    def word(self, likelier: Mapping[str, float] = MappingProxyType({})) -> Word:
        del likelier
        return Word(*next(iter(self.shares.items())))

    def agreed(self, likelier: Mapping[str, float] = MappingProxyType({})) -> tuple[str, float]:
        word = self.word(likelier)
        return word.words, word.share


class FakeBank(Bank):
    """Says what the looks are the numbers of."""

    SAID = (Word("bell", 0.9), Word("bell off", 0.6), Word("door", 0.2), Word("cat", 0.8))

    def __init__(self) -> None:
        super().__init__(("bell",), np.ones((1, 1), np.float32), sharpness=1.0)

    def votes(self, vector: Floats) -> Votes:
        return FakeVotes(self.SAID[int(vector[0])])


def said_of(*own: str) -> tuple[Floats, Drawn]:
    looks = np.arange(len(own), dtype=np.float32)[:, None]
    return looks, Drawn(np.zeros((len(own), 1, 1, 1), np.float16), own)


def test_answers_are_right_where_half_of_the_words_are() -> None:
    agreement, right = answers(FakeBank(), *said_of("bell", "alarm bell off", "window", "dog"))
    assert agreement.tolist() == [0.9, 0.6, 0.2, 0.8]
    assert right.tolist() == [True, True, False, False]


def test_measured_shares() -> None:
    numbers = measured(FakeBank(), *said_of("bell", "alarm bell off", "door", "dog"))
    assert numbers == {
        "pictures": 4,
        "right": 0.75,
        "exact": 0.5,
        "said": 0.75,
        "right_where_said": 0.667,
        # Off by 0.1, 0.4, 0.8 and 0.8, a quarter of the pictures each.
        "calibration_error": 0.525,
    }
    assert SURE == LEAST_PICTURE, "what is measured as said is what the daemon says"


def test_where_nothing_is_said_nothing_is_right() -> None:
    looks, pictures = said_of("bell", "door", "door")
    numbers = measured(FakeBank(), looks[2:], pictures.only({"bell"}))
    assert (numbers["said"], numbers["right_where_said"], numbers["right"]) == (0.0, 0.0, 0.0)


def test_the_command_line_exports_a_run(tmp_path: Path, network: WordNetwork) -> None:
    words = (*NAMES, "unheard of") * 6
    write_crops(tmp_path, "train", *NAMES * 4)
    write_crops(tmp_path, "validation", *words)
    (tmp_path / "run").mkdir()
    kept = {"network": network.state_dict(), "names": list(NAMES)}
    torch.save(kept, tmp_path / "run" / "checkpoint.pt")
    where = ["--data", str(tmp_path), "--run", str(tmp_path / "run"), "--out", str(tmp_path / "weights")]
    exporting.main(where)
    described = json.loads((tmp_path / "weights" / "words.json").read_text(encoding="utf-8"))
    assert described["sharpness"] == SHARPNESS
    assert 0 < described["validation"]["pictures"] < 24, "those that the fit was not made of"
    finder = WordModel(load_weights(tmp_path / "weights"))
    finder.warm_up()
    expected = looks_by_torch(network, 3)
    for crop, look in zip(crops(3), expected, strict=True):
        (seen,) = finder.look(crop, [(0.0, 0.0, float(SIDE), float(SIDE))])
        assert float(seen @ look) > 0.999


def test_without_a_run_nothing_is_exported(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="train first"):
        exporting.main(["--run", str(tmp_path), "--out", str(tmp_path / "weights")])
    assert list(tmp_path.iterdir()) == []
