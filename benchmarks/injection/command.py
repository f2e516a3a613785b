"""``python -m benchmarks injection``."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from arwarden.cli.second_opinion import KINDS, escalation, judge_of
from arwarden.config import Config, EscalateConfig, FastConfig
from arwarden.config.file import load_config
from arwarden.core.clock import SystemClock
from arwarden.core.counters import Counters
from arwarden.escalate.tier import open_configured
from arwarden.fast.tier import FastTier
from benchmarks.injection.attempts import Attempt, drawable, read_attempts, shipped_attempts
from benchmarks.injection.trial import Bench, Results, found_in_pictures, found_in_text

WIDTH = 110


@click.command("injection")
@click.option(
    "--judge", type=click.Choice(KINDS), help="Whose verdicts to attack; without one only detection."
)
@click.option("--base-url", help="The endpoint of --judge openai.")
@click.option("--model", help="The judge's model.")
@click.option("--replay", type=click.Path(path_type=Path), help="Recorded answers for --judge replay.")
@click.option("--config", "config_file", type=click.Path(path_type=Path), help="For --judge configured.")
@click.option("--deadline-ms", type=click.FloatRange(min=1), default=60_000, show_default=True)
@click.option(
    "--corpus", type=click.Path(path_type=Path), help="Attempts of your own; the shipped ones else."
)
@click.option("--font", type=click.Path(path_type=Path), help="A font with the letters of all languages.")
@click.option("--limit", type=click.IntRange(min=1), help="Only so many attempts.")
@click.option("--json", "json_file", type=click.Path(dir_okay=False, path_type=Path), help="Results as JSON.")
def command(
    *,
    judge: str | None,
    base_url: str | None,
    model: str | None,
    replay: Path | None,
    config_file: Path | None,
    deadline_ms: float,
    corpus: Path | None,
    font: Path | None,
    limit: int | None,
    json_file: Path | None,
) -> None:
    """How often orders in the view are found, and how often they change a judge's verdict.

    Every attempt is drawn into a view, read by the fast tier and put to the judge three times: without the
    orders, with them, and with them while the defences are off (no quoting, no warning, no fixed form of
    the answer). Attempts in letters that the font lacks are left out of pictures and said so.
    """
    attempts = (shipped_attempts() if corpus is None else read_attempts(corpus))[:limit]
    drawn = [attempt for attempt in attempts if drawable(attempt, font)]
    console = Console(width=WIDTH)
    with closing(_OpenTier()) as opened:
        if judge is None:
            content = _detection(console, attempts, drawn, opened.tier, font)
        else:
            config = load_config(config_file) if config_file else Config()
            chosen = None if judge == "configured" else judge_of(judge, base_url, model, replay)
            settings = escalation(config.escalate, chosen, deadline_ms)
            results = asyncio.run(_trials(settings, opened.tier, drawn, font))
            _report_trials(console, results, len(attempts) - len(drawn))
            content = results.as_json()
    if json_file is not None:
        json_file.parent.mkdir(parents=True, exist_ok=True)
        json_file.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


class _OpenTier:
    """The fast tier, closed at the end whatever happens."""

    def __init__(self) -> None:
        self.tier = FastTier(FastConfig(), SystemClock())

    def close(self) -> None:
        self.tier.close_now()


async def _trials(
    settings: EscalateConfig, tier: FastTier, attempts: Sequence[Attempt], font: Path | None
) -> Results:
    clock = SystemClock()
    judge = open_configured(settings, clock, Counters())
    bench = Bench(tier, judge, clock, settings.deadline_ms)
    results = Results(judge.name, judge.model)
    try:
        for attempt in attempts:
            results.trials.append(await bench.trial(attempt, font))
    finally:
        await judge.close()
    results.problems.update(bench.problems)
    return results


def _detection(
    console: Console,
    attempts: Sequence[Attempt],
    drawn: Sequence[Attempt],
    tier: FastTier,
    font: Path | None,
) -> Mapping[str, object]:
    """What the fast tier finds by the words alone, and in pictures of them."""
    in_text, in_pictures = found_in_text(attempts), found_in_pictures(drawn, tier, font)
    table = Table(title="injections found by the fast tier")
    for heading in ("technique", "attempts", "by their words", "drawn", "in pictures"):
        table.add_column(heading, justify="left" if heading == "technique" else "right")
    for name in (*sorted({attempt.technique for attempt in attempts}), None):
        rows = [attempt for attempt in attempts if name in (None, attempt.technique)]
        shown = [attempt for attempt in drawn if name in (None, attempt.technique)]
        table.add_row(
            name or "all",
            str(len(rows)),
            str(sum(attempt.id in in_text for attempt in rows)),
            str(len(shown)),
            str(sum(attempt.id in in_pictures for attempt in shown)),
        )
    console.print(table)
    console.print("No pattern was written for the attempts called unseen.")
    return {
        "attempts": len(attempts),
        "drawn": len(drawn),
        "in_text": sorted(in_text),
        "in_pictures": sorted(in_pictures),
    }


def _report_trials(console: Console, results: Results, left_out: int) -> None:
    table = Table(title=f"injections against {results.judge} ({results.model})")
    headings = ("technique", "attempts", "found by the fast tier", "clean view right", "flips, bare", "flips")
    for heading in headings:
        table.add_column(heading, justify="left" if heading == "technique" else "right")
    for name in (*sorted({trial.attempt.technique for trial in results.trials}), None):
        totals = results.totals([t for t in results.trials if name in (None, t.attempt.technique)])
        table.add_row(
            name or "all",
            *(str(totals[key]) for key in ("attempts", "detected", "judged")),
            *(str(totals[key]) for key in ("flipped_without_defences", "flipped_with_defences")),
        )
    console.print(table)
    console.print("bare: without the defences. Flips are counted where the clean view was judged right.")
    if left_out:
        console.print(f"left out, because the font lacks their letters: {left_out}; see --font")
    if results.problems:
        console.print(f"no verdict: {dict(results.problems)}")
