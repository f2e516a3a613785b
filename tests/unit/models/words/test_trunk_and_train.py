"""The trained part against the classifier's own file, and training on a few crops: only where torch is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

torch = pytest.importorskip("torch")
onnx = pytest.importorskip("onnx")

from arwarden.fast.elements.crops import as_input  # noqa: E402
from models.elements.store import write_shard  # noqa: E402
from models.elements.trunk import SIDE, FrozenPart, Graph, TrainedPart, taps_of  # noqa: E402
from models.words import train as training  # noqa: E402
from models.words.data import Drawn, chances, drawn  # noqa: E402
from models.words.train import DIMENSIONS, WARM, WordNetwork, begin, looks_of, rate, right, stored, train  # noqa: E402

Bytes = npt.NDArray[np.uint8]
NAMES = ("bell", "bell off", "door", "wine glass")


def crops(count: int, seed: int = 1) -> Bytes:
    """Blots rather than noise: the features of noise are all alike."""
    rough = np.random.default_rng(seed).integers(0, 256, (count, 12, 12, 3), np.uint8)
    return np.asarray(rough.repeat(SIDE // 12, axis=1).repeat(SIDE // 12, axis=2), np.uint8)


@pytest.fixture(scope="module")
def graph() -> Graph:
    return Graph()


@pytest.fixture(scope="module")
def data(graph: Graph) -> Drawn:
    """Sixteen drawings, four of each name and those alike."""
    base = crops(len(NAMES)).astype(np.int16).repeat(4, axis=0)
    shades = np.random.default_rng(2).integers(-40, 40, (len(base), 1, 1, 3))
    pictures = np.clip(base + shades, 0, 255).astype(np.uint8)
    return Drawn(FrozenPart(graph).maps(pictures), tuple(name for name in NAMES for _ in range(4)))


def small_part(channels: int) -> Any:
    """Stands for the trained blocks, which take a second a step where the processor is busy."""
    layers = torch.nn.Conv2d(channels, 2 * channels, 1), torch.nn.AdaptiveMaxPool2d(1), torch.nn.Flatten()
    part = torch.nn.Sequential(*layers)
    part.features = 2 * channels
    return part


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch, data: Drawn) -> None:
    monkeypatch.setattr(training, "BATCH", 8)
    monkeypatch.setattr(training, "CHECK_EVERY", 1)
    monkeypatch.setattr(training, "TrainedPart", lambda _graph: small_part(data.maps.shape[1]))


def features_of(graph: Graph, pictures: Bytes) -> npt.NDArray[np.float32]:
    """As onnxruntime computes them from the whole file."""
    session = graph.session(["/Concat_output_0"])
    return np.asarray(session.run(["/Concat_output_0"], {"pictures": as_input(pictures)})[0])


def exact_maps(graph: Graph, pictures: Bytes) -> Any:
    """What the frozen part says, not rounded to half the bits."""
    session = graph.session([graph.frozen])
    return torch.from_numpy(session.run([graph.frozen], {"pictures": as_input(pictures)})[0])


def test_the_trained_part_computes_what_the_classifier_does(graph: Graph) -> None:
    pictures, part = crops(5), TrainedPart(graph)
    expected = features_of(graph, pictures)
    with torch.no_grad():
        found = part(exact_maps(graph, pictures)).numpy()
    assert found.shape == expected.shape == (5, part.features)
    assert np.abs(expected).max() > 1
    assert np.abs(found - expected).max() < 1e-3


def test_maps_are_kept_in_half_the_bits(graph: Graph) -> None:
    pictures = crops(11)
    maps = FrozenPart(graph).maps(pictures)
    assert maps.dtype == np.float16
    assert maps.shape[0] == 11
    assert maps.shape[2:] == (graph.cells, graph.cells)
    assert np.allclose(maps, exact_maps(graph, pictures).numpy(), rtol=2e-3, atol=2e-2)


def test_every_picture_is_seen_by_itself(graph: Graph) -> None:
    part, maps = TrainedPart(graph).eval(), exact_maps(graph, crops(4))
    with torch.no_grad():
        together, alone = part(maps), torch.cat([part(one[None]) for one in maps])
    assert torch.allclose(together, alone, atol=1e-4)


def test_all_that_comes_after_the_frozen_blocks_learns(graph: Graph) -> None:
    part = TrainedPart(graph)
    part(exact_maps(graph, crops(3))).sum().backward()
    blocks = {name.split("-")[1] for name in part.weights}
    assert blocks == {str(number) for number in range(8, 15)}
    assert all(one.grad is not None and one.grad.abs().sum() > 0 for one in part.parameters())


def test_weights_go_back_into_the_file(tmp_path: Path) -> None:
    graph, pictures = Graph(), crops(3)
    part = TrainedPart(graph)
    with torch.no_grad():
        for number, one in enumerate(part.weights.values()):
            one.mul_(1 + 0.02 * number / len(part.weights))
        before = features_of(graph, pictures)
        part.put_into(graph)
        onnx.save(graph.model, str(tmp_path / "changed.onnx"))
        again = Graph(tmp_path / "changed.onnx")
        expected = part(exact_maps(again, pictures)).numpy()
    found = features_of(again, pictures)
    assert np.abs(before - expected).max() > 0.1
    # The file has half the bits.
    assert np.abs(found - expected).max() < 0.02 * np.abs(expected).max()
    for name, one in TrainedPart(again).weights.items():
        assert torch.allclose(one, part.weights[name], rtol=1e-3, atol=1e-4), name


def test_unchanged_weights_leave_the_file_as_it_is() -> None:
    graph, untouched = Graph(), Graph()
    TrainedPart(graph).put_into(graph)
    assert graph.model.SerializeToString() == untouched.model.SerializeToString()


@pytest.mark.parametrize(("kernel", "stride", "pads"), [(3, 1, (1, 1)), (5, 1, (2, 2)), (5, 2, (1, 2))])
def test_taps_make_a_convolution_a_product(kernel: int, stride: int, pads: tuple[int, int]) -> None:
    torch.manual_seed(1)
    weight, given = torch.randn(4, 1, kernel, kernel), torch.randn(2, 4, 6, 6)
    padded = torch.nn.functional.pad(given, (*pads, *pads))
    expected = torch.nn.functional.conv2d(padded, weight, stride=stride, groups=4)
    taps = taps_of(kernel, 6, stride, pads)
    dense = (weight.flatten(1) @ taps.flatten(1)).reshape(4, *taps.shape[1:])
    found = torch.einsum("nci,cio->nco", given.flatten(2), dense)
    assert torch.allclose(found, expected.flatten(2), atol=1e-5)


def write_crops(folder: Path, split: str, *words: str, shard: int = 0) -> None:
    entries = [{"source": "aa", "name": word, "words": word, "crossed": False} for word in words]
    write_shard(folder / f"words-{split}-1-{shard:05}", crops(len(words), shard), entries)


def test_what_is_drawn_is_read_in_order_and_its_maps_are_kept(tmp_path: Path, graph: Graph) -> None:
    write_crops(tmp_path, "train", "bell", "door", "bell", shard=0)
    write_crops(tmp_path, "train", "wine glass", shard=1)
    write_crops(tmp_path, "validation", "lamp")
    read = drawn(tmp_path, "train")
    assert (len(read), read.words) == (4, ("bell", "door", "bell", "wine glass"))
    assert np.allclose(read.maps[3], FrozenPart(graph).maps(crops(1, 1))[0])
    kept = sorted(tmp_path.glob("*.map*.npy"))
    assert len(kept) == 2
    changed = [path.stat().st_mtime_ns for path in kept]
    assert (drawn(tmp_path, "train").maps == read.maps).all()
    assert [path.stat().st_mtime_ns for path in kept] == changed


def test_nothing_drawn_says_how_to(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"no words-train: run python -m models\.words\.generate"):
        drawn(tmp_path, "train")


def test_drawings_of_some_names(data: Drawn) -> None:
    some = data.only({"door", "unheard of"})
    assert some.words == ("door",) * 4
    assert (some.maps == data.maps[8:12]).all()
    assert len(data.only(set())) == 0
    batch = data.batch([9, 0])
    assert batch.dtype == torch.float32
    assert (batch.numpy() == data.maps[[9, 0]]).all()


def test_rare_names_are_shown_more_often_but_less_than_common_ones() -> None:
    often = chances(["bell"] * 16 + ["door"])
    assert often.shape == (17,)
    assert float(often[16] / often[0]) == pytest.approx(4)
    assert float(often[:16].sum() / often[16]) == pytest.approx(4)


def network_of(data: Drawn) -> WordNetwork:
    torch.manual_seed(3)
    return WordNetwork(small_part(data.maps.shape[1]), len(set(data.words)))


def test_names_are_told_apart_before_any_training(data: Drawn) -> None:
    network = network_of(data)
    names = sorted(set(data.words))
    untold = right(network, names, data)
    begin(network, data, torch.tensor([names.index(word) for word in data.words]))
    assert untold < right(network, names, data) == 1.0
    looks = looks_of(network, data)
    assert looks.shape == (16, DIMENSIONS)
    assert torch.allclose(looks.norm(dim=1), torch.ones(16), atol=1e-4)
    assert torch.allclose(network.names.norm(dim=1), torch.ones(4), atol=1e-4)
    assert network.training, "goes on as it was"


def test_pictures_are_looked_at_in_parts(data: Drawn, monkeypatch: pytest.MonkeyPatch) -> None:
    network = network_of(data)
    whole = looks_of(network, data)
    monkeypatch.setattr(training, "PARTS", 5)
    assert torch.allclose(looks_of(network, data), whole, atol=1e-4)


@pytest.mark.usefixtures("small")
def test_training_lowers_the_loss_and_keeps_what_was_learnt(
    tmp_path: Path, data: Drawn, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(training, "begin", lambda *_: None)
    train(tmp_path, data, data, 6, seed=1)
    said = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in said] == ["before", *(f"step {step}" for step in range(1, 7))]
    losses = [float(line.split("loss ")[1].split(",")[0]) for line in said[1:]]
    assert min(losses[1:]) < 0.8 * losses[0], losses
    kept = stored(tmp_path / "checkpoint.pt")
    assert (kept["step"], kept["names"]) == (6, sorted(NAMES))
    network = network_of(data)
    network.load_state_dict(kept["network"])
    assert f"{right(network, kept['names'], data):.3f}" == said[-1].split("validation ")[1]


@pytest.mark.usefixtures("small")
def test_a_stopped_run_ends_as_one_that_was_not(
    tmp_path: Path, data: Drawn, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    train(tmp_path / "whole", data, data, 3, seed=1)
    save = torch.save

    def first_only(kept: dict[str, Any], path: Path) -> None:
        if kept["step"] > 1:
            path.write_bytes(b"half a file")
            raise KeyboardInterrupt
        save(kept, path)

    monkeypatch.setattr(torch, "save", first_only)
    with pytest.raises(KeyboardInterrupt):
        train(tmp_path / "stopped", data, data, 3, seed=1)
    assert stored(tmp_path / "stopped" / "checkpoint.pt")["step"] == 1
    monkeypatch.setattr(torch, "save", save)
    capsys.readouterr()
    train(tmp_path / "stopped", data, data, 3, seed=1)
    assert [line.split(":")[0] for line in capsys.readouterr().out.splitlines()] == ["step 2", "step 3"]
    whole, stopped = (stored(tmp_path / name / "checkpoint.pt") for name in ("whole", "stopped"))
    assert whole["step"] == stopped["step"] == 3
    for name, value in whole["network"].items():
        assert torch.allclose(value, stopped["network"][name], atol=1e-6), name


@pytest.mark.usefixtures("small")
def test_a_run_that_has_ended_goes_on_for_more_steps_only(
    tmp_path: Path, data: Drawn, capsys: pytest.CaptureFixture[str]
) -> None:
    train(tmp_path, data, data, 1, seed=1)
    before = (tmp_path / "checkpoint.pt").read_bytes()
    capsys.readouterr()
    train(tmp_path, data, data, 1, seed=1)
    assert (tmp_path / "checkpoint.pt").read_bytes() == before
    train(tmp_path, data, data, 2, seed=1)
    assert [line.split(":")[0] for line in capsys.readouterr().out.splitlines()] == ["step 2"]
    assert stored(tmp_path / "checkpoint.pt")["step"] == 2


@pytest.mark.usefixtures("small")
def test_a_checkpoint_of_other_names_is_refused(tmp_path: Path, data: Drawn) -> None:
    train(tmp_path, data, data, 1, seed=1)
    before = (tmp_path / "checkpoint.pt").read_bytes()
    for words in (("bell", "door", "wine glass"), ("bell", "bell off", "door", "lamp")):
        other = Drawn(data.maps, tuple(words[number // 4 % len(words)] for number in range(len(data))))
        with pytest.raises(SystemExit, match=r"checkpoint\.pt is of a run with other drawings: .*--out"):
            train(tmp_path, other, other, 1, seed=1)
    assert (tmp_path / "checkpoint.pt").read_bytes() == before


def test_the_rate_rises_and_falls() -> None:
    rates = [rate(step / 100) for step in range(101)]
    highest = rates.index(max(rates))
    assert [rates[0], rates[highest], rates[-1]] == pytest.approx([0, 1, 0])
    assert highest == round(100 * WARM)
    assert rates == sorted(rates[: highest + 1]) + sorted(rates[highest + 1 :], reverse=True)


def test_nothing_trained_says_how_to(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"train first \(python -m models\.words\.train\)"):
        stored(tmp_path / "checkpoint.pt")


def test_the_command_line_trains_the_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "BATCH", 4)
    monkeypatch.setattr(torch, "set_num_threads", lambda _count: None)
    write_crops(tmp_path, "train", *NAMES * 3)
    write_crops(tmp_path, "validation", "bell", "unheard of", "door")
    # With one step alone the rate would have fallen to nothing.
    monkeypatch.setattr(training, "rate", lambda _done: 1.0)
    training.main(["--data", str(tmp_path), "--out", str(tmp_path / "run"), "--steps", "1"])
    kept, fresh = stored(tmp_path / "run" / "checkpoint.pt"), TrainedPart(Graph()).weights
    assert kept["names"] == sorted(NAMES)
    assert all(not torch.equal(kept["network"][f"part.weights.{name}"], one) for name, one in fresh.items())
