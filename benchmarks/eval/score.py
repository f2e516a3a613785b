"""The numbers of an evaluation, from the verdicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from benchmarks.claims.score import Tally
from benchmarks.eval.boxes import ElementScore
from benchmarks.eval.judge import Record
from benchmarks.eval.material import Part
from benchmarks.statistics import Summary, summary


@dataclass(slots=True)
class Evaluation:
    """All verdicts, and what the networks made of the pictures."""

    records: list[Record] = field(default_factory=list)
    elements: ElementScore = field(default_factory=ElementScore)
    without_room: int = 0
    """Items that could not be made: no room for two elements."""
    crowded: int = 0
    """Pictures in which only elements were counted."""
    not_reached: int = 0
    """Items that the run ended before."""

    def of(self, *parts: Part) -> list[Record]:
        """The verdicts on some parts; of videos those that anybody could judge."""
        return [one for one in self.records if one.part in parts and one.judged]

    def latency(self, kind: Literal["wall_ms", "cpu_ms"] = "wall_ms") -> dict[str, Summary | None]:
        """Milliseconds by what is measured, by the clock or by the processor."""
        firsts = (Part.FRAMES, Part.HELD_OUT, Part.NEGATIVES)
        return {
            "elements": summary(ms for one in self.records for ms in one.elements_ms),
            "steady": summary(getattr(cost, kind) for one in self.records for cost in one.steady),
            "first_look": summary(
                getattr(one.first_look, kind)
                for one in self.records
                if one.part in firsts and one.first_look is not None
            ),
        }

    def as_json(self) -> dict[str, Any]:
        """The object that is written; rates are 0..1, None where nothing was measured."""
        frames, clips, held_out = (self.of(part) for part in (Part.FRAMES, Part.CLIPS, Part.HELD_OUT))
        waited = summary(one.s_to_alert for one in clips if one.s_to_alert is not None)
        boxes = self.elements.boxes().overall()
        worst = self.elements.worst()
        there = boxes.found + boxes.missed + boxes.false
        spent = self.latency()
        return {
            "frames": {
                "accuracy": accuracy(frames),
                "false_alarm_rate": false_alarm_rate(frames),
                "by_application": {
                    name: accuracy([one for one in frames if one.truth.application == name])
                    for name in sorted({one.truth.application for one in frames})
                },
            },
            "clips": {
                "accuracy": accuracy(clips),
                "median_s_to_alert": None if waited is None else round(waited.p50, 3),
            },
            "held_out_kinds": {
                "accuracy": accuracy(held_out),
                "false_alarm_rate": false_alarm_rate(held_out),
            },
            "pair_accuracy": pair_accuracy(self.of(Part.FRAMES, Part.HELD_OUT, Part.CLIPS)),
            "elements": {
                "precision": round(boxes.precision, 4) if there else None,
                "recall": round(boxes.recall, 4) if there else None,
                "worst_class": round(worst[0][1], 4) if worst else None,
            },
            "negatives": {"raised_rate": raised_rate(self.of(Part.NEGATIVES, Part.RECORDINGS))},
            "latency_ms": {
                "elements": _rounded(spent["elements"], "p50"),
                "steady_p50": _rounded(spent["steady"], "p50"),
                "steady_p95": _rounded(spent["steady"], "p95"),
                "first_look": _rounded(spent["first_look"], "p50"),
            },
        }


def tally(records: Iterable[Record]) -> Tally:
    """Verdicts by label."""
    counts = Tally()
    for one in records:
        counts.add(contradictory=one.truth.contradictory, raised=one.raised)
    return counts


def accuracy(records: Sequence[Record]) -> float | None:
    """Share of right verdicts."""
    return round(tally(records).accuracy, 4) if records else None


def false_alarm_rate(records: Sequence[Record]) -> float | None:
    """Share of coherent scenes of which something is raised."""
    counts = tally(records)
    return round(counts.false_alarm_rate, 4) if counts.coherent else None


def raised_rate(records: Sequence[Record]) -> float | None:
    """Share of items of which something is raised."""
    return round(sum(one.raised for one in records) / len(records), 4) if records else None


def pair_accuracy(records: Sequence[Record]) -> float | None:
    """Of what was rightly raised the share that names the right pair and attribute."""
    named = [one.named for one in records if one.named is not None]
    return round(sum(one.right for one in named) / len(named), 4) if named else None


def by_stage(records: Iterable[Record]) -> Counter[tuple[str, str]]:
    """Wrong verdicts by (``missed`` or ``false alarm``, stage)."""
    return Counter((_sort(one), one.cause.stage) for one in records if one.cause is not None)


def by_fault(records: Iterable[Record]) -> Counter[tuple[str, str, str]]:
    """Wrong verdicts by (``missed`` or ``false alarm``, stage, fault); one with two faults counts in both."""
    return Counter(
        (_sort(one), one.cause.stage, fault)
        for one in records
        if one.cause is not None
        for fault in dict.fromkeys(one.cause.faults)
    )


def by_group(records: Iterable[Record], group: str) -> dict[str, Tally]:
    """Verdicts by application, kind, form of the pair or recipe."""
    found: dict[str, list[Record]] = {}
    for one in records:
        name = {
            "application": one.truth.application,
            "kind": f"{one.truth.application}/{one.truth.kind}",
            "form": one.forms,
            "recipe": one.truth.recipe,
        }[group]
        found.setdefault(name, []).append(one)
    return {name: tally(group) for name, group in sorted(found.items())}


def _sort(record: Record) -> str:
    return "missed" if record.truth.contradictory else "false alarm"


def _rounded(values: Summary | None, name: str) -> float | None:
    return None if values is None else round(float(getattr(values, name)), 1)
