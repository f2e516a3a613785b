"""The report: a table shaped like the paper's, then what the paper does not have, and figures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from matplotlib.figure import Figure

from benchmarks.contrar.layouts import Layout
from benchmarks.contrar.results import Compared, Result
from benchmarks.datasets.origin import Origin
from benchmarks.published.tables import Detection
from benchmarks.runs.output import number, p_value, save_figure, seconds_axis, table


def markdown(
    origin: Origin,
    layout: Layout,
    results: Sequence[Result],
    tests: Sequence[Compared],
    published: Sequence[Detection],
) -> str:
    """The report as Markdown."""
    names = sorted({name for result in results for name in result.applications})
    parts = [
        "# Verdicts\n",
        f"**{origin.label}**\n",
        f"A yes says that {layout.question}.\n",
        "Accuracy in percent, mean over runs; a video without a verdict is wrong. Interval: Wilson, 95 %, of "
        "the mean over these videos (runs over the same videos are not independent). Latency in seconds.\n",
        _accuracy(results, names, published),
        "## Confusion, summed over runs\n",
        _confusion(results),
        "## Latency and cost\n",
        _latency(results),
    ]
    if tests:
        parts += ["## Two methods on the same videos (McNemar, majority of runs)\n", _tests(tests)]
    parts.append("![accuracy](accuracy.png)\n![latency](latency.png)\n")
    return "\n".join(parts)


def figures(origin: Origin, results: Sequence[Result], out: Path) -> None:
    """``accuracy`` and ``latency``, each as PNG and SVG."""
    labels = [result.name for result in results]
    places = range(len(results))
    figure = Figure(figsize=(7, 1.2 + 0.45 * len(results)))
    axes = figure.subplots()
    means = [100 * result.accuracy.mean for result in results]
    low = [100 * max(0.0, result.accuracy.mean - result.interval.low) for result in results]
    high = [100 * max(0.0, result.interval.high - result.accuracy.mean) for result in results]
    axes.barh(
        list(places), means, xerr=[low, high], color="#4477aa", error_kw={"ecolor": "#222222", "capsize": 3}
    )
    axes.set_yticks(list(places), labels)
    axes.invert_yaxis()
    axes.set_xlim(0, 100)
    axes.axvline(50, color="#999999", linestyle=":")
    axes.set_xlabel("accuracy, % (95 % interval)")
    axes.set_title(origin.label, fontsize=8)
    save_figure(figure, out, "accuracy")
    timed = [result for result in results if result.latency_ms is not None]
    figure = Figure(figsize=(7, 1.2 + 0.45 * max(1, len(timed))))
    axes = figure.subplots()
    for place, result in enumerate(timed):
        found = result.latency_ms
        if found is not None:
            axes.plot([found.p50 / 1000, found.p95 / 1000], [place, place], "o-", color="#aa3377")
    axes.set_yticks(list(range(len(timed))), [result.name for result in timed])
    axes.invert_yaxis()
    seconds_axis(axes)
    axes.set_xlabel("latency, s (p50 to p95)")
    axes.set_title(origin.label, fontsize=8)
    save_figure(figure, out, "latency")


def _accuracy(results: Sequence[Result], names: Sequence[str], published: Sequence[Detection]) -> str:
    heading = ["method", "frames", *names, "overall", "95 % interval", "runs", "latency, mean"]
    rows = [
        [
            result.method,
            result.protocol,
            *(_pct(result.applications[name].mean) if name in result.applications else "–" for name in names),
            _pct(result.accuracy.mean),
            f"{_pct(result.interval.low)}–{_pct(result.interval.high)}",
            str(result.accuracy.runs),
            _seconds(result.latency_mean_ms),
        ]
        for result in results
    ]
    rows += [
        [
            f"{one.method} (as published, on other videos)",
            one.prompting,
            *(one.accuracy_pct[name].text if name in one.accuracy_pct else "–" for name in names),
            one.overall_pct.text,
            "–",
            "3",
            one.latency_s.text,
        ]
        for one in published
    ]
    return table(heading, rows)


def _confusion(results: Sequence[Result]) -> str:
    heading = [
        "method",
        "found",
        "missed",
        "false alarms",
        "passed",
        "no verdict",
        "recall",
        "precision",
        "F1",
    ]
    rows = []
    for result in results:
        runs = result.runs
        counts = [
            sum(getattr(run, name) for run in runs)
            for name in ("found", "missed", "false_alarms", "passed", "unanswered")
        ]
        shares = [
            [value for value in (getattr(run, name) for run in runs) if value is not None]
            for name in ("recall", "precision", "f1")
        ]
        means = [number(sum(values) / len(values), 3) if values else "–" for values in shares]
        rows.append([result.name, *(str(count) for count in counts), *means])
    return table(heading, rows)


def _latency(results: Sequence[Result]) -> str:
    heading = ["method", "p50, s", "p95, s", "p99, s", "worst, s", "tokens", "cost"]
    rows = []
    for result in results:
        found = result.latency_ms
        times = (
            ["–"] * 4
            if found is None
            else [_seconds(t) for t in (found.p50, found.p95, found.p99, found.worst)]
        )
        rows.append(
            [
                result.name,
                *times,
                str(result.tokens),
                "not known" if result.cost is None else f"{result.cost:.4f}",
            ]
        )
    return table(heading, rows)


def _tests(tests: Sequence[Compared]) -> str:
    heading = ["first", "second", "both right", "only first", "only second", "both wrong", "p", "test"]
    rows = [
        [
            one.first,
            one.second,
            str(one.test.both_right),
            str(one.test.only_first_right),
            str(one.test.only_second_right),
            str(one.test.both_wrong),
            p_value(one.test.p),
            "exact" if one.test.exact else "chi-squared",
        ]
        for one in tests
    ]
    return table(heading, rows)


def _pct(share: float) -> str:
    return f"{100 * share:.2f}"


def _seconds(milliseconds: float | None) -> str:
    return number(None if milliseconds is None else milliseconds / 1000, 3)
