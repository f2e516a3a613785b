"""``arwarden run``: the daemon."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import signal
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import click

from arwarden.cli.check_config import summary, warnings
from arwarden.config import Config
from arwarden.config.file import load_config
from arwarden.daemon import Daemon
from arwarden.observe.logs import configure_logging
from arwarden.publish.embedded import DEFAULT_PORT


@click.command("run")
@click.option(
    "--config",
    "config_file",
    type=click.Path(path_type=Path),
    help="Configuration file (YAML). Without one every default applies.",
)
@click.option(
    "--embedded-broker",
    is_flag=True,
    help="Start an MQTT 5 broker of its own when the configuration names none.",
)
@click.option(
    "--broker-host",
    default="127.0.0.1",
    show_default=True,
    help="Address the embedded broker listens on; 0.0.0.0 lets headsets reach it.",
)
@click.option(
    "--broker-port",
    type=click.IntRange(0, 65535),
    default=DEFAULT_PORT,
    show_default=True,
    help="Port of the embedded broker; 0 picks a free one.",
)
def command(config_file: Path | None, *, embedded_broker: bool, broker_host: str, broker_port: int) -> None:
    """Run the daemon until SIGINT or SIGTERM.

    It takes streams at POST /whip, publishes alerts over MQTT 5, and serves a live page at /. On a signal
    it lets nobody new in, ends the open alerts, delivers what is left and exits within the grace period
    (server.shutdown_grace_ms); a second signal ends it at once.
    """
    config = load_config(config_file) if config_file else Config()
    configure_logging(config.logging)
    for line in summary(config):
        click.echo(f"  {line}", err=True)
    for line in warnings(config):
        click.echo(f"  warning: {line}", err=True)
    use_embedded = embedded_broker and config.mqtt.host is None
    daemon = Daemon(config, embedded_broker=use_embedded, broker_host=broker_host, broker_port=broker_port)
    run_in_loop(_serve(daemon))


def run_in_loop(main: Coroutine[Any, Any, None]) -> None:
    """Run a coroutine in the fastest event loop there is."""
    try:
        uvloop = importlib.import_module("uvloop")
    except ImportError:  # not made for every platform; asyncio costs a fifth more and is otherwise alike
        asyncio.run(main)
    else:
        uvloop.run(main)


async def _serve(daemon: Daemon) -> None:
    stop = stop_on_signals()
    async with daemon:
        scheme = "https" if daemon.config.server.tls_certificate else "http"
        click.echo(f"ready: {scheme}://{daemon.config.server.host}:{daemon.http_port}/", err=True)
        click.echo("broker: {}:{}".format(*daemon.mqtt_address), err=True)
        failure = asyncio.create_task(daemon.failed())
        stopping = asyncio.create_task(stop.wait())
        done, pending = await asyncio.wait({failure, stopping}, return_when=asyncio.FIRST_COMPLETED)
        for task in pending:
            task.cancel()
        if failure in done:
            raise failure.result()


def stop_on_signals() -> asyncio.Event:
    """An event that the first SIGINT or SIGTERM sets; after that the signals act as they do by default."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()

    def first_signal() -> None:
        stop.set()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)

    for number in (signal.SIGINT, signal.SIGTERM):
        with contextlib.suppress(NotImplementedError):  # an event loop without signal support
            loop.add_signal_handler(number, first_signal)
    return stop
