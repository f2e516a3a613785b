"""Acknowledgements from headsets. Everything in them is somebody else's word: checked, bounded, counted."""

from __future__ import annotations

import asyncio
import math
from dataclasses import dataclass

import aiomqtt
from pydantic import ValidationError

from arwarden.contract.messages import Ack
from arwarden.contract.topics import Topics
from arwarden.core.counters import Counters

MAX_ACK_BYTES = 4096
INBOX_MESSAGES = 256


@dataclass(frozen=True, slots=True)
class DeviceAck:
    """An acknowledgement and the headset whose topic it came on."""

    device_id: str
    ack: Ack


class AckReader:
    """Turns messages on the acks topics into acknowledgements.

    Counts ``acks.accepted``, and what is refused as ``acks.retained`` (a retained one would be replayed
    at every start), ``acks.bad_topic``, ``acks.too_large`` and ``acks.malformed``.
    """

    def __init__(self, topics: Topics, counters: Counters) -> None:
        self._topics = topics
        self._counters = counters

    def read(self, topic: str, payload: bytes, *, retained: bool) -> DeviceAck | None:
        """The acknowledgement, or None where the message is not to be believed."""
        device_id = self._topics.device_of(topic)
        fault, ack = None, None
        if device_id is None or topic != self._topics.acks(device_id):
            fault = "acks.bad_topic"
        elif retained:
            fault = "acks.retained"
        elif len(payload) > MAX_ACK_BYTES:
            fault = "acks.too_large"
        else:
            ack = _parse(payload)
        if device_id is None or ack is None:
            self._counters.add(fault or "acks.malformed")
            return None
        self._counters.add("acks.accepted")
        return DeviceAck(device_id, ack)


def _parse(payload: bytes) -> Ack | None:
    try:
        ack = Ack.model_validate_json(payload)
    except ValidationError:
        return None
    return ack if math.isfinite(ack.headset_ms) else None


def inbox_type(counters: Counters) -> type[asyncio.Queue[aiomqtt.Message]]:
    """A queue class for aiomqtt that, when full, drops its oldest message and counts ``acks.overflow``.

    aiomqtt's own policy is to drop the newest, which is the one that still matters.
    """

    class Inbox(asyncio.Queue[aiomqtt.Message]):
        def put_nowait(self, item: aiomqtt.Message) -> None:
            if self.full():
                self.get_nowait()
                counters.add("acks.overflow")
            super().put_nowait(item)

    return Inbox
