"""Scene reports from headsets. Everything in them is somebody else's word: checked, bounded, counted."""

from __future__ import annotations

import math
from dataclasses import dataclass

from pydantic import ValidationError

from arwarden.contract.objects import SceneObject, SceneReport
from arwarden.contract.topics import Topics
from arwarden.core.counters import Counters

MAX_SCENE_BYTES = 16_384
"""What the headset's side keeps to as well; 64 objects with long names take some 20 kB and come in parts."""
FARTHEST_M = 10_000.0
MOST_VIEWS = 1000.0
"""A box may lie outside the view, or be larger than it where the object is near, but not without end."""


@dataclass(frozen=True, slots=True)
class DeviceScene:
    """A scene report and the headset whose topic it came on; no report where the retained one was cleared."""

    device_id: str
    report: SceneReport | None
    retained: bool


class SceneReader:
    """Turns messages on the scene topics into reports.

    Counts ``scene.accepted`` and ``scene.cleared``, and what is refused as ``scene.bad_topic``,
    ``scene.too_large`` and ``scene.malformed``.
    """

    def __init__(self, topics: Topics, counters: Counters) -> None:
        self._topics = topics
        self._counters = counters

    def read(self, topic: str, payload: bytes, *, retained: bool) -> DeviceScene | None:
        """The report, or None where the message is not to be believed."""
        device_id = self._topics.device_of(topic)
        if device_id is None or topic != self._topics.scene(device_id):
            self._counters.add("scene.bad_topic")
            return None
        if not payload:
            self._counters.add("scene.cleared")
            return DeviceScene(device_id, None, retained)
        if len(payload) > MAX_SCENE_BYTES:
            self._counters.add("scene.too_large")
            return None
        report = _parse(payload)
        self._counters.add("scene.malformed" if report is None else "scene.accepted")
        return None if report is None else DeviceScene(device_id, report, retained)


def _parse(payload: bytes) -> SceneReport | None:
    try:
        report = SceneReport.model_validate_json(payload, strict=True)
    except ValidationError:
        return None
    ids = [item.id for item in report.objects]
    sound = math.isfinite(report.headset_ms) and len(set(ids)) == len(ids) and report.base < report.version
    return report if sound and all(_sound(item) for item in report.objects) else None


def _sound(item: SceneObject) -> bool:
    """Whether its numbers can be reckoned with: finite, of a size that a view and a room may have."""
    places = (*item.position_m, *(item.expected_size_m or ()), *(item.corrected_m or ()))
    return (
        all(abs(place) <= FARTHEST_M for place in places)
        and all(abs(side) <= MOST_VIEWS for side in item.box)
        and min(item.box[2:]) >= 0.0
        and all(abs(part) <= 1.01 for part in item.rotation)
    )
