"""Keyframe requests: in time, never more than one a second, and said when nobody answers."""

from __future__ import annotations

from arwarden.ingest.keyframes import UNANSWERED_LIMIT, KeyframeRequests


def sent_at(
    requests: KeyframeRequests, start_ms: int, end_ms: int, *, packets: bool = True, decodes: bool = False
) -> list[int]:
    """The times of requests while time passes in steps of 50 ms."""
    times = []
    for now_ms in range(start_ms, end_ms, 50):
        if packets:
            requests.packet(now_ms)
        if decodes:
            requests.decoded()
        if requests.due(now_ms):
            times.append(now_ms)
    return times


def test_nothing_is_asked_while_pictures_come() -> None:
    assert sent_at(KeyframeRequests(500), 0, 10_000, decodes=True) == []


def test_nothing_is_asked_in_silence() -> None:
    assert sent_at(KeyframeRequests(500), 0, 10_000, packets=False) == []


def test_packets_without_pictures_are_asked_about_after_the_wait() -> None:
    requests = KeyframeRequests(500)
    assert sent_at(requests, 0, 1_000) == [500]
    assert requests.waiting


def test_pause_does_not_count_as_waiting_for_a_picture() -> None:
    requests = KeyframeRequests(500)
    sent_at(requests, 0, 1_000, decodes=True)
    assert sent_at(requests, 20_000, 20_500) == []
    assert sent_at(requests, 20_500, 20_600) == [20_500]


def test_loss_is_asked_about_at_once() -> None:
    requests = KeyframeRequests(500)
    requests.want()
    assert sent_at(requests, 0, 1_000, decodes=True) == [0]


def test_at_most_one_a_second_then_one_in_five() -> None:
    requests = KeyframeRequests(500)
    requests.want()
    times = sent_at(requests, 0, 20_000)
    assert times == [0, 1_000, 2_000, 7_000, 12_000, 17_000]
    assert requests.no_keyframe
    assert requests.sent == 6


def test_no_keyframe_is_said_after_three_and_taken_back() -> None:
    requests = KeyframeRequests(500)
    for second in range(UNANSWERED_LIMIT):
        assert not requests.no_keyframe
        requests.want()
        assert requests.due(second * 1000.0)
    said = [requests.no_keyframe]
    requests.keyframe()
    said.append(requests.no_keyframe)
    assert said == [True, False]
    assert not requests.waiting
    assert not requests.due(10_000.0)


def test_new_loss_after_a_keyframe_still_keeps_the_distance() -> None:
    requests = KeyframeRequests(500)
    requests.want()
    assert requests.due(0.0)
    requests.keyframe()
    requests.want()
    assert not requests.due(400.0)
    assert requests.due(1_000.0)
