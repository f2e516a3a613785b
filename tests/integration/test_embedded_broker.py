"""The embedded broker, held to what the contract needs of a broker (docs/decisions/broker.md)."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import aiomqtt
import psutil
import pytest
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from arwarden.config import Config, MqttConfig
from arwarden.core.counters import Counters
from arwarden.core.errors import BrokerError
from arwarden.publish.acks import inbox_type
from arwarden.publish.connection import Connection, Will
from arwarden.publish.embedded import Access, EmbeddedBroker, Login
from arwarden.publish.publisher import PublisherState
from tests.support.alerts_out import ACKS, ALERTS, STATUS, running
from tests.support.logins import lets_in
from tests.support.mosquitto import free_port
from tests.support.mqtt_tap import eventually, tapping

Address = tuple[str, int]


@pytest.fixture
async def address() -> AsyncIterator[Address]:
    broker = EmbeddedBroker(port=0)
    yield await broker.start()
    await broker.stop()


def client(address: Address) -> aiomqtt.Client:
    return aiomqtt.Client(*address, protocol=aiomqtt.ProtocolVersion.V5, timeout=5.0)


def config(address: Address, **fields: object) -> MqttConfig:
    quick = {"publish_timeout_ms": 1000, "reconnect_min_ms": 50, "reconnect_max_ms": 400}
    return MqttConfig.model_validate({"host": address[0], "port": address[1], **quick, **fields})


def expiring(seconds: int) -> Properties:
    properties = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
    properties.MessageExpiryInterval = seconds
    return properties


async def test_publisher_through_it_in_both_directions(address: Address) -> None:
    ack = b'{"schema":"arwarden/ack/1","alert_id":"a","revision":1,"action":"shown","headset_ms":1}'
    async with tapping(*address, "arwarden/v1/+/alerts") as tap, running(config(address)) as daemon:
        daemon.submit("a")
        await eventually(lambda: len(tap.on(ALERTS)) == 1)
        async with client(address) as headset:
            await headset.publish(ACKS, ack, qos=1)
        await eventually(lambda: bool(daemon.acks))
    assert tap.on(ALERTS)[0].expiry_s in {1, 2, 3}
    assert daemon.acks[0][0] == "quest"
    async with tapping(*address, STATUS) as late:
        await eventually(lambda: bool(late.received))
        assert (late.received[0].json["state"], late.received[0].retain) == ("stopped", True)


async def test_retained_messages_expire_and_are_cleared(address: Address) -> None:
    async with client(address) as publisher:
        await publisher.publish("t/short", b"x", qos=1, retain=True, properties=expiring(1))
        await publisher.publish("t/long", b"x", qos=1, retain=True, properties=expiring(60))
        await publisher.publish("t/cleared", b"x", qos=1, retain=True)
        await publisher.publish("t/cleared", b"", qos=1, retain=True)
    await asyncio.sleep(2.1)
    async with tapping(*address, "t/+") as tap:
        await eventually(lambda: bool(tap.received))
        await asyncio.sleep(0.2)
        assert [message.topic for message in tap.received] == ["t/long"]


async def test_will_speaks_when_the_socket_is_cut(address: Address) -> None:
    async with tapping(*address, STATUS) as tap:
        doomed = await Connection.open(config(address), Will(STATUS, b"gone"), inbox_type(Counters()))
        polite = await Connection.open(
            config(address, client_id="polite"), Will(STATUS, b"wrong"), inbox_type(Counters())
        )
        await polite.close()
        await doomed.abort()
        await eventually(lambda: [message.payload for message in tap.received] == [b"gone"])


async def test_two_daemons_with_one_client_id_settle_on_it_too(address: Address) -> None:
    short = config(address, reconnect_max_ms=200)
    async with running(short, "first") as first:
        await eventually(lambda: first.publisher.state is PublisherState.CONNECTED)
        async with running(short, "second") as second:
            both = {first.publisher, second.publisher}
            await eventually(lambda: {p.state for p in both} >= {PublisherState.CLIENT_TAKEN_OVER}, 20)
            await eventually(lambda: {p.state for p in both} >= {PublisherState.CONNECTED})


async def test_1000_messages_reach_two_subscribers_in_order(address: Address) -> None:
    payloads = [str(number).encode() for number in range(1000)]
    async with tapping(*address, "t") as one, tapping(*address, "t") as two, client(address) as publisher:
        for payload in payloads:
            await publisher.publish("t", payload, qos=1)
        await eventually(lambda: len(one.received) == len(two.received) == 1000, 20)
    assert [message.payload for message in one.received] == payloads
    assert [message.payload for message in two.received] == payloads
    assert {message.qos for message in one.received} == {1}


async def test_our_largest_payload_passes(address: Address) -> None:
    async with tapping(*address, "t") as tap, client(address) as publisher:
        await publisher.publish("t", b"x" * 61_440, qos=1)
        await eventually(lambda: bool(tap.received))
        assert len(tap.received[0].payload) == 61_440


async def test_it_survives_garbage(address: Address) -> None:
    for garbage in (b"\xff" * 64, b"\x10\xff\xff\xff\x7f" + b"x" * 50, b"GET / HTTP/1.0\r\n\r\n", b""):
        _, writer = await asyncio.open_connection(*address)
        writer.write(garbage)
        await writer.drain()
        writer.close()
    async with client(address) as publisher:
        await publisher.publish("t", b"x", qos=1)


async def test_the_publisher_comes_back_after_it_is_restarted_on_its_port() -> None:
    broker = EmbeddedBroker(port=free_port())
    address = await broker.start()
    async with running(config(address)) as daemon:
        await eventually(lambda: daemon.publisher.state is PublisherState.CONNECTED)
        await broker.stop()
        assert await broker.start() == address
        await eventually(lambda: daemon.counters["publish.connections"] == 2)
    await broker.stop()
    await broker.stop()
    assert broker.pid is None


async def test_supervised_it_is_started_again_when_it_dies() -> None:
    broker = EmbeddedBroker(port=0)
    address = await broker.start()
    supervising = asyncio.create_task(broker.supervise())
    first = broker.pid
    assert first is not None
    os.kill(first, signal.SIGKILL)
    await eventually(lambda: broker.pid not in {None, first})
    assert listens(address)
    await broker.stop()
    await asyncio.wait_for(supervising, 5)
    assert not listens(address)


def listens(address: Address) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(address) == 0


async def test_ctrl_c_at_the_terminal_is_for_the_daemon_alone() -> None:
    """The daemon says goodbye through the broker, so the broker has to outlive the key press."""
    broker = EmbeddedBroker(port=0)
    await broker.start()
    assert broker.pid is not None
    assert os.getpgid(broker.pid) != os.getpgid(0)
    await broker.stop()


async def test_by_default_only_this_machine_reaches_it(address: Address) -> None:
    assert address[0] == "127.0.0.1"
    assert bound_to(address[1]) == {"127.0.0.1"}


async def test_headsets_reach_it_where_that_is_wanted() -> None:
    broker = EmbeddedBroker(host="0.0.0.0", port=0)  # noqa: S104 - the point of the test
    address = await broker.start()
    assert address[0] == "127.0.0.1", "the address for this machine's own clients"
    assert bound_to(address[1]) == {"0.0.0.0"}  # noqa: S104
    await broker.stop()


def bound_to(port: int) -> set[str]:
    children = psutil.Process().children(recursive=True)
    sockets = [each for child in children for each in child.net_connections("tcp")]
    return {
        each.laddr.ip for each in sockets if each.status == psutil.CONN_LISTEN and each.laddr.port == port
    }


async def test_a_taken_port_is_said_with_the_cure() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(BrokerError, match=rf"port {port} .* taken.*mqtt\.port.*0 picks a free one"):
            await EmbeddedBroker(port=port).start()


async def test_an_address_of_another_machine_is_said_with_the_cure() -> None:
    with pytest.raises(BrokerError, match=r"no address of this machine; use 127\.0\.0\.1"):
        await EmbeddedBroker(host="203.0.113.5", port=0).start()


async def test_a_child_that_cannot_start_says_why(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    child = tmp_path / "child.py"
    child.write_text("raise SystemExit('no broker in this wheel')", encoding="utf-8")
    monkeypatch.setattr("arwarden.publish.embedded.CHILD", child)
    broker = EmbeddedBroker(port=0)
    with pytest.raises(BrokerError, match="ended while starting: no broker in this wheel"):
        await broker.start()
    assert broker.pid is None


async def test_it_ends_with_a_parent_that_is_killed() -> None:
    script = (
        "import asyncio, sys\n"
        "from arwarden.publish.embedded import EmbeddedBroker\n"
        "async def main():\n"
        "    broker = EmbeddedBroker(port=0)\n"
        "    await broker.start()\n"
        "    print(broker.pid, flush=True)\n"
        "    await asyncio.sleep(60)\n"
        "asyncio.run(main())\n"
    )
    paths = os.pathsep.join(path for path in sys.path if path)
    parent = await asyncio.create_subprocess_exec(
        sys.executable, "-c", script, stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": paths}
    )
    assert parent.stdout is not None
    lines = [line async for line in first_number(parent.stdout)]
    parent.kill()
    await parent.wait()
    await eventually(lambda: not psutil.pid_exists(lines[0]))


async def first_number(stream: asyncio.StreamReader) -> AsyncIterator[int]:
    while line := await asyncio.wait_for(stream.readline(), 20):
        if line.strip().isdigit():
            yield int(line)
            return


async def test_stop_before_start_is_nothing() -> None:
    await EmbeddedBroker().stop()


# Who may connect ------------------------------------------------------------------------

DAEMON = Login("daemon", 'a "quoted" \\ pässword\x7f')
QUEST = Login("quest-1", "tok\ten 👓")


def login_config(address: Address, login: Login | None, **fields: object) -> MqttConfig:
    given = {} if login is None else {"username": login.username, "password": {"value": login.password}}
    return config(address, **given, **fields)


async def test_with_users_it_lets_nobody_else_in() -> None:
    broker = EmbeddedBroker(port=0, access=Access(DAEMON, (QUEST,)))
    address = await broker.start()
    try:
        assert await lets_in(login_config(address, DAEMON))
        assert await lets_in(login_config(address, QUEST, client_id="quest"))
        for login in (None, Login("daemon", "wrong"), Login("nobody", DAEMON.password), Login("quest-1", "")):
            assert not await lets_in(login_config(address, login, client_id="stranger")), login
    finally:
        await broker.stop()


DEVICES = {"devices": [{"id": "quest-1", "token": {"value": "tok"}}]}
EVERYWHERE = "0.0.0.0"  # noqa: S104 - not bound to
LOGIN = {"username": "boss", "password": {"value": "pw"}}


@pytest.mark.parametrize(
    ("sections", "host", "names"),
    [
        ({}, EVERYWHERE, []),
        ({"ingest": DEVICES}, "127.0.0.1", []),
        ({"ingest": DEVICES}, EVERYWHERE, ["quest-1", "daemon-"]),
        ({"mqtt": LOGIN}, "127.0.0.1", ["boss"]),
        ({"mqtt": LOGIN, "ingest": DEVICES}, "127.0.0.1", ["quest-1", "boss"]),
    ],
)
def test_who_is_let_in_follows_from_the_configuration(
    sections: dict[str, object], host: str, names: list[str]
) -> None:
    access = Access.of(Config.model_validate(sections), host)
    assert [name.startswith(wanted) for name, wanted in zip(access.users, names, strict=True)] == [
        True
    ] * len(names)
    assert access.users.get("quest-1", "tok") == "tok"
    assert "pw" not in repr(access)
