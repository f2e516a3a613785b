"""From what the rules say about a finding to how likely it is true, by what was measured on known scenes.

A logistic map (Platt 1999) of the rules' confidence, how surely both elements were seen and read, whether
they lie on something virtual, and whether they are pictures. ``calibration.json`` holds its weights and
where they come from; ``models/calibration`` fits them.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Final

from arwarden.core.findings import Element, ElementType, Finding, FindingKind

FORMAT: Final = 1
CLIP: Final = 0.02
"""Confidences nearer to 0 or 1 are taken for this far away: rules are never that sure."""
ONE_SAMPLE: Final = 0.97
"""A sample alone is made no surer than this: the map knows pictures that stand still, not misreadings in
motion, and from 0.98 on one sample raises an alert by itself."""
FEATURES: Final = ("one", "rules", "seen", "one_bare", "both_bare", "bare_scene", "pictured")


def features(finding: Finding, elements: Sequence[Element]) -> dict[str, float]:
    """What is known about a contradiction between two of the elements of a frame.

    ``rules`` and ``seen`` are log-odds; ``bare`` is a text that lies on nothing virtual: most texts of the
    real world do. Without any virtual element in view, there is perhaps no virtual text either.

    Whether a rule or the model of sentences found it is left out: on scenes of known kinds the rules have
    found nearly all there is, and what is left for the model would look less likely than it is elsewhere.
    """
    bare = sum(element.type is ElementType.TEXT for element in finding.elements)
    virtual = any(element.type is not ElementType.TEXT for element in elements)
    claims = [element.claims[0] for element in finding.elements if element.claims]
    return {
        "one": 1.0,
        "rules": _log_odds(finding.confidence),
        "seen": _log_odds(min((element.confidence for element in finding.elements), default=1.0)),
        "one_bare": float(bare == 1),
        "both_bare": float(bare >= 2),
        "bare_scene": float(not virtual),
        "pictured": float(sum(claim.pictured for claim in claims)) / 2.0,
    }


@dataclass(frozen=True, slots=True)
class Calibration:
    """The map, and what follows from a probability."""

    weights: Mapping[str, float]
    certain: float
    """From this probability on a finding may warn."""
    least: float
    """Below this one it is not worth a second look."""

    @classmethod
    def load(cls) -> Calibration:
        """The shipped one."""
        text = files("arwarden.fast").joinpath("calibration.json").read_text(encoding="utf-8")
        values = json.loads(text)
        return cls({name: float(values["weights"][name]) for name in FEATURES},
                   float(values["certain"]), float(values["least"]))  # fmt: skip

    def probability(self, finding: Finding, elements: Sequence[Element]) -> float:
        """How likely a contradiction is true, 0..1."""
        known = features(finding, elements)
        return 1.0 / (1.0 + math.exp(-sum(self.weights[name] * known[name] for name in FEATURES)))

    def judged(self, findings: Sequence[Finding], elements: Sequence[Element]) -> tuple[Finding, ...]:
        """The findings with contradictions as likely as they are, surest first; without unlikely ones."""
        kept: list[Finding] = []
        for finding in findings:
            if finding.kind is not FindingKind.CONTRADICTION or len(finding.elements) != 2:
                kept.append(finding)
                continue
            likely = min(self.probability(finding, elements), max(ONE_SAMPLE, finding.confidence))
            if likely >= self.least:
                kept.append(replace(finding, confidence=round(likely, 3), certain=likely >= self.certain))
        return tuple(sorted(kept, key=lambda finding: -finding.confidence))


def _log_odds(share: float) -> float:
    clipped = min(max(share, CLIP), 1.0 - CLIP)
    return math.log(clipped / (1.0 - clipped))
