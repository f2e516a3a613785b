"""The first test of each pair shows the fault in the plain library. When it fails, upstream has cured it:
delete the workaround and both tests. The second shows that the workaround works.
"""

from __future__ import annotations

import asyncio
import gc
import ssl
import sys
import warnings
from collections.abc import AsyncIterator
from typing import Any

import aiomqtt
import pytest

from arwarden.publish.mqtt_workarounds import (
    NO_MATCHING_SUBSCRIBERS,
    close_after_failed_handshake,
    heed_cancellation,
    release,
    watch,
)
from tests.support.fake_broker import DISCONNECT_TAKEN_OVER, FakeBroker
from tests.support.mqtt_tap import eventually

MAX_PACKET_1500 = bytes([0x27, 0, 0, 0x05, 0xDC])
NOT_AUTHORISED = 135


def client(broker: FakeBroker, **options: Any) -> aiomqtt.Client:
    return aiomqtt.Client(
        "127.0.0.1", broker.port, protocol=aiomqtt.ProtocolVersion.V5, timeout=0.3, **options
    )


@pytest.fixture
async def complaints() -> AsyncIterator[list[str]]:
    """What the event loop's exception handler is told, for example exceptions never retrieved."""
    loop = asyncio.get_running_loop()
    said: list[str] = []
    loop.set_exception_handler(lambda _loop, context: said.append(context["message"]))
    yield said
    loop.set_exception_handler(None)


async def test_upstream_connack_properties_are_not_shown() -> None:
    async with FakeBroker(properties=MAX_PACKET_1500) as broker, client(broker) as plain:
        shown = [value for name, value in vars(plain).items() if name != "_client"]
        assert not [value for value in shown if getattr(value, "MaximumPacketSize", None) == 1500]


async def test_connack_properties_are_seen() -> None:
    async with FakeBroker(properties=MAX_PACKET_1500) as broker:
        watched = client(broker)
        seen = watch(watched, 1.0)
        async with watched:
            assert seen.max_packet_bytes == 1500


async def test_a_broker_without_a_limit() -> None:
    async with FakeBroker() as broker:
        watched = client(broker)
        seen = watch(watched, 1.0)
        async with watched:
            assert seen.max_packet_bytes is None


async def test_upstream_a_refused_publish_passes_for_a_delivered_one() -> None:
    async with FakeBroker(puback=NOT_AUTHORISED) as broker, client(broker) as plain:
        await plain.publish("topic", b"x", qos=1)


async def test_a_refused_publish_is_seen() -> None:
    async with FakeBroker(puback=NOT_AUTHORISED) as broker:
        watched = client(broker)
        seen = watch(watched, 1.0)
        async with watched:
            await watched.publish("topic", b"x", qos=1)
        assert seen.refused == NOT_AUTHORISED
        assert not seen.had_nobody


async def test_a_publish_that_the_broker_has_for_nobody_is_seen() -> None:
    async with FakeBroker(puback=NO_MATCHING_SUBSCRIBERS) as broker:
        watched = client(broker)
        seen = watch(watched, 1.0)
        async with watched:
            await watched.publish("topic", b"x", qos=1)
        assert seen.had_nobody
        assert seen.refused is None


async def lose_a_connection(broker: FakeBroker, *, watched: bool) -> None:
    lost = client(broker)
    if watched:
        watch(lost, 1.0)
    await lost.__aenter__()
    with pytest.raises(aiomqtt.MqttError):
        await lost.publish("topic", b"x", qos=1)
    await lost.__aexit__(None, None, None)
    await release(lost)


async def test_upstream_a_lost_connection_leaves_an_exception_unread(complaints: list[str]) -> None:
    async with FakeBroker(farewell=DISCONNECT_TAKEN_OVER) as broker:
        await lose_a_connection(broker, watched=False)
        gc.collect()
    assert any("never retrieved" in text for text in complaints)


async def test_a_lost_connection_is_silent(complaints: list[str]) -> None:
    async with FakeBroker(farewell=DISCONNECT_TAKEN_OVER) as broker:
        await lose_a_connection(broker, watched=True)
        gc.collect()
    assert complaints == []


