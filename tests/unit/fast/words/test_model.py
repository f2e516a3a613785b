from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arwarden.core.errors import ModelError
from arwarden.fast.ocr.base import ModelFile
from arwarden.fast.words import model as module
from arwarden.fast.words.bank import Bank
from arwarden.fast.words.model import MOST_CROPS, WordFinder, WordModel, open_words
from arwarden.fast.words.weights import WordWeights
from tests.unit.fast.words.test_weights import written

SIDE = 32
COLOURS = ("red", "green", "blue")


class FakeSession:
    """Takes crops for how red, green and blue they are."""

    def __init__(self, outputs: int = len(COLOURS)) -> None:
        self.outputs = outputs
        self.shapes: list[tuple[int, ...]] = []

    def get_outputs(self) -> list[Any]:
        return [type("Output", (), {"shape": ["n", self.outputs]})]

    def run(self, _names: None, inputs: dict[str, np.ndarray[Any, Any]]) -> list[np.ndarray[Any, Any]]:
        pictures = inputs["pictures"]
        assert pictures.dtype == np.float32
        self.shapes.append(pictures.shape)
        looks = np.resize(pictures.mean(axis=(2, 3)) + 1, (len(pictures), self.outputs))
        return [looks / np.maximum(np.linalg.norm(looks, axis=1, keepdims=True), 1e-6)]


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch) -> FakeSession:
    made = FakeSession()

    def opened(content: bytes, file: ModelFile, threads: int) -> FakeSession:
        assert (content, file.name, threads) == (b"a network", "words.onnx", 1)
        return made

    monkeypatch.setattr(module, "open_network", opened)
    return made


def weights() -> WordWeights:
    files = tuple(ModelFile(name, Path(name), "0" * 64, "Apache-2.0") for name in ("words.onnx", "words.npz"))
    return WordWeights(b"a network", Bank(COLOURS, np.eye(3, dtype=np.float32), sharpness=20.0), files, SIDE)


def frame() -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    """A third in each colour, from left to right."""
    made = np.zeros((60, 300, 3), np.uint8)
    for place in range(3):
        made[:, place * 100 : place * 100 + 100, place] = 255
    return made


def box(colour: str) -> tuple[float, float, float, float]:
    left = 100.0 * COLOURS.index(colour)
    return (left + 20, 10.0, left + 80, 50.0)


@pytest.mark.usefixtures("session")
def test_looks_come_in_the_order_of_the_boxes_and_have_words() -> None:
    finder: WordFinder = WordModel(weights())
    looks = finder.look(frame(), [box("blue"), box("red"), box("blue"), box("green")])
    assert looks.shape == (4, 3)
    assert looks.dtype == np.float32
    assert [finder.votes(look).word().words for look in looks] == ["blue", "red", "blue", "green"]
    assert all(0.5 < finder.votes(look).word().share < 1 for look in looks)


@pytest.mark.usefixtures("session")
def test_several_looks_together_are_one_picture() -> None:
    finder = WordModel(weights())
    red, blue = finder.look(frame(), [box("red"), box("blue")])
    assert finder.votes(red + red + blue).word().words == "red"
    assert finder.votes(red + blue + blue).word().words == "blue"
    assert finder.votes(red + red).word().share == pytest.approx(finder.votes(red).word().share)


def test_crops_are_looked_at_in_batches(session: FakeSession) -> None:
    model = WordModel(weights())
    boxes = [box(COLOURS[n % 3]) for n in range(2 * MOST_CROPS + 3)]
    looks = model.look(frame(), boxes)
    assert [model.votes(look).word().words for look in looks] == [COLOURS[n % 3] for n in range(len(boxes))]
    assert session.shapes == [(count, 3, SIDE, SIDE) for count in (MOST_CROPS, MOST_CROPS, 3)]


def test_nothing_asked_runs_nothing(session: FakeSession) -> None:
    assert WordModel(weights()).look(frame(), []).shape == (0, 3)
    assert session.shapes == []


@pytest.mark.usefixtures("session")
@pytest.mark.parametrize("where", [(400.0, 10.0, 440.0, 50.0), (10.0, -90.0, 50.0, -50.0)])
def test_a_box_outside_the_frame_is_refused(where: tuple[float, float, float, float]) -> None:
    with pytest.raises(ValueError, match="holds nothing of a frame of 300x60"):
        WordModel(weights()).look(frame(), [box("red"), where])


@pytest.mark.usefixtures("session")
@pytest.mark.parametrize("where", [(-40.0, -40.0, 60.0, 30.0), (0.0, 0.0, 0.6, 0.6), (0.0, 0.0, 90.0, 1.0)])
def test_a_box_that_lies_half_outside_or_is_tiny_is_survived(
    where: tuple[float, float, float, float],
) -> None:
    model = WordModel(weights())
    assert model.votes(model.look(frame(), [where])[0]).word().words == "red"


def test_a_bank_of_another_network_is_refused(session: FakeSession) -> None:
    session.outputs = 5
    with pytest.raises(ModelError, match=r"words\.onnx has 5 outputs for a bank of 3 dimensions"):
        WordModel(weights())


def test_a_file_of_something_else_is_refused() -> None:
    with pytest.raises(ModelError, match=r"cannot load .*words\.onnx"):
        WordModel(weights())


def test_the_network_runs_once_to_warm_up(session: FakeSession) -> None:
    model = WordModel(weights())
    model.warm_up()
    assert session.shapes == [(1, 3, SIDE, SIDE)]
    assert [file.name for file in model.models_in_use()] == ["words.onnx", "words.npz"]


@pytest.mark.usefixtures("session")
def test_several_threads_may_ask() -> None:
    model = WordModel(weights())
    found: list[str] = []

    def ask(colour: str) -> None:
        found.extend(model.votes(model.look(frame(), [box(colour)])[0]).word().words for _ in range(20))

    threads = [threading.Thread(target=ask, args=(colour,)) for colour in COLOURS]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert sorted(found) == sorted(COLOURS * 20)


def in_folder(monkeypatch: pytest.MonkeyPatch, folder: Path | None) -> None:
    monkeypatch.setattr(module, "shipped_folder", lambda: folder)


def test_where_none_is_shipped_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    in_folder(monkeypatch, None)
    assert open_words() is None


def test_the_shipped_one_is_warm_when_opened(
    session: FakeSession, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    in_folder(monkeypatch, written(tmp_path))
    session.outputs = 16
    model = open_words()
    assert model is not None
    assert session.shapes == [(1, 3, 96, 96)]
    (look,) = model.look(frame(), [box("red")])
    assert model.votes(look).word().words in {"bell", "bell off", "wine glass"}


@pytest.mark.parametrize("unwanted", [lambda name: "bell" in name, lambda name: name != "wine glass"])
def test_unwanted_names_are_not_said(
    session: FakeSession, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, unwanted: Callable[[str], bool]
) -> None:
    in_folder(monkeypatch, written(tmp_path))
    session.outputs = 16
    model = open_words(unwanted=unwanted)
    assert model is not None
    assert {model.votes(row).word().words for row in np.eye(16, dtype=np.float32)} == {"wine glass"}


def test_a_damaged_one_is_not_opened(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    in_folder(monkeypatch, written(tmp_path))
    with pytest.raises(ModelError, match=r"cannot load .*words\.onnx"):
        open_words()
    (tmp_path / "words.npz").write_bytes(b"")
    with pytest.raises(ModelError, match=r"words\.npz .* reinstall"):
        open_words()
