"""Requests and replies of OpenAI-compatible endpoints, as plain objects. Pure."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from arwarden.escalate.dialect import AnswerMode, Api, Dialect
from arwarden.escalate.questions import SentPicture, Task
from arwarden.escalate.reading import Written
from arwarden.escalate.rendering import Rendered, Turn
from arwarden.escalate.schemas import schema_for

Body = dict[str, Any]
MAX_LEVELS: Final = 25_000
MAX_MEMBERS: Final = 250_000
"""Objects and lists, and members of them: a reply has some dozen. Millions take seconds to make."""
CUT: Final = ("length", "max_tokens", "max_output_tokens")


@dataclass(frozen=True, slots=True)
class Reply:
    """What an endpoint answered."""

    written: Written
    model: str
    tokens_in: int
    tokens_out: int


class Malformed(Exception):
    """A reply of no known form. ``reason`` is a name for logs and metrics."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


def request_body(
    rendered: Rendered,
    task: Task,
    dialect: Dialect,
    *,
    model: str,
    max_tokens: int,
    temperature: float | None,
) -> Body:
    """The body of a request."""
    make = _chat_body if dialect.api is Api.CHAT else _responses_body
    body = make(rendered, task, dialect, max_tokens)
    body["model"] = model
    body["stream"] = False  # transformers serve streams responses unless told not to
    if temperature is not None and dialect.temperature:
        body["temperature"] = temperature
    return body


def _chat_body(rendered: Rendered, task: Task, dialect: Dialect, max_tokens: int) -> Body:
    messages = [
        {"role": turn.role, "content": _chat_content(turn)}
        for turn in _turns(rendered, system=dialect.system)
    ]
    if dialect.system and rendered.system:
        messages.insert(0, {"role": "system", "content": rendered.system})
    body: Body = {"messages": messages, dialect.token_field: max_tokens}
    if dialect.mode is AnswerMode.JSON_SCHEMA:
        schema = {"name": task.value, "strict": True, "schema": schema_for(task)}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    elif dialect.mode is AnswerMode.JSON_OBJECT:
        body["response_format"] = {"type": "json_object"}
    return body


def _responses_body(rendered: Rendered, task: Task, dialect: Dialect, max_tokens: int) -> Body:
    turns = [
        {"role": turn.role, "content": _responses_content(turn)}
        for turn in _turns(rendered, system=dialect.system)
    ]
    body: Body = {"input": turns, "max_output_tokens": max_tokens, "store": False}
    if dialect.system and rendered.system:
        body["instructions"] = rendered.system
    if dialect.mode is AnswerMode.JSON_SCHEMA:
        schema = {"type": "json_schema", "name": task.value, "strict": True, "schema": schema_for(task)}
        body["text"] = {"format": schema}
    elif dialect.mode is AnswerMode.JSON_OBJECT:
        body["text"] = {"format": {"type": "json_object"}}
    return body


def _turns(rendered: Rendered, *, system: bool) -> Iterator[Turn]:
    """The turns; where the model takes no system message, the first one begins with what it would say."""
    for index, turn in enumerate(rendered.turns):
        said_here = index == 0 and not system and bool(rendered.system)
        yield Turn(turn.role, (rendered.system, *turn.parts)) if said_here else turn


def _chat_content(turn: Turn) -> str | list[Body]:
    if turn.role == "assistant":
        return "\n".join(part for part in turn.parts if isinstance(part, str))
    return [
        {"type": "image_url", "image_url": {"url": data_url(part)}}
        if isinstance(part, SentPicture)
        else {"type": "text", "text": part}
        for part in turn.parts
    ]


def _responses_content(turn: Turn) -> str | list[Body]:
    if turn.role == "assistant":
        return "\n".join(part for part in turn.parts if isinstance(part, str))
    return [
        {"type": "input_image", "image_url": data_url(part), "detail": "auto"}
        if isinstance(part, SentPicture)
        else {"type": "input_text", "text": part}
        for part in turn.parts
    ]


def data_url(picture: SentPicture) -> str:
    """A picture as a ``data:`` URL."""
    return "data:image/jpeg;base64," + base64.b64encode(picture.jpeg).decode("ascii")


def read_reply(content: bytes, api: Api) -> Reply:
    """Understand the body of a successful response. Raises ``Malformed``."""
    if content.count(b"{") + content.count(b"[") > MAX_LEVELS or content.count(b",") > MAX_MEMBERS:
        raise Malformed("reply_too_long")
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        raise Malformed("truncated_reply" if content.lstrip()[:1] in (b"{", b"[") else "not_json") from None
    if not isinstance(value, dict):
        raise Malformed("not_an_object")
    written = _chat_written(value) if api is Api.CHAT else _responses_written(value)
    usage = value.get("usage")
    model = value.get("model")
    return Reply(
        written,
        model if isinstance(model, str) else "",
        _count(usage, "prompt_tokens", "input_tokens"),
        _count(usage, "completion_tokens", "output_tokens"),
    )


def _chat_written(value: dict[str, Any]) -> Written:
    choices = value.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        # Some gateways answer 200 with an error inside.
        raise Malformed("error_in_reply" if value.get("error") else "no_choices")
    choice = choices[0]
    message = choice.get("message")
    if not isinstance(message, dict):
        raise Malformed("no_message")
    finish = choice.get("finish_reason")
    refusal = _text(message.get("refusal")) or ("content filter" if finish == "content_filter" else "")
    thoughts = _text(message.get("reasoning_content")) or _text(message.get("reasoning"))
    return Written(_text(message.get("content")), thoughts, refusal, cut=finish in CUT)


def _responses_written(value: dict[str, Any]) -> Written:
    output = value.get("output")
    if not isinstance(output, list):
        raise Malformed("error_in_reply" if value.get("error") else "no_output")
    texts, refusals, thoughts = [], [], []
    for item in output:
        if not isinstance(item, dict):
            continue
        if item.get("type") == "reasoning":
            thoughts.append(_text(item.get("content")) or _text(item.get("summary")))
        elif isinstance(item.get("content"), list):
            refusals += [_text(part.get("refusal")) for part in item["content"] if isinstance(part, dict)]
            texts.append(_text(item["content"]))
    details = value.get("incomplete_details")
    reason = details.get("reason") if isinstance(details, dict) else None
    refusal = "".join(refusals) or ("content filter" if reason == "content_filter" else "")
    return Written("".join(texts), "\n".join(thoughts), refusal, cut=reason in CUT)


def _text(value: object) -> str:
    """Text given as text, or as a list of parts with text."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "".join(_text(part.get("text")) for part in value if isinstance(part, dict))
    return ""


def _count(usage: object, *names: str) -> int:
    if not isinstance(usage, dict):
        return 0
    counts = (usage.get(name) for name in names)
    return next((n for n in counts if isinstance(n, int) and not isinstance(n, bool) and 0 <= n < 10**9), 0)
