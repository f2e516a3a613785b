"""HTTP routes beside WHIP: the page, its live events, metrics and health."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator, Callable, Mapping
from http import HTTPStatus
from importlib import resources

from aiohttp import web

from arwarden.observe.events import Event, EventStream, TooManyWatchers, Watcher
from arwarden.observe.metrics import Metrics
from arwarden.publish.shorten import shorten_json

KEEP_ALIVE_S = 10.0
SEND_DEADLINE_S = 5.0
MAX_EVENT_BYTES = 60_000
"""A crowded, wordy picture must not hold up a page: its texts are cut, as those of MQTT messages are."""
_STILL_HERE = b": still here\n\n"

_FIRST = asyncio.FIRST_COMPLETED

_TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}
_HEADERS = {
    # The page shows text from pictures: nothing but its own scripts may run in it.
    "Content-Security-Policy": "default-src 'self'; img-src 'self' data:; media-src 'self' blob:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
}


class WebRoutes:
    """The daemon's page and its operators' endpoints."""

    def __init__(
        self,
        events: EventStream,
        metrics: Metrics,
        may_view: Callable[[web.Request], bool],
        overview: Callable[[], Event],
        not_ready: Callable[[], Mapping[str, str]],
        *,
        epoch: str,
    ) -> None:
        self._events = events
        self._metrics = metrics
        self._may_view = may_view
        self._overview = overview
        self._not_ready = not_ready
        self._epoch = epoch
        self._assets = _load_assets()
        self._ending = asyncio.Event()

    async def end_live_views(self, _application: web.Application) -> None:
        """End every live view; for ``on_shutdown``, where they would hold up the end of the server."""
        self._ending.set()

    def routes(self) -> list[web.RouteDef]:
        """Everything to add to the application."""
        return [
            web.get("/", self._page),
            web.get("/static/{name}", self._asset),
            web.get("/events", self._live_events),
            web.get("/metrics", self._prometheus),
            web.get("/healthz", self._healthz),
            web.get("/readyz", self._readyz),
        ]

    async def _page(self, _request: web.Request) -> web.Response:
        return self._asset_response("index.html")

    async def _asset(self, request: web.Request) -> web.Response:
        return self._asset_response(request.match_info["name"])

    def _asset_response(self, name: str) -> web.Response:
        asset = self._assets.get(name)
        if asset is None:
            raise web.HTTPNotFound
        body, content_type = asset
        return web.Response(body=body, content_type=content_type, charset="utf-8", headers=_HEADERS)

    def _check_viewer(self, request: web.Request) -> None:
        if not self._may_view(request):
            raise web.HTTPUnauthorized(
                text="this is for clients on the daemon's machine or, once server.viewer_token is set, for "
                "those who send that token as Authorization: Bearer TOKEN",
                headers={"WWW-Authenticate": 'Bearer realm="arwarden viewer"'},
            )

    async def _prometheus(self, request: web.Request) -> web.Response:
        self._check_viewer(request)
        content_type = "text/plain; version=0.0.4; charset=utf-8"
        return web.Response(body=self._metrics.render(), headers={"Content-Type": content_type})

    async def _healthz(self, _request: web.Request) -> web.Response:
        # A client whose stream ended learns from the epoch whether this is still the daemon it had.
        return web.json_response({"status": "ok", "epoch": self._epoch})

    async def _readyz(self, _request: web.Request) -> web.Response:
        missing = dict(self._not_ready())
        status = HTTPStatus.SERVICE_UNAVAILABLE if missing else HTTPStatus.OK
        return web.json_response({"ready": not missing, "missing": missing}, status=status)

    async def _live_events(self, request: web.Request) -> web.StreamResponse:
        self._check_viewer(request)
        try:
            with self._events.watching() as watcher:
                return await self._show_live(request, watcher)
        except TooManyWatchers:
            raise web.HTTPServiceUnavailable(text="too many live views are open; close one") from None

    async def _show_live(self, request: web.Request, watcher: Watcher) -> web.StreamResponse:
        response = web.StreamResponse(
            headers={"Content-Type": "text/event-stream; charset=utf-8", "Cache-Control": "no-store"}
        )
        await response.prepare(request)
        try:
            async with contextlib.aclosing(self._with_keep_alive(watcher)) as events:
                async for event in events:
                    block = _STILL_HERE if event is None else _block(event)
                    if block is None:
                        self._events.dropped()
                        continue
                    async with asyncio.timeout(SEND_DEADLINE_S):
                        await response.write(block)
        except (TimeoutError, ConnectionError):
            pass  # the watcher is gone or does not read: nothing of ours is lost with it
        return response

    async def _with_keep_alive(self, watcher: Watcher) -> AsyncGenerator[Event | None]:
        """The overview and the recent alerts first, then events as they come; None when it is quiet."""
        ending = asyncio.ensure_future(self._ending.wait())
        upcoming = asyncio.ensure_future(watcher.get())
        try:
            yield self._overview()
            for event in self._events.recent_alerts():
                yield event
            while not self._ending.is_set():
                done, _ = await asyncio.wait({upcoming, ending}, timeout=KEEP_ALIVE_S, return_when=_FIRST)
                if upcoming in done:
                    event, upcoming = upcoming.result(), asyncio.ensure_future(watcher.get())
                    yield event
                elif not done:
                    yield None
        finally:
            upcoming.cancel()
            ending.cancel()
            await asyncio.wait({upcoming, ending})


def _block(event: Event) -> bytes | None:
    """An event as a block of the stream, shortened where it is too long; None where that does not do."""
    data = shorten_json(json.dumps(event, ensure_ascii=False).encode(errors="replace"), MAX_EVENT_BYTES)
    return None if data is None else b"data: " + data + b"\n\n"


def _load_assets() -> dict[str, tuple[bytes, str]]:
    folder = resources.files("arwarden.web") / "static"
    return {
        entry.name: (entry.read_bytes(), _TYPES["." + entry.name.rsplit(".", 1)[-1]])
        for entry in folder.iterdir()
    }
