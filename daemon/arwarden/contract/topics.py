"""Topic names of the contract. ``v1`` is in the name so that a later contract can live beside it."""

from __future__ import annotations

import re

DEFAULT_PREFIX = "arwarden/v1"
DEVICE_ID_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$"
"""Device ids become topic levels and log fields, so nothing else is let through."""

_DEVICE_ID = re.compile(DEVICE_ID_PATTERN)


def is_device_id(text: str) -> bool:
    """Whether the text may name a device."""
    return _DEVICE_ID.fullmatch(text) is not None


class Topics:
    """The topics of one deployment, under one prefix."""

    def __init__(self, prefix: str = DEFAULT_PREFIX) -> None:
        self.prefix = prefix
        self.daemon_status = f"{prefix}/daemon/status"
        self.all_acks = f"{prefix}/+/acks"
        self.all_scenes = f"{prefix}/+/scene"

    def alerts(self, device_id: str) -> str:
        """Daemon to headset, QoS 1, never retained."""
        return self._of(device_id, "alerts")

    def health(self, device_id: str) -> str:
        """Daemon to headset, QoS 0, retained."""
        return self._of(device_id, "health")

    def acks(self, device_id: str) -> str:
        """Headset to daemon, QoS 1, never retained."""
        return self._of(device_id, "acks")

    def adjustments(self, device_id: str) -> str:
        """Daemon to headset, QoS 1, never retained."""
        return self._of(device_id, "adjustments")

    def scene(self, device_id: str) -> str:
        """Headset to daemon, QoS 0, whole reports retained."""
        return self._of(device_id, "scene")

    def device_of(self, topic: str) -> str | None:
        """The device id in a device topic of this prefix, or None for any other topic."""
        if not topic.startswith(f"{self.prefix}/"):
            return None
        levels = topic[len(self.prefix) + 1 :].split("/")
        return levels[0] if len(levels) == 2 and is_device_id(levels[0]) else None

    def _of(self, device_id: str, leaf: str) -> str:
        if not is_device_id(device_id):
            msg = f"not a device id: {device_id!r}"
            raise ValueError(msg)
        return f"{self.prefix}/{device_id}/{leaf}"
