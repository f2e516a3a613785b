"""Objects of an app, and what is said about them, for tests of the adjustment loop."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from arwarden.adjust.scene import Seen
from arwarden.contract.objects import SceneObject, SceneReport
from arwarden.core.findings import Box

CUP_BOX = (0.4, 0.4, 0.1, 0.1)


def thing(name: str = "cup", kind: str = "cup", **members: Any) -> SceneObject:
    whole = {
        "id": name,
        "class": kind,
        "box": CUP_BOX,
        "position_m": (0.0, 0.0, 1.0),
        "rotation": (0.0, 0.0, 0.0, 1.0),
        **members,
    }
    return SceneObject.model_validate(whole)


def report(version: int, *objects: SceneObject, base: int = 0, removed: tuple[str, ...] = ()) -> SceneReport:
    return SceneReport(version=version, base=base, headset_ms=1.0, objects=objects, removed=removed)


def seen(
    name: str = "cup", kind: str = "cup", *, steady_ms: float = 0.0, moved_ms: float = 0.0, **members: Any
) -> Seen:
    item = thing(name, kind, **members)
    return Seen(item, steady_ms, moved_ms, Box(*item.box), item.position_m)


def by_id(*objects: Seen) -> Mapping[str, Seen]:
    return {one.item.id: one for one in objects}
