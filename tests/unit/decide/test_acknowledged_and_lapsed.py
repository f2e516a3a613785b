"""Alerts that somebody acknowledged, and alerts that expired unrefuted and are seen again."""

from __future__ import annotations

import pytest

from arwarden.contract.messages import Ack, AckAction, AlertState
from arwarden.decide.draft import AlertDraft
from arwarden.decide.lifecycle import LAPSED_MS
from tests.unit.decide.script import Script, finding


def ack(alert_id: str, revision: int, action: AckAction) -> Ack:
    return Ack(alert_id=alert_id, revision=revision, action=action, headset_ms=1.0)


def test_acknowledgements_are_matched_and_counted() -> None:
    script = Script()
    raised = script.raised()
    assert script.life.acknowledged(ack(raised.alert_id, 1, AckAction.SHOWN))
    assert not script.life.acknowledged(ack("other", 1, AckAction.SHOWN))
    assert not script.life.acknowledged(ack(raised.alert_id, 2, AckAction.SHOWN))
    assert script.counters["acks.shown"] == 1
    assert script.counters["acks.unknown"] == 2


def test_the_last_word_about_an_alert_may_be_acknowledged_too() -> None:
    script = Script()
    script.raised()
    (over,) = script.life.end("session_closed", script.clock.now_ms())
    assert script.life.acknowledged(ack(over.alert_id, over.revision, AckAction.RECEIVED))
    assert not script.life.acknowledged(ack(over.alert_id, over.revision + 1, AckAction.RECEIVED))


@pytest.mark.parametrize("action", [AckAction.DISMISSED, AckAction.REFUSED])
def test_a_dismissed_alert_is_not_refreshed_and_does_not_come_back(action: AckAction) -> None:
    script = Script()
    confirmed = script.confirmed()
    script.life.acknowledged(ack(confirmed.alert_id, confirmed.revision, action))
    for _ in range(30):
        assert script.standing() + script.tick(0) == []
        assert script.sample(finding()) == []
    for _ in range(8):
        drafts = script.sample(elements=()) + script.tick(0)
        if drafts:
            break
    assert [draft.state for draft in drafts] == [AlertState.CLEARED]


def lapsed(script: Script) -> AlertDraft:
    """A confirmed alert that expired because the next sample took too long; returns its end."""
    script.confirmed()
    (end,) = script.tick(script.config.usefulness_ms)
    assert (end.state, end.reason) == (AlertState.CLEARED, "expired")
    return end


def test_what_expired_between_slow_samples_returns_under_its_id() -> None:
    script = Script()
    end = lapsed(script)
    again = script.raised()
    assert (again.alert_id, again.revision) == (end.alert_id, end.revision + 1)
    assert (again.state, again.reason) == (AlertState.RAISED, "returned")
    assert again.first_captured_ms == end.first_captured_ms
    assert again.captured_ms > end.captured_ms
    assert again.expires_ms == again.captured_ms + script.config.usefulness_ms
    assert script.counters["alerts.returned"] == 1


def test_what_was_dismissed_stays_so_when_it_returns() -> None:
    script = Script()
    end = lapsed(script)
    script.life.acknowledged(ack(end.alert_id, end.revision - 1, AckAction.DISMISSED))
    script.raised()
    told = [draft.state for _ in range(30) for draft in script.sample(finding())]
    assert told == [AlertState.CONFIRMED]


def test_what_went_or_expired_long_ago_is_another_alert_when_it_comes() -> None:
    script = Script()
    end = lapsed(script)
    script.tick(LAPSED_MS + 1)
    assert script.raised().alert_id != end.alert_id
    script = Script()
    gone = script.confirmed()
    while script.life.open_alerts:
        script.sample(elements=())
        script.tick(0)
    assert script.raised().alert_id != gone.alert_id
