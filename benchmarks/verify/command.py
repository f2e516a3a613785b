"""``python -m benchmarks verify``."""

from __future__ import annotations

import json
from pathlib import Path

import click
from rich.console import Console

from benchmarks.verify import contrar, psychophysics, ratear, text, whole
from benchmarks.verify.known import KNOWN
from benchmarks.verify.outcome import Table, explained
from benchmarks.verify.report import as_json, show

WIDTH = 110


@click.command("verify")
@click.option(
    "--published",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("../shared/published"),
    show_default=True,
    help="Folder of the papers' tables as CSV.",
)
@click.option("--all", "every", is_flag=True, help="Show every number, not only those that differ.")
@click.option("--json", "json_file", type=click.Path(dir_okay=False, path_type=Path), help="Results as JSON.")
def command(published: Path, every: bool, json_file: Path | None) -> None:
    """Recompute from the papers' tables all that follows from them, with the statistics of the benchmarks.

    Exits 0 if nothing differs but what is known to be the sources' own inconsistency, else 1; 2 if a table is
    missing or damaged.
    """
    tables = verified(published)
    show(Console(width=WIDTH), tables, every=every)
    if json_file is not None:
        json_file.parent.mkdir(parents=True, exist_ok=True)
        json_file.write_text(
            json.dumps(as_json(tables), indent=2, ensure_ascii=False) + "\n", encoding="utf-8"
        )
    if any(table.unexplained for table in tables):
        raise click.exceptions.Exit(1)


def verified(published: Path) -> list[Table]:
    """All tables, with the reasons of known differences.

    Raises:
        InputError: a table is missing or damaged.
    """
    rooms = (
        contrar.tables(published),
        ratear.tables(published),
        psychophysics.tables(published),
        text.tables(),
        [whole.table(published)],
    )
    return [explained(table, KNOWN) for tables in rooms for table in tables]
