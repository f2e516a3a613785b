"""``python -m benchmarks psychophysics``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

import click

from benchmarks.datasets.checks import taken
from benchmarks.datasets.origin import origin_of
from benchmarks.datasets.psychophysics import Renderings, load
from benchmarks.protocols.scaling import AttributeWeights
from benchmarks.psychophysics import report
from benchmarks.psychophysics.ask import SUITE, Order, plan
from benchmarks.psychophysics.report import Published
from benchmarks.psychophysics.results import ScaleResult, between, choices_of, scale_result, weights
from benchmarks.published.tables import SCALES
from benchmarks.runs.calls import Row
from benchmarks.runs.options import RunOptions, run_options, spread
from benchmarks.runs.output import plain_console, write_json
from benchmarks.runs.plan import perform
from benchmarks.runs.spent import spent_by

PEOPLE = "people"


@click.command(SUITE)
@run_options(SUITE)
@click.option("--one-order", is_flag=True, help="Show every pair in one order only, as in the paper.")
def command(*, options: RunOptions, one_order: bool) -> None:
    """Forced choices between all pairs of renderings; --limit counts scenes.

    Besides judges it takes the classical measures, such as rms_contrast and colourfulness.
    """
    console = plain_console()
    origin = origin_of(options.data)
    published = None if options.published is None else Published.of(options.published)
    data = load(options.data)
    taken(console, data.checked)
    scenes = [data.scenes[index] for index in spread(len(data.scenes), options.limit)]
    orders = [Order.FORWARD] if one_order else list(Order)
    made = plan(options, data, scenes, orders)
    console.print(origin.label)
    rows = perform(console, options, made)
    if rows is None:
        return
    results = summed_up(rows, data, scenes, orders)
    spent = spent_by(rows)
    judges = between(results)
    found = _weights(results, data, scenes)
    people = {
        scale: z[[data.scenes.index(s) for s in scenes]].mean(axis=0).tolist()
        for scale, z in data.human.items()
    }
    content = {
        "suite": SUITE,
        "data": origin.label,
        "generated": origin.generated,
        "scenes": scenes,
        "operators": list(data.operators),
        "results": [one.as_json(data.operators) for one in results],
        "calls": [asdict(one) for one in spent],
        "between_judges": [asdict(one) for one in judges],
        "weights": {name: one if isinstance(one, str) else asdict(one) for name, one in found.items()},
    }
    write_json(options.out / "summary.json", content)
    text = report.markdown(origin, data.operators, results, judges, found, spent=spent, published=published)
    (options.out / "report.md").write_text(text, encoding="utf-8")
    report.figures(origin, data.operators, results, people, options.out)
    console.print(f"report: {options.out / 'report.md'}")


def summed_up(
    rows: Sequence[Row], data: Renderings, scenes: Sequence[str], orders: Sequence[Order]
) -> list[ScaleResult]:
    """A result for each judge and scale."""
    methods = list(dict.fromkeys(row.key.method for row in rows))
    results = []
    for method in methods:
        mine = [row for row in rows if row.key.method == method]
        for scale in SCALES:
            choices = choices_of(mine, scale, data.operators, scenes, orders)
            results.append(scale_result(method, scale, choices, data, scenes))
    return results


def _weights(
    results: Sequence[ScaleResult], data: Renderings, scenes: Sequence[str]
) -> dict[str, AttributeWeights | str]:
    places = [data.scenes.index(scene) for scene in scenes]
    found: dict[str, AttributeWeights | str] = {}
    if data.human:
        found[PEOPLE] = weights({scale: z[places] for scale, z in data.human.items()})
    for method in dict.fromkeys(one.method for one in results):
        mine = {one.scale: one.z for one in results if one.method == method and one.z is not None}
        found[method] = weights(mine)
    return found
