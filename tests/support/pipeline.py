"""A session with everything around it replaced by something that takes notes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np

from arwarden.adjust.scene import SceneBook
from arwarden.config import Config
from arwarden.contract.messages import SessionState
from arwarden.contract.topics import Topics
from arwarden.core.counters import Counters
from arwarden.core.findings import (
    Box,
    Claim,
    Element,
    ElementType,
    Finding,
    FindingKind,
    Findings,
    Severity,
)
from arwarden.core.frame import ArrayPicture, ByteImage, CaptureClock, Frame, TransportHealth, View
from arwarden.core.tier import SceneContext, Tier
from arwarden.corrections import Corrections, SceneNames
from arwarden.escalate.judge import Judge
from arwarden.escalate.tier import SecondOpinions
from arwarden.observe.events import EventStream
from arwarden.observe.metrics import Metrics
from arwarden.publish.outbox import Outgoing
from arwarden.publish.publisher import Publisher
from arwarden.session import Probe, Session, Surroundings
from tests.support.judges import at_once
from tests.support.virtual_loop import LoopClock

FPS = 30.0
ARRIVES_AFTER_MS = 20.0
ROOM: ByteImage = np.random.default_rng(5).integers(60, 200, (90, 160, 3), np.uint8)


def element(text: str, box: Box) -> Element:
    return Element(ElementType.TEXT, box, text, (Claim("origin", text.lower(), span=text),))


FRANCE = element("Made in France", Box(0.1, 0.1, 0.3, 0.1))
NETHERLANDS = element("Made in the Netherlands", Box(0.5, 0.6, 0.4, 0.1))


def contradiction(
    confidence: float = 0.9, key: str = "origin", severity: Severity = Severity.WARNING
) -> Finding:
    return Finding(
        FindingKind.CONTRADICTION,
        key,
        "origin",
        severity,
        "“Made in France” against “Made in the Netherlands”",
        confidence,
        (FRANCE, NETHERLANDS),
    )


CONTRADICTORY = Findings((contradiction(),), (FRANCE, NETHERLANDS), stages_ms={"ocr": 90.0})
CONSISTENT = Findings((), (FRANCE,), stages_ms={"ocr": 90.0})


class ScriptedTier:
    """Answers what it is told to, after as long as it is told to."""

    name = "fast"

    def __init__(self, answer: Findings = CONSISTENT, cost_ms: float = 100.0) -> None:
        self.answer: Findings | Callable[[Frame, SceneContext], Findings] = answer
        self.cost_ms = cost_ms
        self.error: Exception | None = None
        self.frames: list[Frame] = []
        self.contexts: list[SceneContext] = []
        self.deadlines_ms: list[float] = []
        self.closed = False

    async def analyse(self, frames: Sequence[Frame], context: SceneContext, deadline_ms: float) -> Findings:
        frame = frames[-1]
        self.frames.append(frame)
        self.contexts.append(context)
        self.deadlines_ms.append(deadline_ms)
        await asyncio.sleep(self.cost_ms / 1000.0)
        if self.error is not None:
            raise self.error
        return self.answer(frame, context) if callable(self.answer) else self.answer

    async def close(self) -> None:
        self.closed = True


@dataclass(frozen=True)
class Sent:
    item: Outgoing
    at_ms: float
    json: dict[str, Any]


class Outlet:
    """In the publisher's place: takes a message and renders it when a quick broker would take it."""

    delay_ms = 3.0

    def __init__(self, clock: LoopClock) -> None:
        self._clock = clock
        self.sent: list[Sent] = []
        self.withheld: list[Outgoing] = []

    def submit(self, item: Outgoing) -> None:
        at_ms = self._clock.now_ms() + self.delay_ms
        payload = item.render(at_ms)
        if payload is None:
            self.withheld.append(item)
        else:
            self.sent.append(Sent(item, at_ms, json.loads(payload)))

    def on(self, leaf: str, device_id: str = "quest") -> list[Sent]:
        return [sent for sent in self.sent if sent.item.topic == f"arwarden/v1/{device_id}/{leaf}"]

    def alerts(self, device_id: str = "quest") -> list[dict[str, Any]]:
        return [sent.json for sent in self.on("alerts", device_id)]

    def states(self) -> list[str]:
        return [alert["state"] for alert in self.alerts()]


def moving(number: int) -> ByteImage:
    """A picture that has moved on since the one before."""
    return np.roll(ROOM, 3 * number, axis=1)


def standing(_number: int) -> ByteImage:
    return ROOM


@dataclass
class Bench:
    """One daemon's surroundings, in virtual time. ``open`` makes sessions, ``stream`` feeds one."""

    config: Config = field(default_factory=Config)
    tier: ScriptedTier = field(default_factory=ScriptedTier)
    probe: Probe | None = None
    judge: Judge | None = None

    def __post_init__(self) -> None:
        self.clock = LoopClock()
        self.counters = Counters()
        self.outlet = Outlet(self.clock)
        self.events = EventStream(self.counters)
        self.metrics = Metrics(self.counters)
        self.current: dict[str, str] = {}
        self.sequence = 0
        self._ids = iter(range(1, 1_000_000))
        self.scenes = SceneBook(self.counters)
        opinions = None if self.judge is None else self._opinions(self.judge)
        self.around = Surroundings(
            config=self.config,
            clock=self.clock,
            epoch="epoch",
            topics=Topics(),
            tier=cast("Tier", self.tier),
            turns=asyncio.Semaphore(self.config.fast.workers),
            publisher=cast("Publisher", self.outlet),
            events=self.events,
            metrics=self.metrics,
            counters=self.counters,
            current=self.current,
            probe=self.probe,
            opinions=opinions,
            names=SceneNames(self.scenes, self.config.adjust),
            corrections=None if opinions is None else self._corrections(opinions),
        )

    def _corrections(self, opinions: SecondOpinions) -> Corrections | None:
        if not self.config.adjust.enabled:
            return None
        return Corrections(
            self.config.adjust,
            self.scenes,
            opinions,
            "epoch",
            Topics(),
            self.clock,
            self.outlet.submit,
            self.events,
            self.metrics,
            self.counters,
        )

    def _opinions(self, judge: Judge) -> SecondOpinions:
        return SecondOpinions(self.config.escalate, judge, self.clock, self.counters, worker=at_once)

    def open(self, session_id: str = "s1", device_id: str = "quest", view: View = View.COMPOSITED) -> Session:
        session = Session(session_id, device_id, view, lambda: f"a{next(self._ids)}", self.around)
        self.current[device_id] = session_id
        session.on_state(SessionState.OK, (), self.clock.now_ms())
        return session

    def frame(self, rgb: ByteImage, *, damaged: bool = False) -> Frame:
        self.sequence += 1
        now_ms = self.clock.now_ms()
        return Frame(
            "s1",
            self.sequence,
            now_ms - ARRIVES_AFTER_MS,
            CaptureClock.SYNCED,
            now_ms,
            ArrayPicture(rgb),
            TransportHealth(damaged=damaged, loss_ratio=0.5 if damaged else 0.0),
        )

    async def stream(
        self,
        session: Session,
        seconds: float,
        picture: Callable[[int], ByteImage] = moving,
        *,
        damaged: bool = False,
    ) -> None:
        for number in range(round(seconds * FPS)):
            session.on_frame(self.frame(picture(number), damaged=damaged))
            await asyncio.sleep(1 / FPS)
