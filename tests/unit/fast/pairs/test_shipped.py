"""The network that is shipped, where this checkout carries one."""

from __future__ import annotations

import hashlib

import pytest

from arwarden.fast.claims import PairRelation
from arwarden.fast.pairs.model import PairModel, open_shipped
from arwarden.fast.pairs.weights import IN_CHECKOUT, shipped_folder

pytestmark = pytest.mark.skipif(shipped_folder() is None, reason="this checkout carries no pair network")


@pytest.fixture(scope="module")
def model() -> PairModel:
    return open_shipped()


def test_it_tells_the_plainest_pairs(model: PairModel) -> None:
    pairs = [
        ("The door is locked", "The door is not locked"),
        ("No fire hose here", "Fire hose available here"),
        ("Milk 2.40 €", "Gate B12"),
        ("The window is open", "The museum was founded in 1890"),
    ]
    logits = model.logits(pairs)
    contradictory = logits.argmax(1) == 2
    assert contradictory.tolist() == [True, True, False, False]


def test_the_order_of_the_two_does_not_matter(model: PairModel) -> None:
    pair = ("Tap open, water flows", "Water stopped: tap")
    assert model.judge([pair]) == model.judge([pair[::-1]])


def test_whatever_is_asked_is_answered(model: PairModel) -> None:
    pairs = [
        ("", ""),
        ("", "x"),
        ("\x00\ufffd", "漢字 ١٢٣"),
        ("a " * 5000, "b" * 5000),
        ("[SEP] [CLS]", "[PAD]"),
    ]
    verdicts = model.judge(pairs)
    assert len(verdicts) == len(pairs)
    assert all(verdict.relation in PairRelation and 0 < verdict.probability <= 1 for verdict in verdicts)


def test_the_sums_are_those_of_the_files() -> None:
    for line in (IN_CHECKOUT / "SHA256SUMS").read_text(encoding="utf-8").splitlines():
        digest, name = line.split("  ")
        assert hashlib.sha256((IN_CHECKOUT / name).read_bytes()).hexdigest() == digest
