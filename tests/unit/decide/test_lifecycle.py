from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from arwarden.contract.messages import AlertState
from arwarden.core.findings import NO_STAGES, Finding, Findings, Severity
from arwarden.core.frame import CaptureClock
from tests.unit.decide.script import (
    FRANCE,
    ITALY,
    LATENCY_MS,
    NETHERLANDS,
    SAMPLE_MS,
    Script,
    blur,
    element,
    finding,
    moved,
)

BOTH = (NETHERLANDS, FRANCE)
CORRECTED = (NETHERLANDS, ITALY)


def test_one_misread_raises_nothing_and_asks_for_another_sample() -> None:
    script = Script()
    assert script.sample(finding()) == []
    assert script.life.wants_evidence
    assert script.life.open_alerts == 0


def test_what_one_more_look_would_raise_is_urgent_until_it_is_raised_or_gone() -> None:
    def urgent_after(*samples: tuple[Finding, ...]) -> bool:
        script = Script()
        for found in samples:
            script.sample(*found)
        return script.life.nearly_raised

    seen = (finding(),)
    assert not urgent_after()
    assert urgent_after(seen)
    assert not urgent_after(seen, seen)
    assert not urgent_after(seen, ())


def test_the_second_agreeing_sample_raises_with_everything_filled_in() -> None:
    script = Script()
    script.sample(finding())
    (draft,) = script.sample(finding())
    captured_ms = script.clock.now_ms() - LATENCY_MS
    assert (draft.alert_id, draft.revision, draft.state) == ("a0", 1, AlertState.RAISED)
    assert (draft.device_id, draft.session_id, draft.tier) == ("quest", "s1", "fast")
    assert draft.first_captured_ms == captured_ms - SAMPLE_MS
    assert draft.captured_ms == captured_ms
    assert draft.capture_clock is CaptureClock.SYNCED
    assert draft.expires_ms == captured_ms + script.config.usefulness_ms
    assert draft.elements == BOTH
    assert draft.stages_ms == {"read": 90.0}
    assert draft.budget_ms == script.config.budget_ms
    assert draft.from_sample
    assert 0.8 < draft.confidence < 0.96


def test_a_very_sure_finding_raises_at_once() -> None:
    script = Script()
    (draft,) = script.sample(finding(confidence=0.99))
    assert draft.state is AlertState.RAISED
    assert draft.confidence == pytest.approx(0.99)


def test_instant_confidence_above_one_never_raises_at_once() -> None:
    assert Script(instant_confidence=1.01).sample(finding(confidence=1.0)) == []


def test_an_unsure_finding_never_raises() -> None:
    script = Script()
    for _ in range(10):
        assert script.sample(finding(confidence=0.59)) == []
        assert script.sample(finding(confidence=0.1)) == []
    assert not script.life.wants_evidence
    assert script.counters["alerts.too_unsure"] == 10


def test_an_uncertain_finding_warns_nobody_however_often_it_is_seen() -> None:
    script = Script()
    for _ in range(10):
        assert script.sample(replace(finding(confidence=0.99), certain=False)) == []
    assert script.life.open_alerts == 0
    assert not script.life.wants_evidence


def test_an_uncertain_finding_keeps_an_open_alert() -> None:
    script = Script()
    script.sample(finding())
    (raised,) = script.sample(finding())
    for _ in range(6):
        script.sample(replace(finding(), certain=False))
    assert script.life.open_alerts == 1
    assert raised.state is AlertState.RAISED


def test_evidence_must_lie_within_the_window() -> None:
    script = Script()
    script.sample(finding())
    assert script.sample(finding(), after_ms=script.config.evidence_window_ms + 1) == []
    assert len(script.sample(finding())) == 1


def test_a_slow_tier_still_collects_evidence_within_the_window() -> None:
    script = Script()
    script.sample(finding())
    script.tick(900)
    script.tick(900)
    assert len(script.sample(finding(), after_ms=100)) == 1


def test_reading_the_elements_without_the_finding_takes_evidence_away() -> None:
    script = Script()
    for _ in range(3):
        assert script.sample(finding()) == []
        assert script.sample(elements=CORRECTED) == []
    assert script.life.open_alerts == 0


def test_not_reading_the_elements_takes_no_evidence_away() -> None:
    script = Script()
    script.sample(finding())
    script.sample(elements=(NETHERLANDS,))
    assert len(script.sample(finding())) == 1


def test_pending_evidence_runs_out() -> None:
    script = Script()
    script.sample(finding())
    for _ in range(9):
        script.sample(elements=())
    assert not script.life.wants_evidence


def test_many_findings_of_one_key_in_one_sample_are_one_alert_and_one_vote() -> None:
    script = Script()
    assert script.sample(finding(confidence=0.7), finding(confidence=0.9), finding(confidence=0.8)) == []
    (draft,) = script.sample(finding(confidence=0.7), finding(confidence=0.7))
    assert draft.confidence > 0.9


