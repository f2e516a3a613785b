"""Psychophysics: the arithmetic of its tables, and what follows from the digitised human scale values."""

from __future__ import annotations

from pathlib import Path

from benchmarks.protocols.agreement import TOO_FEW, p_of
from benchmarks.protocols.choices import RUNS
from benchmarks.protocols.scaling import attribute_weights
from benchmarks.published.printed import Printed
from benchmarks.published.tables import (
    SCALES,
    HumanScores,
    PublishedVariability,
    between_models,
    human_scores,
    rank_correlations,
    within_models,
)
from benchmarks.verify.counting import TRIALS, is_attainable, is_zero, run_distances
from benchmarks.verify.outcome import Table, compared, impossible

DIGITISED = 0.03
"""How far a human scale value may be off, as read from a figure."""
HUMAN_WEIGHTS = {"contrast": Printed.parse("0.16"), "colourfulness": Printed.parse("0.59")}
"""Figure 3."""


def tables(folder: Path) -> list[Table]:
    """All checks of psychophysics.

    Raises:
        InputError: a table is missing or damaged.
    """
    within, between = within_models(folder), between_models(folder)
    human = human_scores(folder)
    return [
        _within(within),
        _between(between),
        _together(within, between),
        _rank_correlations(folder),
        _weights(human),
        _means(human),
        _data(),
    ]


def _within(rows: list[PublishedVariability]) -> Table:
    checks = []
    for row in rows:
        distances = run_distances(row)
        text = " or ".join("{}, {}, {}".format(*counts) for counts in distances) or "no three counts"
        checks.append(
            compared(row.models[0], row.scale, _print(row), f"{text} of {TRIALS}", same=bool(distances))
        )
    how = f"three counts of {TRIALS} trials, one for each pair of runs, have this mean, maximum and sample SD"
    return Table("psychophysics_intra_model_vr", how, tuple(checks))


def _between(rows: list[PublishedVariability]) -> Table:
    pairs_of_runs = RUNS**2
    checks = []
    for row in rows:
        most, total = row.max_pct.multiples(TRIALS), row.mean_pct.multiples(TRIALS * pairs_of_runs)
        text = f"max {_fraction(most, TRIALS)}, mean {_fraction(total, TRIALS * pairs_of_runs)}"
        checks.append(
            compared(
                " and ".join(row.models), row.scale, _print(row), text, same=is_attainable(row, pairs_of_runs)
            )
        )
    how = f"nine counts of {TRIALS} trials, one for each pair of runs, have this mean, maximum and sample SD"
    return Table("psychophysics_cross_model_vr", how, tuple(checks))


def _together(within: list[PublishedVariability], between: list[PublishedVariability]) -> Table:
    distances = {(row.scale, row.models[0]): run_distances(row) for row in within}
    checks = []
    for row in between:
        keys = [(row.scale, model) for model in row.models]
        if not is_zero(row) or not all(key in distances for key in keys):
            continue
        even = all(any(all(count % 2 == 0 for count in counts) for counts in distances[key]) for key in keys)
        text = "; ".join(f"{key[1]} {' or '.join(map(str, distances[key]))}" for key in keys)
        checks.append(compared(" and ".join(sorted(row.models)), row.scale, _print(row), text, same=even))
    how = "SD 0.00 between models needs even counts within each, as distances of three runs add up to even"
    return Table("psychophysics: tables 1 and 2 together", how, tuple(checks))


def _rank_correlations(folder: Path) -> Table:
    checks = []
    for row in rank_correlations(folder):
        printed = f"rho {row.rho.text}, p {row.p.text}"
        if row.n < TOO_FEW:
            checks.append(impossible(row.model, row.scale, printed, f"fewer than {TOO_FEW} items have no p"))
            continue
        possible = _untied(row.rho, row.n)
        if possible:
            exact = {rho: p for rho in possible if (p := p_of(rho, row.n)) is not None}
            same = any(row.p.covers(p) for p in exact.values())
            text = ", ".join(f"p {p:.4f} for rho {rho:.4f}" for rho, p in exact.items())
        else:
            ends = (_clipped(row.rho.low), _clipped(row.rho.high))
            low, high = sorted(p for rho in ends if (p := p_of(rho, row.n)) is not None)
            same = row.p.overlaps(low, high)
            text = f"p {low:.4f} to {high:.4f}; this rho needs a tie"
        checks.append(compared(row.model, row.scale, printed, text, same=same))
    how = "p from rho and n, for the rank correlations that round to the printed one"
    return Table("psychophysics_correlation", how, tuple(checks))


def _clipped(rho: float) -> float:
    return max(-1.0, min(1.0, rho))


def _untied(rho: Printed, n: int) -> list[float]:
    """Rank correlations without ties that round to the printed one: ``1 - 6 d / (n³ - n)``, ``d`` even."""
    whole = n**3 - n
    return [value for d in range(0, whole // 3 + 1, 2) if rho.covers(value := 1 - 6 * d / whole)]


def _weights(human: dict[str, HumanScores]) -> Table:
    found = attribute_weights(*(human[scale].z.ravel() for scale in ("overall", "contrast", "colourfulness")))
    values = {"contrast": found.contrast, "colourfulness": found.colourfulness}
    checks = [
        compared("humans", name, printed.text, f"{values[name]:.4f}", same=printed.covers(values[name]))
        for name, printed in HUMAN_WEIGHTS.items()
    ]
    more = found.colourfulness > found.contrast
    checks.append(
        compared("humans", "colourfulness above contrast", "yes", "yes" if more else "no", same=more)
    )
    how = f"standardised weights in overall preference, {found.n} pictures (figure 3)"
    return Table("psychophysics_human_zscores", how, tuple(checks), f"R² = {found.r_squared:.2f}")


def _means(human: dict[str, HumanScores]) -> Table:
    checks = []
    for scale in SCALES:
        scores = human[scale]
        for name, printed, mean in zip(scores.operators, scores.mean, scores.z.mean(axis=0), strict=True):
            same = abs(printed - mean) <= 2 * DIGITISED
            checks.append(compared(name, scale, f"{printed:.2f}", f"{mean:.3f}", same=bool(same)))
    how = f"the mean over scenes, within {2 * DIGITISED:.2f}: both are read off figures, within {DIGITISED}"
    return Table("psychophysics_human_zscores: means", how, tuple(checks))


def _data() -> Table:
    reason = "needs the renderings, the observers' choices and the closed models"
    names = (
        "variability rates",
        "rank correlations",
        "weights of the models",
        "human z-scores",
        "separability",
    )
    checks = tuple(impossible(name, "values", "tables 1 and 2, figures 2 to 5", reason) for name in names)
    return Table("psychophysics: measurements", "answers of models and observers", checks)


def _print(row: PublishedVariability) -> str:
    return f"{row.mean_pct.text} ({row.max_pct.text}, {row.sd_pct.text})"


def _fraction(counts: list[int], whole: int) -> str:
    return f"{counts[0]}/{whole}" if counts else f"no multiple of 1/{whole}"
