"""Fixtures of tests on the real wire."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Protocol

import pytest

from tests.support.mosquitto import Mosquitto


class Maker(Protocol):
    """Starts brokers that end with the test; takes the arguments of ``Mosquitto``."""

    async def __call__(self, **arguments: Any) -> Mosquitto: ...


@pytest.fixture
async def mosquitto_with(tmp_path: Path) -> AsyncIterator[Maker]:
    brokers: list[Mosquitto] = []

    async def make(**arguments: Any) -> Mosquitto:
        broker = Mosquitto(tmp_path / f"broker-{len(brokers)}", **arguments)
        brokers.append(broker)
        await broker.start()
        return broker

    yield make
    for broker in brokers:
        await broker.stop()


@pytest.fixture
async def mosquitto(mosquitto_with: Maker) -> Mosquitto:
    """A running broker without any rules."""
    return await mosquitto_with()
