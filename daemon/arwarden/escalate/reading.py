"""From what a model wrote to a judgement: strictly where it kept to the schema, else as far as it is plain.

Whatever cannot be understood is unknown, with the reason, and never counted as a "no".
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import Any, Final

from arwarden.escalate.answers import Adjustment, Judgement, NamedElement, ParseStatus, Verdict
from arwarden.escalate.boxes import frame_box
from arwarden.escalate.lenient import Found, Json, find_objects
from arwarden.escalate.members import pick, text_of, walk
from arwarden.escalate.phrases import is_blind, is_refusal, is_undecided, plain, prose_verdict, word_verdict
from arwarden.escalate.questions import Question, Scale, Task
from arwarden.escalate.rendering import BoxUnit
from arwarden.escalate.schemas import Schema, schema_for
from arwarden.escalate.scores import (
    adjustment_in,
    adjustment_in_prose,
    comparisons_in,
    comparisons_in_prose,
    rating_in,
    rating_in_prose,
)

MAX_ANSWER_CHARS: Final = 40_000
"""Longer answers lose their middle: the conclusion stands at the end, a JSON object at the beginning."""
MAX_ELEMENTS: Final = 24
_THINKING: Final = re.compile(
    r"<(think|thinking|reasoning|thought)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE
)
_THOUGHT_END: Final = re.compile(r"</(?:think|thinking|reasoning|thought)>", re.IGNORECASE)
_VERDICT_ITSELF: Final = ("verdict", "finalverdict")
_PLAIN_VERDICT_NAMES: Final = ("verdict", "finalverdict", "finalanswer", "answer")
_VERDICT_NAMES: Final = (
    *_PLAIN_VERDICT_NAMES,
    "iscontradictory",
    "contradictory",
    "hascontradiction",
    "contradictiondetected",
    "contradiction",
    "contradicts",
    "conclusion",
    "result",
    "urteil",
    "veredicto",
)
_REASON_NAMES: Final = (
    "contradiction",
    "reason",
    "reasons",
    "reasoning",
    "explanation",
    "assessment",
    "rationale",
    "justification",
    "analysis",
)
_ELEMENT_NAMES: Final = ("virtualcontent", "virtualelements", "elements", "virtualobjects", "items")


@dataclass(frozen=True, slots=True)
class Written:
    """What came back from a model."""

    text: str
    thoughts: str = ""
    """What it thought aloud, where the server keeps that apart."""
    refusal: str = ""
    """Set where the server says that the model declined."""
    cut: bool = False
    """True where the answer ended at the limit of tokens."""


def read_answer(question: Question, written: Written, unit: BoxUnit) -> Judgement:
    """Understand an answer. Never raises, whatever is in it, and takes time linear in its length."""
    body = _without_thoughts(_shortened(written.text))
    thoughts = _shortened(written.thoughts)
    if not body.strip():
        if written.refusal:
            return _unreadable("refused", written.refusal)
        if thoughts.strip():
            return _from_thoughts(question, thoughts, unit)
        return _unreadable("cut_off" if written.cut else "empty")
    if written.refusal:  # what was written before the model was stopped is no answer unless it is a whole one
        return _strict(question, body, unit) or _unreadable("refused", written.refusal)
    judgement = _strict(question, body, unit) or _tolerant(question, body, unit)
    if not judgement.readable and written.cut and judgement.problem.startswith("no_"):
        judgement = replace(judgement, problem="cut_off")
    return judgement


def _shortened(text: str) -> str:
    half = MAX_ANSWER_CHARS // 2
    return text if len(text) <= MAX_ANSWER_CHARS else f"{text[:half]}\n{text[-half:]}"


def _without_thoughts(text: str) -> str:
    kept = _THINKING.sub("", text)
    ends = list(_THOUGHT_END.finditer(kept))
    return kept[ends[-1].end() :] if ends else kept


def _from_thoughts(question: Question, thoughts: str, unit: BoxUnit) -> Judgement:
    """Some servers put the answer among the thoughts. Prose there is no answer yet, an object is."""
    if (strict := _strict(question, thoughts, unit)) is not None:
        return replace(strict, parse=ParseStatus.TOLERANT)
    for found in reversed(find_objects(thoughts)):
        judgement = _from_found(question, found, unit)
        if judgement.readable:
            return judgement
    return _unreadable("only_thoughts")


def _unreadable(problem: str, text: str = "") -> Judgement:
    return Judgement(ParseStatus.UNREADABLE, problem=problem, reason=plain(text))


def _strict(question: Question, body: str, unit: BoxUnit) -> Judgement | None:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return None
    if not fits(value, schema_for(question.task)):
        return None
    judgement = _from_object(question, value, unit)
    return replace(judgement, parse=ParseStatus.STRICT) if judgement.readable else judgement


def _tolerant(question: Question, body: str, unit: BoxUnit) -> Judgement:
    objects = find_objects(body)
    tried = [_from_found(question, found, unit) for found in reversed(objects)]
    readable = next((judgement for judgement in tried if judgement.readable), None)
    if readable is not None:
        return readable
    prose = _from_prose(question, _outside(body, objects))
    if not objects or prose.readable:
        return prose
    if question.task.adjusts:
        completed = _completed(question.task, tried[0], prose)
        if completed.readable:
            return completed
    if not objects[-1].complete and tried[0].problem.startswith("no_"):
        return replace(tried[0], problem="cut_off")
    return tried[0]


def _outside(body: str, objects: list[Found]) -> str:
    """The prose around objects: a half-written object is no prose."""
    pieces, position = [], 0
    for found in objects:
        pieces.append(body[position : found.start])
        position = found.end if found.complete else len(body)
    return "\n".join((*pieces, body[position:]))


def _completed(task: Task, members: Judgement, prose: Judgement) -> Judgement:
    """The score of the prose with the numbers of the object: the form that is asked for in prose."""
    adjustment = members.adjustment or prose.adjustment
    problem = prose.problem if prose.rating is None else ""
    return _rated(task, prose.rating, problem, adjustment, prose.reason)


def _from_found(question: Question, found: Found, unit: BoxUnit) -> Judgement:
    """A half object counts where it got as far as a member that can be nothing but the verdict."""
    verdict_told = any(key in _PLAIN_VERDICT_NAMES for key, _ in walk(found.value))
    if question.task is Task.CONTRADICTION and not found.complete and not verdict_told:
        return _unreadable("no_verdict", text_of(pick(found.value, *_REASON_NAMES)))
    return _from_object(question, found.value, unit)


def _from_object(question: Question, value: dict[str, Json], unit: BoxUnit) -> Judgement:
    reason = plain(text_of(pick(value, *_REASON_NAMES)))
    if question.task is Task.CONTRADICTION:
        return _verdict_in(value, reason, _elements(value, question, unit), seeing=bool(question.pictures))
    if question.task is Task.PAIRWISE:
        return _compared(comparisons_in(value), reason)
    rating, problem = rating_in(value, question.task)
    adjustment = adjustment_in(value, question.task) if question.task.adjusts else None
    content = plain(text_of(pick(value, "content", "object")), 200)
    elements = (NamedElement(content),) if content else ()
    return replace(_rated(question.task, rating, problem, adjustment, reason), elements=elements)


def _from_prose(question: Question, text: str) -> Judgement:
    reason = plain(text)
    if question.pictures and is_blind(text):
        return _unreadable("sees_no_picture", text)
    if is_refusal(text):
        return _unreadable("refused", text)
    if question.task is Task.CONTRADICTION:
        verdict = prose_verdict(text)
        if verdict is Verdict.UNKNOWN:
            return _unreadable("no_verdict", text)
        return Judgement(ParseStatus.TOLERANT, verdict, reason)
    if question.task is Task.PAIRWISE:
        return _compared(comparisons_in_prose(text), reason)
    rating, problem = rating_in_prose(text, question.task)
    adjustment = adjustment_in_prose(text, question.task) if question.task.adjusts else None
    return _rated(question.task, rating, problem, adjustment, reason)


def _verdict_in(value: Json, reason: str, elements: tuple[NamedElement, ...], *, seeing: bool) -> Judgement:
    verdict = _verdict_of(value)
    if verdict is Verdict.UNKNOWN:
        return Judgement(ParseStatus.UNREADABLE, reason=reason, problem="no_verdict", elements=elements)
    # Who sees nothing sees no contradiction: that is no answer. A quoted "I cannot see" beside a yes is one.
    if seeing and verdict is Verdict.NO and is_blind(" ".join(text_of(member) for _, member in walk(value))):
        return Judgement(ParseStatus.UNREADABLE, reason=reason, problem="sees_no_picture", elements=elements)
    return Judgement(ParseStatus.TOLERANT, verdict, reason, elements=elements)


def _verdict_of(value: Json) -> Verdict:
    members = list(walk(value))
    if any(
        key in _VERDICT_ITSELF and isinstance(member, str) and is_undecided(member) for key, member in members
    ):
        return Verdict.UNKNOWN
    for name in _VERDICT_NAMES:
        said = {_said(member) for key, member in members if key == name} - {Verdict.UNKNOWN}
        if said:
            return said.pop() if len(said) == 1 else Verdict.UNKNOWN
    # Keys in another language: the only member that is a yes or a no.
    said = {_said(member) for key, member in members if key not in _ELEMENT_NAMES} - {Verdict.UNKNOWN}
    return said.pop() if len(said) == 1 else Verdict.UNKNOWN


def _said(member: Json) -> Verdict:
    if isinstance(member, bool):
        return Verdict.YES if member else Verdict.NO
    return word_verdict(member) if isinstance(member, str) and len(member) <= 24 else Verdict.UNKNOWN


def _rated(
    task: Task, rating: float | None, problem: str, adjustment: Adjustment | None, reason: str
) -> Judgement:
    if rating is not None and rating == 5 and adjustment is None and task.adjusts:
        adjustment = Adjustment()  # nothing to mend, and it says nothing of mending
    if rating is not None and task.adjusts and adjustment is None:
        problem = "no_adjustment"
    parse = ParseStatus.UNREADABLE if problem else ParseStatus.TOLERANT
    return Judgement(parse, reason=reason, problem=problem, rating=rating, adjustment=adjustment)


def _compared(comparisons: tuple[Any, ...], reason: str) -> Judgement:
    problem = "" if len(comparisons) == len(Scale) else "no_choice"
    parse = ParseStatus.UNREADABLE if problem else ParseStatus.TOLERANT
    return Judgement(parse, reason=reason, problem=problem, comparisons=comparisons)


def _elements(value: Json, question: Question, unit: BoxUnit) -> tuple[NamedElement, ...]:
    listed = pick(value, *_ELEMENT_NAMES)
    if not isinstance(listed, list):
        return ()
    found = []
    for item in listed[:MAX_ELEMENTS]:
        named = (
            pick(item, "content", "text", "what", "name", "label", "description")
            if isinstance(item, dict)
            else item
        )
        text = plain(text_of(named), 200)
        box = (
            pick(item, "box", "bbox", "bbox2d", "boundingbox", "position") if isinstance(item, dict) else None
        )
        if text:
            shown = question.pictures[-1:]
            found.append(NamedElement(text, frame_box(box, shown[0], unit) if shown else None))
    return tuple(found)


def fits(value: object, schema: Schema) -> bool:
    """True where a value is what one of our own schemas asks for."""
    if "anyOf" in schema:
        return any(fits(value, option) for option in schema["anyOf"])
    if "enum" in schema and (isinstance(value, bool) or value not in schema["enum"]):
        return False
    kind = schema["type"]
    if kind == "object":
        properties = schema["properties"]
        return (
            isinstance(value, dict)
            and value.keys() == properties.keys()
            and all(fits(value[name], inner) for name, inner in properties.items())
        )
    if kind == "array":
        return isinstance(value, list) and all(fits(item, schema["items"]) for item in value)
    if kind in ("number", "integer"):
        wanted = (int, float) if kind == "number" else (int,)
        return isinstance(value, wanted) and not isinstance(value, bool)
    return value is None if kind == "null" else isinstance(value, str)
