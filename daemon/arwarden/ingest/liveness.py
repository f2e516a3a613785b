"""Whether a headset is still there, told by its packets.

aiortc notices a silent death after 27 s (six failed consent checks), and says ``connected`` until then.
Here packets decide: connecting → live → stalled → parked → closed. A parked session has given its slot
away, but its connection is kept: packets that come back make it live again where a slot is free.
"""

from __future__ import annotations

from enum import StrEnum

FORGET_MS = 60_000.0
"""A parked session is closed after this long, should the connection itself not have given up before."""
OWN_PAUSE_MS = 500.0
"""Ticks come ten times as often. A longer gap means that this process stood still, not the headset."""


class Phase(StrEnum):
    """Where a session is in its life."""

    CONNECTING = "connecting"
    LIVE = "live"
    STALLED = "stalled"
    PARKED = "parked"
    CLOSED = "closed"


class Liveness:
    """The life of one session. Every method takes the time now on the daemon's clock."""

    def __init__(
        self, *, connect_timeout_ms: float, stall_ms: float, release_ms: float, now_ms: float
    ) -> None:
        self._connect_timeout_ms = connect_timeout_ms
        self._stall_ms = stall_ms
        self._release_ms = release_ms
        self._heard_ms = now_ms
        self._ticked_ms = now_ms
        self.phase = Phase.CONNECTING
        self.reason = ""
        """Why the session closed, once it has."""

    @property
    def holds_slot(self) -> bool:
        """Whether the session counts against the number of sessions allowed."""
        return self.phase not in (Phase.PARKED, Phase.CLOSED)

    def silence_ms(self, now_ms: float) -> float:
        """How long ago the last packet came, or the session began."""
        return max(0.0, now_ms - self._heard_ms)

    def packet(self, now_ms: float, *, slot_free: bool) -> None:
        """A packet of the stream came in. ``slot_free`` says whether a parked session may come back."""
        if self.phase is Phase.CLOSED or (self.phase is Phase.PARKED and not slot_free):
            return
        self._heard_ms = now_ms
        self.phase = Phase.LIVE

    def tick(self, now_ms: float) -> None:
        """Let time pass. Meant to be called every 50 ms."""
        paused_ms = now_ms - self._ticked_ms
        self._ticked_ms = now_ms
        if paused_ms > OWN_PAUSE_MS:
            # Packets of that time still wait in the socket: the silence is ours, not the headset's.
            self._heard_ms += min(paused_ms, now_ms - self._heard_ms)
        silence_ms = self.silence_ms(now_ms)
        if self.phase is Phase.CONNECTING:
            if silence_ms >= self._connect_timeout_ms:
                self.close("connect_timeout")
        elif self.phase is Phase.LIVE:
            if silence_ms >= self._stall_ms:
                self.phase = Phase.STALLED
        elif self.phase is Phase.STALLED:
            if silence_ms >= self._release_ms:
                self.phase = Phase.PARKED
        elif self.phase is Phase.PARKED and silence_ms >= self._release_ms + FORGET_MS:
            self.close("silent")

    def close(self, reason: str) -> None:
        """End the session; the first reason stays."""
        if self.phase is not Phase.CLOSED:
            self.phase = Phase.CLOSED
            self.reason = reason
