"""What failed handshakes say, on both lines of OpenSSL, and what that means."""

from __future__ import annotations

import ssl

import pytest

from arwarden.core.tls_faults import TlsFault, tls_fault


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("[SSL: WRONG_VERSION_NUMBER] wrong version number (_ssl.c:1006)", TlsFault.NOT_SPOKEN),
        ("[SSL: RECORD_LAYER_FAILURE] record layer failure (_ssl.c:1032)", TlsFault.NOT_SPOKEN),
        ("[SSL: UNEXPECTED_EOF_WHILE_READING] EOF occurred in violation of protocol", TlsFault.NOT_SPOKEN),
        ("[Errno 104] Connection reset by peer", TlsFault.NOT_SPOKEN),
        ("[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: self-signed", TlsFault.UNTRUSTED),
        (
            "[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: Hostname mismatch, certificate is"
            " not valid for 'a'.",
            TlsFault.OTHER_NAME,
        ),
        (
            "[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: IP address mismatch, certificate is"
            " not valid for '127.0.0.2'.",
            TlsFault.OTHER_NAME,
        ),
        ("[Errno 111] Connection refused", None),
        ("[SSL: TLSV1_ALERT_UNKNOWN_CA] tlsv1 alert unknown ca", None),
    ],
)
def test_what_a_handshake_failed_for(said: str, meant: TlsFault | None) -> None:
    assert tls_fault(said) is meant
    assert tls_fault(ssl.SSLError(said)) is meant
