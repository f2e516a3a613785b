from __future__ import annotations

from collections.abc import Callable

import pytest

from arwarden.core.counters import Counters
from arwarden.publish.outbox import Outgoing
from arwarden.publish.writer import PACKET_OVERHEAD_BYTES, Writer

TOPIC = "arwarden/v1/quest/alerts"
LIMIT = 1024


@pytest.fixture
def counters() -> Counters:
    return Counters()


@pytest.fixture
def writer(counters: Counters) -> Writer:
    return Writer(LIMIT, counters)


def item(render: Callable[[float], bytes | None]) -> Outgoing:
    return Outgoing(TOPIC, "a", 1, None, 1, retain=False, render=render)


def test_it_is_written_with_the_time_of_sending(writer: Writer, counters: Counters) -> None:
    assert writer.write(item(lambda ms: f"{ms}".encode()), 12.5, None) == b"12.5"
    assert counters.snapshot() == {}


def test_nothing_to_say_any_more(writer: Writer, counters: Counters) -> None:
    assert writer.write(item(lambda _ms: None), 0.0, None) is None
    assert counters.snapshot() == {"publish.withdrawn": 1}


def test_a_fault_in_rendering_is_counted(writer: Writer, counters: Counters) -> None:
    assert writer.write(item(lambda ms: b"%d" % (1 / ms)), 0.0, None) is None
    assert counters.snapshot() == {"publish.render_failed": 1}


@pytest.mark.parametrize(
    ("max_packet_bytes", "limit"),
    [
        (None, LIMIT),
        (1_000_000, LIMIT),
        (500, 500 - PACKET_OVERHEAD_BYTES - len(TOPIC)),
        (10, 0),
    ],
)
def test_limits_of_configuration_and_broker(
    writer: Writer, counters: Counters, max_packet_bytes: int | None, limit: int
) -> None:
    assert writer.write(item(lambda _ms: b"x" * limit), 0.0, max_packet_bytes) == b"x" * limit
    assert writer.write(item(lambda _ms: b"x" * (limit + 1)), 0.0, max_packet_bytes) is None
    assert counters.snapshot() == {"publish.too_large": 1}


def test_json_is_shortened(writer: Writer, counters: Counters) -> None:
    payload = writer.write(item(lambda _ms: b'{"message":"' + b"m" * 5000 + b'"}'), 0.0, None)
    assert payload is not None
    assert len(payload) <= LIMIT
    assert counters.snapshot() == {"publish.shortened": 1}
