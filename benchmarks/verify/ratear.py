"""RateAR: intervals and p from the printed coefficients, and what its tables must agree in."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from arwarden.core.errors import InputError
from benchmarks.protocols.agreement import Coefficient, bonferroni, interval_of, p_of
from benchmarks.published.printed import SLACK, Printed
from benchmarks.published.tables import (
    Cell,
    Coefficients,
    PValue,
    ratear_ablation,
    ratear_coefficients,
    ratear_intervals,
    ratear_p_values,
)
from benchmarks.verify.outcome import Check, Table, compared, impossible

STEPS = 21
"""Values of r tried that round to the printed one: a step moves a bound by 0.001 of a digit or less."""
MEDIA = ("images", "videos")


def tables(folder: Path) -> list[Table]:
    """All checks of RateAR.

    Raises:
        InputError: a table is missing or damaged, or names a method that the coefficients lack.
    """
    by_media = {media: ratear_coefficients(folder, media) for media in MEDIA}
    p_values = ratear_p_values(folder)
    return [
        *(_intervals(folder, media, by_media[media]) for media in MEDIA),
        _p_values(by_media["videos"], p_values),
        _adjusted(by_media["videos"], p_values),
        _ablation(folder, by_media["images"]),
        *(_data(media, by_media[media]) for media in MEDIA),
    ]


def possible_r(printed: Printed) -> list[float]:
    """Correlations that would be printed so."""
    low, high = max(printed.low, -1.0), min(printed.high, 1.0)
    return [float(one) for one in np.linspace(low, high, STEPS)]


def _intervals(folder: Path, media: str, rows: list[Coefficients]) -> Table:
    name = f"ratear_{media}_ci95"
    by_method = _by_method(name, rows)
    checks = []
    for row in ratear_intervals(folder, media):
        source = _found(name, by_method, row.method)
        for cell, (low, high) in row.bounds.items():
            printed = f"[{low.text}, {high.text}]"
            middle = interval_of(source.values[cell].value, source.n)
            given = [interval_of(r, source.n) for r in possible_r(source.values[cell])]
            same = any(one is not None and low.covers(one.low) and high.covers(one.high) for one in given)
            text = "none" if middle is None else f"[{middle.low:.4f}, {middle.high:.4f}]"
            checks.append(compared(row.method, _label(cell), printed, text, same=same))
    return Table(
        name, f"the interval from r and n, for some r that rounds to the printed one ({media})", tuple(checks)
    )


def _p_values(rows: list[Coefficients], p_values: list[PValue]) -> Table:
    name = "ratear_videos_pvalues"
    by_method = _by_method(name, rows)
    reason = "p of Kendall's tau depends on the ties in the ratings, which are not here"
    checks: list[Check] = []
    for row in p_values:
        printed = f"{row.adjusted.text} ({row.raw.text})"
        if row.cell[1] is Coefficient.KRCC:
            checks.append(impossible(row.method, _label(row.cell), printed, reason))
            continue
        source = _found(name, by_method, row.method)
        given = [
            (p, bonferroni([p], row.tests)[0])
            for r in possible_r(source.values[row.cell])
            if (p := p_of(r, source.n)) is not None
        ]
        same = any(
            row.raw.covers(p) and adjusted is not None and row.adjusted.covers(adjusted)
            for p, adjusted in given
        )
        raw = p_of(source.values[row.cell].value, source.n)
        text = "none" if raw is None else f"{min(1.0, raw * row.tests):.4f} ({raw:.4f})"
        checks.append(compared(row.method, _label(row.cell), printed, text, same=same))
    return Table(
        name, "adjusted and raw p from r and n, for some r that rounds to the printed one", tuple(checks)
    )


def _adjusted(rows: list[Coefficients], p_values: list[PValue]) -> Table:
    checks = []
    for row in p_values:
        low, high = min(1.0, row.raw.low * row.tests), min(1.0, row.raw.high * row.tests)
        printed = f"{row.adjusted.text} ({row.raw.text})"
        text = f"{low:.4f} to {high:.4f}"
        checks.append(
            compared(row.method, _label(row.cell), printed, text, same=row.adjusted.overlaps(low, high))
        )
    tests = sorted({row.tests for row in p_values})
    checks.append(compared("all", "tests", str(tests), f"[{len(rows)}]", same=tests == [len(rows)]))
    return Table(
        "ratear_videos_pvalues: adjusted", "min(1, raw p x tests); as many tests as methods", tuple(checks)
    )


def _ablation(folder: Path, images: list[Coefficients]) -> Table:
    name = "ratear_prompt_ablation"
    by_method = _by_method(name, images)
    checks = []
    for row in ratear_ablation(folder):
        if row.group != "contextual":
            reason = "needs the images, the annotators' scores and the closed models"
            checks.append(impossible(f"{row.method}, {row.group}", "coefficients", "the row", reason))
            continue
        for cell, printed in row.values.items():
            other = _found(name, by_method, row.method).values[cell]
            same = abs(other.value - printed.value) < SLACK
            checks.append(
                compared(f"{row.method}, {row.group}", _label(cell), printed.text, other.text, same=same)
            )
    return Table(name, "the contextual rows are those of ratear_images", tuple(checks))


def _data(media: str, rows: list[Coefficients]) -> Table:
    reason = f"needs the {media}, the annotators' scores and the methods' predictions"
    checks = tuple(impossible(row.method, "coefficients", "the row", reason) for row in rows)
    return Table(f"ratear_{media}", "correlations of scores with predictions", checks)


def _by_method(name: str, rows: list[Coefficients]) -> dict[str, Coefficients]:
    by_method = {row.method: row for row in rows}
    if len(by_method) != len(rows):
        raise InputError(name, "a method occurs twice in the table of coefficients")
    return by_method


def _found(name: str, by_method: dict[str, Coefficients], method: str) -> Coefficients:
    if method not in by_method:
        raise InputError(name, f"{method} is not in the table of coefficients")
    return by_method[method]


def _label(cell: Cell) -> str:
    return f"{cell[0]} {cell[1]}"
