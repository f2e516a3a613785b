"""Asking for second opinions: the judge, its limits, and everything that may go wrong on the way.

Nothing here raises into the pipeline: a question ends with an answer, or with an opinion that says why there
is none. Pictures are logged by size and hash only.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import structlog

from arwarden.config import EscalateConfig, OpenAiJudgeConfig, QwenVlJudgeConfig, asked_judges
from arwarden.core.clock import Clock
from arwarden.core.counters import Counters
from arwarden.core.errors import (
    CircuitOpen,
    ConfigError,
    DeadlineExceeded,
    JudgeBusy,
    JudgeError,
    SwitchedOff,
    TierError,
)
from arwarden.core.findings import Findings
from arwarden.core.frame import Frame
from arwarden.core.opinion import Opinion
from arwarden.core.tier import SceneContext
from arwarden.escalate.answers import Answer, Verdict
from arwarden.escalate.budget import Budget, Limit
from arwarden.escalate.inquiries import Inquiry, SessionInquiries, Terms
from arwarden.escalate.judge import Judge
from arwarden.escalate.opening import open_judge
from arwarden.escalate.policy import AskReason, Look
from arwarden.escalate.prices import PriceTable
from arwarden.escalate.prompts import load_prompts
from arwarden.escalate.questions import Form, Question, SentPicture, Task
from arwarden.escalate.ruling import DEADLINE, opinion_of, own_finding
from arwarden.escalate.sending import FaceFinder, facts_of, fingerprint, prepare
from arwarden.escalate.switched_off import Lack, whole_reason

log = structlog.get_logger(__name__)

BUSY_HERE: Final = "busy_here"
"""The reason of a judge that was not asked because of our own limit."""
NOT_SENT: Final = "not_sent"
"""The problem of a question whose pictures could not be made."""
FAULT: Final = "fault"
ANY_SCENE: Final = "view"
"""In place of a scene's name where every sample is judged: its evidence comes from several of them."""
DEFAULT_OUTPUT_TOKENS: Final = 800
TASK: Final = Task.CONTRADICTION
FORM: Final = Form.CONTEXTUAL


class Worker(Protocol):
    """Runs a function beside the event loop; ``asyncio.to_thread`` in the daemon."""

    def __call__(self, make: Callable[[], tuple[SentPicture, ...]], /) -> Awaitable[tuple[SentPicture, ...]]:
        """The function's result."""
        ...


@dataclass(frozen=True, slots=True)
class Reply:
    """How a question ended: with an answer, or without one and why."""

    opinion: Opinion
    """What is known where there is no answer."""
    answer: Answer | None = None


