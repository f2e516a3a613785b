"""Headset streams in: WHIP, peer connections, clocks, transport health, frames."""

from arwarden.ingest.auth import Authenticator
from arwarden.ingest.problems import problem_middleware
from arwarden.ingest.runner import http_runner
from arwarden.ingest.whip import whip_routes

__all__ = ["Authenticator", "http_runner", "problem_middleware", "whip_routes"]
