from __future__ import annotations

import json

import aiomqtt
import pytest

from arwarden.contract.topics import Topics
from arwarden.core.counters import Counters
from arwarden.publish.acks import MAX_ACK_BYTES, AckReader, inbox_type

TOPIC = "arwarden/v1/quest/acks"
GOOD = {"schema": "arwarden/ack/1", "alert_id": "a", "revision": 2, "action": "shown", "headset_ms": 12.5}


@pytest.fixture
def counters() -> Counters:
    return Counters()


@pytest.fixture
def reader(counters: Counters) -> AckReader:
    return AckReader(Topics(), counters)


def test_a_good_one_names_its_device(reader: AckReader, counters: Counters) -> None:
    got = reader.read(TOPIC, json.dumps(GOOD).encode(), retained=False)
    assert got is not None
    assert (got.device_id, got.ack.alert_id, got.ack.revision, got.ack.action) == ("quest", "a", 2, "shown")
    assert counters.snapshot() == {"acks.accepted": 1}


def test_unknown_members_are_ignored(reader: AckReader) -> None:
    assert reader.read(TOPIC, json.dumps({**GOOD, "new": [1]}).encode(), retained=False) is not None


def test_a_retained_one_is_history(reader: AckReader, counters: Counters) -> None:
    assert reader.read(TOPIC, json.dumps(GOOD).encode(), retained=True) is None
    assert counters.snapshot() == {"acks.retained": 1}


@pytest.mark.parametrize(
    "topic",
    [
        "arwarden/v1/quest/alerts",
        "arwarden/v1/../acks",
        "arwarden/v1/a/b/acks",
        "other/quest/acks",
        "",
        "arwarden/v1//acks",
    ],
)
def test_other_topics_and_bad_device_ids(reader: AckReader, counters: Counters, topic: str) -> None:
    assert reader.read(topic, json.dumps(GOOD).encode(), retained=False) is None
    assert counters.snapshot() == {"acks.bad_topic": 1}


def test_size_limit_is_exact(reader: AckReader, counters: Counters) -> None:
    good = json.dumps(GOOD).encode()
    assert reader.read(TOPIC, good + b" " * (MAX_ACK_BYTES - len(good)), retained=False) is not None
    assert reader.read(TOPIC, good + b" " * (MAX_ACK_BYTES - len(good) + 1), retained=False) is None
    assert counters["acks.too_large"] == 1


@pytest.mark.parametrize(
    "change",
    [
        {"schema": "arwarden/ack/2"},
        {"alert_id": ""},
        {"alert_id": "x" * 65},
        {"revision": 0},
        {"revision": 2**40},
        {"action": "exploded"},
        {"headset_ms": -1.0},
        {"headset_ms": float("inf")},
        {"headset_ms": float("nan")},
        {"reason": "r" * 201},
        {"alert_id": None},
    ],
)
def test_values_out_of_range(reader: AckReader, counters: Counters, change: dict[str, object]) -> None:
    assert reader.read(TOPIC, json.dumps({**GOOD, **change}).encode(), retained=False) is None
    assert counters.snapshot() == {"acks.malformed": 1}


def message(number: int) -> aiomqtt.Message:
    return aiomqtt.Message(TOPIC, str(number).encode(), qos=1, retain=False, mid=number, properties=None)


async def test_a_full_inbox_gives_up_its_oldest(counters: Counters) -> None:
    inbox = inbox_type(counters)(maxsize=3)
    for number in range(5):
        inbox.put_nowait(message(number))
    assert [inbox.get_nowait().payload for _ in range(3)] == [b"2", b"3", b"4"]
    assert counters.snapshot() == {"acks.overflow": 2}
