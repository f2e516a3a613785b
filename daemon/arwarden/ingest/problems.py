"""Errors as problem documents (RFC 9457): every refusal says what is wrong and what to do instead."""

from __future__ import annotations

import re
from collections.abc import Mapping
from http import HTTPStatus

import structlog
from aiohttp import web
from aiohttp.typedefs import Handler

from arwarden.core.errors import SignallingError
from arwarden.ingest.sdptext import shown

log = structlog.get_logger(__name__)

PROBLEM_TYPE = "application/problem+json"
RETRY_AFTER_S = 2
"""Told to clients that found no free slot: a silent session is stalled by then."""

_OWN_HEADERS = frozenset({"content-type", "content-length", "transfer-encoding"})


def problem(
    status: int,
    title: str,
    detail: str,
    *,
    kind: str = "about:blank",
    headers: Mapping[str, str] | None = None,
) -> web.Response:
    """A problem document as a response. ``kind`` is the URI of the problem type."""
    response = web.json_response(
        {"type": kind, "title": title, "status": status, "detail": detail},
        status=status,
        content_type=PROBLEM_TYPE,
    )
    response.headers["Cache-Control"] = "no-store"
    response.headers.update(headers or {})
    return response


def problem_of(error: SignallingError) -> web.Response:
    """The response to a client whose request is refused."""
    headers: dict[str, str] = {}
    if error.status == HTTPStatus.UNAUTHORIZED:
        headers["WWW-Authenticate"] = 'Bearer realm="arwarden"'
    elif error.status == HTTPStatus.SERVICE_UNAVAILABLE:
        headers["Retry-After"] = str(RETRY_AFTER_S)
    elif error.status == HTTPStatus.REQUEST_TIMEOUT:
        headers["Connection"] = "close"
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", "-", type(error).__name__).lower()
    return problem(
        error.status, error.title, error.reason, kind=f"urn:arwarden:problem:{name}", headers=headers
    )


@web.middleware
async def problem_middleware(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Turn whatever a handler raises into a problem document.

    Refusals keep their status, aiohttp's own errors keep their status and headers, redirects pass, and
    anything else is logged and becomes a 500 that gives nothing away.
    """
    try:
        return await handler(request)
    except SignallingError as error:
        return problem_of(error)
    except web.HTTPException as error:
        if error.status < HTTPStatus.BAD_REQUEST:
            raise
        headers = {name: text for name, text in error.headers.items() if name.lower() not in _OWN_HEADERS}
        return problem(error.status, error.reason, _detail(request, error), headers=headers)
    except ConnectionError:
        # The client has gone. Nobody reads this, but the handler ends in order.
        return problem(HTTPStatus.BAD_REQUEST, "Bad Request", "the connection ended within the request")
    except Exception:
        log.exception("request_failed", method=request.method, route=_route_of(request))
        return problem(
            HTTPStatus.INTERNAL_SERVER_ERROR,
            "Internal Server Error",
            "the request failed through a fault of the daemon; its log says more",
        )


def _detail(request: web.Request, error: web.HTTPException) -> str:
    if isinstance(error, web.HTTPMethodNotAllowed):
        allowed = ", ".join(sorted(error.allowed_methods))
        return f"{shown(request.method)} is not possible here; use one of {allowed}"
    if error.status == HTTPStatus.NOT_FOUND:
        return f"there is nothing at {shown(request.path)}; the WHIP endpoint is /whip"
    return error.text or error.reason


def _route_of(request: web.Request) -> str:
    resource = request.match_info.route.resource
    return resource.canonical if resource is not None else "none"
