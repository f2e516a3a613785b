"""What happens, as it happens, for whoever watches: the web page and the demo.

Every watcher has a bounded queue of its own; one that does not keep up loses the oldest events, which
is counted, and holds nobody else up.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import AsyncGenerator, Iterator, Mapping

from arwarden.core.counters import Counters

JsonValue = str | int | float | bool | None | list["JsonValue"] | Mapping[str, "JsonValue"]
Event = Mapping[str, JsonValue]

WATCHER_QUEUE_EVENTS = 64
MAX_WATCHERS = 32
RECENT_ALERTS = 50


class TooManyWatchers(RuntimeError):
    """Nobody else may watch."""


class EventStream:
    """Hands every event to every watcher. Holds the recent alerts for those who come later."""

    def __init__(self, counters: Counters) -> None:
        self._counters = counters
        self._watchers: set[Watcher] = set()
        self._recent_alerts: deque[Event] = deque(maxlen=RECENT_ALERTS)

    @property
    def watched(self) -> bool:
        """Whether anybody watches: what nobody sees need not be made."""
        return bool(self._watchers)

    def recent_alerts(self) -> list[Event]:
        """The latest alert events, oldest first."""
        return list(self._recent_alerts)

    def emit(self, event: Event) -> None:
        """Hand an event out. Never waits."""
        if event["type"] == "alert":
            self._recent_alerts.append(event)
        for watcher in self._watchers:
            if not watcher.put(event):
                self._counters.add("events.overflow")

    def dropped(self) -> None:
        """Count an event that a watcher could not be told."""
        self._counters.add("events.too_large")

    @contextlib.contextmanager
    def watching(self) -> Iterator[Watcher]:
        """Be a watcher, from now until the block ends. Raises ``TooManyWatchers``."""
        if len(self._watchers) >= MAX_WATCHERS:
            msg = f"more than {MAX_WATCHERS} watchers"
            raise TooManyWatchers(msg)
        watcher = Watcher()
        self._watchers.add(watcher)
        try:
            yield watcher
        finally:
            self._watchers.discard(watcher)

    async def watch(self) -> AsyncGenerator[Event]:
        """Events from the first ``anext`` on, which raises ``TooManyWatchers`` where nobody else may."""
        with self.watching() as watcher:
            while True:
                yield await watcher.get()


class Watcher:
    """A bounded queue that loses its oldest event when full."""

    def __init__(self) -> None:
        self._events: deque[Event] = deque(maxlen=WATCHER_QUEUE_EVENTS)
        self._ready = asyncio.Event()

    def put(self, event: Event) -> bool:
        """Add an event; False where the oldest had to go for it."""
        fits = len(self._events) < WATCHER_QUEUE_EVENTS
        self._events.append(event)
        self._ready.set()
        return fits

    async def get(self) -> Event:
        """The oldest event that was not fetched yet; waits for one."""
        while not self._events:
            self._ready.clear()
            await self._ready.wait()
        return self._events.popleft()
