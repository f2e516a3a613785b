"""``python -m benchmarks ratear``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import click
from rich.console import Console

from arwarden.core.errors import ConfigError
from arwarden.escalate.questions import Form
from benchmarks.datasets.ball import read_truth
from benchmarks.datasets.checks import taken
from benchmarks.datasets.origin import origin_of
from benchmarks.datasets.ratear import Rated, examples, load
from benchmarks.protocols.splits import (
    PUBLISHED_TEST,
    PUBLISHED_TRAINING,
    Split,
    split_by_list,
    split_by_seed,
)
from benchmarks.published.tables import Coefficients, ratear_ablation, ratear_coefficients
from benchmarks.ratear import report
from benchmarks.ratear.adjust import (
    PROPOSALS,
    Compared,
    Proposal,
    by_people,
    by_simulated_people,
    by_the_judge,
    carried_out,
    proposals,
    read_adjusted,
    write_proposals,
)
from benchmarks.ratear.ask import ADJUSTMENTS, SUITE, Adjusted, Order, plan, plan_after
from benchmarks.ratear.results import Agreement, People, agreements, people_of
from benchmarks.runs.calls import Row
from benchmarks.runs.options import RunOptions, run_options, spread
from benchmarks.runs.output import plain_console, write_json
from benchmarks.runs.plan import Plan, perform
from benchmarks.runs.spent import spent_by

FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@dataclass(frozen=True, slots=True)
class Chosen:
    """The samples of a set, and which of them are asked about."""

    samples: tuple[Rated, ...]
    split: Split
    tested: tuple[str, ...]

    @property
    def asked(self) -> list[Rated]:
        """The samples of ``tested``."""
        tested = set(self.tested)
        return [sample for sample in self.samples if sample.id in tested]


@click.command(SUITE)
@run_options(SUITE)
@click.option("--media", type=click.Choice(("images", "videos")), default="images", show_default=True)
@click.option(
    "--form",
    "forms",
    multiple=True,
    type=click.Choice([one.value for one in Form]),
    help="How much the prompt explains.  [default: contextual]",
)
@click.option("--split", "split_file", type=FILE, help="Ids for training, one a line; all others are tested.")
@click.option(
    "--split-seed", type=int, default=1, show_default=True, help="Draws them where no list is given."
)
@click.option(
    "--adjust", is_flag=True, help="Ask also how to adjust placement and size, and rate what comes of it."
)
@click.option("--adjusted", type=FILE, help="Samples after these adjustments: method,id,factor,file.")
@click.option("--adjustment", type=FILE, help="People's ratings before and after: trial,factor,before,after.")
def command(
    *,
    options: RunOptions,
    media: str,
    forms: tuple[str, ...],
    split_file: Path | None,
    split_seed: int,
    adjust: bool,
    adjusted: Path | None,
    adjustment: Path | None,
) -> None:
    """Agreement of ratings with people's, shaped like RateAR's tables 1 to 3; what adjustments are worth.

    Besides judges it takes the classical measures, and scores:FILE, the numbers of an image or video baseline
    (id,placement,size,shadow).
    """
    console = plain_console()
    origin = origin_of(options.data)
    published = [] if options.published is None else _published(options.published, media)
    picked = chosen(console, options, media, split_file, split_seed)
    people = people_of(picked.samples)
    changed = [] if adjustment is None else by_people(adjustment)
    wanted = tuple(Form(one) for one in forms) or (Form.CONTEXTUAL,)
    order = Order(wanted, tuple(examples(options.data)), media, adjust=adjust or adjusted is not None)
    if order.adjust and not any(spec.kind.judge for spec in options.methods):
        raise ConfigError("--adjust", ["only judges propose adjustments; name one by --judge"])
    console.print(f"{origin.label}; {len(picked.split.training)} training, {len(picked.tested)} test samples")
    made = plan(options, picked.asked, order)
    if options.dry_run and order.adjust:
        made = Plan([*made.calls, *_expected(options, picked.asked, order).calls])
    rows = perform(console, options, made)
    if rows is None:
        return
    found = agreements(people, [sample.id for sample in picked.samples], picked.tested, rows)
    if order.adjust:
        more, compared = _adjusted(console, options, picked.asked, order, rows=rows, listed=adjusted)
        rows, changed = rows + more, compared + changed
    _write(options, media, picked, people, found=found, changed=changed, rows=rows, published=published)
    console.print(f"report: {options.out / 'report.md'}")


def _write(
    options: RunOptions,
    media: str,
    picked: Chosen,
    people: Mapping[str, People],
    *,
    found: Sequence[Agreement],
    changed: Sequence[Compared],
    rows: Sequence[Row],
    published: Sequence[Coefficients],
) -> None:
    """Summary, report and figures."""
    origin, spent = origin_of(options.data), spent_by(rows)
    content = {
        "suite": SUITE,
        "data": origin.label,
        "generated": origin.generated,
        "media": media,
        "training": list(picked.split.training),
        "test": list(picked.tested),
        "agreement": [asdict(one) for one in found],
        "reliability": {
            name: None if one.reliability is None else asdict(one.reliability) for name, one in people.items()
        },
        "calls": [asdict(one) for one in spent],
        "adjustment": [asdict(one) for one in changed],
    }
    write_json(options.out / "summary.json", content)
    text = report.markdown(
        origin,
        tested=len(picked.tested),
        people=people,
        found=found,
        adjusted=changed,
        published=published,
        spent=spent,
    )
    (options.out / "report.md").write_text(text, encoding="utf-8")
    report.figures(origin, found, options.out)


def split_of(ids: Sequence[str], media: str, listed: Path | None, seed: int) -> Split:
    """The split by list, or by seed: the published numbers for a set of the published size, else their share.

    Raises:
        UnusableData: the list does not fit the data, or none is left to test.
    """
    if listed is not None:
        return split_by_list(ids, listed)
    whole = PUBLISHED_TRAINING[media] + PUBLISHED_TEST[media]
    training = (
        PUBLISHED_TRAINING[media] if len(ids) == whole else len(ids) * PUBLISHED_TRAINING[media] // whole
    )
    return split_by_seed(ids, training, seed)


def chosen(console: Console, options: RunOptions, media: str, listed: Path | None, seed: int) -> Chosen:
    """The samples of a set that are asked about: of the test split, as many as the limit says.

    Raises:
        BadData: the set cannot be used.
        UnusableData: the split does not fit it.
    """
    samples = taken(console, load(options.data, media))
    split = split_of([sample.id for sample in samples], media, listed, seed)
    tested = tuple(split.test[index] for index in spread(len(split.test), options.limit))
    return Chosen(samples, split, tested)


def _published(folder: Path, media: str) -> list[Coefficients]:
    """The paper's rows: of images also those of its three prompts."""
    return ratear_coefficients(folder, media) + (ratear_ablation(folder) if media == "images" else [])


