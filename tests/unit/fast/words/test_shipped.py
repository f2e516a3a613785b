"""The network and the bank that are shipped, where this checkout carries them."""

from __future__ import annotations

import hashlib
import re
from collections import Counter

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from arwarden.fast.words.model import WordModel, open_words
from arwarden.fast.words.weights import IN_CHECKOUT, load_weights, shipped_folder

pytestmark = pytest.mark.skipif(shipped_folder() is None, reason="this checkout carries no word network")

MOST_BYTES = 20_000_000
MOST_DRAWINGS = 16
SIDE = 120
BOX = (10.0, 10.0, SIDE - 10.0, SIDE - 10.0)


@pytest.fixture(scope="module")
def model() -> WordModel:
    opened = open_words()
    assert opened is not None
    return opened


def picture(kind: str) -> npt.NDArray[np.uint8]:
    made = np.full((SIDE, SIDE, 3), 255 if kind == "white" else 0, np.uint8)
    if kind == "noise":
        made = np.random.default_rng(1).integers(0, 256, made.shape, np.uint8)
    if kind == "bell":
        cv2.ellipse(made, (60, 55), (28, 35), 0, 180, 360, (255, 255, 255), -1)
        cv2.rectangle(made, (32, 55), (88, 85), (255, 255, 255), -1)
        cv2.circle(made, (60, 95), 8, (255, 255, 255), -1)
    return made


@pytest.mark.parametrize("kind", ["bell", "noise", "black", "white"])
def test_whatever_is_shown_is_answered(model: WordModel, kind: str) -> None:
    (look,) = model.look(picture(kind), [BOX])
    assert np.linalg.norm(look) == pytest.approx(1, abs=1e-3)
    word = model.votes(look).word()
    assert word.words
    assert 0 <= word.share <= 1


def test_a_picture_looks_the_same_alone_and_among_others(model: WordModel) -> None:
    boxes = [BOX, (0.0, 0.0, 60.0, 60.0), BOX]
    looks = model.look(picture("bell"), boxes)
    assert np.allclose(looks[0], looks[2], atol=1e-4)
    assert np.allclose(looks[1], model.look(picture("bell"), boxes[1:2])[0], atol=1e-4)


def test_the_names_are_plain_words(model: WordModel) -> None:
    names = load_weights(IN_CHECKOUT).bank.names
    often = Counter(names)
    assert len(often) > 100
    assert max(often.values()) <= MOST_DRAWINGS, "what is drawn most would be the nearest of everything"
    assert [name for name in often if not re.fullmatch(r"[a-z]+( [a-z]+)*", name)] == []


def test_the_files_are_small() -> None:
    assert sum((IN_CHECKOUT / name).stat().st_size for name in ("words.onnx", "words.npz")) < MOST_BYTES


def test_the_sums_are_those_of_the_files() -> None:
    lines = (IN_CHECKOUT / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 2
    for line in lines:
        digest, name = line.split("  ")
        assert hashlib.sha256((IN_CHECKOUT / name).read_bytes()).hexdigest() == digest
