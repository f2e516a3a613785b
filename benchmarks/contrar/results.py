"""What the rows of a run say: the published table's columns, and what it does not have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

from benchmarks.datasets.contrar import Video
from benchmarks.protocols.data import Interval
from benchmarks.protocols.detection import (
    Confusion,
    McNemar,
    OverRuns,
    accuracy_interval,
    by_application,
    confusion,
    mcnemar,
    over_runs,
)
from benchmarks.runs.calls import Row
from benchmarks.statistics import Summary, summary

VERDICTS: Mapping[str, bool] = {"yes": True, "no": False}


@dataclass(frozen=True, slots=True)
class Result:
    """One method with one protocol."""

    method: str
    protocol: str
    videos: int
    """Videos that were asked about in every run."""
    accuracy: OverRuns
    """Share judged rightly, over runs; 0 to 1."""
    interval: Interval
    """Of the mean accuracy, as if that many videos had been judged rightly once."""
    applications: Mapping[str, OverRuns]
    runs: tuple[Confusion, ...]
    latency_ms: Summary | None
    latency_mean_ms: float | None
    tokens: int
    cost: float | None
    """Of all runs; None where any answer's is not known."""
    right: tuple[bool, ...]
    """By video: right in more than half of the runs."""

    @property
    def name(self) -> str:
        """Method and protocol."""
        return f"{self.method}, {self.protocol}"

    def as_json(self) -> dict[str, Any]:
        """All but the verdict on each video, which the rows hold."""
        content = asdict(self)
        del content["right"]
        return content


@dataclass(frozen=True, slots=True)
class Compared:
    """Two methods on the same videos."""

    first: str
    second: str
    test: McNemar


def verdict_of(row: Row | None) -> bool | None:
    """What a row says; None for no answer, an unreadable one, and an unknown."""
    return None if row is None else VERDICTS.get(str(row.given.answer.get("verdict")))


def result(method: str, protocol: str, videos: Sequence[Video], rows: Sequence[Row]) -> Result:
    """Sum up the rows of one method and protocol. A video without a verdict counts as wrong.

    Raises:
        UnusableData: there are no videos.
    """
    by_key = {(row.key.sample, row.key.repetition): row for row in rows}
    repetitions = sorted({row.key.repetition for row in rows}) or [0]
    labels = [video.contradictory for video in videos]
    said = [[verdict_of(by_key.get((video.id, run))) for video in videos] for run in repetitions]
    runs = tuple(confusion(labels, verdicts) for verdicts in said)
    names = [video.application for video in videos]
    parts = [by_application(names, labels, verdicts) for verdicts in said]
    accuracy = over_runs([run.accuracy or 0.0 for run in runs])
    answered = [row.given for row in rows if row.given.answered]
    spent = [given.cost for given in answered]
    times = [given.latency_ms for given in answered]
    hits = [sum(verdicts[i] == label for verdicts in said) for i, label in enumerate(labels)]
    return Result(
        method=method,
        protocol=protocol,
        videos=len(videos),
        accuracy=accuracy,
        interval=accuracy_interval(round(accuracy.mean * len(videos)), len(videos)),
        applications={name: over_runs([part[name].accuracy or 0.0 for part in parts]) for name in parts[0]},
        runs=runs,
        latency_ms=summary(times),
        latency_mean_ms=sum(times) / len(times) if times else None,
        tokens=sum(given.tokens_in + given.tokens_out for given in answered),
        cost=None if None in spent else sum(cost for cost in spent if cost is not None),
        right=tuple(2 * hit > len(repetitions) for hit in hits),
    )


def compared(results: Sequence[Result]) -> list[Compared]:
    """McNemar's test of every two methods, each by its majority over runs."""
    return [
        Compared(one.name, other.name, mcnemar(one.right, other.right))
        for one, other in combinations(results, 2)
    ]
