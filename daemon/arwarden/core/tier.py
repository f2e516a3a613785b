"""The one interface between the pipeline and whatever judges frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from arwarden.core.findings import Findings
from arwarden.core.frame import Frame, View


@dataclass(frozen=True, slots=True)
class SceneContext:
    """What is known about the scene besides the frames themselves."""

    device_id: str
    view: View = View.UNKNOWN
    closely: bool = False
    """What is in view stands still, so there is time for a closer look at it."""


class Tier(Protocol):
    """Judges frames. The daemon, ``arwarden analyse`` and the benchmarks drive the same objects."""

    @property
    def name(self) -> str:
        """A short name for messages and metrics, for example ``fast``."""
        ...

    async def analyse(self, frames: Sequence[Frame], context: SceneContext, deadline_ms: float) -> Findings:
        """Judge the frames, oldest first (a tier that takes one uses the last).

        ``deadline_ms`` is a point on the daemon's clock. Raises ``DeadlineExceeded`` where the tier
        notices it cannot keep it, ``TierError`` for everything else that went wrong.
        """
        ...

    async def close(self) -> None:
        """Let go of threads, sessions and connections. The tier is not used afterwards."""
        ...
