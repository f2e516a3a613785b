"""One page: which configuration for which budget."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from benchmarks.datasets.origin import Origin
from benchmarks.runs.output import number, save_figure, seconds_axis, table
from benchmarks.tradeoff.calibration import Confidences, Curve, Cut
from benchmarks.tradeoff.configurations import Point, pareto

AXES: Final[Mapping[str, tuple[str, Callable[[Point], float | None]]]] = {
    "first alert": ("p95 time to the first alert, s", lambda one: _seconds(one.first_alert_p95_ms)),
    "final verdict": ("p95 time to the final verdict, s", lambda one: _seconds(one.final_p95_ms)),
    "cost": ("cost per hour", lambda one: one.cost_per_hour),
}
"""What a metric is drawn against."""
METRICS: Final = {"accuracy": "accuracy, %", "f1": "F1", "srcc": "SRCC"}
TITLES: Final = {"accuracy": "Accuracy", "f1": "F1", "srcc": "SRCC"}
FAMILIES: Final = {
    "fast": ("{first} alone", "#228833", "s"),
    "judge": ("judge alone", "#4477aa", "o"),
    "both": ("{first} and judge", "#ee7733", "D"),
}
"""Family → name, colour and mark."""
GREY: Final = "#777777"
NAMES_A_COLUMN: Final = 12
CLOSE: Final = 0.025
"""Share of the picture within which points share a label."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A published system: its worth in the metric that is drawn, as printed too, and its mean latency."""

    name: str
    value: float
    printed: str
    latency_s: float | None


@dataclass(frozen=True, slots=True)
class Wording:
    """What an alert says here, and how to read the names of configurations."""

    question: str
    names: str
    first: str = "fast tier"
    """What says something before the judge."""


@dataclass(frozen=True, slots=True)
class Page:
    """All that is on the page but confidences."""

    origin: Origin
    points: tuple[Point, ...]
    metric: str
    scenes_per_hour: float
    published: tuple[Reference, ...]
    wording: Wording


def fronts(page: Page) -> dict[str, list[int]]:
    """The Pareto front against each axis, as places in the page's points."""
    return {
        name: pareto([(of(one), one.value(page.metric)) for one in page.points])
        for name, (_, of) in AXES.items()
    }


def markdown(page: Page, curves: Sequence[tuple[Confidences, Curve]], cuts: Mapping[str, Cut]) -> str:
    """The page as Markdown."""
    on = fronts(page)
    metrics = list(page.points[0].worth) if page.points else []
    rows = [
        [
            f"{at + 1}: {one.name}",
            *(cell for metric in metrics for cell in _worth(one, metric)),
            number(_seconds(one.first_alert_p95_ms), 3),
            number(_seconds(one.final_p95_ms), 3),
            "not known" if one.cost_per_hour is None else number(one.cost_per_hour, 3),
            number(100 * one.asked_share, 0),
            ", ".join(name for name, front in on.items() if at in front) or "–",
        ]
        for at, one in enumerate(page.points)
    ]
    for place, system in enumerate(page.published, start=1):
        mean = "–" if system.latency_s is None else f"{number(system.latency_s)} (mean)"
        worth = [
            cell
            for metric in metrics
            for cell in ([system.printed, "–"] if metric == page.metric else ["–", "–"])[: _columns(metric)]
        ]
        rows.append([f"P{place}: {system.name} (published)", *worth, mean, mean, "–", "–", "–"])
    heading = ["configuration"]
    for metric in metrics:
        heading += [METRICS[metric], "95 %"][: _columns(metric)]
    heading += ["first alert p95, s", "final p95, s", "cost per hour", "asked, %", "front"]
    parts = [
        f"# {TITLES[page.metric]} against time and cost\n",
        f"**{page.origin.label}**\n",
        f"{page.wording.question} Times run from the frame that is judged; a judge's holds every attempt. "
        f"Cost is for {page.scenes_per_hour:g} scenes an hour, in the currency of the price table.\n",
        f"{page.wording.names} The last column names the Pareto fronts that a configuration is on.\n",
        "![trade-off](tradeoff.png)\n",
        table(heading, rows),
    ]
    if page.published:
        parts.append(
            "Published systems (P1 and so on) were measured on other data, with mean latencies where there "
            "are any; they are on no front.\n"
        )
    if curves:
        parts += ["## Confidence\n", _confidence(curves, cuts), _FITTED, "![calibration](calibration.png)\n"]
    return "\n".join(parts)


_FITTED: Final = (
    "*Elsewhere*: each half of the set under the threshold of the other half. The threshold itself is fitted "
    "on this whole set: choose it on one set, report on another.\n"
)


