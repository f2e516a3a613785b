"""The report on the terminal, and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich import table as rich_table
from rich.console import Console
from rich.markup import escape

from benchmarks.verify.outcome import Check, Outcome, Table

STYLES = {Outcome.REPRODUCED: "green", Outcome.NOT_REPRODUCIBLE: "yellow", Outcome.DIFFERS: "red"}


def show(console: Console, tables: Sequence[Table], *, every: bool) -> None:
    """Print each table, its differences with both numbers, and a summary. ``every`` prints all checks."""
    for table in tables:
        _show_table(console, table, every=every)
    _show_summary(console, tables)


def as_json(tables: Sequence[Table]) -> dict[str, Any]:
    """All checks, the counts, and how many differ without a known reason."""
    return {
        "counts": {str(one): sum(table.count(one) for table in tables) for one in Outcome},
        "unexplained": sum(len(table.unexplained) for table in tables),
        "tables": [
            {
                "name": table.name,
                "how": table.how,
                "remark": table.remark,
                "checks": [_check_json(check) for check in table.checks],
            }
            for table in tables
        ],
    }


def _check_json(check: Check) -> dict[str, str]:
    return {
        "row": check.row,
        "quantity": check.quantity,
        "printed": check.printed,
        "recomputed": check.recomputed,
        "outcome": str(check.outcome),
        "reason": check.reason,
    }


def _show_table(console: Console, table: Table, *, every: bool) -> None:
    shown = rich_table.Table(
        title=table.name, caption=table.how, title_justify="left", caption_justify="left"
    )
    shown.add_column("row")
    if every:
        for heading in ("quantity", "printed", "recomputed", "outcome"):
            shown.add_column(heading)
        for check in table.checks:
            style = STYLES[check.outcome]
            cells = [escape(one) for one in (check.row, check.quantity, check.printed, check.recomputed)]
            shown.add_row(*cells, f"[{style}]{check.outcome}[/{style}]")
    else:
        for outcome in Outcome:
            shown.add_column(str(outcome), justify="right")
        for row in dict.fromkeys(check.row for check in table.checks):
            outcomes = [check.outcome for check in table.checks if check.row == row]
            shown.add_row(escape(row), *(_count(outcomes.count(outcome), outcome) for outcome in Outcome))
    console.print(shown)
    _show_reasons(console, table)


def _show_reasons(console: Console, table: Table) -> None:
    for check in table.checks:
        if check.outcome is Outcome.DIFFERS:
            numbers = f"printed {check.printed}, recomputed {check.recomputed}"
            console.print(f"differs: {check.row}, {check.quantity}: {numbers}", style="red", markup=False)
            console.print(f"  {check.reason or 'no known reason'}", markup=False)
    why = dict.fromkeys(check.reason for check in table.checks if check.outcome is Outcome.NOT_REPRODUCIBLE)
    for reason in why:
        console.print(f"not reproducible: {reason}", style="yellow", markup=False)
    if table.remark:
        console.print(f"remark: {table.remark}", markup=False)
    console.print()


def _show_summary(console: Console, tables: Sequence[Table]) -> None:
    shown = rich_table.Table(title="summary", title_justify="left")
    shown.add_column("table")
    for outcome in Outcome:
        shown.add_column(str(outcome), justify="right")
    for table in tables:
        shown.add_row(table.name, *(_count(table.count(outcome), outcome) for outcome in Outcome))
    shown.add_section()
    shown.add_row("all", *(_count(sum(one.count(outcome) for one in tables), outcome) for outcome in Outcome))
    console.print(shown)
    unexplained = sum(len(table.unexplained) for table in tables)
    if unexplained:
        console.print(f"{unexplained} differ without a known reason", style="red")
    else:
        console.print(
            "Nothing differs but what is listed as the sources' own inconsistency, with its reason."
        )


def _count(count: int, outcome: Outcome) -> str:
    return f"[{STYLES[outcome]}]{count}[/]" if count else ""
