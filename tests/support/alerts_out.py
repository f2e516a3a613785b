"""Alerts and a publisher, as the wire tests use them."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

from arwarden.config import MqttConfig
from arwarden.contract.messages import Ack, Alert, AlertState, ElementMessage
from arwarden.core.clock import SystemClock
from arwarden.core.counters import Counters
from arwarden.core.findings import Severity
from arwarden.publish.outbox import Outgoing
from arwarden.publish.publisher import Publisher

STATUS = "arwarden/v1/daemon/status"
ALERTS = "arwarden/v1/quest/alerts"
ACKS = "arwarden/v1/quest/acks"


@dataclass
class Daemon:
    """A publisher with what a daemon keeps around it."""

    publisher: Publisher
    clock: SystemClock
    counters: Counters
    epoch: str
    acks: list[tuple[str, Ack]] = field(default_factory=list)

    def submit(self, alert_id: str, revision: int = 1, **options: Any) -> None:
        """Submit an alert captured now; ``options`` are those of ``alert``."""
        self.publisher.submit(alert(self.clock.now_ms(), alert_id, revision, epoch=self.epoch, **options))


def make_daemon(config: MqttConfig, epoch: str = "epoch-1") -> Daemon:
    clock, counters = SystemClock(), Counters()
    acks: list[tuple[str, Ack]] = []
    publisher = Publisher(
        config,
        clock,
        epoch=epoch,
        version="0.1.0",
        on_ack=lambda device, ack: acks.append((device, ack)),
        counters=counters,
        rng=random.Random(7),  # noqa: S311 - jitter
    )
    return Daemon(publisher, clock, counters, epoch, acks)


@contextlib.asynccontextmanager
async def running(config: MqttConfig, epoch: str = "epoch-1") -> AsyncIterator[Daemon]:
    """A daemon's publisher at work, stopped properly at the end."""
    daemon = make_daemon(config, epoch)
    task = asyncio.create_task(daemon.publisher.run())
    try:
        yield daemon
    finally:
        await daemon.publisher.stop(1000.0)
        await asyncio.wait_for(task, 10)


def alert(
    now_ms: float,
    alert_id: str,
    revision: int = 1,
    *,
    epoch: str = "epoch-1",
    severity: Severity = Severity.WARNING,
    state: AlertState = AlertState.RAISED,
    useful_ms: float = 3000.0,
    message: str = "Two labels name different places of origin.",
    device_id: str = "quest",
) -> Outgoing:
    """An alert captured now, ready for the outbox."""

    def render(published_ms: float) -> bytes:
        age_ms = max(0.0, published_ms - now_ms)
        return (
            Alert(
                epoch=epoch,
                published_ms=published_ms,
                alert_id=alert_id,
                revision=revision,
                state=state,
                device_id=device_id,
                session_id="session",
                kind="contradiction",
                attribute="origin",
                severity=severity.value,
                message=message,
                elements=(ElementMessage(type="text", text="Made in France", box=(0.1, 0.1, 0.2, 0.1)),),
                confidence=0.9,
                tier="fast",
                first_captured_ms=now_ms,
                captured_ms=now_ms,
                capture_clock="arrival",
                expires_ms=now_ms + useful_ms,
                budget_ms=500.0,
                age_ms=age_ms,
                late=age_ms > 500.0,
                stages_ms={"ocr": 80.0},
            )
            .model_dump_json()
            .encode()
        )

    return Outgoing(
        topic=f"arwarden/v1/{device_id}/alerts",
        key=alert_id,
        rank=severity.rank,
        expires_ms=now_ms + useful_ms,
        qos=1,
        retain=False,
        render=render,
        ends=state in {AlertState.CLEARED, AlertState.RETRACTED},
    )