def test_two_contradictions_are_two_alerts() -> None:
    script = Script()
    script.sample(finding("a"), finding("b"))
    drafts = script.sample(finding("a"), finding("b"))
    assert {(draft.alert_id, draft.key) for draft in drafts} == {("a0", "a"), ("a1", "b")}


def test_confirmed_after_as_many_samples_again_and_said_once() -> None:
    script = Script()
    raised = script.raised()
    asked = [script.life.wants_evidence]
    assert script.sample(finding()) == []
    (draft,) = script.sample(finding())
    assert (draft.alert_id, draft.revision, draft.state) == (raised.alert_id, 2, AlertState.CONFIRMED)
    assert draft.confidence > raised.confidence
    assert draft.first_captured_ms == raised.first_captured_ms
    assert [*asked, script.life.wants_evidence] == [True, False]
    assert script.sample(finding()) == []


def test_a_wrong_alert_is_retracted_as_not_confirmed() -> None:
    script = Script()
    raised = script.raised()
    assert script.sample(elements=CORRECTED) == []
    (draft,) = script.sample(elements=CORRECTED)
    assert (draft.state, draft.reason) == (AlertState.RETRACTED, "not_confirmed")
    assert (draft.alert_id, draft.revision) == (raised.alert_id, 2)
    assert draft.captured_ms == script.clock.now_ms() - LATENCY_MS
    assert draft.expires_ms == script.clock.now_ms() + script.config.usefulness_ms
    assert script.life.open_alerts == 0


def test_corrected_content_retracts_a_confirmed_alert() -> None:
    script = Script()
    script.confirmed()
    for _ in range(3):
        assert script.sample(elements=CORRECTED) == []
        assert script.life.wants_evidence
    (draft,) = script.sample(elements=CORRECTED)
    assert (draft.state, draft.reason) == (AlertState.RETRACTED, "content_changed")


def test_with_one_sample_of_evidence_a_retraction_still_needs_two() -> None:
    script = Script(evidence_samples=1)
    script.raised()
    assert script.sample(elements=CORRECTED) == []
    assert script.sample(elements=CORRECTED)[0].state is AlertState.RETRACTED


def test_a_misread_between_good_reads_retracts_nothing() -> None:
    script = Script()
    script.raised()
    for _ in range(6):
        script.sample(elements=CORRECTED)
        script.sample(finding())
    assert script.counters["alerts.retracted"] == 0
    assert script.life.open_alerts == 1


def test_elements_that_moved_away_are_not_read_again() -> None:
    script = Script()
    script.raised()
    for _ in range(4):
        assert script.sample(elements=moved(CORRECTED, 0.3)) == []
    assert script.counters["alerts.retracted"] == 0


def test_a_retracted_alert_is_cleared_later() -> None:
    script = Script()
    raised = script.raised()
    script.sample(elements=CORRECTED)
    script.sample(elements=CORRECTED)
    assert script.tick(script.config.clear_after_ms - 1) == []
    (draft,) = script.tick(1)
    assert (draft.state, draft.reason, draft.alert_id) == (
        AlertState.CLEARED,
        "retracted",
        raised.alert_id,
    )
    assert draft.revision == 3


def test_what_returns_after_a_retraction_is_a_new_alert() -> None:
    script = Script()
    first = script.raised()
    script.sample(elements=CORRECTED)
    script.sample(elements=CORRECTED)
    script.sample(finding())
    cleared, raised = script.sample(finding())
    assert (cleared.alert_id, cleared.state, cleared.reason) == (
        first.alert_id,
        AlertState.CLEARED,
        "returned",
    )
    assert (raised.state, raised.revision) == (AlertState.RAISED, 1)
    assert raised.alert_id != first.alert_id


def test_unseen_long_enough_is_cleared() -> None:
    script = Script()
    raised = script.raised()
    script.sample(elements=())
    script.sample(elements=())
    assert script.tick(script.config.clear_after_ms - 2 * SAMPLE_MS - 1) == []
    due_ms = script.life.next_due_ms(script.clock.now_ms())
    assert due_ms is not None
    (draft,) = script.tick(due_ms - script.clock.now_ms())
    assert (draft.state, draft.reason, draft.alert_id) == (AlertState.CLEARED, "unseen", raised.alert_id)
    assert not draft.from_sample
    assert draft.stages_ms == NO_STAGES
    assert draft.expires_ms == script.clock.now_ms() + script.config.usefulness_ms
    assert script.life.next_due_ms(script.clock.now_ms()) is None


def test_one_missed_sample_of_a_slow_tier_clears_nothing() -> None:
    script = Script(clear_after_ms=1000.0)
    script.raised()
    script.sample(elements=(), after_ms=1500)
    assert script.tick(1) == []
    assert script.life.wants_evidence
    script.sample(finding())
    assert script.life.open_alerts == 1


