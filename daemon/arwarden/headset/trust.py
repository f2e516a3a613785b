"""Whom the simulated headset trusts when it speaks TLS."""

from __future__ import annotations

import ssl
from pathlib import Path

from arwarden.core.errors import Refused


def trusting(ca_file: Path | None) -> ssl.SSLContext:
    """A client's TLS that trusts the certificates in a PEM file, or the system's authorities without one.

    Raises Refused where the file cannot be used.
    """
    try:
        return ssl.create_default_context(cafile=None if ca_file is None else str(ca_file))
    except (OSError, ssl.SSLError) as error:
        raise Refused(str(ca_file), f"not a readable PEM certificate file: {error}") from error
