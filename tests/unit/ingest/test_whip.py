from __future__ import annotations

import asyncio
import gzip
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp import ClientResponse, web
from aiohttp.test_utils import TestClient, TestServer
from structlog.testing import capture_logs

from arwarden.config import Config
from arwarden.core.counters import Counters
from arwarden.core.errors import MalformedOffer, NoCapacity, UnsupportedMedia
from arwarden.core.frame import View
from arwarden.ingest.problems import problem_middleware
from arwarden.ingest.sdp import check_offer
from arwarden.ingest.signalling import Candidate
from tests.support.whip import (
    CANDIDATE,
    FRAGMENT,
    SDP,
    Client,
    FakeSessions,
    minimal_offer,
    offer_text,
    whip_client,
)

OFFER = {"Content-Type": SDP}
RED = {"Authorization": "Bearer red-secret"}
BLUE = {"Authorization": "Bearer blue-secret"}
TRICKLE = f"a=mid:0\r\na=candidate:{CANDIDATE}\r\n"

POST_HEAD = (
    b"POST /whip HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/sdp\r\nContent-Length: 999\r\n\r\n"
)


def config(server: dict[str, Any] | None = None, **ingest: Any) -> Config:
    devices = [{"id": name, "token": {"value": f"{name}-secret"}} for name in ("red", "blue")]
    return Config.model_validate({"ingest": {"devices": devices, **ingest}, "server": server or {}})


@asynccontextmanager
async def endpoint(
    sessions: FakeSessions | None = None, counters: Counters | None = None, settings: Config | None = None
) -> AsyncIterator[Client]:
    async with whip_client(sessions or FakeSessions(), settings or config(), counters) as client:
        yield client


async def problem(response: ClientResponse, status: int) -> dict[str, Any]:
    assert response.status == status
    assert response.content_type == "application/problem+json"
    assert response.headers["Cache-Control"] == "no-store"
    body: dict[str, Any] = await response.json(content_type="application/problem+json")
    assert body["status"] == status
    assert body["title"]
    assert body["detail"]
    return body


async def begin(client: Client, headers: dict[str, str] | None = None, query: str = "") -> ClientResponse:
    response = await client.post(f"/whip{query}", data=offer_text(), headers={**OFFER, **(headers or {})})
    assert response.status == 201
    return response


async def test_an_offer_is_answered_with_a_session() -> None:
    sessions = FakeSessions()
    async with endpoint(sessions) as client:
        response = await begin(client, RED)
        assert response.content_type == SDP
        assert await response.text() == "v=0\r\n"
        assert response.headers["Location"] == "/whip/session1"
        assert response.headers["ETag"] == '"tag-session1"'
        assert "Link" not in response.headers
    [offer] = sessions.offers
    assert (offer.device_id, offer.view) == ("red", View.UNKNOWN)
    assert offer.sdp == check_offer(offer_text().encode(), SDP, 65_536)


@pytest.mark.parametrize("view", list(View))
async def test_the_client_says_which_view_it_streams(view: View) -> None:
    sessions = FakeSessions()
    async with endpoint(sessions) as client:
        await begin(client, query=f"?view={view.value}")
    assert sessions.offers[0].view is view


async def test_an_unknown_view_is_refused_with_those_that_are_known() -> None:
    async with endpoint() as client:
        response = await client.post("/whip?view=left-eye", data=offer_text(), headers=OFFER)
        body = await problem(response, 400)
        assert "'left-eye'" in body["detail"]
        assert "composited, passthrough, unknown" in body["detail"]


async def test_without_a_token_the_address_of_the_session_names_the_device() -> None:
    sessions = FakeSessions()
    async with endpoint(sessions) as client:
        response = await begin(client, query="?device=kitchen")
        assert sessions.offers[0].device_id == "kitchen"
        assert (await client.delete(response.headers["Location"])).status == 200
    assert sessions.closed == [("session1", "client_deleted")]


