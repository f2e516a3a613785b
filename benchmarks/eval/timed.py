"""The daemon's fast tier with the processor's time of each pass, which no other program lengthens."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Final

from arwarden.core.findings import Findings
from arwarden.core.frame import Frame
from arwarden.core.tier import SceneContext
from arwarden.fast.tier import FastTier

CPU: Final = "cpu"
"""The stage under which a pass's processor time stands, all threads together."""


class TimedTier(FastTier):
    """Judges as its base class does, and notes what each pass cost."""

    def analyse_now(self, frame: Frame, context: SceneContext) -> Findings:
        """Judge a frame here and now."""
        begun_s = time.process_time()
        findings = super().analyse_now(frame, context)
        spent_ms = (time.process_time() - begun_s) * 1000.0
        return replace(findings, stages_ms={**findings.stages_ms, CPU: spent_ms})


def wall_ms(findings: Findings) -> float:
    """By the clock."""
    return sum(spent for stage, spent in findings.stages_ms.items() if stage != CPU)


def cpu_ms(findings: Findings) -> float:
    """By the processor."""
    return findings.stages_ms[CPU]
