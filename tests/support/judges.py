"""Judges for tests: one that says what it is told to, after as long as it is told to."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from arwarden.config import Config
from arwarden.core.errors import JudgeBroken
from arwarden.core.findings import Box
from arwarden.escalate.answers import Adjustment, Answer, Judgement, NamedElement, ParseStatus, Spent, Verdict
from arwarden.escalate.questions import Question, SentPicture, Task

JUDGE: dict[str, Any] = {"kind": "openai", "model": "tiny", "base_url": "http://127.0.0.1:1/v1"}


def answer(
    verdict: Verdict = Verdict.YES,
    reason: str = "The two labels name different countries.",
    elements: tuple[tuple[str, Box | None], ...] = (),
    *,
    problem: str = "",
    tokens: tuple[int, int] = (900, 60),
    cost: float | None = 0.004,
) -> Answer:
    parse = ParseStatus.UNREADABLE if verdict is Verdict.UNKNOWN else ParseStatus.STRICT
    named = tuple(NamedElement(text, box) for text, box in elements)
    return Answer(
        judge="cloud",
        model="tiny",
        task=Task.CONTRADICTION,
        prompt_version="contradiction@1+00000000",
        judgement=Judgement(parse, verdict, reason, problem, named),
        latency_ms=1234.0,
        spent=Spent(*tokens, cost),
    )


def rating(
    value: float, adjustment: Adjustment | None = None, task: Task = Task.PLACEMENT_ADJUSTMENT
) -> Answer:
    """A judge's answer about one of the app's objects."""
    judgement = Judgement(ParseStatus.STRICT, reason="It floats.", rating=value, adjustment=adjustment)
    return replace(answer(), task=task, judgement=judgement)


class ScriptedJudge:
    """Answers ``says``, or raises it, ``after_s`` seconds later."""

    name = "cloud"
    model = "tiny"

    def __init__(
        self,
        says: Answer | Exception | Callable[[Question], Answer] | None = None,
        after_s: float = 2.0,
        *,
        uploads: bool = True,
    ) -> None:
        self.says = answer() if says is None else says
        self.after_s = after_s
        self.uploads = uploads
        self.questions: list[Question] = []
        self.deadlines_ms: list[float] = []
        self.cancelled = 0
        self.closed = False
        self.on_ask: Callable[[], None] = lambda: None

    async def ask(self, question: Question, deadline_ms: float) -> Answer:
        self.questions.append(question)
        self.deadlines_ms.append(deadline_ms)
        self.on_ask()
        try:
            await asyncio.sleep(self.after_s)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        if isinstance(self.says, Exception):
            raise self.says
        return self.says(question) if callable(self.says) else self.says

    async def close(self) -> None:
        self.closed = True


class HangingJudge(ScriptedJudge):
    """Never answers, and does not keep its own deadline either."""

    async def ask(self, question: Question, deadline_ms: float) -> Answer:
        self.questions.append(question)
        self.deadlines_ms.append(deadline_ms)
        await asyncio.Event().wait()
        raise JudgeBroken("cloud", "never")


async def at_once(make: Callable[[], tuple[SentPicture, ...]]) -> tuple[SentPicture, ...]:
    """In the place of a thread, which has no part in virtual time."""
    return make()


def judged_config(alerts: dict[str, Any] | None = None, **escalate: Any) -> Config:
    """A configuration with a judge that is never really opened."""
    sections = {"judge": JUDGE, **escalate}
    return Config.model_validate({"escalate": sections, "alerts": alerts or {}})
