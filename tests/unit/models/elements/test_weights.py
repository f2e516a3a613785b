"""The weights in the repository are those that their description, checksums and card speak of."""

import hashlib
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("onnxruntime")

import models.elements
from arwarden.fast.elements.decode import TYPES
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


def test_a_plain_panel_is_found_and_an_empty_wall_is_not() -> None:
    networks = Networks(read_model(WEIGHTS))
    frame = np.full((720, 1280, 3), 150, np.uint8)
    frame += np.random.default_rng(1).integers(0, 12, frame.shape, dtype=np.uint8)
    assert len(networks.find(frame)) == 0
    frame[260:420, 420:800] = (20, 60, 200)
    for row in range(300, 390, 40):
        frame[row : row + 14, 470:750:2] = 255
    found = networks.find(frame)
    assert TYPES.index("panel") in found.types.tolist()
