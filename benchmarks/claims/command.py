"""``python -m benchmarks claims``."""

from __future__ import annotations

import json
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from arwarden.fast.claims import ElementReader, Lexicon
from arwarden.fast.pairs.model import open_shipped
from benchmarks.claims.ablation import report
from benchmarks.claims.scenes import seen_scenes
from benchmarks.claims.score import Score, score
from models.scenes.kinds import KindFilter, Split

WIDTH = 110
WORST_KINDS = 20
PAIR_SPLITS = ("broad_develop", "broad_check")
TARGETS = {KindFilter.SEEN: (0.90, 0.03), KindFilter.HELD_OUT: (0.80, 0.05), KindFilter.ALL: (0.90, 0.03)}
"""Accuracy at least, false alarms at most."""


@click.command("claims")
@click.option("--scenes", type=click.IntRange(2), default=3120, show_default=True, help="Per part.")
@click.option(
    "--split",
    type=click.Choice([split.value for split in Split]),
    default=Split.VALIDATION.value,
    show_default=True,
    help="Whose wordings. Tune on train and validation only.",
)
@click.option(
    "--kinds",
    type=click.Choice([kinds.value for kinds in KindFilter]),
    default=KindFilter.SEEN.value,
    show_default=True,
    help="held_out: kinds that nothing was tuned on. Their failures are not shown by kind.",
)
@click.option("--seed", type=int, default=1, show_default=True)
@click.option("--json", "json_file", type=click.Path(dir_okay=False, path_type=Path), help="Results as JSON.")
@click.option(
    "--pairs",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Judge this corpus of sentence pairs instead, with and without each sort of open attributes.",
)
@click.option(
    "--languages",
    default="en",
    show_default=True,
    help="Loaded languages, separated by commas: more of them must not mislead the reader of English.",
)
@click.option("--network", is_flag=True, help="Ask the pair network too, as the daemon does by default.")
def command(
    *,
    scenes: int,
    split: str,
    kinds: str,
    seed: int,
    json_file: Path | None,
    pairs: Path | None,
    languages: str,
    network: bool,
) -> None:
    """What the claim engine makes of generated scenes whose elements are seen without error.

    An upper bound for the pipeline that has to find and read the elements first.
    """
    lexicon = Lexicon.load(languages.split(","))
    judge = open_shipped() if network else None
    if pairs is not None:
        report(Console(width=WIDTH), pairs, lexicon, PAIR_SPLITS, judge)
        return
    seen = seen_scenes(Split(split), KindFilter(kinds), scenes, seed, ElementReader(lexicon))
    result = score(seen, lexicon, judge=judge)
    show_kinds = KindFilter(kinds) is KindFilter.SEEN and Split(split) is not Split.TEST
    _report(Console(width=WIDTH), result, KindFilter(kinds), f"{split} split, {kinds} kinds", show_kinds)
    if json_file is not None:
        json_file.parent.mkdir(parents=True, exist_ok=True)
        json_file.write_text(json.dumps(result.as_json(), indent=2) + "\n", encoding="utf-8")


def _report(console: Console, result: Score, kinds: KindFilter, title: str, show_kinds: bool) -> None:
    table = Table(title=f"claims: {title}")
    for heading in ("application", "scenes", "accuracy", "found", "false alarms"):
        table.add_column(heading, justify="left" if heading == "application" else "right")
    for name, tally in (*sorted(result.by_application.items()), ("all", result.total)):
        table.add_row(
            name,
            str(tally.contradictory + tally.coherent),
            f"{tally.accuracy:.1%}",
            f"{tally.recall:.1%}",
            f"{tally.false_alarm_rate:.1%}",
        )
    console.print(table)
    accuracy, alarms = TARGETS[kinds]
    console.print(f"aimed at: accuracy {accuracy:.0%}, false alarms {alarms:.0%}")
    values = result.as_json()
    console.print(
        f"where raised rightly: pair right {values['pair_accuracy']:.1%}, "
        f"pair and attribute right {values['pair_and_attribute_accuracy']:.1%}"
    )
    console.print(f"false alarms by how the scene was made: {dict(result.alarms_by_recipe)}")
    if show_kinds:
        _report_kinds(console, result)


def _report_kinds(console: Console, result: Score) -> None:
    wrong = {
        kind: tally.contradictory - tally.found + tally.false_alarms for kind, tally in result.by_kind.items()
    }
    for kind, count in sorted(wrong.items(), key=lambda pair: -pair[1])[:WORST_KINDS]:
        tally = result.by_kind[kind]
        if count:
            console.print(
                f"{kind:45} missed {tally.contradictory - tally.found} of {tally.contradictory}, "
                f"false alarms {tally.false_alarms} of {tally.coherent}"
            )
