"""What is remembered of each object, and which of them is judged next. Pure."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from arwarden.adjust.scene import Seen
from arwarden.adjust.steps import AS_PLACED, Correction
from arwarden.config import AdjustConfig
from arwarden.config.adjust import Factor

MAX_RECORDS: Final = 256
"""Ids of objects that come and go are not remembered for ever."""
RETRY_MS: Final = 15_000.0
"""After a question that came to nothing."""
MOTION_TAIL_MS: Final = 2000.0
"""A report of where our own correction brought an object may come so long after it has arrived."""


class End(StrEnum):
    """Why an object is done with for now."""

    GOOD = "good"
    """Rated well enough, before or after corrections."""
    IMPROVED = "improved"
    """Rated better than before, and no further step is allowed or asked for."""
    WORSE = "worse"
    """A correction made it worse and was taken back."""
    NO_BETTER = "no_better"
    """Corrections changed nothing and were taken back."""
    NO_WISH = "no_wish"
    """Rated low without a correction that could be carried out."""
    AT_LIMIT = "at_limit"
    RATED_ONLY = "rated_only"
    HELD = "held"
    MOVED = "moved"
    """Somebody else moved it meanwhile."""
    OUTDATED = "outdated"
    """By the time of the answer it was held, moved or gone."""
    LATE = "late"
    """The answer came after the correction's expiry."""
    UNANSWERED = "unanswered"
    """The headset did not say what became of a correction."""
    EXPIRED = "expired"
    """The correction reached the headset too late."""
    REFUSED = "refused"
    UNVERIFIED = "unverified"
    """Corrected, and not seen long enough since to be judged again."""
    FAILED = "failed"
    """The judge gave no answer, or no readable one."""


CONCLUSIVE: Final = frozenset(
    {End.GOOD, End.IMPROVED, End.WORSE, End.NO_BETTER, End.NO_WISH, End.AT_LIMIT, End.RATED_ONLY}
)
"""After these an object is judged again only once it has moved: the answer would be the same."""
SOON_AGAIN: Final = frozenset({End.OUTDATED, End.LATE, End.EXPIRED, End.FAILED})


@dataclass(slots=True)
class Record:
    """One object's history in this session."""

    correction: Correction = AS_PLACED
    """The one last acknowledged, for apps that do not report which is in force."""
    given_up: bool = False
    paused_until_ms: float = -math.inf
    not_before_ms: dict[Factor, float] = field(default_factory=dict)
    concluded_ms: dict[Factor, float] = field(default_factory=dict)

    def in_force(self, seen: Seen) -> Correction:
        """The correction that the object has now: what the app says, before what is believed here."""
        told = seen.item.corrected_m
        return self.correction if told is None else Correction(told, seen.item.corrected_scale)

    def due(self, factor: Factor, seen: Seen, now_ms: float) -> bool:
        """Whether a factor of it may be judged."""
        if now_ms < self.not_before_ms.get(factor, -math.inf):
            return False
        concluded_ms = self.concluded_ms.get(factor)
        return concluded_ms is None or seen.moved_ms > concluded_ms + MOTION_TAIL_MS


class Records:
    """The records of one session's objects."""

    def __init__(self, config: AdjustConfig) -> None:
        self._config = config
        self._records: OrderedDict[str, Record] = OrderedDict()

    def of(self, object_id: str) -> Record:
        """An object's record, made where there is none."""
        record = self._records.setdefault(object_id, Record())
        self._records.move_to_end(object_id)
        if len(self._records) > MAX_RECORDS:
            self._records.popitem(last=False)
        return record

    def note_held(self, scene: Mapping[str, Seen], now_ms: float) -> None:
        """What the user holds is left alone for a while."""
        for name, seen in scene.items():
            if seen.item.held:
                self.of(name).paused_until_ms = now_ms + self._config.held_pause_ms

    def concluded(self, object_id: str, factor: Factor, end: End, now_ms: float) -> None:
        """An object is done with for now."""
        record, config = self.of(object_id), self._config
        pause_ms = RETRY_MS if end in SOON_AGAIN else config.cool_down_ms
        record.not_before_ms[factor] = now_ms + pause_ms
        if end in CONCLUSIVE:
            # For the other factors as well: where our own corrections took it is no news for them.
            record.concluded_ms[factor] = now_ms
            record.concluded_ms = dict.fromkeys(record.concluded_ms, now_ms)
        if end is End.HELD:
            record.paused_until_ms = now_ms + config.held_pause_ms

    def next(self, scene: Mapping[str, Seen], now_ms: float) -> tuple[str, Factor] | None:
        """The object to be judged next, the largest in view first, and on what."""
        for name, seen in sorted(scene.items(), key=lambda entry: (-entry[1].area, entry[0])):
            record = self._records.get(name, Record())
            if record.given_up or now_ms < record.paused_until_ms or not self.judgeable(seen, now_ms):
                continue
            for factor in self._config.factors:
                if record.due(factor, seen, now_ms):
                    return name, factor
        return None

    def judgeable(self, seen: Seen, now_ms: float) -> bool:
        """Whether an object can be judged as it is now: large enough, in view, and standing still."""
        config = self._config
        return (
            seen.in_view
            and seen.area >= config.least_view_share
            and not seen.item.held
            and now_ms - seen.steady_since_ms >= config.settle_ms
        )
