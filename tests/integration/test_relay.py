"""MQTT over the daemon's WebSocket, with real clients and real brokers: who gets in, and how far."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import ssl
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import aiomqtt
import pytest

from arwarden.config import Config
from arwarden.daemon import Daemon
from arwarden.publish.mqtt_packets import MQTT_5, Connect, Kind, Packet, PacketReader, connack_code
from arwarden.web import relay, relay_links
from tests.support.browser import ScriptedTier
from tests.support.certificates import make_authority
from tests.support.mosquitto import Mosquitto
from tests.support.mqtt_tap import eventually, tapping

pytestmark = [pytest.mark.broker, pytest.mark.xdist_group("daemon")]

TOKEN = "quest-secret"
ACK = b'{"schema":"arwarden/ack/1","alert_id":"a","revision":1,"action":"shown","headset_ms":1}'
ALERTS, ACKS = "arwarden/v1/quest-1/alerts", "arwarden/v1/quest-1/acks"
DEVICES = {"devices": [{"id": "quest-1", "token": {"value": TOKEN}}], "anonymous": "loopback"}


def settings(broker: Mosquitto | None, server: dict[str, Any] | None = None, **mqtt: Any) -> Config:
    content: dict[str, Any] = {
        "server": {"port": 0, "shutdown_grace_ms": 2000, **(server or {})},
        "ingest": DEVICES,
    }
    if broker is not None:
        content["mqtt"] = broker.config(**mqtt).model_dump(exclude_none=True)
    return Config.model_validate(content)


def page(
    daemon: Daemon, token: str | None = TOKEN, name: str | None = None, **options: Any
) -> aiomqtt.Client:
    """A headset's MQTT client that comes through the relay."""
    return aiomqtt.Client(
        "127.0.0.1",
        daemon.http_port,
        transport="websockets",
        websocket_path="/mqtt",
        username=name or "anything",
        password=token,
        protocol=options.pop("protocol", aiomqtt.ProtocolVersion.V5),
        timeout=5.0,
        **options,
    )


async def first_message(client: aiomqtt.Client) -> aiomqtt.Message:
    async with asyncio.timeout(5):
        return await anext(aiter(client.messages))


# There and back -----------------------------------------------------------------------------------


@pytest.mark.parametrize("protocol", [aiomqtt.ProtocolVersion.V311, aiomqtt.ProtocolVersion.V5])
async def test_alerts_come_and_acknowledgements_go(
    mosquitto: Mosquitto, protocol: aiomqtt.ProtocolVersion
) -> None:
    async with (
        Daemon(settings(mosquitto), tier=ScriptedTier()) as daemon,
        page(daemon, protocol=protocol) as headset,
        tapping(mosquitto.host, mosquitto.port, ACKS) as tap,
        aiomqtt.Client(mosquitto.host, mosquitto.port) as other,
    ):
        await headset.subscribe([(ALERTS, 1), ("arwarden/v1/daemon/status", 1)])
        status = await first_message(headset)
        assert json.loads(bytes(status.payload))["state"] == "online"
        await other.publish(ALERTS, b"x" * 60_000, qos=1)
        alert = await first_message(headset)
        assert (str(alert.topic), len(alert.payload), alert.qos) == (ALERTS, 60_000, 1)
        await headset.publish(ACKS, ACK, qos=1)
        await eventually(lambda: len(tap.received) == 1)
        await eventually(lambda: daemon.counters["acks.accepted"] == 1)


async def test_message_that_is_too_long_for_a_page_is_withheld_by_the_broker(mosquitto: Mosquitto) -> None:
    async with (
        Daemon(settings(mosquitto), tier=ScriptedTier()) as daemon,
        page(daemon) as headset,
        aiomqtt.Client(mosquitto.host, mosquitto.port) as other,
    ):
        await headset.subscribe(ALERTS, qos=1)
        await other.publish(ALERTS, b"x" * 70_000, qos=1)
        await other.publish(ALERTS, b"short", qos=1)
        assert (await first_message(headset)).payload == b"short"


