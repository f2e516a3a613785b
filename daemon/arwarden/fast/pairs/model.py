"""The pair network at run time: pairs of statements in, verdicts out. Remembers what it judged."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import onnxruntime

from arwarden.core.errors import ModelError
from arwarden.fast.claims.pairs import PairRelation, PairVerdict
from arwarden.fast.network import open_network
from arwarden.fast.ocr.base import ModelFile
from arwarden.fast.pairs.weights import LABELS, NETWORK_ABSENT, PairWeights, load_weights, shipped_folder
from arwarden.fast.pairs.wordpieces import WordPieces

MOST_AT_ONCE: Final = 8
"""Pairs of one run of the network: bounds its memory."""
MOST_REMEMBERED: Final = 2048
"""Pairs whose verdict is kept; the one not asked about for longest gives way. AR text seldom changes."""
_CONTRADICTORY: Final = LABELS.index(PairRelation.CONTRADICTORY.value)
_WARM_PAIR: Final = (("The door is open", "The door is closed"),)
Floats = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.int64]


def open_shipped(*, threads: int = 1) -> PairModel:
    """The network of this package or checkout, ready for use. Raises ``ModelError`` where there is none."""
    folder = shipped_folder()
    if folder is None:
        raise ModelError(NETWORK_ABSENT)
    model = PairModel(load_weights(folder), threads=threads)
    model.warm_up()
    return model


class PairModel:
    """Judges pairs with the network, on ``threads`` threads. May be called from several threads at once."""

    def __init__(self, weights: PairWeights, *, threads: int = 1) -> None:
        """Raises ``ModelError`` for files that are no network of pairs."""
        self._weights = weights
        self._session = _open(weights, threads)
        try:
            self._pieces = WordPieces(weights.vocabulary)
        except ValueError as error:
            msg = f"{weights.files[1].path} is no vocabulary of word pieces ({error})"
            raise ModelError(msg) from error
        self._known: OrderedDict[tuple[str, str], PairVerdict] = OrderedDict()
        self._lock = threading.Lock()

    def judge(self, pairs: Sequence[tuple[str, str]]) -> Sequence[PairVerdict]:
        """One verdict per pair, in order; the order of the two statements makes no difference."""
        keys = [_in_order(first, second) for first, second in pairs]
        verdicts: dict[tuple[str, str], PairVerdict] = {}
        with self._lock:
            for key in keys:
                if key in self._known:
                    self._known.move_to_end(key)
                    verdicts[key] = self._known[key]
        missing = [key for key in dict.fromkeys(keys) if key not in verdicts]
        shares = calibrated(self.logits(missing), self._weights.temperature, self._weights.offset)
        verdicts.update(zip(missing, map(_verdict, shares), strict=True))
        with self._lock:
            self._known.update((key, verdicts[key]) for key in missing)
            while len(self._known) > MOST_REMEMBERED:
                self._known.popitem(last=False)
        return [verdicts[key] for key in keys]

    def models_in_use(self) -> Sequence[ModelFile]:
        """The files of weights that were loaded."""
        return self._weights.files

    def warm_up(self) -> None:
        """Judge one pair, so that the first of a live view does not wait. Raises ``ModelError``."""
        try:
            self.judge(_WARM_PAIR)
        except Exception as error:  # onnxruntime raises errors of its own
            msg = f"the pair network {self._weights.files[0].path} does not run on this machine: {error}"
            raise ModelError(msg) from error

    def logits(self, pairs: Sequence[tuple[str, str]]) -> Floats:
        """The network's answers (n, 3) before calibration, in the order of ``weights.LABELS``."""
        found = [np.zeros((0, len(LABELS)))]
        for start in range(0, len(pairs), MOST_AT_ONCE):
            rows = [self._pieces.pair(*_in_order(*pair)) for pair in pairs[start : start + MOST_AT_ONCE]]
            numbers, segments = _padded(rows)
            answer: Any = self._session.run(None, {"numbers": numbers, "segments": segments})[0]
            found.append(np.asarray(answer, dtype=np.float64))
        return np.concatenate(found)


def calibrated(logits: Floats, temperature: float, offset: float) -> Floats:
    """Probabilities (n, 3) of logits (n, 3): cooled, and with the rarity of contradictions counted in."""
    cooled = logits / temperature  # a new array: the caller's stays as it is
    cooled[:, _CONTRADICTORY] += offset
    shares = np.exp(cooled - cooled.max(1, keepdims=True))
    return np.asarray(shares / shares.sum(1, keepdims=True), dtype=np.float64)


def _in_order(first: str, second: str) -> tuple[str, str]:
    return (first, second) if first <= second else (second, first)


def _verdict(probabilities: Floats) -> PairVerdict:
    at = int(probabilities.argmax())
    return PairVerdict(PairRelation(LABELS[at]), round(float(probabilities[at]), 4))


def _padded(rows: Sequence[tuple[list[int], list[int]]]) -> tuple[Numbers, Numbers]:
    """Numbers and segments, (n, longest), 0 where a row is shorter."""
    longest = max(len(numbers) for numbers, _ in rows)
    numbers, segments = (np.zeros((len(rows), longest), dtype=np.int64) for _ in range(2))
    for at, (row, parts) in enumerate(rows):
        numbers[at, : len(row)] = row
        segments[at, : len(parts)] = parts
    return numbers, segments


def _open(weights: PairWeights, threads: int) -> onnxruntime.InferenceSession:
    file = weights.files[0]
    session = open_network(weights.network, file, threads)
    names = {one.name for one in session.get_inputs()}
    if names != {"numbers", "segments"} or session.get_outputs()[0].shape[-1] != len(LABELS):
        msg = f"{file.path} is no network that judges pairs: its inputs are {sorted(names)}"
        raise ModelError(msg)
    return session
