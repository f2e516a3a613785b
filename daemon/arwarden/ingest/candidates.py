"""ICE candidates as text: those in an offer, and those that trickle in later (RFC 8839, RFC 8840)."""

from __future__ import annotations

import ipaddress
import re

from arwarden.core.errors import MalformedOffer, OfferTooLarge, RestartUnsupported
from arwarden.ingest.sdptext import require_media_type, sdp_lines, shown
from arwarden.ingest.signalling import Candidate

FRAGMENT_TYPE = "application/trickle-ice-sdpfrag"
RESTART_REFUSAL = "this session cannot restart ICE; POST a new offer, which takes over from this session"
MAX_CANDIDATES = 64
"""A machine with many interfaces sends about 30. Each may cost a name look-up and connectivity checks."""

_PREFIX = re.compile(r"(?:a=)*(?:candidate:)*")
_SYNTAX = re.compile(
    r"[!-~]{1,256} [0-9]{1,5} [!-~]+ [0-9]{1,10} (?P<host>[!-~]+) (?P<port>[0-9]{1,5}) typ (?P<type>[!-~]+)"
    r"(?: rport [0-9]{1,5}| (?!rport )[!-~]+ [!-~]+)*(?: [!-~]+)?"
)
_LOCAL_NAME = re.compile(r"[A-Za-z0-9-]{1,63}\.local")
_USABLE_TYPES = frozenset({"host", "srflx", "relay"})


def candidate_text(value: str) -> str:
    """A candidate attribute's value, freed of ``a=`` and ``candidate:`` that clients put before it.

    An empty text stands for the end of candidates, as in ``RTCIceCandidate.candidate``.

    Raises:
        MalformedOffer: the text is not a candidate as in RFC 8839, section 5.1.
    """
    text = " ".join(_PREFIX.sub("", value.strip(), count=1).split())
    if not text:
        return ""
    found = _SYNTAX.fullmatch(text)
    if found is None or int(found["port"]) > 65_535:
        raise MalformedOffer(f"this is not an ICE candidate: {shown(text)}")
    return text


def is_usable(text: str) -> bool:
    """Whether a well-formed candidate can lead to a connection here.

    That is a UDP candidate of component 1 with an IP address or a ``.local`` name. Others are dropped
    without an error (RFC 9725, section 4.3.2).
    """
    bits = text.split()
    component, transport, host, port, kind = bits[1], bits[2], bits[4], bits[5], bits[7]
    if component != "1" or transport.lower() != "udp" or int(port) == 0 or kind not in _USABLE_TYPES:
        return False
    if _LOCAL_NAME.fullmatch(host):
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return "%" not in host and not address.is_unspecified and not address.is_multicast


def parse_candidates(body: bytes, content_type: str | None, max_bytes: int) -> list[Candidate]:
    """The candidates of a trickle request, in order; at least one.

    Raises:
        WrongContentType: the body is not labelled as an SDP fragment.
        OfferTooLarge: too many bytes, lines or candidates.
        MalformedOffer: not an SDP fragment, a broken candidate, or nothing that could be added.
        RestartUnsupported: the fragment holds new ICE credentials and no candidate.
    """
    require_media_type(content_type, FRAGMENT_TYPE)
    body = re.sub(rb"(?m)^candidate:", b"a=candidate:", body)
    lines = sdp_lines(body, max_bytes, "SDP fragment")
    found: list[Candidate] = []
    for index, section in enumerate(_sections(lines)):
        mid = next((line[6:].strip() for line in section if line.startswith("a=mid:")), None) or None
        # Section 0 is what stands before the first m= line and belongs to no media line.
        line_index = index - 1 if index and mid is None else None
        for line in section:
            if line.startswith(("a=candidate:", "a=a=candidate:")):
                found.append(Candidate(candidate_text(line), mid, line_index))
            elif line.rstrip() == "a=end-of-candidates":
                found.append(Candidate("", mid, line_index))
    if len(found) > MAX_CANDIDATES:
        raise OfferTooLarge(f"{len(found)} candidates in one request; at most {MAX_CANDIDATES} are taken")
    if not found:
        if any(line.startswith("a=ice-ufrag:") for line in lines):
            raise RestartUnsupported(RESTART_REFUSAL)
        msg = "the SDP fragment holds no candidate; add a=candidate or a=end-of-candidates"
        raise MalformedOffer(msg)
    return found


def _sections(lines: list[str]) -> list[list[str]]:
    sections: list[list[str]] = [[]]
    for line in lines:
        if line.startswith("m="):
            sections.append([])
        sections[-1].append(line)
    return sections
