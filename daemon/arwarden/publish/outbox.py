"""What waits for the broker: the newest message per key, most severe first, never an expired one.

Pure: no clock and no connection of its own. A message is held as something that *can be rendered*,
not as bytes, so that its publish time and age are true at the moment it is sent.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from arwarden.core.counters import Counters

REMEMBERED_PER_SLOT = 4
"""Delivered keys that are remembered, as a multiple of the outbox's size. An alert that never ends
would otherwise be remembered for ever; forgetting one only costs the end of a very old alert."""


@dataclass(frozen=True, slots=True)
class Outgoing:
    """One message on its way to the broker."""

    topic: str
    key: str
    """A newer message with the same key takes the place of an older one; the alert id, for alerts."""
    rank: int
    """Higher goes first. ``Severity.rank`` for alerts; negative for what may wait, such as health."""
    expires_ms: float | None
    """Not sent at or after this time, daemon's clock; None never expires."""
    qos: int
    retain: bool
    render: Callable[[float], bytes | None]
    """Given the publish time in milliseconds, the payload; None where it should no longer be sent."""
    ends: bool = False
    """The last word about its key. Of no use to a receiver that never heard of the key."""

    def expired(self, now_ms: float) -> bool:
        """Whether it is too late to send this."""
        return self.expires_ms is not None and now_ms >= self.expires_ms

    def expiry_s(self, now_ms: float) -> int | None:
        """Remaining life for the MQTT message expiry: whole seconds rounded up, at least 1."""
        if self.expires_ms is None:
            return None
        return max(1, -int(-(self.expires_ms - now_ms) // 1000))


@dataclass(slots=True)
class _Entry:
    item: Outgoing
    put_ms: float


@dataclass(frozen=True, slots=True)
class Taken:
    """A message handed out for sending. It goes back with ``delivered``, ``dropped`` or ``give_back``."""

    item: Outgoing
    put_ms: float


class Outbox:
    """At most ``limit`` messages. When full, the oldest of the least severe gives way.

    A superseded message passes its place in the queue to its successor, so that an alert that is
    amended often is not overtaken for ever. Counts ``outbox.superseded``, ``outbox.expired``,
    ``outbox.overflow`` and ``outbox.vanished`` (an alert that ended before anybody heard of it).
    """

    def __init__(self, limit: int, counters: Counters) -> None:
        self._limit = limit
        self._counters = counters
        self._by_rank: dict[int, OrderedDict[str, _Entry]] = {}
        self._rank_of: dict[str, int] = {}
        self._in_flight: str | None = None
        self._heard: OrderedDict[str, None] = OrderedDict()

    def __len__(self) -> int:
        return len(self._rank_of)

    def put(self, item: Outgoing, now_ms: float) -> None:
        """Take in a message. Whatever has to give way for it is counted."""
        if item.expired(now_ms):
            self._counters.add("outbox.expired")
            self._drop_pending(item.key, "outbox.superseded")
            return
        if item.ends and item.key not in self._heard and item.key != self._in_flight:
            self._drop_pending(item.key, "outbox.vanished")
            self._counters.add("outbox.vanished")
            return
        self._insert(_Entry(item, now_ms))
        if len(self) > self._limit:
            self._purge_expired(now_ms)
        while len(self) > self._limit:
            self._drop_least()

    def take(self, now_ms: float) -> Taken | None:
        """The most severe live message, oldest first among equals, or None. One is out at a time."""
        for rank in sorted(self._by_rank, reverse=True):
            queue = self._by_rank[rank]
            while queue:
                key = next(iter(queue))
                entry = self._remove(key)
                if entry.item.expired(now_ms):
                    self._counters.add("outbox.expired")
                    continue
                self._in_flight = key
                return Taken(entry.item, entry.put_ms)
        return None

    def delivered(self, taken: Taken) -> None:
        """The broker has acknowledged it."""
        self._in_flight = None
        if taken.item.ends:
            self._heard.pop(taken.item.key, None)
        else:
            self._remember(taken.item.key)

    def dropped(self, taken: Taken) -> None:
        """It can never be sent (too large, withdrawn). The caller has counted why."""
        self._in_flight = None
        pending = self._pending(taken.item.key)
        if pending is not None and pending.item.ends and taken.item.key not in self._heard:
            self._drop_pending(taken.item.key, "outbox.vanished")

    def give_back(self, taken: Taken, now_ms: float) -> None:
        """The connection failed before the acknowledgement: it may or may not have been delivered.

        It goes to the front of its rank, unless it is expired or something newer waits in its place.
        """
        self._in_flight = None
        self._remember(taken.item.key)
        if self._pending(taken.item.key) is not None:
            self._counters.add("outbox.superseded")
        elif taken.item.expired(now_ms):
            self._counters.add("outbox.expired")
        else:
            self._insert(_Entry(taken.item, taken.put_ms))
            self._by_rank[taken.item.rank].move_to_end(taken.item.key, last=False)
            while len(self) > self._limit:
                self._drop_least()

    def _insert(self, entry: _Entry) -> None:
        key, rank = entry.item.key, entry.item.rank
        old_rank = self._rank_of.get(key)
        if old_rank is not None:
            self._counters.add("outbox.superseded")
            if old_rank != rank:
                self._remove(key)
        self._by_rank.setdefault(rank, OrderedDict())[key] = entry
        self._rank_of[key] = rank

    def _pending(self, key: str) -> _Entry | None:
        rank = self._rank_of.get(key)
        return None if rank is None else self._by_rank[rank][key]

    def _remove(self, key: str) -> _Entry:
        rank = self._rank_of.pop(key)
        entry = self._by_rank[rank].pop(key)
        if not self._by_rank[rank]:
            del self._by_rank[rank]
        return entry

    def _drop_pending(self, key: str, counter: str) -> None:
        if key in self._rank_of:
            self._remove(key)
            self._counters.add(counter)

    def _drop_least(self) -> None:
        key = next(iter(self._by_rank[min(self._by_rank)]))
        self._remove(key)
        self._counters.add("outbox.overflow")

    def _purge_expired(self, now_ms: float) -> None:
        expired = [
            key
            for queue in self._by_rank.values()
            for key, entry in queue.items()
            if entry.item.expired(now_ms)
        ]
        for key in expired:
            self._remove(key)
        self._counters.add("outbox.expired", len(expired))

    def _remember(self, key: str) -> None:
        self._heard[key] = None
        self._heard.move_to_end(key)
        while len(self._heard) > REMEMBERED_PER_SLOT * self._limit:
            self._heard.popitem(last=False)
