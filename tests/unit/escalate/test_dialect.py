from __future__ import annotations

import pytest

from arwarden.escalate.dialect import AnswerMode, Api, Dialect
from arwarden.escalate.rendering import AnswerForm

START = Dialect()


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (400, "'response_format' of type 'json_schema' is not supported with this model"),
        (400, "Invalid parameter: 'text.format'"),
        (422, "response_format: Input should be 'text' or 'json_object'"),
        (500, "failed to parse grammar"),
        (400, "guided decoding is disabled"),
        (501, "structured output not implemented"),
    ],
)
def test_a_refused_format_is_stepped_down_twice_and_then_is_no_excuse(status: int, said: str) -> None:
    second = START.after_refusal(status, said)
    assert second is not None
    assert second.mode is AnswerMode.JSON_OBJECT
    third = second.after_refusal(status, said)
    assert third is not None
    assert third.mode is AnswerMode.JSON
    assert third.after_refusal(status, said) is None


def test_a_mode_that_the_operator_chose_is_kept() -> None:
    fixed = Dialect(fixed_mode=True)
    assert fixed.after_refusal(400, "response_format is not supported") is None


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (
            "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
            "max_completion_tokens",
        ),
        ("Unsupported value: 'temperature' does not support 0.0 with this model.", "temperature"),
        ("This model does not support system messages: role system is unknown", "system"),
    ],
)
def test_other_options_are_left_out_once(said: str, expected: str) -> None:
    following = START.after_refusal(400, said)
    assert following is not None
    changed = {
        "max_completion_tokens": following.token_field == "max_completion_tokens",
        "temperature": not following.temperature,
        "system": not following.system,
    }
    assert [name for name, differs in changed.items() if differs] == [expected]
    assert following.after_refusal(400, said) is None


def test_responses_give_way_to_chat_where_the_path_is_unknown() -> None:
    responses = Dialect(api=Api.RESPONSES)
    following = responses.after_refusal(404, '{"detail":"Not Found"}')
    assert following is not None
    assert following.api is Api.CHAT
    assert responses.after_refusal(404, "The model gpt-9 does not exist") is None


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (400, "image too large"),
        (401, "response_format"),
        (429, "max_tokens per minute exceeded"),
        (500, "temperature sensor on fire"),
        (404, "no such path"),
        (413, "response_format"),
    ],
)
def test_other_refusals_are_final(status: int, said: str) -> None:
    assert START.after_refusal(status, said) is None


def test_every_dialect_comes_to_an_end() -> None:
    """Whatever an endpoint says, and again: a question is not asked for ever."""
    everything = "response_format max_tokens temperature system message"
    dialect: Dialect | None = Dialect(api=Api.RESPONSES)
    steps = 0
    while dialect is not None:
        dialect, steps = dialect.after_refusal(400, everything), steps + 1
    assert steps <= 6


def test_modes_and_forms() -> None:
    assert AnswerMode.LINE.form is AnswerForm.LINE
    assert {mode.form for mode in AnswerMode if mode is not AnswerMode.LINE} == {AnswerForm.JSON}
