"""Answers written down and given again: benchmarks that anybody can repeat, and a demo without a model."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections import deque
from contextlib import suppress
from pathlib import Path
from typing import Final

import structlog
from pydantic import TypeAdapter, ValidationError

from arwarden.core.clock import Clock
from arwarden.core.errors import DeadlineExceeded, InputError, JudgeBroken
from arwarden.escalate.answers import Answer
from arwarden.escalate.judge import Judge
from arwarden.escalate.questions import Question

log = structlog.get_logger(__name__)

FORMAT: Final = 1
_ANSWERS: Final = TypeAdapter(Answer)


def fingerprint(question: Question) -> str:
    """The same for the same question: task, form, pictures, facts, examples and language."""
    digest = hashlib.sha256()
    pictures = (*question.pictures, *(example.picture for example in question.examples))
    said = [
        question.task,
        question.form,
        question.language,
        question.defended,
        [[fact.kind, fact.text, fact.box] for fact in question.facts],
        [[example.content, example.rating] for example in question.examples],
        [hashlib.sha256(picture.jpeg).hexdigest() for picture in pictures],
    ]
    digest.update(json.dumps(said).encode())
    return digest.hexdigest()


def _scene_key(question: Question) -> str:
    return json.dumps([question.scene, question.task, question.form, question.defended])


class RecordJudge:
    """Asks another judge and appends what it says to a file, one JSON object a line.

    Pictures are kept as checksums; what the judge said about them is kept in full. Failures are not kept.
    Raises ``InputError`` where the file cannot be written; one that is full later is logged.
    """

    def __init__(self, judge: Judge, file: Path) -> None:
        self._judge = judge
        self._file = file
        try:
            self._out = file.open("a", encoding="utf-8")
        except OSError as error:
            raise InputError(str(file), f"cannot be written ({error.strerror})") from error

    @property
    def name(self) -> str:
        """The name of the judge that is asked."""
        return self._judge.name

    @property
    def model(self) -> str:
        """Its model."""
        return self._judge.model

    @property
    def uploads(self) -> bool:
        """True where it sends pictures away."""
        return self._judge.uploads

    async def ask(self, question: Question, deadline_ms: float) -> Answer:
        """What the judge says. Raises what it raises."""
        answer = await self._judge.ask(question, deadline_ms)
        line = {
            "format": FORMAT,
            "question": fingerprint(question),
            "scene": _scene_key(question) if question.scene else "",
            "answer": _ANSWERS.dump_python(answer, mode="json"),
        }
        try:
            self._out.write(json.dumps(line, ensure_ascii=False) + "\n")
            self._out.flush()
        except OSError as error:  # a full disk; the answer is paid for and as good as without a record
            log.warning("judge_answer_not_recorded", file=str(self._file), problem=error.strerror)
        return answer

    async def close(self) -> None:
        """Close the judge and the file."""
        await self._judge.close()
        with suppress(OSError):  # what could not be written before
            self._out.close()


class ReplayJudge:
    """Gives recorded answers. A question asked several times gets its answers in turn, then the last.

    A question is known by its fingerprint, or else by its scene. Raises ``InputError`` for a file that is
    no recording; names the line.
    """

    def __init__(self, name: str, file: Path, clock: Clock, *, timed: bool = False) -> None:
        self._name = name
        self._clock = clock
        self._timed = timed
        self._by_question: dict[str, deque[Answer]] = {}
        self._by_scene: dict[str, deque[Answer]] = {}
        self._models: dict[str, None] = {}
        try:
            lines = file.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(str(file), f"not a readable recording ({type(error).__name__})") from error
        for number, line in enumerate(lines, start=1):
            if line.strip():
                self._remember(file, number, line)

    @property
    def name(self) -> str:
        """The configured name; answers carry the name of whoever gave them."""
        return self._name

    @property
    def model(self) -> str:
        """The models that were recorded."""
        return ", ".join(self._models)

    @property
    def uploads(self) -> bool:
        """Never."""
        return False

    async def ask(self, question: Question, deadline_ms: float) -> Answer:
        """The recorded answer. Raises ``JudgeBroken`` where there is none, ``DeadlineExceeded`` if late."""
        answers = self._by_question.get(fingerprint(question))
        if answers is None and question.scene:
            answers = self._by_scene.get(_scene_key(question))
        if not answers:
            raise JudgeBroken(self._name, "not_recorded", "the recording has no answer to this question")
        answer = answers.popleft() if len(answers) > 1 else answers[0]
        if self._timed:
            await self._take(answer.latency_ms, deadline_ms)
        return answer

    async def close(self) -> None:
        """Nothing is held open."""

    async def _take(self, latency_ms: float, deadline_ms: float) -> None:
        left_ms = deadline_ms - self._clock.now_ms()
        await asyncio.sleep(max(0.0, min(latency_ms, left_ms)) / 1000)
        if latency_ms > left_ms:
            raise DeadlineExceeded(f"{self._name}: the recorded judge took {latency_ms:.0f} ms")

    def _remember(self, file: Path, number: int, line: str) -> None:
        try:
            value = json.loads(line)
            if value["format"] != FORMAT:
                raise InputError(str(file), f"line {number} is of format {value['format']}, not {FORMAT}")
            answer = _ANSWERS.validate_python(value["answer"])
            question, scene = str(value["question"]), str(value["scene"])
        except (ValueError, KeyError, TypeError, ValidationError, RecursionError) as error:
            reason = f"line {number} is no recorded answer ({type(error).__name__})"
            raise InputError(str(file), reason) from error
        self._models[answer.model] = None
        self._by_question.setdefault(question, deque()).append(answer)
        if scene:
            self._by_scene.setdefault(scene, deque()).append(answer)
