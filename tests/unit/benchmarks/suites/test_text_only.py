"""The baseline that sees nothing: the judge gets what an OCR engine read, and no picture."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from rich.console import Console

from arwarden.config.file import load_config
from arwarden.escalate.answers import Judgement, ParseStatus, Verdict
from arwarden.escalate.prompts import load_prompts
from arwarden.escalate.questions import Form, Question, Task
from arwarden.escalate.rendering import AnswerForm, BoxUnit, render
from arwarden.fast.ocr.base import Point, TextLine
from benchmarks.contrar import ask
from benchmarks.contrar.ask import plan
from benchmarks.contrar.layouts import Layout, Protocol
from benchmarks.datasets.contrar import load
from benchmarks.runs.carry_out import carry_out
from benchmarks.runs.methods import parse_method
from benchmarks.runs.options import RunOptions
from tests.unit.benchmarks.suites.made import answer_to, config_file, contrar_set, recording


class FakeReader:
    name = "fake"

    def read(self, rgb: object, *, closely: bool = False) -> Sequence[TextLine]:
        assert not closely or rgb is not None
        corner = (Point(0.1, 0.1), Point(0.2, 0.1), Point(0.2, 0.2), Point(0.1, 0.2))
        return [TextLine("Made in France", 1.0, corner), TextLine("Origin: Italy", 1.0, corner)]


def test_texts_of_all_frames_are_quoted_once_and_no_picture_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge = recording(monkeypatch, tmp_path / "answers.jsonl")
    said = Judgement(ParseStatus.STRICT, Verdict.YES, "two origins")
    judge.says = lambda question: answer_to(question, said)
    monkeypatch.setattr(ask, "open_reader", lambda *_: FakeReader())
    options = RunOptions(
        "contrar", tmp_path, (parse_method("ocr+configured"),), load_config(config_file(tmp_path)),
        tmp_path / "out", runs=1,
    )  # fmt: skip
    videos = load(contrar_set(tmp_path / "data")).usable()[:1]
    made = plan(options, videos, [Protocol.MULTI])
    (row,) = carry_out(
        Console(quiet=True), made.calls, options.out, resume=False, concurrency=1, close=made.close
    )
    (question,) = judge.questions
    assert [fact.text for fact in question.facts] == ["Made in France", "Origin: Italy"]
    assert question.pictures == ()
    assert row.key.asked.startswith("contradiction@text-2")
    assert row.key.asked.endswith("+fake")


def test_the_prompt_replaces_the_shipped_one_and_says_that_nothing_is_seen() -> None:
    prompts = load_prompts(Layout.CONTRAR.prompts(text_only=True))
    prompt, version = prompts.find(Task.CONTRADICTION, Form.CONTEXTUAL)
    asked = render(Question(Task.CONTRADICTION, ()), prompts, AnswerForm.JSON, BoxUnit.FRACTIONS)
    assert "You are shown no picture" in "".join(
        part for part in asked.turns[0].parts if isinstance(part, str)
    )
    assert prompt.system
    assert version.startswith("contradiction@text-2+")
