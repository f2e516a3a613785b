"""What the daemon is meant to reach, beside what it reached. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.latency.analysis import CAPTURE_TO_HEADSET, VISIBLE_TO_HEADSET, StreamResult

CAPTURE_FACTOR = 1.3
CAPTURE_EXTRA_MS = 40.0
VISIBLE_PASSES = 3
VISIBLE_EXTRA_MS = 200.0
STATIC_RATIO = 1.25
MEMORY_GROWTH_MIB = 10.0
"""Allowed in the second half of a run. A leak of one 720p frame a second is 40 MiB in half a minute."""


@dataclass(frozen=True, slots=True)
class Target:
    """One limit, and whether it was kept. ``measured`` is None where nothing could be measured."""

    name: str
    how: str
    """How the limit comes about."""
    unit: str
    limit: float
    measured: float | None

    @property
    def met(self) -> bool:
        """Whether it was kept."""
        return self.measured is not None and self.measured <= self.limit


@dataclass(frozen=True, slots=True)
class StaticResult:
    """A standing picture: the daemon beside a receiver that only decodes."""

    daemon_cpu_s_per_stream_minute: float
    decode_only_cpu_s_per_stream_minute: float
    judged: int

    @property
    def ratio(self) -> float:
        """The daemon's processor time over the other's."""
        return self.daemon_cpu_s_per_stream_minute / self.decode_only_cpu_s_per_stream_minute


def stream_targets(stream: StreamResult, bare_pass_ms: float, fps: float) -> list[Target]:
    """The targets of the moving scene, stated for one 1280×720 stream at 30 frames a second."""
    capture, visible = stream.latency_ms[CAPTURE_TO_HEADSET], stream.latency_ms[VISIBLE_TO_HEADSET]
    interval_ms = 1000.0 / fps
    return [
        Target(
            "capture to headset, p95",
            f"{CAPTURE_FACTOR:g} × (pass {bare_pass_ms:.0f} + frame {interval_ms:.0f} "
            f"+ {CAPTURE_EXTRA_MS:g} ms)",
            "ms",
            CAPTURE_FACTOR * (bare_pass_ms + interval_ms + CAPTURE_EXTRA_MS),
            capture.p95 if capture else None,
        ),
        Target(
            "visible to headset, p95",
            f"{VISIBLE_PASSES} × pass {bare_pass_ms:.0f} + {VISIBLE_EXTRA_MS:g} ms",
            "ms",
            VISIBLE_PASSES * bare_pass_ms + VISIBLE_EXTRA_MS,
            visible.p95 if visible else None,
        ),
        Target(
            "memory growth, second half",
            f"flat: at most {MEMORY_GROWTH_MIB:g} MiB",
            "MiB",
            MEMORY_GROWTH_MIB,
            stream.memory.growth_second_half_mib,
        ),
    ]


def static_target(static: StaticResult) -> Target:
    """The target of the standing picture."""
    return Target(
        "static scene, CPU",
        f"{STATIC_RATIO:g} × receiving and decoding alone",
        "×",
        STATIC_RATIO,
        static.ratio,
    )
