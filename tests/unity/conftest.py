"""The package, compiled once for all tests of a worker, and a broker for each test."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.support.mosquitto import Mosquitto
from tests.unity.mono import build_console, build_package


@pytest.fixture(scope="session")
def build_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("unity")


@pytest.fixture(scope="session")
def package(build_folder: Path) -> dict[str, Path]:
    return build_package(build_folder)


@pytest.fixture(scope="session")
def headset(build_folder: Path, package: dict[str, Path]) -> Path:
    """The headset without a head."""
    return build_console(build_folder, "HeadlessHeadset", package)


@pytest.fixture
async def broker(tmp_path: Path) -> AsyncIterator[Mosquitto]:
    mosquitto = Mosquitto(tmp_path / "mosquitto")
    await mosquitto.start()
    yield mosquitto
    await mosquitto.stop()
