"""Contradiction answers, as models have been seen to write them."""

from __future__ import annotations

import json

import pytest

from arwarden.core.findings import Box
from arwarden.escalate.answers import MAX_REASON_CHARS, Judgement, ParseStatus, Verdict
from arwarden.escalate.questions import Question, Task
from arwarden.escalate.reading import Written, fits, read_answer
from arwarden.escalate.rendering import BoxUnit
from arwarden.escalate.schemas import schema_for
from tests.unit.escalate.asking import picture, question

YES, NO, UNKNOWN = Verdict.YES, Verdict.NO, Verdict.UNKNOWN
EXACT = {
    "scene": "a corridor",
    "virtual_content": [{"content": "an arrow to the left", "box": [100, 200, 300, 400]}],
    "contradiction": "The arrow points left, the text says right.",
    "verdict": "yes",
}


def read(text: str, *, thoughts: str = "", refusal: str = "", cut: bool = False) -> Judgement:
    written = Written(text, thoughts, refusal, cut=cut)
    return read_answer(question(), written, BoxUnit.THOUSANDTHS)


def test_an_answer_to_the_schema_is_read_strictly() -> None:
    judgement = read(json.dumps(EXACT))
    assert judgement.parse is ParseStatus.STRICT
    assert judgement.verdict is YES
    assert judgement.reason == "The arrow points left, the text says right."
    (element,) = judgement.elements
    assert element.text == "an arrow to the left"
    assert element.box == pytest.approx(Box(0.1, 0.2, 0.2, 0.2))


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        pytest.param("```json\n" + json.dumps(EXACT) + "\n```", YES, id="fence"),
        pytest.param("```\n" + json.dumps(EXACT) + "\n``` \n", YES, id="plain fence"),
        pytest.param(
            "Here is my answer:\n" + json.dumps(EXACT) + "\nI hope this helps!", YES, id="prose around"
        ),
        pytest.param("{'verdict': 'no', 'contradiction': 'they agree'}", NO, id="single quotes"),
        pytest.param(
            "{'verdict': 'no', 'contradiction': 'it's the same'}", NO, id="apostrophe in single quotes"
        ),
        pytest.param(
            '{"contradiction": "the sign "EXIT" agrees", "verdict": "no"}', NO, id="quotes in quotes"
        ),
        pytest.param("{“verdict”: “yes”}", YES, id="typographic quotes"),
        pytest.param("{verdict: yes, reason: they differ}", YES, id="bare words"),
        pytest.param('{"verdict": "yes",}', YES, id="trailing comma"),
        pytest.param('{"verdict": "yes" // sure\n}', YES, id="comment"),
        pytest.param('{"contradiction": "two\nlines", "verdict": "YES"}', YES, id="line break in a string"),
        pytest.param('{"verdict": "Yes."}', YES, id="full stop"),
        pytest.param('{"verdict": "**No**"}', NO, id="emphasis"),
        pytest.param('{"verdict": true}', YES, id="true"),
        pytest.param('{"verdict": False}', NO, id="Python's False"),
        pytest.param('{"contradiction": true, "reason": "x"}', YES, id="contradiction as a truth value"),
        pytest.param('{"answer": {"verdict": "no"}}', NO, id="nested"),
        pytest.param('{"Final Answer": "Yes"}', YES, id="another key"),
        pytest.param('{"判断": "是"}', YES, id="a key in Chinese"),
        pytest.param('{"urteil": "Nein"}', NO, id="German"),
        pytest.param('{"verdict": "да"}', YES, id="Russian"),
        pytest.param('{"verdict": "yes|no"}', UNKNOWN, id="the form repeated"),
        pytest.param('{"verdict": "yes or no"}', UNKNOWN, id="both"),
        pytest.param('{"verdict": "unclear"}', UNKNOWN, id="undecided"),
        pytest.param('{"verdict": null}', UNKNOWN, id="null"),
        pytest.param('{"verdict": ""}', UNKNOWN, id="empty verdict"),
        pytest.param('{"verdict": "unclear", "contradiction": "no"}', UNKNOWN, id="undecided beside a no"),
        pytest.param('{"verdict": "yes|no", "contradiction": false}', UNKNOWN, id="the form beside a no"),
        pytest.param('{"verdict": "", "contradiction": "no"}', UNKNOWN, id="empty verdict beside a no"),
        pytest.param('{"verdict": "consistent", "contradiction": false}', NO, id="a word beside a no"),
        pytest.param('{"verdict": "No, they agree", "contradiction": "no"}', NO, id="prose beside a no"),
        pytest.param('{"a": "yes", "b": "no"}', UNKNOWN, id="two unknown keys that disagree"),
        pytest.param('{"verdict": "yes|no"}\nThen: {"verdict": "no"}', NO, id="form first, answer last"),
        pytest.param(
            '{"contradiction": "they differ", "verdict": "yes"', YES, id="only the brace is missing"
        ),
        pytest.param('{"contradiction": "they differ", "verdict": "ye', UNKNOWN, id="cut in the verdict"),
        pytest.param('{"contradiction": "they diff', UNKNOWN, id="cut before the verdict"),
        pytest.param('{"verdict": "no', UNKNOWN, id="cut in a no: not a no"),
        pytest.param("[" * 5000, UNKNOWN, id="brackets"),
        pytest.param('{"a":' * 3000, UNKNOWN, id="deep"),
        pytest.param("{" * 3000 + '"verdict": "no"', UNKNOWN, id="braces"),
    ],
)
def test_objects(text: str, verdict: Verdict) -> None:
    judgement = read(text)
    assert judgement.verdict is verdict
    assert judgement.readable is (verdict is not UNKNOWN)
    assert bool(judgement.problem) is (verdict is UNKNOWN)


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("The arrow points left and the sign says right.\n\n**Yes**", YES),
        ("1. A shop.\n2. Two tags.\n3. They agree.\n4. **No**", NO),
        ("They agree in all points.\nFinal answer: No.", NO),
        ("Question 4: **Yes**.", YES),
        ("They differ.\n**Verdict:** yes (the arrow points left)", YES),
        ("Is there a contradiction?: No", NO),
        ("Sie stimmen überein.\nAntwort: Nein", NO),
        ("它们一致。\n结论：否", NO),
        ("The red sign says: No", UNKNOWN),
        ("The label on the door: NO", UNKNOWN),
        ("The sign answers: No", UNKNOWN),
        ("Yes", YES),
        ("no", NO),
        ("NO.", NO),
        ("Yes, the arrow contradicts the text.", YES),
        ("No, there is no contradiction between the labels.", NO),
        ("The labels agree. No, nothing is wrong.", NO),
        ("Ja, die Schilder widersprechen sich.", YES),
        ("Non. Les panneaux disent la même chose.", NO),
        ("Sí.", YES),
        ("はい", YES),
        ("是的，箭头与文字矛盾。", YES),
        ("不是。", NO),
        ("Нет, всё согласуется.", NO),
        ("نعم", YES),
        ("There is no contradiction.", UNKNOWN),
        ("There is no doubt that the two signs contradict each other", UNKNOWN),
        ("I know of yes and no.", UNKNOWN),
        ("Yes and no.", UNKNOWN),
        ("Yes/No", UNKNOWN),
        ("yes|no", UNKNOWN),
        ("**Yes** or **No**", UNKNOWN),
        ("Answer with **Yes** or **No**. They agree.\n**No**", NO),
        ("It depends.", UNKNOWN),
        ("A sign says NO ENTRY", UNKNOWN),
        ("No entry is written on the sign, an arrow points in", UNKNOWN),
        ("...", UNKNOWN),
        ("\N{WHITE HEAVY CHECK MARK}", UNKNOWN),
    ],
)
def test_prose(text: str, verdict: Verdict) -> None:
    assert read(text).verdict is verdict


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "empty"),
        (" \n\t" * 2000, "empty"),
        ("I'm sorry, but I can't assist with that.", "refused"),
        ("I cannot help with this request. No", "refused"),
        ("I must decline.", "refused"),
        ("I cannot see images, so: No", "sees_no_picture"),
        ("I'm unable to view the image.\nNo", "sees_no_picture"),
        ("I am unable to view the picture you sent.\nNo", "sees_no_picture"),
        ("No image was provided.\n**No**", "sees_no_picture"),
        ("As a text-based model I judge by text. No", "sees_no_picture"),
        ('{"verdict": "no", "contradiction": "I can\'t see any image here."}', "sees_no_picture"),
        ("They agree, I think", "no_verdict"),
        ('{"scene": "a shop"}', "no_verdict"),
    ],
)
def test_what_is_no_answer_has_a_name_and_is_never_a_no(text: str, problem: str) -> None:
    judgement = read(text)
    assert judgement.parse is ParseStatus.UNREADABLE
    assert judgement.verdict is UNKNOWN
    assert judgement.problem == problem


