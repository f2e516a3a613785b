"""``arwarden doctor``: can a headset reach this machine, and will the daemon work on it?"""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import platform
import secrets
import socket
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import av
import click
import psutil

from arwarden import __version__
from arwarden.cli.check_config import is_loopback, warnings
from arwarden.config import Config
from arwarden.config.file import load_config
from arwarden.core.clock import SystemClock
from arwarden.core.counters import Counters
from arwarden.core.errors import ArwardenError, PublishError
from arwarden.fast.models import models_in_use
from arwarden.publish.acks import inbox_type
from arwarden.publish.connection import Connection
from arwarden.publish.embedded import EmbeddedBroker

EXIT_FAILED = 1
CLOCK_PROBE_S = 0.2
_MARKS = {"ok": "ok  ", "warn": "warn", "fail": "FAIL"}


@dataclass(frozen=True, slots=True)
class Check:
    """The outcome of one check, with what to do where it is not ok."""

    name: str
    status: str
    detail: str
    fix: str = ""


@click.command("doctor")
@click.option("--config", "config_file", type=click.Path(path_type=Path), help="Configuration to check with.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object per check.")
@click.pass_context
def command(ctx: click.Context, config_file: Path | None, *, as_json: bool) -> None:
    """Check ports, addresses, broker, models, codecs, cores and clock.

    Says what a headset has to be told to connect here, and what is in its way. Exit code 1 where something
    fails that the daemon needs.
    """
    config = load_config(config_file) if config_file else Config()
    failed = False
    for check in run_checks(config):
        failed = failed or check.status == "fail"
        if as_json:
            click.echo(json.dumps(asdict(check)))
            continue
        click.echo(f"{_MARKS[check.status]}  {check.name}: {check.detail}")
        if check.fix:
            click.echo(f"      {check.fix}")
    ctx.exit(EXIT_FAILED if failed else 0)


def run_checks(config: Config) -> Iterator[Check]:
    """Every check in turn. One that breaks is a failed check, not the end of the others."""
    checks: tuple[Callable[[Config], Iterator[Check]], ...] = (
        _python,
        _cores,
        _clock,
        _port,
        _addresses,
        _broker,
        _models,
        _codecs,
        _configuration,
    )
    for check in checks:
        try:
            yield from check(config)
        except (ArwardenError, OSError, ImportError, ValueError) as error:
            yield Check(check.__name__.strip("_"), "fail", str(error))


def _python(_config: Config) -> Iterator[Check]:
    yield Check("python", "ok", f"arwarden {__version__} on Python {platform.python_version()}")
    if importlib.util.find_spec("uvloop") is None:
        yield Check("uvloop", "warn", "absent: the event loop costs a fifth more", "pip install uvloop")
    else:
        yield Check("uvloop", "ok", "installed")


def _cores(_config: Config) -> Iterator[Check]:
    usable = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
    memory_gib = psutil.virtual_memory().available / 2**30
    detail = f"{usable} core(s) usable, {memory_gib:.1f} GiB of memory free"
    if usable < 2:
        yield Check("cores", "warn", detail, "one core decodes and reads by turns: alerts will be late")
    elif memory_gib < 1.5:
        yield Check("cores", "warn", detail, "the daemon needs about 1 GiB")
    else:
        yield Check("cores", "ok", detail)


def _clock(_config: Config) -> Iterator[Check]:
    clock = SystemClock()
    time.sleep(CLOCK_PROBE_S)
    step_ms = clock.wall_step_ms()
    year = time.gmtime().tm_year
    if abs(step_ms) > 50:
        fix = "something sets the clock in steps; use a time service that slews it"
        yield Check(
            "clock", "warn", f"the wall clock moved by {step_ms:.0f} ms within {CLOCK_PROBE_S} s", fix
        )
    elif year < 2025:
        yield Check("clock", "fail", f"the clock says {year}", "set the clock: TLS and expiry depend on it")
    else:
        yield Check("clock", "ok", "steady; headsets' clocks are measured per session, they need not agree")


def _port(config: Config) -> Iterator[Check]:
    server = config.server
    family = socket.AF_INET6 if ":" in server.host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((server.host, server.port))
        except OSError as error:
            fix = "stop what uses it, or choose another server.port; a running daemon is no fault"
            yield Check("port", "warn", f"{server.host}:{server.port}: {error.strerror}", fix)
            return
    yield Check(
        "port",
        "ok",
        f"{server.host}:{server.port} is free; video comes in on UDP ports of the system's choice",
    )


def _addresses(config: Config) -> Iterator[Check]:
    scheme = "https" if config.server.tls_certificate else "http"
    urls = [f"{scheme}://{address}:{config.server.port}/whip" for address in lan_addresses()]
    places = " or ".join(urls)
    if not urls:
        detail = "this machine has no network address"
        yield Check("addresses", "warn", detail, "connect it to the headset's network")
    elif is_loopback(config.server.host):
        detail = f"the server listens on {config.server.host}: only programs on this machine can connect"
        fix = f"set server.host: 0.0.0.0 and give the headset a token; it then uses {places}"
        yield Check("addresses", "warn", detail, fix)
    else:
        yield Check("addresses", "ok", f"a headset on the same network uses {places}")
        yield Check("firewall", "ok", f"it must let TCP {config.server.port} and UDP from the headset in")


def lan_addresses() -> list[str]:
    """IPv4 addresses of this machine that another machine may reach."""
    active = {name for name, state in psutil.net_if_stats().items() if state.isup}
    return [
        address.address
        for name, addresses in psutil.net_if_addrs().items()
        if name in active
        for address in addresses
        if address.family == socket.AF_INET and not is_loopback(address.address)
    ]


def _broker(config: Config) -> Iterator[Check]:
    if config.mqtt.host is None:
        host, port = asyncio.run(_try_embedded())
        yield Check(
            "broker", "ok", f"none configured; the embedded one starts and speaks MQTT 5 ({host}:{port})"
        )
        return
    name = f"{config.mqtt.host}:{config.mqtt.effective_port}"
    try:
        asyncio.run(_try_broker(config))
    except PublishError as error:
        fix = "is it running, does it speak MQTT 5, and are user name, password and TLS right?"
        yield Check("broker", "fail", f"{name}: {error}", fix)
        return
    yield Check("broker", "ok", f"{name} speaks MQTT 5")


async def _try_broker(config: Config) -> None:
    """Connect under a name of our own: a running daemon with the configured one stays connected."""
    visitor = config.mqtt.model_copy(update={"client_id": f"arwarden-doctor-{secrets.token_hex(4)}"})
    connection = await Connection.open(visitor, None, inbox_type(Counters()))
    await connection.close()


async def _try_embedded() -> tuple[str, int]:
    broker = EmbeddedBroker("127.0.0.1", 0)
    try:
        return await broker.start()
    finally:
        await broker.stop()


def _models(config: Config) -> Iterator[Check]:
    for model in models_in_use(config.fast):
        yield Check("model", "ok", f"{model.name}, sha256 {model.sha256[:16]}…, {model.licence}")
    if not config.fast.elements:
        yield Check("elements", "ok", "fast.elements is off: text is read, symbols are not")


def _codecs(_config: Config) -> Iterator[Check]:
    for name in ("h264", "vp8"):
        if name in av.codecs_available:
            yield Check("codec", "ok", f"{name} can be decoded")
        else:
            yield Check(
                "codec",
                "fail",
                f"{name} cannot be decoded",
                "install the av wheel instead of a build of your own",
            )


def _configuration(config: Config) -> Iterator[Check]:
    for line in warnings(config):
        yield Check("configuration", "warn", line)