def test_read_in_every_other_sample_does_not_flicker() -> None:
    script = Script()
    script.raised()
    drafts = []
    for _ in range(20):
        drafts += script.sample(elements=(NETHERLANDS,))
        drafts += script.tick(0)
        drafts += script.sample(finding())
        drafts += script.tick(0)
    assert AlertState.CLEARED not in [draft.state for draft in drafts]
    assert {draft.alert_id for draft in drafts} == {"a0"}
    assert len(drafts) <= 10


def test_a_damaged_transport_stops_the_clear_timer_but_not_expiry() -> None:
    script = Script()
    script.raised()
    script.sample(elements=())
    script.sample(elements=())
    assert script.tick(2000, healthy=False) == []
    (draft,) = script.tick(1000, healthy=False)
    assert (draft.state, draft.reason) == (AlertState.CLEARED, "expired")


def test_the_clear_timer_goes_on_where_it_stopped() -> None:
    script = Script()
    script.raised()
    script.sample(elements=())
    script.sample(elements=())
    script.tick(900, healthy=False)
    assert script.tick(script.config.clear_after_ms - 2 * SAMPLE_MS - 1) == []
    assert script.tick(1)[0].reason == "unseen"


def test_what_a_damaged_frame_does_not_show_proves_nothing() -> None:
    script = Script()
    script.raised()
    for _ in range(4):
        assert script.sample(elements=CORRECTED, damaged=True) == []
    assert script.counters["alerts.retracted"] == 0
    assert script.life.open_alerts == 1


def test_a_contradiction_in_a_damaged_frame_counts() -> None:
    script = Script()
    script.sample(finding(), damaged=True)
    assert len(script.sample(finding(), damaged=True)) == 1


def test_quality_is_not_judged_while_the_transport_is_damaged() -> None:
    script = Script()
    for _ in range(5):
        assert script.sample(blur(), damaged=True) == []
    assert script.counters["alerts.quality_while_damaged"] == 5
    script.sample(blur())
    (draft,) = script.sample(blur())
    assert draft.kind.value == "quality"
    assert draft.elements == ()


def test_an_open_quality_alert_survives_damage_and_is_cleared_after_it() -> None:
    script = Script()
    script.sample(blur())
    script.sample(blur())
    for _ in range(4):
        script.sample(damaged=True)
        assert script.tick(0, healthy=False) == []
    drafts = []
    for _ in range(8):
        drafts += script.sample() + script.tick(0)
    assert [draft.state for draft in drafts] == [AlertState.CLEARED]


def test_a_standing_scene_keeps_alerts_and_refreshes_them_seldom() -> None:
    script = Script()
    script.confirmed()
    drafts = []
    for _ in range(40):
        drafts += script.standing() + script.tick(0)
    assert {draft.state for draft in drafts} == {AlertState.CONFIRMED}
    assert 5 <= len(drafts) <= 7  # 10 s, and one half of 3 s between two of them
    assert [draft.revision for draft in drafts] == list(range(3, 3 + len(drafts)))
    newest = drafts[-1]
    assert newest.expires_ms == newest.captured_ms + script.config.usefulness_ms
    assert not newest.from_sample
    gaps = [b.expires_ms - a.expires_ms for a, b in pairwise(drafts)]
    assert min(gaps) > script.config.usefulness_ms / 2 - SAMPLE_MS


def test_sampling_refreshes_too() -> None:
    script = Script()
    script.confirmed()
    drafts = [draft for _ in range(20) for draft in script.sample(finding())]
    assert {draft.state for draft in drafts} == {AlertState.CONFIRMED}
    assert 2 <= len(drafts) <= 4
    assert drafts[0].from_sample


def test_a_standing_scene_does_not_keep_what_the_last_sample_missed() -> None:
    script = Script()
    script.raised()
    script.sample(elements=())
    script.sample(elements=())
    drafts = []
    for _ in range(8):
        drafts += script.standing() + script.tick(0)
    assert [(draft.state, draft.reason) for draft in drafts] == [(AlertState.CLEARED, "unseen")]


def test_a_stalled_or_damaged_stream_keeps_nothing_alive() -> None:
    script = Script()
    script.raised()
    frame = script.frame()
    drafts = []
    for _ in range(16):
        script.clock.advance(SAMPLE_MS)
        drafts += script.life.still_seen(script.clock.now_ms(), frame)
        drafts += script.standing(0, damaged=True)
        drafts += script.tick(0, healthy=False)
    assert [(draft.state, draft.reason) for draft in drafts] == [(AlertState.CLEARED, "expired")]


