"""Views that are mirrored, upside down or on their side: left and right are not what they seem there.

Text tells. Read the right way round, a line comes out with a confidence of 0.96 and more (2nd percentile of
rendered panels), read mirrored or upside down with 0.74 and less in the median and never above 0.95. So a
view is tried the other ways round only where lines are read badly, only now and then, and a few lines at a
time; sure lines are evidence for an upright view at no cost. The class is pure: reading is the caller's.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from enum import Enum
from typing import Final

from arwarden.core.findings import Finding, FindingKind, Severity
from arwarden.fast.ocr.base import Quad, TextLine

SURE: Final = 0.95
"""Confidence from which a line was read the right way round."""
UNSURE: Final = 0.94
BETTER: Final = 0.05
"""So much surer than as it stands must a line be the other way round."""
MIN_LETTERS: Final = 4
"""Shorter words are often others when mirrored."""
MIN_HEIGHT_NORM: Final = 0.02
"""Lines lower than this are read badly either way (14 px at 720p)."""
MAX_TRIED: Final = 3
"""Lines tried at a time, two readings each: about 120 ms on one core."""
FIRST_PAUSE_MS, LONGEST_PAUSE_MS = 2000.0, 60_000.0
"""Between tries; doubled each time that nothing comes of it."""
MIN_VOTES: Final = 2
MAX_VOTES: Final = 6
CONFIDENCE: Final = (0.0, 0.5, 0.8, 0.9, 0.95)
"""By votes. Below the confidence at which one sample alone raises an alert."""
TALL: Final = 1.5
DIRECTION: Final = "direction"


class View(Enum):
    """How a view is turned, with what is told of it."""

    MIRRORED = "mirrored"
    TURNED = "upside down"
    SIDEWAYS = "sideways"


_MESSAGES: Final = {
    View.MIRRORED: "The view is mirrored: left and right are swapped, so directions are not judged.",
    View.TURNED: "The view is upside down, so directions are not judged.",
    View.SIDEWAYS: "The view is turned on its side, so directions are not judged.",
}

Read = Callable[[Sequence[Quad]], Sequence[TextLine]]
"""Reads the lines at these places, in the order given."""


class OrientationWatch:
    """One stream's evidence on how its view is turned. Times are on the daemon's clock."""

    def __init__(self) -> None:
        self._votes: dict[View, int] = dict.fromkeys(View, 0)
        self._next_try_ms = math.nan
        self._pause_ms = FIRST_PAUSE_MS

    @property
    def view(self) -> View | None:
        """How the view is turned, as far as anything speaks for it; None for an upright one."""
        best = max(View, key=lambda view: self._votes[view])
        return best if self._votes[best] > 0 else None

    def observe(
        self, lines: Sequence[TextLine], aspect: float, now_ms: float, read: Read, *, at_once: bool = False
    ) -> None:
        """Take in a frame's lines as they were read; ``aspect`` is the frame's width by its height.

        ``read`` is called at most twice, seldom, never while more lines are upright than doubtful, and for
        the first frame only if ``at_once``: a first look costs enough without it.
        """
        if math.isnan(self._next_try_ms):
            self._next_try_ms = now_ms if at_once else now_ms + FIRST_PAUSE_MS / 2
        words = [line for line in lines if sum(map(str.isalpha, line.text)) >= MIN_LETTERS]
        tall = [line for line in words if _is_tall(line.quad, aspect)]
        level = [line for line in words if line not in tall]
        upright = sum(line.confidence >= SURE for line in level)
        sideways = sum(line.confidence >= SURE for line in tall)
        self._vote(View.SIDEWAYS, sideways - 2 * upright if sideways > 1 else -upright)
        doubtful = [line for line in level if line.confidence < UNSURE and line.box.h_norm >= MIN_HEIGHT_NORM]
        if len(doubtful) <= upright or now_ms < self._next_try_ms:
            self._vote(View.MIRRORED, -upright)
            self._vote(View.TURNED, -upright)
            return
        doubtful.sort(key=lambda line: -line.box.w_norm)
        mirrored, turned = _tried(doubtful[:MAX_TRIED], read)
        self._vote(View.MIRRORED, mirrored - turned - upright)
        self._vote(View.TURNED, turned - mirrored - upright)
        found = self.view is not None
        self._pause_ms = FIRST_PAUSE_MS if found else min(2 * self._pause_ms, LONGEST_PAUSE_MS)
        self._next_try_ms = now_ms + self._pause_ms

    def judged(self, findings: Sequence[Finding]) -> tuple[Finding, ...]:
        """The findings of a frame with what the view itself is; without directions where it is turned."""
        view = self.view
        if view is None:
            return tuple(findings)
        kept = tuple(found for found in findings if found.attribute.partition(".")[0] != DIRECTION)
        votes = self._votes[view]
        if votes < MIN_VOTES:
            return kept
        confidence = CONFIDENCE[min(votes, len(CONFIDENCE) - 1)]
        name = view.value
        told = Finding(
            FindingKind.QUALITY, f"quality:{name}", name, Severity.WARNING, _MESSAGES[view], confidence
        )
        return (*kept, told)

    def _vote(self, view: View, lines: int) -> None:
        self._votes[view] = min(max(self._votes[view] + lines, 0), MAX_VOTES)


def _tried(lines: Sequence[TextLine], read: Read) -> tuple[int, int]:
    """How many of the lines read well mirrored, and how many upside down."""
    mirrored = [
        _is_better(line, other)
        for line, other in zip(lines, read([_mirrored(line.quad) for line in lines]), strict=True)
    ]
    rest = [line for line, is_better in zip(lines, mirrored, strict=True) if not is_better]
    turned = [
        _is_better(line, other)
        for line, other in zip(rest, read([_turned(line.quad) for line in rest]) if rest else (), strict=True)
    ]
    return sum(mirrored), sum(turned)


def _is_better(line: TextLine, other: TextLine) -> bool:
    letters = sum(map(str.isalpha, other.text))
    return letters >= MIN_LETTERS and other.confidence >= max(SURE, line.confidence + BETTER)


def _mirrored(quad: Quad) -> Quad:
    """The corners as they are when the line is read from the other side."""
    return quad[1], quad[0], quad[3], quad[2]


def _turned(quad: Quad) -> Quad:
    return quad[2], quad[3], quad[0], quad[1]


def _is_tall(quad: Quad, aspect: float) -> bool:
    """Whether the line runs up or down rather than across the frame."""
    xs = [point.x_norm * aspect for point in quad]
    ys = [point.y_norm for point in quad]
    return max(ys) - min(ys) >= TALL * (max(xs) - min(xs))
