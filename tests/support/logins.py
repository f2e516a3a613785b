"""Whether a broker lets a login in."""

from __future__ import annotations

from arwarden.config import MqttConfig
from arwarden.core.counters import Counters
from arwarden.publish.acks import inbox_type
from arwarden.publish.connection import ConnectFailed, Connection


async def lets_in(settings: MqttConfig) -> bool:
    """Connect as the daemon would, and leave again."""
    try:
        connection = await Connection.open(settings, None, inbox_type(Counters()))
    except ConnectFailed:
        return False
    await connection.close()
    return True
