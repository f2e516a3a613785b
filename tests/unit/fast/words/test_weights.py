from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arwarden.core.errors import ModelError
from arwarden.fast.words import weights as module
from arwarden.fast.words.weights import bank_bytes, load_weights, read_bank, shipped_folder

NAMES = ("bell", "bell off", "wine glass")
Change = Callable[[dict[str, Any]], object]


def vectors(count: int = len(NAMES)) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    made = np.random.default_rng(1).normal(size=(count, 16)).astype(np.float32)
    return np.asarray(made / np.linalg.norm(made, axis=1, keepdims=True), np.float32)


def arrays(**given: object) -> bytes:
    """Any file of arrays."""
    file = io.BytesIO()
    np.savez(file, allow_pickle=True, **{name: np.asarray(value) for name, value in given.items()})
    return file.getvalue()


def spelt(*names: str) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    return np.frombuffer("\n".join(names).encode(), np.uint8)


def written(folder: Path, change: Change | None = None, bank: bytes | None = None) -> Path:
    contents = {
        "words.onnx": b"a network",
        "words.npz": bank_bytes(NAMES, vectors()) if bank is None else bank,
    }
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    values: dict[str, Any] = {
        "format": 1,
        "network": "words.onnx",
        "bank": "words.npz",
        "side_px": 96,
        "sharpness": 16.5,
        "fit": [1.5, -0.25],
        "sha256": {name: hashlib.sha256(content).hexdigest() for name, content in contents.items()},
    }
    if change is not None:
        change(values)
    (folder / "words.json").write_text(json.dumps(values), encoding="utf-8")
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
    assert (module.IN_CHECKOUT.parent / "export.py").is_file()


def test_what_is_described_is_loaded(tmp_path: Path) -> None:
    weights = load_weights(written(tmp_path))
    assert (weights.network, weights.side_px) == (b"a network", 96)
    assert (weights.bank.names, weights.bank.dimensions) == (NAMES, 16)
    for name, vector in zip(NAMES, vectors(), strict=True):
        assert weights.bank.word(vector).words == name
    assert [(file.name, file.path, file.licence) for file in weights.files] == [
        (name, tmp_path / name, "Apache-2.0") for name in ("words.onnx", "words.npz")
    ]
    assert [file.sha256 for file in weights.files] == [
        hashlib.sha256(file.path.read_bytes()).hexdigest() for file in weights.files
    ]


def test_sharpness_and_fit_are_those_of_the_description(tmp_path: Path) -> None:
    bank = load_weights(written(tmp_path)).bank
    plain = read_bank(bank_bytes(NAMES, vectors()), sharpness=16.5, fit=(1.0, 0.0))
    picture = vectors().sum(axis=0)
    agreement = plain.votes(picture).agreed()[1]
    assert bank.votes(picture).agreed()[1] == pytest.approx(agreement)
    odds = np.log(agreement / (1 - agreement))
    assert bank.word(picture).share == pytest.approx(1 / (1 + np.exp(-(1.5 * odds - 0.25))), abs=1e-5)


def test_a_bank_survives_being_kept_as_bytes() -> None:
    many = vectors(200)
    names = tuple(f"name {number}" for number in range(200))
    kept = read_bank(bank_bytes(names, many), sharpness=1.0, fit=(1.0, 0.0))
    assert kept.names == names
    assert np.linalg.norm(kept._vectors, axis=1) == pytest.approx(1.0, abs=1e-5)
    assert (kept._vectors * many).sum(axis=1).min() > 0.999


def test_a_vector_of_zeros_stays_one() -> None:
    some = vectors()
    some[1] = 0
    kept = read_bank(bank_bytes(NAMES, some), sharpness=1.0, fit=(1.0, 0.0))
    assert np.isfinite(kept._vectors).all()
    assert not kept._vectors[1].any()


def test_the_same_bank_gives_the_same_bytes() -> None:
    content = bank_bytes(NAMES, vectors())
    assert content == bank_bytes(NAMES, vectors())
    with zipfile.ZipFile(io.BytesIO(content)) as kept:
        assert {one.date_time[0] for one in kept.infolist()} == {1980}, "no time of making"


@pytest.mark.parametrize("name", ["words.onnx", "words.npz"])
def test_a_damaged_file_is_named(tmp_path: Path, name: str) -> None:
    (written(tmp_path) / name).write_bytes(b"something else")
    with pytest.raises(ModelError, match=rf"{name} of the word network has sha256 .*reinstall"):
        load_weights(tmp_path)


@pytest.mark.parametrize("name", ["words.onnx", "words.npz", "words.json"])
def test_a_missing_file_is_named(tmp_path: Path, name: str) -> None:
    (written(tmp_path) / name).unlink()
    with pytest.raises(ModelError, match=rf"{name}.* cannot be read .*reinstall"):
        load_weights(tmp_path)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda values: values.update(format=2), "has not the format 1"),
        (lambda values: values.pop("sha256"), "does not describe"),
        (lambda values: values["sha256"].pop("words.npz"), "does not describe"),
        (lambda values: values.update(sha256=[]), "does not describe"),
        (lambda values: values.update(network=3), "does not describe"),
        (lambda values: values.pop("bank"), "does not describe"),
        (lambda values: values.update(fit=[1.0]), "does not describe"),
        (lambda values: values.update(fit=1.0), "does not describe"),
        (lambda values: values.update(sharpness="sharp"), "does not describe"),
        (lambda values: values.pop("side_px"), "does not describe"),
    ],
)
def test_a_wrong_description_is_refused(tmp_path: Path, change: Change, said: str) -> None:
    with pytest.raises(ModelError, match=rf"words\.json .*{said}|words\.json {said}.*reinstall"):
        load_weights(written(tmp_path, change))


@pytest.mark.parametrize("content", ["{", "[]", "\udcff"])
def test_a_description_that_is_none_is_refused(tmp_path: Path, content: str) -> None:
    written(tmp_path).joinpath("words.json").write_bytes(content.encode("utf-8", "surrogateescape"))
    with pytest.raises(ModelError, match=r"words\.json .*reinstall"):
        load_weights(tmp_path)


@pytest.mark.parametrize(
    "bank",
    [
        b"",
        b"PK no such file",
        bank_bytes(NAMES, vectors())[:-40],
        arrays(names=spelt(*NAMES)),
        arrays(vectors=vectors()),
        arrays(names=spelt("bell"), vectors=vectors()),
        arrays(names=spelt(), vectors=np.zeros((0, 16))),
        arrays(names=spelt(*NAMES), vectors=np.zeros(3)),
        arrays(names=spelt(*NAMES), vectors=np.zeros((3, 4, 4))),
        arrays(names=np.frombuffer(b"\xff\xfe\n\xff\n\xff", np.uint8), vectors=vectors()),
        arrays(names=spelt(*NAMES), vectors=np.array([["a"], ["b"], ["c"]])),
        arrays(names=spelt(*NAMES), vectors=np.array([{}, {}, {}], dtype=object)),
    ],
    ids=[
        "empty", "no archive", "cut off", "no vectors", "no names", "fewer names", "nothing in it", "flat",
        "deep", "no text", "words", "objects",
    ],
)  # fmt: skip
def test_a_bank_of_something_else_is_refused(tmp_path: Path, bank: bytes) -> None:
    with pytest.raises(ModelError, match=r"words\.json does not describe the word network .*reinstall"):
        load_weights(written(tmp_path, bank=bank))
