"""Offers to send, sessions that only remember, and an application around the WHIP endpoint."""

from __future__ import annotations

from pathlib import Path

from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from arwarden.config import Config
from arwarden.core.counters import Counters
from arwarden.core.errors import SignallingError
from arwarden.ingest.auth import Authenticator
from arwarden.ingest.problems import problem_middleware
from arwarden.ingest.signalling import Answer, Candidate, Offer
from arwarden.ingest.whip import whip_routes

CORPUS = Path(__file__).resolve().parents[1] / "corpus" / "sdp"
CORPUS_NAMES = ("aiortc", "aiortc_video_only", "chromium")
SDP = "application/sdp"
FRAGMENT = "application/trickle-ice-sdpfrag"
CANDIDATE = "1387637174 1 udp 2122260223 192.0.2.1 61764 typ host generation 0 ufrag EsAw"

Client = TestClient[web.Request, web.Application]


def offer_text(name: str = "chromium") -> str:
    """An offer of the corpus, with the line ends that SDP has on the wire."""
    return (CORPUS / f"{name}.sdp").read_text(encoding="utf-8").replace("\n", "\r\n")


def without(text: str, *starts: str) -> str:
    """The text without the lines that start so."""
    return "".join(line for line in text.splitlines(keepends=True) if not line.startswith(starts))


def minimal_offer(codecs: str = "a=rtpmap:96 VP8/90000", formats: str = "96") -> str:
    """The shortest offer that holds: video alone, security for the whole session."""
    lines = f"""v=0
o=- 1 1 IN IP4 127.0.0.1
s=-
t=0 0
a=ice-ufrag:abcd
a=ice-pwd:abcdefghijklmnopqrstuv
a=fingerprint:sha-256 {":".join(["AB"] * 32)}
a=setup:actpass
m=video 9 UDP/TLS/RTP/SAVPF {formats}
c=IN IP4 0.0.0.0
a=mid:v
a=sendonly
a=rtcp-mux
{codecs}
"""
    return lines.replace("\r\n", "\n").replace("\n", "\r\n")


class FakeSessions:
    """Remembers what it was asked for. ``refusal`` makes the next offers fail."""

    def __init__(self) -> None:
        self.offers: list[Offer] = []
        self.candidates: list[tuple[str, list[Candidate]]] = []
        self.closed: list[tuple[str, str]] = []
        self.owners: dict[str, str] = {}
        self.refusal: SignallingError | None = None
        self.fault: Exception | None = None

    async def open(self, offer: Offer) -> Answer:
        if self.refusal is not None:
            raise self.refusal
        if self.fault is not None:
            raise self.fault
        self.offers.append(offer)
        session_id = f"session{len(self.offers)}"
        self.owners[session_id] = offer.device_id
        return Answer(session_id=session_id, sdp="v=0\r\n", ice_tag=f"tag-{session_id}")

    def device_of(self, session_id: str) -> str | None:
        return self.owners.get(session_id)

    def ice_tag_of(self, session_id: str) -> str | None:
        return f"tag-{session_id}" if session_id in self.owners else None

    async def add_candidates(self, session_id: str, candidates: list[Candidate]) -> None:
        self.candidates.append((session_id, candidates))

    async def close(self, session_id: str, reason: str) -> None:
        self.owners.pop(session_id, None)
        self.closed.append((session_id, reason))


def whip_client(sessions: FakeSessions, config: Config, counters: Counters | None = None) -> Client:
    """A client of an application that holds nothing but the endpoint."""
    auth = Authenticator(config.ingest, config.server.viewer_token, config.server.cors_origins)
    application = web.Application(middlewares=[problem_middleware])
    application.add_routes(whip_routes(sessions, auth, config, counters))
    return TestClient(TestServer(application))
