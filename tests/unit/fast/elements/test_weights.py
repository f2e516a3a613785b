from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arwarden.core.errors import ModelError
from arwarden.fast.elements import weights as module
from arwarden.fast.elements.decode import TYPES
from arwarden.fast.elements.detector import ElementDetector
from arwarden.fast.elements.weights import load_weights, shipped_folder

Change = Callable[[dict[str, Any]], object]


def written(folder: Path, change: Change | None = None) -> Path:
    contents = {"detector.onnx": b"one network", "classifier.onnx": b"another"}
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    values: dict[str, Any] = {
        "format": 1,
        "detector": {
            "file": "detector.onnx",
            "input_px": [512, 288],
            "types": list(TYPES),
            "thresholds": {"panel": 0.5, "arrow": 0.4},
        },
        "classifier": {"file": "classifier.onnx", "side_px": 64, "temperature": 1.3, "labels": ["a", "b"]},
        "sha256": {name: hashlib.sha256(content).hexdigest() for name, content in contents.items()},
    }
    if change is not None:
        change(values)
    (folder / "elements.json").write_text(json.dumps(values), encoding="utf-8")
    return folder


def test_the_package_comes_before_the_checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package, checkout = tmp_path / "package", tmp_path / "checkout"
    monkeypatch.setattr(module, "IN_PACKAGE", package)
    monkeypatch.setattr(module, "IN_CHECKOUT", checkout)
    assert shipped_folder() is None
    for folder in (checkout, package):
        folder.mkdir()
        assert shipped_folder() != folder
        written(folder)
        assert shipped_folder() == folder


def test_the_checkout_is_this_repository() -> None:
    assert (module.IN_CHECKOUT / "MODEL_CARD.md").is_file()


def test_what_is_described_is_loaded(tmp_path: Path) -> None:
    weights = load_weights(written(tmp_path))
    assert (weights.detector, weights.classifier) == (b"one network", b"another")
    assert weights.input_px == (512, 288)
    assert weights.thresholds == (0.5, 0.4, 0.35, 0.35, 0.35)
    assert (weights.side_px, weights.temperature, weights.labels) == (64, 1.3, ("a", "b"))
    assert [file.name for file in weights.files] == ["detector.onnx", "classifier.onnx"]
    assert all(len(file.sha256) == 64 for file in weights.files)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda v: v.update(format=2), "has not the format 1"),
        (lambda v: v.pop("detector"), "does not describe .*KeyError"),
        (lambda v: v["detector"].update(input_px=[1]), "does not describe .*IndexError"),
        (lambda v: v["classifier"].update(side_px="wide"), "does not describe .*ValueError"),
        (lambda v: v["detector"].update(types=["panel"]), "is for elements of the types"),
        (lambda v: v["detector"].update(file="gone.onnx"), "KeyError"),
        (lambda v: v["sha256"].update({"detector.onnx": "0" * 64}), "detector.onnx has sha256"),
    ],
)
def test_a_wrong_description_names_the_file_and_the_fix(
    tmp_path: Path, change: Change, complaint: str
) -> None:
    with pytest.raises(ModelError, match=complaint) as error:
        load_weights(written(tmp_path, change))
    assert str(tmp_path) in str(error.value)
    assert "pip install --force-reinstall" in str(error.value)


def test_a_missing_network_names_the_file_and_the_fix(tmp_path: Path) -> None:
    (written(tmp_path) / "classifier.onnx").unlink()
    with pytest.raises(ModelError, match=r"classifier\.onnx cannot be read .*reinstall"):
        load_weights(tmp_path)


@pytest.mark.parametrize("content", [b"", b"[]", b"\xff\xfe", b"{"])
def test_a_broken_description_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "elements.json").write_bytes(content)
    with pytest.raises(ModelError, match=r"elements\.json"):
        load_weights(tmp_path)


def test_a_file_that_is_no_network_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"cannot load .*detector\.onnx"):
        ElementDetector(load_weights(written(tmp_path)))
