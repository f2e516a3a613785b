"""A life cycle in virtual time with short words for what happens to it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from arwarden.config import AlertsConfig
from arwarden.core.clock import VirtualClock
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
from arwarden.core.frame import ArrayPicture, CaptureClock, Frame, TransportHealth
from arwarden.decide import AlertDraft, AlertLifecycle

SIGN_BOX = Box(0.1, 0.1, 0.2, 0.05)
LABEL_BOX = Box(0.6, 0.5, 0.2, 0.05)
PIXEL = np.zeros((1, 1, 3), np.uint8)
SAMPLE_MS = 250.0
LATENCY_MS = 120.0


def element(text: str, box: Box) -> Element:
    return Element(
        ElementType.TEXT, box, text, (Claim("price", "1"), Claim("origin", text.lower(), "cheese", span=text))
    )


NETHERLANDS = element("Made in the Netherlands", SIGN_BOX)
FRANCE = element("Made in France", LABEL_BOX)
ITALY = element("Made in Italy", LABEL_BOX)


def finding(
    key: str = "origin:france|netherlands",
    *,
    confidence: float = 0.8,
    severity: Severity = Severity.WARNING,
    kind: FindingKind = FindingKind.CONTRADICTION,
    elements: tuple[Element, ...] = (NETHERLANDS, FRANCE),
) -> Finding:
    return Finding(kind, key, "origin", severity, "Made in two countries", confidence, elements)


def blur(confidence: float = 0.9) -> Finding:
    return finding("quality:blur", confidence=confidence, kind=FindingKind.QUALITY, elements=())


class Script:
    """Times in results are relative to the start."""

    def __init__(self, **config: float) -> None:
        self.config = AlertsConfig().model_copy(update=config)
        self.counters = Counters()
        self.clock = VirtualClock()
        self.start_ms = self.clock.now_ms()
        ids = iter(range(10_000))
        self.life = AlertLifecycle(self.config, "quest", "s1", lambda: f"a{next(ids)}", self.counters)
        self.sequence = 0

    def frame(self, *, damaged: bool = False) -> Frame:
        self.sequence += 1
        now_ms = self.clock.now_ms()
        return Frame(
            session_id="s1",
            sequence=self.sequence,
            capture_ms=now_ms - LATENCY_MS,
            capture_clock=CaptureClock.SYNCED,
            arrival_ms=now_ms - LATENCY_MS + 20,
            picture=ArrayPicture(PIXEL),
            transport=TransportHealth(damaged=damaged),
        )

    def sample(
        self,
        *findings: Finding,
        elements: tuple[Element, ...] | None = None,
        after_ms: float = SAMPLE_MS,
        damaged: bool = False,
        tier: str = "fast",
    ) -> list[AlertDraft]:
        """One analysed sample ``after_ms`` after what was before; reads the findings' own elements."""
        self.clock.advance(after_ms)
        read = elements if elements is not None else tuple(e for f in findings for e in f.elements)
        answer = Findings(findings, read, stages_ms={"read": 90.0})
        return self.life.observe(answer, self.frame(damaged=damaged), tier, self.clock.now_ms())

    def raised(self, *findings: Finding) -> AlertDraft:
        """Samples until an alert is raised."""
        for _ in range(20):
            for draft in self.sample(*findings or (finding(),)):
                return draft
        msg = "nothing was raised"
        raise AssertionError(msg)

    def confirmed(self) -> AlertDraft:
        """Samples until an alert is raised and confirmed."""
        self.raised()
        for _ in range(20):
            for draft in self.sample(finding()):
                return draft
        msg = "nothing was confirmed"
        raise AssertionError(msg)

    def standing(self, after_ms: float = SAMPLE_MS, *, damaged: bool = False) -> list[AlertDraft]:
        """A frame in which nothing changed."""
        self.clock.advance(after_ms)
        return self.life.still_seen(self.clock.now_ms(), self.frame(damaged=damaged))

    def tick(self, after_ms: float = SAMPLE_MS, *, healthy: bool = True) -> list[AlertDraft]:
        self.clock.advance(after_ms)
        return self.life.tick(self.clock.now_ms(), transport_healthy=healthy)

    def since_start_ms(self) -> float:
        return self.clock.now_ms() - self.start_ms


def moved(elements: tuple[Element, ...], by_norm: float) -> tuple[Element, ...]:
    return tuple(replace(e, box=e.box._replace(x_norm=e.box.x_norm + by_norm)) for e in elements)