async def test_without_a_token_and_a_name_there_is_a_default() -> None:
    sessions = FakeSessions()
    async with endpoint(sessions) as client:
        await begin(client)
    assert sessions.offers[0].device_id == "headset"


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer wrong"}, {"X-Forwarded-For": "127.0.0.1"}])
async def test_who_is_not_known_is_told_how_to_be(headers: dict[str, str]) -> None:
    sessions = FakeSessions()
    async with endpoint(sessions, settings=config(anonymous="never")) as client:
        response = await client.post("/whip", data=offer_text(), headers={**OFFER, **headers})
        body = await problem(response, 401)
        assert response.headers["WWW-Authenticate"] == 'Bearer realm="arwarden"'
        assert body["type"] == "urn:arwarden:problem:unauthorized"
        assert "token" in body["detail"]
    assert not sessions.offers


async def test_a_client_behind_a_proxy_on_this_machine_needs_a_token() -> None:
    async with endpoint() as client:
        headers = {**OFFER, "X-Forwarded-For": "192.0.2.9"}
        await problem(await client.post("/whip", data=offer_text(), headers=headers), 401)


@pytest.mark.parametrize(
    ("body", "content_type", "status", "kind"),
    [
        ("", SDP, 400, "malformed-offer"),
        ("garbage", SDP, 400, "malformed-offer"),
        (minimal_offer("a=rtpmap:96 VP9/90000"), SDP, 406, "unsupported-media"),
        ("a" * 70_000, SDP, 413, "offer-too-large"),
        (offer_text(), "application/json", 415, "wrong-content-type"),
    ],
)
async def test_each_bad_offer_gets_its_status_and_its_reason(
    body: str, content_type: str, status: int, kind: str
) -> None:
    sessions, counters = FakeSessions(), Counters()
    async with endpoint(sessions, counters) as client:
        response = await client.post("/whip", data=body, headers={"Content-Type": content_type})
        assert (await problem(response, status))["type"] == f"urn:arwarden:problem:{kind}"
        await begin(client)
    assert len(sessions.offers) == 1
    assert counters.snapshot() == {f"whip.refused.{status}": 1}


async def test_a_missing_content_type_is_415() -> None:
    async with endpoint() as client:
        response = await client.post("/whip", data=b"x", skip_auto_headers={"Content-Type"})
        assert "application/sdp" in (await problem(response, 415))["detail"]


async def test_a_coded_body_is_refused_unread() -> None:
    async with endpoint() as client:
        headers = {**OFFER, "Content-Encoding": "gzip"}
        response = await client.post("/whip", data=gzip.compress(b"v=0\r\n" * 10_000), headers=headers)
        assert "Content-Encoding" in (await problem(response, 415))["detail"]


async def test_a_chunked_body_is_cut_off_at_the_limit() -> None:
    async def chunks() -> AsyncIterator[bytes]:
        for _ in range(100):
            yield b"a=x:" + b"y" * 1020

    async with endpoint(settings=config(max_offer_bytes=4096)) as client:
        body = await problem(await client.post("/whip", data=chunks(), headers=OFFER), 413)
        assert "4096 bytes" in body["detail"]


async def test_a_dripping_client_is_cut_off() -> None:
    """One byte at a time keeps a connection busy; the handler must end all the same."""
    sessions = FakeSessions()
    async with endpoint(sessions, settings=config(request_timeout_ms=200)) as client:
        reader, writer = await asyncio.open_connection("127.0.0.1", client.port)
        writer.write(POST_HEAD)
        async with asyncio.timeout(10):
            for _ in range(6):
                writer.write(b"v")
                await asyncio.sleep(0.05)
            head = await reader.readuntil(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 408 ")
        assert b"application/problem+json" in head
        assert b"connection: close" in head.lower()
        writer.close()
        await writer.wait_closed()
    assert not sessions.offers


async def test_a_client_that_leaves_within_its_request_leaves_nothing_behind() -> None:
    sessions = FakeSessions()
    unhandled: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: unhandled.append(context))
    with capture_logs() as logs:
        async with endpoint(sessions) as client:
            _, writer = await asyncio.open_connection("127.0.0.1", client.port)
            writer.write(POST_HEAD + b"v=0")
            await writer.drain()
            await asyncio.sleep(0.05)
            writer.transport.abort()
            await asyncio.sleep(0.05)
            await begin(client)
    assert len(sessions.offers) == 1
    assert not unhandled
    assert not [entry for entry in logs if entry["log_level"] == "error"]


