"""``arwarden doctor``: can a headset reach this machine, and will the daemon work on it?"""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import platform
import secrets
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path

import av
import click
import psutil

from arwarden import __version__
from arwarden.cli.check_config import warnings
from arwarden.cli.checks import Check
from arwarden.cli.endpoints import look_at
from arwarden.cli.judges import is_loopback
from arwarden.cli.reach import address_checks, embedded_reach, port_checks, tls_checks
from arwarden.cli.secure import tls_options, with_tls
from arwarden.config import Config, OpenAiJudgeConfig, asked_judges
from arwarden.config.file import load_config
from arwarden.core.clock import SystemClock
from arwarden.core.counters import Counters
from arwarden.core.errors import ArwardenError, PublishError
from arwarden.escalate.switched_off import lack_of
from arwarden.fast.models import models_in_use
from arwarden.publish.acks import inbox_type
from arwarden.publish.connection import Connection
from arwarden.publish.embedded import EmbeddedBroker

EXIT_FAILED = 1
CLOCK_PROBE_S = 0.2
_MARKS = {"ok": "ok  ", "warn": "warn", "fail": "FAIL"}


@click.command("doctor")
@click.option("--config", "config_file", type=click.Path(path_type=Path), help="Configuration to check with.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object per check.")
@tls_options
@click.pass_context
def command(
    ctx: click.Context,
    config_file: Path | None,
    *,
    as_json: bool,
    tls: str | None,
    tls_cert: Path | None,
    tls_key: Path | None,
) -> None:
    """Check ports, certificate, addresses, broker, models, codecs, judges, cores and clock.

    Give it the configuration and the TLS options of ``run``, before a start or beside a daemon that runs:
    then it is visited too, as a headset would.

    Says what a headset has to be told to connect here, and what is in its way. Exit code 1 where something
    fails that the configuration asks for. Judges are asked for their list of models, never about a picture.
    """
    config = with_tls(load_config(config_file) if config_file else Config(), tls, tls_cert, tls_key)
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
        tls_checks,
        port_checks,
        address_checks,
        _broker,
        _models,
        _codecs,
        _judges,
        _configuration,
    )
    for check in checks:
        try:
            yield from check(config)
        except (ArwardenError, OSError, ImportError, ValueError) as error:
            name = check.__name__.strip("_").removesuffix("_checks")
            yield Check(name, "fail", str(error))


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


def _broker(config: Config) -> Iterator[Check]:
    mqtt = config.mqtt
    if mqtt.host is None:
        host, port = asyncio.run(_try_embedded())
        detail = f"none configured; the embedded one starts and speaks MQTT 5 ({host}:{port})"
        yield Check("broker", "ok", detail)
        if not is_loopback(config.server.host):
            yield embedded_reach(config.server.secure)
        return
    name = f"{mqtt.host}:{mqtt.effective_port}"
    try:
        asyncio.run(_try_broker(config))
    except PublishError as error:
        yield Check("broker", "fail", f"{name}: {error}", broker_fix(str(error), config))
        return
    ways = [" with TLS" if mqtt.tls else "", f", as {mqtt.username}" if mqtt.username else ""]
    yield Check("broker", "ok", f"{name} speaks MQTT 5{''.join(ways)}")
    if is_loopback(mqtt.host) and not is_loopback(config.server.host):
        detail = f"the broker is at {mqtt.host}: Unity headsets must be told its address on the network"
        yield Check("broker-reach", "warn", detail, "let it listen there; pages need it not")


def broker_fix(fault: str, config: Config) -> str:
    """What to do about a connection to the broker that failed; empty where the fault says it itself."""
    if "set mqtt." in fault or "check mqtt." in fault:
        return ""
    if config.mqtt.tls is None and ("certificate" in fault or "ssl" in fault.lower()):
        return "the broker seems to speak TLS at this port: set mqtt.tls"
    found = (fix for words, fix in _BROKER_FIXES if any(word in fault.lower() for word in words))
    return next(found, "is the broker running there, and does a firewall let this machine in?")


_BROKER_FIXES = (
    (
        ("refuses us", "not authori"),
        "compare mqtt.username and mqtt.password with the broker's accounts and access rules",
    ),
    (
        ("certificate", "ssl", "tls"),
        "look at mqtt.tls: its ca_file, and its certificate and key where the broker wants them",
    ),
    (
        ("does not speak mqtt 5",),
        "use a broker for MQTT 5, such as Mosquitto 2, or leave mqtt.host out for the embedded one",
    ),
    (
        ("name or service", "name resolution", "no address", "nodename"),
        "is mqtt.host spelt right, and can this machine look it up?",
    ),
    (
        ("does not answer", "closed the connection", "connection broke"),
        "is it MQTT that listens there?",
    ),
)
"""Words in a fault, in small letters, and what they call for; the first that fits counts."""


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


def _judges(config: Config) -> Iterator[Check]:
    """Whether each judge can be asked. No frame, text or question is sent: that would cost money."""
    escalate = config.escalate
    for judge in () if escalate.judge is None else asked_judges(escalate.judge):
        lack = lack_of(judge)
        if lack is not None:
            detail = f"{lack.judge} is switched off: {lack.reason}"
            yield Check("judge", "fail", detail, lack.detail)
        elif isinstance(judge, OpenAiJudgeConfig):
            found = look_at(judge)
            yield Check("judge", found.status, f"{judge.name}: {found.detail}", found.fix)
        else:
            yield Check("judge", "ok", f"{judge.kind}, in this process")


def _configuration(config: Config) -> Iterator[Check]:
    for line in warnings(config):
        yield Check("configuration", "warn", line)
