"""The weights in the repository are those that their description, checksums and card speak of."""

import hashlib
from pathlib import Path

import cv2
import numpy as np
import pytest

pytest.importorskip("onnxruntime")

import models.elements
from arwarden.fast.elements.decode import TYPES, USUAL_LEAST, iou
from models.elements.inference import Networks, read_model
from models.scenes.kinds import held_out_classes

WEIGHTS = Path(models.elements.__file__).parent / "weights"


def test_checksums_are_those_of_the_files() -> None:
    lines = (WEIGHTS / "SHA256SUMS").read_text().splitlines()
    sums = {name: digest for digest, name in (line.split() for line in lines)}
    assert set(sums) == {"detector.onnx", "classifier.onnx"}
    assert sums == read_model(WEIGHTS).sha256
    for name, digest in sums.items():
        assert hashlib.sha256((WEIGHTS / name).read_bytes()).hexdigest() == digest


def test_weights_stay_small() -> None:
    assert sum(path.stat().st_size for path in WEIGHTS.glob("*.onnx")) < 25e6


def test_labels_hold_no_pictogram_of_a_held_out_kind() -> None:
    assert not set(read_model(WEIGHTS).labels) & held_out_classes()


def test_labels_that_are_never_said_are_labels() -> None:
    model = read_model(WEIGHTS)
    assert set(model.least) <= set(model.labels)
    assert all(share != USUAL_LEAST for share in model.least.values())
    assert all(share > USUAL_LEAST for name, share in model.least.items() if name.startswith("flag:"))
    said = [name for name in model.labels if model.least.get(name, USUAL_LEAST) <= 1]
    assert len(said) > 200


def test_a_panel_with_text_is_found_and_a_wall_is_not() -> None:
    networks = Networks(read_model(WEIGHTS))
    rows, columns = np.mgrid[0:720, 0:1280]
    waves = (np.sin(columns / 170 + rows / 240), np.sin(columns / 210 - rows / 130), np.cos(rows / 190))
    wall = 105 + 50 * np.stack(waves, axis=-1) + np.random.default_rng(1).normal(0, 4, (720, 1280, 3))
    frame = np.clip(wall, 0, 255).astype(np.uint8)
    assert len(networks.find(frame)) == 0
    frame[260:420, 420:800] = (20, 60, 200)
    for row, text in ((325, "Made in France"), (387, "Gate 12")):
        cv2.putText(frame, text, (445, row), cv2.FONT_HERSHEY_DUPLEX, 1.3, (255, 255, 255), 2, cv2.LINE_AA)
    found = networks.find(frame)
    assert found.types.tolist() == [TYPES.index("panel")]
    assert iou(found.boxes_px, np.array([[420, 260, 800, 420]], np.float32))[0, 0] > 0.7
