"""Anything at all over HTTP: never a server error, and every refusal of ours is a problem document."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

import pytest
from aiohttp import web
from hypothesis import given, settings
from hypothesis import strategies as st

from arwarden.config import Config
from arwarden.core.counters import Counters
from arwarden.ingest.auth import Authenticator
from arwarden.ingest.problems import problem_middleware
from arwarden.ingest.runner import http_runner
from arwarden.ingest.whip import whip_routes
from tests.support.whip import CANDIDATE, FRAGMENT, SDP, FakeSessions, offer_text

REPLY_TIMEOUT_S = 20.0
HALF_A_REQUEST_S = 0.05
METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"]
PATHS = ["/whip", "/whip/s", "/whip/other", "/whip?view=unknown", "/whip?device=a&device=b", "/"]

# Header text as clients may send it: visible characters, and bytes above ASCII.
header_texts = st.text(
    st.characters(min_codepoint=0x20, max_codepoint=0xFF, exclude_characters="\x7f"), max_size=40
)
known_headers = {
    "Authorization": ["Bearer red-secret", "Bearer x", "Basic x", "Bearer"],
    "Content-Type": [SDP, FRAGMENT, "text/plain", "application/sdp; charset=x", ";"],
    "If-Match": ['"tag-s"', "*", 'W/"x"', '"', '"a", "b"', ","],
    "Content-Encoding": ["gzip", "deflate", "br", "identity", "x"],
    "Origin": ["null", "https://page.example"],
    "X-Forwarded-For": ["127.0.0.1"],
    "Accept": ["*/*"],
    "Range": ["bytes=0-"],
    "Cookie": ["a=b"],
}
bodies = st.one_of(
    st.just(b""),
    st.binary(max_size=200),
    st.just(offer_text().encode()),
    st.just(f"a=candidate:{CANDIDATE}".encode()),
    st.just(b"a=x\r\n" * 20_000),
)

# One server for the whole module, and a last test that looks at what the others left: one worker.
pytestmark = pytest.mark.xdist_group("http-fuzz")
paths = st.one_of(
    st.sampled_from(PATHS),
    st.binary(max_size=20).map(lambda raw: "/whip/" + quote(raw, safe="")),
    st.binary(max_size=20).map(lambda raw: "/whip?device=" + quote(raw, safe="")),
    st.binary(max_size=20).map(lambda raw: "/whip?" + quote(raw, safe="=&%")),
    st.binary(max_size=20).map(lambda raw: "/" + quote(raw, safe="/?=&;%")),
)


class EverySession(FakeSessions):
    """One session is always there."""

    def device_of(self, session_id: str) -> str | None:
        return "red" if session_id == "s" else None

    def ice_tag_of(self, session_id: str) -> str | None:
        return f"tag-{session_id}"


@dataclass
class Server:
    """A real server on its own thread, and what went wrong in it beside the responses."""

    port: int = 0
    faults: list[str] = field(default_factory=list)
    counters: Counters = field(default_factory=Counters)

    def ask(self, request: bytes, patience_s: float = REPLY_TIMEOUT_S) -> bytes:
        """Everything that comes back until the server closes the connection or patience ends."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=patience_s) as connection:
            received = bytearray()
            # The server need not read all of a request that it refuses, and waits for the rest of half a one.
            with contextlib.suppress(ConnectionError, TimeoutError):
                connection.sendall(request)
                while chunk := connection.recv(65_536):
                    received += chunk
            return bytes(received)


