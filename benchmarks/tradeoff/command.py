"""``python -m benchmarks tradeoff``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Final

import click
from rich.console import Console

from arwarden.core.errors import ConfigError
from arwarden.escalate.questions import Form
from benchmarks.contrar.ask import plan as verdict_plan
from benchmarks.contrar.command import chosen as chosen_videos
from benchmarks.contrar.layouts import Layout, Protocol, load
from benchmarks.datasets.origin import origin_of
from benchmarks.protocols.data import UnusableData
from benchmarks.published.tables import FACTORS, contrar_detection, ratear_coefficients
from benchmarks.ratear.ask import Order
from benchmarks.ratear.ask import plan as rating_plan
from benchmarks.ratear.command import chosen as chosen_samples
from benchmarks.ratear.results import people_of
from benchmarks.runs.calls import Row
from benchmarks.runs.methods import Kind
from benchmarks.runs.options import RunOptions, run_options
from benchmarks.runs.output import plain_console, write_json
from benchmarks.runs.plan import Plan, perform, whole
from benchmarks.tradeoff import report
from benchmarks.tradeoff.calibration import Confidences, Curve, Cut, curve, cut
from benchmarks.tradeoff.configurations import Point, confidences, points
from benchmarks.tradeoff.rated import fitted, mean_scores, rated_confidences, rated_points, truth_of
from benchmarks.tradeoff.report import Page, Reference, Wording

SUITE: Final = "tradeoff"
THRESHOLDS: Final = (0.7, 0.85, 0.95)
RATED_THRESHOLDS: Final = (0.2, 0.4, 0.6)
RATEAR: Final = {"ratear-images": "images", "ratear-videos": "videos"}
LAYOUTS: Final = (*(one.value for one in Layout), *RATEAR)


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What is composed of the answers."""

    thresholds: tuple[float, ...]
    scenes_per_hour: float
    factor: str
    limit: float
    split_seed: int


@dataclass(frozen=True, slots=True)
class _Outcome:
    """All configurations over a set, and what stands for confidence in its methods."""

    samples: int
    points: list[Point]
    confidences: list[Confidences]
    wording: Wording


@click.command(SUITE)
@run_options(SUITE)
@click.option("--layout", type=click.Choice(LAYOUTS), default=Layout.CONTRAR.value, show_default=True)
@click.option(
    "--protocol",
    type=click.Choice([one.value for one in Protocol]),
    default=Protocol.SINGLE.value,
    show_default=True,
    help="Frames of each video that verdicts are asked about.",
)
@click.option(
    "--factor", type=click.Choice(FACTORS), default="placement", show_default=True, help="Of RateAR."
)
@click.option(
    "--alert-below", type=click.FloatRange(1, 5), default=3.0, show_default=True, help="Ratings that warn."
)
@click.option(
    "--split-seed", type=int, default=1, show_default=True, help="Draws training samples of RateAR."
)
@click.option(
    "--threshold",
    "thresholds",
    multiple=True,
    type=click.FloatRange(0, 1),
    help=f"Confidence from which the fast tier is not doubted; repeatable.  [default: {THRESHOLDS}; "
    f"of RateAR {RATED_THRESHOLDS}]",
)
@click.option(
    "--metric",
    type=click.Choice(("accuracy", "f1", "srcc")),
    help="What is drawn.  [default: accuracy; of RateAR srcc]",
)
@click.option("--scenes-per-hour", type=click.FloatRange(min=0), default=360.0, show_default=True)
@click.option(
    "--false-alarms", type=click.FloatRange(0, 1), default=0.03, show_default=True, help="Wanted rate."
)
def command(
    *,
    options: RunOptions,
    layout: str,
    protocol: str,
    factor: str,
    alert_below: float,
    split_seed: int,
    thresholds: tuple[float, ...],
    metric: str | None,
    scenes_per_hour: float,
    false_alarms: float,
) -> None:
    """Accuracy, F1 or SRCC against time to an alert, time to the verdict, and cost.

    Name the fast tier (of RateAR: a measure or scores:FILE) and judges by --judge: they are asked once, and
    every combination follows from that.
    """
    console = plain_console()
    origin = origin_of(options.data)
    rated = layout in RATEAR
    drawn = metric or ("srcc" if rated else "accuracy")
    if drawn == "srcc" and not rated:
        raise ConfigError("--metric srcc", [f"{layout} has verdicts, no ratings; use --layout ratear-images"])
    wanted = _Wanted(
        thresholds or (RATED_THRESHOLDS if rated else THRESHOLDS),
        scenes_per_hour,
        factor,
        alert_below,
        split_seed,
    )
    references = tuple(_references(options, layout, drawn, factor))
    console.print(origin.label)
    if rated:
        outcome = _of_ratings(console, options, RATEAR[layout], wanted)
    else:
        outcome = _of_verdicts(console, options, Layout(layout), Protocol(protocol), wanted)
    if outcome is None:
        return
    page = Page(origin, tuple(outcome.points), drawn, scenes_per_hour, references, outcome.wording)
    about = {"layout": layout, "factor": factor if rated else None, "samples": outcome.samples}
    _write(options, page, about, outcome.confidences, false_alarms)
    for name, front in _fronts(page).items():
        console.print(f"front, {name}: {', '.join(front) or '–'}")
    console.print(f"report: {options.out / 'report.md'}")


