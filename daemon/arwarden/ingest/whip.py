"""The WHIP endpoint (RFC 9725): where a headset posts its offer and gets a session."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from http import HTTPStatus

import structlog
from aiohttp import web

from arwarden.config import Config
from arwarden.core.counters import Counters
from arwarden.core.errors import (
    EntityTagMissing,
    MalformedOffer,
    NoSuchSession,
    NotTheOwner,
    OfferTooLarge,
    OtherIceSession,
    RestartUnsupported,
    SignallingError,
    SlowRequest,
    WrongContentType,
)
from arwarden.core.frame import View
from arwarden.ingest.auth import Authenticator, caller_of
from arwarden.ingest.candidates import FRAGMENT_TYPE, RESTART_REFUSAL, parse_candidates
from arwarden.ingest.problems import problem_of
from arwarden.ingest.sdp import OFFER_TYPE, check_offer
from arwarden.ingest.sdptext import require_media_type, shown
from arwarden.ingest.signalling import Offer, Sessions

log = structlog.get_logger(__name__)

WHIP_PATH = "/whip"
_PREFLIGHT_MAX_AGE_S = 600

_Handler = Callable[[web.Request], Awaitable[web.Response]]


def whip_routes(
    sessions: Sessions, auth: Authenticator, config: Config, counters: Counters | None = None
) -> list[web.RouteDef]:
    """The routes of WHIP, for an application that uses ``problem_middleware``.

    Refusals are counted as ``whip.refused.STATUS``.
    """
    return WhipEndpoint(sessions, auth, config, Counters() if counters is None else counters).routes()


class WhipEndpoint:
    """The routes of WHIP in front of the sessions.

    ``POST /whip`` makes a session; ``PATCH`` and ``DELETE /whip/{session_id}`` belong to the device that
    made it. Other methods get 405 from the router, as section 4.2 of the RFC asks.
    """

    def __init__(self, sessions: Sessions, auth: Authenticator, config: Config, counters: Counters) -> None:
        self._sessions = sessions
        self._auth = auth
        self._counters = counters
        self._max_bytes = config.ingest.max_offer_bytes
        self._timeout_s = config.ingest.request_timeout_ms / 1000.0
        self._origins = frozenset(config.server.cors_origins)
        self._ice_links = [f'<{url}>; rel="ice-server"' for url in config.ingest.ice_servers]

    def routes(self) -> list[web.RouteDef]:
        """The routes, to be added to an application that uses ``problem_middleware``."""
        session = WHIP_PATH + "/{session_id}"
        return [
            web.post(WHIP_PATH, self._guarded(self._post)),
            web.options(WHIP_PATH, self._guarded(self._options)),
            web.patch(session, self._guarded(self._patch)),
            web.delete(session, self._guarded(self._delete)),
            web.options(session, self._guarded(self._options_of_session)),
        ]

    def _guarded(self, handler: _Handler) -> _Handler:
        """Refusals become problem documents that a page of another origin can read."""

        async def guarded(request: web.Request) -> web.Response:
            try:
                response = await handler(request)
            except SignallingError as error:
                self._counters.add(f"whip.refused.{error.status.value}")
                log.info("whip_refused", status=error.status.value, reason=error.reason)
                response = problem_of(error)
            self._allow_origin(request, response)
            return response

        return guarded

    async def _post(self, request: web.Request) -> web.Response:
        caller = caller_of(request)
        device_id = self._auth.device_for(caller, request.query.get("device"))
        view = _view_of(request)
        content_type = request.headers.get("Content-Type")
        require_media_type(content_type, OFFER_TYPE)
        sdp = check_offer(await self._body(request), content_type, self._max_bytes)
        answer = await self._sessions.open(Offer(sdp=sdp, device_id=device_id, view=view))
        # A client without a token is known by the device it names, so the session's address names it too.
        suffix = f"?device={device_id}" if caller.authorization is None else ""
        response = web.Response(
            status=HTTPStatus.CREATED,
            text=answer.sdp,
            content_type=OFFER_TYPE,
            headers={
                "Location": f"{WHIP_PATH}/{answer.session_id}{suffix}",
                "ETag": f'"{answer.ice_tag}"',
                "Accept-Patch": FRAGMENT_TYPE,
                "Cache-Control": "no-store",
            },
        )
        for link in self._ice_links:
            response.headers.add("Link", link)
        return response

    async def _patch(self, request: web.Request) -> web.Response:
        session_id = self._owned_session(request)
        content_type = request.headers.get("Content-Type")
        require_media_type(content_type, FRAGMENT_TYPE)
        self._check_entity_tag(request, session_id)
        candidates = parse_candidates(await self._body(request), content_type, self._max_bytes)
        await self._sessions.add_candidates(session_id, candidates)
        return web.Response(status=HTTPStatus.NO_CONTENT)

    async def _delete(self, request: web.Request) -> web.Response:
        session_id = self._owned_session(request)
        await self._sessions.close(session_id, "client_deleted")
        return web.Response(status=HTTPStatus.OK)

    async def _options(self, request: web.Request) -> web.Response:
        return self._preflight(request, "POST, OPTIONS", {"Accept-Post": OFFER_TYPE})

    async def _options_of_session(self, request: web.Request) -> web.Response:
        return self._preflight(request, "PATCH, DELETE, OPTIONS", {"Accept-Patch": FRAGMENT_TYPE})

    def _owned_session(self, request: web.Request) -> str:
        """The addressed session, which must be alive and the caller's own."""
        device_id = self._auth.device_for(caller_of(request), request.query.get("device"))
        session_id = request.match_info["session_id"]
        owner = self._sessions.device_of(session_id)
        if owner is None:
            raise NoSuchSession(f"no session {shown(session_id)}; POST an offer to {WHIP_PATH} to begin one")
        if owner != device_id:
            msg = "use the token, or the Location address, that this session was created with"
            raise NotTheOwner(msg)
        return session_id

    def _check_entity_tag(self, request: web.Request, session_id: str) -> None:
        """Section 4.3 of the RFC: trickling names the ICE session it belongs to, a restart sends ``*``."""
        if "If-Match" not in request.headers:
            msg = "no If-Match header; send the ETag of the 201 answer in it"
            raise EntityTagMissing(msg)
        tags = request.if_match or ()
        if any(tag.value == "*" for tag in tags):
            raise RestartUnsupported(RESTART_REFUSAL)
        current = self._sessions.ice_tag_of(session_id)
        if not any(tag.value == current and not tag.is_weak for tag in tags):
            msg = "If-Match does not name this ICE session; send the ETag of the 201 answer, with its quotes"
            raise OtherIceSession(msg)

    async def _body(self, request: web.Request) -> bytes:
        """The whole body: at most the configured bytes, within the configured time."""
        coding = request.headers.get("Content-Encoding", "identity")
        if coding.lower() != "identity":
            raise WrongContentType(f"the body is coded as {shown(coding)}; send it without Content-Encoding")
        body = bytearray()
        try:
            async with asyncio.timeout(self._timeout_s):
                while len(body) <= self._max_bytes and (chunk := await request.content.readany()):
                    body += chunk
        except TimeoutError:
            raise SlowRequest(
                f"the body was not complete after {self._timeout_s:g} s; send it at once"
            ) from None
        except web.RequestPayloadError as error:
            raise MalformedOffer(f"the body cannot be read: {shown(str(error))}") from error
        if len(body) > self._max_bytes:
            raise OfferTooLarge(f"the body is longer than {self._max_bytes} bytes (ingest.max_offer_bytes)")
        return bytes(body)

    def _preflight(self, request: web.Request, methods: str, headers: dict[str, str]) -> web.Response:
        response = web.Response(status=HTTPStatus.OK, headers={"Allow": methods, **headers})
        if self._allow_origin(request, response):
            response.headers["Access-Control-Allow-Methods"] = methods
            response.headers["Access-Control-Allow-Headers"] = "Authorization, Content-Type, If-Match"
            response.headers["Access-Control-Max-Age"] = str(_PREFLIGHT_MAX_AGE_S)
        return response

    def _allow_origin(self, request: web.Request, response: web.Response) -> bool:
        """Let pages of the configured origins read the response; says whether the page may."""
        if "*" in self._origins:
            allowed: str | None = "*"
        else:
            response.headers["Vary"] = "Origin"
            origin = request.headers.get("Origin")
            allowed = origin if origin in self._origins else None
        if allowed is None:
            return False
        response.headers["Access-Control-Allow-Origin"] = allowed
        response.headers["Access-Control-Expose-Headers"] = "Location, ETag, Link, Accept-Patch, Retry-After"
        return True


def _view_of(request: web.Request) -> View:
    text = request.query.get("view", View.UNKNOWN.value)
    try:
        return View(text)
    except ValueError:
        names = ", ".join(view.value for view in View)
        raise SignallingError(f"the view {shown(text)} is not known; view is one of {names}") from None
