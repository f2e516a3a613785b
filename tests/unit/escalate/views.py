"""Views, elements and looks for tests of when a judge is asked and what follows."""

from __future__ import annotations

import numpy as np

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
from arwarden.core.frame import ArrayPicture, ByteImage, CaptureClock, Frame
from arwarden.escalate.policy import Look
from arwarden.escalate.scenes import sight_of

CLAIM = Claim("origin", "x")


def room(seed: int = 1, width: int = 320, height: int = 180) -> ByteImage:
    """Smooth structure, as rooms have: noise alone would be another scene in every pixel."""
    coarse = np.random.default_rng(seed).integers(0, 256, (9, 16, 3), np.uint8)
    return np.ascontiguousarray(np.kron(coarse, np.ones((height // 9, width // 16, 1), np.uint8)))


def text(words: str, left: float = 0.1, top: float = 0.1, *, claims: bool = True) -> Element:
    return Element(ElementType.TEXT, Box(left, top, 0.3, 0.1), words, (CLAIM,) if claims else ())


FRANCE = text("Made in France")
ITALY = text("Made in Italy", 0.6, 0.5)


def found(
    key: str = "origin",
    *,
    confidence: float = 0.8,
    certain: bool = True,
    elements: tuple[Element, ...] = (FRANCE, ITALY),
    kind: FindingKind = FindingKind.CONTRADICTION,
) -> Finding:
    return Finding(kind, key, "origin", Severity.WARNING, "they differ", confidence, elements, certain)


def frame(rgb: ByteImage | None = None, at_ms: float = 0.0) -> Frame:
    picture = ArrayPicture(room() if rgb is None else rgb)
    return Frame("s", 1, at_ms, CaptureClock.SYNCED, at_ms, picture)


def look(
    *findings: Finding,
    elements: tuple[Element, ...] = (FRANCE, ITALY),
    doubted: tuple[str, ...] = (),
    rgb: ByteImage | None = None,
) -> Look:
    seen = Findings(findings, elements)
    return Look(sight_of(frame(rgb), seen), seen, doubted)
