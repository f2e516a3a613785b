"""``arwarden headset``: the simulated headset alone."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click

from arwarden.cli.run import run_in_loop, stop_on_signals
from arwarden.contract.messages import Alert, Health
from arwarden.contract.topics import DEFAULT_PREFIX
from arwarden.core.clock import SystemClock
from arwarden.core.frame import View
from arwarden.headset.drawn import DrawnObjects
from arwarden.headset.encoder import Codec
from arwarden.headset.feed import StreamFormat
from arwarden.headset.headset import Headset, HeadsetOptions, HeadsetState, HeadsetSummary, live_feed
from arwarden.headset.objects import AppObject, AppObjects
from arwarden.headset.overlay import Overlay
from arwarden.headset.pictures import PictureSize
from arwarden.headset.shown import Change, ShownAlert
from arwarden.headset.sources import open_source

_CHANGE_MARKS = {
    Change.SHOWN: "▲ shown  ",
    Change.UPDATED: "· updated",
    Change.ENDED: "▽ ended  ",
    Change.EXPIRED: "▽ expired",
    Change.REFUSED: "x refused",
}


@click.command("headset")
@click.option("--whip", "whip_url", required=True, help="The daemon's WHIP address, http://HOST:8080/whip.")
@click.option("--mqtt", "mqtt_url", help="The broker, mqtt://[USER:PASSWORD@]HOST:PORT or mqtts://… for TLS.")
@click.option(
    "--ca",
    "ca_file",
    type=click.Path(path_type=Path),
    help="PEM file to trust for https and mqtts: an authority's, or the daemon's own certificate.",
)
@click.option("--source", default="scene", show_default=True, help="FILE, folder, camera, camera:N or scene.")
@click.option(
    "--overlay", "overlays", multiple=True, metavar="TEXT@x,y,from,to", help="Draw a virtual panel."
)
@click.option(
    "--object", "objects", multiple=True, metavar="ID@x,y,w,h", help="Draw one of the app's own objects."
)
@click.option("--device", default="headset", show_default=True, help="Device id; the token decides if given.")
@click.option("--token", envvar="ARWARDEN_TOKEN", help="Bearer token; better in ARWARDEN_TOKEN.")
@click.option(
    "--view", type=click.Choice([view.value for view in View]), default="composited", show_default=True
)
@click.option("--size", default="1280x720", show_default=True, help="Size of the stream, WIDTHxHEIGHT.")
@click.option("--fps", type=click.FloatRange(1, 60), default=30.0, show_default=True)
@click.option(
    "--codec", type=click.Choice([codec.value for codec in Codec]), default="vp8", show_default=True
)
@click.option("--bitrate-kbps", type=click.IntRange(100, 20_000), default=2500, show_default=True)
@click.option("--seconds", type=click.FloatRange(min=0.1), help="Stop after this time; for ever without.")
@click.option("--loop/--once", default=True, help="Start the source again when it ends, or stop.")
@click.option(
    "--topic-prefix", default=DEFAULT_PREFIX, show_default=True, help="As in the daemon's mqtt section."
)
def command(
    *,
    whip_url: str,
    mqtt_url: str | None,
    ca_file: Path | None,
    source: str,
    overlays: tuple[str, ...],
    objects: tuple[str, ...],
    device: str,
    token: str | None,
    view: str,
    size: str,
    fps: float,
    codec: str,
    bitrate_kbps: int,
    seconds: float | None,
    loop: bool,
    topic_prefix: str,
) -> None:
    """Stream pictures as a headset would, and show and acknowledge what comes back.

    SOURCE is a video file, a picture, a folder of pictures, a camera or a generated scene. --overlay draws
    further virtual panels into it, as another app would: "Made in France@0.55,0.2,2,-" appears with its top
    left at 55 % / 20 % of the view two seconds after the start and stays. --object draws an object of the
    app's own, which is reported to the daemon and moved or scaled where it asks for that (adjust.enabled).
    """
    options = HeadsetOptions(
        whip_url=whip_url,
        mqtt_url=mqtt_url,
        device_id=device,
        token=token,
        view=View(view),
        topic_prefix=topic_prefix,
        ca_file=ca_file,
    )
    panels = [Overlay.parse(spec) for spec in overlays]
    stream = StreamFormat(PictureSize.parse(size), fps, Codec(codec), bitrate_kbps)
    drawn = AppObjects(tuple(AppObject.parse(spec) for spec in objects)) if objects else None

    async def stream_until_done() -> None:
        pictures = open_source(source, stream.size, loop=loop)
        shown = pictures if drawn is None else DrawnObjects(pictures, drawn)
        headset = Headset(
            options,
            live_feed(shown, stream, SystemClock(), panels),
            objects=drawn,
            on_alert=_show,
            on_health=_HealthLines().show,
            on_state=_say_state,
        )
        stop = asyncio.ensure_future(stop_on_signals().wait())
        run = asyncio.ensure_future(headset.run(seconds))
        await asyncio.wait({stop, run}, return_when=asyncio.FIRST_COMPLETED)
        headset.stop()
        stop.cancel()
        _say_summary(await run)

    run_in_loop(stream_until_done())


def alert_line(shown: ShownAlert) -> str:
    """One line about a change of what the wearer sees."""
    alert = shown.alert
    parts = [_CHANGE_MARKS[shown.change], f"[{alert.severity}]", alert.message]
    if shown.capture_to_shown_ms is not None:
        parts.append(f"— {shown.capture_to_shown_ms:.0f} ms after capture{', late' if alert.late else ''}")
    elif shown.reason:
        parts.append(f"— {shown.reason}")
    return " ".join([*parts, *_opinion(alert)])


def _opinion(alert: Alert) -> list[str]:
    """What a second opinion has to do with it; nothing where nobody was asked."""
    judge = alert.judge
    if alert.confirmation == "pending":
        return ["— second opinion asked for"]
    if judge is None:
        return []
    reason = f": {judge.reason or judge.problem}" if judge.reason or judge.problem else ""
    verdict = {"confirmed": "confirms", "rejected": "disagrees"}.get(alert.confirmation, "gives no verdict")
    return [f"— {judge.name} {verdict}{reason}"]


def _show(shown: ShownAlert) -> None:
    click.echo(alert_line(shown))


class _HealthLines:
    """Says how the monitoring is doing whenever that changes."""

    def __init__(self) -> None:
        self._last: tuple[str, tuple[str, ...]] | None = None

    def show(self, health: Health) -> None:
        state = (health.state.value, health.reasons)
        if state != self._last:
            self._last = state
            click.echo("  monitor: " + ", ".join((health.state.value, *health.reasons)), err=True)


def _say_state(state: HeadsetState) -> None:
    reason = f" ({state.stream_reason})" if state.stream_reason else ""
    broker = "connected" if state.broker_connected else f"not connected {state.broker_reason}".strip()
    daemon = state.daemon or "not heard of"
    click.echo(f"  stream {state.stream.value}{reason}; broker {broker}; daemon {daemon}", err=True)


def _say_summary(summary: HeadsetSummary) -> None:
    click.echo(
        f"{summary.seconds:.1f} s, {summary.frames_sent} frames sent, {len(summary.raised)} alert(s) shown",
        err=True,
    )
