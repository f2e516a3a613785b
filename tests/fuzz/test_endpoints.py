"""Anything at all to every door of the assembled daemon: HTTP endpoints and subscribed topics.

No server error, no error that nobody handles, and afterwards nothing more is held than before.
"""

from __future__ import annotations

import asyncio
import gc
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
import uvloop
from hypothesis import given, settings
from hypothesis import strategies as st
from paho.mqtt.client import Client as PahoClient
from paho.mqtt.client import MQTTv5
from paho.mqtt.enums import CallbackAPIVersion
from structlog.testing import capture_logs

from arwarden.daemon import Daemon
from arwarden.publish.publisher import PublisherState
from tests.support.daemon import config_for
from tests.support.mosquitto import Mosquitto
from tests.support.mqtt_tap import eventually
from tests.support.pipeline import ScriptedTier
from tests.support.whip import CANDIDATE, FRAGMENT, SDP, offer_text

pytestmark = [pytest.mark.broker, pytest.mark.xdist_group("daemon")]

PATIENCE_S = 20.0
PATHS = [
    "/",
    "/static/app.js",
    "/static/nothing.js",
    "/events",
    "/metrics",
    "/healthz",
    "/readyz",
    "/whip",
    "/whip/session",
    "/whip?view=composited&device=quest",
]
METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"]
STATUS = "arwarden/v1/daemon/status"


@dataclass
class Running:
    """A daemon on its own thread and loop, and what went wrong in it beside its answers."""

    daemon: Daemon
    loop: asyncio.AbstractEventLoop
    faults: list[str] = field(default_factory=list)

    def ask(self, request: bytes) -> bytes:
        """The answer to a request; of an answer without an end, its head."""
        with socket.create_connection(("127.0.0.1", self.daemon.http_port), timeout=PATIENCE_S) as connection:
            received = bytearray()
            try:
                connection.sendall(request)
                while chunk := connection.recv(65_536):
                    received += chunk
                    if b"text/event-stream" in received:
                        break
            except ConnectionError:
                pass
            return bytes(received)

    def held(self) -> tuple[int, int]:
        """Tasks of the loop and open files of the process."""

        async def tasks() -> int:
            gc.collect()
            return len(asyncio.all_tasks()) - 1

        count = asyncio.run_coroutine_threadsafe(tasks(), self.loop).result(PATIENCE_S)
        return count, len(list(Path("/proc/self/fd").iterdir()))


def run_daemon(
    folder: Path, ready: threading.Event, box: list[Running], stop: list[Callable[[], Any]]
) -> None:
    async def serve() -> None:
        broker = Mosquitto(folder)
        await broker.start()
        loop, over = asyncio.get_running_loop(), asyncio.Event()
        ingest = {"connect_timeout_ms": 300, "request_timeout_ms": 1000, "max_sessions": 2}
        daemon = Daemon(config_for(broker, ingest=ingest), tier=ScriptedTier())
        running = Running(daemon, loop)
        loop.set_exception_handler(lambda _loop, context: running.faults.append(repr(context)))
        try:
            async with daemon:
                await eventually(lambda: daemon.publisher_state is PublisherState.CONNECTED)
                box.append(running)
                stop.append(lambda: loop.call_soon_threadsafe(over.set))
                ready.set()
                await over.wait()
        finally:
            await broker.stop()

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(serve())


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    ready, box, stop = threading.Event(), list[Running](), list[Callable[[], Any]]()
    folder = tmp_path_factory.mktemp("broker")
    thread = threading.Thread(target=run_daemon, args=(folder, ready, box, stop))
    with capture_logs() as records:
        thread.start()
        assert ready.wait(PATIENCE_S)
        yield box[0]
        stop[0]()
        thread.join(PATIENCE_S)
    assert not thread.is_alive()
    assert not [record for record in records if record["log_level"] in {"error", "critical"}]


@pytest.fixture(scope="module")
def publisher(running: Running) -> Iterator[PahoClient]:
    client = PahoClient(CallbackAPIVersion.VERSION2, protocol=MQTTv5)
    client.connect(*running.daemon.mqtt_address)
    client.loop_start()
    yield client
    client.disconnect()
    client.loop_stop()


def settled(condition: Callable[[], bool]) -> bool:
    """Whether the condition comes to hold."""
    end_s = time.monotonic() + PATIENCE_S
    while not condition():
        if time.monotonic() > end_s:
            return False
        time.sleep(0.02)
    return True


# HTTP -------------------------------------------------------------------------------------------------

header_texts = st.text(
    st.characters(min_codepoint=0x20, max_codepoint=0xFF, exclude_characters="\x7f"), max_size=30
)
headers = st.dictionaries(
    st.sampled_from(
        ["Authorization", "Content-Type", "If-Match", "Origin", "Accept", "Range", "Last-Event-ID"]
    ),
    st.sampled_from([SDP, FRAGMENT, "Bearer x", "*", '"tag"', "bytes=0-1", "text/event-stream"])
    | header_texts,
    max_size=4,
)
bodies = st.one_of(
    st.just(b""),
    st.binary(max_size=300),
    st.sampled_from([offer_text(name).encode() for name in ("chromium", "aiortc")]),
    st.just(f"a=candidate:{CANDIDATE}".encode()),
    st.just(b"\0" * 70_000),
)
suffixes = st.just("") | st.binary(max_size=20).map(lambda raw: "?" + quote(raw, safe="=&%"))
tails = st.just("") | st.binary(max_size=12).map(lambda raw: "/" + quote(raw, safe="/."))


