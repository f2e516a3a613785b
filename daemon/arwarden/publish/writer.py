"""Writes a message at the moment it is sent, and makes it fit what the broker takes."""

from __future__ import annotations

import structlog

from arwarden.core.counters import Counters
from arwarden.publish.outbox import Outgoing
from arwarden.publish.shorten import shorten_json

log = structlog.get_logger(__name__)

PACKET_OVERHEAD_BYTES = 32
"""Fixed header 5, topic length 2, packet id 2, properties 10, and some room (MQTT 5, section 3.3)."""


class Writer:
    """Renders messages, at most ``max_payload_bytes`` long each.

    Counts what cannot be sent as ``publish.render_failed``, ``publish.withdrawn`` or
    ``publish.too_large``, and what was made to fit as ``publish.shortened``.
    """

    def __init__(self, max_payload_bytes: int, counters: Counters) -> None:
        self._max_payload_bytes = max_payload_bytes
        self._counters = counters

    def write(self, item: Outgoing, published_ms: float, max_packet_bytes: int | None) -> bytes | None:
        """The payload as of ``published_ms``; None where there is nothing that can be sent."""
        try:
            payload = item.render(published_ms)
        except Exception:  # one message that cannot be written must not stop the others
            self._counters.add("publish.render_failed")
            log.exception("mqtt_render_failed", topic=item.topic)
            return None
        if payload is None:
            self._counters.add("publish.withdrawn")
            return None
        limit_bytes = self._limit_bytes(item.topic, max_packet_bytes)
        if len(payload) <= limit_bytes:
            return payload
        shortened = shorten_json(payload, limit_bytes)
        self._counters.add("publish.too_large" if shortened is None else "publish.shortened")
        log.warning(
            "mqtt_payload_too_large",
            topic=item.topic,
            payload_bytes=len(payload),
            limit_bytes=limit_bytes,
            outcome="dropped" if shortened is None else "shortened",
        )
        return shortened

    def _limit_bytes(self, topic: str, max_packet_bytes: int | None) -> int:
        if max_packet_bytes is None:
            return self._max_payload_bytes
        room_bytes = max_packet_bytes - PACKET_OVERHEAD_BYTES - len(topic.encode())
        return max(0, min(self._max_payload_bytes, room_bytes))
