"""The fast tier as a method: what the daemon runs, on single frames, one after the other."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import Sequence
from itertools import count

from arwarden import __version__
from arwarden.config import Config
from arwarden.core.clock import SystemClock
from arwarden.core.errors import InputError
from arwarden.core.findings import FindingKind, Findings
from arwarden.core.frame import View
from arwarden.core.tier import SceneContext
from arwarden.fast.tier import FastTier
from benchmarks.runs.calls import COMPUTED, Given, NoAnswer
from benchmarks.runs.media import Shot


class AskedFastTier:
    """The fast tier, open. A certain contradiction at or above ``alerts.min_confidence`` is a yes."""

    def __init__(
        self, config: Config, turn: asyncio.Lock, *, elements: bool, tier: FastTier | None = None
    ) -> None:
        """``turn`` is shared by all that computes in this process, so that nothing slows what is timed."""
        fast = config.fast if elements else config.fast.model_copy(update={"elements": False})
        settings = f"{fast.model_dump_json()} {config.alerts.min_confidence}"
        self._settings = hashlib.sha256(settings.encode()).hexdigest()[:8]
        self._least = config.alerts.min_confidence
        self._tier = tier or FastTier(fast, SystemClock())
        self._turn = turn
        self._sessions = count()

    @property
    def version(self) -> str:
        """Changes with the program, its settings and the weights."""
        weights = sorted(file.sha256[:8] for file in self._tier.models_in_use())
        return "+".join([f"fast@{__version__}", self._settings, *weights])

    async def ask(self, shots: Sequence[Shot]) -> Given:
        """The verdict on frames of one scene: yes where any of them holds a contradiction.

        Every frame is looked at anew, as a picture that stands still. Raises what the tier raises.
        """
        async with self._turn:
            return await asyncio.to_thread(self._judged, shots)

    async def close(self) -> None:
        """End its threads."""
        await self._tier.close()

    def _judged(self, shots: Sequence[Shot]) -> Given:
        verdict, confidence, reason = "no", 0.0, ""
        begun_s = time.perf_counter()
        for shot in shots:
            session = f"benchmark-{next(self._sessions)}"
            context = SceneContext(session, View.COMPOSITED, closely=True)
            try:
                found = self._tier.analyse_now(shot.frame(session, 1), context)
            except InputError as error:
                raise NoAnswer("unreadable_file", str(error)) from error
            for one in _contradictions(found):
                if one[0] > confidence:
                    confidence, reason = one[0], one[2]
                if one[1] and one[0] >= self._least:
                    verdict = "yes"
        spent_ms = (time.perf_counter() - begun_s) * 1000.0
        answer = {"verdict": verdict, "confidence": round(confidence, 4), "reason": reason}
        return Given("fast", answer, COMPUTED, latency_ms=round(spent_ms, 3), cost=0.0)


def _contradictions(found: Findings) -> list[tuple[float, bool, str]]:
    """Confidence, whether it is certain, and message of each."""
    return [
        (finding.confidence, finding.certain, finding.message)
        for finding in found.findings
        if finding.kind is FindingKind.CONTRADICTION
    ]
