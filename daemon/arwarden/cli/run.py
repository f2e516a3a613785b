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
from arwarden.cli.judges import is_loopback, off_line
from arwarden.cli.secure import page_code, page_lines, show_code, tls_options, with_tls
from arwarden.config import Config, asked_judges
from arwarden.config.file import load_config
from arwarden.daemon import Daemon
from arwarden.escalate.switched_off import NO_MODEL
from arwarden.observe.logs import configure_logging
from arwarden.publish.embedded import DEFAULT_PORT
from arwarden.publish.tls_front import DEFAULT_TLS_PORT
from arwarden.web.addresses import EVERYWHERE, here, in_url, lan_addresses


@click.command("run")
@click.option(
    "--config",
    "config_file",
    type=click.Path(path_type=Path),
    help="Configuration file (YAML). Without one every default applies.",
)
@click.option(
    "--embedded-broker/--no-embedded-broker",
    default=True,
    show_default=True,
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
@click.option(
    "--broker-tls-port",
    type=click.IntRange(0, 65535),
    default=DEFAULT_TLS_PORT,
    show_default=True,
    help="Port on which the embedded broker speaks TLS; opened where HTTPS is served too.",
)
@tls_options
def command(
    config_file: Path | None,
    *,
    embedded_broker: bool,
    broker_host: str,
    broker_port: int,
    broker_tls_port: int,
    tls: str | None,
    tls_cert: Path | None,
    tls_key: Path | None,
) -> None:
    """Run the daemon until SIGINT or SIGTERM.

    It takes streams at POST /whip, publishes alerts over MQTT 5, and serves a live page at /. On a signal
    it lets nobody new in, ends the open alerts, delivers what is left and exits within the grace period
    (server.shutdown_grace_ms); a second signal ends it at once.
    """
    config = load_config(config_file) if config_file else Config()
    config = with_tls(config, tls, tls_cert, tls_key)
    configure_logging(config.logging)
    for line in summary(config):
        click.echo(f"  {line}", err=True)
    use_embedded = embedded_broker and config.mqtt.host is None
    if use_embedded and is_loopback(broker_host) and not is_loopback(config.server.host):
        reach = "--broker-host 0.0.0.0 lets headsets reach it"
        click.echo(f"  warning: the broker listens on {broker_host} only; {reach}", err=True)
    for line in warnings(config):
        click.echo(f"  warning: {line}", err=True)
    daemon = Daemon(
        config,
        embedded_broker=use_embedded,
        broker_host=broker_host,
        broker_port=broker_port,
        broker_tls_port=broker_tls_port if config.server.secure else None,
    )
    run_in_loop(_serve(daemon, broker_host if use_embedded else None))


def run_in_loop(main: Coroutine[Any, Any, None]) -> None:
    """Run a coroutine in the fastest event loop there is."""
    try:
        uvloop = importlib.import_module("uvloop")
    except ImportError:  # not made for every platform; asyncio costs a fifth more and is otherwise alike
        asyncio.run(main)
    else:
        uvloop.run(main)


async def _serve(daemon: Daemon, broker_host: str | None) -> None:
    stop = stop_on_signals()
    async with daemon:
        server, port, certificate = daemon.config.server, daemon.http_port, daemon.tls.certificate
        for line in page_lines(server, port, certificate):
            click.echo(line, err=True)
        if (code := page_code(server, port, certificate)) is not None:
            show_code(code)
        scheme = "https" if server.secure else "http"
        click.echo(f"ready: {scheme}://{in_url(here(server.host))}:{port}/", err=True)
        click.echo(f"broker: {_broker_line(daemon, broker_host)}", err=True)
        for lack in daemon.switched_off:
            if lack.reason == NO_MODEL:  # the rest was seen before the start
                judges = (
                    len(asked_judges(daemon.config.escalate.judge)) if daemon.config.escalate.judge else 0
                )
                click.echo(f"warning: {off_line(lack, judges)}", err=True)
        failure = asyncio.create_task(daemon.failed())
        stopping = asyncio.create_task(stop.wait())
        done, pending = await asyncio.wait({failure, stopping}, return_when=asyncio.FIRST_COMPLETED)
        for task in pending:
            task.cancel()
        if failure in done:
            raise failure.result()


def _broker_line(daemon: Daemon, broker_host: str | None) -> str:
    """Where clients find the broker; one of our own that listens everywhere by its address on the network."""
    host, port = daemon.mqtt_address
    if broker_host in EVERYWHERE:
        host = next(iter(lan_addresses()), host)
    tls = daemon.mqtt_tls_port
    return f"{in_url(host)}:{port}" + ("" if tls is None else f", with TLS at {in_url(host)}:{tls}")


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
