"""A picture that stands still although frames keep coming.

What a worn camera sees is never still: in a real headset recording the mean difference of two
neighbouring frames is never below 1.1 grey levels on the grid used here, and even a camera on a
tripod drifts by more than 0.2 from its first frame within half a second, because its noise passes
the codec now and then. A renderer that hangs repeats one picture; VP8 and H264 leave 0 to 0.05 of it
once their refinement is over.

Limits. A picture drawn by software alone (a generated scene, a menu without passthrough) is still
without being frozen. So a freeze needs a picture that moved before: one second without a rest, at
any time in the session. A stream that is frozen from its first frame is therefore not found, and a
software scene that moved and then rests is called frozen. A hang of the camera behind virtual
content that still moves is not found either. A content-free picture (black, one colour) is never
called frozen: other measures see it.
"""

from __future__ import annotations

import cv2
import numpy as np

from arwarden.core.findings import Finding, FindingKind, Severity
from arwarden.core.frame import ByteImage

GRID_PX = (90, 160)
"""About so many rows and columns are compared: every eighth pixel of a 1280x720 picture."""
STILL_LEVELS = 0.2
"""Mean difference from the first frame of the rest, in grey levels, up to which it is the same picture."""
EMPTY_DEVIATION = 2.0
"""Grey levels of standard deviation below which there is no content that could freeze."""
LIVELY_MS = 1000.0
REST_MS = 300.0
"""A rest longer than this ends the movement: a slide show never counts as alive."""
MAX_GAP_MS = 1000.0
"""Frames further apart are a stall, which is reported elsewhere."""
MIN_FRAMES = 5


class FreezeDetector:
    """Watches every received frame of one session; about 0.05 ms for each at 1280x720."""

    def __init__(self, freeze_after_ms: float = 2000.0) -> None:
        if not freeze_after_ms > 0:
            msg = f"freeze_after_ms must be more than 0, not {freeze_after_ms}"
            raise ValueError(msg)
        self._freeze_after_ms = freeze_after_ms
        self._reference: ByteImage | None = None
        self._empty = True
        self._rest_since_ms = 0.0
        self._rest_frames = 0
        self._last_ms = 0.0
        self._moving_since_ms: float | None = None
        self._alive = False
        self._still_ms = 0.0
        self._frozen = False

    def observe(self, luma: ByteImage, now_ms: float) -> bool:
        """Take the brightness plane, shape ``(height, width)``, of a frame; True while it is frozen."""
        step_y, step_x = max(1, luma.shape[0] // GRID_PX[0]), max(1, luma.shape[1] // GRID_PX[1])
        grid = np.ascontiguousarray(luma[::step_y, ::step_x])
        gap_ms, self._last_ms = now_ms - self._last_ms, now_ms
        if self._reference is None or self._reference.shape != grid.shape or gap_ms > MAX_GAP_MS:
            self._moving_since_ms = None
            self._begin_rest(grid, now_ms)
        elif _mean_difference(self._reference, grid) > STILL_LEVELS:
            self._moved(now_ms)
            self._begin_rest(grid, now_ms)
        else:
            self._rest_frames += 1
        self._still_ms = now_ms - self._rest_since_ms
        if self._still_ms > REST_MS:
            self._moving_since_ms = None
        long_enough = self._still_ms >= self._freeze_after_ms and self._rest_frames >= MIN_FRAMES
        self._frozen = self._alive and long_enough and not self._empty
        return self._frozen

    def finding(self) -> Finding | None:
        """What to say of the last frame; None while it is not frozen.

        Nearly certain, enough to raise an alert at once: the evidence is the whole rest, not one sample.
        It is up to the caller to hold it back while frames have stopped or the transport is damaged.
        """
        if not self._frozen:
            return None
        return Finding(
            kind=FindingKind.QUALITY,
            key="quality:freeze",
            attribute="freeze",
            severity=Severity.WARNING,
            message=f"The picture is frozen: it has not changed for {self._still_ms / 1000:.1f} s.",
            confidence=0.99,
        )

    def _begin_rest(self, grid: ByteImage, now_ms: float) -> None:
        self._reference = grid
        self._empty = float(grid.std()) < EMPTY_DEVIATION
        self._rest_since_ms = now_ms
        self._rest_frames = 1

    def _moved(self, now_ms: float) -> None:
        if self._moving_since_ms is None:
            self._moving_since_ms = now_ms
        self._alive = self._alive or now_ms - self._moving_since_ms >= LIVELY_MS


def _mean_difference(one: ByteImage, other: ByteImage) -> float:
    return float(cv2.mean(cv2.absdiff(one, other))[0])
