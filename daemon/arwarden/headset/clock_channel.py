"""The headset's end of the ``clock`` data channel: says who it is, answers pings, and asks for itself."""

from __future__ import annotations

import asyncio
from collections import OrderedDict

import structlog
from aiortc import RTCDataChannel
from aiortc.exceptions import InvalidStateError
from pydantic import ValidationError

from arwarden import __version__
from arwarden.contract.channel import CHANNEL_MESSAGE, MAX_MESSAGE_BYTES, Hello, Ping, Pong
from arwarden.core.clock import Clock
from arwarden.core.counters import Counters
from arwarden.core.frame import View
from arwarden.core.offset import OffsetFilter

log = structlog.get_logger(__name__)

FIRST_PINGS, FIRST_INTERVAL_S = 10, 0.1
INTERVAL_S = 0.2
PINGS_OPEN = 64
MAX_BUFFERED_BYTES = 16_384
"""More than this unsent: the link is jammed, and a ping in that queue measures the queue."""


class ClockChannel:
    """Drives an open channel. ``offset`` is fed with *daemon's clock minus headset's clock*."""

    def __init__(
        self,
        channel: RTCDataChannel,
        *,
        view: View,
        clock: Clock,
        offset: OffsetFilter,
        counters: Counters,
    ) -> None:
        self._channel = channel
        self._view = view
        self._clock = clock
        self._offset = offset
        self._counters = counters
        self._asked_ms: OrderedDict[int, float] = OrderedDict()
        self._last_id = -1
        self.answered_ms: float | None = None
        """When the daemon last answered, on the headset's clock."""
        self._open = asyncio.Event()
        channel.on("open", self._open.set)
        channel.on("message", self._take)

    async def run(self) -> None:
        """Ask for the daemon's time until cancelled. Waits for the channel to open first."""
        await self._open.wait()
        hello = {"view": self._view.value, "client": f"arwarden-headset/{__version__}"}
        self._send(Hello.model_validate(hello))
        while self._channel.readyState == "open":
            self._ask()
            await asyncio.sleep(FIRST_INTERVAL_S if self._last_id < FIRST_PINGS else INTERVAL_S)

    def _ask(self) -> None:
        if self._channel.bufferedAmount > MAX_BUFFERED_BYTES:
            self._counters.add("clock.pings_held_back")
            return
        self._last_id = (self._last_id + 1) % 2**32
        t0_ms = self._clock.now_ms()
        self._asked_ms[self._last_id] = t0_ms
        while len(self._asked_ms) > PINGS_OPEN:
            self._asked_ms.popitem(last=False)
        self._send(Ping(id=self._last_id, t0_ms=t0_ms))

    def _take(self, raw: str | bytes) -> None:
        now_ms = self._clock.now_ms()
        try:
            message = None if len(raw) > MAX_MESSAGE_BYTES else CHANNEL_MESSAGE.validate_json(raw)
        except ValidationError:
            message = None
        match message:
            case Ping():
                answer = Pong(id=message.id, t0_ms=message.t0_ms, t1_ms=now_ms, t2_ms=self._clock.now_ms())
                self._send(answer)
            case Pong():
                self._answered(message, now_ms)
            case Hello():
                self._counters.add("clock.unexpected")
            case None:
                self._counters.add("clock.malformed")

    def _answered(self, pong: Pong, now_ms: float) -> None:
        t0_ms = self._asked_ms.pop(pong.id, None)
        if t0_ms is None or not self._offset.add(t0_ms, pong.t1_ms, pong.t2_ms, now_ms):
            self._counters.add("clock.unusable")
            return
        self.answered_ms = now_ms

    def _send(self, message: Hello | Ping | Pong) -> None:
        try:
            self._channel.send(message.model_dump_json())
        except InvalidStateError:
            # Closed between our look at it and now.
            self._counters.add("clock.unsent")
