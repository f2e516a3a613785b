"""The report: tables shaped like the paper's, and what the paper could not see."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from matplotlib.figure import Figure

from benchmarks.datasets.origin import Origin
from benchmarks.protocols.scaling import AttributeWeights
from benchmarks.psychophysics.results import Between, ScaleResult
from benchmarks.published.tables import (
    SCALES,
    PublishedVariability,
    RankCorrelation,
    between_models,
    rank_correlations,
    within_models,
)
from benchmarks.runs.output import number, p_value, save_figure, table
from benchmarks.runs.spent import SpentBy, spent_table

PAPER: Final = "(as published, on other pictures)"


@dataclass(frozen=True, slots=True)
class Published:
    """The paper's rows, measured on other pictures."""

    correlations: tuple[RankCorrelation, ...]
    within: tuple[PublishedVariability, ...]
    between: tuple[PublishedVariability, ...]

    @classmethod
    def of(cls, folder: Path) -> Self:
        """Those in a folder of the published tables.

        Raises:
            InputError: a file is missing or not as described.
        """
        return cls(
            tuple(rank_correlations(folder)), tuple(within_models(folder)), tuple(between_models(folder))
        )


def markdown(
    origin: Origin,
    operators: Sequence[str],
    results: Sequence[ScaleResult],
    judges: Sequence[Between],
    weights: Mapping[str, AttributeWeights | str],
    *,
    spent: Sequence[SpentBy],
    published: Published | None = None,
) -> str:
    """The report as Markdown."""
    parts = [
        "# Psychophysics suite\n",
        f"**{origin.label}**\n",
        "Scale values by Thurstone's Case V; of n judgements a unanimous pair counts as 1 - 1/(2n).\n",
        "## Scale values over all scenes\n",
        _scale_values(operators, results),
        "## Agreement with people (Spearman, operators over all scenes)\n",
        _agreement(results, () if published is None else published.correlations),
        "## Variability between runs of a judge (VR, %)\n",
        _variability(results, () if published is None else published.within),
    ]
    if judges or published is not None:
        reference = () if published is None else published.between
        parts += ["## Variability between judges (VR, %)\n", _between(judges, reference)]
    parts += [
        "## Position bias\n",
        "Share of trials in which the picture shown first was chosen; flipped: the order decided.\n",
        _bias(results),
        "## Standardised weights of attributes in overall preference\n",
        _weights(weights),
    ]
    parts += ["## Calls\n", spent_table(spent)]
    missing = [f"- {one.method}, {one.scale}: {what}\n" for one in results for what in one.why]
    if missing:
        parts += ["## Not computed\n", "".join(missing)]
    parts.append("![scale values](scale_values.png)\n")
    return "\n".join(parts)


def figures(
    origin: Origin,
    operators: Sequence[str],
    results: Sequence[ScaleResult],
    people: Mapping[str, Sequence[float]],
    out: Path,
) -> None:
    """``scale_values``: a panel for each scale, a line for each judge and for people."""
    figure = Figure(figsize=(12, 4))
    panels = figure.subplots(1, len(SCALES))
    for axes, scale in zip(panels, SCALES, strict=True):
        for one in results:
            if one.scale == scale and one.mean_z is not None:
                axes.plot(range(len(operators)), one.mean_z, "o-", label=one.method, alpha=0.8)
        if scale in people:
            axes.plot(range(len(operators)), people[scale], "k--", label="people")
        axes.set_xticks(range(len(operators)), operators, rotation=60)
        axes.set_title(scale)
    panels[0].set_ylabel("z")
    if panels[0].lines:
        panels[0].legend(fontsize=7)
    figure.suptitle(origin.label, fontsize=8)
    save_figure(figure, out, "scale_values")


def _scale_values(operators: Sequence[str], results: Sequence[ScaleResult]) -> str:
    rows = [
        [
            f"{one.method}, {one.scale}",
            *(["–"] * len(operators) if one.mean_z is None else [number(z) for z in one.mean_z]),
        ]
        for one in results
    ]
    return table(["judge", *operators], rows)


def _agreement(results: Sequence[ScaleResult], published: Sequence[RankCorrelation]) -> str:
    rows = []
    for one in results:
        found, apart = one.human, one.separability
        if found is None:
            rows.append([f"{one.method}, {one.scale}", "–", "–", "–", "–", "–"])
            continue
        mean = None if apart is None else apart.agreement
        span = (
            "–"
            if mean is None or mean.interval is None
            else f"{mean.interval.low:.2f} to {mean.interval.high:.2f}"
        )
        relation = None if apart is None else apart.relation.value
        cells = [
            number(found.r),
            p_value(found.p),
            number(None if mean is None else mean.value),
            span,
            number(relation),
        ]
        rows.append([f"{one.method}, {one.scale}", *cells])
    rows += [
        [f"{one.model}, {one.scale} {PAPER}", one.rho.text, one.p.text, "–", "–", "–"] for one in published
    ]
    return table(["judge", "rho", "p", "mean by scene", "95 % (bootstrap)", "with separability"], rows)


def _variability(results: Sequence[ScaleResult], published: Sequence[PublishedVariability]) -> str:
    rows = [
        [
            f"{one.method}, {one.scale}",
            number(v.mean_pct),
            number(v.max_pct),
            number(v.sd_pct),
            str(v.left_out),
        ]
        for one in results
        if (v := one.variability) is not None
    ]
    rows += [[*_printed(one), "–"] for one in published]
    return table(["judge", "mean", "max", "SD", "trials left out"], rows)


def _between(judges: Sequence[Between], published: Sequence[PublishedVariability]) -> str:
    rows = [
        [
            f"{one.scale}: {one.first} and {one.second}",
            number(one.variability.mean_pct),
            number(one.variability.max_pct),
            number(one.variability.sd_pct),
        ]
        for one in judges
    ]
    rows += [_printed(one) for one in published]
    return table(["judges", "mean", "max", "SD"], rows)


def _printed(one: PublishedVariability) -> list[str]:
    numbers = (one.mean_pct.text, one.max_pct.text, one.sd_pct.text)
    return [f"{one.scale}: {' and '.join(one.models)} {PAPER}", *numbers]


def _bias(results: Sequence[ScaleResult]) -> str:
    rows = [
        [
            f"{one.method}, {one.scale}",
            number(b.first_share, 3),
            f"{b.interval.low:.3f}–{b.interval.high:.3f}",
            p_value(b.p),
            number(b.flipped_share, 3),
            str(b.answered),
        ]
        for one in results
        if (b := one.bias) is not None
    ]
    return table(["judge", "first chosen", "95 %", "p of 1/2", "flipped", "answered"], rows)


def _weights(found: Mapping[str, AttributeWeights | str]) -> str:
    rows = []
    for name, one in found.items():
        if isinstance(one, str):
            rows.append([name, "–", "–", "–", one])
        else:
            rows.append(
                [name, number(one.colourfulness), number(one.contrast), number(one.r_squared), str(one.n)]
            )
    return table(["judge", "colourfulness", "contrast", "R²", "n"], rows)