@pytest.mark.parametrize(
    ("error", "status"),
    [(NoCapacity("4 of 4 taken"), 503), (MalformedOffer("m"), 400), (UnsupportedMedia("u"), 406)],
)
async def test_what_the_sessions_refuse_is_passed_on(error: Any, status: int) -> None:
    sessions = FakeSessions()
    sessions.refusal = error
    async with endpoint(sessions) as client:
        response = await client.post("/whip", data=offer_text(), headers=OFFER)
        assert (await problem(response, status))["detail"] == error.reason
        assert ("Retry-After" in response.headers) == (status == 503)


async def test_a_fault_of_ours_gives_nothing_away_and_is_logged() -> None:
    sessions = FakeSessions()
    sessions.fault = RuntimeError("the inner life")
    with capture_logs() as logs:
        async with endpoint(sessions) as client:
            body = await problem(await client.post("/whip", data=offer_text(), headers=OFFER), 500)
    assert "inner life" not in str(body)
    assert [(entry["event"], entry["route"]) for entry in logs] == [("request_failed", "/whip")]


async def test_tokens_stay_out_of_the_log() -> None:
    with capture_logs() as logs:
        async with endpoint() as client:
            headers = {**OFFER, "Authorization": "Bearer guessed-secret"}
            await problem(await client.post("/whip", data=offer_text(), headers=headers), 401)
    assert [entry["event"] for entry in logs] == ["whip_refused"]
    assert "guessed" not in str(logs)


async def test_ice_servers_are_told_to_the_client() -> None:
    urls = ("stun:192.0.2.1:3478", "turns:turn.example:443?transport=tcp")
    async with endpoint(settings=config(ice_servers=urls)) as client:
        response = await begin(client)
        assert response.headers.getall("Link") == [f'<{url}>; rel="ice-server"' for url in urls]


@pytest.mark.parametrize("url", ["http://x", "stun:", "stun:a b", "turn:a\r\nSet-Cookie: x", "stun:a>b"])
def test_an_ice_server_must_be_an_ice_address(url: str) -> None:
    with pytest.raises(ValueError, match="ice_servers"):
        config(ice_servers=[url])


async def trickle(
    client: Client, body: str = TRICKLE, path: str = "/whip/session1", **headers: str
) -> ClientResponse:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return await client.patch(path, data=body, headers={"Content-Type": FRAGMENT, **RED, **named})


async def test_candidates_trickle_in() -> None:
    sessions = FakeSessions()
    async with endpoint(sessions) as client:
        etag = (await begin(client, RED)).headers["ETag"]
        response = await trickle(client, If_Match=etag)
        assert response.status == 204
        assert "ETag" not in response.headers
        assert await response.read() == b""
        assert (await trickle(client, If_Match=f'"old", {etag}')).status == 204
        assert (await trickle(client, "a=end-of-candidates", If_Match=etag)).status == 204
    assert [found for _, found in sessions.candidates] == [
        [Candidate(CANDIDATE, "0", None)],
        [Candidate(CANDIDATE, "0", None)],
        [Candidate("", None, None)],
    ]


@pytest.mark.parametrize(
    ("if_match", "status", "words"),
    [
        (None, 428, "ETag"),
        ('"other"', 412, "ETag"),
        ('W/"tag-session1"', 412, "ETag"),
        ("tag-session1", 412, "quotes"),
        ("", 412, "ETag"),
        ("*", 422, "POST a new offer"),
        ('"*"', 422, "POST a new offer"),
    ],
)
async def test_trickling_names_its_ice_session(if_match: str | None, status: int, words: str) -> None:
    sessions = FakeSessions()
    async with endpoint(sessions) as client:
        await begin(client, RED)
        headers = {} if if_match is None else {"If_Match": if_match}
        assert words in (await problem(await trickle(client, **headers), status))["detail"]
        assert "session1" in sessions.owners
    assert not sessions.candidates


