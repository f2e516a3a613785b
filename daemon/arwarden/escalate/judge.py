"""The interface of everything that can be asked for a second opinion."""

from __future__ import annotations

from typing import Protocol

from arwarden.escalate.answers import Answer
from arwarden.escalate.questions import Question


class Judge(Protocol):
    """Answers questions about pictures. The daemon, ``arwarden analyse`` and the benchmarks ask the same."""

    @property
    def name(self) -> str:
        """The configured name, for messages and metrics."""
        ...

    @property
    def model(self) -> str:
        """The model that answers."""
        ...

    @property
    def uploads(self) -> bool:
        """True where pictures leave this machine."""
        ...

    async def ask(self, question: Question, deadline_ms: float) -> Answer:
        """Answer by ``deadline_ms``, a point on the daemon's clock, parsing included.

        An answer that cannot be understood is returned as such: it has cost tokens. Raises
        ``DeadlineExceeded`` at the deadline (never more than 50 ms past it on an idle loop) and
        ``JudgeError`` for everything else that left the question without an answer.
        """
        ...

    async def close(self) -> None:
        """Let go of connections, threads and weights. The judge is not used afterwards."""
        ...
