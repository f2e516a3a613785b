"""Qwen2.5-VL and Qwen3-VL in this process, through transformers."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from typing import Final

import numpy as np
import structlog

from arwarden.config import QwenVlJudgeConfig
from arwarden.core.clock import Clock
from arwarden.core.errors import JudgeBroken
from arwarden.escalate.answers import Answer, Spent
from arwarden.escalate.deadline import Deadlines
from arwarden.escalate.lone_worker import LoneWorker
from arwarden.escalate.pictures import make_picture
from arwarden.escalate.prices import PriceTable
from arwarden.escalate.prompts import PromptSet
from arwarden.escalate.questions import Question, Task
from arwarden.escalate.qwen_model import Generated, Stopped, load_model
from arwarden.escalate.reading import Written, read_answer
from arwarden.escalate.rendering import AnswerForm, BoxUnit, Rendered, render

log = structlog.get_logger(__name__)

CLOSE_TIMEOUT_S: Final = 5.0
WARM_TOKENS: Final = 2
_WARM_PX: Final = (180, 320)


class QwenVlJudge:
    """Loads the model and warms it up when constructed; answers one question at a time in a thread.

    Raises ``ModelError`` where the model cannot be loaded.
    """

    def __init__(
        self, config: QwenVlJudgeConfig, clock: Clock, prompts: PromptSet, prices: PriceTable
    ) -> None:
        self._config = config
        self._clock = clock
        self._prompts = prompts
        self._prices = prices
        self._model = load_model(config)
        self._unit = self._model.box_unit if config.boxes == "auto" else BoxUnit(config.boxes)
        self._form = AnswerForm(config.answers)
        self._deadlines = Deadlines(config.name, clock)
        self._warm_up()
        self._worker = LoneWorker(config.name)

    @property
    def name(self) -> str:
        """The configured name."""
        return self._config.name

    @property
    def model(self) -> str:
        """The model's name, without the folders it lies in."""
        return self._model.name

    @property
    def uploads(self) -> bool:
        """Never."""
        return False

    async def ask(self, question: Question, deadline_ms: float) -> Answer:
        """Ask the model; given up, it stops at a token. Raises ``DeadlineExceeded`` and ``JudgeError``."""
        begun_ms = self._clock.now_ms()
        question = question.limited(self._config.pictures)
        rendered = render(question, self._prompts, self._form, self._unit)
        generated = await self._deadlines.run(self._generate(rendered), deadline_ms)
        judgement = read_answer(self._as_seen(question, generated), _written(generated), self._unit)
        return Answer(
            judge=self.name,
            model=self.model,
            task=question.task,
            prompt_version=rendered.version,
            judgement=judgement,
            latency_ms=self._clock.now_ms() - begun_ms,
            spent=self._spent(generated),
        )

    async def close(self) -> None:
        """Stop what runs and end the thread."""
        await self._deadlines.close(timeout_s=0.0)
        if not await self._worker.close(CLOSE_TIMEOUT_S):
            log.warning("judge_thread_left_running", judge=self.name)

    async def _generate(self, rendered: Rendered) -> Generated:
        limit = self._config.max_output_tokens

        def work(stop: threading.Event) -> Generated:
            return self._model.generate(rendered, limit, stop)

        try:
            return await self._worker.run(work, self._config.limits.wait_ms)
        except Stopped:
            raise JudgeBroken(self.name, "stopped", "it was stopped before it had answered") from None
        except (RuntimeError, ValueError, MemoryError) as error:
            # torch raises RuntimeError for nearly everything; its text holds shapes and devices only.
            raise JudgeBroken(self.name, "model", f"the model broke: {type(error).__name__}") from error

    def _spent(self, generated: Generated) -> Spent:
        """No money, unless somebody has put a price on this machine."""
        spent = self._prices.spent(self.model, generated.tokens_in, generated.tokens_out)
        return spent if spent.cost is not None else replace(spent, cost=0.0)

    def _as_seen(self, question: Question, generated: Generated) -> Question:
        """The question with picture sizes as the model saw them: its boxes are in those pixels."""
        if generated.seen_px is None:
            return question
        width_px, height_px = generated.seen_px
        last = replace(question.pictures[-1], width_px=width_px, height_px=height_px)
        return replace(question, pictures=(*question.pictures[:-1], last))

    def _warm_up(self) -> None:
        begun = time.perf_counter()
        blank = make_picture(np.full((*_WARM_PX, 3), 128, np.uint8), max_side_px=max(_WARM_PX))
        question = Question(Task.CONTRADICTION, (blank,))
        self._model.generate(
            render(question, self._prompts, self._form, self._unit), WARM_TOKENS, threading.Event()
        )
        log.info(
            "judge_model_ready",
            judge=self.name,
            model=self.model,
            device=self._model.device,
            dtype=self._model.dtype,
            warm_up_ms=round((time.perf_counter() - begun) * 1000),
        )


def _written(generated: Generated) -> Written:
    return Written(generated.text, cut=generated.cut)
