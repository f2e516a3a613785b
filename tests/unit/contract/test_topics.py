from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arwarden.contract.topics import Topics, is_device_id


def test_topics_of_a_device() -> None:
    topics = Topics("a/v1")
    assert topics.alerts("q-1") == "a/v1/q-1/alerts"
    assert topics.health("q-1") == "a/v1/q-1/health"
    assert topics.acks("q-1") == "a/v1/q-1/acks"
    assert topics.device_of("a/v1/q-1/acks") == "q-1"


@pytest.mark.parametrize("bad", ["", "+", "#", "a/b", "a b", "-a", "ä", "a" * 65, "a\n"])
def test_what_would_break_a_topic_is_no_device_id(bad: str) -> None:
    assert not is_device_id(bad)
    with pytest.raises(ValueError, match="not a device id"):
        Topics().alerts(bad)


@pytest.mark.parametrize(
    "topic", ["", "a/v1", "a/v1/x", "a/v1/x/acks/y", "b/v1/x/acks", "a/v1/ /acks", "a/v1//acks"]
)
def test_foreign_topics_name_no_device(topic: str) -> None:
    assert Topics("a/v1").device_of(topic) is None


@given(st.text())
def test_a_device_id_survives_the_way_through_a_topic(text: str) -> None:
    if is_device_id(text):
        assert Topics().device_of(Topics().acks(text)) == text
