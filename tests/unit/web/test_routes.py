from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable

import pytest
from aiohttp import ClientResponse, web
from aiohttp.test_utils import TestClient, TestServer

from arwarden.core.counters import Counters
from arwarden.observe.events import Event, EventStream, JsonValue
from arwarden.observe.metrics import Metrics
from arwarden.web.routes import WebRoutes

Client = TestClient[web.Request, web.Application]


class Page:
    def __init__(self) -> None:
        self.counters = Counters()
        self.events = EventStream(self.counters)
        self.allowed = True
        self.missing: dict[str, str] = {}
        self.overview: Callable[[], Event] = lambda: {"type": "sessions", "sessions": []}
        self.routes = WebRoutes(
            self.events,
            Metrics(Counters()),
            lambda _request: self.allowed,
            lambda: dict(self.overview()),
            lambda: self.missing,
            epoch="run-1",
        )
        self.application = web.Application()
        self.application.add_routes(self.routes.routes())


@pytest.fixture
def page() -> Page:
    return Page()


@pytest.fixture
async def client(page: Page) -> AsyncIterator[Client]:
    async with TestClient(TestServer(page.application)) as client:
        yield client


async def test_the_page_and_its_parts_are_served_with_a_strict_policy(client: Client) -> None:
    response = await client.get("/")
    assert response.content_type == "text/html"
    assert "default-src 'self'" in response.headers["Content-Security-Policy"]
    html = await response.text()
    for name in ("style.css", "app.js"):
        assert f"/static/{name}" in html
    for name, kind in (
        ("style.css", "text/css"),
        ("app.js", "text/javascript"),
        ("headset.js", "text/javascript"),
    ):
        assert (await client.get(f"/static/{name}")).content_type == kind


@pytest.mark.parametrize("path", ["/static/nothing.js", "/static/..%2froutes.py", "/static/%2e%2e/routes.py"])
async def test_nothing_else_is_served(client: Client, path: str) -> None:
    assert (await client.get(path)).status == 404


async def test_a_watcher_gets_the_overview_then_recent_alerts_then_news(client: Client, page: Page) -> None:
    page.events.emit({"type": "alert", "alert": {"message": "earlier\n\ndata: not an event"}})
    response = await client.get("/events")
    assert response.content_type == "text/event-stream"
    seen = [await read_event(response) for _ in range(2)]
    assert seen[0]["type"] == "sessions"
    assert seen[1]["alert"] == {"message": "earlier\n\ndata: not an event"}
    await asyncio.sleep(0.05)
    page.events.emit({"type": "sample"})
    assert (await read_event(response))["type"] == "sample"
    response.close()


async def read_event(response: ClientResponse) -> dict[str, object]:
    content = response.content
    async with asyncio.timeout(5):
        line = await content.readline()
        assert await content.readline() == b"\n"
    event: dict[str, object] = json.loads(line.removeprefix(b"data: "))
    return event


async def test_what_shows_the_wearers_view_needs_permission(client: Client, page: Page) -> None:
    page.allowed = False
    for path in ("/events", "/metrics"):
        response = await client.get(path)
        assert response.status == 401
        assert response.headers["WWW-Authenticate"].startswith("Bearer")
        assert "server.viewer_token" in await response.text()
    health = await client.get("/healthz")
    assert await health.json() == {"status": "ok", "epoch": "run-1"}


async def test_one_view_too_many_is_told_so(
    client: Client, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arwarden.observe.events.MAX_WATCHERS", 1)
    first = await client.get("/events")
    await read_event(first)
    second = await client.get("/events")
    assert second.status == 503
    assert "too many live views" in await second.text()
    first.close()


async def test_views_that_open_at_once_are_bounded_like_those_that_follow_each_other(
    client: Client, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arwarden.observe.events.MAX_WATCHERS", 3)
    responses = await asyncio.gather(*(client.get("/events") for _ in range(12)))
    assert sorted(response.status for response in responses) == [200] * 3 + [503] * 9
    for response in responses:
        response.close()
    async with asyncio.timeout(5):
        while page.events.watched:
            page.events.emit({"type": "sample"})
            await asyncio.sleep(0.01)


async def test_what_happens_while_the_view_opens_is_not_missed(client: Client, page: Page) -> None:
    def overview() -> Event:
        page.events.emit({"type": "sample"})
        return {"type": "sessions"}

    page.overview = overview
    response = await client.get("/events")
    assert (await read_event(response))["type"] == "sessions"
    assert (await read_event(response))["type"] == "sample"
    response.close()


async def test_what_is_long_is_cut_and_what_cannot_be_is_counted(client: Client, page: Page) -> None:
    response = await client.get("/events")
    await read_event(response)
    elements: list[JsonValue] = [{"text": "Ω" * 3000, "box": [0, 0, 1, 1]} for _ in range(60)]
    page.events.emit({"type": "sample", "elements": elements, "stages_ms": {}})
    page.events.emit({"type": "sample", "boxes": ["x" * 61_000]})
    page.events.emit({"type": "sample", "elements": []})
    cut = await read_event(response)
    assert isinstance(cut["elements"], list)
    assert len(cut["elements"]) == 60
    assert len(json.dumps(cut, ensure_ascii=False, separators=(",", ":")).encode()) < 60_000
    assert cut["elements"][0]["text"].endswith("…")
    assert await read_event(response) == {"type": "sample", "elements": []}
    assert page.counters["events.too_large"] == 1
    response.close()


async def test_the_end_of_the_server_ends_the_views_at_once(client: Client, page: Page) -> None:
    response = await client.get("/events")
    await read_event(response)
    await page.routes.end_live_views(page.application)
    async with asyncio.timeout(5):
        assert await response.content.read() == b""


async def test_metrics_are_in_the_prometheus_format(client: Client) -> None:
    response = await client.get("/metrics")
    assert "version=0.0.4" in response.headers["Content-Type"]
    assert "arwarden_capture_to_publish_seconds" in await response.text()


async def test_readiness_names_what_is_missing(client: Client, page: Page) -> None:
    assert (await client.get("/readyz")).status == 200
    page.missing = {"mqtt": "the broker is disconnected"}
    response = await client.get("/readyz")
    assert response.status == 503
    assert (await response.json())["missing"] == page.missing
