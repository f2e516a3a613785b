"""What each headset's app draws, put together from its reports. Pure.

A whole report replaces what is known; a difference names the version that it changes and counts only where
that is the one known here. After a gap nothing more is believed until the next whole report, which the
headset's side sends every ten seconds.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from arwarden.contract.objects import MAX_OBJECTS, SceneObject, SceneReport
from arwarden.core.counters import Counters
from arwarden.core.findings import Box

MAX_DEVICES: Final = 64
STEADY_VIEW: Final = 0.05
"""A box whose centre stays within this share of the view stands still: a head is never quite still."""
STEADY_SIZE: Final = 1.15
STEADY_M: Final = 0.03
"""An object that moved farther than this in the app's space was moved by somebody."""
IN_VIEW: Final = 0.6
"""Least share of an object's box that lies in the view, for a judgement of it."""


@dataclass(frozen=True, slots=True)
class Seen:
    """One object as last reported. Times are on the daemon's clock."""

    item: SceneObject
    steady_since_ms: float
    """Since when its box has stayed where it is, about."""
    moved_ms: float
    """When it last moved in the app's own space, whoever moved it."""
    anchor: Box
    place_m: tuple[float, float, float]

    @property
    def box(self) -> Box:
        """The part of its box that lies in the view; of no width or height where none does."""
        left, top, width, height = self.item.box
        right, bottom = min(1.0, left + width), min(1.0, top + height)
        left, top = max(0.0, left), max(0.0, top)
        return Box(left, top, max(0.0, right - left), max(0.0, bottom - top))

    @property
    def area(self) -> float:
        """The share of the view that its box covers."""
        return self.box.w_norm * self.box.h_norm

    @property
    def in_view(self) -> bool:
        """Whether most of it can be seen."""
        whole = self.item.box[2] * self.item.box[3]
        return whole > 0 and self.area >= IN_VIEW * whole

    def updated(self, item: SceneObject, now_ms: float) -> Seen:
        """The same object by a newer report."""
        box = Box(*item.box)
        moved = math.dist(item.position_m, self.place_m) > STEADY_M
        shifted = _shifted(self.anchor, box)
        return replace(
            self,
            item=item,
            steady_since_ms=now_ms if shifted else self.steady_since_ms,
            anchor=box if shifted else self.anchor,
            moved_ms=now_ms if moved else self.moved_ms,
            place_m=item.position_m if moved else self.place_m,
        )


class SceneModel:
    """What one headset's app draws.

    Counts ``scene.gap``, ``scene.unusable`` (a difference after a gap), ``scene.old``, ``scene.overflow``.
    """

    def __init__(self, counters: Counters) -> None:
        self._counters = counters
        self._objects: dict[str, Seen] = {}
        self._version: int | None = None
        self._heard_ms = -math.inf

    @property
    def complete(self) -> bool:
        """False from a missing difference on until the next whole report."""
        return self._version is not None

    def take(self, report: SceneReport, now_ms: float, *, retained: bool) -> None:
        """A report has arrived. A retained one is something to build on, yet no sign of life."""
        if report.base == 0:
            self._replace(report, now_ms, retained=retained)
        elif self._version is None or report.version <= self._version:
            self._counters.add("scene.unusable" if self._version is None else "scene.old")
        elif report.base != self._version:
            self._counters.add("scene.gap")
            self._version = None
        else:
            for name in report.removed:
                self._objects.pop(name, None)
            self._note(report.objects, now_ms)
            self._version, self._heard_ms = report.version, now_ms

    def objects(self, now_ms: float, expiry_ms: float) -> Mapping[str, Seen]:
        """By their ids; nothing while reports are missing or the last one is older than ``expiry_ms``."""
        usable = self.complete and now_ms - self._heard_ms < expiry_ms
        return self._objects if usable else {}

    def _replace(self, report: SceneReport, now_ms: float, *, retained: bool) -> None:
        if retained and self._version is not None:
            # A new subscription brings back the last whole report, older than what was heard since.
            self._counters.add("scene.old")
            return
        known = {item.id for item in report.objects}
        for name in [name for name in self._objects if name not in known]:
            del self._objects[name]
        self._note(report.objects, now_ms)
        self._version = report.version
        if not retained:
            self._heard_ms = now_ms

    def _note(self, items: Iterable[SceneObject], now_ms: float) -> None:
        for item in items:
            before = self._objects.get(item.id)
            if before is not None:
                self._objects[item.id] = before.updated(item, now_ms)
            elif len(self._objects) < MAX_OBJECTS:
                self._objects[item.id] = Seen(item, now_ms, now_ms, Box(*item.box), item.position_m)
            else:
                self._counters.add("scene.overflow")


class SceneBook:
    """The scenes of all headsets, at most ``MAX_DEVICES``: the one heard of least recently gives way."""

    def __init__(self, counters: Counters) -> None:
        self._counters = counters
        self._scenes: OrderedDict[str, SceneModel] = OrderedDict()

    def take(self, device_id: str, report: SceneReport | None, now_ms: float, *, retained: bool) -> None:
        """A report of one headset; None where it took back what it had said."""
        if report is None:
            self._scenes.pop(device_id, None)
            return
        scene = self._scenes.setdefault(device_id, SceneModel(self._counters))
        self._scenes.move_to_end(device_id)
        scene.take(report, now_ms, retained=retained)
        if len(self._scenes) > MAX_DEVICES:
            self._scenes.popitem(last=False)
            self._counters.add("scene.devices_overflow")

    def objects(self, device_id: str, now_ms: float, expiry_ms: float) -> Mapping[str, Seen]:
        """What a headset's app draws now, by the objects' ids."""
        scene = self._scenes.get(device_id)
        return {} if scene is None else scene.objects(now_ms, expiry_ms)


def _shifted(anchor: Box, box: Box) -> bool:
    """Whether a box stands elsewhere, or is of another size, than where it was found."""
    across = abs(anchor.x_norm + anchor.w_norm / 2 - box.x_norm - box.w_norm / 2)
    down = abs(anchor.y_norm + anchor.h_norm / 2 - box.y_norm - box.h_norm / 2)
    if max(across, down) > STEADY_VIEW:
        return True
    sides = ((anchor.w_norm, box.w_norm), (anchor.h_norm, box.h_norm))
    return any(max(side) > STEADY_SIZE * min(side) for side in sides)