async def test_new_credentials_are_an_ice_restart_whatever_the_entity_tag() -> None:
    sessions = FakeSessions()
    async with endpoint(sessions) as client:
        etag = (await begin(client, RED)).headers["ETag"]
        body = "a=ice-ufrag:ysXw\r\na=ice-pwd:vw5LmwG4y/e6dPP/zAP9Gp5k\r\n"
        await problem(await trickle(client, body, If_Match=etag), 422)
        assert sessions.owners == {"session1": "red"}


@pytest.mark.parametrize(
    ("body", "status"), [("", 400), ("garbage", 400), ("a=candidate:1 1", 400), ("a=x\n" * 20_000, 413)]
)
async def test_a_bad_fragment_gets_its_status(body: str, status: int) -> None:
    async with endpoint() as client:
        etag = (await begin(client, RED)).headers["ETag"]
        await problem(await trickle(client, body, If_Match=etag), status)


async def test_a_fragment_must_be_labelled() -> None:
    async with endpoint() as client:
        etag = (await begin(client, RED)).headers["ETag"]
        response = await trickle(client, If_Match=etag, Content_Type=SDP)
        assert FRAGMENT in (await problem(response, 415))["detail"]


async def test_a_candidate_before_its_offer_finds_no_session() -> None:
    async with endpoint() as client:
        assert "POST" in (await problem(await trickle(client, If_Match='"x"'), 404))["detail"]


@pytest.mark.parametrize(
    ("headers", "status"), [(BLUE, 403), ({}, 403), ({"Authorization": "Bearer x"}, 401)]
)
async def test_a_session_belongs_to_its_device(headers: dict[str, str], status: int) -> None:
    sessions = FakeSessions()
    async with endpoint(sessions) as client:
        etag = (await begin(client, RED)).headers["ETag"]
        await problem(await client.delete("/whip/session1", headers=headers), status)
        patch = {"Content-Type": FRAGMENT, "If-Match": etag, **headers}
        await problem(await client.patch("/whip/session1", data=TRICKLE, headers=patch), status)
        assert (await client.delete("/whip/session1", headers=RED)).status == 200
    assert not sessions.candidates
    assert sessions.closed == [("session1", "client_deleted")]


async def test_a_deleted_session_is_gone() -> None:
    async with endpoint() as client:
        await begin(client, RED)
        assert (await client.delete("/whip/session1", headers={**RED, "If-Match": '"stale"'})).status == 200
        await problem(await client.delete("/whip/session1", headers=RED), 404)


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "PATCH", "DELETE", "PROPFIND"])
async def test_other_methods_on_the_endpoint_are_reserved(method: str) -> None:
    async with endpoint() as client:
        response = await client.request(method, "/whip")
        assert response.status == 405
        assert response.headers["Allow"] == "OPTIONS,POST"
        if method != "HEAD":
            assert "OPTIONS, POST" in (await problem(response, 405))["detail"]


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "POST"])
async def test_other_methods_on_a_session_are_reserved(method: str) -> None:
    async with endpoint() as client:
        await begin(client, RED)
        response = await client.request(method, "/whip/session1", headers=RED)
        assert response.status == 405
        assert response.headers["Allow"] == "DELETE,OPTIONS,PATCH"


@pytest.mark.parametrize("path", ["/", "/whip/", "/whip/a/b", "/nothing%0d%0aX:y"])
async def test_where_there_is_nothing_the_endpoint_is_named(path: str) -> None:
    async with endpoint() as client:
        assert "/whip" in (await problem(await client.delete(path), 404))["detail"]


