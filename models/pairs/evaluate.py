"""What the exported network is worth: on pairs, on the text corpus, and in scenes with and beside the rules.

    python -m models.pairs.evaluate --data build/pairs --calibrate     # temperature and offset, on validation
    python -m models.pairs.evaluate --data build/pairs                 # fills in the model card

Scenes are those of ``benchmarks claims``: elements seen without error. ``kept`` pairs are of topics never
trained on, ``held_out`` scenes of kinds that neither the model nor the rules were made for.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from arwarden.fast.claims import ElementReader, Lexicon, PairRelation, PairVerdict, find_contradictions
from arwarden.fast.claims.pairs import ANYWHERE
from arwarden.fast.claims.speech import spoken
from arwarden.fast.pairs.model import PairModel, calibrated
from arwarden.fast.pairs.weights import LABELS, load_weights
from benchmarks.claims.scenes import SeenScene, seen_scenes
from benchmarks.claims.score import ALERT, Score, Tally, score
from models.cards.marks import fill_card
from models.pairs.card import numbers
from models.pairs.compose import CONTRADICTORY, NEUTRAL, Pair
from models.pairs.data import read_pairs
from models.pairs.description import describe
from models.pairs.generate import CORPUS, read_corpus
from models.scenes.kinds import KindFilter, Split

Floats = npt.NDArray[np.float64]
RAISED = ALERT / ANYWHERE
"""The probability from which the daemon raises, wherever the elements are."""
PAIR_ALARMS = 0.025
"""Of kept pairs that do not contradict each other, called contradictory at :data:`RAISED`: at most."""
SCENE_ALARMS = 0.01
"""Of coherent validation scenes, raised by the network where no rule raises: at most."""
OFFSETS = tuple(-0.25 * step for step in range(33))
_WRONG = LABELS.index(CONTRADICTORY)
_BY_CORPUS = {"contradiction": CONTRADICTORY, "consistent": NEUTRAL}


@dataclass(frozen=True, slots=True)
class Judged:
    """Pairs with the network's logits, (n, 3)."""

    pairs: Sequence[Pair]
    logits: Floats

    @property
    def labels(self) -> npt.NDArray[np.int64]:
        """(n,), places in ``LABELS``."""
        return np.array([LABELS.index(pair.relation) for pair in self.pairs], dtype=np.int64)

    def raised(self, temperature: float, offset: float) -> npt.NDArray[np.bool_]:
        """(n,), True where the daemon would raise."""
        return calibrated(self.logits, temperature, offset)[:, _WRONG] >= RAISED


def judged(model: PairModel, pairs: Sequence[Pair]) -> Judged:
    """Pairs with logits."""
    return Judged(pairs, model.logits([(pair.first, pair.second) for pair in pairs]))


def corpus(part: str) -> list[Pair]:
    """The pairs of one part of the text corpus; consistent ones may be entailed or neutral."""
    return [
        Pair(_BY_CORPUS[row[2]], row[3], row[0], row[1])
        for row in read_corpus(CORPUS)
        if row[4].startswith(part)
    ]


def best_temperature(done: Judged) -> float:
    """The one under which the labels are likeliest (Guo et al. 2017, section 4.2)."""

    def unlikely(temperature: float) -> float:
        shares = calibrated(done.logits, temperature, 0.0)
        return float(-np.log(shares[np.arange(len(shares)), done.labels] + 1e-9).mean())

    return min((round(0.5 + 0.05 * step, 2) for step in range(60)), key=unlikely)


def pair_numbers(done: Judged, temperature: float, offset: float) -> dict[str, float]:
    """Accuracy of the likeliest relation, contradictions found and false alarms at the daemon's threshold."""
    labels, raised = done.labels, done.raised(temperature, offset)
    contradictory = labels == _WRONG
    likeliest = done.logits.argmax(1)
    return {
        "pairs": len(labels),
        "accuracy": round(float((likeliest == labels).mean()), 4),
        "two_way": round(float(((likeliest == _WRONG) == contradictory).mean()), 4),
        "found": round(float(raised[contradictory].mean()), 4),
        "false_alarm_rate": round(float(raised[~contradictory].mean()), 4),
    }


def _scenes(split: Split, kinds: KindFilter, count: int, lexicon: Lexicon) -> list[SeenScene]:
    return list(seen_scenes(split, kinds, count, 1, ElementReader(lexicon)))


