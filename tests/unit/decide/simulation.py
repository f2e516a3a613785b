"""How often misreads raise an alert and how long true ones take: the real life cycle, seeded misreads.

``python -m tests.unit.decide.simulation`` prints the table of ``docs/decisions/evidence.md``.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import mean

import numpy as np

from arwarden.contract.messages import AlertState
from tests.unit.decide.script import FRANCE, ITALY, NETHERLANDS, SAMPLE_MS, Script, finding

SPAN_MS = 10_000.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """Shares are per 10 s of looking at one pair of panels."""

    false_raise: float
    """Share of consistent pairs that raise an alert."""
    delay_ms: float
    """From the first sample after a contradiction appears to its alert, mean."""
    missed: float
    """Share of contradictory pairs without an alert."""
    false_retraction: float
    """Share of contradictory pairs whose alert was retracted while it was right."""


def simulate(needed: int, misread: float, *, recall: float, runs: int, seed: int) -> Outcome:
    """Samples every 250 ms; each misread happens by itself, always to the same wrong word.

    That is the unkind case for counting samples: wrong words that differ would not agree with each other.
    ``misread`` is the chance per sample that a consistent pair reads as a contradiction, ``recall`` that
    a contradiction is found where it is.
    """
    rng = np.random.default_rng(seed)
    false_raises = sum(
        any(state is AlertState.RAISED for _, state in _look(needed, rng, chance=misread))
        for _ in range(runs)
    )
    delays, retracted = [], 0
    for _ in range(runs):
        seen = _look(needed, rng, chance=recall)
        delays += [at_ms for at_ms, state in seen if state is AlertState.RAISED][:1]
        retracted += any(state is AlertState.RETRACTED for _, state in seen)
    return Outcome(
        false_raise=false_raises / runs,
        delay_ms=mean(delays) - SAMPLE_MS,
        missed=1 - len(delays) / runs,
        false_retraction=retracted / runs,
    )


def _look(needed: int, rng: np.random.Generator, *, chance: float) -> list[tuple[float, AlertState]]:
    """Both panels are read in every sample; whether as a contradiction is up to chance."""
    script = Script(evidence_samples=needed)
    found: list[tuple[float, AlertState]] = []
    while script.since_start_ms() < SPAN_MS:
        drafts = (
            script.sample(finding(confidence=0.85))
            if rng.random() < chance
            else script.sample(elements=(NETHERLANDS, ITALY if chance < 0.5 else FRANCE))
        )
        found += [(script.since_start_ms(), draft.state) for draft in drafts]
    return found


def main() -> None:
    """Print the table."""
    for recall in (0.9, 0.7):
        for misread in (0.01, 0.05, 0.1):
            for needed in (1, 2, 3):
                outcome = simulate(needed, misread, recall=recall, runs=1000, seed=11)
                print(  # noqa: T201 -- a table for people
                    f"recall {recall} misread {misread} samples {needed}: {outcome}"
                )


if __name__ == "__main__":
    main()
