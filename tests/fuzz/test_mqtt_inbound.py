"""Whatever arrives on a subscribed topic, or has to be shortened: no crash, and everything is counted."""

from __future__ import annotations

import asyncio
import json

from hypothesis import given, settings
from hypothesis import strategies as st

from arwarden.config import MqttConfig
from arwarden.contract.messages import AckAction, Alert
from arwarden.contract.topics import Topics, is_device_id
from arwarden.core.counters import Counters
from arwarden.publish.acks import AckReader
from arwarden.publish.outbox import Outbox, Outgoing, Taken
from arwarden.publish.publisher import PublisherState
from arwarden.publish.shorten import shorten_json
from arwarden.publish.status import StatusReader
from tests.support.alerts_out import alert, running
from tests.support.fake_broker import FakeBroker
from tests.support.mqtt_tap import eventually

JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
ACK_LIKE = st.fixed_dictionaries(
    {
        "schema": st.sampled_from(["arwarden/ack/1", "arwarden/ack/2"]),
        "alert_id": st.text(max_size=80) | JSON,
        "revision": st.integers() | JSON,
        "action": st.sampled_from([*AckAction, "other"]) | JSON,
        "headset_ms": st.floats() | JSON,
    },
    optional={"reason": st.text(max_size=300) | JSON, "more": JSON},
)
PAYLOADS = st.binary(max_size=6000) | (JSON | ACK_LIKE).map(lambda value: json.dumps(value).encode())
TOPICS = st.text(max_size=60) | st.sampled_from(["quest", "..", "", "a/b", "é", "x" * 65]).map(
    lambda device: f"arwarden/v1/{device}/acks"
)


@settings(deadline=None)
@given(topic=TOPICS, payload=PAYLOADS, retained=st.booleans())
def test_any_ack_is_counted_exactly_once(topic: str, payload: bytes, retained: bool) -> None:
    counters = Counters()
    got = AckReader(Topics(), counters).read(topic, payload, retained=retained)
    counts = counters.snapshot()
    assert sum(counts.values()) == 1
    assert (got is not None) == (counts == {"acks.accepted": 1})
    if got is not None:
        assert is_device_id(got.device_id)
        assert not retained
        assert got.ack.headset_ms < float("inf")


@settings(deadline=None)
@given(payload=PAYLOADS)
def test_any_status_is_judged(payload: bytes) -> None:
    assert StatusReader("mine").needs_healing(payload) in {True, False}


@settings(deadline=None)
@given(
    message=st.text(max_size=3000),
    texts=st.lists(st.text(max_size=500), max_size=12),
    limit_bytes=st.integers(0, 4000),
)
def test_a_shortened_alert_fits_and_is_still_an_alert(
    message: str, texts: list[str], limit_bytes: int
) -> None:
    payload = rendered(message, texts)
    short = shorten_json(payload, limit_bytes)
    if short is None:
        return
    assert len(short) <= limit_bytes
    before, after = Alert.model_validate_json(payload), Alert.model_validate_json(short)
    untouched = {
        "alert_id",
        "revision",
        "state",
        "severity",
        "expires_ms",
        "captured_ms",
        "device_id",
        "epoch",
    }
    assert after.model_dump(include=untouched) == before.model_dump(include=untouched)
    assert len(after.message) <= len(before.message)


def rendered(message: str, texts: list[str]) -> bytes:
    payload = alert(1000.0, "id").render(1000.0)
    assert payload is not None
    content = json.loads(payload)
    element = content["elements"][0]
    content |= {"message": message, "elements": [{**element, "text": text} for text in texts]}
    return json.dumps(content, ensure_ascii=False).encode(errors="replace")


@settings(deadline=None)
@given(payload=PAYLOADS, limit_bytes=st.integers(0, 5000))
def test_anything_can_be_handed_to_the_shortener(payload: bytes, limit_bytes: int) -> None:
    short = shorten_json(payload, limit_bytes)
    assert short is None or len(short) <= limit_bytes


OPERATIONS = st.lists(
    st.tuples(
        st.sampled_from(["put", "put", "put", "take", "delivered", "dropped", "give_back", "wait"]),
        st.integers(0, 9),
        st.integers(-1, 2),
        st.none() | st.floats(0.0, 500.0),
        st.booleans(),
    ),
    max_size=80,
)


@settings(deadline=None)
@given(operations=OPERATIONS)
def test_the_outbox_keeps_its_bound_and_loses_nothing_uncounted(
    operations: list[tuple[str, int, int, float | None, bool]],
) -> None:
    counters = Counters()
    outbox, now_ms, put, settled = Outbox(5, counters), 0.0, 0, 0
    out: Taken | None = None
    for name, key, rank, life_ms, ends in operations:
        expires_ms = None if life_ms is None else now_ms + life_ms
        if name == "put":
            put += 1
            outbox.put(item(f"id-{key}", rank, expires_ms, ends=ends), now_ms)
        elif name == "wait":
            now_ms += 100.0
        elif name == "take" and out is None:
            out = outbox.take(now_ms)
            assert out is None or not out.item.expired(now_ms)
        elif out is not None and name in {"delivered", "dropped"}:
            getattr(outbox, name)(out)
            settled, out = settled + 1, None
        elif out is not None and name == "give_back":
            outbox.give_back(out, now_ms)
            out = None
        assert len(outbox) <= 5
    lost = sum(counters.snapshot().values())
    assert put == settled + lost + len(outbox) + (out is not None)


def item(key: str, rank: int, expires_ms: float | None, *, ends: bool) -> Outgoing:
    return Outgoing("t", key, rank, expires_ms, 1, retain=False, render=lambda _ms: b"", ends=ends)


def quick_config(broker: FakeBroker) -> MqttConfig:
    return MqttConfig(
        host="127.0.0.1",
        port=broker.port,
        publish_timeout_ms=200,
        reconnect_min_ms=5,
        reconnect_max_ms=10,
    )


@settings(max_examples=15, deadline=None)
@given(packets=st.lists(st.binary(min_size=1, max_size=200), min_size=1, max_size=5))
def test_random_bytes_from_the_broker_cost_at_most_the_connection(packets: list[bytes]) -> None:
    """Garbage where MQTT packets should be; the publisher reconnects and goes on."""

    async def scenario() -> None:
        complaints: list[str] = []
        asyncio.get_running_loop().set_exception_handler(lambda _loop, what: complaints.append(str(what)))
        async with FakeBroker() as broker, running(quick_config(broker)) as daemon:
            for packet in packets:
                await eventually(lambda: daemon.publisher.state is PublisherState.CONNECTED)
                broker.inject(packet)
                await asyncio.sleep(0.01)
            daemon.publisher.submit(alert(daemon.clock.now_ms(), "after", useful_ms=60_000.0))
            await eventually(lambda: daemon.counters["publish.sent"] == 1)
        assert complaints == []

    asyncio.run(scenario())
