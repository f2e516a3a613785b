"""Questions, pictures and judges for the tests of the escalation tier."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import numpy as np

from arwarden.core.clock import Clock
from arwarden.core.errors import DeadlineExceeded, TierError
from arwarden.core.findings import Box
from arwarden.escalate.answers import Answer, Judgement, ParseStatus, Spent, Verdict
from arwarden.escalate.pictures import make_picture
from arwarden.escalate.questions import WHOLE, Example, Form, Question, SentPicture, Task


def picture(width_px: int = 64, height_px: int = 48, *, grey: int = 128, crop: Box = WHOLE) -> SentPicture:
    rgb = np.full((height_px, width_px, 3), grey, np.uint8)
    made = make_picture(rgb, max_side_px=4096)
    return SentPicture(made.jpeg, made.width_px, made.height_px, crop)


def question(task: Task = Task.CONTRADICTION, *, scene: str = "", form: Form = Form.CONTEXTUAL) -> Question:
    pictures = (picture(grey=100), picture(grey=200)) if task is Task.PAIRWISE else (picture(),)
    examples = (Example(picture(grey=50), "a football", 1),) if form is Form.FEW_SHOT else ()
    return Question(task, pictures, form=form, scene=scene, examples=examples)


YES = Judgement(ParseStatus.STRICT, Verdict.YES, "the arrow points the other way")
UNREADABLE = Judgement(ParseStatus.UNREADABLE, problem="empty")


class ScriptedJudge:
    """Does what its script says, one entry a question; the last one again and again."""

    def __init__(
        self, clock: Clock, *script: Judgement | TierError, takes_ms: float = 0.0, name: str = "scripted"
    ) -> None:
        self.clock = clock
        self.script = list(script) or [YES]
        self.takes_ms = takes_ms
        self.name = name
        self.asked: list[Question] = []
        self.deadlines_ms: list[float] = []
        self.in_flight = 0
        self.most_in_flight = 0
        self.cancelled = 0
        self.closed = False
        self.on_ask: Callable[[], None] = lambda: None

    @property
    def model(self) -> str:
        return f"model-of-{self.name}"

    @property
    def uploads(self) -> bool:
        return False

    async def ask(self, question: Question, deadline_ms: float) -> Answer:
        self.asked.append(question)
        self.deadlines_ms.append(deadline_ms)
        self.on_ask()
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        begun_ms = self.clock.now_ms()
        try:
            await asyncio.sleep(min(self.takes_ms, max(0.0, deadline_ms - begun_ms)) / 1000)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        finally:
            self.in_flight -= 1
        if self.takes_ms > deadline_ms - begun_ms:
            raise DeadlineExceeded(f"{self.name}: late")
        entry = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        if isinstance(entry, TierError):
            raise entry
        return Answer(
            judge=self.name,
            model=self.model,
            task=question.task,
            prompt_version="test@1",
            judgement=entry,
            latency_ms=self.clock.now_ms() - begun_ms,
            spent=Spent(100, 10, 0.01),
        )

    async def close(self) -> None:
        self.closed = True
