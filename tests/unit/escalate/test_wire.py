from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from arwarden.core.findings import Box
from arwarden.escalate.dialect import AnswerMode, Api, Dialect
from arwarden.escalate.prompts import load_prompts
from arwarden.escalate.questions import Fact, Form, Question, Task
from arwarden.escalate.rendering import AnswerForm, BoxUnit, Rendered, render
from arwarden.escalate.schemas import schema_for
from arwarden.escalate.wire import Malformed, read_reply, request_body
from tests.unit.escalate.asking import picture, question

PROMPTS = load_prompts()


def rendered(asked: Question) -> Rendered:
    return render(asked, PROMPTS, AnswerForm.JSON, BoxUnit.THOUSANDTHS)


def body(dialect: Dialect, asked: Question | None = None, temperature: float | None = 0.0) -> dict[str, Any]:
    asked = asked or question()
    return request_body(
        rendered(asked), asked.task, dialect, model="m", max_tokens=300, temperature=temperature
    )


def test_a_chat_request() -> None:
    sent = body(Dialect())
    system, user = sent["messages"]
    assert system["role"] == "system"
    assert "never instructions" in system["content"]
    image, text = user["content"]
    assert (
        base64.b64decode(image["image_url"]["url"].removeprefix("data:image/jpeg;base64,")) == picture().jpeg
    )
    assert text["text"].startswith("You are shown one picture.")
    assert sent["response_format"]["json_schema"]["schema"] == schema_for(Task.CONTRADICTION)
    assert sent["response_format"]["json_schema"]["strict"] is True
    assert (sent["model"], sent["max_tokens"], sent["temperature"]) == ("m", 300, 0.0)
    json.dumps(sent)


@pytest.mark.parametrize("api", Api)
def test_a_question_without_a_picture_is_text_alone(api: Api) -> None:
    asked = Question(Task.CONTRADICTION, (), facts=(Fact("read", "Made in France", Box(0.1, 0.1, 0.2, 0.2)),))
    sent = json.dumps(body(Dialect(api=api), asked))
    assert "Made in France" in sent
    assert "image" not in sent.replace("images", "")
    assert "box_thousandths" not in sent


def test_a_responses_request() -> None:
    sent = body(Dialect(api=Api.RESPONSES))
    assert "never instructions" in sent["instructions"]
    image, text = sent["input"][0]["content"]
    assert (image["type"], text["type"]) == ("input_image", "input_text")
    assert image["image_url"].startswith("data:image/jpeg;base64,")
    assert sent["text"]["format"]["schema"] == schema_for(Task.CONTRADICTION)
    assert sent["store"] is False, "pictures of what a wearer sees are not to be kept"
    assert sent["max_output_tokens"] == 300
    assert sent["stream"] is False


@pytest.mark.parametrize("api", Api)
def test_modes_change_what_binds_the_answer(api: Api) -> None:
    member = "response_format" if api is Api.CHAT else "text"
    assert "json_object" in json.dumps(body(Dialect(api=api, mode=AnswerMode.JSON_OBJECT))[member])
    assert member not in body(Dialect(api=api, mode=AnswerMode.JSON))


@pytest.mark.parametrize("api", Api)
def test_options_that_were_refused_are_left_out(api: Api) -> None:
    sent = body(Dialect(api=api, temperature=False, system=False, token_field="max_completion_tokens"))
    assert "temperature" not in sent
    assert "instructions" not in sent
    turns = sent["messages"] if api is Api.CHAT else sent["input"]
    assert [turn["role"] for turn in turns] == ["user"]
    assert "never instructions" in turns[0]["content"][0]["text"]
    assert ("max_completion_tokens" in sent) is (api is Api.CHAT)
    assert "temperature" not in body(Dialect(api=api), temperature=None)


@pytest.mark.parametrize("api", Api)
def test_examples_are_turns_of_the_conversation(api: Api) -> None:
    sent = body(Dialect(api=api), question(Task.SIZE, form=Form.FEW_SHOT))
    turns = [turn for turn in sent["messages" if api is Api.CHAT else "input"] if turn["role"] != "system"]
    assert [turn["role"] for turn in turns] == ["user", "assistant", "user"]
    assert '"rating": 1' in turns[1]["content"]


def chat(message: object, finish: str = "stop", **more: object) -> bytes:
    return json.dumps({"choices": [{"message": message, "finish_reason": finish}], **more}).encode()


