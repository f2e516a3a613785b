from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arwarden.core.errors import ModelError
from arwarden.fast.claims import PairJudge, PairRelation
from arwarden.fast.ocr.base import ModelFile
from arwarden.fast.pairs import model as module
from arwarden.fast.pairs.model import MOST_AT_ONCE, MOST_REMEMBERED, PairModel, calibrated
from arwarden.fast.pairs.weights import PairWeights

VOCABULARY = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "open", "closed", "door", "not")


class FakeSession:
    """Calls pairs contradictory that hold an odd number of "not", neutral all others."""

    def __init__(self) -> None:
        self.shapes: list[tuple[int, ...]] = []

    def run(self, _names: None, inputs: dict[str, np.ndarray[Any, Any]]) -> list[np.ndarray[Any, Any]]:
        numbers, segments = inputs["numbers"], inputs["segments"]
        assert numbers.dtype == segments.dtype == np.int64
        assert numbers.shape == segments.shape
        self.shapes.append(numbers.shape)
        odd = (numbers == VOCABULARY.index("not")).sum(1) % 2
        return [np.stack([np.zeros_like(odd), 1 - odd, odd], axis=1).astype(np.float32) * 4]


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch) -> FakeSession:
    made = FakeSession()
    monkeypatch.setattr(module, "_open", lambda _weights, _threads: made)
    return made


def weights(
    vocabulary: tuple[str, ...] = VOCABULARY, temperature: float = 1.0, offset: float = 0.0
) -> PairWeights:
    files = tuple(
        ModelFile(name, Path(name), "0" * 64, "Apache-2.0") for name in ("pairs.onnx", "vocabulary.txt")
    )
    return PairWeights(b"", vocabulary, files, temperature, offset)


def test_verdicts_come_in_the_order_of_the_pairs(session: FakeSession) -> None:
    judge: PairJudge = PairModel(weights())
    verdicts = judge.judge([("door open", "door not open"), ("door open", "door"), ("not", "not not door")])
    assert [one.relation for one in verdicts] == [
        PairRelation.CONTRADICTORY,
        PairRelation.NEUTRAL,
        PairRelation.CONTRADICTORY,
    ]
    assert all(0.9 < one.probability < 1 for one in verdicts)
    assert session.shapes[0][0] == 3


def test_a_pair_is_judged_once_whatever_its_order(session: FakeSession) -> None:
    judge = PairModel(weights())
    (first,) = judge.judge([("door open", "not open")])
    assert judge.judge([("not open", "door open"), ("door open", "not open")]) == [first, first]
    assert session.shapes == [(1, 7)]


def test_batches_are_bounded(session: FakeSession) -> None:
    pairs = [("door " * (n % 5), f"{'open ' * (n // 5)}") for n in range(2 * MOST_AT_ONCE + 3)]
    assert len(PairModel(weights()).judge(pairs)) == len(pairs)
    assert all(shape[0] <= MOST_AT_ONCE for shape in session.shapes)


def test_nothing_asked_runs_nothing(session: FakeSession) -> None:
    assert PairModel(weights()).judge([]) == []
    assert session.shapes == []


def test_memory_is_bounded(session: FakeSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_REMEMBERED", 2)
    judge = PairModel(weights())
    judge.judge([("door", "open"), ("door", "closed"), ("door", "not")])
    runs = len(session.shapes)
    judge.judge([("door", "closed"), ("door", "not")])
    assert len(session.shapes) == runs
    judge.judge([("door", "open")])
    assert len(session.shapes) == runs + 1
    assert MOST_REMEMBERED > 2


def test_several_threads_may_ask(session: FakeSession) -> None:
    judge = PairModel(weights())
    found: list[int] = []

    def ask() -> None:
        found.extend(len(judge.judge([(f"door {n % 7}", "not open")])) for n in range(50))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert found == [1] * 200
    assert 1 <= len(session.shapes) <= 200


def test_warm_up_runs_the_network_and_names_what_fails(
    session: FakeSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge = PairModel(weights())
    judge.warm_up()
    assert session.shapes

    def broken(*_: object) -> None:
        raise RuntimeError("no such kernel")

    monkeypatch.setattr(session, "run", broken)
    with pytest.raises(ModelError, match=r"pairs\.onnx does not run on this machine: no such kernel"):
        PairModel(weights()).warm_up()


def test_a_vocabulary_of_something_else_is_refused(session: FakeSession) -> None:
    assert session.shapes == []
    with pytest.raises(ModelError, match=r"vocabulary\.txt is no vocabulary"):
        PairModel(weights(vocabulary=("door",)))


def test_a_file_of_something_else_is_refused() -> None:
    with pytest.raises(ModelError, match=r"cannot load .*pairs\.onnx"):
        PairModel(weights())


def test_calibration_cools_and_counts_in_how_rare_contradictions_are() -> None:
    logits = np.array([[0.0, 0.0, 2.0]])
    plain, cooled = calibrated(logits, 1.0, 0.0)[0], calibrated(logits, 2.0, 0.0)[0]
    rare = calibrated(logits, 1.0, -2.0)[0]
    assert plain.sum() == pytest.approx(1)
    assert plain[2] == pytest.approx(np.exp(2) / (np.exp(2) + 2))
    assert cooled[2] == pytest.approx(np.e / (np.e + 2))
    assert rare == pytest.approx([1 / 3] * 3)
    assert logits.tolist() == [[0.0, 0.0, 2.0]]
