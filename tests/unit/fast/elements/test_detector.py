from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arwarden.core.errors import ModelError
from arwarden.fast.elements import detector as module
from arwarden.fast.elements.decode import TYPES
from arwarden.fast.elements.detector import ElementDetector, ElementFinder
from arwarden.fast.elements.naming import MOST_CROPS
from arwarden.fast.elements.weights import ElementWeights
from arwarden.fast.ocr.base import ModelFile

LABELS = ("a", "b", "c")


class FakeSession:
    """Answers as one of the networks does: one arrow in the middle; every crop is a "b" that points up."""

    def __init__(self, name: str, outputs: int = len(LABELS)) -> None:
        self.name, self.outputs = name, outputs
        self.shapes: list[tuple[int, ...]] = []

    def get_outputs(self) -> list[Any]:
        return [type("Output", (), {"shape": ["n", self.outputs]})]

    def run(self, _names: None, inputs: dict[str, np.ndarray[Any, Any]]) -> list[np.ndarray[Any, Any]]:
        pictures = inputs["pictures"]
        self.shapes.append(pictures.shape)
        assert pictures.dtype == np.float32
        if self.name == "classifier.onnx":
            count = len(pictures)
            logits = np.tile(np.array([0.0, 4.0, 0.0], np.float32), (count, 1))
            return [logits, np.tile(np.array([0.0, 1.0], np.float32), (count, 1))]
        rows, columns = pictures.shape[2] // 8, pictures.shape[3] // 8
        peaks = np.zeros((1, len(TYPES), rows, columns), np.float32)
        peaks[0, TYPES.index("arrow"), rows // 2, columns // 2] = 0.8
        return [peaks, np.full((1, len(TYPES), 4, rows, columns), 20.0, np.float32)]


@pytest.fixture
def sessions(monkeypatch: pytest.MonkeyPatch) -> dict[str, FakeSession]:
    made: dict[str, FakeSession] = {}

    def opened(_content: bytes, file: ModelFile, threads: int) -> FakeSession:
        assert threads == 1
        made[file.name] = FakeSession(file.name)
        return made[file.name]

    monkeypatch.setattr(module, "open_network", opened)
    return made


def weights(labels: tuple[str, ...] = LABELS) -> ElementWeights:
    files = tuple(ModelFile(n, Path(n), "0" * 64, "Apache-2.0") for n in ("detector.onnx", "classifier.onnx"))
    return ElementWeights(b"", b"", files, (512, 288), (0.4,) * len(TYPES), 64, 2.0, labels)


@pytest.mark.usefixtures("sessions")
def test_elements_are_in_pixels_of_the_frame() -> None:
    finder: ElementFinder = ElementDetector(weights())
    (found,) = finder.find(np.zeros((720, 1280, 3), np.uint8))
    assert found.type == "arrow"
    assert found.score == pytest.approx(0.8)
    x0, y0, x1, y1 = found.box_px
    assert ((x0 + x1) / 2, (y0 + y1) / 2) == pytest.approx((650, 370), abs=1)
    assert (x1 - x0, y1 - y0) == pytest.approx((100, 100))


def test_a_small_frame_is_looked_at_as_it_is_and_enlarged(sessions: dict[str, FakeSession]) -> None:
    finder = ElementDetector(weights())
    assert {one.type for one in finder.find(np.zeros((180, 250, 3), np.uint8))} == {"arrow"}
    assert [shape[2:] for shape in sessions["detector.onnx"].shapes] == [(192, 256), (288, 512)]
    sessions["detector.onnx"].shapes.clear()
    finder.find(np.zeros((720, 1280, 3), np.uint8))
    assert [shape[2:] for shape in sessions["detector.onnx"].shapes] == [(288, 512)]


def test_crops_are_classified_in_batches(sessions: dict[str, FakeSession]) -> None:
    finder = ElementDetector(weights())
    boxes = [(10.0, 10.0, 60.0, 40.0)] * (MOST_CROPS + 3)
    seen = finder.classify(np.zeros((720, 1280, 3), np.uint8), boxes)
    assert len(seen) == len(boxes)
    # At 0.79 the label is in doubt: all are looked at twice.
    assert sessions["classifier.onnx"].shapes == [(MOST_CROPS, 3, 64, 64), (3, 3, 64, 64)] * 2
    assert seen[0].shares.sum() == pytest.approx(1.0)
    # Logits of 4 and 0 at a temperature of 2.
    assert seen[0].shares[1] == pytest.approx(np.e**2 / (np.e**2 + 2))
    assert seen[0].direction == pytest.approx([0.0, 1.0])


def test_no_crops_are_not_asked_for(sessions: dict[str, FakeSession]) -> None:
    assert ElementDetector(weights()).classify(np.zeros((72, 128, 3), np.uint8), []) == []
    assert sessions["classifier.onnx"].shapes == []


def test_both_networks_run_once_to_warm_up(sessions: dict[str, FakeSession]) -> None:
    finder = ElementDetector(weights())
    finder.warm_up()
    assert [len(session.shapes) for session in sessions.values()] == [1, 2]
    assert [file.name for file in finder.models_in_use()] == ["detector.onnx", "classifier.onnx"]
    assert finder.labels == LABELS


@pytest.mark.usefixtures("sessions")
def test_labels_of_another_model_are_refused() -> None:
    with pytest.raises(ModelError, match="3 outputs for 2 labels"):
        ElementDetector(weights(("a", "b")))


@pytest.mark.usefixtures("sessions")
@pytest.mark.parametrize("shape", [(1, 1, 3), (1, 2000, 3), (3000, 7, 3)])
def test_odd_sizes_are_survived(shape: tuple[int, int, int]) -> None:
    finder = ElementDetector(weights())
    picture = np.zeros(shape, np.uint8)
    finder.classify(picture, [found.box_px for found in finder.find(picture)])
