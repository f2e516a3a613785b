"""Packets that are read and written by hand, held against those that paho makes."""

from __future__ import annotations

import contextlib
import random
import socket
from collections.abc import Callable

import paho.mqtt.client as paho
import pytest
from hypothesis import given
from hypothesis import strategies as st
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.subscribeoptions import SubscribeOptions

from arwarden.publish.mqtt_packets import (
    MQTT_3,
    MQTT_5,
    Connect,
    Kind,
    MalformedPacket,
    Packet,
    PacketReader,
    connack_code,
    goodbye,
    published_topic,
    refusal,
    subscribed_filters,
)

LIMIT = 65_536
LEVELS = {MQTT_3: paho.MQTTv311, MQTT_5: paho.MQTTv5}


def said_by_paho(level: int, say: Callable[[paho.Client], object]) -> list[Packet]:
    """What a paho client writes to its socket."""
    client = paho.Client(CallbackAPIVersion.VERSION2, client_id="tablet", protocol=LEVELS[level])
    with socket.create_server(("127.0.0.1", 0)) as listener:
        say(client)
        client.connect("127.0.0.1", listener.getsockname()[1], keepalive=33)
        connection, _ = listener.accept()
        with connection:
            client.loop_write()
            client._sock_close()
            data = b""
            with contextlib.suppress(ConnectionError):
                while chunk := connection.recv(4096):
                    data += chunk
    return PacketReader(LIMIT).feed(data)


@pytest.mark.parametrize("level", [MQTT_3, MQTT_5])
def test_connect_is_read_as_paho_writes_it(level: int) -> None:
    def say(client: paho.Client) -> None:
        client.username_pw_set("quest-1", "gehëim")
        client.will_set("some/topic", b"\x00gone", qos=1)

    found = Connect.read(said_by_paho(level, say)[0])
    assert found == Connect(level, 33, "tablet", True, "quest-1", "gehëim".encode())


@pytest.mark.parametrize("level", [MQTT_3, MQTT_5])
@pytest.mark.parametrize("login", [(None, None), ("daemon", None), ("daemon", b"secret")])
def test_connect_that_is_written_is_read_the_same(level: int, login: tuple[str | None, bytes | None]) -> None:
    connect = Connect(level, 60, "quest-1-web", False, *login)
    (packet,) = PacketReader(LIMIT).feed(connect.packet(LIMIT).raw)
    assert Connect.read(packet) == connect


def test_publish_and_subscribe_are_read_as_paho_writes_them() -> None:
    properties = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
    properties.MessageExpiryInterval = 3
    client = paho.Client(CallbackAPIVersion.VERSION2, protocol=paho.MQTTv5)
    ours, theirs = socket.socketpair()
    with ours, theirs:
        client._sock = ours
        client.publish("a/ü", b"x" * 300, qos=1, properties=properties)
        client._send_subscribe(False, [(b"a/+", SubscribeOptions(qos=1)), (b"b", SubscribeOptions())])
        client._sock = None
        client._out_packet.clear()
        ours.close()
        data = b"".join(iter(lambda: theirs.recv(4096), b""))
    publish, subscribe = PacketReader(LIMIT).feed(data)
    assert (publish.kind, published_topic(publish)) == (Kind.PUBLISH, "a/ü")
    assert (subscribe.kind, subscribed_filters(subscribe, MQTT_5)) == (Kind.SUBSCRIBE, ["a/+", "b"])


def test_stream_is_split_wherever_it_is_cut() -> None:
    packets = [Packet(Kind.PUBLISH, 2, bytes(size)) for size in (0, 1, 127, 128, 16_383, 16_384, 60_000)]
    data = b"".join(packet.raw for packet in packets)
    chance = random.Random(7)  # noqa: S311 - cuts, no secrets
    for _ in range(20):
        reader, rest, found = PacketReader(LIMIT), data, []
        while rest:
            size = chance.choice([1, 2, 3, 5, 1000, 50_000])
            found += reader.feed(rest[:size])
            rest = rest[size:]
        assert found == packets


