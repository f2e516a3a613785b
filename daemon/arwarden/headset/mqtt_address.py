"""The address of a broker, as a URL."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Self
from urllib.parse import unquote, urlsplit

from arwarden.core.errors import Refused


@dataclass(frozen=True, slots=True)
class MqttAddress:
    """A broker and who connects to it."""

    host: str
    port: int
    tls: bool = False
    username: str | None = None
    password: str | None = field(default=None, repr=False)

    @classmethod
    def parse(cls, url: str) -> Self:
        """Read ``mqtt://[USER[:PASSWORD]@]HOST[:PORT]``, or ``mqtts://`` for TLS. Raises ``Refused``."""
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError as error:
            raise Refused(_without_password(url), f"not a broker address: {error}") from error
        if parts.scheme not in ("mqtt", "mqtts") or not parts.hostname:
            reason = "not a broker address of the form mqtt://HOST:PORT, or mqtts:// for TLS"
            raise Refused(_without_password(url), reason)
        tls = parts.scheme == "mqtts"
        return cls(
            host=parts.hostname,
            port=port if port is not None else (8883 if tls else 1883),
            tls=tls,
            username=None if parts.username is None else unquote(parts.username),
            password=None if parts.password is None else unquote(parts.password),
        )

    def __str__(self) -> str:
        return f"{'mqtts' if self.tls else 'mqtt'}://{self.host}:{self.port}"


def _without_password(url: str) -> str:
    before, at, after = url.rpartition("@")
    return f"{before.partition('://')[0]}://…@{after}" if at else after
