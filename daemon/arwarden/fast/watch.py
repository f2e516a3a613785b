"""The elements of several streams: found in every frame, classified until it is clear what they are."""

from __future__ import annotations

import math
from collections import OrderedDict
from dataclasses import dataclass, field
from threading import Lock
from typing import Final

from arwarden.core.frame import Frame
from arwarden.fast.elements.detector import ElementFinder
from arwarden.fast.tracking.elements import ElementTracker, TrackedElement

FORGET_MS: Final = 2000.0
"""After a gap this long a session starts anew."""
FIRST_LOOKS: Final = 4
"""An element is classified in each of the first frames that show it."""
MOST_LOOKS: Final = 6
"""Crops classified in one frame beyond new elements, the least known first: about 2 ms each."""
FIRST_CROPS: Final = 32
"""Crops classified in one frame at most."""


@dataclass(slots=True)
class _Session:
    tracker: ElementTracker
    lock: Lock = field(default_factory=Lock)
    seen_ms: float = -math.inf


class ElementWatch:
    """Follows the elements of up to ``sessions`` streams; may be used from several threads at once."""

    def __init__(self, finder: ElementFinder, *, sessions: int) -> None:
        self._finder = finder
        self._most = sessions
        self._sessions: OrderedDict[str, _Session] = OrderedDict()
        self._lock = Lock()

    @property
    def finder(self) -> ElementFinder:
        """What finds and classifies."""
        return self._finder

    def observe(self, frame: Frame) -> list[TrackedElement]:
        """The elements in a frame, by it and earlier ones of its session.

        A frame that is not newer than the last one of its session starts the session anew.
        """
        session = self._session(frame)
        rgb = frame.picture.rgb()
        found = self._finder.find(rgb)
        with session.lock:
            numbers = session.tracker.observe(found, frame.arrival_ms)
            looks = [session.tracker.looks(number) for number in numbers]
        # The least known first; of those that are well known a few, so that a change is noticed.
        order = sorted(range(len(found)), key=lambda index: looks[index])
        young = [index for index in order if looks[index] < FIRST_LOOKS]
        due = (young + order[len(young) : len(young) + max(0, MOST_LOOKS - len(young))])[:FIRST_CROPS]
        seen = self._finder.classify(rgb, [found[index].box_px for index in due])
        with session.lock:
            for index, one in zip(due, seen, strict=True):
                session.tracker.look(numbers[index], one)
            return session.tracker.elements()

    def _session(self, frame: Frame) -> _Session:
        with self._lock:
            known = self._sessions.pop(frame.session_id, None)
            if known is None or not 0 < frame.arrival_ms - known.seen_ms < FORGET_MS:
                known = _Session(ElementTracker(len(self._finder.labels)))
            known.seen_ms = frame.arrival_ms
            self._sessions[frame.session_id] = known
            if len(self._sessions) > self._most:
                self._sessions.popitem(last=False)
            return known
