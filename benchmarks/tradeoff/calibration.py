"""How far a confidence can be believed, and where to cut it for a wanted rate of false alarms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.protocols.data import Bools, Floats, UnusableData, same_length, vector

BINS = 10


@dataclass(frozen=True, slots=True)
class Bin:
    """Scenes whose confidence lies in one tenth: how many, their mean confidence, the contradictory share."""

    count: int
    confidence: float
    contradictory: float


@dataclass(frozen=True, slots=True)
class Curve:
    """A calibration curve. ``error`` is the expected calibration error, ``brier`` the mean squared one."""

    bins: tuple[Bin, ...]
    error: float
    brier: float
    n: int


@dataclass(frozen=True, slots=True)
class Rates:
    """False alarms among coherent scenes and alerts among contradictory ones, 0 to 1."""

    false_alarms: float
    found: float


@dataclass(frozen=True, slots=True)
class Cut:
    """The least threshold that keeps false alarms at the wanted rate on these scenes; alerts begin at it.

    ``threshold`` is None where even the surest are wrong too often: then nothing is alerted.
    ``elsewhere`` are the rates on scenes that it was not chosen on: each half of the set by the threshold of
    the other. None where a half lacks a label.
    """

    wanted_rate: float
    threshold: float | None
    here: Rates
    elsewhere: Rates | None
    coherent: int
    contradictory: int


@dataclass(frozen=True, slots=True)
class Confidences:
    """What one method says about scenes, and what they are."""

    method: str
    kind: str
    """What stands for a confidence, in words."""
    given: tuple[float, ...]
    contradictory: tuple[bool, ...]


def curve(confidence: Sequence[float], contradictory: Sequence[bool]) -> Curve:
    """The calibration curve over ten bins of equal width; empty ones are left out.

    Raises:
        UnusableData: no scenes, other lengths, or a confidence outside 0 to 1.
    """
    given, truth = _checked(confidence, contradictory)
    places = np.minimum((given * BINS).astype(int), BINS - 1)
    bins = [
        Bin(int(chosen.sum()), float(given[chosen].mean()), float(truth[chosen].mean()))
        for chosen in (places == place for place in range(BINS))
        if chosen.any()
    ]
    error = sum(one.count * abs(one.confidence - one.contradictory) for one in bins) / given.size
    return Curve(tuple(bins), float(error), float(((given - truth) ** 2).mean()), int(given.size))


def cut(confidence: Sequence[float], contradictory: Sequence[bool], wanted_rate: float) -> Cut:
    """The threshold for a rate of false alarms, of the confidences that occur.

    Raises:
        UnusableData: as ``curve``, or one of the labels does not occur.
    """
    given, truth = _checked(confidence, contradictory)
    chosen = _threshold(given, truth, wanted_rate)
    halves = [np.arange(given.size) % 2 == half for half in (0, 1)]
    alerts = np.zeros(given.size, dtype=bool)
    try:
        for one, other in (halves, halves[::-1]):
            alerts[other] = _alerts(given[other], _threshold(given[one], truth[one], wanted_rate))
        elsewhere = _rates(alerts, truth)
    except UnusableData:
        elsewhere = None
    coherent = int((truth == 0).sum())
    here = _rates(_alerts(given, chosen), truth)
    return Cut(wanted_rate, chosen, here, elsewhere, coherent, int(given.size) - coherent)


def votes(method: str, said: Mapping[str, Sequence[bool]], truth: Mapping[str, bool]) -> Confidences | None:
    """How many of a method's runs said yes, by scene; None where no scene was asked about twice."""
    runs = max((len(answers) for answers in said.values()), default=0)
    if runs < 2:
        return None
    given = tuple(sum(answers) / len(answers) for answers in said.values())
    kind = f"share of its {runs} runs that said yes"
    return Confidences(method, kind, given, tuple(truth[name] for name in said))


def _threshold(given: Floats, truth: Floats, wanted_rate: float) -> float | None:
    coherent = given[truth == 0]
    if not coherent.size or coherent.size == given.size:
        raise UnusableData("confidences", "scenes with and without a contradiction are needed")
    steps = (float(step) for step in np.unique(given[given > 0]))
    return next((step for step in steps if float((coherent >= step).mean()) <= wanted_rate), None)


def _alerts(given: Floats, threshold: float | None) -> Bools:
    return np.zeros(given.size, dtype=bool) if threshold is None else given >= threshold


def _rates(alerts: Bools, truth: Floats) -> Rates:
    return Rates(float(alerts[truth == 0].mean()), float(alerts[truth == 1].mean()))


def _checked(confidence: Sequence[float], contradictory: Sequence[bool]) -> tuple[Floats, Floats]:
    given = vector("confidences", confidence)
    same_length("labels", contradictory, "the confidences", given.size)
    if given.min() < 0 or given.max() > 1:
        raise UnusableData("confidences", "they must be between 0 and 1")
    return given, np.asarray(contradictory, dtype=np.float64)