def test_an_exact_no_of_a_model_that_saw_nothing_is_unknown() -> None:
    blind = {**EXACT, "contradiction": "No image was provided, so nothing contradicts.", "verdict": "no"}
    assert read(json.dumps(blind)).problem == "sees_no_picture"
    quoted = {
        **EXACT,
        "contradiction": 'A panel says "I cannot see images"; the arrows disagree.',
        "verdict": "yes",
    }
    assert read(json.dumps(quoted)).verdict is YES


def test_who_was_shown_no_picture_may_say_so() -> None:
    asked = Question(Task.CONTRADICTION, ())
    blind = {**EXACT, "contradiction": "I cannot see the picture; the texts agree.", "verdict": "no"}
    exact = read_answer(asked, Written(json.dumps(blind)), BoxUnit.THOUSANDTHS)
    assert (exact.verdict, exact.elements[0].box) == (NO, None)
    prose = read_answer(asked, Written("No image was provided, but the texts agree.\n**No**"), BoxUnit.PIXELS)
    assert prose.verdict is NO


def test_thoughts_are_not_the_answer() -> None:
    assert read("<think>It may be yes. No, wait.</think>\n**Yes**").verdict is YES
    assert read("Hm, no, yes…</think>{'verdict': 'no'}").verdict is NO
    assert read("<think>The answer is\n**No**").problem == "empty"
    assert read("<think>I wonder", cut=True).problem == "cut_off"


