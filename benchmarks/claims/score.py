"""Counts of what the engine says about a series of scenes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from arwarden.core.findings import Finding
from arwarden.fast.claims import Lexicon, PairJudge, find_contradictions
from benchmarks.claims.attributes import ATTRIBUTES
from benchmarks.claims.scenes import SeenScene

ALERT = 0.6
"""The daemon's default for raising."""


@dataclass(slots=True)
class Tally:
    """Verdicts on scenes of both labels."""

    contradictory: int = 0
    found: int = 0
    coherent: int = 0
    false_alarms: int = 0

    def add(self, *, contradictory: bool, raised: bool) -> None:
        """Count one scene."""
        self.contradictory += contradictory
        self.found += contradictory and raised
        self.coherent += not contradictory
        self.false_alarms += not contradictory and raised

    @property
    def accuracy(self) -> float:
        """Share of right verdicts; 0 of nothing."""
        right = self.found + self.coherent - self.false_alarms
        return right / max(1, self.contradictory + self.coherent)

    @property
    def false_alarm_rate(self) -> float:
        """Share of coherent scenes that raise something."""
        return self.false_alarms / max(1, self.coherent)

    @property
    def recall(self) -> float:
        """Share of contradictory scenes that raise something."""
        return self.found / max(1, self.contradictory)


@dataclass(slots=True)
class Score:
    """All that is counted on one part of the kinds and splits."""

    total: Tally = field(default_factory=Tally)
    by_application: dict[str, Tally] = field(default_factory=dict)
    by_kind: dict[str, Tally] = field(default_factory=dict)
    alarms_by_recipe: Counter[str] = field(default_factory=Counter)
    raised: int = 0
    """Contradictory scenes that raise something."""
    pair_right: int = 0
    attribute_judged: int = 0
    both_right: int = 0
    """Pair and attribute right, of those whose attribute is judged."""

    def as_json(self) -> dict[str, Any]:
        """The rates, as in ``build/eval.json``."""
        return {
            "scenes": self.total.contradictory + self.total.coherent,
            "accuracy": round(self.total.accuracy, 4),
            "false_alarm_rate": round(self.total.false_alarm_rate, 4),
            "by_application": {
                name: {
                    "accuracy": round(tally.accuracy, 4),
                    "false_alarm_rate": round(tally.false_alarm_rate, 4),
                    "recall": round(tally.recall, 4),
                }
                for name, tally in self.by_application.items()
            },
            "pair_accuracy": round(self.pair_right / max(1, self.raised), 4),
            "pair_and_attribute_accuracy": round(self.both_right / max(1, self.attribute_judged), 4),
        }


def score(
    scenes: Iterable[SeenScene], lexicon: Lexicon, alert: float = ALERT, *, judge: PairJudge | None = None
) -> Score:
    """Judge every scene by the surest finding at or above ``alert``; ``judge`` helps where no rule does."""
    result = Score()
    for scene in scenes:
        situation = scene.situation
        found = find_contradictions(scene.elements, lexicon, judge)
        findings = [one for one in found if one.confidence >= alert]
        kind = f"{situation.application}/{situation.kind.name}"
        for tally in (
            result.total,
            result.by_application.setdefault(situation.application, Tally()),
            result.by_kind.setdefault(kind, Tally()),
        ):
            tally.add(contradictory=situation.contradictory, raised=bool(findings))
        if findings and not situation.contradictory:
            result.alarms_by_recipe[situation.recipe] += 1
        if findings and situation.contradictory:
            _judge_named(result, scene, findings[0])
    return result


def _judge_named(result: Score, scene: SeenScene, finding: Finding) -> None:
    boxes = {element.box for element in finding.elements}
    pair = boxes == {scene.elements[0].box, scene.elements[1].box}
    result.raised += 1
    result.pair_right += pair
    expected = ATTRIBUTES.get(scene.situation.kind.attribute)
    if expected is not None:
        base = finding.attribute.partition(".")[0]
        result.attribute_judged += 1
        result.both_right += pair and base in expected
