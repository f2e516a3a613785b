"""How well the networks find and name the elements of the judged pictures, by their own metrics."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from arwarden.fast.elements.decode import NO_ELEMENT, OTHER, TYPES, Detections, Presence
from arwarden.fast.tracking.elements import LIKELY
from benchmarks.eval.judge import RecordingFinder
from models.elements.evaluate import truths_of
from models.elements.generate import wanted_elements
from models.elements.labels import label_name
from models.elements.metrics import Scores, Tally, match, score
from models.scenes.truth import SceneTruth

LEAST_OF_CLASS = 8
"""Elements of a class, there or reported, below which its numbers say nothing."""


@dataclass(slots=True)
class ElementScore:
    """Counts over pictures."""

    frames: list[tuple[Detections, SceneTruth]] = field(default_factory=list)
    classes: dict[str, Tally] = field(default_factory=lambda: defaultdict(Tally))
    """By label: found means found and named so. Without labels that the weights never say."""
    silent: set[str] = field(default_factory=set)
    """Labels that are never said: a picture of them counts as a box alone."""

    def add(self, truth: SceneTruth, finder: RecordingFinder) -> None:
        """Count what the networks just said about a picture."""
        presence = Presence(finder.labels)
        order = [
            one
            for one in sorted(finder.found, key=lambda one: -one.score)
            if one.box_px in finder.read and presence.of(one.score, finder.read[one.box_px].shares) >= LIKELY
        ]
        found = Detections(
            np.array([one.box_px for one in order], np.float32).reshape(-1, 4),
            np.array([TYPES.index(one.type) for one in order], np.int64),
            np.array([one.score for one in order], np.float32),
        )
        self.frames.append((found, truth))
        elements = wanted_elements(truth.elements)
        truths = truths_of(elements, truth.size_px)
        labels = [label_name(one.kind, one.cls) for one in elements]
        hit: set[int] = set()
        for one, place in zip(order, match(found, truths), strict=True):
            if place == -2:
                continue
            name = finder.labels[int(np.argmax(finder.read[one.box_px].shares))]
            if place >= 0 and name == labels[place]:
                hit.add(int(place))
            else:
                self.classes[name].false += 1
        shipped = set(finder.labels) - finder.silent
        self.silent |= finder.silent
        for index in np.flatnonzero(~truths.ignored):
            name = labels[index] or ""
            if name in shipped:
                tally = self.classes[name]
                tally.found, tally.missed = tally.found + (index in hit), tally.missed + (index not in hit)

    def boxes(self) -> Scores:
        """Precision and recall of boxes with their type, at an overlap of one half."""
        return score(
            (found, truths_of(wanted_elements(truth.elements), truth.size_px), float(truth.size_px[1]))
            for found, truth in self.frames
        )

    def worst(self) -> list[tuple[str, float]]:
        """Classes with the lesser of precision and recall, worst first; pictures of no class are none."""
        known: Mapping[str, Tally] = {
            name: tally
            for name, tally in self.classes.items()
            if name not in (NO_ELEMENT, OTHER) and tally.found + tally.missed >= LEAST_OF_CLASS
        }
        return sorted(
            ((name, min(tally.precision, tally.recall)) for name, tally in known.items()),
            key=lambda pair: (pair[1], pair[0]),
        )
