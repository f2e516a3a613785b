"""What passes between the WHIP endpoint and the sessions behind it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from arwarden.core.frame import View


@dataclass(frozen=True, slots=True)
class Offer:
    """A checked offer: exactly one video section that can be received, no part left unread."""

    sdp: str
    device_id: str
    view: View


@dataclass(frozen=True, slots=True)
class Answer:
    """What the client gets back."""

    session_id: str
    sdp: str
    ice_tag: str
    """Changes with the ICE session; becomes the entity tag of the WHIP resource (RFC 9725, section 4.3)."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A trickled ICE candidate. An empty ``text`` says that there are no more."""

    text: str
    """The value of the candidate attribute, without ``a=candidate:``."""
    mid: str | None
    line_index: int | None


class Sessions(Protocol):
    """The live sessions, as the WHIP endpoint sees them."""

    async def open(self, offer: Offer) -> Answer:
        """Take over the device's earlier session if there is one, connect, and answer.

        Raises a ``SignallingError`` (``NoCapacity``, ``MalformedOffer``, ``UnsupportedMedia``); no
        other exception, and nothing is left behind where it raises.
        """
        ...

    def device_of(self, session_id: str) -> str | None:
        """The device a live session belongs to, or None where there is no such session."""
        ...

    def ice_tag_of(self, session_id: str) -> str | None:
        """The session's current ICE tag, or None where there is no such session."""
        ...

    async def add_candidates(self, session_id: str, candidates: list[Candidate]) -> None:
        """Hand on trickled candidates. Those that cannot be used are counted and dropped."""
        ...

    async def close(self, session_id: str, reason: str) -> None:
        """End a session. Unknown ids are ignored: ending twice is not an error."""
        ...
