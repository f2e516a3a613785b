"""What one pass of the fast tier costs by itself: the yardstick of the targets."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Self

import av

from arwarden.config import Config
from arwarden.core.clock import SystemClock
from arwarden.core.frame import CaptureClock, Frame, View
from arwarden.core.tier import SceneContext
from arwarden.fast.tier import FastTier
from arwarden.ingest.picture import AvPicture
from benchmarks.latency.clip import Clip

WARM_PASSES = 3
"""The first passes of a tier allocate; they are not counted."""
PASSES = 24
EVERY_S = 0.7
"""Distance of the pictures in the clip: not a divisor of a situation's time, so all its phases occur."""


class BarePass:
    """A fast tier, alone in its thread, on pictures of the clip. Constructing it takes seconds."""

    def __init__(self, tier: FastTier, pictures: Sequence[av.VideoFrame]) -> None:
        self._tier = tier
        self._pictures = pictures

    @classmethod
    def on(cls, clip: Clip, *, passes: int = PASSES) -> Self:
        """Load the tier with the shipped configuration, and decode the pictures."""
        pictures = list(clip.pictures(every=max(1, round(EVERY_S * clip.fps)), limit=passes))
        return cls(FastTier(Config().fast, SystemClock()), pictures)

    def measure(self) -> list[float]:
        """Milliseconds of each pass over a picture that nobody has looked at, after the warm ones."""
        for picture in self._pictures[:WARM_PASSES]:
            self._pass_ms(picture)
        return [self._pass_ms(picture) for picture in self._pictures]

    def close(self) -> None:
        """End the tier's threads."""
        self._tier.close_now()

    def _pass_ms(self, picture: av.VideoFrame) -> float:
        # A fresh picture around the same planes: the daemon's pass converts the colours, so this one does.
        frame = Frame("bare", 0, 0.0, CaptureClock.ARRIVAL, 0.0, AvPicture(picture))
        begun = time.perf_counter()
        self._tier.analyse_now(frame, SceneContext("bare", View.COMPOSITED))
        return (time.perf_counter() - begun) * 1000.0
