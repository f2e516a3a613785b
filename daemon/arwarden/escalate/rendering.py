"""From a question and a prompt to what is said to a model, whichever model that is."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum
from string import Template
from typing import Final, Literal

from arwarden.escalate.prompts import Prompt, PromptSet
from arwarden.escalate.questions import Example, Fact, Question, SentPicture, Task

MAX_FACTS: Final = 40
MAX_FACT_CHARS: Final = 300
"""Text in the picture must not be able to fill the prompt."""


class AnswerForm(StrEnum):
    """How an answer is asked for."""

    JSON = "json"
    LINE = "line"


class BoxUnit(StrEnum):
    """In which unit a model gives boxes."""

    THOUSANDTHS = "thousandths"
    PIXELS = "pixels"
    FRACTIONS = "fractions"


_UNIT_WORDS: Final = {
    BoxUnit.THOUSANDTHS: "thousandths of the width and height (0 to 1000)",
    BoxUnit.PIXELS: "pixels",
    BoxUnit.FRACTIONS: "fractions of the width and height (0 to 1)",
}


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of the conversation: texts and pictures in their order."""

    role: Literal["user", "assistant"]
    parts: tuple[str | SentPicture, ...]


@dataclass(frozen=True, slots=True)
class Rendered:
    """The whole conversation, up to the answer that is wanted."""

    system: str
    turns: tuple[Turn, ...]
    form: AnswerForm
    version: str


def render(question: Question, prompts: PromptSet, form: AnswerForm, unit: BoxUnit) -> Rendered:
    """Write a question down. A prompt that knows one form of answer only is asked in that form."""
    prompt, version = prompts.find(question.task, question.form)
    if form is AnswerForm.JSON and not prompt.json_:
        form = AnswerForm.LINE
    words = {
        "pictures": _picture_words(question),
        "language": question.language,
        "box_unit": _UNIT_WORDS[unit],
    }
    asked = (
        _filled(prompt.ask, words)
        + "\n"
        + _filled(prompt.json_ if form is AnswerForm.JSON else prompt.line, words)
    )
    system = _filled(prompt.system, words)
    if question.defended:
        system += "\n" + prompts.common.defence
    else:
        version += "-bare"
    turns = [turn for example in question.examples for turn in _example(example, prompt, asked, form)]
    turns.append(Turn("user", (*_labelled(question), _facts(question, prompts), asked.strip())))
    return Rendered(system.strip(), tuple(_without_empty(turn) for turn in turns), form, version)


def _filled(text: str, words: dict[str, str]) -> str:
    return Template(text).substitute({"content": "", "rating": "", **words})


def _without_empty(turn: Turn) -> Turn:
    return Turn(turn.role, tuple(part for part in turn.parts if part))


def _picture_words(question: Question) -> str:
    count = len(question.pictures)
    if count == 0:
        return "no picture"
    if count == 1:
        return "one picture"
    if question.task is Task.PAIRWISE:
        return "two pictures, A and B,"
    return f"{count} pictures, oldest first,"


def _labelled(question: Question) -> tuple[str | SentPicture, ...]:
    if len(question.pictures) == 1:
        return question.pictures
    names = ("A", "B") if question.task is Task.PAIRWISE else range(1, len(question.pictures) + 1)
    return tuple(
        part
        for name, picture in zip(names, question.pictures, strict=True)
        for part in (f"Picture {name}:", picture)
    )


def _example(example: Example, prompt: Prompt, asked: str, form: AnswerForm) -> tuple[Turn, Turn]:
    if form is AnswerForm.JSON:
        said, content = prompt.example_json, json.dumps(example.content, ensure_ascii=False)
    else:
        said, content = prompt.example_line, example.content
    answer = _filled(
        said,
        {"content": content, "rating": str(example.rating), "pictures": "", "language": "", "box_unit": ""},
    )
    return Turn("user", (example.picture, asked.strip())), Turn("assistant", (answer.strip(),))


def _facts(question: Question, prompts: PromptSet) -> str:
    if not question.facts:
        return ""
    facts = question.facts[:MAX_FACTS]
    if not question.defended:
        return (
            Template(prompts.common.facts_bare)
            .substitute(facts="\n".join(fact.text for fact in facts))
            .strip()
        )
    quoted = "\n".join(_quoted(fact, question.pictures[-1:]) for fact in facts)
    return Template(prompts.common.facts).substitute(facts=quoted).strip()


def _quoted(fact: Fact, newest: tuple[SentPicture, ...]) -> str:
    """One JSON value on one line; angle brackets are escaped, so that no text can imitate the marks.

    Boxes are in the ``newest`` picture; without one there are none.
    """
    value: dict[str, object] = {"kind": fact.kind, "text": fact.text[:MAX_FACT_CHARS]}
    box = newest[0].from_frame(fact.box) if newest and fact.box is not None else None
    if box is not None:
        corners = (box.x_norm, box.y_norm, box.x_norm + box.w_norm, box.y_norm + box.h_norm)
        value["box_thousandths"] = [round(corner * 1000) for corner in corners]
    line = json.dumps(value, ensure_ascii=False)
    for character in "<>\u2028\u2029\u0085":
        line = line.replace(character, f"\\u{ord(character):04x}")
    return line
