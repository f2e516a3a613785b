"""Checks an SDP offer before a connection is made from it.

The library behind the connection answers offers it can never receive from, and fails in a background
task on others. So everything it relies on is checked here, and its own parser runs once under guard:
an offer that comes through can be answered.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from aiortc.codecs import CODECS, is_rtx
from aiortc.rtcpeerconnection import find_common_codecs
from aiortc.sdp import SessionDescription

from arwarden.core.errors import MalformedOffer, OfferTooLarge, UnsupportedMedia
from arwarden.ingest.candidates import MAX_CANDIDATES, candidate_text, is_usable
from arwarden.ingest.sdptext import require_media_type, sdp_lines, shown

OFFER_TYPE = "application/sdp"

_DIRECTIONS = ("sendrecv", "sendonly", "recvonly", "inactive")
_SENDING = ("sendrecv", "sendonly")
_VIDEO_PROFILES = frozenset(
    {
        "UDP/TLS/RTP/SAVPF",
        "UDP/TLS/RTP/SAVP",
        "TCP/DTLS/RTP/SAVPF",
        "TCP/DTLS/RTP/SAVP",
        "RTP/SAVPF",
        "RTP/SAVP",
    }
)
_DATA_PROFILES = frozenset({"UDP/DTLS/SCTP", "TCP/DTLS/SCTP"})
_MEDIA_LINE = re.compile(r"m=(\S+) (\S+) (\S+) (\S.*)")
_ICE_UFRAG = re.compile(r"[A-Za-z0-9+/=_#-]{4,256}")
_ICE_PWD = re.compile(r"[A-Za-z0-9+/=_#-]{22,256}")
_MID = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`{|}~-]{1,64}")
_DIGEST_BYTES = {"sha-256": 32, "sha-384": 48, "sha-512": 64}
_NUMBER = re.compile("0|[1-9][0-9]{0,9}")
_PAYLOAD_ATTRIBUTES = ("rtpmap", "fmtp", "rtcp-fb")
# A payload type outside this range would be answered with another number than the one offered.
_DYNAMIC = range(96, 128)
_UNPARSABLE = (
    ArithmeticError, AssertionError, AttributeError, LookupError, StopIteration, TypeError, ValueError,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Part:
    """The session part of an offer, or one media section of it."""

    lines: list[str]

    def values(self, name: str) -> list[str]:
        """The values of an attribute; a flag has the empty text as its value."""
        found = []
        for line in self.lines:
            key, _, value = line[2:].partition(":")
            if line.startswith("a=") and key == name:
                found.append(value)
        return found

    def has(self, name: str) -> bool:
        """Whether the attribute is there."""
        return bool(self.values(name))


@dataclass(frozen=True, slots=True)
class _Section(_Part):
    kind: str
    port: int
    profile: str
    formats: list[str]


def check_offer(body: bytes, content_type: str | None, max_bytes: int) -> str:
    """The text of a sound offer: CRLF line ends, an explicit direction, only candidates of use.

    Sound means one section of video that the client sends as VP8 or constrained baseline H264, at most
    one data channel section bundled with it, and everything that ICE and DTLS need (RFC 8829, RFC 9725).

    Raises:
        WrongContentType: the body is not labelled as SDP.
        OfferTooLarge: too many bytes, lines or candidates.
        MalformedOffer: not an offer, or one that no connection can be made from.
        UnsupportedMedia: a sound offer of something else.
    """
    require_media_type(content_type, OFFER_TYPE)
    session, sections = _split(sdp_lines(body, max_bytes, "offer"))
    video = _check_media(sections)
    _check_bundle(session, sections)
    for section in sections:
        _check_security(session, section)
    _check_video(session, video)
    for section in sections:
        if section.kind == "application":
            _check_data_channel(section)
    text = _normalised(session, sections)
    _check_with_parser(text)
    return text


def _split(lines: list[str]) -> tuple[_Part, list[_Section]]:
    if lines[0] != "v=0":
        raise MalformedOffer(f"the offer does not begin with v=0 but with {shown(lines[0])}")
    starts = [index for index, line in enumerate(lines) if line.startswith("m=")]
    if not starts:
        msg = "the offer has no media section; add the video track before creating it"
        raise MalformedOffer(msg)
    ends = [*starts[1:], len(lines)]
    return _Part(lines[: starts[0]]), [
        _section(lines[start:end]) for start, end in zip(starts, ends, strict=True)
    ]


def _section(lines: list[str]) -> _Section:
    found = _MEDIA_LINE.fullmatch(lines[0])
    if found is None:
        raise MalformedOffer(f"this media line is incomplete: {shown(lines[0])}")
    kind, port, profile, formats = found.groups()
    if not _is_number(port, 65_535):
        raise MalformedOffer(
            f"the port {shown(port)} of the {shown(kind)} section is not a number up to 65535"
        )
    return _Section(lines=lines, kind=kind, port=int(port), profile=profile, formats=formats.split())


def _is_number(text: str, most: int) -> bool:
    """Whether the text is a plain decimal number up to ``most``: one way to write each, so no aliases."""
    return _NUMBER.fullmatch(text) is not None and int(text) <= most


def _check_media(sections: list[_Section]) -> _Section:
    """What is offered: one video section, perhaps a data channel, nothing else."""
    kinds = [section.kind for section in sections]
    for kind in kinds:
        if kind == "audio":
            msg = "the offer has an audio section; nothing here listens, so offer video only"
            raise UnsupportedMedia(msg)
        if kind not in {"video", "application"}:
            raise UnsupportedMedia(f"the offer has a section of kind {shown(kind)}; offer one video section")
    if kinds.count("video") != 1:
        raise UnsupportedMedia(f"the offer has {kinds.count('video')} video sections; offer exactly one")
    if kinds.count("application") > 1:
        msg = "the offer has several data channel sections; offer at most one"
        raise UnsupportedMedia(msg)
    return next(section for section in sections if section.kind == "video")


def _check_bundle(session: _Part, sections: list[_Section]) -> None:
    """Every section has its own mid, and several sections share one transport (RFC 9143)."""
    mids = [section.values("mid") for section in sections]
    for section, found in zip(sections, mids, strict=True):
        if len(found) != 1 or not _MID.fullmatch(found[0]):
            raise MalformedOffer(f"the {section.kind} section needs exactly one valid a=mid attribute")
    names = [found[0] for found in mids]
    if len(set(names)) != len(names):
        raise MalformedOffer(f"two sections have the mid {shown(names[0])}; each needs its own")
    groups = [value.split()[1:] for value in session.values("group") if value.split()[:1] == ["BUNDLE"]]
    if len(groups) > 1 or any(len(set(group)) != len(group) or set(group) - set(names) for group in groups):
        msg = "a=group:BUNDLE must stand once and name each section's mid once"
        raise MalformedOffer(msg)
    bundled = groups[0] if groups else []
    if len(sections) > 1 and set(bundled) != set(names):
        msg = "video and data channel must share one transport; add both to a=group:BUNDLE"
        raise UnsupportedMedia(msg)
    for section, name in zip(sections, names, strict=True):
        # A section that shares the transport of the group's first one carries port 0 (RFC 9143, 7.2.1).
        if section.port == 0 and not (section.has("bundle-only") and name in bundled[1:]):
            raise UnsupportedMedia(
                f"the {section.kind} section is switched off by port 0; offer it with a port"
            )


def _check_security(session: _Part, section: _Section) -> None:
    """ICE credentials, certificate fingerprint and DTLS role, in the section or for the session."""

    def value(name: str) -> str:
        found = section.values(name) or session.values(name)
        if not found:
            raise MalformedOffer(f"the {section.kind} section has no a={name}; it is needed to connect")
        return found[-1]

    for name, syntax in (("ice-ufrag", _ICE_UFRAG), ("ice-pwd", _ICE_PWD)):
        if not syntax.fullmatch(value(name)):
            raise MalformedOffer(
                f"a={name} of the {section.kind} section is not as long as it must be, or not text"
            )
    value("fingerprint")
    fingerprints = [*session.values("fingerprint"), *section.values("fingerprint")]
    known = [pair for pair in map(str.split, fingerprints) if pair and pair[0].lower() in _DIGEST_BYTES]
    if not known:
        raise MalformedOffer(f"the {section.kind} section has no sha-256, sha-384 or sha-512 fingerprint")
    for pair in known:
        size = _DIGEST_BYTES[pair[0].lower()]
        if len(pair) != 2 or not re.fullmatch(
            rf"[0-9A-Fa-f]{{2}}(?::[0-9A-Fa-f]{{2}}){{{size - 1}}}", pair[1]
        ):
            raise MalformedOffer(f"the {pair[0].lower()} fingerprint is not {size} bytes in hexadecimal")
    if value("setup") not in {"actpass", "active", "passive"}:
        raise MalformedOffer(f"a=setup:{shown(value('setup'))} is not a role of an offer; use actpass")


def _check_video(session: _Part, video: _Section) -> None:
    if video.profile not in _VIDEO_PROFILES:
        raise UnsupportedMedia(f"video comes over {shown(video.profile)}; only UDP/TLS/RTP/SAVPF is taken")
    direction = _direction(session, video)
    if direction not in _SENDING:
        raise UnsupportedMedia(f"the video section is {direction}; offer it as sendonly")
    if not video.has("rtcp-mux"):
        msg = "the video section has no a=rtcp-mux; RTP and RTCP must share a port (RFC 9725)"
        raise MalformedOffer(msg)
    if video.has("simulcast") or any(value.startswith("SIM") for value in video.values("ssrc-group")):
        msg = "the video section offers simulcast; offer a single encoding"
        raise UnsupportedMedia(msg)
    _check_numbers(video)


def _check_numbers(video: _Section) -> None:
    """Payload types and stream numbers, which end up in packet fields of fixed size."""
    types = [value.split(" ")[0] for value in video.values("rtpmap")]
    if len(set(types)) != len(types):
        msg = "a payload type of the video section has two a=rtpmap attributes"
        raise MalformedOffer(msg)
    if len(set(video.formats)) != len(video.formats):
        msg = "the video section lists a payload type twice"
        raise MalformedOffer(msg)
    for payload_type in (*types, *video.formats):
        if not _is_number(payload_type, 127):
            raise MalformedOffer(f"the payload type {shown(payload_type)} is not a number up to 127")
    for value in video.values("ssrc"):
        ssrc = value.split(" ")[0]
        if not _is_number(ssrc, 0xFFFF_FFFF):
            raise MalformedOffer(f"the stream number {shown(ssrc)} in a=ssrc is not a 32-bit number")


def _direction(session: _Part, video: _Section) -> str:
    for part in (video, session):
        for line in reversed(part.lines):
            if line.startswith("a=") and line[2:] in _DIRECTIONS:
                return line[2:]
    return "sendrecv"


def _check_data_channel(section: _Section) -> None:
    if section.profile not in _DATA_PROFILES or section.formats != ["webrtc-datachannel"]:
        msg = "the application section is not a data channel; it must read UDP/DTLS/SCTP webrtc-datachannel"
        raise UnsupportedMedia(msg)
    ports = section.values("sctp-port")
    if len(ports) != 1 or ports[0] == "0" or not _is_number(ports[0], 65_535):
        msg = "the data channel section needs one a=sctp-port from 1 to 65535"
        raise MalformedOffer(msg)


def _normalised(session: _Part, sections: list[_Section]) -> str:
    lines = [*session.lines]
    candidates = 0
    for section in sections:
        candidates += len(section.values("candidate"))
        if candidates > MAX_CANDIDATES:
            raise OfferTooLarge(f"the offer has more than {MAX_CANDIDATES} candidates")
        kept = _with_useful_candidates(section.lines)
        if section.kind == "video":
            kept = _with_dynamic_types(section, kept)
            kept = [line for line in kept if line[2:] not in _DIRECTIONS]
            kept.append(f"a={_direction(session, section)}")
        lines += kept
    return "\r\n".join(lines) + "\r\n"


def _with_useful_candidates(lines: list[str]) -> list[str]:
    kept = []
    for line in lines:
        if not line.startswith("a=candidate:"):
            kept.append(line)
            continue
        text = candidate_text(line)
        if text and is_usable(text):
            kept.append(f"a=candidate:{text}")
    return kept


def _with_dynamic_types(video: _Section, lines: list[str]) -> list[str]:
    """The section without the payload types that cannot be answered as offered."""
    kept_types = [text for text in video.formats if int(text) in _DYNAMIC]
    if not kept_types:
        msg = "the video section has no payload type from 96 to 127, where VP8 and H264 go"
        raise UnsupportedMedia(msg)

    def is_kept(line: str) -> bool:
        name, _, value = line[2:].partition(":")
        number = value.split(" ")[0]
        return name not in _PAYLOAD_ATTRIBUTES or number == "*" or number in kept_types

    head = f"m=video {video.port} {video.profile} {' '.join(kept_types)}"
    return [head, *(line for line in lines[1:] if is_kept(line))]


def _check_with_parser(text: str) -> None:
    """Let the library parse it, and see that a codec is left that it decodes."""
    try:
        description = SessionDescription.parse(text)
        video = next(media for media in description.media if media.kind == "video")
        description.webrtc_track_id(video)
        common = find_common_codecs(CODECS["video"], video.rtp.codecs)
        names = sorted({codec.name for codec in video.rtp.codecs if not is_rtx(codec)})
    except _UNPARSABLE as error:
        raise MalformedOffer(
            f"the offer cannot be parsed ({type(error).__name__}: {shown(str(error))}); "
            "send the text that createOffer returned, unchanged and complete"
        ) from error
    if all(is_rtx(codec) for codec in common):
        raise UnsupportedMedia(
            f"the codecs offered ({shown(', '.join(names))}) hold neither VP8 nor H264 constrained baseline "
            "(profile-level-id 42e01f or 42001f) with packetization-mode=1; enable one of them"
        )
