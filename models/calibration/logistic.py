"""Logistic fits that are held near what is known beforehand, and how well chances fit. Pure."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.float64]

_STEPS = 100
_HALVINGS = 40
_SETTLED = 1e-9
_LEAST = 1e-4


def logistic(odds: Numbers) -> Numbers:
    """From the logarithm of the odds to the chance, without overflow."""
    return np.asarray(0.5 + 0.5 * np.tanh(odds / 2))


def held_fit(inputs: Numbers, right: npt.NDArray[np.bool_], prior: Numbers, held: float) -> Numbers:
    """The weights (k,) under which ``right`` (n,) is likeliest, by Newton's method, for ``inputs`` (n, k).

    They are held near ``prior`` (k,) as strongly as by ``held`` examples that say nothing else.
    """

    def likelihood(weights: Numbers) -> float:
        odds = inputs @ weights
        return float(
            (right * odds - np.logaddexp(0.0, odds)).sum() - held * ((weights - prior) ** 2).sum() / 2
        )

    weights = prior.copy()
    for _ in range(_STEPS):
        likely = logistic(inputs @ weights)
        slope = inputs.T @ (right - likely) - held * (weights - prior)
        bend = (inputs * (likely * (1.0 - likely))[:, None]).T @ inputs + held * np.eye(len(prior))
        step = np.linalg.solve(bend, slope)
        # Where all are right or all wrong, a whole step lands far beyond the best place.
        for _ in range(_HALVINGS):
            if likelihood(weights + step) >= likelihood(weights):
                weights = weights + step
                break
            step = step / 2
        if float(np.abs(step).max()) < _SETTLED:
            break
    return weights


def logistic_fit(scores: npt.NDArray[np.floating], right: npt.NDArray[np.bool_]) -> tuple[float, float]:
    """From a score to the chance of being right: slope and offset on the logarithm of the odds (Platt 1999).

    ``scores`` (n,) in 0..1 and whether each was ``right`` (n,); with a slight pull to no change.
    """
    inner = np.clip(scores.astype(np.float64), _LEAST, 1 - _LEAST)
    inputs = np.stack([np.log(inner / (1 - inner)), np.ones(len(inner))], axis=1)
    slope, offset = held_fit(inputs, right, np.array([1.0, 0.0]), 1.0)
    return round(float(slope), 4), round(float(offset), 4)


def calibration_error(likely: npt.NDArray[np.floating], right: npt.NDArray[np.bool_], bins: int) -> float:
    """Mean distance of chance and truth over ``bins`` equal parts of 0..1 (Guo et al., ICML 2017)."""
    places = np.minimum((likely * bins).astype(int), bins - 1)
    return float(
        sum(
            (places == one).mean() * abs(likely[places == one].mean() - right[places == one].mean())
            for one in set(places.tolist())
        )
    )
