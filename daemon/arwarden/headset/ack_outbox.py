"""Acknowledgements that the daemon does not have yet."""

from __future__ import annotations

from dataclasses import dataclass

from arwarden.contract.messages import Ack
from arwarden.core.counters import Counters

MOST_ACKS = 256
AGAIN_MS = 2000.0
"""The pause after which an acknowledgement is told again that the broker had for nobody."""
MOST_TELLS = 30
"""With the pause a minute: a daemon comes back after 5 s at most (``mqtt.reconnect_max_ms``)."""


@dataclass(slots=True, eq=False)
class WaitingAck:
    """One acknowledgement, and when it may be told next."""

    ack: Ack
    due_ms: float = 0.0
    tells: int = 0


class AckOutbox:
    """Keeps each acknowledgement until somebody has it: at least once. Pure; times are the headset's clock.

    At most ``MOST_ACKS``; the oldest gives way. Counts ``acks.sent``, ``acks.again`` (the broker had it for
    nobody), ``acks.unheard`` (given up after ``MOST_TELLS``) and ``acks.dropped`` (too many).
    """

    def __init__(self, counters: Counters) -> None:
        self._counters = counters
        self._waiting: list[WaitingAck] = []

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, ack: Ack) -> None:
        """Take one more."""
        if len(self._waiting) == MOST_ACKS:
            del self._waiting[0]
            self._counters.add("acks.dropped")
        self._waiting.append(WaitingAck(ack))

    def next(self, now_ms: float) -> WaitingAck | None:
        """The oldest that is due; it stays here until it is settled."""
        return next((waiting for waiting in self._waiting if waiting.due_ms <= now_ms), None)

    def wait_ms(self, now_ms: float) -> float | None:
        """How long until one is due; None where nothing waits."""
        due_ms = min((waiting.due_ms for waiting in self._waiting), default=None)
        return None if due_ms is None else max(0.0, due_ms - now_ms)

    def settle(self, told: WaitingAck, now_ms: float, *, heard: bool) -> None:
        """The broker has taken it, and has given it to somebody or not."""
        told.tells += 1
        if heard or told.tells >= MOST_TELLS:
            self._counters.add("acks.sent" if heard else "acks.unheard")
            if told in self._waiting:  # not where it gave way to newer ones meanwhile
                self._waiting.remove(told)
        else:
            self._counters.add("acks.again")
            told.due_ms = now_ms + AGAIN_MS