async def test_upstream_a_connect_without_an_answer_leaves_its_socket_open() -> None:
    async with FakeBroker(connack=None) as broker:
        plain = client(broker)
        with pytest.raises(aiomqtt.MqttError):
            await plain.__aenter__()
        await asyncio.sleep(0.1)
        assert broker.open_connections == 1
        await release(plain)


async def test_release_closes_what_a_failed_connect_left() -> None:
    async with FakeBroker(connack=None) as broker:
        watched = client(broker)
        watch(watched, 1.0)
        with pytest.raises(aiomqtt.MqttError):
            await watched.__aenter__()
        await release(watched)
        await eventually(lambda: broker.open_connections == 0)
        await release(watched)  # once more does no harm


async def end_with_bytes_queued(*, released: bool) -> bool:
    """Leave a connection whose peer reads nothing. Whether the peer is told to forget what is queued."""
    accepted: asyncio.Queue[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = asyncio.Queue()
    server = await asyncio.start_server(lambda *ends: accepted.put_nowait(ends), "127.0.0.1", 0, limit=1024)
    mute = aiomqtt.Client("127.0.0.1", server.sockets[0].getsockname()[1], timeout=0.3)
    watch(mute, 1.0)
    entering = asyncio.create_task(mute.__aenter__())
    reader, writer = await accepted.get()
    writer.write(bytes([0x20, 2, 0, 0]))
    await entering
    mute._client.publish("topic", b"x" * 20_000_000)
    if released:
        await release(mute)
    else:
        mute._client._sock_close()
        await release(mute)
    try:
        while await reader.read(1_000_000):
            pass
    except ConnectionResetError:
        return True
    finally:
        writer.close()
        server.close()
    return False


async def test_upstream_a_closed_connection_goes_on_sending() -> None:
    assert not await end_with_bytes_queued(released=False)


async def test_release_discards_what_is_queued() -> None:
    assert await end_with_bytes_queued(released=True)


async def test_release_of_a_client_that_never_connected() -> None:
    async with FakeBroker() as broker:
        await release(client(broker))
        assert broker.connections == 0


async def unclosed_after_failed_handshake(context: ssl.SSLContext) -> list[str]:
    async with FakeBroker() as broker:  # it does not speak TLS
        secure = client(broker, tls_context=context)
        watch(secure, 1.0)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            with pytest.raises(aiomqtt.MqttError):
                await secure.__aenter__()
            await release(secure)
            del secure
            gc.collect()
    return [str(warning.message) for warning in caught if "SSLSocket" in str(warning.message)]


async def test_upstream_a_failed_handshake_leaks_a_socket() -> None:
    assert await unclosed_after_failed_handshake(ssl.create_default_context())


async def test_a_failed_handshake_closes_its_socket() -> None:
    context = ssl.create_default_context()
    close_after_failed_handshake(context)
    assert await unclosed_after_failed_handshake(context) == []


async def cancelled_in_the_moment_of_the_answer(turns: int, *, heed: bool) -> bool:
    """Cancel a wait so many turns of the loop after its answer; whether the task went on all the same."""
    answered, went_on = asyncio.Event(), asyncio.Event()

    async def work() -> None:
        await asyncio.wait_for(answered.wait(), 5)  # as aiomqtt waits for the broker
        if heed:
            heed_cancellation()
        went_on.set()
        await asyncio.sleep(0)

    task = asyncio.create_task(work())
    for _ in range(3):
        await asyncio.sleep(0)
    answered.set()
    for _ in range(turns):
        await asyncio.sleep(0)
    before = went_on.is_set()
    task.cancel()
    await asyncio.wait({task})
    return went_on.is_set() and not before


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="cured in Python 3.12")
async def test_upstream_a_cancellation_is_lost() -> None:
    assert any([await cancelled_in_the_moment_of_the_answer(turns, heed=False) for turns in range(6)])


async def test_no_cancellation_is_lost() -> None:
    assert not any([await cancelled_in_the_moment_of_the_answer(turns, heed=True) for turns in range(6)])
