"""The report: a table shaped like the paper's, with intervals and adjusted p, reliability and adjustments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from matplotlib.figure import Figure

from benchmarks.datasets.origin import Origin
from benchmarks.protocols.agreement import Coefficient
from benchmarks.published.tables import Coefficients
from benchmarks.ratear.adjust import Compared
from benchmarks.ratear.results import Agreement, People
from benchmarks.runs.output import number, p_value, save_figure, table
from benchmarks.runs.spent import SpentBy, spent_table


def markdown(
    origin: Origin,
    *,
    tested: int,
    people: Mapping[str, People],
    found: Sequence[Agreement],
    adjusted: Sequence[Compared],
    published: Sequence[Coefficients],
    spent: Sequence[SpentBy],
) -> str:
    """The report as Markdown."""
    parts = [
        "# RateAR suite\n",
        f"**{origin.label}**\n",
        f"Correlation of ratings (mean over runs) with mean opinion scores, {tested} test samples.\n",
        _coefficients(people, found, published),
        "## Intervals (95 %, Fisher), and p adjusted by Bonferroni over the rows of a column\n",
        _details(found),
        "## Reliability of annotators, ICC(2,k)\n",
        _reliability(people),
    ]
    parts += ["## Calls\n", spent_table(spent)]
    if adjusted:
        parts += ["## Ratings before and after adjustments (Wilcoxon signed-rank)\n", _adjusted(adjusted)]
    parts.append("![agreement](agreement.png)\n")
    return "\n".join(parts)


def figures(origin: Origin, found: Sequence[Agreement], out: Path) -> None:
    """``agreement``: Spearman's correlation by factor, with intervals."""
    factors = list(dict.fromkeys(one.factor for one in found))
    figure = Figure(figsize=(4 * max(1, len(factors)), 4))
    panels = figure.subplots(1, max(1, len(factors)), squeeze=False)[0]
    for axes, factor in zip(panels, factors, strict=False):
        mine = [
            one for one in found if one.factor == factor and one.correlation.coefficient is Coefficient.SRCC
        ]
        for place, one in enumerate(mine):
            shown = one.correlation
            if shown.interval is not None:
                axes.plot([shown.interval.low, shown.interval.high], [place, place], color="#4477aa")
            if shown.r is not None:
                axes.plot([shown.r], [place], "o", color="#4477aa")
        axes.set_yticks(range(len(mine)), [f"{one.method}, {one.form}" for one in mine], fontsize=7)
        axes.invert_yaxis()
        axes.set_xlim(-1, 1)
        axes.axvline(0, color="#999999", linestyle=":")
        axes.set_title(factor)
        axes.set_xlabel("SRCC (95 %)")
    figure.suptitle(origin.label, fontsize=8)
    figure.tight_layout()
    save_figure(figure, out, "agreement")


def _coefficients(
    people: Mapping[str, People], found: Sequence[Agreement], published: Sequence[Coefficients]
) -> str:
    cells = [(factor, coefficient) for factor in people for coefficient in Coefficient]
    lines = list(dict.fromkeys((one.method, one.form) for one in found))
    at = {(o.method, o.form, o.factor, o.correlation.coefficient): o.correlation.r for o in found}
    rows = [
        [method, form, *(number(at.get((method, form, *cell)), 4) for cell in cells)]
        for method, form in lines
    ]
    rows += [
        [
            f"{one.method} (as published, on other samples)",
            one.group,
            *(one.values[cell].text for cell in cells),
        ]
        for one in published
    ]
    headings = [f"{factor} {coefficient.value.upper()}" for factor, coefficient in cells]
    return table(["method", "form", *headings], rows)


def _details(found: Sequence[Agreement]) -> str:
    rows = []
    for one in found:
        shown = one.correlation
        span = "–" if shown.interval is None else f"{shown.interval.low:.2f} to {shown.interval.high:.2f}"
        name = f"{one.method}, {one.form}, {one.factor} {shown.coefficient.value.upper()}"
        rows.append(
            [
                name,
                number(shown.r, 4),
                span,
                p_value(shown.p),
                p_value(one.p_adjusted),
                str(shown.n),
                str(shown.left_out),
                shown.why or "–",
            ]
        )
    return table(["what", "r", "95 %", "p", "adjusted p", "n", "no answer", "note"], rows)


def _reliability(people: Mapping[str, People]) -> str:
    rows = []
    for factor, said in people.items():
        one = said.reliability
        if one is None:
            rows.append([factor, "–", "–", "–", "–", said.why])
            continue
        span = "–" if one.interval is None else f"{one.interval.low:.2f} to {one.interval.high:.2f}"
        f = f"F({one.df1},{one.df2}) = {number(one.f)}"
        rows.append([factor, number(one.icc, 3), span, f, p_value(one.p), one.why or "–"])
    return table(["factor", "ICC", "95 %", "F", "p", "note"], rows)


def _adjusted(found: Sequence[Compared]) -> str:
    rows = []
    for each in found:
        names, one = [each.method, each.factor, each.rater], each.found
        if one is None:
            rows.append([*names, "0", str(each.left_out), *["–"] * 7, "no trial has both ratings"])
            continue
        shares = " / ".join(f"{100 * share:.1f}" for share in one.shares)
        centres = [f"{number(side.median)} ({number(side.iqr)})" for side in (one.before, one.after)]
        rows.append(
            [
                *names,
                str(one.trials),
                str(each.left_out),
                shares,
                *centres,
                number(one.w, 1),
                number(one.z),
                p_value(one.p),
                number(one.rank_biserial),
                one.why or "–",
            ]
        )
    heading = [
        "method",
        "factor",
        "rated by",
        "trials",
        "left out",
        "improved / unchanged / worse, %",
        "before, median (IQR)",
        "after, median (IQR)",
    ]
    return table([*heading, "W", "z", "p", "rank-biserial r", "note"], rows)