async def test_brokers_with_accounts_and_tls_are_reached_under_the_daemons_login(tmp_path: Path) -> None:
    authority = make_authority(tmp_path / "authority")
    broker = Mosquitto(tmp_path / "broker", users={"arwarden": "pw"}, tls=authority)
    await broker.start()
    login: dict[str, Any] = {
        "username": "arwarden",
        "password": {"value": "pw"},
        "tls": {"ca_file": str(authority.ca_file)},
    }
    try:
        async with (
            Daemon(settings(broker, **login), tier=ScriptedTier()) as daemon,
            page(daemon) as headset,
        ):
            await headset.subscribe("arwarden/v1/daemon/status", qos=1)
            assert json.loads(bytes((await first_message(headset)).payload))["state"] == "online"
            assert " as quest-1-web-" in broker.log, "never under the id that the page chose"
    finally:
        await broker.stop()


async def test_embedded_broker_with_accounts_is_reached_too() -> None:
    config = settings(None).model_copy(
        update={"mqtt": Config.model_validate({"mqtt": {"username": "d", "password": {"value": "p"}}}).mqtt}
    )
    async with (
        Daemon(config, tier=ScriptedTier(), embedded_broker=True, broker_port=0) as daemon,
        page(daemon) as headset,
    ):
        await headset.subscribe("arwarden/v1/daemon/status", qos=1)
        assert json.loads(bytes((await first_message(headset)).payload))["state"] == "online"


async def test_over_https_it_is_wss(mosquitto: Mosquitto, tmp_path: Path) -> None:
    server = {"tls": "auto", "state_folder": str(tmp_path / "state")}
    async with Daemon(settings(mosquitto, server), tier=ScriptedTier()) as daemon:
        assert daemon.tls.certificate is not None
        trusting = ssl.create_default_context(cafile=str(daemon.tls.certificate.certificate))
        async with page(daemon, tls_context=trusting) as headset:
            await headset.subscribe("arwarden/v1/daemon/status", qos=1)
            assert json.loads(bytes((await first_message(headset)).payload))["state"] == "online"
        with pytest.raises(aiohttp.ClientError):
            async with raw_page(daemon):
                pass


# Who gets in, and how far -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("token", "name", "allowed"),
    [
        (TOKEN, "somebody", True),
        ("wrong", "quest-1", False),
        (None, "tablet", True),
        (None, "quest-1", False),
        (None, "no/device", False),
    ],
)
async def test_login_is_that_of_the_whip_endpoint(
    mosquitto: Mosquitto, token: str | None, name: str, allowed: bool
) -> None:
    async with Daemon(settings(mosquitto), tier=ScriptedTier()) as daemon:
        hello = Connect(MQTT_5, 60, "x", False, name, token.encode() if token else None)
        async with raw_page(daemon) as headset:
            await headset.say(hello.packet(1000))
            assert connack_code(await headset.hears()) == (0 if allowed else relay.BAD_LOGIN)
            assert daemon.counters["relay.refused"] == (0 if allowed else 1)
            await headset.say(about(f"arwarden/v1/{'quest-1' if token else name}/alerts", Kind.SUBSCRIBE))
            if allowed:
                assert (await headset.hears()).kind is Kind.SUBACK