def figures(page: Page, curves: Sequence[tuple[Confidences, Curve]], out: Path) -> None:
    """``tradeoff`` and, with confidences, ``calibration``."""
    named = [f"{at + 1}  {one.name}" for at, one in enumerate(page.points)]
    named += [f"P{at + 1}  {one.name}" for at, one in enumerate(page.published)]
    columns = -(-len(named) // NAMES_A_COLUMN)
    below = min(len(named), NAMES_A_COLUMN) * 0.16 + 0.5
    figure = Figure(figsize=(13, 4.6 + below))
    panels = figure.subplots(1, len(AXES), sharey=True)
    figure.subplots_adjust(bottom=(below + 0.55) / (4.6 + below), top=0.9, wspace=0.06, left=0.06, right=0.99)
    on = fronts(page)
    for axes, (name, (label, of)) in zip(panels, AXES.items(), strict=True):
        _panel(axes, page, [of(one) for one in page.points], on[name], timed=name != "cost")
        axes.set_xlabel(label)
    panels[0].set_ylabel(TITLES[page.metric])
    marks = _marks(page)
    figure.legend(
        handles=marks,
        fontsize=7,
        loc="upper center",
        bbox_to_anchor=(0.525, 0.945),
        ncols=len(marks),
        frameon=False,
    )
    figure.suptitle(page.origin.label, fontsize=9, y=0.97)
    for column in range(columns):
        part = named[column * NAMES_A_COLUMN : (column + 1) * NAMES_A_COLUMN]
        place = 0.06 + 0.93 * column / max(columns, 3)
        figure.text(place, below / (4.6 + below), "\n".join(part), fontsize=7, va="top", linespacing=1.5)
    save_figure(figure, out, "tradeoff")
    if curves:
        _calibration(page.origin, curves, out)


def _panel(axes: Axes, page: Page, places: Sequence[float | None], front: list[int], *, timed: bool) -> None:
    known = [x for x in places if x is not None]
    for at, (one, x) in enumerate(zip(page.points, places, strict=True)):
        y = one.value(page.metric)
        if x is None or y is None:
            continue
        _, colour, mark = FAMILIES[one.family]
        edge = "black" if at in front else "none"
        axes.plot([x], [y], mark, color=colour, markeredgecolor=edge, markersize=7, zorder=3)
    line = [(places[at], page.points[at].value(page.metric)) for at in front]
    xs, ys = [x for x, _ in line if x is not None], [y for _, y in line if y is not None]
    if xs:
        axes.step(xs, ys, where="post", color="black", linewidth=1, zorder=2)
    if timed:
        _published(axes, page)
    if timed and (known or page.published):
        seconds_axis(axes)
        times = [*known, *(one.latency_s for one in page.published if one.latency_s is not None)]
        if times:
            axes.set_xlim(max(min(times), 1e-4) / 1.8, max(*times, 2e-4) * 2.2)
    elif not timed:
        highest = max(known, default=0.0) or 1.0
        axes.set_xlim(-0.06 * highest, 1.2 * highest)  # nothing costs less than nothing
    if not known:
        reason = "no alert was raised" if timed else "no prices known: --config names them"
        axes.text(0.5, 0.5, reason, transform=axes.transAxes, ha="center", fontsize=8, color=GREY)
    axes.grid(visible=True, color="#e5e5e5", linewidth=0.6, zorder=0)
    values = [one.value(page.metric) for one in page.points] + [one.value for one in page.published]
    lowest = min([1.0, *(value for value in values if value is not None)])
    axes.set_ylim(lowest - 0.06, 1.03)
    _numbered(
        axes, [(x, one.value(page.metric)) for one, x in zip(page.points, places, strict=True)], timed=timed
    )


def _published(axes: Axes, page: Page) -> None:
    """Crosses where their latency is known, else marks at the right edge."""
    for place, system in enumerate(page.published, start=1):
        if system.latency_s is not None:
            axes.plot([system.latency_s], [system.value], "x", color=GREY, markersize=5)
            at = (system.latency_s, system.value)
            axes.annotate(f"P{place}", at, fontsize=5, color=GREY, xytext=(3, -2), textcoords="offset points")
        else:
            across = axes.get_yaxis_transform()
            axes.plot([0.985, 1.0], [system.value] * 2, color=GREY, linewidth=1, transform=across)
            side = 0.975 - 0.045 * (place % 3)
            axes.text(
                side,
                system.value,
                f"P{place}",
                fontsize=5,
                color=GREY,
                va="center",
                ha="right",
                transform=across,
            )


def _marks(page: Page) -> list[Line2D]:
    families = dict.fromkeys(one.family for one in page.points)
    marks = [
        Line2D([], [], marker=mark, linestyle="", color=colour, label=name.format(first=page.wording.first))
        for family, (name, colour, mark) in FAMILIES.items()
        if family in families
    ]
    marks.append(Line2D([], [], color="black", linewidth=1, label="Pareto front"))
    if page.published:
        known = any(one.latency_s is not None for one in page.published)
        label = "published, other data, mean latency" if known else "published, other data, no latency"
        marks.append(Line2D([], [], marker="x" if known else "_", linestyle="", color=GREY, label=label))
    return marks


def _numbered(axes: Axes, values: Sequence[tuple[float | None, float | None]], *, timed: bool) -> None:
    """The numbers of the points; those of points that lie on each other stand together."""
    placed = [(at, x, y) for at, (x, y) in enumerate(values) if x is not None and y is not None]
    across = {at: math.log10(max(x, 1e-6)) if timed else x for at, x, _ in placed}
    left, right = axes.get_xlim()
    width = math.log10(right / left) if timed and left > 0 else right - left
    groups: list[list[tuple[int, float, float]]] = []
    for one in placed:
        for group in groups:
            first = group[0]
            if abs(across[first[0]] - across[one[0]]) < 2 * CLOSE * width and abs(first[2] - one[2]) < CLOSE:
                group.append(one)
                break
        else:
            groups.append([one])
    for group in groups:
        _, x, y = group[0]
        names = [str(at + 1) for at, _, _ in group]
        lines = [", ".join(names[start : start + 5]) for start in range(0, len(names), 5)]
        axes.annotate(
            "\n".join(lines), (x, y), fontsize=7, xytext=(5, 3), textcoords="offset points", zorder=4
        )


def _calibration(origin: Origin, curves: Sequence[tuple[Confidences, Curve]], out: Path) -> None:
    figure = Figure(figsize=(4.8, 4.8))
    axes = figure.subplots()
    axes.plot([0, 1], [0, 1], ":", color="#999999")
    for given, one in curves:
        (line,) = axes.plot(
            [each.confidence for each in one.bins],
            [each.contradictory for each in one.bins],
            "-",
            label=f"{given.method}: {given.kind}",
        )
        axes.scatter(
            [each.confidence for each in one.bins],
            [each.contradictory for each in one.bins],
            s=[15 + 150 * each.count / one.n for each in one.bins],
            color=line.get_color(),
        )
    axes.set_xlabel("confidence (larger marks: more scenes)")
    axes.set_ylabel("share of scenes for which an alert is right")
    axes.set_xlim(-0.04, 1.04)
    axes.set_ylim(-0.04, 1.04)
    axes.set_title(origin.label, fontsize=8)
    axes.legend(fontsize=6, loc="upper left")
    save_figure(figure, out, "calibration")


def _confidence(curves: Sequence[tuple[Confidences, Curve]], cuts: Mapping[str, Cut]) -> str:
    rows = []
    for given, one in curves:
        found = cuts.get(given.method)
        cells = ["–"] * 6
        if found is not None:
            threshold = "none" if found.threshold is None else number(found.threshold, 3)
            cells = [f"{100 * found.wanted_rate:g}", threshold]
            for rates in (found.here, found.elsewhere):
                cells += ["–", "–"] if rates is None else [_share(rates.false_alarms), _share(rates.found)]
        rows.append(
            [given.method, given.kind, str(one.n), number(one.error, 3), number(one.brier, 3), *cells]
        )
    heading = ["method", "confidence", "scenes", "calibration error", "Brier score", "wanted false alarms, %"]
    here = ["threshold", "false alarms, %", "found, %"]
    return table([*heading, *here, "false alarms elsewhere, %", "found elsewhere, %"], rows)


def _worth(one: Point, metric: str) -> list[str]:
    worth = one.worth[metric]
    scale, digits = (100, 2) if metric == "accuracy" else (1, 3)
    shown = number(None if worth.value is None else scale * worth.value, digits)
    low_high = "–"
    if worth.interval is not None:
        low_high = f"{number(scale * worth.interval.low)} to {number(scale * worth.interval.high)}"
    return [shown, low_high][: _columns(metric)]


def _columns(metric: str) -> int:
    """F1 has no interval here."""
    return 1 if metric == "f1" else 2


def _share(share: float) -> str:
    return number(100 * share, 1)


def _seconds(milliseconds: float | None) -> float | None:
    return None if milliseconds is None else milliseconds / 1000.0
