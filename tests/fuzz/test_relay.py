"""Anything at all from a page at the relay: it ends in order, and the broker hears nothing of it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import aiohttp
from aiohttp import web
from aiohttp.test_utils import TestServer
from hypothesis import given, settings
from hypothesis import strategies as st

from arwarden.config import Config
from arwarden.core.counters import Counters
from arwarden.ingest.auth import Authenticator
from arwarden.ingest.problems import problem_middleware
from arwarden.publish.mqtt_packets import MQTT_3, MQTT_5, Connect, Kind, Packet, PacketReader
from arwarden.web.relay import MqttRelay

IN_ORDER = {1000, 1002, 1008, 1009, 1013}
DEADLINE_S = 10.0

texts = st.one_of(
    st.sampled_from(["arwarden/v1/quest/alerts", "arwarden/v1/quest/acks", "#", "", "$SYS/#"]),
    st.text(max_size=20),
).map(lambda text: len(text.encode()).to_bytes(2) + text.encode())
bodies = st.lists(st.one_of(texts, st.binary(max_size=12)), max_size=4).map(b"".join)
packets = st.builds(Packet, st.sampled_from(list(Kind)), st.integers(0, 15), bodies).map(lambda p: p.raw)
hellos = st.sampled_from([MQTT_3, MQTT_5]).map(
    lambda level: Connect(level, 30, "page", has_will=False, username="quest").packet(1000).raw
)
frames = st.one_of(
    st.lists(st.one_of(packets, st.binary(max_size=40)), min_size=1, max_size=4),
    st.tuples(hellos, st.lists(packets, max_size=4)).map(lambda said: [said[0], *said[1]]),
)


class ListeningBroker:
    """Accepts whoever connects, and keeps the topics of what is published or asked for."""

    def __init__(self) -> None:
        self.heard: list[Packet] = []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        packets = PacketReader(100_000)
        while data := await reader.read(4096):
            for packet in packets.feed(data):
                self.heard.append(packet)
                if packet.kind is Kind.CONNECT:
                    writer.write(b"\x20\x03\x00\x00\x00")
        writer.close()


async def talk(said: list[bytes]) -> tuple[int | None, list[Packet], list[Mapping[str, Any]]]:
    """Say it to a relay; the code that it closes with, what reached the broker, and what nobody handled."""
    faults: list[Mapping[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, context: faults.append(context))
    broker = ListeningBroker()
    listening = await asyncio.start_server(broker.serve, "127.0.0.1", 0)
    port = listening.sockets[0].getsockname()[1]
    config = Config.model_validate({"mqtt": {"host": "127.0.0.1", "port": port}})
    relay = MqttRelay(config.mqtt, Authenticator(config.ingest), Counters())
    application = web.Application(middlewares=[problem_middleware])
    application.add_routes(relay.routes())
    application.on_shutdown.append(relay.end_relays)
    async with (
        asyncio.timeout(DEADLINE_S),
        listening,
        TestServer(application) as server,
        aiohttp.ClientSession() as client,
        client.ws_connect(server.make_url("/mqtt"), protocols=("mqtt",)) as socket,
    ):
        for frame in said:
            await socket.send_bytes(frame)
        await socket.send_str("that was all")  # text is no MQTT: it ends what is still open
        while (message := await socket.receive()).type is aiohttp.WSMsgType.BINARY:
            pass
        del message
        code = socket.close_code
    return code, broker.heard, faults


@given(frames)
@settings(max_examples=80, deadline=None)
def test_whatever_a_page_says_ends_in_order(said: list[bytes]) -> None:
    code, heard, faults = asyncio.run(talk(said))
    assert code in IN_ORDER
    assert faults == []
    for packet in heard:
        if packet.kind in (Kind.PUBLISH, Kind.SUBSCRIBE):
            assert b"arwarden/v1/quest/" in packet.body
        assert packet.kind not in (Kind.CONNACK, Kind.SUBACK, Kind.PINGRESP, Kind.AUTH)
    assert sum(packet.kind is Kind.CONNECT for packet in heard) <= 1
