"""Structured logs on standard error.

Event names are static and values are attributes, so that what may be personal stays recognisable.
Frames, text out of frames and tokens are never attributes at info level or above; the filter here is
the second line of defence, for a slip.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import MutableMapping
from typing import Any

import structlog

from arwarden.config import LoggingConfig

PRIVATE_KEYS = frozenset(
    {"text", "texts", "message", "token", "authorization", "password", "frame", "payload"}
)
"""Attributes that may hold what a wearer sees, or a secret: shown at debug level only."""

Event = MutableMapping[str, Any]


def hide_private(_logger: object, method: str, event: Event) -> Event:
    """A structlog processor that blanks private attributes above debug level."""
    if method != "debug":
        for key in PRIVATE_KEYS & event.keys():
            event[key] = "[hidden]"
    return event


def configure_logging(config: LoggingConfig) -> None:
    """Send our logs, and the warnings of the libraries, to standard error in the chosen form."""
    level = logging.getLevelNamesMapping()[config.level.upper()]
    renderer: structlog.typing.Processor = (
        structlog.processors.JSONRenderer()
        if config.format == "json"
        else structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
    )
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        hide_private,
    ]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.format_exc_info,
                renderer,
            ],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    # aiohttp's access log has no place among events, aioice logs every candidate pair at info level, and the
    # clients of judges log requests, at debug level with the pictures in them.
    quiet = ("aiohttp.access", "aioice", "aiortc", "libav", "asyncio", "openai", "httpx2", "httpcore2")
    for name in quiet:
        logging.getLogger(name).setLevel(max(level, logging.WARNING))
