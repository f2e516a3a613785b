"""A broker of its own for a benchmark: Mosquitto where it is installed, else the embedded one."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import socket
import tempfile
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

from arwarden.core.errors import BrokerError
from arwarden.core.processes import end_process
from arwarden.publish.embedded import EmbeddedBroker

START_TIMEOUT_S = 10.0
STOP_TIMEOUT_S = 5.0


@dataclass(frozen=True, slots=True)
class BrokerAddress:
    """Where it listens and which one it is."""

    host: str
    port: int
    name: str

    @property
    def url(self) -> str:
        """The address for a headset."""
        return f"mqtt://{self.host}:{self.port}"


@contextlib.asynccontextmanager
async def running_broker() -> AsyncIterator[BrokerAddress]:
    """Start a broker on a free port of this machine, and end it afterwards. Raises ``BrokerError``."""
    # Debian puts daemons into sbin, which an ordinary user's PATH does not hold.
    program = shutil.which("mosquitto", path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
    if program is None:
        embedded = EmbeddedBroker(port=0)
        host, port = await embedded.start()
        try:
            yield BrokerAddress(host, port, "embedded")
        finally:
            await embedded.stop()
        return
    with tempfile.TemporaryDirectory(prefix="arwarden-benchmark-") as folder:
        async with _mosquitto(program, Path(folder)) as address:
            yield address


@contextlib.asynccontextmanager
async def _mosquitto(program: str, folder: Path) -> AsyncIterator[BrokerAddress]:
    port = _free_port()
    settings = folder / "mosquitto.conf"
    lines = [
        f"listener {port} 127.0.0.1",
        "allow_anonymous true",
        "persistence false",
        "set_tcp_nodelay true",
    ]
    settings.write_text("\n".join(lines) + "\n", encoding="utf-8")
    output = folder / "mosquitto.log"
    with output.open("wb") as log:
        process = await asyncio.create_subprocess_exec(
            program, "-c", str(settings), stdout=log, stderr=log, start_new_session=True
        )
    try:
        try:
            async with asyncio.timeout(START_TIMEOUT_S):
                await _until_it_listens(process, port)
        except TimeoutError:
            said = output.read_text(encoding="utf-8", errors="replace")[-1000:]
            msg = f"{program} did not listen on port {port} within {START_TIMEOUT_S:g} s: {said}"
            raise BrokerError(msg) from None
        yield BrokerAddress("127.0.0.1", port, "mosquitto")
    finally:
        await end_process(process, STOP_TIMEOUT_S)


async def _until_it_listens(process: asyncio.subprocess.Process, port: int) -> None:
    while process.returncode is None:
        with contextlib.suppress(OSError):
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.close()
            await writer.wait_closed()
            return
        await asyncio.sleep(0.02)
    msg = f"mosquitto ended at once with code {process.returncode}"
    raise BrokerError(msg)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
