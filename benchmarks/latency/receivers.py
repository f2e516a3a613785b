"""The receivers that are measured, each alone in its process: the daemon, and one that only decodes."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field

from aiohttp import web

from arwarden.config import Config
from arwarden.contract.messages import SessionState
from arwarden.core.clock import SystemClock
from arwarden.core.counters import Counters
from arwarden.core.findings import Findings
from arwarden.core.frame import CaptureClock, Frame, View
from arwarden.daemon import Daemon
from arwarden.headset import timecode
from arwarden.ingest.auth import Authenticator
from arwarden.ingest.problems import problem_middleware
from arwarden.ingest.runner import http_runner
from arwarden.ingest.sessions import SessionManager
from arwarden.ingest.whip import whip_routes
from benchmarks.latency.children import MARK, STOP, Orders
from benchmarks.latency.records import JudgedFrame, Mark, ReceiverLog, ReceiverReady, anchor_of, mono_ms

CLOSE_TIMEOUT_S = 5.0


@dataclass(frozen=True, slots=True)
class ReceiverSpec:
    """What a receiver connects to."""

    mqtt_host: str
    mqtt_port: int
    sessions: int

    def config(self) -> Config:
        """The shipped defaults, on a free port and with the benchmark's broker."""
        return Config.model_validate(
            {
                "server": {"port": 0},
                "ingest": {"max_sessions": max(4, self.sessions)},
                "mqtt": {"host": self.mqtt_host, "port": self.mqtt_port},
                "logging": {"level": "warning"},
            }
        )


@dataclass(slots=True)
class _Judged:
    """Notes on the frames that the daemon judged."""

    clock: SystemClock
    frames: list[JudgedFrame] = field(default_factory=list)

    def on_judged(self, frame: Frame, findings: Findings) -> None:
        self.frames.append(
            JudgedFrame(
                session_id=frame.session_id,
                code=timecode.read(frame.picture.luma()),
                captured_daemon_ms=frame.capture_ms,
                synced=frame.capture_clock is CaptureClock.SYNCED,
                arrival_daemon_ms=frame.arrival_ms,
                judged_daemon_ms=self.clock.now_ms(),
                stages_ms=dict(findings.stages_ms),
            )
        )


async def daemon(spec: ReceiverSpec, orders: Orders) -> None:
    """The daemon as ``arwarden run`` starts it."""
    clock = SystemClock()
    judged = _Judged(clock)
    async with Daemon(spec.config(), clock=clock, probe=judged.on_judged) as running:
        lag = "arwarden_loop_lag_p95_seconds"

        def mark() -> Mark:
            lag_s = running.metrics.registry.get_sample_value(lag)
            return Mark(mono_ms(), running.counters.snapshot(), None if lag_s is None else lag_s * 1000.0)

        orders.answer(ReceiverReady(f"http://127.0.0.1:{running.http_port}/whip", anchor_of(clock)))
        await serve(orders, mark)
    orders.answer(ReceiverLog(tuple(judged.frames)))


async def decode_only(spec: ReceiverSpec, orders: Orders) -> None:
    """The daemon's own ingest with nothing behind it: what receiving and decoding alone cost."""
    clock, counters, config = SystemClock(), Counters(), spec.config()
    manager = SessionManager(config.ingest, clock, lambda _session, _device, _view: _Nobody(), counters)
    application = web.Application(middlewares=[problem_middleware])
    application.add_routes(whip_routes(manager, Authenticator(config.ingest), config, counters))
    async with listening(application, counters) as port:
        orders.answer(ReceiverReady(f"http://127.0.0.1:{port}/whip", anchor_of(clock)))
        await serve(orders, lambda: Mark(mono_ms(), counters.snapshot()))
        await manager.close_all(CLOSE_TIMEOUT_S)
    orders.answer(ReceiverLog())


async def serve(orders: Orders, mark: Callable[[], Mark]) -> None:
    """Answer orders until told to stop."""
    while (order := await orders.next()) != STOP:
        if order == MARK:
            orders.answer(mark())


@contextlib.asynccontextmanager
async def listening(application: web.Application, counters: Counters) -> AsyncIterator[int]:
    """Serve an application on a free port of this machine."""
    runner = http_runner(application, counters, CLOSE_TIMEOUT_S)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        yield int(runner.addresses[0][1])
    finally:
        await runner.cleanup()


class _Nobody:
    """A stream handler that lets every frame go."""

    def on_frame(self, frame: Frame) -> None:
        """Let it go."""

    def on_state(self, state: SessionState, reasons: tuple[str, ...], now_ms: float) -> None:
        """Nobody asks."""

    def on_view(self, view: View) -> None:
        """Nobody asks."""

    def on_clock(self, offset_ms: float | None) -> None:
        """Nobody asks."""

    async def close(self, reason: str) -> None:
        """Nothing is held."""
