"""Configurations composed from what the fast tier and the judges said: a further threshold asks nobody anew.

With both, the fast tier looks first. Where it is surer than a threshold, its alert stands and nobody is
asked; else the judge has the last word. Where it suspects nothing at all, a judge is asked too, or not
(``doubts``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from benchmarks.contrar.results import verdict_of
from benchmarks.datasets.contrar import Video
from benchmarks.protocols.data import Interval, UnusableData
from benchmarks.protocols.detection import accuracy_interval, confusion
from benchmarks.runs.calls import Row
from benchmarks.tradeoff.calibration import Confidences, votes


@dataclass(frozen=True, slots=True)
class Seen:
    """What one configuration made of one scene. Times from the frame, cost in the price table's currency."""

    contradictory: bool
    """Whether an alert is right."""
    verdict: bool | None
    first_alert_ms: float | None
    """When the wearer is warned first, rightly or not; None without an alert."""
    final_ms: float | None
    """When nothing changes any more; None where a method that was asked did not answer."""
    cost: float | None


@dataclass(frozen=True, slots=True)
class Worth:
    """How good a configuration is in one metric, and the 95 % interval of that where there is one."""

    value: float | None
    interval: Interval | None = None


@dataclass(frozen=True, slots=True)
class Point:
    """One configuration over the set."""

    name: str
    family: str
    """``fast``, ``judge`` or ``both``."""
    worth: Mapping[str, Worth]
    """By metric: ``accuracy``, ``f1``, and ``srcc`` of ratings."""
    first_alert_p95_ms: float | None
    final_p95_ms: float | None
    cost_per_hour: float | None
    asked_share: float
    """Share of scenes that a judge was asked about."""

    def value(self, metric: str) -> float | None:
        """The worth in a metric."""
        return self.worth[metric].value

    def as_json(self) -> dict[str, Any]:
        """As JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Spread:
    """What all scenes share: how many there are, and how often a scene is new."""

    samples: int
    scenes_per_hour: float


@dataclass(frozen=True, slots=True)
class Combination:
    """The fast tier and a judge. An alert of the fast tier whose confidence is ``sure`` or more stands."""

    fast: str
    judge: str
    sure: float
    doubts_only: bool

    @property
    def name(self) -> str:
        """For tables."""
        asked = "doubts" if self.doubts_only else "all"
        return f"{self.fast} + {self.judge}, {asked} below {self.sure:g}"


def alone(videos: Sequence[Video], rows: Sequence[Row]) -> list[Seen]:
    """What one method says by itself, every run of every video."""
    by_id = {video.id: video for video in videos}
    found = []
    for row in rows:
        verdict = verdict_of(row)
        spent_ms = row.given.latency_ms if row.given.answered else None
        alert = spent_ms if verdict else None
        found.append(Seen(by_id[row.key.sample].contradictory, verdict, alert, spent_ms, row.given.cost))
    return found


def together(
    videos: Sequence[Video], fast: Sequence[Row], judge: Sequence[Row], how: Combination
) -> tuple[list[Seen], float]:
    """What both say, every run of the judge; and the share of scenes that it is asked about."""
    first = {row.key.sample: row for row in fast}
    by_id = {video.id: video for video in videos}
    found: list[Seen] = []
    asked = 0
    for row in judge:
        own = first.get(row.key.sample)
        if own is None:
            continue
        confidence = float(own.given.answer.get("confidence", 0.0))
        verdict, own_ms = verdict_of(own), own.given.latency_ms
        alert = own_ms if verdict else None
        final_ms, cost = own_ms, own.given.cost
        stands = bool(verdict) and confidence >= how.sure
        asked_here = not stands and (confidence > 0 or not how.doubts_only)
        if asked_here:
            asked += 1
            said = verdict_of(row)
            final_ms, cost = own_ms + row.given.latency_ms, row.given.cost
            # Without an answer the fast tier's verdict stays, as in the daemon.
            verdict = verdict if said is None else said
            alert = final_ms if alert is None and said else alert
        failed = asked_here and not row.given.answered
        found.append(
            Seen(by_id[row.key.sample].contradictory, verdict, alert, None if failed else final_ms, cost)
        )
    return found, asked / len(found) if found else 0.0


def point(
    name: str,
    family: str,
    seen: Sequence[Seen],
    spread: Spread,
    asked_share: float,
    *,
    srcc: Worth | None = None,
) -> Point:
    """Sum up what a configuration made of all scenes.

    Raises:
        UnusableData: there are none.
    """
    if not seen:
        raise UnusableData(name, "it has no answers")
    counts = confusion([one.contradictory for one in seen], [one.verdict for one in seen])
    alerts = [one.first_alert_ms for one in seen if one.first_alert_ms is not None]
    finals = [one.final_ms for one in seen if one.final_ms is not None]
    costs = [one.cost for one in seen if one.final_ms is not None]
    known = [cost for cost in costs if cost is not None]
    accuracy = counts.accuracy or 0.0
    interval = accuracy_interval(round(accuracy * spread.samples), spread.samples)
    worth = {"accuracy": Worth(accuracy, interval), "f1": Worth(counts.f1)}
    return Point(
        name=name,
        family=family,
        worth=worth if srcc is None else {"srcc": srcc, **worth},
        first_alert_p95_ms=float(np.percentile(alerts, 95)) if alerts else None,
        final_p95_ms=float(np.percentile(finals, 95)) if finals else None,
        cost_per_hour=_per_hour(known, spread) if len(known) == len(costs) else None,
        asked_share=asked_share,
    )


def _per_hour(costs: Sequence[float], spread: Spread) -> float | None:
    return spread.scenes_per_hour * sum(costs) / len(costs) if costs else None


def points(
    videos: Sequence[Video],
    rows: Mapping[str, Sequence[Row]],
    *,
    fast: str | None,
    judges: Sequence[str],
    thresholds: Sequence[float],
    scenes_per_hour: float,
) -> list[Point]:
    """All configurations: every method alone, and the fast tier with every judge at every threshold.

    Raises:
        UnusableData: a method has no answers.
    """
    spread = Spread(len(videos), scenes_per_hour)
    found = []
    for name, mine in rows.items():
        family, asked = ("judge", 1.0) if name in judges else ("fast", 0.0)
        found.append(point(name, family, alone(videos, mine), spread, asked))
    if fast is None:
        return found
    for judge in judges:
        for doubts_only in (False, True):
            for sure in thresholds:
                how = Combination(fast, judge, sure, doubts_only)
                seen, asked = together(videos, rows[fast], rows[judge], how)
                found.append(point(how.name, "both", seen, spread, asked))
    return found


def confidences(
    videos: Sequence[Video], rows: Mapping[str, Sequence[Row]], judges: Sequence[str]
) -> list[Confidences]:
    """Of the fast tier its own; of judges, which give none, how many of their runs said yes."""
    truth = {video.id: video.contradictory for video in videos}
    found: list[Confidences] = []
    for name, mine in rows.items():
        if name in judges:
            said: dict[str, list[bool]] = {}
            for row in mine:
                verdict = verdict_of(row)
                if verdict is not None:
                    said.setdefault(row.key.sample, []).append(verdict)
            voted = votes(name, said, truth)
            found += [] if voted is None else [voted]
            continue
        own = [(row.given.answer.get("confidence"), truth[row.key.sample]) for row in mine]
        known = [(float(value), label) for value, label in own if isinstance(value, int | float)]
        if known:
            given, labels = zip(*known, strict=True)
            found.append(Confidences(name, "its own", tuple(given), tuple(labels)))
    return found


def pareto(values: Sequence[tuple[float | None, float | None]]) -> list[int]:
    """Places of those (cost, worth) that no other is at least as good as in both and better in one, by cost.

    Pairs with None are never on the front.
    """
    known = [
        (cost, -worth, at)
        for at, (cost, worth) in enumerate(values)
        if cost is not None and worth is not None
    ]
    front: list[int] = []
    best = float("inf")
    for _, negative, at in sorted(known):
        if negative < best:
            best = negative
            front.append(at)
    return front
