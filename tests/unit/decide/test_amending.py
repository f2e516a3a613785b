"""Alerts and second opinions: who may amend what, and what stays untouched."""

from __future__ import annotations

from dataclasses import replace

import pytest

from arwarden.contract.messages import AlertState
from arwarden.core.frame import Frame
from arwarden.core.opinion import Confirmation, Opinion, Raised, Ruling
from arwarden.decide import AlertDraft
from tests.unit.decide.script import Script, finding

KEY = "origin:france|netherlands"
YES = Opinion("cloud", "tiny", "yes", "They differ.", latency_ms=1200.0)
NO = replace(YES, verdict="no")


def raised(script: Script) -> list[AlertDraft]:
    drafts: list[AlertDraft] = []
    for _ in range(2):
        drafts += script.sample(finding())
    return drafts


def test_only_contradictions_that_nobody_was_asked_about_are_unasked() -> None:
    script = Script()
    assert script.life.unasked() == []
    drafts = raised(script)
    assert [one.key for one in script.life.unasked()] == [KEY]
    assert script.life.open_keys == {KEY}
    marked = script.life.asked([KEY, "unknown"], drafts)
    assert [draft.confirmation for draft in marked] == [Confirmation.PENDING]
    assert script.life.unasked() == []


def test_alert_that_is_out_already_tells_that_it_is_pending_in_a_message_of_its_own() -> None:
    script = Script()
    first = raised(script)[-1]
    (told,) = script.life.asked([KEY], [])
    assert (told.alert_id, told.reason) == (first.alert_id, "second_opinion_asked")
    assert told.revision == first.revision + 1
    assert not told.from_sample


@pytest.mark.parametrize(
    ("ruling", "state", "confirmation", "reason"),
    [
        (Ruling(YES, confirmed=(KEY,)), AlertState.CONFIRMED, Confirmation.CONFIRMED, "judge_confirmed"),
        (
            Ruling(NO, rejected=(KEY,), holds_ms=9000),
            AlertState.RETRACTED,
            Confirmation.REJECTED,
            "judge_rejected",
        ),
        (
            Ruling(NO, unverified=(KEY,), why="judge_too_late"),
            AlertState.RAISED,
            Confirmation.UNVERIFIED,
            "judge_too_late",
        ),
    ],
)
def test_answer_amends_the_alert(
    ruling: Ruling, state: AlertState, confirmation: Confirmation, reason: str
) -> None:
    script = Script()
    raised(script)
    (draft,) = script.life.amend(replace(ruling, budget_ms=8500.0), script.clock.now_ms())
    assert (draft.state, draft.confirmation, draft.reason) == (state, confirmation, reason)
    assert draft.opinion is ruling.opinion
    assert draft.budget_ms == 8500.0
    assert draft.stages_ms == {"judge": 1200.0}


def test_opinion_stays_with_the_alert_through_later_messages() -> None:
    script = Script()
    raised(script)
    script.life.amend(Ruling(YES, confirmed=(KEY,)), script.clock.now_ms())
    later = [draft for _ in range(20) for draft in script.sample(finding())]
    assert later
    assert {draft.confirmation for draft in later} == {Confirmation.CONFIRMED}
    ended = script.life.end("done", script.clock.now_ms())
    assert ended[0].opinion is YES


def test_answers_about_alerts_that_are_over_are_counted() -> None:
    script = Script()
    raised(script)
    script.life.end("done", script.clock.now_ms())
    assert script.life.amend(Ruling(YES, confirmed=(KEY,)), script.clock.now_ms()) == []
    assert script.counters["alerts.opinion_late"] == 1


def test_rejected_finding_is_held_down_for_a_time_even_before_it_was_raised() -> None:
    script = Script()
    script.life.amend(Ruling(NO, rejected=(KEY,), holds_ms=2000.0), script.clock.now_ms())
    assert raised(script) == []
    assert script.counters["alerts.overruled"] == 2
    script.clock.advance(2000.0)
    assert [draft.state for draft in raised(script)] == [AlertState.RAISED]


def ruling_that_raises(frame: Frame, seen: Frame | None) -> Ruling:
    own = replace(finding("judge:abc"), message="A flag contradicts a label.")
    return Ruling(YES, raised=(Raised(own, "cloud"),), judged=frame, seen=seen, budget_ms=8500.0)


def test_judges_alert_lives_while_its_scene_is_in_view() -> None:
    script = Script()
    frame = script.frame()
    (draft,) = script.life.amend(ruling_that_raises(frame, frame), script.clock.now_ms())
    assert (draft.tier, draft.reason, draft.state) == ("cloud", "judge_raised", AlertState.RAISED)
    assert draft.expires_ms == frame.capture_ms + script.config.usefulness_ms
    again = script.life.amend(ruling_that_raises(frame, frame), script.clock.now_ms())
    assert [one.alert_id for one in again] == [draft.alert_id], "one alert, whoever says it again"


def test_expired_evidence_raises_nothing() -> None:
    script = Script()
    frame = script.frame()
    script.clock.advance(script.config.usefulness_ms)
    assert script.life.amend(ruling_that_raises(frame, frame), script.clock.now_ms()) == []
    assert script.counters["alerts.expired_before_raised"] == 1


def test_late_alert_says_so_and_has_time_to_be_read() -> None:
    script = Script()
    frame = script.frame()
    script.clock.advance(5000.0)
    (draft,) = script.life.amend(ruling_that_raises(frame, None), script.clock.now_ms())
    assert draft.reason == "judge_raised_late"
    assert draft.expires_ms == script.clock.now_ms() + script.config.usefulness_ms


def test_judge_cannot_open_more_alerts_than_allowed() -> None:
    script = Script(max_open=1)
    raised(script)
    frame = script.frame()
    assert script.life.amend(ruling_that_raises(frame, frame), script.clock.now_ms()) == []
    assert script.counters["alerts.over_limit"] == 1


@pytest.mark.parametrize(
    ("answered", "kept"),
    [(True, Confirmation.CONFIRMED), (False, Confirmation.NONE)],
)
def test_what_expired_and_returns_is_not_asked_about_twice(answered: bool, kept: Confirmation) -> None:
    script = Script()
    drafts = raised(script)
    script.life.asked([KEY], drafts)
    if answered:
        script.life.amend(Ruling(YES, confirmed=(KEY,)), script.clock.now_ms())
    (end,) = script.tick(script.config.usefulness_ms)
    again = script.raised()
    assert (again.alert_id, again.confirmation) == (end.alert_id, kept)
    assert bool(script.life.unasked()) != answered