def test_without_a_frame_a_standing_scene_is_seen_now() -> None:
    script = Script()
    script.raised()
    script.clock.advance(1600)
    (draft,) = script.life.still_seen(script.clock.now_ms())
    assert draft.expires_ms == script.clock.now_ms() + script.config.usefulness_ms


def test_standing_scenes_are_no_evidence() -> None:
    script = Script()
    script.sample(finding())
    for _ in range(5):
        assert script.standing() == []
    assert script.life.wants_evidence


def test_growing_severity_is_told_and_never_taken_back() -> None:
    script = Script()
    script.raised()
    (draft,) = script.sample(finding(severity=Severity.CRITICAL))
    assert (draft.state, draft.severity, draft.reason) == (
        AlertState.RAISED,
        Severity.CRITICAL,
        "severity_increased",
    )
    (confirmed,) = script.sample(finding(severity=Severity.INFO))
    assert confirmed.severity is Severity.CRITICAL


def test_a_weak_finding_keeps_an_alert_but_does_not_confirm_it() -> None:
    script = Script()
    script.raised()
    for _ in range(12):
        for draft in script.sample(finding(confidence=0.4)) + script.tick(0):
            assert draft.state is AlertState.RAISED
    assert script.life.open_alerts == 1
    assert not script.life.wants_evidence, "asking has an end"


def test_another_tier_that_does_not_look_for_it_misses_nothing() -> None:
    script = Script()
    script.raised()
    for _ in range(5):
        assert script.sample(elements=CORRECTED, tier="other") == []
    assert script.counters["alerts.retracted"] == 0


def test_the_least_severe_gives_way() -> None:
    script = Script(max_open=2, evidence_samples=1)
    script.sample(finding("info", severity=Severity.INFO), finding("warning"))
    cleared, raised = script.sample(
        finding("info", severity=Severity.INFO),
        finding("warning"),
        finding("critical", severity=Severity.CRITICAL),
    )[-2:]
    assert (cleared.key, cleared.state, cleared.reason) == ("info", AlertState.CLEARED, "displaced")
    assert raised.key == "critical"
    assert script.counters["alerts.displaced"] == 1
    assert script.life.open_alerts == 2


def test_an_equally_severe_one_does_not_displace() -> None:
    script = Script(max_open=1, evidence_samples=1)
    script.sample(finding("a"))
    for _ in range(3):
        assert all(draft.key == "a" for draft in script.sample(finding("a"), finding("b")))
    assert script.counters["alerts.over_limit"] == 3


def test_a_flood_of_different_findings_stays_bounded() -> None:
    script = Script()
    for index in range(40):
        script.sample(*(finding(f"{index}/{n}") for n in range(20)), elements=(), after_ms=1)
    assert len(script.life._pending) <= 256
    assert script.counters["alerts.pending_dropped"] > 0


def test_what_would_be_past_its_use_is_not_raised() -> None:
    script = Script()
    late = script.frame()
    script.clock.advance(script.config.usefulness_ms)
    found = Findings((finding(confidence=0.99),), BOTH)
    assert script.life.observe(found, late, "fast", script.clock.now_ms()) == []
    assert script.counters["alerts.expired_before_raised"] == 1


def test_the_end_of_the_session_clears_everything() -> None:
    script = Script()
    script.sample(finding("a"), finding("b"))
    script.sample(finding("a"), finding("b"))
    script.sample(finding("pending"))
    drafts = script.life.end("session_lost", script.clock.now_ms())
    assert [(d.key, d.state, d.reason) for d in drafts] == [
        ("a", AlertState.CLEARED, "session_lost"),
        ("b", AlertState.CLEARED, "session_lost"),
    ]
    assert script.life.end("session_closed", script.clock.now_ms()) == []
    assert not script.life.wants_evidence


def test_nothing_is_due_while_nothing_is_open() -> None:
    script = Script()
    assert script.life.next_due_ms(script.clock.now_ms()) is None
    script.raised()
    due_ms = script.life.next_due_ms(script.clock.now_ms())
    assert due_ms == script.clock.now_ms() - LATENCY_MS + script.config.usefulness_ms


def test_waiting_under_damage_is_not_a_busy_loop() -> None:
    script = Script()
    script.raised()
    script.sample(elements=())
    script.sample(elements=())
    wakes = 0
    while script.life.open_alerts:
        due_ms = script.life.next_due_ms(script.clock.now_ms())
        assert due_ms is not None
        script.tick(max(1.0, due_ms - script.clock.now_ms()), healthy=False)
        wakes += 1
    assert wakes <= 4


def test_the_message_follows_what_was_read_last() -> None:
    script = Script()
    script.raised()
    script.sample(finding())
    sharper = finding(elements=(element("MADE IN THE NETHERLANDS", NETHERLANDS.box), FRANCE))
    (draft,) = script.sample(sharper)
    assert draft.elements == sharper.elements
