"""Around a judge: a breaker, a limit on requests in flight, and one request for askers of the same scene."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Final

import structlog

from arwarden.config import JudgeLimits
from arwarden.core.clock import Clock
from arwarden.core.counters import Counters
from arwarden.core.errors import CircuitOpen, DeadlineExceeded, JudgeBroken, JudgeBusy, JudgeError
from arwarden.escalate.answers import Answer
from arwarden.escalate.breaker import Breaker, BreakerState
from arwarden.escalate.deadline import Deadlines
from arwarden.escalate.judge import Judge
from arwarden.escalate.questions import Question
from arwarden.escalate.slots import Place, Slots

log = structlog.get_logger(__name__)

SharedKey = tuple[str, str, str, str, bool]
NOT_A_FAULT: Final = ("busy_here",)
"""Reasons for which the judge itself is not to blame."""


class GuardedJudge:
    """Asks a judge within its limits. Counts ``escalate.<name>.<what>``."""

    def __init__(
        self, judge: Judge, limits: JudgeLimits, clock: Clock, counters: Counters | None = None
    ) -> None:
        self._judge = judge
        self._limits = limits
        self._clock = clock
        self._counters = counters if counters is not None else Counters()
        self._breaker = Breaker(
            failures=limits.failures, open_ms=limits.open_ms, max_open_ms=limits.max_open_ms
        )
        self._slots = Slots(concurrent=limits.concurrent, waiting=limits.waiting)
        self._turns: dict[int, asyncio.Event] = {}
        self._visits = 0
        self._shared: dict[SharedKey, _SharedRequest] = {}
        self._deadlines = Deadlines(judge.name, clock)

    @property
    def name(self) -> str:
        """The judge's name."""
        return self._judge.name

    @property
    def model(self) -> str:
        """The judge's model."""
        return self._judge.model

    @property
    def uploads(self) -> bool:
        """True where pictures leave this machine."""
        return self._judge.uploads

    @property
    def state(self) -> BreakerState:
        """Whether the judge is asked at present."""
        return self._breaker.state(self._clock.now_ms())

    async def ask(self, question: Question, deadline_ms: float) -> Answer:
        """Ask, or join a request about the same scene that is in flight.

        A joined request ends at the deadline of whoever began it, or at one's own where that is earlier.
        Raises ``CircuitOpen``, ``JudgeBusy`` and whatever the judge raises.
        """
        if not question.scene:
            return await self._ask(question, deadline_ms)
        key = (question.scene, question.task, question.form, question.language, question.defended)
        shared = self._shared.get(key)
        if shared is None or shared.abandoned:
            shared = self._shared[key] = _SharedRequest(self.name, self._ask(question, deadline_ms))
            shared.task.add_done_callback(lambda _: self._ended(key))
            # No second deadline here: it would cancel the judge an instant before it reports that it is late.
            return await shared.wait()
        self._count("shared")
        return await self._deadlines.run(shared.wait(), deadline_ms)

    async def close(self) -> None:
        """Close the judge."""
        for shared in list(self._shared.values()):
            shared.task.cancel()
        await self._deadlines.close()
        await self._judge.close()

    async def _ask(self, question: Question, deadline_ms: float) -> Answer:
        self._visits += 1
        visit = self._visits
        await self._take_turn(visit, deadline_ms)
        try:
            now_ms = self._clock.now_ms()
            if not self._breaker.admit(now_ms):
                self._count("circuit_open")
                rest_ms = self._breaker.retry_in_ms(now_ms)
                raise CircuitOpen(
                    self.name,
                    "circuit_open",
                    f"it failed repeatedly; it is asked again in {rest_ms:.0f} ms",
                    retry_after_ms=rest_ms,
                )
            return await self._admitted(question, deadline_ms)
        finally:
            following = self._slots.leave(visit)
            if following is not None:
                self._turns[following].set()

    async def _admitted(self, question: Question, deadline_ms: float) -> Answer:
        try:
            answer = await self._judge.ask(question, deadline_ms)
        except DeadlineExceeded:
            self._failed("late", None)
            raise
        except JudgeError as error:
            retry_after_ms = error.retry_after_ms if isinstance(error, JudgeBusy) else None
            self._failed(error.reason, retry_after_ms)
            raise
        except BaseException:
            self._breaker.withdrawn()
            raise
        self._breaker.succeeded()
        self._count("answered" if answer.judgement.readable else "unreadable")
        return answer

    async def _take_turn(self, visit: int, deadline_ms: float) -> None:
        place = self._slots.arrive(visit)
        if place is Place.GRANTED:
            return
        if place is Place.REFUSED:
            self._count("refused")
            raise JudgeBusy(self.name, "busy_here", "too many questions wait for it already")
        turn = self._turns[visit] = asyncio.Event()
        patience_ms = min(self._limits.wait_ms, deadline_ms - self._clock.now_ms())
        try:
            async with asyncio.timeout(max(0.0, patience_ms) / 1000):
                await turn.wait()
        except BaseException as error:
            following = self._slots.leave(visit)
            if following is not None:
                self._turns[following].set()
            if isinstance(error, TimeoutError):
                self._count("refused")
                raise JudgeBusy(self.name, "busy_here", f"no turn within {patience_ms:.0f} ms") from None
            raise
        finally:
            del self._turns[visit]

    def _failed(self, reason: str, retry_after_ms: float | None) -> None:
        self._count(f"failed.{reason}")
        now_ms = self._clock.now_ms()
        if reason in NOT_A_FAULT:
            self._breaker.withdrawn()
            return
        before = self._breaker.state(now_ms)
        self._breaker.failed(now_ms, retry_after_ms)
        if before is not BreakerState.OPEN and self._breaker.state(now_ms) is BreakerState.OPEN:
            log.warning(
                "judge_left_alone",
                judge=self.name,
                reason=reason,
                for_ms=round(self._breaker.retry_in_ms(now_ms)),
            )

    def _ended(self, key: SharedKey) -> None:
        shared = self._shared.get(key)
        if shared is not None and shared.task.done():
            del self._shared[key]

    def _count(self, what: str) -> None:
        self._counters.add(f"escalate.{self.name}.{what}")


class _SharedRequest:
    """One request and everybody who waits for it; when the last one goes away it is given up."""

    def __init__(self, judge: str, request: Coroutine[None, None, Answer]) -> None:
        self.task = asyncio.ensure_future(request)
        self.abandoned = False
        self._judge = judge
        self._waiting = 0

    async def wait(self) -> Answer:
        """The answer, or what the request raises; ``JudgeBroken`` where the judge is closed meanwhile."""
        self._waiting += 1
        try:
            return await asyncio.shield(self.task)
        except asyncio.CancelledError:
            waiter = asyncio.current_task()
            if self.task.cancelled() and waiter is not None and not waiter.cancelling():
                raise JudgeBroken(self._judge, "closed", "it was closed before it had answered") from None
            raise
        finally:
            self._waiting -= 1
            if self._waiting == 0 and not self.task.done():
                self.abandoned = True
                self.task.cancel()