@st.composite
def requests(draw: st.DrawFn) -> bytes:
    body = draw(bodies)
    target = draw(st.sampled_from(PATHS)) + draw(tails) + draw(suffixes)
    lines = [f"{draw(st.sampled_from(METHODS))} {target} HTTP/1.1", "Host: localhost", "Connection: close"]
    lines.append(f"Content-Length: {len(body)}")
    lines += [f"{name}: {text}" for name, text in draw(headers).items()]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


@given(request=requests())
@settings(max_examples=250, deadline=None)
def test_no_request_is_a_server_error(running: Running, request: bytes) -> None:
    reply = running.ask(request)
    status = int(reply.split(b" ", 2)[1])
    # A client that finds every slot taken is told so; that is no error of the server.
    full = status == 503 and b"session slot" in reply
    assert status < 500 or full, reply[:500]
    assert not running.faults


@given(request=st.binary(max_size=300))
@settings(max_examples=60, deadline=None)
def test_bytes_that_are_no_request_never_hurt(running: Running, request: bytes) -> None:
    with socket.create_connection(("127.0.0.1", running.daemon.http_port), timeout=PATIENCE_S) as connection:
        connection.sendall(request)
    assert running.ask(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").startswith(
        b"HTTP/1.1 200"
    )
    assert not running.faults


# MQTT -------------------------------------------------------------------------------------------------

scalars = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=20), st.just("arwarden/ack/1")
)
nearly = st.fixed_dictionaries(
    {},
    optional={
        "schema": st.sampled_from(["arwarden/ack/1", "arwarden/status/1"]) | scalars,
        "alert_id": scalars,
        "revision": scalars,
        "action": st.sampled_from(["shown", "dismissed", "received"]) | scalars,
        "headset_ms": scalars,
        "reason": scalars | st.text(min_size=190, max_size=300),
        "state": st.sampled_from(["online", "offline", "stopped"]) | scalars,
        "epoch": scalars,
        "published_ms": scalars,
        "version": scalars,
    },
).map(lambda content: json.dumps(content).encode())
payloads = st.one_of(st.binary(max_size=200), nearly, st.just(b"[" * 5000), st.just(b"x" * 5000))
levels = st.text(
    st.characters(exclude_characters="+#/\0", exclude_categories=["Cs", "Cc"]), min_size=1, max_size=12
)
topics = st.just(STATUS) | st.builds("arwarden/v1/{}/acks".format, st.just("quest") | levels)


@given(topic=topics, payload=payloads, retain=st.booleans())
@settings(max_examples=120, deadline=None)
def test_no_message_hurts(
    running: Running, publisher: PahoClient, topic: str, payload: bytes, retain: bool
) -> None:
    publisher.publish(topic, payload, qos=1, retain=retain).wait_for_publish(PATIENCE_S)
    assert running.daemon.publisher_state is PublisherState.CONNECTED
    assert not running.faults


def test_afterwards_the_status_is_right_and_acknowledgements_are_heard(
    running: Running, publisher: PahoClient
) -> None:
    statuses: list[bytes] = []
    publisher.on_message = lambda _client, _data, message: statuses.append(bytes(message.payload))
    publisher.subscribe(STATUS, qos=1)
    publisher.publish(STATUS, b"nonsense", qos=1, retain=True).wait_for_publish(PATIENCE_S)
    assert settled(lambda: bool(statuses) and b'"online"' in statuses[-1]), (
        "the daemon corrects what is false"
    )
    counters = running.daemon.counters
    before = counters["acks.accepted"]
    ack = {"alert_id": "a", "revision": 1, "action": "shown", "headset_ms": 1.0}
    for payload in (b"nonsense", json.dumps(ack).encode()):
        publisher.publish("arwarden/v1/quest/acks", payload, qos=1).wait_for_publish(PATIENCE_S)
    assert settled(lambda: counters["acks.accepted"] == before + 1)
    assert counters["acks.malformed"] > 0


def test_afterwards_nothing_more_is_held(running: Running) -> None:
    """Sessions that never connect have ended; many more requests change nothing."""
    request = b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    body = offer_text().encode()
    offer = b"POST /whip HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: %s\r\n"
    offer = offer % SDP.encode() + b"Content-Length: %d\r\n\r\n" % len(body) + body
    assert running.ask(offer)[9:12] in {b"201", b"503"}
    counters = running.daemon.counters

    def quiet() -> bool:
        return counters["ingest.sessions_opened"] <= counters["ingest.sessions_closed"]

    assert settled(quiet)
    assert settled(lambda: running.held() == running.held())
    before = running.held()
    for _ in range(10):
        running.ask(request)
        running.ask(offer)
    assert settled(quiet)
    assert settled(lambda: running.held()[0] <= before[0]), (before, running.held())
    assert settled(lambda: running.held()[1] <= before[1] + 1), (before, running.held())
    assert not running.faults
