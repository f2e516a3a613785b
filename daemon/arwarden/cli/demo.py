"""``arwarden demo``: broker, daemon and a simulated headset on this machine, to see it work."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import sys
import tempfile
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp
import click

from arwarden.cli.headset import alert_line
from arwarden.cli.run import run_in_loop, stop_on_signals
from arwarden.contract.messages import Health
from arwarden.core.clock import SystemClock
from arwarden.core.errors import ArwardenError, InputError
from arwarden.core.findings import readable
from arwarden.core.processes import end_process
from arwarden.explain.words import way
from arwarden.headset.feed import StreamFormat
from arwarden.headset.headset import Headset, HeadsetOptions, HeadsetSummary, live_feed
from arwarden.headset.overlay import Overlay
from arwarden.headset.shown import Change, ShownAlert
from arwarden.headset.sources import open_source

START_TIMEOUT_S = 60.0
STOP_TIMEOUT_S = 10.0
MAX_EVENT_BYTES = 1 << 20
"""A picture full of text makes a long event."""
DEVICE = "demo"
_CONFIG = "server: {port: 0}\ningest: {anonymous: loopback}\nlogging: {level: warning, format: json}\n"
_READY = re.compile(r"^ready: (http://\S+)/$")
_BROKER = re.compile(r"^broker: (\S+)$")


class DemoFailed(ArwardenError):
    """The daemon that the demo started did not come up. Holds what it said."""


@click.command("demo")
@click.option(
    "--source", default="scene", show_default=True, help="Video FILE, folder of pictures, camera or scene."
)
@click.option(
    "--overlay", "overlays", multiple=True, metavar="TEXT@x,y,from,to", help="Draw a virtual panel into it."
)
@click.option(
    "--seconds", type=click.FloatRange(min=1.0), default=30.0, show_default=True, help="Length of the run."
)
@click.option(
    "--json", "json_file", type=click.Path(path_type=Path), help="Write alerts and figures to a file."
)
def command(source: str, overlays: tuple[str, ...], seconds: float, json_file: Path | None) -> None:
    """Start broker, daemon and a simulated headset, show what comes back, and sum up.

    The headset streams real video over real WebRTC to the daemon; alerts come back over MQTT 5. Shown are the
    elements the daemon sees and, with their latency, the alerts that reach the headset. No headset, key,
    network or broker is needed.

    --overlay draws a further panel, as another app would: "Made in France@0.55,0.2,2,-" appears with its
    top left at 55 % / 20 % of the view two seconds after the start and stays. Ctrl-C ends the run early.
    """
    panels = [Overlay.parse(spec) for spec in overlays]
    stream = StreamFormat()
    if json_file is not None:
        _check_target(json_file)
    picture_source = open_source(source, stream.size)
    demo = _Demo()

    async def run() -> None:
        stop = stop_on_signals()
        click.echo("starting broker and daemon …")
        async with _child_daemon(stop) as (address, ended):
            click.echo(f"streaming {source}; watch it at {address.http}/")
            options = HeadsetOptions(
                whip_url=f"{address.http}/whip", mqtt_url=f"mqtt://{address.mqtt}", device_id=DEVICE
            )
            feed = live_feed(picture_source, stream, SystemClock(), panels)
            headset = Headset(options, feed, on_alert=demo.on_alert, on_health=demo.on_health)
            watching = asyncio.ensure_future(demo.watch(address.http))
            demo.summary = await _until_stopped(headset, seconds, stop, ended)
            watching.cancel()
            await asyncio.gather(watching, return_exceptions=True)

    run_in_loop(run())
    result = demo.result()
    _print_summary(result)
    if json_file is not None:
        _write(json_file, json.dumps(result, indent=2, ensure_ascii=False) + "\n")


def _check_target(file: Path) -> None:
    """Say at once, and not after the run, where the file cannot be written."""
    if file.is_dir():
        raise InputError(str(file), "is a folder; name a file to write to")
    if not file.parent.is_dir():
        raise InputError(str(file), f"cannot be written: the folder {file.parent} does not exist")


def _write(file: Path, text: str) -> None:
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(str(file), f"cannot be written: {error.strerror or error}") from error


@dataclass(frozen=True, slots=True)
class _Address:
    http: str
    mqtt: str


@dataclass(slots=True)
class _Demo:
    """What the headset and the daemon said during the run."""

    health: Health | None = None
    summary: HeadsetSummary | None = None
    seen: frozenset[str] = field(default_factory=frozenset)

    def on_alert(self, shown: ShownAlert) -> None:
        if shown.change is not Change.UPDATED:
            click.echo(alert_line(shown))

    def on_health(self, health: Health) -> None:
        self.health = health

    async def watch(self, http: str) -> None:
        """Show the elements that the daemon sees, with their places, whenever they change."""
        timeout = aiohttp.ClientTimeout(total=None)
        async with (
            aiohttp.ClientSession(timeout=timeout, read_bufsize=MAX_EVENT_BYTES) as client,
            client.get(f"{http}/events") as response,
        ):
            async for line in response.content:
                if line.startswith(b"data: "):
                    self._show_elements(json.loads(line[6:]))

    def _show_elements(self, event: Mapping[str, Any]) -> None:
        if event["type"] != "sample":
            return
        seen = [(_named(element), element["box"]) for element in event["elements"]]
        for name, (x, y, w, h) in seen:
            if name not in self.seen:
                click.echo(f"  sees {name} at x {x:.2f}, y {y:.2f}, {w:.2f} × {h:.2f}")
        self.seen = frozenset(name for name, _ in seen)

    def result(self) -> dict[str, Any]:
        """What ``--json`` writes."""
        health, summary = self.health, self.summary
        return {
            "alerts": [_alert_json(shown) for shown in (summary.raised if summary else ())],
            "latency_ms": {
                "p50": summary.latency_ms(0.5) if summary else None,
                "p95": summary.latency_ms(0.95) if summary else None,
            },
            "frames": {
                "received": health.frames_received if health else 0,
                "analysed": health.frames_analysed if health else 0,
                "dropped": health.frames_dropped if health else 0,
            },
        }


def _named(element: Mapping[str, Any]) -> str:
    """Type, picture, direction and text of an element, for example "arrow left “Exit”"."""
    parts = [element["type"], readable(element["label"])]
    if element["direction_deg"] is not None:
        parts.append(way(element["direction_deg"]))
    parts.append(f"“{' '.join(element['text'].split())}”" if element["text"] else "")
    return " ".join(part for part in parts if part)


def _alert_json(shown: ShownAlert) -> dict[str, Any]:
    return {**shown.alert.model_dump(mode="json"), "capture_to_shown_ms": shown.capture_to_shown_ms}


async def _until_stopped(
    headset: Headset, seconds: float, stop: asyncio.Event, daemon_ended: asyncio.Task[None]
) -> HeadsetSummary:
    """Run the headset for its time; a signal ends it early, with a summary all the same.

    Raises ``DemoFailed`` where the daemon ends before it is told to.
    """
    stopped = asyncio.ensure_future(stop.wait())
    run = asyncio.ensure_future(headset.run(seconds))
    await asyncio.wait({stopped, run, daemon_ended}, return_when=asyncio.FIRST_COMPLETED)
    headset.stop()
    stopped.cancel()
    summary = await run
    if daemon_ended.done():
        raise DemoFailed("the daemon ended while the headset streamed; what it said stands above")
    return summary


@contextlib.asynccontextmanager
async def _child_daemon(stop: asyncio.Event) -> AsyncIterator[tuple[_Address, asyncio.Task[None]]]:
    """A daemon with a broker of its own in a child process, as ``arwarden run`` starts it.

    Yields where it is, and a task that ends when the daemon does. Raises ``click.Abort`` where a signal
    comes before it is ready.
    """
    with tempfile.TemporaryDirectory(prefix="arwarden-demo-") as folder:
        config = Path(folder) / "config.yaml"
        config.write_text(_CONFIG, encoding="utf-8")
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "arwarden", "run",
            "--config", str(config), "--embedded-broker", "--broker-port", "0",
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,  # Ctrl-C ends the headset first, which then ends the daemon
        )  # fmt: skip
        reading: asyncio.Task[None] | None = None
        try:
            address = await _address_unless_stopped(process, stop)
            reading = asyncio.create_task(_pass_on(process))
            yield address, reading
        finally:
            await end_process(process, STOP_TIMEOUT_S)
            if reading is not None:
                await asyncio.wait({reading})


async def _address_unless_stopped(process: asyncio.subprocess.Process, stop: asyncio.Event) -> _Address:
    starting = asyncio.ensure_future(_address_of(process))
    stopped = asyncio.ensure_future(stop.wait())
    await asyncio.wait({starting, stopped}, timeout=START_TIMEOUT_S, return_when=asyncio.FIRST_COMPLETED)
    stopped.cancel()
    if starting.done() and not stop.is_set():
        return starting.result()
    starting.cancel()
    await asyncio.gather(starting, return_exceptions=True)
    if stop.is_set():
        raise click.Abort
    raise DemoFailed(f"the daemon was not ready after {START_TIMEOUT_S:.0f} s")


async def _address_of(process: asyncio.subprocess.Process) -> _Address:
    """Wait until the daemon says where it listens."""
    said: list[str] = []
    http = None
    while line := await _line(process):
        said.append(line)
        if match := _READY.match(line):
            http = match[1]
        elif http is not None and (match := _BROKER.match(line)):
            return _Address(http, match[1])
    raise DemoFailed("the daemon did not start:\n" + "\n".join(said))


async def _pass_on(process: asyncio.subprocess.Process) -> None:
    """Show the daemon's own warnings."""
    while line := await _line(process):
        click.echo(f"  daemon: {line}", err=True)


async def _line(process: asyncio.subprocess.Process) -> str:
    if process.stderr is None:
        return ""
    return (await process.stderr.readline()).decode(errors="replace").rstrip("\n")


def _print_summary(result: Mapping[str, Any]) -> None:
    latency, frames = result["latency_ms"], result["frames"]
    click.echo(f"\n{len(result['alerts'])} alert(s) shown by the headset")
    if latency["p50"] is not None:
        click.echo(f"capture to headset: p50 {latency['p50']:.0f} ms, p95 {latency['p95']:.0f} ms")
    click.echo(
        f"frames: {frames['received']} received, {frames['analysed']} analysed, "
        f"{frames['dropped']} not needed or dropped"
    )
