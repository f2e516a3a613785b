"""Whatever a model writes: reading it never raises, never takes long, and makes no verdict out of nothing."""

from __future__ import annotations

import json
import math
import time
from contextlib import suppress

from hypothesis import given, settings
from hypothesis import strategies as st

from arwarden.escalate.answers import MAX_REASON_CHARS, Judgement, ParseStatus, Verdict
from arwarden.escalate.dialect import Api
from arwarden.escalate.lenient import find_objects
from arwarden.escalate.questions import Question, Scale, Task
from arwarden.escalate.reading import Written, read_answer
from arwarden.escalate.rendering import BoxUnit
from arwarden.escalate.schemas import schema_for
from arwarden.escalate.wire import Malformed, read_reply
from tests.unit.escalate.asking import question

QUESTIONS = {task: question(task) for task in Task}
WORDS = (
    "yes no Yes **No** { } [ ] \" ' : , verdict rating score: 4/5 3,5 num1 num2 ```json ``` <think> </think> "
    "\\ \\u A B contrast: 是 ja null true NaN 1e999 // “ ’ −"
)
PIECES = st.sampled_from([*WORDS.split(), '"verdict": "', "\n", " ", "\x00", "\ud7ff", "I cannot see images"])
SOUP = st.lists(PIECES | st.text(max_size=8), max_size=60).map("".join)
TEXTS = st.text(max_size=400) | SOUP
JSON = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=True) | st.integers() | st.text(max_size=12) | PIECES,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10) | PIECES, inner, max_size=5)
    ),
    max_leaves=20,
)
TASKS = st.sampled_from(list(Task))
UNITS = st.sampled_from(list(BoxUnit))


def sound(asked: Question, judgement: Judgement) -> None:
    """What holds for every judgement."""
    assert len(judgement.reason) <= MAX_REASON_CHARS
    assert judgement.reason.isprintable()
    assert judgement.readable is (judgement.problem == "")
    if asked.task is not Task.CONTRADICTION or not judgement.readable:
        assert judgement.verdict is Verdict.UNKNOWN
    else:
        assert judgement.verdict is not Verdict.UNKNOWN
    if judgement.rating is not None:
        assert 1 <= judgement.rating <= 5
    if judgement.adjustment is not None:
        adjustment = judgement.adjustment
        assert -1 <= adjustment.right_m <= 1
        assert -1 <= adjustment.up_m <= 1
        assert 0.01 <= adjustment.scale <= 2
    assert all(comparison.choice in ("A", "B") for comparison in judgement.comparisons)
    for element in judgement.elements:
        if element.box is not None:
            assert all(math.isfinite(side) and -1e-9 <= side <= 1 + 1e-9 for side in element.box)


@given(TASKS, TEXTS, TEXTS, st.booleans(), UNITS)
@settings(max_examples=300, deadline=None)
def test_any_text(
    task: Task, text: str, thoughts: str, cut: bool, unit: BoxUnit
) -> None:  # hypothesis draws it
    asked = QUESTIONS[task]
    sound(asked, read_answer(asked, Written(text, thoughts, cut=cut), unit))


@given(TASKS, JSON, UNITS)
@settings(max_examples=300, deadline=None)
def test_any_json(task: Task, value: object, unit: BoxUnit) -> None:
    asked = QUESTIONS[task]
    sound(asked, read_answer(asked, Written(json.dumps(value)), unit))


@given(
    st.text(alphabet=st.characters(exclude_characters='"\\', exclude_categories=("Cc", "Cs")), max_size=80)
)
@settings(deadline=None)
def test_every_cut_of_a_no_short_of_its_end_is_unknown(reason: str) -> None:
    value = {"scene": "s", "virtual_content": [], "contradiction": reason, "verdict": "no"}
    whole = json.dumps(value, ensure_ascii=False)
    asked = QUESTIONS[Task.CONTRADICTION]
    for end in range(0, len(whole) - 2, 7):
        judgement = read_answer(asked, Written(whole[:end], cut=True), BoxUnit.THOUSANDTHS)
        assert judgement.verdict is Verdict.UNKNOWN, whole[:end]


@given(
    st.sampled_from(["yes", "no"]),
    st.text(max_size=60),
    st.text(max_size=60),
    st.sampled_from(["", "```json\n"]),
)
@settings(deadline=None)
def test_an_exact_answer_survives_what_is_wrapped_around_it(
    verdict: str, scene: str, reason: str, fence: str
) -> None:
    value = {"scene": scene, "virtual_content": [], "contradiction": reason, "verdict": verdict}
    text = f"Here it is.\n{fence}{json.dumps(value)}\n{'```' if fence else ''}"
    asked = QUESTIONS[Task.CONTRADICTION]
    alone = read_answer(asked, Written(json.dumps(value)), BoxUnit.THOUSANDTHS)
    assert alone.parse is ParseStatus.STRICT
    assert alone.verdict == verdict
    assert read_answer(asked, Written(text), BoxUnit.THOUSANDTHS).verdict == verdict


@given(
    st.dictionaries(
        st.text(max_size=8), st.text(max_size=8) | st.booleans() | st.none(), min_size=1, max_size=5
    )
)
@settings(deadline=None)
def test_json_is_read_as_json(value: dict[str, object]) -> None:
    (found,) = find_objects(json.dumps(value))
    if "\\" not in json.dumps(value):
        assert found.value == value
    assert found.complete


@given(
    st.binary(max_size=300) | JSON.map(lambda value: json.dumps(value).encode()), st.sampled_from(list(Api))
)
@settings(deadline=None)
def test_any_reply(content: bytes, api: Api) -> None:
    with suppress(Malformed):
        reply = read_reply(content, api)
        assert reply.tokens_in >= 0
        assert isinstance(reply.written.text, str)


@given(TASKS, st.lists(PIECES, min_size=1, max_size=4).map("".join))
@settings(max_examples=60, deadline=None)
def test_time_stays_short_for_anything_repeated(task: Task, piece: str) -> None:
    asked = QUESTIONS[task]
    text = piece * (40_000 // len(piece))
    begun = time.thread_time()
    sound(asked, read_answer(asked, Written(text), BoxUnit.THOUSANDTHS))
    assert time.thread_time() - begun < 3.0


def test_schemas_cover_every_task() -> None:
    assert all(schema_for(task)["type"] == "object" for task in Task)
    assert set(schema_for(Task.PAIRWISE)["properties"]) == {scale.value for scale in Scale}
