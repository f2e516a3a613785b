"""The app's own objects on a headset without a headset: corrected as a real one would, held by whoever likes.

Pure: takes messages and the time, returns acknowledgements. Metres become parts of the view by one fixed
measure, as if every object hung on a wall at arm's length and the wearer did not turn.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Final, Self

from arwarden.contract.messages import Ack, AckAction
from arwarden.contract.objects import MAX_OBJECTS, Adjustment
from arwarden.core.counters import Counters
from arwarden.core.errors import ConfigError
from arwarden.core.findings import Box

FORM: Final = 'ID@x,y,w,h, for example "cup@0.45,0.3,0.1,0.12"'
VIEW_WIDTH_M: Final = 2.0
VIEW_HEIGHT_M: Final = 1.2
SHORTEST_MS: Final = 300.0
"""However little there is to do: a thing that jumps startles."""
HELD: Final = "held_by_user"
UNKNOWN: Final = "unknown_object"
LATE: Final = "expired_on_arrival"


@dataclass(frozen=True, slots=True)
class Limits:
    """What the headset allows, whatever the daemon asks for. The defaults are those of the Unity package."""

    max_move_m: float = 0.5
    max_factor: float = 2.0
    speed_mps: float = 0.25
    octaves_per_s: float = 0.5


@dataclass(frozen=True, slots=True)
class Placed:
    """A correction in force: right, up, away in metres, and a factor."""

    move_m: tuple[float, float, float] = (0.0, 0.0, 0.0)
    scale: float = 1.0

    def towards(self, other: Placed, share: float) -> Placed:
        """A part of the way to another."""
        move = [a + (b - a) * share for a, b in zip(self.move_m, other.move_m, strict=True)]
        return Placed((move[0], move[1], move[2]), self.scale * (other.scale / self.scale) ** share)


@dataclass(slots=True)
class AppObject:
    """One object. ``home`` is where the app placed it, in the view."""

    id: str
    home: Box
    kind: str = "object"
    held: bool = False
    now: Placed = Placed()
    _from: Placed = Placed()
    _to: Placed = Placed()
    _began_ms: float = 0.0
    _takes_ms: float = 0.0
    asked: Adjustment | None = None
    """The correction that it follows at present."""
    clamped: bool = False

    @classmethod
    def parse(cls, spec: str) -> Self:
        """Read ``ID@x,y,w,h``: the top left, width and height in the view, 0 to 1. Raises ``ConfigError``."""
        name, at, place = spec.rpartition("@")
        try:
            numbers = [float(part) for part in place.split(",")]
        except ValueError:
            numbers = []
        sound = len(numbers) == 4 and all(0 <= number <= 1 for number in numbers) and min(numbers[2:]) > 0
        if not at or not 1 <= len(name) <= 64 or not sound:
            raise ConfigError(f"object {spec!r}", [f"it must have the form {FORM}, each number from 0 to 1"])
        return cls(name, Box(*numbers), name)

    @property
    def box(self) -> Box:
        """Where it is now, normalised in the view."""
        width, height = self.home.w_norm * self.now.scale, self.home.h_norm * self.now.scale
        across = self.home.x_norm + self.home.w_norm / 2 + self.now.move_m[0] / VIEW_WIDTH_M
        down = self.home.y_norm + self.home.h_norm / 2 - self.now.move_m[1] / VIEW_HEIGHT_M
        return Box(across - width / 2, down - height / 2, width, height)

    def head_for(self, target: Placed, now_ms: float, limits: Limits) -> None:
        """Begin to go there, no faster than is allowed."""
        self._from, self._to, self._began_ms = self.now, target, now_ms
        far_s = math.dist(self.now.move_m, target.move_m) / limits.speed_mps
        grown_s = abs(math.log2(target.scale / self.now.scale)) / limits.octaves_per_s
        self._takes_ms = max(SHORTEST_MS, 1000.0 * far_s, 1000.0 * grown_s)

    def step(self, now_ms: float) -> bool:
        """Go on to where it is by now; True where it has arrived."""
        share = min(1.0, (now_ms - self._began_ms) / self._takes_ms)
        self.now = self._from.towards(self._to, share)
        return share >= 1.0


@dataclass(slots=True)
class AppObjects:
    """All of them. Counts ``adjustments.old`` and ``adjustments.of_other_epoch``."""

    objects: tuple[AppObject, ...]
    limits: Limits = field(default_factory=Limits)
    counters: Counters = field(default_factory=Counters)
    _versions: dict[str, int] = field(default_factory=dict)
    _epoch: str = ""

    def __post_init__(self) -> None:
        names = {one.id for one in self.objects}
        if len(names) != len(self.objects) or len(names) > MAX_OBJECTS:
            raise ConfigError("objects", [f"at most {MAX_OBJECTS}, each with an id of its own"])

    def take(self, asked: Adjustment, now_ms: float, offset_ms: float | None) -> list[Ack]:
        """Take what the daemon asks for; ``offset_ms`` is the daemon's clock minus the headset's."""
        if asked.epoch != self._epoch:
            self._epoch = asked.epoch
            self._versions.clear()
        target = next((one for one in self.objects if one.id == asked.object_id), None)
        if target is None:
            return [_ack(asked, AckAction.REFUSED, now_ms, UNKNOWN)]
        if asked.version <= self._versions.get(asked.object_id, 0):
            self.counters.add("adjustments.old")
            return []
        clock_ms = asked.published_ms if offset_ms is None else now_ms + offset_ms
        if asked.expires_ms <= clock_ms:
            return [_ack(asked, AckAction.EXPIRED, now_ms, LATE)]
        if target.held:
            return [_ack(asked, AckAction.REFUSED, now_ms, HELD)]
        self._versions[asked.object_id] = asked.version
        wanted = Placed() if asked.action == "revert" else Placed(asked.move_m, asked.scale)
        allowed = self._allowed(wanted)
        target.asked, target.clamped = asked, allowed != wanted
        target.head_for(allowed, now_ms, self.limits)
        return [_ack(asked, AckAction.RECEIVED, now_ms)]

    def step(self, now_ms: float) -> list[Ack]:
        """Time has passed: what has arrived is acknowledged."""
        said: list[Ack] = []
        for one in self.objects:
            if one.asked is not None and one.step(now_ms):
                action = AckAction.CLAMPED if one.clamped else AckAction.APPLIED
                said.append(_ack(one.asked, action, now_ms))
                one.asked = None
        return said

    def hold(self, name: str, now_ms: float) -> list[Ack]:
        """The user takes an object: nothing else moves it from now on."""
        said: list[Ack] = []
        for one in self._named(name):
            one.held = True
            if one.asked is not None:
                said.append(_ack(one.asked, AckAction.REFUSED, now_ms, HELD))
                one.asked = None
        return said

    def release(self, name: str) -> None:
        """The user lets go: where it is now is where it belongs, with no correction."""
        for one in self._named(name):
            one.home, one.now, one.held = one.box, Placed(), False

    def _named(self, name: str) -> Iterable[AppObject]:
        return (one for one in self.objects if one.id == name)

    def _allowed(self, wanted: Placed) -> Placed:
        length, limits = math.hypot(*wanted.move_m), self.limits
        scale = min(max(wanted.scale, 1 / limits.max_factor), limits.max_factor)
        if length <= limits.max_move_m:
            return replace(wanted, scale=scale)
        x, y, z = (part * limits.max_move_m / length for part in wanted.move_m)
        return Placed((x, y, z), scale)


def _ack(asked: Adjustment, action: AckAction, now_ms: float, reason: str = "") -> Ack:
    return Ack(
        alert_id=asked.adjustment_id,
        revision=asked.version,
        action=action,
        headset_ms=now_ms,
        reason=reason,
    )
