from __future__ import annotations

import json

import pytest

from arwarden.contract.messages import Alert
from arwarden.publish.shorten import ELLIPSIS, KEPT_ELEMENTS, SHORTEST_CHARS, shorten_json
from tests.support.alerts_out import alert


def payload(**changes: object) -> bytes:
    rendered = alert(1000.0, "id-1").render(1000.0)
    assert rendered is not None
    message = json.loads(rendered)
    message.update(changes)
    return json.dumps(message, ensure_ascii=False).encode()


def element(text: str) -> dict[str, object]:
    return {"type": "text", "text": text, "box": [0.1, 0.2, 0.3, 0.4], "claim": None}


def test_what_fits_is_not_touched() -> None:
    exact = payload()
    assert shorten_json(exact, len(exact)) is exact


def test_stage_times_go_first() -> None:
    long = payload(stages_ms={f"stage-{n}": 1.0 for n in range(100)})
    short = shorten_json(long, 1000)
    assert short is not None
    message = Alert.model_validate_json(short)
    assert message.stages_ms == {}
    assert message.message == "Two labels name different places of origin."


@pytest.mark.parametrize("character", ["x", "é", "漢", "🎈", '"', "\n"])
def test_texts_are_cut_as_little_as_needed(character: str) -> None:
    short = shorten_json(payload(message=character * 5000, stages_ms={}), 2000)
    assert short is not None
    assert 1990 <= len(short) <= 2000
    text = Alert.model_validate_json(short).message
    assert text.endswith(ELLIPSIS)
    assert set(text[:-1]) <= {character}


def test_only_the_longest_texts_are_cut() -> None:
    elements = [element("short text"), element("y" * 3000), element("z" * 3000)]
    short = shorten_json(payload(elements=elements, stages_ms={}), 3000)
    assert short is not None
    texts = [found.text for found in Alert.model_validate_json(short).elements]
    assert texts[0] == "short text"
    assert len(texts[1]) == len(texts[2])
    assert len(texts[1]) > 500


def test_identifiers_states_and_boxes_are_never_touched() -> None:
    long = payload(message="m" * 9000, elements=[element("e" * 9000)], alert_id="i" * 64)
    before, short = json.loads(long), shorten_json(long, 1024)
    assert short is not None
    after = json.loads(short)
    for name in set(before) - {"message", "elements", "stages_ms", "reason"}:
        assert after[name] == before[name]
    assert after["elements"][0]["box"] == before["elements"][0]["box"]
    assert after["elements"][0]["type"] == "text"


def test_elements_beyond_two_go_last() -> None:
    elements = [element(f"{n} " + "w" * 200) for n in range(200)]
    short = shorten_json(payload(elements=elements), 2000)
    assert short is not None
    kept = Alert.model_validate_json(short).elements
    assert len(kept) == KEPT_ELEMENTS
    assert [found.text[0] for found in kept] == ["0", "1"]


def test_what_cannot_fit_is_given_up() -> None:
    assert shorten_json(payload(message="m" * 9000), 200) is None
    assert shorten_json(payload(alert_id="i" * 3000), 2000) is None


@pytest.mark.parametrize(
    "other", [b"x" * 100, b"[" * 100, b"\xff" * 100, b'"' + b"a" * 98 + b'"', b"[" * 90_000]
)
def test_what_is_no_json_object_is_given_up(other: bytes) -> None:
    assert shorten_json(other, 50) is None


def test_a_lone_surrogate_becomes_a_question_mark() -> None:
    short = shorten_json(b'{"message":"\\ud800' + b"m" * 100 + b'"}', 60)
    assert short is not None
    assert short.decode().startswith('{"message":"?mm')


def test_a_cut_text_is_no_shorter_than_can_be_read() -> None:
    smallest = len(b'{"message":"' + b"m" * (SHORTEST_CHARS - 1) + ELLIPSIS.encode() + b'"}')
    long = json.dumps({"message": "m" * 500}).encode()
    assert shorten_json(long, smallest) is not None
    assert shorten_json(long, smallest - 1) is None