class RawPage:
    """A page that says what no client library would."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self.socket = socket
        self._reader = PacketReader(100_000)

    async def say(self, *packets: Packet) -> None:
        await self.socket.send_bytes(b"".join(packet.raw for packet in packets))

    async def hears(self) -> Packet:
        async with asyncio.timeout(5):
            return self._reader.feed(await self.socket.receive_bytes())[0]

    async def ends(self) -> int | None:
        async with asyncio.timeout(10):
            while not (await self.socket.receive()).type.name.startswith("CLOS"):
                pass
        return self.socket.close_code


@contextlib.asynccontextmanager
async def raw_page(daemon: Daemon, **headers: str) -> AsyncIterator[RawPage]:
    url = f"http://127.0.0.1:{daemon.http_port}/mqtt"
    async with (
        aiohttp.ClientSession() as client,
        client.ws_connect(url, protocols=("mqtt",), headers=headers) as socket,
    ):
        assert socket.protocol == "mqtt"
        yield RawPage(socket)


LEFT = re.compile(r"tablet-web-\w+ (closed its connection|disconnected)")
HELLO = Connect(MQTT_5, 60, "arwarden", False, "tablet", None).packet(1000)


def about(topic: str, kind: Kind) -> Packet:
    name = len(topic).to_bytes(2) + topic.encode()
    if kind is Kind.SUBSCRIBE:
        return Packet(kind, 2, b"\x00\x01\x00" + name + b"\x01")
    return Packet(kind, 0, name + b"\x00forged")


@pytest.mark.parametrize(
    "packet",
    [
        about("arwarden/v1/quest-1/alerts", Kind.SUBSCRIBE),
        about("#", Kind.SUBSCRIBE),
        about("arwarden/v1/quest-1/alerts", Kind.PUBLISH),
        about("arwarden/v1/daemon/status", Kind.PUBLISH),
        HELLO,
    ],
)
async def test_what_belongs_to_others_ends_the_relay(mosquitto: Mosquitto, packet: Packet) -> None:
    async with (
        Daemon(settings(mosquitto), tier=ScriptedTier()) as daemon,
        tapping(mosquitto.host, mosquitto.port, "arwarden/v1/quest-1/alerts") as tap,
        raw_page(daemon) as headset,
    ):
        await headset.say(HELLO)
        assert connack_code(await headset.hears()) == 0
        await headset.say(packet)
        assert (await headset.hears()).kind is Kind.DISCONNECT
        assert await headset.ends() == 1008
        assert daemon.counters["relay.denied"] == 1
        assert not tap.received
        await eventually(lambda: daemon.publisher_state.value == "connected")


async def test_page_from_elsewhere_needs_a_token(mosquitto: Mosquitto) -> None:
    async with Daemon(settings(mosquitto), tier=ScriptedTier()) as daemon:
        # The second is a page whose name was made to point at this machine (DNS rebinding).
        for headers in (
            {"Origin": "https://evil.example"},
            {"Host": "evil.example"},
            {"X-Forwarded-For": "1.2.3.4"},
        ):
            async with raw_page(daemon, **headers) as headset:
                await headset.say(HELLO)
                assert connack_code(await headset.hears()) == relay.BAD_LOGIN
                assert await headset.ends() == 1008
        async with raw_page(daemon, Origin="https://evil.example") as headset:
            await headset.say(Connect(MQTT_5, 60, "x", False, "", TOKEN.encode()).packet(1000))
            assert connack_code(await headset.hears()) == 0


async def test_strange_pages_are_sent_away(mosquitto: Mosquitto, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relay_links, "HELLO_S", 0.3)
    async with Daemon(settings(mosquitto), tier=ScriptedTier()) as daemon:
        for said in (
            b"\x00",
            b"\x30\xff\xff\xff\xff\x00",
            Packet(Kind.CONNECT, 0, HELLO.body + b"x").raw,
            b"\x10\x02\x00\x00",
        ):
            async with raw_page(daemon) as headset:
                await headset.socket.send_bytes(said)
                assert await headset.ends() in (1002, 1008)
        async with raw_page(daemon) as headset:
            await headset.socket.send_str("hello")
            assert await headset.ends() == 1002
        async with raw_page(daemon) as headset:
            assert await headset.ends() == 1008, "it says nothing"
        async with raw_page(daemon) as headset:
            with_will = Packet(
                Kind.CONNECT, 0, b"\x00\x04MQTT\x05\x06\x00\x3c\x00\x00\x00\x00\x00\x01t\x00\x01x"
            )
            await headset.say(with_will)
            assert connack_code(await headset.hears()) == relay.BAD_CLIENT
        url = f"http://127.0.0.1:{daemon.http_port}/mqtt"
        async with aiohttp.ClientSession() as client:
            assert (await client.get(url)).status == 400
            with pytest.raises(aiohttp.WSServerHandshakeError):
                await client.ws_connect(url, protocols=("chat",))
        assert daemon.counters["relay.slow"] == 1
        assert daemon.counters["relay.opened"] == 0


async def test_relays_are_bounded(mosquitto: Mosquitto, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relay, "MAX_RELAYS", 1)
    async with Daemon(settings(mosquitto), tier=ScriptedTier()) as daemon:
        async with page(daemon):
            with pytest.raises(aiohttp.WSServerHandshakeError):
                async with raw_page(daemon):
                    pass
            assert daemon.counters["relay.full"] == 1
        async with page(daemon):
            pass


# What breaks --------------------------------------------------------------------------------------


async def test_broker_that_is_away_is_said_and_one_that_goes_ends_the_relay(mosquitto: Mosquitto) -> None:
    async with Daemon(settings(mosquitto), tier=ScriptedTier()) as daemon:
        async with raw_page(daemon) as headset:
            await headset.say(HELLO)
            assert connack_code(await headset.hears()) == 0
            await mosquitto.kill()
            assert await headset.ends() == 1013
        async with raw_page(daemon) as headset:
            await headset.say(HELLO)
            assert connack_code(await headset.hears()) == relay.UNAVAILABLE
            assert await headset.ends() == 1013
        await mosquitto.start()
        async with raw_page(daemon) as headset:
            await headset.say(HELLO)
            assert connack_code(await headset.hears()) == 0


async def test_frozen_broker_is_given_up_in_time(
    mosquitto: Mosquitto, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(relay_links, "CONNECT_S", 0.3)
    async with Daemon(settings(mosquitto), tier=ScriptedTier()) as daemon, raw_page(daemon) as headset:
        mosquitto.pause()
        try:
            await headset.say(HELLO)
            assert connack_code(await headset.hears()) == relay.UNAVAILABLE
        finally:
            mosquitto.resume()


async def test_wrong_login_of_the_daemon_is_not_said_to_be_the_pages(tmp_path: Path) -> None:
    broker = Mosquitto(tmp_path / "broker", users={"arwarden": "pw"})
    await broker.start()
    try:
        async with Daemon(settings(broker), tier=ScriptedTier()) as daemon, raw_page(daemon) as headset:
            await headset.say(HELLO)
            assert connack_code(await headset.hears()) == relay.UNAVAILABLE
    finally:
        await broker.stop()


async def test_end_of_the_daemon_ends_the_relays_in_order(mosquitto: Mosquitto) -> None:
    daemon = Daemon(settings(mosquitto), tier=ScriptedTier())
    await daemon.__aenter__()
    async with raw_page(daemon) as headset:
        await headset.say(HELLO)
        assert connack_code(await headset.hears()) == 0
        ending = asyncio.create_task(daemon.__aexit__())
        assert await headset.ends() == 1001
        await ending


async def test_page_that_leaves_is_forgotten(mosquitto: Mosquitto) -> None:
    async with Daemon(settings(mosquitto), tier=ScriptedTier()) as daemon:
        async with raw_page(daemon) as headset:
            await headset.say(HELLO)
            assert connack_code(await headset.hears()) == 0
        await eventually(lambda: LEFT.search(mosquitto.log) is not None)


async def test_a_headset_is_told_who_it_is(mosquitto: Mosquitto) -> None:
    async with Daemon(settings(mosquitto), tier=ScriptedTier()) as daemon, aiohttp.ClientSession() as client:
        url = f"http://127.0.0.1:{daemon.http_port}/headset"
        async with client.get(url, headers={"Authorization": f"Bearer {TOKEN}"}) as response:
            answer = await response.json()
            assert answer["device_id"] == "quest-1"
            assert answer["topics"]["alerts"] == ALERTS
            assert answer["mqtt"] == "/mqtt"
        async with client.get(url, params={"device": "tablet"}) as response:
            assert (await response.json())["device_id"] == "tablet"
        async with client.get(url, headers={"Authorization": "Bearer wrong"}) as response:
            assert response.status == 401
            assert "no device has this token" in (await response.json())["detail"]