def _write(
    options: RunOptions,
    page: Page,
    about: Mapping[str, str | int | None],
    given: Sequence[Confidences],
    wanted_rate: float,
) -> None:
    """Summary, report and figures."""
    curves, cuts = _calibrated(given, wanted_rate)
    content = {
        "suite": SUITE,
        "data": page.origin.label,
        "generated": page.origin.generated,
        **about,
        "metric": page.metric,
        "scenes_per_hour": page.scenes_per_hour,
        "configurations": [one.as_json() for one in page.points],
        "fronts": _fronts(page),
        "calibration": {one.method: {"of": one.kind} | asdict(found) for one, found in curves},
        "thresholds": {name: asdict(one) for name, one in cuts.items()},
    }
    write_json(options.out / "summary.json", content)
    (options.out / "report.md").write_text(report.markdown(page, curves, cuts), encoding="utf-8")
    report.figures(page, curves, options.out)


def _fronts(page: Page) -> dict[str, list[str]]:
    return {name: [page.points[at].name for at in front] for name, front in report.fronts(page).items()}


def _of_verdicts(
    console: Console, options: RunOptions, layout: Layout, protocol: Protocol, wanted: _Wanted
) -> _Outcome | None:
    videos = chosen_videos(console, load(layout, options.data), options.limit)
    made = verdict_plan(options, videos, [protocol], layout)
    rows = perform(console, options, made)
    if rows is None:
        return None
    by_method = _by_method(options, whole(made.calls, rows))
    judges = [spec.label for spec in options.methods if spec.kind.judge]
    fast = next((spec.label for spec in options.methods if spec.kind in (Kind.FAST, Kind.FAST_TEXT)), None)
    found = points(
        videos,
        by_method,
        fast=fast,
        judges=judges,
        thresholds=wanted.thresholds,
        scenes_per_hour=wanted.scenes_per_hour,
    )
    wording = Wording(
        f"A yes says that {layout.question}.",
        "*All below T*: the judge is asked unless the fast tier has raised an alert surer than T; *doubts*: "
        "only where it suspects something.",
    )
    return _Outcome(len(videos), found, confidences(videos, by_method, judges), wording)


def _of_ratings(console: Console, options: RunOptions, media: str, wanted: _Wanted) -> _Outcome | None:
    picked = chosen_samples(console, options, media, None, wanted.split_seed)
    people = people_of(picked.samples, [wanted.factor])
    truth = truth_of(picked.samples, picked.tested, people, wanted.factor, wanted.limit)
    order = Order((Form.CONTEXTUAL,), (), media, factors=(wanted.factor,))
    measures = [spec for spec in options.methods if not spec.kind.judge]
    training = [sample for sample in picked.samples if sample.id in set(picked.split.training)]
    only = replace(options, methods=tuple(measures))
    trained, tested = rating_plan(only, training, order), rating_plan(options, picked.asked, order)
    if options.dry_run:
        perform(console, options, Plan([*trained.calls, *tested.calls]))
        return None
    rows = (perform(console, only, trained) if measures else None) or []
    again = replace(options, resume=options.resume or bool(rows))
    rows += whole(tested.calls, perform(console, again, tested) or [])
    by_method = _by_method(options, rows)
    mean = mean_scores(picked.samples, wanted.factor)
    fits = {spec.label: fitted(by_method[spec.label], mean, picked.split.training) for spec in measures}
    found = rated_points(
        truth, by_method, fits, thresholds=wanted.thresholds, scenes_per_hour=wanted.scenes_per_hour
    )
    wording = Wording(
        f"Ratings of {wanted.factor}; one below {wanted.limit:g} warns, rightly where people's mean is too.",
        "Measures are brought to the scale of 1 to 5 on the training samples. *Asked below T*: the judge "
        "rates where the measure's rating lies nearer to the limit than T, of the widest distance there is.",
        first="measure",
    )
    return _Outcome(len(truth.mos), found, rated_confidences(truth, by_method, fits), wording)


def _by_method(options: RunOptions, rows: Sequence[Row]) -> dict[str, list[Row]]:
    return {spec.label: [row for row in rows if row.key.method == spec.label] for spec in options.methods}


def _references(options: RunOptions, layout: str, metric: str, factor: str) -> list[Reference]:
    """Published systems that have a number in the metric that is drawn."""
    if options.published is None:
        return []
    if layout == Layout.CONTRAR and metric == "accuracy":
        return [
            Reference(one.name, one.overall_pct.value / 100, one.overall_pct.text, one.latency_s.value)
            for one in contrar_detection(options.published)
        ]
    if layout in RATEAR and metric == "srcc":
        return [
            Reference(one.method, one.values[cell].value, one.values[cell].text, None)
            for one in ratear_coefficients(options.published, RATEAR[layout])
            for cell in one.values
            if cell[0] == factor and cell[1].value == metric
        ]
    return []


def _calibrated(
    given: Sequence[Confidences], wanted_rate: float
) -> tuple[list[tuple[Confidences, Curve]], dict[str, Cut]]:
    """Calibration of every method that says how sure it is, and the threshold for a rate of false alarms."""
    curves = [(one, curve(one.given, one.contradictory)) for one in given]
    cuts: dict[str, Cut] = {}
    for one in given:
        try:
            cuts[one.method] = cut(one.given, one.contradictory, wanted_rate)
        except UnusableData:  # one label only: the table shows a dash
            continue
    return curves, cuts
