"""A receiver for tests: subscribes, reconnects, and keeps what came with the time it came."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Any

import aiomqtt

from arwarden.publish.mqtt_workarounds import release, watch


@dataclass(frozen=True)
class Received:
    topic: str
    payload: bytes
    retain: bool
    qos: int
    expiry_s: int | None
    at_ms: float
    """Wall-clock arrival, Unix epoch milliseconds."""

    @property
    def json(self) -> dict[str, Any]:
        decoded = json.loads(self.payload)
        assert isinstance(decoded, dict)
        return decoded


class Tap:
    """Everything that arrives on ``topic`` at a broker, across its restarts."""

    def __init__(self, host: str, port: int, topic: str = "#") -> None:
        self.received: list[Received] = []
        self.subscribed = asyncio.Event()
        self._host, self._port, self._topic = host, port, topic

    async def run(self) -> None:
        while True:
            client = aiomqtt.Client(
                self._host, self._port, protocol=aiomqtt.ProtocolVersion.V5, keepalive=600, timeout=5.0
            )
            watch(client, 5.0)
            try:
                await client.__aenter__()
                await client.subscribe(self._topic, qos=1)
                self.subscribed.set()
                async for message in client.messages:
                    self.received.append(_received(message))
            except aiomqtt.MqttError:
                self.subscribed.clear()
                await asyncio.sleep(0.03)
            finally:
                await release(client)

    def on(self, topic: str) -> list[Received]:
        return [message for message in self.received if message.topic == topic]


def _received(message: aiomqtt.Message) -> Received:
    return Received(
        str(message.topic),
        message.payload,
        message.retain,
        message.qos,
        getattr(message.properties, "MessageExpiryInterval", None),
        time.time() * 1000.0,
    )


@contextlib.asynccontextmanager
async def tapping(host: str, port: int, topic: str = "#") -> AsyncIterator[Tap]:
    """A tap that is subscribed when the block starts."""
    tap = Tap(host, port, topic)
    task = asyncio.create_task(tap.run())
    try:
        async with asyncio.timeout(10):
            await tap.subscribed.wait()
        yield tap
    finally:
        task.cancel()
        await asyncio.wait({task})


async def eventually(condition: Callable[[], bool], timeout_s: float = 10.0) -> None:
    """Wait until the condition holds; fail after a time that even a busy machine should not need."""
    try:
        async with asyncio.timeout(timeout_s):
            while not condition():  # noqa: ASYNC110 - conditions on the outside have no event
                await asyncio.sleep(0.01)
    except TimeoutError:
        msg = f"did not become true within {timeout_s} s"
        raise AssertionError(msg) from None
