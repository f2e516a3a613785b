"""The fast tier as a method: any frame's certain contradiction is a yes, one pass at a time."""

from __future__ import annotations

import asyncio
from threading import Lock
from time import sleep
from types import SimpleNamespace
from typing import Any, cast

import numpy as np

from arwarden.config import Config
from arwarden.core.findings import Finding, FindingKind, Findings, Severity
from arwarden.core.frame import ArrayPicture, Frame
from arwarden.core.tier import SceneContext
from arwarden.fast.tier import FastTier
from benchmarks.runs.calls import Given
from benchmarks.runs.fast import AskedFastTier
from benchmarks.runs.media import Shot


class FakeTier:
    """Finds what its pictures' brightness stands for."""

    def __init__(self, found: dict[int, Finding]) -> None:
        self._found = found
        self._busy = Lock()
        self.sessions: list[str] = []

    def analyse_now(self, frame: Frame, context: SceneContext) -> Findings:
        assert context.closely, "a still picture is looked at closely"
        assert self._busy.acquire(blocking=False), "two passes at a time"
        sleep(0.002)
        self.sessions.append(frame.session_id)
        self._busy.release()
        one = self._found.get(int(frame.picture.rgb()[0, 0, 0]))
        return Findings(() if one is None else (one,))

    def models_in_use(self) -> list[Any]:
        return [SimpleNamespace(sha256="abcdef0123456789")]


def shot(level: int) -> Shot:
    return Shot(ArrayPicture(np.full((8, 8, 3), level, dtype=np.uint8)), 0.0)


def asked(found: dict[int, Finding], *shown: list[int]) -> tuple[list[Given], FakeTier]:
    tier = FakeTier(found)

    async def run() -> list[Given]:
        fast = AskedFastTier(Config(), asyncio.Lock(), elements=True, tier=cast("FastTier", tier))
        return await asyncio.gather(*(fast.ask([shot(level) for level in levels]) for levels in shown))

    return asyncio.run(run()), tier


def contradiction(confidence: float, *, certain: bool = True) -> Finding:
    kind = FindingKind.CONTRADICTION
    return Finding(kind, "k", "origin", Severity.WARNING, "Two origins.", confidence, certain=certain)


def test_one_frame_of_several_is_enough() -> None:
    (given,), tier = asked({200: contradiction(0.9)}, [10, 200, 20])
    assert given.answer == {"verdict": "yes", "confidence": 0.9, "reason": "Two origins."}
    assert len(set(tier.sessions)) == 3, "no frame is taken for the next of another"


def test_doubts_are_told_as_confidence_and_are_no_verdict() -> None:
    found = {1: contradiction(0.9, certain=False), 2: contradiction(0.3)}
    (unsure, weak, none), _ = asked(found, [1], [2], [3])
    assert [one.answer["verdict"] for one in (unsure, weak, none)] == ["no", "no", "no"]
    assert [one.answer["confidence"] for one in (unsure, weak, none)] == [0.9, 0.3, 0.0]


def test_passes_do_not_overlap_and_are_timed() -> None:
    answers, _ = asked({}, *[[level] for level in range(6)])
    assert all(one.latency_ms >= 2.0 and one.answered for one in answers)


def test_other_settings_are_another_version() -> None:
    tier = cast("FastTier", FakeTier({}))
    versions = {
        AskedFastTier(config, asyncio.Lock(), elements=elements, tier=tier).version
        for config in (Config(), Config.model_validate({"alerts": {"min_confidence": 0.5}}))
        for elements in (True, False)
    }
    assert len(versions) == 4
    assert all(version.endswith("+abcdef01") for version in versions)
