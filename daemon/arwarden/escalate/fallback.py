"""Several judges in order: the next one is asked where one fails, is late, or cannot be understood."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from arwarden.core.clock import Clock
from arwarden.core.errors import (
    DeadlineExceeded,
    JudgeBroken,
    JudgeError,
    JudgeUnreachable,
    SwitchedOff,
)
from arwarden.escalate.answers import Answer, Spent
from arwarden.escalate.judge import Judge
from arwarden.escalate.prices import together
from arwarden.escalate.questions import Question


@dataclass(frozen=True, slots=True)
class Attempt:
    """A judge, and how long it is waited for."""

    judge: Judge
    timeout_ms: float


class FallbackJudge:
    """Asks the judges in order, each for its time at most, all together until the deadline."""

    def __init__(self, name: str, attempts: Sequence[Attempt], clock: Clock) -> None:
        if not attempts:
            msg = "a fallback needs at least one judge"
            raise ValueError(msg)
        self._name = name
        self._attempts = tuple(attempts)
        self._clock = clock

    @property
    def name(self) -> str:
        """The configured name."""
        return self._name

    @property
    def model(self) -> str:
        """The models that may answer, in order."""
        return ", ".join(attempt.judge.model for attempt in self._attempts)

    @property
    def uploads(self) -> bool:
        """True where any of the judges sends pictures away."""
        return any(attempt.judge.uploads for attempt in self._attempts)

    async def ask(self, question: Question, deadline_ms: float) -> Answer:
        """The first answer that can be read, with what was spent on the way.

        Where none can be read, the last answer. Raises ``DeadlineExceeded`` where the deadline passed, and
        ``JudgeError`` where every judge failed before it.
        """
        begun_ms = self._clock.now_ms()
        failed: list[str] = []
        spent = Spent()
        unreadable: Answer | None = None
        off, uncounted = 0, False
        for attempt in self._attempts:
            now_ms = self._clock.now_ms()
            if now_ms >= deadline_ms:
                break
            try:
                answer = await attempt.judge.ask(question, min(deadline_ms, now_ms + attempt.timeout_ms))
            except DeadlineExceeded:
                uncounted = True
                failed.append(f"{attempt.judge.name}: late")
                continue
            except JudgeError as error:
                off += isinstance(error, SwitchedOff)
                uncounted = uncounted or isinstance(error, JudgeBroken | JudgeUnreachable)
                failed.append(f"{error.judge}: {error.reason}")
                continue
            spent = together(spent, answer.spent)
            latency_ms = self._clock.now_ms() - begun_ms
            answer = replace(
                answer,
                spent=spent,
                latency_ms=latency_ms,
                failed=(*failed, *answer.failed),
                uncounted=uncounted or answer.uncounted,
            )
            if answer.judgement.readable:
                return answer
            unreadable = answer
            failed.append(f"{answer.judge}: {answer.judgement.problem}")
        if unreadable is not None:
            return unreadable
        if self._clock.now_ms() >= deadline_ms:
            raise DeadlineExceeded(f"{self._name}: no judge answered in time ({'; '.join(failed)})")
        if off == len(self._attempts):
            raise SwitchedOff(self._name, "all_switched_off", f"all are switched off: {'; '.join(failed)}")
        raise JudgeError(self._name, "all_failed", f"every judge failed: {'; '.join(failed)}")

    async def close(self) -> None:
        """Close the judges."""
        for attempt in self._attempts:
            await attempt.judge.close()
