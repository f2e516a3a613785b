"""What a failed TLS handshake means, told from the words of the libraries that report it."""

from __future__ import annotations

from enum import StrEnum


class TlsFault(StrEnum):
    """Why TLS did not come about."""

    NOT_SPOKEN = "not_spoken"
    """The other side speaks something else at that port, or hangs up on a handshake."""
    OTHER_NAME = "other_name"
    """The certificate is trusted, and not for the host that was asked."""
    UNTRUSTED = "untrusted"


_WORDS = (
    (TlsFault.OTHER_NAME, ("hostname mismatch", "ip address mismatch")),
    (TlsFault.UNTRUSTED, ("certificate_verify_failed", "certificate verify failed")),
    (
        TlsFault.NOT_SPOKEN,
        ("wrong_version_number", "unexpected_eof", "record_layer", "packet_length", "connection reset"),
    ),
)
"""Of OpenSSL 1.1 and 3, and of the system, in small letters. aiomqtt passes on nothing but the words."""


def tls_fault(error: BaseException | str) -> TlsFault | None:
    """Why a connection that was to speak TLS failed; None where it was not for TLS."""
    said = str(error).lower()
    return next((fault for fault, words in _WORDS if any(word in said for word in words)), None)
