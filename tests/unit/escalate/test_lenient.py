from __future__ import annotations

import json

import pytest

from arwarden.escalate.lenient import Json, find_objects
from arwarden.escalate.members import number_of, pick, text_of
from tests.support.cpu_time import least_cpu_s


def only(text: str) -> dict[str, Json]:
    (found,) = find_objects(text)
    return found.value


@pytest.mark.parametrize(
    "value",
    [
        {"a": 1.0, "b": [True, None, "x"], "c": {"d": {"e": []}}},
        {"text": 'a "quoted" word, a \\ and a \n line', "u": "\u00e9\u4e2d"},
        {"": "", "empty": {}},
        {"number": -1.5e-3, "zero": 0},
    ],
)
def test_plain_json_is_read_as_json_is(value: dict[str, Json]) -> None:
    assert only(json.dumps(value)) == value
    assert only(json.dumps(value, indent=2, ensure_ascii=False)) == value


def test_objects_in_prose_are_found_in_order_with_their_places() -> None:
    text = 'first {"a": 1} then {"b": 2} end'
    first, second = find_objects(text)
    assert (first.value, second.value) == ({"a": 1}, {"b": 2})
    assert text[first.start : first.end] == '{"a": 1}'
    assert first.complete


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": "x", "b": "y', {"a": "x"}),
        ('{"a": "x", "b": 12', {"a": "x"}),
        ('{"a": "x", "b": tru', {"a": "x"}),
        ('{"a": "x", "b": [1, 2', {"a": "x", "b": [1.0]}),
        ('{"a": "x", "b": {"c": 1, "d', {"a": "x", "b": {"c": 1.0}}),
        ('{"a": "x",', {"a": "x"}),
        ('{"a": "x\\', {}),
        ('{"a": "x\\u12', {}),
        ("{", {}),
    ],
)
def test_what_the_end_cuts_through_is_left_out(text: str, value: dict[str, Json]) -> None:
    (found,) = find_objects(text)
    assert found.value == value
    assert not found.complete


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{'a': 'it's'}", {"a": "it's"}),
        ("{a: 1, 'b': 2,}", {"a": 1, "b": 2}),
        ('{"a" = "b"; }', None),
        ('{"a": 0,5}', {"a": 0.5}),
        ('{"a": 0,5, "b": 1}', {"a": 0.5, "b": 1}),
        ('{"a": [1,2,3]}', {"a": [1, 2, 3]}),
        ('{"a": +3}', {"a": 3}),
        ('{"a": .5}', {"a": 0.5}),
        ('{"a": None, "b": True, "c": NaN}', {"a": None, "b": True, "c": None}),
        ('{"a": 3 m, "b": left or right}', {"a": "3 m", "b": "left or right"}),
        ('{"a": "\\ud800\\u0041\\q"}', {"a": "�Aq"}),
        ('{"a": "\\uzzzz"}', {"a": "uzzzz"}),
        ('{// a comment\n"a": 1}', {"a": 1}),
        ("{not json at all}", None),
        ('{"a": 4/5}', {"a": "4/5"}),
        ('{"a": }', None),
    ],
)
def test_dialects(text: str, value: dict[str, Json] | None) -> None:
    assert [found.value for found in find_objects(text)] == ([value] if value is not None else [])


@pytest.mark.parametrize(
    "piece",
    [
        "{",
        '{"a":',
        "[",
        '{"a":[',
        '"',
        "{'",
        '{"a":"',
        '{"//":"//"',
        "\\",
        '{"a": "b" ',
        "{a:b,",
        "//",
        "{//",
    ],
)
def test_time_is_linear_in_the_length(piece: str) -> None:
    text = '{"x": ' + piece * (40_000 // len(piece))
    assert least_cpu_s(lambda: find_objects(text)) < 2.0


def test_members_are_found_by_the_sense_of_their_names() -> None:
    value: Json = {"Final Answer": "x", "inner": {"verdict": "deep", "final_answer": "deeper"}}
    assert pick(value, "verdict", "finalanswer") == "deep"
    assert pick(value, "finalanswer") == "x"
    assert pick(value, "nothing") is None
    assert pick("no object", "a") is None


def test_text_of_any_value() -> None:
    assert text_of(["a", {"b": "c"}, 1.5, None, True]) == "a; c; 1.5"


NO_NUMBERS: list[Json] = [
    None,
    True,
    "x",
    "1 2",
    "",
    "1e5",
    float("inf"),
    float("nan"),
    [1.0, 2.0],
    {},
    "9" * 50,
]
NUMBERS: list[tuple[Json, float | None]] = [
    (3, 3),
    (0.5, 0.5),
    ("0.5", 0.5),
    ("-0,3 m", -0.3),
    ("+2x", 2),
    ("−1", -1),
    ([4.0], 4),
    (".5", 0.5),
    *((value, None) for value in NO_NUMBERS),
]


@pytest.mark.parametrize(("value", "number"), NUMBERS)
def test_numbers(value: Json, number: float | None) -> None:
    assert number_of(value) == number
