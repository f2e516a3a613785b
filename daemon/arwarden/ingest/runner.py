"""Serves an aiohttp application to clients that may send anything."""

from __future__ import annotations

import logging

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

from arwarden.core.counters import Counters

IDLE_S = 30.0
"""A connection that sends no whole request for this long is closed: it costs a file descriptor, and
aiohttp itself waits for an hour."""


def http_runner(application: web.Application, counters: Counters, shutdown_timeout_s: float) -> web.AppRunner:
    """A runner for an application that is open to anybody.

    Bodies are not decompressed, since nothing here takes compressed ones. Bytes that are not HTTP are
    answered by aiohttp and counted as ``http.broken_requests``; they would otherwise let any client fill
    the error log with tracebacks. Connections that stay silent, or never finish a request's head, are closed.
    """
    logger = logging.Logger("aiohttp.server")  # noqa: LOG001 - the filter must not outlive this runner
    logger.parent = logging.getLogger("aiohttp")
    logger.addFilter(_ClientFaults(counters))
    return web.AppRunner(
        application,
        access_log=None,
        auto_decompress=False,
        keepalive_timeout=IDLE_S,
        logger=logger,
        shutdown_timeout=shutdown_timeout_s,
    )


class _ClientFaults(logging.Filter):
    """Counts log records about a client's broken HTTP instead of letting them through."""

    def __init__(self, counters: Counters) -> None:
        super().__init__()
        self._counters = counters

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        if not isinstance(error, (HttpProcessingError, web.RequestPayloadError)):
            return True
        self._counters.add("http.broken_requests")
        return False
