"""What a headset may say through the relay."""

from __future__ import annotations

import pytest

from arwarden.publish.mqtt_packets import MQTT_3, MQTT_5, Kind, MalformedPacket, Packet
from arwarden.web.relay_rules import NOT_AUTHORISED, PROTOCOL_ERROR, HeadsetTopics, fault_of

TOPICS = HeadsetTopics("arwarden/v1", "quest-1")


def text(words: str) -> bytes:
    return len(words.encode()).to_bytes(2) + words.encode()


def publish(topic: str) -> Packet:
    return Packet(Kind.PUBLISH, 0, text(topic) + b"\x00payload")


def subscribe(*filters: str, level: int = MQTT_5) -> Packet:
    head = b"\x00\x01" + (b"\x00" if level == MQTT_5 else b"")
    return Packet(Kind.SUBSCRIBE, 2, head + b"".join(text(name) + b"\x01" for name in filters))


def test_a_headset_is_told_its_topics_by_name() -> None:
    assert TOPICS.by_name == {
        "alerts": "arwarden/v1/quest-1/alerts",
        "adjustments": "arwarden/v1/quest-1/adjustments",
        "health": "arwarden/v1/quest-1/health",
        "acks": "arwarden/v1/quest-1/acks",
        "scene": "arwarden/v1/quest-1/scene",
        "status": "arwarden/v1/daemon/status",
    }


@pytest.mark.parametrize("level", [MQTT_3, MQTT_5])
def test_it_reads_what_is_for_it_and_nothing_else(level: int) -> None:
    own = [TOPICS.by_name[name] for name in ("alerts", "adjustments", "health", "status")]
    assert fault_of(subscribe(*own, level=level), level, TOPICS) == 0
    for other in (
        "arwarden/v1/quest-2/alerts",
        "arwarden/v1/+/alerts",
        "#",
        "$SYS/#",
        "$share/g/arwarden/v1/quest-1/alerts",
        "arwarden/v1/quest-1/acks",
        "",
    ):
        assert fault_of(subscribe(own[0], other, level=level), level, TOPICS) == NOT_AUTHORISED, other


def test_it_writes_what_is_its_own_and_nothing_else() -> None:
    for name in ("acks", "scene"):
        assert fault_of(publish(TOPICS.by_name[name]), MQTT_5, TOPICS) == 0
    for topic in ("arwarden/v1/quest-1/alerts", "arwarden/v1/quest-2/acks", "arwarden/v1/daemon/status", ""):
        assert fault_of(publish(topic), MQTT_5, TOPICS) == NOT_AUTHORISED, topic


def test_only_what_a_client_says_passes() -> None:
    passing = {Kind.PUBACK, Kind.PUBREC, Kind.PUBREL, Kind.PUBCOMP, Kind.UNSUBSCRIBE, Kind.PINGREQ}
    for kind in set(Kind) - {Kind.PUBLISH, Kind.SUBSCRIBE}:
        expected = 0 if kind in passing | {Kind.DISCONNECT} else PROTOCOL_ERROR
        assert fault_of(Packet(kind, 0, b""), MQTT_5, TOPICS) == expected, kind


def test_what_cannot_be_read_is_malformed() -> None:
    for kind in (Kind.PUBLISH, Kind.SUBSCRIBE):
        with pytest.raises(MalformedPacket):
            fault_of(Packet(kind, 0, b"\x00\xff"), MQTT_5, TOPICS)