def _expected(options: RunOptions, asked: Sequence[Rated], order: Order) -> Plan:
    """Ratings after adjustments that nobody has proposed yet: as many as there will be at most."""
    adjusted = [
        Adjusted(spec.label, sample.id, factor, sample.file, "")
        for spec in options.methods
        if spec.kind.judge
        for sample in asked
        for factor in ADJUSTMENTS
    ]
    return plan_after(options, adjusted, order)


def _adjusted(
    console: Console,
    options: RunOptions,
    asked: Sequence[Rated],
    order: Order,
    *,
    rows: Sequence[Row],
    listed: Path | None,
) -> tuple[list[Row], list[Compared]]:
    """Rows of ratings after adjustments, and what they say against those before."""
    found = proposals(rows)
    write_proposals(options.out / PROPOSALS, found)
    truth = read_truth(options.data) if listed is None else None
    drawn = {} if truth is None else carried_out(found, truth.balls, asked, options.out)
    there = read_adjusted(listed, found) if listed is not None else [one for one, _ in drawn.values()]
    if not there:
        console.print(
            f"{options.out / PROPOSALS}: carry these out, then name the results by --adjusted with --resume"
        )
        return [], []
    again = replace(options, resume=True)
    more = perform(console, again, plan_after(again, there, order)) or []
    compared = by_the_judge(_of(found, there), [*rows, *more], order.forms[0].value)
    if truth is not None:
        compared += by_simulated_people(found, drawn, asked, truth.seed)
    return more, compared


def _of(found: Sequence[Proposal], there: Sequence[Adjusted]) -> list[Proposal]:
    """Proposals that were carried out, and those without an adjustment, which are left out by name."""
    done = {(one.method, one.sample, one.factor) for one in there}
    return [one for one in found if one.change is None or (one.method, one.sample, one.factor) in done]