class SecondOpinions:
    """Asks one daemon's judge for all its sessions. Counts ``escalate.*``."""

    def __init__(
        self,
        config: EscalateConfig,
        judge: Judge,
        clock: Clock,
        counters: Counters,
        *,
        faces: FaceFinder | None = None,
        switched_off: Sequence[Lack] = (),
        worker: Worker = asyncio.to_thread,
    ) -> None:
        """``switched_off`` are the judges behind ``judge`` that lack something.

        Raises ``ConfigError`` where no judge is configured, where it would send against ``never_upload``,
        and where the prompts cannot be used.
        """
        if config.judge is None:
            raise ConfigError("escalate.judge", ["there is none; name one to ask for second opinions"])
        if config.never_upload and judge.uploads:
            raise ConfigError("escalate.never_upload", [f"judge {judge.name} would send pictures away"])
        asked = asked_judges(config.judge)
        self.judge = judge
        self.switched_off = tuple(switched_off)
        self.budget = Budget(config.budget)
        self._config = config
        self._clock = clock
        self._counters = counters
        self._faces = faces
        self._worker = worker
        answering = [one for one in asked if isinstance(one, OpenAiJudgeConfig | QwenVlJudgeConfig)]
        self.terms = Terms(
            config,
            self.budget,
            PriceTable(config.budget.prices),
            tuple(one.model for one in answering),
            max((one.pictures for one in answering), default=1),
            max((one.max_output_tokens for one in answering), default=DEFAULT_OUTPUT_TOKENS),
            judge.name,
            load_prompts(config.prompts).find(TASK, FORM)[1],
            whole_reason(self.switched_off, len(asked)),
        )

    def session(self, tier: str, alert_budget_ms: float) -> SessionInquiries:
        """The questions of one more session; ``tier`` is the name of the fast tier."""
        return SessionInquiries(self.terms, tier, alert_budget_ms, self._counters)

    def inquiry(self, reason: AskReason, look: Look, frames: Sequence[Frame]) -> Inquiry | Limit:
        """A question about frames that somebody chose, or the limit that forbids it."""
        return self.terms.inquire(reason, look, frames, self._clock.now_ms())

    async def ask(self, inquiry: Inquiry) -> Reply:
        """Ask, by the inquiry's deadline. Raises only ``CancelledError``."""
        began_ms = self._clock.now_ms()
        try:
            reply = await self._ask(inquiry)
        except asyncio.CancelledError:
            self.budget.settle(inquiry.reservation, None)
            raise
        except (CircuitOpen, JudgeBusy, SwitchedOff) as error:
            if not isinstance(error, JudgeBusy) or error.reason == BUSY_HERE:
                self.budget.give_back(inquiry.reservation)
            reply = self._without(error.reason, began_ms)
        except JudgeError as error:
            reply = self._without(error.reason, began_ms)
        except DeadlineExceeded:
            reply = self._without(DEADLINE, began_ms)
        except TierError:
            self.budget.give_back(inquiry.reservation)
            reply = self._without(NOT_SENT, began_ms)
        except Exception:
            log.exception("second_opinion_fault", judge=self.judge.name)
            reply = self._without(FAULT, began_ms)
        known = reply.answer is not None and not reply.answer.uncounted
        self.budget.settle(inquiry.reservation, reply.answer.spent if reply.answer and known else None)
        return reply

    async def close(self) -> None:
        """Let go of the judge."""
        await self.judge.close()

    async def _ask(self, inquiry: Inquiry) -> Reply:
        look, send = inquiry.look, self._config.send
        elements = look.findings.elements
        left_s = max(0.0, (inquiry.deadline_ms - self._clock.now_ms()) / 1000.0)
        try:
            async with asyncio.timeout(left_s):
                pictures = await self._worker(lambda: prepare(inquiry.frames, elements, send, self._faces))
        except TimeoutError as error:
            raise DeadlineExceeded("the pictures were not ready by the deadline") from error
        question = Question(
            inquiry.task,
            pictures,
            facts=facts_of(look.findings) if send.facts else (),
            language=self._config.language,
            scene=look.sight.name,
        )
        self._log_sent(inquiry, pictures)
        answer = await self.judge.ask(question, inquiry.deadline_ms)
        if not answer.judgement.readable:
            self._counters.add("escalate.unreadable")
        return Reply(opinion_of(answer), answer)

    def _log_sent(self, inquiry: Inquiry, pictures: Sequence[SentPicture]) -> None:
        log.info(
            "second_opinion_asked",
            judge=self.judge.name,
            uploads=self.judge.uploads,
            why=inquiry.reason.value,
            pictures=[
                {
                    "width_px": picture.width_px,
                    "height_px": picture.height_px,
                    "bytes": len(picture.jpeg),
                    "sha256": fingerprint(picture),
                }
                for picture in pictures
            ],
        )

    def _without(self, problem: str, began_ms: float) -> Reply:
        self._counters.add(f"escalate.failed.{problem}")
        # That nobody can be asked is said at the start, once.
        log_missing = log.debug if self.terms.switched_off else log.warning
        log_missing("second_opinion_missing", judge=self.judge.name, problem=problem)
        spent_ms = self._clock.now_ms() - began_ms
        return Reply(
            Opinion(
                self.judge.name,
                self.judge.model,
                "unknown",
                problem=problem,
                latency_ms=spent_ms,
                prompt_version=self.terms.prompt_version,
            )
        )


class JudgeTier:
    """A judge in the place of the fast tier: asked about every sample, a finding where it says yes."""

    def __init__(self, config: EscalateConfig, judge: Judge, *, worker: Worker = asyncio.to_thread) -> None:
        self._config = config
        self._judge = judge
        self._worker = worker

    @property
    def name(self) -> str:
        """The judge's name."""
        return self._judge.name

    async def analyse(self, frames: Sequence[Frame], context: SceneContext, deadline_ms: float) -> Findings:
        """Judge the frames, oldest first.

        Raises ``DeadlineExceeded``, or ``TierError`` where the judge gives no answer or no readable one.
        """
        del context
        pictures = await self._worker(lambda: prepare(frames, (), self._config.send, None))
        question = Question(TASK, pictures, language=self._config.language)
        answer = await self._judge.ask(question, deadline_ms)
        stages_ms = {"judge": answer.latency_ms}
        if answer.verdict is Verdict.UNKNOWN:
            raise TierError(f"judge {answer.judge} gave no verdict: {answer.judgement.problem or 'unknown'}")
        if answer.verdict is Verdict.NO:
            return Findings(stages_ms=stages_ms)
        finding = own_finding(Findings(), answer, ANY_SCENE)
        return Findings((finding,), finding.elements, stages_ms=stages_ms)

    async def close(self) -> None:
        """Let go of the judge."""
        await self._judge.close()


def open_configured(
    config: EscalateConfig, clock: Clock, counters: Counters, switched_off: list[Lack] | None = None
) -> Judge:
    """Open the judge that is configured. Takes as long as loading its model does.

    This is the only place where a judge is made from a configuration: with ``never_upload`` no client for an
    endpoint can come to be. Raises ``ConfigError`` for that, and what ``open_judge`` raises; judges that
    lack something are noted in ``switched_off`` instead, where it is given.
    """
    if config.judge is None:
        raise ConfigError("escalate.judge", ["there is none; name one to ask for second opinions"])
    endpoints = [one for one in asked_judges(config.judge) if isinstance(one, OpenAiJudgeConfig)]
    if config.never_upload and endpoints:
        problem = f"it is set, yet judge {endpoints[0].name} would send pictures to {endpoints[0].base_url}"
        raise ConfigError("escalate.never_upload", [problem])
    prompts, prices = load_prompts(config.prompts), PriceTable(config.budget.prices)
    return open_judge(config.judge, clock, prompts, prices, counters, switched_off=switched_off)