@pytest.mark.parametrize(
    ("path", "methods", "accepts"),
    [
        ("/whip", "POST, OPTIONS", ("Accept-Post", SDP)),
        ("/whip/session1", "PATCH, DELETE, OPTIONS", ("Accept-Patch", FRAGMENT)),
    ],
)
async def test_a_page_may_ask_before_it_streams(path: str, methods: str, accepts: tuple[str, str]) -> None:
    async with endpoint(settings=config(anonymous="never")) as client:
        response = await client.options(path, headers={"Origin": "https://page.example"})
        assert response.status == 200
        assert response.headers[accepts[0]] == accepts[1]
        assert response.headers["Access-Control-Allow-Origin"] == "*"
        assert response.headers["Access-Control-Allow-Methods"] == methods
        allowed = response.headers["Access-Control-Allow-Headers"].lower()
        assert {"authorization", "content-type", "if-match"} == set(allowed.split(", "))


async def test_only_configured_origins_may_read() -> None:
    page = "https://page.example"
    async with endpoint(settings=config({"cors_origins": [page, "https://other.example"]})) as client:
        for origin, allowed in ((page, page), ("https://evil.example", None), (None, None)):
            headers = {} if origin is None else {"Origin": origin}
            preflight = await client.options("/whip", headers=headers)
            assert preflight.status == 200
            assert preflight.headers["Accept-Post"] == SDP
            assert ("Access-Control-Allow-Methods" in preflight.headers) == (allowed is not None)
            for response in (preflight, await begin(client, {**headers, **RED})):
                assert response.headers.get("Access-Control-Allow-Origin") == allowed
                assert response.headers["Vary"] == "Origin"
            if origin == page:
                await begin(client, headers)  # named, it needs no token on this machine


async def test_a_page_can_read_what_it_needs_and_why_it_was_refused() -> None:
    async with endpoint() as client:
        headers = {"Origin": "https://page.example", **RED}
        exposed = (await begin(client, headers)).headers["Access-Control-Expose-Headers"]
        assert {"Location", "ETag", "Link"} <= set(exposed.split(", "))
        refused = await client.post("/whip", data="garbage", headers={**OFFER, **headers})
        assert refused.headers["Access-Control-Allow-Origin"] == "*"
        await problem(refused, 400)


async def test_any_page_in_a_browser_on_this_machine_cannot_stream_without_a_token() -> None:
    sessions = FakeSessions()
    async with endpoint(sessions) as client:
        headers = {**OFFER, "Origin": "https://evil.example"}
        refused = await client.post("/whip", data=offer_text(), headers=headers)
        assert "server.cors_origins" in (await problem(refused, 401))["detail"]
        location = (await begin(client)).headers["Location"]
        await problem(await client.delete(location, headers=headers), 401)
    assert len(sessions.offers) == 1
    assert not sessions.closed


async def test_the_middleware_serves_handlers_of_others() -> None:
    async def forbidden(_request: web.Request) -> web.Response:
        raise web.HTTPForbidden(text="not for you", headers={"X-Why": "because"})

    async def moved(_request: web.Request) -> web.Response:
        raise web.HTTPTemporaryRedirect("/whip")

    async def reset(_request: web.Request) -> web.Response:
        raise ConnectionResetError

    async def refused(_request: web.Request) -> web.Response:
        message = "all slots are taken"
        raise NoCapacity(message)

    application = web.Application(middlewares=[problem_middleware])
    for path, handler in (("forbidden", forbidden), ("moved", moved), ("reset", reset), ("refused", refused)):
        application.router.add_get(f"/{path}", handler)
    async with TestClient(TestServer(application)) as client:
        response = await client.get("/forbidden")
        assert response.headers["X-Why"] == "because"
        assert (await problem(response, 403))["detail"] == "not for you"
        assert (await client.get("/moved", allow_redirects=False)).status == 307
        await problem(await client.get("/reset"), 400)
        assert (await problem(await client.get("/refused"), 503))["title"] == NoCapacity.title
