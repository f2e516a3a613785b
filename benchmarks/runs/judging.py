"""The daemon's judges, opened for a run and asked one question at a time."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from arwarden.cli.second_opinion import escalation, judge_of
from arwarden.config import (
    Config,
    JudgeConfig,
    OpenAiJudgeConfig,
    QwenVlJudgeConfig,
    ReplayJudgeConfig,
    asked_judges,
)
from arwarden.core.clock import Clock, SystemClock
from arwarden.core.counters import Counters
from arwarden.escalate.answers import Answer, Judgement
from arwarden.escalate.budget import Estimate, estimate
from arwarden.escalate.judge import Judge
from arwarden.escalate.prices import PriceTable
from arwarden.escalate.prompts import PromptSet, load_prompts
from arwarden.escalate.questions import Fact, Form, Question, Task
from arwarden.escalate.tier import open_configured
from benchmarks.runs.calls import Given, NoAnswer
from benchmarks.runs.methods import Spec

ASSUMED_SIZE: Final = (1024, 576)
"""Of a picture as sent, for prices said before anything was opened."""
DEFAULT_OUTPUT_TOKENS: Final = 800
WHO_DIGITS: Final = 8
NOT_ASKED: Final = {"name", "base_url", "api_key", "ca_file", "limits", "download", "device", "timed", "file"}
"""Settings of a judge that answers do not depend on: the same model may be served elsewhere tomorrow."""
PATIENT: Final = {"failures": 100, "open_ms": 1.0}
"""A run waits and gives up by itself; the rest that a daemon grants a judge would fail questions unasked."""


@dataclass(frozen=True, slots=True)
class Terms:
    """How a judge is asked: known without opening it."""

    spec: Spec
    settings: Any
    prompts: PromptSet
    models: tuple[str, ...]
    pictures: int
    max_output_tokens: int
    prices: PriceTable

    def version(self, task: Task, form: Form = Form.CONTEXTUAL) -> str:
        """The version of the prompt for a task, and who is asked how: a label may come to mean another."""
        return f"{self.prompts.find(task, form)[1]}+{self._who}"

    @property
    def _who(self) -> str:
        asked = [
            (
                one.model_dump_json(exclude=NOT_ASKED),
                one.file.name if isinstance(one, ReplayJudgeConfig) else "",
            )
            for one in asked_judges(self.settings.judge)
        ]
        content = repr((asked, self.settings.send.max_side_px))
        return hashlib.sha256(content.encode()).hexdigest()[:WHO_DIGITS]

    def most(self, pictures: int, facts: Sequence[Fact] = ()) -> Estimate:
        """The most that a question with so many pictures costs."""
        return estimate([ASSUMED_SIZE] * pictures, facts, self.max_output_tokens, self.models, self.prices)

    @property
    def priced(self) -> bool:
        """Whether every model that may answer has a price; recorded answers cost nothing again."""
        return all(self.prices.cost(model, 1, 1) is not None for model in self.models)


def terms_of(
    spec: Spec,
    config: Config,
    *,
    deadline_ms: float,
    concurrency: int,
    pictures: int,
    prompts: Path | None = None,
) -> Terms:
    """How the judge of a spec is asked. ``prompts`` is a folder that replaces shipped prompts.

    Raises:
        ConfigError: the judge, or the folder of prompts, cannot be used; names the fix.
    """
    chosen: JudgeConfig | None = None
    if spec.kind.value != "configured":
        replay = Path(spec.argument) if spec.kind.value == "replay" else None
        chosen = judge_of(spec.kind.value, spec.url or None, spec.argument or None, replay)
    if isinstance(chosen, OpenAiJudgeConfig):
        limits = chosen.limits.model_copy(
            update={"concurrent": concurrency, "waiting": 4 * concurrency, **PATIENT}
        )
        chosen = chosen.model_copy(update={"limits": limits, "pictures": pictures})
    elif isinstance(chosen, QwenVlJudgeConfig):
        chosen = chosen.model_copy(update={"pictures": pictures})
    settings = escalation(config.escalate, chosen, deadline_ms)
    if prompts is not None:
        settings = settings.model_copy(update={"prompts": prompts})
    assert settings.judge is not None  # noqa: S101 - escalation refuses a configuration without one
    answering = [
        one for one in asked_judges(settings.judge) if isinstance(one, OpenAiJudgeConfig | QwenVlJudgeConfig)
    ]
    return Terms(
        spec,
        settings,
        load_prompts(settings.prompts),
        tuple(one.model for one in answering if isinstance(one, OpenAiJudgeConfig)),
        max((one.pictures for one in answering), default=pictures),
        max((one.max_output_tokens for one in answering), default=DEFAULT_OUTPUT_TOKENS),
        PriceTable(settings.budget.prices),
    )


class AskedJudge:
    """An open judge; with ``opened`` false only how it would be asked, for runs whose workers open it.

    Raises ``ConfigError``, ``ModelError`` or ``InputError`` where it cannot be opened.
    """

    def __init__(
        self,
        terms: Terms,
        judge: Judge | None = None,
        clock: Clock | None = None,
        *,
        opened: bool = True,
    ) -> None:
        self.terms = terms
        self._clock = clock or SystemClock()
        self._judge = judge
        if judge is None and opened:
            self._judge = open_configured(terms.settings, self._clock, Counters())

    async def ask(self, question: Question) -> Given:
        """Put a question. Raises what the judge raises."""
        if self._judge is None:
            raise NoAnswer("not_opened", "other processes ask this judge")
        deadline_ms = self._clock.now_ms() + self.terms.settings.deadline_ms
        return given_of(await self._judge.ask(question, deadline_ms))

    async def close(self) -> None:
        """Let go of the judge."""
        if self._judge is not None:
            await self._judge.close()


def given_of(answer: Answer) -> Given:
    """An answer as a row holds it."""
    said = answer.judgement
    spent = answer.spent
    return Given(
        model=answer.model,
        answer=_content(said),
        parse=said.parse.value,
        problem=said.problem,
        latency_ms=round(answer.latency_ms, 3),
        tokens_in=spent.tokens_in,
        tokens_out=spent.tokens_out,
        cost=spent.cost,
    )


def _content(said: Judgement) -> Mapping[str, Any]:
    content: dict[str, Any] = {"verdict": said.verdict.value, "reason": said.reason}
    if said.rating is not None:
        content["rating"] = said.rating
    if said.adjustment is not None:
        moved = said.adjustment
        content["adjustment"] = {"right_m": moved.right_m, "up_m": moved.up_m, "scale": moved.scale}
    if said.comparisons:
        content["choices"] = {one.scale.value: one.choice for one in said.comparisons}
    return content
