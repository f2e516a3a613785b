"""``python -m benchmarks contrar``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from itertools import groupby

import click
from rich.console import Console

from benchmarks.contrar import report
from benchmarks.contrar.ask import SUITE, plan
from benchmarks.contrar.layouts import Layout, Protocol, load
from benchmarks.contrar.results import Result, compared, result
from benchmarks.datasets.checks import Checked, taken
from benchmarks.datasets.contrar import Video
from benchmarks.datasets.origin import origin_of
from benchmarks.machine import Machine
from benchmarks.published.tables import contrar_detection, contrar_distribution
from benchmarks.runs.calls import Row
from benchmarks.runs.options import RunOptions, run_options, spread
from benchmarks.runs.output import plain_console, write_json
from benchmarks.runs.plan import perform


@click.command(SUITE)
@run_options(SUITE)
@click.option(
    "--layout",
    type=click.Choice([one.value for one in Layout]),
    default=Layout.CONTRAR.value,
    show_default=True,
    help="contrar: contradictions; arvim: manipulations, raw and augmented; diversear: is anything virtual.",
)
@click.option(
    "--protocol",
    "protocols",
    multiple=True,
    type=click.Choice([one.value for one in Protocol]),
    help="single: the exact middle; multi: first, middle and last.  [default: both]",
)
def command(*, options: RunOptions, layout: str, protocols: tuple[str, ...]) -> None:
    """Accuracy of verdicts, shaped like ContrAR's table 2: its videos, AR-VIM's pairs, DiverseAR+'s views."""
    which = Layout(layout)
    console = plain_console()
    origin = origin_of(options.data)
    tables = options.published if which is Layout.CONTRAR else None
    reference = [] if tables is None else contrar_detection(tables)
    counts = None if tables is None or origin.generated else contrar_distribution(tables)
    videos = chosen(console, load(which, options.data, counts), options.limit)
    asked = [Protocol(one) for one in protocols] or which.protocols
    made = plan(options, videos, asked, which)
    console.print(origin.label)
    machine = Machine.now()
    rows = perform(console, options, made)
    if rows is None:
        return
    results = summed_up(videos, rows)
    tests = compared(results)
    write_json(
        options.out / "summary.json",
        {
            "suite": SUITE,
            "layout": which.value,
            "data": origin.label,
            "generated": origin.generated,
            "videos": len(videos),
            "machine": asdict(machine),
            "results": [one.as_json() for one in results],
            "mcnemar": [asdict(one) for one in tests],
        },
    )
    text = report.markdown(origin, which, results, tests, reference)
    (options.out / "report.md").write_text(text, encoding="utf-8")
    report.figures(origin, results, options.out)
    for one in results:
        console.print(f"{one.name}: {100 * one.accuracy.mean:.2f} %")
    console.print(f"report: {options.out / 'report.md'}")


def chosen(console: Console, checked: Checked[Video], limit: int | None) -> list[Video]:
    """The videos to ask about: of every application and label, where a limit leaves room for it.

    Raises:
        BadData: the set cannot be used.
    """
    samples = taken(console, checked)
    ordered = sorted(samples, key=lambda video: (video.application, video.contradictory, video.id))
    return [ordered[index] for index in spread(len(ordered), limit)]


def summed_up(videos: Sequence[Video], rows: Sequence[Row]) -> list[Result]:
    """A result for each method and protocol that has rows, in the order of asking."""

    def group(row: Row) -> tuple[str, str]:
        return row.key.method, row.key.protocol

    order = list(dict.fromkeys(group(row) for row in rows))
    grouped = groupby(sorted(rows, key=lambda row: order.index(group(row))), key=group)
    return [result(method, protocol, videos, list(mine)) for (method, protocol), mine in grouped]