async def _serve(server: Server, ready: threading.Event, stop: asyncio.Event) -> None:
    def note(_loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        server.faults.append(repr(context))

    asyncio.get_running_loop().set_exception_handler(note)
    config = Config.model_validate(
        {"ingest": {"devices": [{"id": "red", "token": {"value": "red-secret"}}], "request_timeout_ms": 1000}}
    )
    application = web.Application(middlewares=[problem_middleware])
    application.add_routes(whip_routes(EverySession(), Authenticator(config.ingest), config))
    runner = http_runner(application, server.counters, shutdown_timeout_s=1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    server.port = runner.addresses[0][1]
    ready.set()
    await stop.wait()
    await runner.cleanup()


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    running = Server()
    ready = threading.Event()
    loop = asyncio.new_event_loop()
    stop = asyncio.Event()
    thread = threading.Thread(target=lambda: loop.run_until_complete(_serve(running, ready, stop)))

    class Note(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            error = record.exc_info[1] if record.exc_info else None
            running.faults.append(f"{record.getMessage()}: {error!r}")

    handler = Note(level=logging.ERROR)
    logging.getLogger("aiohttp").addHandler(handler)
    thread.start()
    try:
        assert ready.wait(REPLY_TIMEOUT_S)
        yield running
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(REPLY_TIMEOUT_S)
        loop.close()
        logging.getLogger("aiohttp").removeHandler(handler)


def parsed(reply: bytes) -> tuple[int, dict[str, str], bytes]:
    head, _, body = reply.partition(b"\r\n\r\n")
    lines = head.decode("latin-1").split("\r\n")
    pairs = (line.partition(":") for line in lines[1:])
    return int(lines[0].split(" ")[1]), {name.lower(): value.strip() for name, _, value in pairs}, body


@st.composite
def requests(draw: st.DrawFn) -> tuple[str, bytes]:
    """A method, and a request of that method that is sound as HTTP."""
    method, body = draw(st.sampled_from(METHODS)), draw(bodies)
    lines = [f"{method} {draw(paths)} HTTP/1.1", "Host: localhost", "Connection: close"]
    lines.append(f"Content-Length: {len(body)}")
    names = draw(st.lists(st.sampled_from(sorted(known_headers)), max_size=5, unique=True))
    lines += [f"{name}: {draw(st.sampled_from(known_headers[name]) | header_texts)}" for name in names]
    return method, "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


@given(request=requests())
@settings(max_examples=400, deadline=None)
def test_every_request_gets_a_sound_answer(server: Server, request: tuple[str, bytes]) -> None:
    method, sent = request
    reply = server.ask(sent)
    status, received, content = parsed(reply)
    assert status < 500
    assert not server.faults
    if status >= 400:
        assert received["content-type"].startswith("application/problem+json")
        if method != "HEAD":
            document = json.loads(content)
            assert document["status"] == status
            assert document["title"]
            assert document["detail"]


@given(request=st.binary(max_size=400))
@settings(max_examples=150, deadline=None)
def test_bytes_that_are_not_http_never_hurt(server: Server, request: bytes) -> None:
    reply = server.ask(request, HALF_A_REQUEST_S)
    assert not reply.startswith(b"HTTP/1.1 5")
    assert not reply.startswith(b"HTTP/1.0 5")


@given(
    prefix=st.sampled_from(
        [b"POST /whip HTTP/1.1\r\n", b"PATCH /whip/s HTTP/1.1\r\n", b"OPTIONS * HTTP/1.1\r\n"]
    ),
    rest=st.lists(
        st.one_of(
            st.binary(max_size=30),
            st.sampled_from(
                [
                    b"\r\n",
                    b"\r\n\r\n",
                    b"Content-Length: 5\r\n",
                    b"Content-Length: -1\r\n",
                    b"Transfer-Encoding: chunked\r\n",
                    b"Content-Type: application/sdp\r\n",
                    b"Content-Encoding: gzip\r\n",
                    b"Expect: 100-continue\r\n",
                    b"Expect: x\r\n",
                    b"5\r\nabcde\r\n0\r\n\r\n",
                    b"zz\r\n",
                ]
            ),
        ),
        max_size=8,
    ),
)
@settings(max_examples=250, deadline=None)
def test_half_sound_http_never_hurts(server: Server, prefix: bytes, rest: list[bytes]) -> None:
    reply = server.ask(
        prefix + b"Host: localhost\r\nConnection: close\r\n" + b"".join(rest), HALF_A_REQUEST_S
    )
    assert not reply.startswith(b"HTTP/1.1 5")


def test_afterwards_the_server_still_works_and_nothing_went_wrong_behind_it(server: Server) -> None:
    # Whatever the drawn bytes were, this body is broken for certain: a chunk without a size.
    chunked = b"POST /whip HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/sdp\r\n"
    server.ask(chunked + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n", HALF_A_REQUEST_S)
    body = offer_text().encode()
    head = f"POST /whip HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: {SDP}\r\n"
    reply = server.ask(head.encode() + f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
    assert parsed(reply)[0] == 201
    assert not server.faults
    assert server.counters["http.broken_requests"] > 0