def test_too_long_a_packet_is_refused_before_it_is_there() -> None:
    reader = PacketReader(100)
    assert len(reader.feed(Packet(Kind.PUBLISH, 0, bytes(98)).raw)) == 1
    with pytest.raises(MalformedPacket, match="more than 100"):
        reader.feed(Packet(Kind.PUBLISH, 0, bytes(99)).raw[:2])


@pytest.mark.parametrize(
    "data",
    [
        b"\x00\x00",
        b"GET / HTTP/1.1\r\n\r\n"[:1] + b"\xff\xff\xff\xff\x01",
        b"\x30\x80\x80\x80\x80",
    ],
)
def test_bytes_that_are_no_packets_are_refused(data: bytes) -> None:
    with pytest.raises(MalformedPacket):
        PacketReader(LIMIT).feed(data)


CONNECT = Connect(MQTT_5, 60, "c", False, "u", b"p").packet(LIMIT)


@pytest.mark.parametrize(
    "packet",
    [
        Packet(Kind.PUBLISH, 0, CONNECT.body),
        Packet(Kind.CONNECT, 0, CONNECT.body[:-1]),
        Packet(Kind.CONNECT, 0, CONNECT.body + b"x"),
        Packet(Kind.CONNECT, 0, CONNECT.body.replace(b"MQTT", b"MQIs")),
        Packet(Kind.CONNECT, 0, b"\x00\x04MQTT\x03\x02\x00\x3c\x00\x01c"),
        Packet(Kind.CONNECT, 0, b"\x00\x04MQTT\x05\x02\x00\x3c\xff\xff"),
        Packet(Kind.CONNECT, 0, b"\x00\x04MQTT\x04\x02\x00\x3c\x00\x01\xff"),
        Packet(Kind.CONNECT, 0, b"\x00\x04MQTT\x04\x02\x00\x3c\x00\x01\x00"),
        Packet(Kind.CONNECT, 0, b""),
    ],
)
def test_malformed_connect_is_refused(packet: Packet) -> None:
    with pytest.raises(MalformedPacket):
        Connect.read(packet)


def test_empty_subscribe_is_refused() -> None:
    with pytest.raises(MalformedPacket):
        subscribed_filters(Packet(Kind.SUBSCRIBE, 2, b"\x00\x01\x00"), MQTT_5)
    with pytest.raises(MalformedPacket):
        subscribed_filters(Packet(Kind.SUBSCRIBE, 2, b"\x00\x01\x00\x01a"), MQTT_3)


def test_refusals_and_goodbyes() -> None:
    assert connack_code(refusal(MQTT_5, 0x86)) == 0x86
    assert [connack_code(refusal(MQTT_3, code)) for code in (0x86, 0x87, 0x88, 0x99)] == [4, 5, 3, 3]
    assert goodbye(0x87).raw == bytes([0xE0, 2, 0x87, 0])
    for packet in (goodbye(0), Packet(Kind.CONNACK, 0, b"\0")):
        with pytest.raises(MalformedPacket):
            connack_code(packet)


def test_login_that_does_not_fit_is_refused() -> None:
    with pytest.raises(MalformedPacket, match="do not fit"):
        Connect(MQTT_5, 1, "c", False, "u", bytes(70_000)).packet(LIMIT)


@given(st.binary(max_size=300), st.sampled_from([MQTT_3, MQTT_5]))
def test_any_bytes_are_packets_or_refused(data: bytes, level: int) -> None:
    with contextlib.suppress(MalformedPacket):
        for packet in PacketReader(200).feed(data):
            assert len(packet.raw) <= 200 + 4  # lengths may be written longer than needed
            for read in (Connect.read, published_topic, connack_code):
                with contextlib.suppress(MalformedPacket):
                    read(packet)
            with contextlib.suppress(MalformedPacket):
                subscribed_filters(packet, level)
