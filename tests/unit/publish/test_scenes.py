from __future__ import annotations

import json
from typing import Any

import pytest

from arwarden.contract.topics import Topics
from arwarden.core.counters import Counters
from arwarden.publish.scenes import MAX_SCENE_BYTES, SceneReader
from tests.contract.golden import EXAMPLES

TOPIC = "arwarden/v1/quest/scene"


def payload(**members: Any) -> bytes:
    return json.dumps(EXAMPLES["scenereport"] | members).encode()


def with_object(**members: Any) -> bytes:
    return payload(objects=[EXAMPLES["scenereport"]["objects"][0] | members])


@pytest.fixture
def counters() -> Counters:
    return Counters()


@pytest.fixture
def reader(counters: Counters) -> SceneReader:
    return SceneReader(Topics(), counters)


def test_a_report_of_the_contract_is_taken(reader: SceneReader, counters: Counters) -> None:
    got = reader.read(TOPIC, payload(), retained=True)
    assert got is not None
    assert (got.device_id, got.retained) == ("quest", True)
    assert got.report is not None
    assert got.report.objects[0].id == "cup"
    assert counters.snapshot() == {"scene.accepted": 1}


def test_an_empty_one_takes_back_what_was_retained(reader: SceneReader, counters: Counters) -> None:
    got = reader.read(TOPIC, b"", retained=True)
    assert got is not None
    assert got.report is None
    assert counters.snapshot() == {"scene.cleared": 1}


@pytest.mark.parametrize(
    ("sent", "fault"),
    [
        (payload(version="2"), "malformed"),
        (payload(base=2), "malformed"),
        (payload(headset_ms=float("inf")), "malformed"),
        (payload(objects=EXAMPLES["scenereport"]["objects"] * 2), "malformed"),
        (
            payload(objects=[EXAMPLES["scenereport"]["objects"][0] | {"id": f"o{n}"} for n in range(65)]),
            "any",
        ),
        (with_object(box=[0, 0, float("nan"), 1]), "malformed"),
        (with_object(box=[0, 0, -0.1, 1]), "malformed"),
        (with_object(box=[5000, 0, 1, 1]), "malformed"),
        (with_object(position_m=[0, float("inf"), 0]), "malformed"),
        (with_object(corrected_m=[1e9, 0, 0]), "malformed"),
        (with_object(rotation=[2, 0, 0, 0]), "malformed"),
        (with_object(id="x" * 65), "malformed"),
        (b"[" * 5000, "malformed"),
        (b"\xff\xfe", "malformed"),
        (payload(more="x" * MAX_SCENE_BYTES), "too_large"),
    ],
)
def test_what_is_not_of_it_is_counted(
    reader: SceneReader, counters: Counters, sent: bytes, fault: str
) -> None:
    assert reader.read(TOPIC, sent, retained=False) is None
    if fault == "any":
        assert sum(counters.snapshot().values()) == 1
    else:
        assert counters.snapshot() == {f"scene.{fault}": 1}


@pytest.mark.parametrize("topic", ["arwarden/v1/quest/acks", "arwarden/v1/a b/scene", "other/quest/scene"])
def test_other_topics_are_refused(reader: SceneReader, counters: Counters, topic: str) -> None:
    assert reader.read(topic, payload(), retained=False) is None
    assert counters.snapshot() == {"scene.bad_topic": 1}
