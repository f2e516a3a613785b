from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arwarden.core.errors import ModelError
from arwarden.fast.claims import PairRelation
from arwarden.fast.pairs import weights as module
from arwarden.fast.pairs.weights import LABELS, load_weights, shipped_folder

Change = Callable[[dict[str, Any]], object]


def written(folder: Path, change: Change | None = None) -> Path:
    contents = {"pairs.onnx": b"a network", "vocabulary.txt": b"[PAD]\ndoor\n"}
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    values: dict[str, Any] = {
        "format": 1,
        "network": "pairs.onnx",
        "vocabulary": "vocabulary.txt",
        "labels": list(LABELS),
        "temperature": 1.4,
        "offset": -2.5,
        "sha256": {name: hashlib.sha256(content).hexdigest() for name, content in contents.items()},
    }
    if change is not None:
        change(values)
    (folder / "pairs.json").write_text(json.dumps(values), encoding="utf-8")
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


def test_the_labels_are_the_relations() -> None:
    assert tuple(relation.value for relation in PairRelation) == LABELS


def test_what_is_described_is_loaded(tmp_path: Path) -> None:
    weights = load_weights(written(tmp_path))
    assert weights.network == b"a network"
    assert weights.vocabulary == ("[PAD]", "door")
    assert (weights.temperature, weights.offset) == (1.4, -2.5)
    assert [(file.name, file.path.parent) for file in weights.files] == [
        ("pairs.onnx", tmp_path),
        ("vocabulary.txt", tmp_path),
    ]


@pytest.mark.parametrize("name", ["pairs.onnx", "vocabulary.txt"])
def test_a_damaged_file_is_named(tmp_path: Path, name: str) -> None:
    (written(tmp_path) / name).write_bytes(b"something else")
    with pytest.raises(ModelError, match=rf"{name} of the pair network has sha256 .*reinstall"):
        load_weights(tmp_path)


@pytest.mark.parametrize("name", ["pairs.onnx", "vocabulary.txt", "pairs.json"])
def test_a_missing_file_is_named(tmp_path: Path, name: str) -> None:
    (written(tmp_path) / name).unlink()
    with pytest.raises(ModelError, match=rf"{name}.* cannot be read"):
        load_weights(tmp_path)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda values: values.update(format=2), "has not the format 1"),
        (lambda values: values.update(labels=["yes", "no"]), "is for the labels"),
        (lambda values: values.pop("sha256"), "does not describe"),
        (lambda values: values.update(temperature="warm"), "does not describe"),
        (lambda values: values.update(network=3), "does not describe"),
    ],
)
def test_a_wrong_description_is_refused(tmp_path: Path, change: Change, said: str) -> None:
    with pytest.raises(ModelError, match=said):
        load_weights(written(tmp_path, change))


def test_a_description_that_is_no_json_is_refused(tmp_path: Path) -> None:
    (written(tmp_path) / "pairs.json").write_text("{", encoding="utf-8")
    with pytest.raises(ModelError, match="cannot be read"):
        load_weights(tmp_path)


def test_a_vocabulary_that_is_no_text_is_refused(tmp_path: Path) -> None:
    bad = b"\xff\xfe\x00"
    written(
        tmp_path, lambda values: values["sha256"].update({"vocabulary.txt": hashlib.sha256(bad).hexdigest()})
    )
    (tmp_path / "vocabulary.txt").write_bytes(bad)
    with pytest.raises(ModelError, match="does not describe"):
        load_weights(tmp_path)
