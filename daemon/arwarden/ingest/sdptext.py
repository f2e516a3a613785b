"""From a request's bytes to SDP lines, without trusting a byte of them."""

from __future__ import annotations

import re

from arwarden.core.errors import MalformedOffer, OfferTooLarge, WrongContentType

MAX_LINES = 1000
"""A browser's offer has about 150 lines. The parser behind this check multiplies codecs by feedback
lines, so an unbounded number of lines would hold the event loop for seconds."""

_LINE_END = re.compile(r"\r\n|\r|\n")
_SDP_LINE = re.compile(r"[a-z]=")
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029]")
_LONGEST_SHOWN = 40


def shown(text: str) -> str:
    """Remote text for an error message: short, quoted, and with everything unprintable escaped."""
    cut = text if len(text) <= _LONGEST_SHOWN else text[:_LONGEST_SHOWN] + "…"
    return ascii(cut) if not cut.isprintable() else repr(cut)


def require_media_type(content_type: str | None, expected: str) -> None:
    """Raise ``WrongContentType`` unless the header names the expected type; parameters are ignored."""
    given = (content_type or "").partition(";")[0].strip().lower()
    if given == expected:
        return
    said = f"the content type is {shown(given)}" if given else "there is no content type"
    raise WrongContentType(f"{said}; send the body as Content-Type: {expected}")


def sdp_lines(body: bytes, max_bytes: int, what: str) -> list[str]:
    """The lines of an SDP body, without white space at their ends. CRLF, LF and CR all end a line.

    Characters at which some parsers break lines and others do not are refused, so that what is checked
    here is what is read later.

    Raises:
        OfferTooLarge: more than ``max_bytes`` bytes or ``MAX_LINES`` lines.
        MalformedOffer: empty, not UTF-8, control characters, or a line that is not ``x=…``.
    """
    if len(body) > max_bytes:
        raise OfferTooLarge(f"the {what} is longer than {max_bytes} bytes (ingest.max_offer_bytes)")
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise MalformedOffer(
            f"the {what} is not UTF-8 text: byte {error.start} cannot be decoded; send SDP as plain text"
        ) from None
    if found := _CONTROL.search(text):
        raise MalformedOffer(f"the {what} holds the control character U+{ord(found[0]):04X}; send plain SDP")
    lines = [line.rstrip() for line in _LINE_END.split(text.strip())]
    if lines == [""]:
        raise MalformedOffer(f"the {what} is empty; send it as the body of the request")
    if len(lines) > MAX_LINES:
        raise OfferTooLarge(f"the {what} has {len(lines)} lines; at most {MAX_LINES} are read")
    for number, line in enumerate(lines, start=1):
        if not _SDP_LINE.match(line):
            raise MalformedOffer(f"line {number} of the {what} is not SDP: {shown(line)}")
    return lines
