"""``python -m benchmarks latency``."""

from __future__ import annotations

import asyncio
import json
import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import click
from rich.console import Console

from arwarden.cli.run import run_in_loop
from arwarden.config import Config
from arwarden.headset.encoder import Codec
from arwarden.headset.feed import StreamFormat
from arwarden.headset.pictures import DEFAULT_SIZE, PictureSize
from benchmarks.broker import BrokerAddress, running_broker
from benchmarks.latency.analysis import NaiveOutcome, StreamResult, naive_outcome, stream_result
from benchmarks.latency.bare import BarePass
from benchmarks.latency.clip import Clip
from benchmarks.latency.phases import Phase, Receiver, run_phase
from benchmarks.latency.report import WIDTH, Result, Settings, print_report
from benchmarks.latency.targets import StaticResult
from benchmarks.machine import Machine, load_average
from benchmarks.statistics import summary

PARTS = ("stream", "static", "naive")
FPS = 30.0
LONGEST_WARM_UP_S = 6.0
"""By then the headset's clock is known: aiortc sends a report about once a second, and four are needed."""
LONGEST_NAIVE_S = 12.0
"""The naive design keeps every frame that waits: 40 MB a second at 720p."""
STILL_CLIP_S = 10.0
SHORTEST_STATIC_S = 20.0

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Plan:
    """What to measure."""

    stream: StreamFormat
    sessions: int
    seconds: float
    parts: tuple[str, ...] = PARTS

    @property
    def warm_up_s(self) -> float:
        """Streamed before the measuring begins."""
        return min(LONGEST_WARM_UP_S, self.seconds)

    def phase(self, name: str, receiver: Receiver, clip: Clip, longest_s: float) -> Phase:
        """A phase of this plan, as long as asked for but at most ``longest_s``."""
        seconds = min(longest_s, self.seconds)
        return Phase(name, receiver, clip, self.sessions, min(self.warm_up_s, seconds), seconds)


@click.command("latency")
@click.option("--sessions", type=click.IntRange(1, 16), default=1, show_default=True, help="Headsets.")
@click.option("--size", default="x".join(map(str, DEFAULT_SIZE)), show_default=True, help="Of the picture.")
@click.option(
    "--codec", type=click.Choice([codec.value for codec in Codec]), default=Codec.VP8.value, show_default=True
)
@click.option(
    "--seconds",
    type=click.FloatRange(min=1.0),
    default=60.0,
    show_default=True,
    help="Measured of the moving scene. The other parts take less.",
)
@click.option(
    "--parts",
    default=",".join(PARTS),
    show_default=True,
    help="What to run: the moving scene, the static scene, the naive design.",
)
@click.option("--json", "json_file", type=click.Path(path_type=Path), help="Write the result to a file.")
def command(
    *, sessions: int, size: str, codec: str, seconds: float, parts: str, json_file: Path | None
) -> None:
    """Measure how long a contradiction takes from the picture to the headset, and what that costs.

    Streams a generated video with a time code in it through real WebRTC on this machine, each headset and
    the daemon in a process of its own. Targets are printed beside what was measured; missing one is no
    error. What the figures mean is in docs/benchmarks.md.
    """
    chosen = tuple(parts.split(","))
    unknown = [part for part in chosen if part not in PARTS]
    if unknown:
        hint = f"there is no part {unknown[0]!r}; choose from {', '.join(PARTS)}"
        raise click.BadParameter(hint, param_hint="--parts")
    stream = StreamFormat(size=PictureSize.parse(size), fps=FPS, codec=Codec(codec))
    plan = Plan(stream, sessions, seconds, chosen)
    results: list[Result] = []

    async def run() -> None:
        results.append(await measure(plan, lambda line: click.echo(line, err=True)))

    run_in_loop(run())
    result = results[0]
    print_report(result, Console(file=sys.stdout, width=WIDTH, highlight=False))
    if json_file is not None:
        json_file.write_text(json.dumps(result.to_json(), indent=2) + "\n", encoding="utf-8")


async def measure(plan: Plan, say: Say) -> Result:
    """Run every part of the plan, one after the other. Raises ``BenchmarkFailed``."""
    machine = Machine.now()
    say("rendering the clip")
    clip = await asyncio.to_thread(Clip.moving, plan.seconds, plan.stream)
    say("measuring the bare pass")
    bare = await asyncio.to_thread(BarePass.on, clip)
    try:
        passes_ms = await asyncio.to_thread(bare.measure)
        async with running_broker() as broker:
            stream = await _stream(plan, clip, broker, say) if "stream" in plan.parts else None
            # Again, so that a machine that became busier meanwhile is not held against the daemon.
            passes_ms += await asyncio.to_thread(bare.measure)
            static = await _static(plan, broker, say) if "static" in plan.parts else None
            naive = await _naive(plan, clip, broker, say) if "naive" in plan.parts else None
    finally:
        bare.close()
    bare_pass_ms = summary(passes_ms)
    if bare_pass_ms is None:
        msg = "the clip has no picture"
        raise ValueError(msg)
    size = "x".join(map(str, plan.stream.size))
    settings = Settings(
        plan.sessions, size, plan.stream.fps, plan.stream.codec.value, plan.seconds, broker.name
    )
    return Result(machine, load_average(), settings, bare_pass_ms, stream, static, naive)


async def _stream(plan: Plan, clip: Clip, broker: BrokerAddress, say: Say) -> StreamResult:
    log = await run_phase(plan.phase("moving scene", Receiver.DAEMON, clip, plan.seconds), broker, say)
    return stream_result(log, clip)


async def _static(plan: Plan, broker: BrokerAddress, say: Say) -> StaticResult:
    still = await asyncio.to_thread(Clip.still, min(STILL_CLIP_S, plan.seconds), plan.stream)
    # At the same time: what else runs on this machine then weighs on both alike.
    alone, daemon = await asyncio.gather(
        *(
            run_phase(plan.phase(f"static scene, {receiver}", receiver, still, static_s()), broker, say)
            for receiver in (Receiver.DECODE_ONLY, Receiver.DAEMON)
        )
    )
    return StaticResult(
        daemon.cpu_s_per_stream_minute, alone.cpu_s_per_stream_minute, daemon.counted("sampling.taken")
    )


def static_s() -> float:
    """How long a static scene is measured: whole periods in which it is looked at once, 20 s or more."""
    refresh_s = Config().sampling.refresh_ms / 1000.0
    return refresh_s * math.ceil(SHORTEST_STATIC_S / refresh_s)


async def _naive(plan: Plan, clip: Clip, broker: BrokerAddress, say: Say) -> NaiveOutcome:
    phase = Phase(
        "naive design", Receiver.NAIVE, clip, plan.sessions, 0.0, min(LONGEST_NAIVE_S, plan.seconds)
    )
    return naive_outcome(await run_phase(phase, broker, say), clip)
