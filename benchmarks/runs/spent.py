"""What a run's answers took, by method, and how they were read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.runs.calls import Row
from benchmarks.runs.output import number, table
from benchmarks.statistics import Summary, summary


@dataclass(frozen=True, slots=True)
class SpentBy:
    """Of one method. ``cost`` is None where any answer's is not known."""

    method: str
    calls: int
    failed: int
    unreadable: int
    latency_ms: Summary | None
    tokens_in: int
    tokens_out: int
    cost: float | None


def spent_by(rows: Sequence[Row]) -> list[SpentBy]:
    """For each method, in the order of asking."""
    found = []
    for method in dict.fromkeys(row.key.method for row in rows):
        given = [row.given for row in rows if row.key.method == method]
        answered = [one for one in given if one.answered]
        costs = [one.cost for one in answered if one.cost is not None]
        found.append(
            SpentBy(
                method=method,
                calls=len(given),
                failed=len(given) - len(answered),
                unreadable=sum(one.parse == "unreadable" for one in answered),
                latency_ms=summary(one.latency_ms for one in answered),
                tokens_in=sum(one.tokens_in for one in answered),
                tokens_out=sum(one.tokens_out for one in answered),
                cost=sum(costs) if len(costs) == len(answered) else None,
            )
        )
    return found


def spent_table(spent: Sequence[SpentBy]) -> str:
    """The same as a Markdown table; times in seconds."""
    rows = []
    for one in spent:
        times = one.latency_ms
        quantiles = (
            ["–", "–"] if times is None else [number(times.p50 / 1000, 3), number(times.p95 / 1000, 3)]
        )
        cost = "not known" if one.cost is None else number(one.cost, 4)
        counts = [str(count) for count in (one.calls, one.failed, one.unreadable)]
        rows.append([one.method, *counts, *quantiles, str(one.tokens_in + one.tokens_out), cost])
    heading = ["method", "calls", "failed", "unreadable", "p50, s", "p95, s", "tokens", "cost"]
    return table(heading, rows)
