"""Cues that contradict each other but are not visible together.

Pure, in virtual time. What is not seen any more is remembered for some seconds, with its place, which moves
with the picture. Two cues take turns where one gives way to the other in its place and comes back (A, B,
A), never both at once, each seen more than once. One that is replaced for good is no contradiction: a door
was opened, a battery charges, a page was turned, a countdown runs. A cue whose place the camera has turned
away from is still there, and contradicts what is in view now as if it were seen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, pairwise
from typing import Final

import cv2
import numpy as np

from arwarden.core.findings import Box, Element, Finding
from arwarden.fast.ocr.base import FloatArray
from arwarden.fast.tracking.follower import Step

REMEMBERED_MS: Final = 4000.0
"""A cue is remembered this long after it was last seen."""
MOST_CUES: Final = 64
SAME_PLACE: Final = 0.2
"""Intersection over union from which two cues are in one place; so is one whose middle the other covers."""
LEAST_STRENGTH: Final = 0.5
"""Weaker claims are no cue: a misread word seldom claims anything surely."""
LEAST_WORDS: Final = 2
"""A text that claims nothing is a cue from so many words on: a judge of sentences may know what it says."""
WORDS: Final = ""
"""In the place of an attribute, for what is said in words alone."""
LEAST_SAMPLES: Final = 2
"""Samples that must have shown each of the two cues: one misreading takes no turns."""
LEAST_TURNS: Final = 3
"""Turns, of both together: A, B, A."""
TOGETHER_MS: Final = 400.0
"""Cues shown together for longer than this take no turns; for one sample both may show in a cross-fade."""
TURNS_CONFIDENCE: Final = 0.95
"""How far the turns themselves are believed."""
AWAY_CONFIDENCE: Final = 0.9
"""How far it is believed that a cue is still there after the camera has turned away."""

Conflicts = Callable[[Sequence[Element]], tuple[Finding, ...]]
_Said = frozenset[tuple[str, str, str, bool]]


@dataclass(slots=True)
class _Cue:
    element: Element
    """As last seen; its box is where it would be now."""
    said: _Said
    seen_ms: float
    samples: int = 1
    turns_ms: list[tuple[float, float]] = field(default_factory=list)
    """First and last sample of each time it was shown, oldest first."""


class Alternation:
    """The cues of one stream. ``conflicts`` says which of some elements contradict each other."""

    def __init__(self, conflicts: Conflicts) -> None:
        self._conflicts = conflicts
        self._cues: list[_Cue] = []
        self._sample_ms = -np.inf

    def observe(self, elements: Sequence[Element], step: Step) -> tuple[Finding, ...]:
        """The contradictions between cues that take turns, after a frame that shows these elements."""
        self._carry(step)
        shown: list[_Cue] = []
        for element in elements:
            said = _said(element)
            if said:
                shown.append(self._noted(element, said, step.now_ms, shown))
        self._sample_ms = step.now_ms
        self._forget(step.now_ms)
        found: dict[str, Finding] = {}
        for one, other in combinations(self._cues, 2):
            if min(one.samples, other.samples) < LEAST_SAMPLES:
                continue
            if _take_turns(one, other):
                self._add(found, one, other, "they take turns in one place", TURNS_CONFIDENCE)
            elif _on_one_thing(one, other) and (
                _away(one, other, step.now_ms) or _away(other, one, step.now_ms)
            ):
                self._add(found, one, other, "one of them is out of view now", AWAY_CONFIDENCE)
        return tuple(found.values())

    def _add(self, found: dict[str, Finding], one: _Cue, other: _Cue, how: str, believed: float) -> None:
        for finding in self._conflicts((_in_view(one.element), _in_view(other.element))):
            confidence = round(finding.confidence * believed, 3)
            told = replace(finding, message=f"{finding.message}; {how}", confidence=confidence)
            found.setdefault(finding.key, told)

    def _carry(self, step: Step) -> None:
        if step.motion is None or step.gap_ms > REMEMBERED_MS:
            # Another scene: what was shown in the one before is not in its places.
            self._cues.clear()
            return
        for cue in self._cues:
            cue.element = replace(cue.element, box=_moved(cue.element.box, step.motion.homography))

    def _noted(self, element: Element, said: _Said, now_ms: float, shown: Sequence[_Cue]) -> _Cue:
        """The cue that an element is, new or known; it says at least partly what it said before."""
        for cue in self._cues:
            taken = any(cue is other for other in shown)
            if not taken and cue.said & said and _in_place(cue.element.box, element.box):
                first_ms = now_ms
                if cue.seen_ms == self._sample_ms:
                    first_ms, _ = cue.turns_ms.pop()
                cue.turns_ms.append((first_ms, now_ms))
                cue.element, cue.said, cue.seen_ms = element, said, now_ms
                cue.samples += 1
                return cue
        cue = _Cue(element, said, now_ms, turns_ms=[(now_ms, now_ms)])
        self._cues.append(cue)
        return cue

    def _forget(self, now_ms: float) -> None:
        kept = [cue for cue in self._cues if now_ms - cue.seen_ms <= REMEMBERED_MS]
        self._cues = sorted(kept, key=lambda cue: -cue.seen_ms)[:MOST_CUES]
        for cue in self._cues:
            cue.turns_ms = [turn for turn in cue.turns_ms if now_ms - turn[1] <= 2 * REMEMBERED_MS]


def _said(element: Element) -> _Said:
    """What it claims; of a text that claims nothing, not even unsurely, its words."""
    claimed = frozenset(
        (claim.attribute, claim.value, claim.subject, claim.polarity)
        for claim in element.claims
        if claim.strength >= LEAST_STRENGTH
    )
    words = element.text.casefold().split()
    if element.claims or len(words) < LEAST_WORDS:
        return claimed
    return frozenset({(WORDS, " ".join(words), "", True)})


def _in_place(one: Box, other: Box) -> bool:
    return one.overlap(other) >= SAME_PLACE or _covers(one, other) or _covers(other, one)


def _covers(one: Box, other: Box) -> bool:
    x, y = other.x_norm + other.w_norm / 2, other.y_norm + other.h_norm / 2
    return one.x_norm <= x <= one.x_norm + one.w_norm and one.y_norm <= y <= one.y_norm + one.h_norm


def _together(one: _Cue, other: _Cue) -> bool:
    """Whether both were shown at once: then nothing has to be remembered for them to be compared."""
    return any(min(a[1], b[1]) - max(a[0], b[0]) > TOGETHER_MS for a in one.turns_ms for b in other.turns_ms)


def _on_one_thing(one: _Cue, other: _Cue) -> bool:
    """Whether both claim something on one attribute."""
    return bool(({said[0] for said in one.said} & {said[0] for said in other.said}) - {WORDS})


def _take_turns(one: _Cue, other: _Cue) -> bool:
    if not _in_place(one.element.box, other.element.box) or _together(one, other):
        return False
    turns = sorted([(turn, 0) for turn in one.turns_ms] + [(turn, 1) for turn in other.turns_ms])
    # A gap in what is seen of one cue is no turn of the other.
    changes = sum(before[1] != after[1] for before, after in pairwise(turns))
    return changes + 1 >= LEAST_TURNS


def _away(one: _Cue, other: _Cue, now_ms: float) -> bool:
    """Whether the camera has turned away from the place of one cue, and the other is in view."""
    x, y = (
        one.element.box.x_norm + one.element.box.w_norm / 2,
        one.element.box.y_norm + one.element.box.h_norm / 2,
    )
    outside = not (0.0 <= x <= 1.0 and 0.0 <= y <= 1.0)
    return outside and one.seen_ms < now_ms and other.seen_ms == now_ms


def _in_view(element: Element) -> Element:
    """With its box within the picture; of one out of view, at the edge that is nearest to it."""
    x, y, w, h = element.box
    w, h = min(w, 1.0), min(h, 1.0)
    return replace(element, box=Box(min(max(x, 0.0), 1.0 - w), min(max(y, 0.0), 1.0 - h), w, h))


def _moved(box: Box, homography: FloatArray) -> Box:
    x, y, w, h = box
    corners = np.asarray([[[x, y], [x + w, y], [x + w, y + h], [x, y + h]]], np.float32)
    moved = cv2.perspectiveTransform(corners, homography.astype(np.float64))[0]
    centre = moved.mean(axis=0)
    # Moved and scaled, not turned: around a turned box it would grow with every frame.
    width = float(np.linalg.norm(moved[1] - moved[0]) + np.linalg.norm(moved[2] - moved[3])) / 2.0
    height = float(np.linalg.norm(moved[3] - moved[0]) + np.linalg.norm(moved[2] - moved[1])) / 2.0
    return Box(float(centre[0]) - width / 2.0, float(centre[1]) - height / 2.0, width, height)
