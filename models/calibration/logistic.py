"""From a score to the chance of being right, by a line on the logarithm of the odds (Platt 1999). Pure."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

_STEPS = 30
_HALVINGS = 40
_LEAST = 1e-4
_START = np.array([1.0, 0.0])


def logistic_fit(scores: npt.NDArray[np.floating], right: npt.NDArray[np.bool_]) -> tuple[float, float]:
    """Slope and offset, by Newton's method with a slight pull to no change.

    ``scores`` (n,) in 0..1 and whether each was ``right`` (n,).
    """
    inner = np.clip(scores.astype(np.float64), _LEAST, 1 - _LEAST)
    inputs = np.stack([np.log(inner / (1 - inner)), np.ones(len(inner))], axis=1)

    def likelihood(fit: npt.NDArray[np.float64]) -> float:
        odds = inputs @ fit
        return float((right * odds - np.logaddexp(0.0, odds)).sum() - ((fit - _START) ** 2).sum() / 2)

    fit = _START.copy()
    for _ in range(_STEPS):
        chances = 0.5 + 0.5 * np.tanh(inputs @ fit / 2)  # the logistic function, without its overflow
        slope = inputs.T @ (right - chances) - (fit - _START)
        curvature = (inputs * (chances * (1 - chances))[:, None]).T @ inputs + np.eye(2)
        step = np.linalg.solve(curvature, slope)
        # Where all are right or all wrong, a whole step lands far beyond the best place.
        for _ in range(_HALVINGS):
            if likelihood(fit + step) >= likelihood(fit):
                fit = fit + step
                break
            step = step / 2
    return round(float(fit[0]), 4), round(float(fit[1]), 4)
