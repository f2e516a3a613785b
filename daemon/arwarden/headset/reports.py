"""Scene reports of the simulated headset: whole ones now and then, differences in between. Pure."""

from __future__ import annotations

import math
from typing import Final

from arwarden.contract.objects import SceneObject, SceneReport
from arwarden.headset.objects import VIEW_HEIGHT_M, VIEW_WIDTH_M, AppObject, AppObjects

MIN_INTERVAL_MS: Final = 200.0
FULL_INTERVAL_MS: Final = 10_000.0
"""As in the Unity package: a reader who has missed a difference waits so long at most."""


class SceneReporter:
    """Says what the app draws."""

    def __init__(self, objects: AppObjects) -> None:
        self._objects = objects
        self._told: dict[str, SceneObject] = {}
        self._version = 0
        self._last_ms = -math.inf
        self._last_full_ms = -math.inf

    def restart(self) -> None:
        """The next report is a whole one: the connection is new."""
        self._last_full_ms = -math.inf

    def report(self, now_ms: float) -> SceneReport | None:
        """What to say now; None where there is nothing to say. A whole one has ``base`` 0."""
        if now_ms - self._last_ms < MIN_INTERVAL_MS:
            return None
        full = now_ms - self._last_full_ms >= FULL_INTERVAL_MS
        drawn = {one.id: _described(one) for one in self._objects.objects}
        changed = [item for name, item in drawn.items() if full or self._told.get(name) != item]
        if not changed:
            return None
        base = 0 if full else self._version
        self._version += 1
        self._told, self._last_ms = drawn, now_ms
        if full:
            self._last_full_ms = now_ms
        return SceneReport(
            version=self._version, base=base, headset_ms=max(0.0, now_ms), objects=tuple(changed)
        )


def _described(one: AppObject) -> SceneObject:
    box, move = one.box, one.now.move_m
    home_m = (one.home.x_norm * VIEW_WIDTH_M, -one.home.y_norm * VIEW_HEIGHT_M, 1.0)
    return SceneObject.model_validate(
        {
            "id": one.id,
            "class": one.kind,
            "box": tuple(round(side, 3) for side in box),
            "position_m": tuple(round(at + by, 3) for at, by in zip(home_m, move, strict=True)),
            "rotation": (0.0, 0.0, 0.0, 1.0),
            "held": one.held,
            "corrected_m": tuple(round(part, 3) for part in move),
            "corrected_scale": round(one.now.scale, 3),
        }
    )
