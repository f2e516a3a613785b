"""Headset streams in: WHIP, peer connections, clocks, transport health, frames."""

from arwarden.ingest.auth import Authenticator
from arwarden.ingest.problems import problem_middleware
from arwarden.ingest.runner import http_runner
from arwarden.ingest.sessions import SessionInfo, SessionManager
from arwarden.ingest.stream import StreamHandler
from arwarden.ingest.whip import whip_routes

__all__ = [
    "Authenticator",
    "SessionInfo",
    "SessionManager",
    "StreamHandler",
    "http_runner",
    "problem_middleware",
    "whip_routes",
]