class Recorder:
    """A judge that finds nothing and keeps what it is asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []

    def judge(self, pairs: Sequence[tuple[str, str]]) -> Sequence[PairVerdict]:
        """Neutral, all of them."""
        self.asked += pairs
        return [PairVerdict(PairRelation.NEUTRAL, 1.0)] * len(pairs)


def asked(
    scenes: Sequence[SeenScene], lexicon: Lexicon, *, contradictory: bool
) -> list[list[tuple[str, str]]]:
    """The pairs that the daemon asks about in each scene of this label where no rule raises."""
    found = []
    for scene in scenes:
        if scene.situation.contradictory is contradictory:
            recorder = Recorder()
            raised = any(
                one.confidence >= ALERT for one in find_contradictions(scene.elements, lexicon, recorder)
            )
            if not raised:
                found.append(recorder.asked)
    return found


def scenes_raised(
    model: PairModel, pairs: Sequence[Sequence[tuple[str, str]]], temperature: float
) -> dict[float, int]:
    """By offset, in how many of these scenes some pair is raised."""
    logits = [model.logits(one) for one in pairs]
    return {
        offset: sum(bool((calibrated(one, temperature, offset)[:, _WRONG] >= RAISED).any()) for one in logits)
        for offset in OFFSETS
    }


def calibrate(folder: Path, data: Path, scenes: int) -> None:
    """Choose temperature and offset on validation material and write them beside the network."""
    model = PairModel(load_weights(folder))
    temperature = best_temperature(judged(model, read_pairs(data / "validation.tsv")))
    kept = judged(model, read_pairs(data / "kept.tsv"))
    lexicon = Lexicon.load(["en"])
    seen = _scenes(Split.VALIDATION, KindFilter.SEEN, scenes, lexicon)
    quiet = sum(not scene.situation.contradictory for scene in seen)
    alarms = scenes_raised(model, asked(seen, lexicon, contradictory=False), temperature)
    found = scenes_raised(model, asked(seen, lexicon, contradictory=True), temperature)
    for offset in OFFSETS:
        pairs = pair_numbers(kept, temperature, offset)
        print(  # noqa: T201
            f"temperature {temperature}, offset {offset}: kept pairs found {pairs['found']:.3f}, "
            f"alarms {pairs['false_alarm_rate']:.4f}; scenes that rules miss: found {found[offset]}, "
            f"alarms {alarms[offset]} of {quiet}",
            flush=True,
        )
        if pairs["false_alarm_rate"] <= PAIR_ALARMS and alarms[offset] <= SCENE_ALARMS * quiet:
            break
    describe(folder, temperature=temperature, offset=offset)


def scene_numbers(result: Score) -> dict[str, float]:
    """The rates of one series of scenes."""
    values = result.as_json()
    named = ("accuracy", "false_alarm_rate", "pair_accuracy")
    return {name: values[name] for name in named} | {"found": round(result.total.recall, 4)}


def alone(scenes: Sequence[SeenScene], model: PairModel, lexicon: Lexicon) -> dict[str, float]:
    """The rates where every pair of elements is shown to the network and no rule is asked."""
    tally = Tally()
    for scene in scenes:
        said = dict.fromkeys(text for one in scene.elements if (text := spoken(one, lexicon)))
        verdicts = model.judge(list(combinations(said, 2)))
        raised = any(
            one.relation is PairRelation.CONTRADICTORY and one.probability >= RAISED for one in verdicts
        )
        tally.add(contradictory=scene.situation.contradictory, raised=raised)
    return {
        "accuracy": round(tally.accuracy, 4),
        "false_alarm_rate": round(tally.false_alarm_rate, 4),
        "found": round(tally.recall, 4),
    }


def evaluate(folder: Path, data: Path, scenes: int) -> dict[str, Any]:
    """All numbers of the model card."""
    weights = load_weights(folder)
    model = PairModel(weights)
    parts = {
        "validation": read_pairs(data / "validation.tsv"),
        "kept": read_pairs(data / "kept.tsv"),
        "written": read_pairs(data / "written.tsv"),
        "corpus_tuned": corpus("tuned"),
        "corpus_check": corpus("held_out"),
    }
    numbers = {
        name: pair_numbers(judged(model, pairs), weights.temperature, weights.offset)
        for name, pairs in parts.items()
    }
    lexicon = Lexicon.load(["en"])
    told: dict[str, Any] = {}
    for split, kinds in (
        (Split.VALIDATION, KindFilter.SEEN),
        (Split.TEST, KindFilter.SEEN),
        (Split.TEST, KindFilter.HELD_OUT),
    ):
        seen = _scenes(split, kinds, scenes, lexicon)
        told[f"{split.value}_{kinds.value}"] = {
            "scenes": len(seen),
            "rules": scene_numbers(score(seen, lexicon)),
            "network": alone(seen, model, lexicon),
            "both": scene_numbers(score(seen, lexicon, judge=model)),
        }
    return {"pairs": numbers, "scenes": told, "latency_ms": latency_ms(model, parts["validation"])}


def latency_ms(model: PairModel, pairs: Sequence[Pair], size: int = 4, times: int = 60) -> dict[str, float]:
    """Of ``size`` new pairs at once on one thread, in milliseconds."""
    spent = []
    for start in range(0, size * times, size):
        texts = [(pair.first, pair.second) for pair in pairs[start : start + size]]
        begun = time.perf_counter()
        model.logits(texts)
        spent.append((time.perf_counter() - begun) * 1000)
    return {"four_pairs_min": round(min(spent), 2), "four_pairs_median": round(float(np.median(spent)), 2)}


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--weights", type=Path, default=Path("models/pairs/weights"))
    parser.add_argument("--data", type=Path, default=Path("build/pairs"))
    parser.add_argument("--scenes", type=int, default=1248, help="of each series")
    parser.add_argument("--calibrate", action="store_true", help="choose temperature and offset, then stop")
    options = parser.parse_args(arguments)
    if options.calibrate:
        calibrate(options.weights, options.data, options.scenes)
        return
    result = evaluate(options.weights, options.data, options.scenes)
    fill_card(options.weights / "MODEL_CARD.md", numbers(result))
    print(json.dumps(result, indent=1))  # noqa: T201


if __name__ == "__main__":
    main()
