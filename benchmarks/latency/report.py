"""The result as tables for people and as JSON for programs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.latency.analysis import (
    CAPTURE_TO_HEADSET,
    STAGES,
    TOTALS,
    NaiveOutcome,
    StreamResult,
)
from benchmarks.latency.targets import StaticResult, Target, static_target, stream_targets
from benchmarks.machine import Machine
from benchmarks.statistics import Summary

WIDTH = 100


@dataclass(frozen=True, slots=True)
class Settings:
    """What was asked for."""

    sessions: int
    size: str
    fps: float
    codec: str
    seconds: float
    broker: str


@dataclass(frozen=True, slots=True)
class Result:
    """Everything that one run measured. Parts that were left out are None."""

    machine: Machine
    load_average_end: float
    settings: Settings
    bare_pass_ms: Summary
    stream: StreamResult | None
    static: StaticResult | None
    naive: NaiveOutcome | None

    @property
    def naive_ratio(self) -> float | None:
        """How many times older the naive design's results are at the headset (p95)."""
        if self.naive is None or self.naive.age_ms is None or self.stream is None:
            return None
        ours = self.stream.latency_ms[CAPTURE_TO_HEADSET]
        return None if ours is None else self.naive.age_ms.p95 / ours.p95

    def targets(self) -> list[Target]:
        """The targets of the parts that were run."""
        found = []
        if self.stream is not None:
            found += stream_targets(self.stream, self.bare_pass_ms.p50, self.settings.fps)
        if self.static is not None:
            found.append(static_target(self.static))
        return found

    def to_json(self) -> dict[str, Any]:
        """What ``--json`` writes."""
        static = self.static
        return {
            **asdict(self),
            "static": None if static is None else {**asdict(static), "ratio": static.ratio},
            "naive_ratio": self.naive_ratio,
            "targets": [{**asdict(target), "met": target.met} for target in self.targets()],
        }


def print_report(result: Result, console: Console) -> None:
    """Everything for a person to read."""
    machine, settings = result.machine, result.settings
    console.print(
        f"{settings.sessions} × {settings.size} at {settings.fps:g} frames/s, {settings.codec}, "
        f"{settings.seconds:g} s; broker {settings.broker}; {machine.cores} × {machine.cpu}, "
        f"Python {machine.python}"
    )
    console.print(
        f"load average {machine.load_average:.1f} at the start, {result.load_average_end:.1f} at the end"
    )
    if max(machine.load_average, result.load_average_end) > machine.cores:
        console.print("others used this machine too: every time here is an upper bound")
    bare = result.bare_pass_ms
    console.print(
        f"one bare pass of the fast tier: median {bare.p50:.0f} ms, p95 {bare.p95:.0f} ms ({bare.count})"
    )
    if result.stream is not None:
        _print_stream(result.stream, console)
    if result.static is not None:
        _print_static(result.static, console)
    if result.naive is not None:
        _print_naive(result.naive, result.naive_ratio, console)
    console.print(_target_table(result.targets()))


def _print_stream(stream: StreamResult, console: Console) -> None:
    console.print(_latency_table(stream.latency_ms))
    events, frames, memory = stream.events, stream.frames, stream.memory
    console.print(f"contradictions: {events.visible} visible, {events.alerted} alerted")
    if events.missed:
        console.print(f"  missed: {', '.join(events.missed)}")
    for texts in events.false_alerts:
        console.print(f"  false alert: {texts}")
    dropped = ", ".join(f"{count} {name}" for name, count in frames.dropped.items() if count)
    console.print(
        f"frames: {frames.sent} sent, {frames.received} received, {frames.judged} analysed; "
        f"let go: {dropped or 'none'}"
    )
    console.print(f"daemon's CPU: {stream.cpu_s_per_stream_minute:.1f} s per stream-minute")
    console.print(
        f"daemon's memory: {memory.start_mib:.0f} MiB at the start, {memory.end_mib:.0f} at the end, "
        f"{memory.highest_mib:.0f} at most; {memory.growth_second_half_mib:+.1f} in the second half"
    )
    error = stream.clock_error_ms
    if error is not None:
        console.print(
            f"clock error: p50 {error.p50:.1f} ms, p95 {error.p95:.1f} ms, worst {error.worst:.1f} ms; "
            f"{stream.unsynced_frames} frames judged without the headset's clock"
        )
    if stream.loop_lag_p95_ms is not None:
        console.print(f"event loop lag: p95 {stream.loop_lag_p95_ms:.1f} ms")


def _print_static(static: StaticResult, console: Console) -> None:
    console.print(
        f"static scene: {static.daemon_cpu_s_per_stream_minute:.1f} s of CPU per stream-minute, "
        f"{static.judged} frames analysed; "
        f"decoding alone {static.decode_only_cpu_s_per_stream_minute:.1f} s; "
        f"ratio {static.ratio:.2f}"
    )


def _print_naive(naive: NaiveOutcome, ratio: float | None, console: Console) -> None:
    if naive.age_ms is None:
        console.print(f"naive design: no result reached the headset within {naive.seconds:.0f} s")
        return
    age = naive.age_ms
    times = "" if ratio is None else f"; p95 is {ratio:.0f} times arwarden's, and grows with every second"
    console.print(
        f"naive design, after {naive.seconds:.0f} s: results {age.p50:.0f} ms old (p50), "
        f"{age.p95:.0f} ms (p95), "
        f"{age.worst:.0f} ms (worst), {naive.memory.end_mib:.0f} MiB{times}"
    )


def _latency_table(latency_ms: Mapping[str, Summary | None]) -> Table:
    table = Table(title="latency, ms", title_justify="left")
    table.add_column("from … to")
    for name in ("count", "p50", "p95", "p99", "worst"):
        table.add_column(name, justify="right")
    for stage in (*STAGES, *TOTALS):
        if stage == TOTALS[0]:
            table.add_section()
        found = latency_ms[stage]
        if found is None:
            table.add_row(stage, "0", "–", "–", "–", "–")
            continue
        times = (f"{value:.1f}" for value in (found.p50, found.p95, found.p99, found.worst))
        table.add_row(stage, str(found.count), *times)
    return table


def _target_table(targets: list[Target]) -> Table:
    table = Table(title="targets, stated for 1 × 1280x720 at 30 frames/s on 2 cores", title_justify="left")
    table.add_column("what")
    table.add_column("limit", justify="right")
    table.add_column("measured", justify="right")
    table.add_column("")
    table.add_column("how the limit comes about")
    for target in targets:
        measured = "–" if target.measured is None else f"{target.measured:.4g} {target.unit}"
        verdict = "met" if target.met else "missed"
        table.add_row(target.name, f"{target.limit:.4g} {target.unit}", measured, verdict, target.how)
    return table
