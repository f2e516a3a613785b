"""One stream's pictures in order: how each has moved against the one before, and who has to look again.

Finding lines of text, finding elements and remembering what has vanished all need the camera's motion;
it is measured once a frame. Pure, in virtual time.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

import numpy as np

from arwarden.core.frame import ByteImage
from arwarden.fast.ocr.base import FloatArray
from arwarden.fast.tracking import novelty

FORGET_MS: Final = 2000.0
"""After a gap this long what was followed is found anew: following points over it would find nothing."""


@dataclass(frozen=True, slots=True)
class Step:
    """From the frame before to this one."""

    now_ms: float
    motion: novelty.Motion | None
    """None for a first frame, and where it cannot be told: another scene, darkness, a fast turn."""
    gap_ms: float = math.inf
    """Time since the frame before; infinite for a first frame, and for one that is not newer."""

    @property
    def anew(self) -> bool:
        """Whether nothing that was followed can be relied on."""
        return self.gap_ms >= FORGET_MS

    def homography_px(self, width_px: int, height_px: int) -> FloatArray | None:
        """The motion in pixels of a picture of this size, shape ``(3, 3)``; None where it is not known."""
        if self.motion is None:
            return None
        scale = np.diag([width_px, height_px, 1.0]).astype(np.float32)
        return np.asarray(scale @ self.motion.homography @ np.linalg.inv(scale), dtype=np.float32)


class Follower:
    """The motion of one stream, frame by frame."""

    def __init__(self) -> None:
        self._before: novelty.Scenery | None = None
        self._seen_ms = -math.inf

    def step(self, luma: ByteImage, now_ms: float) -> Step:
        """Take a frame's brightness plane; a frame that is not newer than the last one starts anew."""
        gap_ms = now_ms - self._seen_ms
        small = novelty.shrink(luma)
        known = self._before is not None and 0 < gap_ms < math.inf
        motion = novelty.motion(self._before, small) if known and self._before is not None else None
        self._before, self._seen_ms = novelty.scenery(small), now_ms
        return Step(now_ms, motion, gap_ms if known else math.inf)


class Urgency(IntEnum):
    """How soon something has to be looked at again."""

    NONE = 0
    ROUTINE = 1
    """The last time is long ago; a frame later will do."""
    NOW = 2


class Attention:
    """When one kind of search is due: at once after something new, else every ``every_ms``.

    What is new may still be fading in: ``again`` more frames are searched after it.
    """

    def __init__(self, every_ms: float, *, again: int = 0) -> None:
        self._every_ms = every_ms
        self._again = again
        self._left = 0
        self._looked_ms = -math.inf
        self._unseen = 0.0
        self._new = True

    def note(self, motion: novelty.Motion | None) -> None:
        """Take a frame into account; None where nothing is known of how it has moved.

        What is new stays new until somebody has looked.
        """
        if motion is None:
            self._new = True
            return
        self._unseen += motion.unseen
        self._new = self._new or motion.new_tiles >= novelty.NEW_TILES

    def urgency(self, now_ms: float) -> Urgency:
        """Whether to look in the frame that was noted last."""
        if self._new:
            return Urgency.NOW
        # What comes into view at the edge of a turning camera is often blurred, and comes in every frame.
        turned = self._unseen > novelty.UNSEEN_SHARE
        due = turned or self._left > 0 or now_ms - self._looked_ms >= self._every_ms
        return Urgency.ROUTINE if due else Urgency.NONE

    def overdue_ms(self, now_ms: float) -> float:
        """For how long a routine search has been due; negative before."""
        return now_ms - self._looked_ms - self._every_ms

    def looked(self, now_ms: float) -> None:
        """Somebody has looked in this frame."""
        self._left = self._again if self._new else max(0, self._left - 1)
        self._looked_ms, self._unseen, self._new = now_ms, 0.0, False


def one_at_a_time(first: Urgency, second: Urgency, *, first_longer: bool) -> tuple[bool, bool]:
    """Which of two searches to make in a frame: routine ones never together, nor beside an urgent one.

    ``first_longer``: the first has been due for longer.
    """
    if Urgency.NOW in (first, second):
        return first is Urgency.NOW, second is Urgency.NOW
    if first and second:
        return first_longer, not first_longer
    return bool(first), bool(second)
