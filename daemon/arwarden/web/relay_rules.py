"""What a headset may say through the relay: pure decisions about its packets."""

from __future__ import annotations

from dataclasses import dataclass

from arwarden.contract.topics import Topics
from arwarden.publish.mqtt_packets import (
    Kind,
    Packet,
    published_topic,
    subscribed_filters,
)

NOT_AUTHORISED = 0x87
PROTOCOL_ERROR = 0x82
_READS = ("alerts", "adjustments", "health")
_WRITES = ("acks", "scene")
_PASSING = frozenset(
    {Kind.PUBACK, Kind.PUBREC, Kind.PUBREL, Kind.PUBCOMP, Kind.UNSUBSCRIBE, Kind.PINGREQ, Kind.DISCONNECT}
)


@dataclass(frozen=True, slots=True)
class HeadsetTopics:
    """The topics of one headset, and of the daemon. Nothing else passes the relay."""

    prefix: str
    device_id: str

    @property
    def by_name(self) -> dict[str, str]:
        """Full topics under their short names, as a headset is told them."""
        own = {leaf: f"{self.prefix}/{self.device_id}/{leaf}" for leaf in (*_READS, *_WRITES)}
        return {**own, "status": Topics(self.prefix).daemon_status}

    @property
    def readable(self) -> frozenset[str]:
        """What it may subscribe to; exactly these, since a wildcard would show other headsets' alerts."""
        return frozenset(self.by_name[name] for name in (*_READS, "status"))

    @property
    def writable(self) -> frozenset[str]:
        """What it may publish to."""
        return frozenset(self.by_name[name] for name in _WRITES)


def fault_of(packet: Packet, level: int, topics: HeadsetTopics) -> int:
    """The reason code of MQTT 5 for which a headset's packet is refused; 0 where it may pass.

    Raises MalformedPacket where the packet cannot be read.
    """
    if packet.kind is Kind.PUBLISH:
        return 0 if published_topic(packet) in topics.writable else NOT_AUTHORISED
    if packet.kind is Kind.SUBSCRIBE:
        wanted = subscribed_filters(packet, level)
        return 0 if topics.readable.issuperset(wanted) else NOT_AUTHORISED
    return 0 if packet.kind in _PASSING else PROTOCOL_ERROR
