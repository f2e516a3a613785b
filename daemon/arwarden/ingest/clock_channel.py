"""The data channel ``clock``: who the client is, and what its clock says.

The other end is not trusted: messages are bounded in size and rate, and what cannot be used is counted
and dropped.
"""

from __future__ import annotations

from collections.abc import Callable

from pydantic import ValidationError

from arwarden.contract.channel import CHANNEL_MESSAGE, MAX_MESSAGE_BYTES, Hello, Ping, Pong
from arwarden.core.clock import Clock
from arwarden.core.counters import Counters
from arwarden.core.frame import View
from arwarden.ingest.clock_sync import Pings

RATE_HZ = 25.0
BURST = 50.0
"""A client that pings five times a second and answers as often sends ten messages a second."""


class Allowance:
    """How many messages a client may send. One for all channels of a session, or each would add its own."""

    def __init__(self, now_ms: float) -> None:
        self._tokens = BURST
        self._refilled_ms = now_ms

    def take(self, now_ms: float) -> bool:
        """Whether one more message is allowed now."""
        self._tokens = min(BURST, self._tokens + (now_ms - self._refilled_ms) * RATE_HZ / 1000.0)
        self._refilled_ms = now_ms
        if self._tokens < 1.0:
            return False
        self._tokens -= 1.0
        return True


class ClockChannel:
    """Our side of the channel. ``send`` returns False where the message could not be queued."""

    def __init__(
        self,
        *,
        send: Callable[[str], bool],
        clock: Clock,
        counters: Counters,
        on_view: Callable[[View], None],
        on_offset: Callable[[float | None], None],
        allowance: Allowance | None = None,
    ) -> None:
        self._send = send
        self._clock = clock
        self._counters = counters
        self._on_view = on_view
        self._on_offset = on_offset
        self._pings = Pings(clock.now_ms())
        self._allowance = allowance or Allowance(clock.now_ms())
        self._silenced = False

    @property
    def offset_ms(self) -> float | None:
        """Headset clock minus daemon clock, where it is known."""
        return self._pings.offset.offset_ms

    @property
    def rtt_ms(self) -> float | None:
        """The shortest round trip seen lately."""
        return self._pings.offset.rtt_ms

    def on_message(self, message: str | bytes) -> None:
        """Take what the client sent."""
        now_ms = self._clock.now_ms()
        if self._silenced:
            self._counters.add("ingest.clock_messages_superseded")
            return
        if not self._allowance.take(now_ms):
            self._counters.add("ingest.clock_messages_flooding")
            return
        # A character takes four bytes at most, so longer texts need not be encoded to be refused.
        if len(message) > MAX_MESSAGE_BYTES or (
            isinstance(message, str) and len(message.encode(errors="replace")) > MAX_MESSAGE_BYTES
        ):
            self._counters.add("ingest.clock_messages_oversize")
            return
        try:
            parsed = CHANNEL_MESSAGE.validate_json(message)
        except ValidationError:
            self._counters.add("ingest.clock_messages_malformed")
            return
        if isinstance(parsed, Hello):
            if parsed.view != View.UNKNOWN.value:
                self._on_view(View(parsed.view))
        elif isinstance(parsed, Ping):
            self._transmit(Pong(id=parsed.id, t0_ms=parsed.t0_ms, t1_ms=now_ms, t2_ms=self._clock.now_ms()))
        elif self._pings.answered(parsed, now_ms):
            self._on_offset(self.offset_ms)
        else:
            self._counters.add("ingest.clock_answers_unusable")

    def tick(self, now_ms: float) -> None:
        """Let time pass; asks for the client's time when that is due."""
        ping = self._pings.due(now_ms)
        if ping is not None:
            self._transmit(ping)

    def silence(self) -> None:
        """Another channel has taken its place: what still comes on this one is counted and dropped."""
        self._silenced = True

    def _transmit(self, message: Ping | Pong) -> None:
        if not self._send(message.model_dump_json()):
            self._counters.add("ingest.clock_messages_unsent")
