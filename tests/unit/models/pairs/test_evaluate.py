"""Numbers about the network, with one that answers by rule."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import cast

import numpy as np
import pytest

from arwarden.fast.claims import Lexicon, PairRelation, PairVerdict
from arwarden.fast.pairs.model import PairModel
from arwarden.fast.pairs.weights import load_weights
from benchmarks.claims.scenes import SeenScene
from models.pairs.compose import CONTRADICTORY, ENTAILED, NEUTRAL, Pair
from models.pairs.description import describe
from models.pairs.evaluate import (
    OFFSETS,
    Judged,
    Recorder,
    alone,
    best_temperature,
    corpus,
    pair_numbers,
    scenes_raised,
)

PAIRS = [Pair(relation, "x", "a", "b") for relation in (ENTAILED, NEUTRAL, CONTRADICTORY, CONTRADICTORY)]


class Negations:
    """Calls pairs contradictory of which one alone says "not"."""

    def logits(self, pairs: Sequence[tuple[str, str]]) -> np.ndarray:
        odd = np.array([("not" in one) != ("not" in other) for one, other in pairs], float)
        return np.stack([np.zeros_like(odd), 1 - odd, odd], axis=1) * 6

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[PairVerdict]:
        relations = [
            PairRelation.CONTRADICTORY if row[2] > row[1] else PairRelation.NEUTRAL
            for row in self.logits(pairs)
        ]
        return [PairVerdict(relation, 0.99) for relation in relations]


MODEL = cast("PairModel", Negations())


def test_pairs_are_counted_at_the_threshold_of_the_daemon() -> None:
    logits = np.array([[4.0, 0, 0], [0, 4.0, 0], [0, 0, 4.0], [0, 0.4, 0.6]])
    numbers = pair_numbers(Judged(PAIRS, logits), 1.0, 0.0)
    assert numbers == {"pairs": 4, "accuracy": 1.0, "two_way": 1.0, "found": 0.5, "false_alarm_rate": 0.0}
    assert pair_numbers(Judged(PAIRS, logits), 1.0, -6.0)["found"] == 0.0
    wrong = np.array([[0, 0, 9.0]] * 4)
    assert pair_numbers(Judged(PAIRS, wrong), 1.0, 0.0)["false_alarm_rate"] == 1.0


def test_the_temperature_tells_how_sure_to_be() -> None:
    rng = np.random.default_rng(1)
    pairs = [PAIRS[int(at)] for at in rng.integers(3, size=3000)]
    truth = np.array([[0, 0, 0]] * 3000, float)
    for row, pair in zip(truth, pairs, strict=True):
        right = (ENTAILED, NEUTRAL, CONTRADICTORY).index(pair.relation)
        row[right if rng.random() < 0.7 else int(rng.integers(3))] = 2.0
    assert best_temperature(Judged(pairs, truth * 3)) > best_temperature(Judged(pairs, truth)) >= 0.5


def test_scenes_are_raised_by_any_pair_and_less_with_a_lower_offset() -> None:
    raised = scenes_raised(MODEL, [[("a", "b"), ("a", "not a")], [("a", "b")], []], 1.0)
    assert raised[0.0] == 1
    assert raised[OFFSETS[-1]] == 0


def test_the_recorder_finds_nothing_and_keeps_what_it_is_asked() -> None:
    recorder = Recorder()
    (verdict,) = recorder.judge([("a", "b")])
    assert verdict.relation is PairRelation.NEUTRAL
    assert recorder.asked == [("a", "b")]


def test_no_scene_has_no_rates() -> None:
    assert alone(cast("list[SeenScene]", []), MODEL, Lexicon.load(["en"])) == {
        "accuracy": 0.0,
        "false_alarm_rate": 0.0,
        "found": 0.0,
    }


def test_the_corpus_has_two_halves() -> None:
    assert len(corpus("tuned")) > 700
    assert {pair.relation for pair in corpus("held_out")} == {NEUTRAL, CONTRADICTORY}


def test_what_is_described_can_be_loaded(tmp_path: Path) -> None:
    (tmp_path / "pairs.onnx").write_bytes(b"network")
    (tmp_path / "vocabulary.txt").write_text("[PAD]\n", encoding="utf-8")
    describe(tmp_path, temperature=1.25, offset=-2.0)
    weights = load_weights(tmp_path)
    assert (weights.temperature, weights.offset) == (1.25, -2.0)
    sums = (tmp_path / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
    assert [line.split("  ")[1] for line in sums] == ["pairs.onnx", "vocabulary.txt"]
    (tmp_path / "pairs.onnx").write_bytes(b"other")
    with pytest.raises(Exception, match="sha256"):
        load_weights(tmp_path)
