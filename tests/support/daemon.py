"""The assembled daemon for tests: in this process or in one of its own, and headsets that stream to it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import signal
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import aiohttp
import yaml

from arwarden.config import Config
from arwarden.core.clock import SystemClock
from arwarden.core.findings import Findings
from arwarden.core.frame import ByteImage, Frame, View
from arwarden.core.tier import SceneContext, Tier
from arwarden.daemon import Daemon
from arwarden.fast.tier import FastTier
from arwarden.headset.drawn import DrawnObjects
from arwarden.headset.feed import StreamFormat
from arwarden.headset.headset import Headset, HeadsetOptions, HeadsetSummary, live_feed
from arwarden.headset.objects import AppObjects
from arwarden.headset.overlay import OverlaidSource, Overlay
from arwarden.headset.pictures import PictureSize
from arwarden.headset.scene import ArScene
from arwarden.headset.situations import Situation, Timeline
from arwarden.headset.sources import FrameSource
from tests.support.feeder import Feeder, FeederProcess
from tests.support.mosquitto import Mosquitto

ROOT = Path(__file__).resolve().parents[2]
SMALL = PictureSize(640, 360)
STREAM = StreamFormat(SMALL, fps=12.0, bitrate_kbps=1500)
START_TIMEOUT_S = 60.0
EXIT_TIMEOUT_S = 30.0


class LentTier:
    """A fast tier that outlives the daemons that use it: loading its models takes seconds."""

    def __init__(self, tier: FastTier) -> None:
        self._tier = tier
        self.name = tier.name

    async def analyse(self, frames: Sequence[Frame], context: SceneContext, deadline_ms: float) -> Findings:
        return await self._tier.analyse(frames, context, deadline_ms)

    async def close(self) -> None:
        """It belongs to somebody else."""


def config_for(broker: Mosquitto | None, **sections: Mapping[str, Any]) -> Config:
    """A configuration with a free port and, where there is a broker, short waits for it."""
    content: dict[str, Any] = {"server": {"port": 0, "shutdown_grace_ms": 4000}, **sections}
    content["server"] = {"port": 0, "shutdown_grace_ms": 4000, **sections.get("server", {})}
    if broker is not None:
        quick = {"publish_timeout_ms": 1000, "reconnect_min_ms": 50, "reconnect_max_ms": 400}
        content["mqtt"] = {"host": broker.host, "port": broker.port, **quick, **sections.get("mqtt", {})}
    return Config.model_validate(content)


@contextlib.asynccontextmanager
async def serving(
    config: Config, tier: Tier, *, faults_allowed: int = 0, **options: Any
) -> AsyncIterator[Daemon]:
    """A daemon in this process. Errors that nobody handled fail the test."""
    faults: list[Mapping[str, Any]] = []
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _loop, context: faults.append(context))
    try:
        async with Daemon(config, tier=tier, **options) as daemon:
            yield daemon
    finally:
        loop.set_exception_handler(None)
    assert not faults, faults
    assert daemon.counters["session.faults"] == faults_allowed
    assert daemon.counters["ingest.handler_errors"] == 0
    assert daemon.counters["ingest.unclean_closes"] == 0


def address_of(daemon: Daemon) -> str:
    return f"http://127.0.0.1:{daemon.http_port}"


def mqtt_of(daemon: Daemon) -> str:
    return "mqtt://{}:{}".format(*daemon.mqtt_address)


def scene(*texts: str, contradicts_on: str = "") -> ArScene:
    """A generated scene that shows the same panels for ever."""
    return ArScene(SMALL, timeline=Timeline.constant(Situation(texts, contradicts_on)))


class SwitchedPanels:
    """A source over which panels are drawn while ``shown`` is set."""

    def __init__(self, source: FrameSource, overlays: Sequence[Overlay]) -> None:
        self.name = source.name
        self.shown = False
        self._plain = source
        self._overlaid = OverlaidSource(source, overlays, SMALL)

    def read(self, t_s: float) -> ByteImage | None:
        return (self._overlaid if self.shown else self._plain).read(t_s)

    def close(self) -> None:
        self._overlaid.close()


class Wearer:
    """A headset that streams in the background until the block ends."""

    def __init__(self, http: str, mqtt: str | None, source: FrameSource, **options: Any) -> None:
        overlays: Sequence[Overlay] = options.pop("overlays", ())
        self._seconds: float | None = options.pop("seconds", None)
        objects: AppObjects | None = options.pop("objects", None)
        if objects is not None:
            source = DrawnObjects(source, objects)
        self.feed = live_feed(source, STREAM, SystemClock(), overlays)
        known = {"device_id": "quest", "view": View.COMPOSITED, **options}
        wanted = HeadsetOptions(whip_url=f"{http}/whip", mqtt_url=mqtt, **known)
        self.headset = Headset(wanted, self.feed, objects=objects)
        self._run: asyncio.Task[HeadsetSummary] | None = None

    async def __aenter__(self) -> Self:
        self._run = asyncio.create_task(self.headset.run(self._seconds))
        return self

    async def __aexit__(self, *_exc: object) -> None:
        await self.ended()

    async def ended(self) -> HeadsetSummary:
        """Take it off."""
        assert self._run is not None
        self.headset.stop()
        async with asyncio.timeout(EXIT_TIMEOUT_S):
            return await self._run


def wearing(daemon: Daemon, source: FrameSource, **options: Any) -> Wearer:
    return Wearer(address_of(daemon), mqtt_of(daemon), source, **options)


async def feed_into(daemon: Daemon, feeder: Feeder | FeederProcess, device_id: str = "quest") -> str:
    """Connect a feeder over HTTP as a WHIP client would; returns where its session is."""
    offer = feeder.offer if isinstance(feeder, FeederProcess) else await feeder.offer()
    url = f"{address_of(daemon)}/whip?device={device_id}&view=composited"
    headers = {"Content-Type": "application/sdp"}
    async with (
        aiohttp.ClientSession() as client,
        client.post(url, data=offer, headers=headers) as response,
    ):
        assert response.status == 201, await response.text()
        await feeder.accept(await response.text())
        return response.headers["Location"]


async def get_json(daemon: Daemon, path: str) -> tuple[int, Any]:
    async with aiohttp.ClientSession() as client, client.get(address_of(daemon) + path) as response:
        return response.status, await response.json()


async def get_text(daemon: Daemon, path: str) -> str:
    async with aiohttp.ClientSession() as client, client.get(address_of(daemon) + path) as response:
        assert response.status == 200
        return await response.text()


class Command:
    """``arwarden …`` in a process group of its own, as a shell starts it."""

    def __init__(self, *arguments: str, cwd: Path | None = None, python: str = sys.executable) -> None:
        self._arguments = arguments
        self._cwd = cwd
        self._python = python
        self._process: asyncio.subprocess.Process | None = None
        self._reading: list[asyncio.Task[None]] = []
        self._mark = f"mark-{secrets.token_hex(8)}"
        self.stdout: list[str] = []
        self.stderr: list[str] = []
        self._news = asyncio.Event()

    async def __aenter__(self) -> Self:
        environment = {**os.environ, "PYTHONUNBUFFERED": "1", "ARWARDEN_TEST_MARK": self._mark}
        environment.pop("PYTHONPATH", None)
        if self._python == sys.executable:
            environment["PYTHONPATH"] = str(ROOT / "daemon")
        self._process = await asyncio.create_subprocess_exec(
            self._python,
            "-m",
            "arwarden",
            *self._arguments,
            cwd=self._cwd,
            env=environment,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            process_group=0,
            limit=1 << 22,
        )
        self._reading = [
            asyncio.create_task(self._read(self._process.stdout, self.stdout)),
            asyncio.create_task(self._read(self._process.stderr, self.stderr)),
        ]
        return self

    async def __aexit__(self, *_exc: object) -> None:
        if self._process is not None and self._process.returncode is None:
            self._process.kill()
            await self._process.wait()
        for task in self._reading:
            task.cancel()
        await asyncio.gather(*self._reading, return_exceptions=True)
        transport = getattr(self._process, "_transport", None)
        if transport is not None:
            transport.close()

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        assert self._process is not None
        return self._process.returncode

    @property
    def output(self) -> str:
        """Everything that it has said so far, for messages of failed tests."""
        return "\n".join([*self.stdout, "--- stderr", *self.stderr])

    def family(self, running: str | None = None) -> list[int]:
        """It and everything that it has started and that still runs, whoever is the parent now.

        ``running`` picks those that have the word as an argument.
        """
        found = []
        for folder in Path("/proc").iterdir():
            with contextlib.suppress(OSError):
                ours = folder.name.isdigit() and self._mark.encode() in (folder / "environ").read_bytes()
                arguments = (folder / "cmdline").read_bytes().split(b"\0") if ours else []
                if ours and (running is None or running.encode() in arguments):
                    found.append(int(folder.name))
        return found

    def signal(self, number: signal.Signals, *, group: bool = False) -> None:
        """Send a signal to it, or to its whole process group as Ctrl-C in a terminal does."""
        if group:
            os.killpg(self.pid, number)
        else:
            os.kill(self.pid, number)

    async def says(self, words: str, timeout_s: float = START_TIMEOUT_S) -> str:
        """Wait for a line that holds the words, on either stream; returns it."""
        try:
            async with asyncio.timeout(timeout_s):
                while True:
                    self._news.clear()
                    for line in [*self.stdout, *self.stderr]:
                        if words in line:
                            return line
                    if self.returncode is not None and all(task.done() for task in self._reading):
                        raise AssertionError(f"it ended without {words!r}:\n{self.output}")
                    await self._news.wait()
        except TimeoutError:
            raise AssertionError(f"not within {timeout_s} s: {words!r}\n{self.output}") from None

    async def ends(self, timeout_s: float = EXIT_TIMEOUT_S) -> int:
        """Wait for the end, and until everything it said is here; returns the exit code."""
        assert self._process is not None
        try:
            async with asyncio.timeout(timeout_s):
                code = await self._process.wait()
                await asyncio.wait(self._reading)
        except TimeoutError:
            raise AssertionError(f"did not end within {timeout_s} s\n{self.output}") from None
        return code

    async def _read(self, stream: asyncio.StreamReader | None, lines: list[str]) -> None:
        assert stream is not None
        while line := await stream.readline():
            lines.append(line.decode().rstrip("\n"))
            self._news.set()
        self._news.set()


async def run_command(*arguments: str, timeout_s: float = 60.0, **options: Any) -> Command:
    """Run it to its end."""
    command = Command(*arguments, **options)
    async with command:
        await command.ends(timeout_s)
    return command


def write_config(folder: Path, config: Mapping[str, Any], name: str = "config.yaml") -> Path:
    path = folder / name
    path.write_text(yaml.safe_dump(dict(config)), encoding="utf-8")
    return path