def test_an_answer_among_the_thoughts_counts_as_an_object_only() -> None:
    found = read("", thoughts="So I will answer " + json.dumps(EXACT))
    assert found.verdict is YES
    assert found.parse is ParseStatus.TOLERANT
    assert read("", thoughts=json.dumps(EXACT)).parse is ParseStatus.TOLERANT
    assert read("", thoughts="The answer is\n**No**").problem == "only_thoughts"


def test_a_refusal_that_the_server_reports() -> None:
    judgement = read("", refusal="I can't help with that")
    assert (judgement.problem, judgement.reason) == ("refused", "I can't help with that")
    assert read("No", refusal="content filter").problem == "refused"
    assert read('{"verdict": "no", "contra', refusal="content filter").problem == "refused"
    assert read(json.dumps(EXACT), refusal="content filter").verdict is YES


def test_the_end_at_the_token_limit_is_named() -> None:
    assert read('{"contradiction": "and so on', cut=True).problem == "cut_off"
    assert read("They seem to", cut=True).problem == "cut_off"
    assert read("", cut=True).problem == "cut_off"
    assert read(json.dumps(EXACT), cut=True).verdict is YES


def test_reasons_are_one_bounded_line_without_control_characters() -> None:
    dirty = {**EXACT, "contradiction": "left\x1b[31m\n\u202eright\u200b " + "x" * 5000}
    reason = read(json.dumps(dirty)).reason
    assert reason.startswith("left[31m right x")
    assert len(reason) == MAX_REASON_CHARS


def test_reasons_given_as_lists_are_joined() -> None:
    assert read('{"verdict": "yes", "reasons": ["one", "two"]}').reason == "one; two"


def test_a_megabyte_is_read_at_both_ends() -> None:
    padding = "lorem ipsum " * 90_000
    assert read(padding + "\n**Yes**").verdict is YES
    assert read(json.dumps(EXACT) + padding).verdict is YES
    assert read(padding).verdict is UNKNOWN


@pytest.mark.parametrize("side", ["1" + "0" * 400, "-1" + "0" * 400, "1e999", "NaN", "-Infinity"])
def test_numbers_beyond_all_measure_are_no_box(side: str) -> None:
    listed = f'[{{"content": "arrow", "box": [0, 0, 5, {side}]}}]'
    text = json.dumps({**EXACT, "virtual_content": "HERE"}).replace('"HERE"', listed)
    judgement = read(text)
    assert judgement.verdict is YES
    assert [(element.text, element.box) for element in judgement.elements] == [("arrow", None)]
    assert read(f'{{"verdict": "yes", "reason": {side}}}').verdict is YES


def test_boxes_are_those_of_the_frame_that_a_crop_was_cut_from() -> None:
    cropped = picture(crop=Box(0.5, 0.0, 0.5, 1.0))
    asked = Question(Task.CONTRADICTION, (cropped,))
    judgement = read_answer(asked, Written(json.dumps(EXACT)), BoxUnit.THOUSANDTHS)
    assert judgement.elements[0].box == pytest.approx(Box(0.55, 0.2, 0.1, 0.2))


def test_elements_may_be_plain_texts_and_are_bounded() -> None:
    many = {**EXACT, "virtual_content": [f"panel {i}" for i in range(100)]}
    elements = read(json.dumps(many)).elements
    assert len(elements) == 24
    assert (elements[0].text, elements[0].box) == ("panel 0", None)


@pytest.mark.parametrize("task", list(Task))
def test_schemas_are_within_what_strict_modes_take(task: Task) -> None:
    def check(schema: object) -> None:
        if isinstance(schema, dict):
            if schema.get("type") == "object":
                assert schema["additionalProperties"] is False
                assert set(schema["required"]) == set(schema["properties"])
            for value in schema.values():
                check(value)
        if isinstance(schema, list):
            for value in schema:
                check(value)

    check(schema_for(task))


def test_fitting_a_schema_is_exact() -> None:
    schema = schema_for(Task.CONTRADICTION)
    assert fits(EXACT, schema)
    assert fits({**EXACT, "virtual_content": [{"content": "x", "box": None}]}, schema)
    assert not fits({**EXACT, "extra": 1}, schema)
    assert not fits({**EXACT, "verdict": "maybe"}, schema)
    assert not fits({**EXACT, "scene": 3}, schema)
    assert not fits({**EXACT, "virtual_content": [{"content": "x", "box": [True]}]}, schema)
    assert not fits({"content": "x", "assessment": "y", "rating": True}, schema_for(Task.SIZE))
    assert not fits([], schema)