def test_a_chat_reply() -> None:
    usage = {"prompt_tokens": 1200, "completion_tokens": 30}
    reply = read_reply(chat({"content": "yes"}, usage=usage, model="m-1"), Api.CHAT)
    assert (reply.written.text, reply.tokens_in, reply.tokens_out, reply.model) == ("yes", 1200, 30, "m-1")
    assert not reply.written.cut


@pytest.mark.parametrize(
    ("message", "finish", "expected"),
    [
        ({"content": None}, "stop", ("", "", "", False)),
        ({}, "stop", ("", "", "", False)),
        ({"content": None, "reasoning_content": "hm"}, "stop", ("", "hm", "", False)),
        ({"content": "", "reasoning": "hm"}, "stop", ("", "hm", "", False)),
        (
            {"content": [{"type": "text", "text": "y"}, {"type": "text", "text": "es"}]},
            "stop",
            ("yes", "", "", False),
        ),
        ({"content": 7}, "stop", ("", "", "", False)),
        ({"content": None, "refusal": "no"}, "stop", ("", "", "no", False)),
        ({"content": None}, "content_filter", ("", "", "content filter", False)),
        ({"content": "ye"}, "length", ("ye", "", "", True)),
    ],
)
def test_chat_replies_of_all_sorts(message: object, finish: str, expected: tuple[object, ...]) -> None:
    written = read_reply(chat(message, finish), Api.CHAT).written
    assert (written.text, written.thoughts, written.refusal, written.cut) == expected


def test_a_responses_reply() -> None:
    value = {
        "model": "m-1",
        "output": [
            {"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}]},
            {"type": "message", "content": [{"type": "output_text", "text": "yes"}]},
            "noise",
        ],
        "usage": {"input_tokens": 5, "output_tokens": 6},
    }
    reply = read_reply(json.dumps(value).encode(), Api.RESPONSES)
    assert (reply.written.text, reply.written.thoughts) == ("yes", "hm")
    assert (reply.tokens_in, reply.tokens_out) == (5, 6)


def test_responses_that_refuse_or_end_early() -> None:
    refused = {"output": [{"type": "message", "content": [{"type": "refusal", "refusal": "no"}]}]}
    assert read_reply(json.dumps(refused).encode(), Api.RESPONSES).written.refusal == "no"
    cut = {"output": [], "incomplete_details": {"reason": "max_output_tokens"}}
    assert read_reply(json.dumps(cut).encode(), Api.RESPONSES).written.cut


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "not_json"),
        (b"<html>", "not_json"),
        (b" " * 100_000, "not_json"),
        (b'{"choices": [{"mess', "truncated_reply"),
        (b"[" * 20_000, "truncated_reply"),
        (b'{"choices": [' + b"[]," * 1_300_000 + b"[]]}", "reply_too_long"),
        (b'{"choices": [' + b"1," * 2_000_000 + b"1]}", "reply_too_long"),
        (b"\xff\xfe\xfd", "not_json"),
        (b"[]", "not_an_object"),
        (b"null", "not_an_object"),
        (b"{}", "no_choices"),
        (b'{"choices": []}', "no_choices"),
        (b'{"choices": null}', "no_choices"),
        (b'{"choices": ["x"]}', "no_choices"),
        (b'{"choices": [{}]}', "no_message"),
        (b'{"choices": [{"message": "x"}]}', "no_message"),
        (b'{"error": {"message": "overloaded"}}', "error_in_reply"),
    ],
)
def test_replies_that_are_none(content: bytes, reason: str) -> None:
    with pytest.raises(Malformed) as caught:
        read_reply(content, Api.CHAT)
    assert caught.value.reason == reason


@pytest.mark.parametrize(
    "usage", [None, "x", {"prompt_tokens": "9"}, {"prompt_tokens": -1}, {"prompt_tokens": True}]
)
def test_token_counts_that_make_no_sense_are_zero(usage: object) -> None:
    assert read_reply(chat({"content": "x"}, usage=usage), Api.CHAT).tokens_in == 0


def test_responses_without_output() -> None:
    for content, reason in ((b"{}", "no_output"), (b'{"error": 1}', "error_in_reply")):
        with pytest.raises(Malformed) as caught:
            read_reply(content, Api.RESPONSES)
        assert caught.value.reason == reason
