"""Whatever a session sees, in whatever order: the messages of each alert tell a sound story."""

from __future__ import annotations

from collections import defaultdict

from hypothesis import given, settings
from hypothesis import strategies as st

from arwarden.contract.messages import AlertState
from arwarden.core.findings import Element, Finding, Severity
from arwarden.decide import AlertDraft, stamp
from tests.unit.decide.script import FRANCE, ITALY, NETHERLANDS, Script, blur, finding

FOLLOWERS = {
    None: {AlertState.RAISED},
    AlertState.RAISED: {
        AlertState.RAISED,
        AlertState.CONFIRMED,
        AlertState.RETRACTED,
        AlertState.CLEARED,
    },
    AlertState.CONFIRMED: {AlertState.CONFIRMED, AlertState.RETRACTED, AlertState.CLEARED},
    AlertState.RETRACTED: {AlertState.CLEARED},
    AlertState.CLEARED: {AlertState.RAISED},
}

FINDINGS = st.lists(
    st.one_of(
        st.builds(blur, st.floats(0, 1)),
        st.builds(
            finding,
            st.sampled_from("abcde"),
            confidence=st.floats(0, 1),
            severity=st.sampled_from(list(Severity)),
        ),
    ),
    max_size=4,
)
ELEMENTS: st.SearchStrategy[tuple[Element, ...]] = st.sampled_from(
    [(), (NETHERLANDS, FRANCE), (NETHERLANDS, ITALY)]
)
NONE_FOUND: st.SearchStrategy[list[Finding]] = st.just([])
NOTHING_READ: st.SearchStrategy[tuple[Element, ...]] = st.just(())
AFTER_MS = st.sampled_from([0.0, 33.0, 250.0, 900.0, 4000.0])
Step = tuple[str, float, bool, list[Finding], tuple[Element, ...]]
STEP: st.SearchStrategy[Step] = st.one_of(
    st.tuples(st.just("sample"), AFTER_MS, st.booleans(), FINDINGS, ELEMENTS),
    st.tuples(st.just("standing"), AFTER_MS, st.booleans(), NONE_FOUND, NOTHING_READ),
    st.tuples(st.just("tick"), AFTER_MS, st.booleans(), NONE_FOUND, NOTHING_READ),
)


def play(script: Script, steps: list[Step]) -> list[AlertDraft]:
    drafts: list[AlertDraft] = []
    for what, after_ms, bad, findings, elements in steps:
        if what == "sample":
            drafts += script.sample(*findings, elements=elements, after_ms=after_ms, damaged=bad)
        elif what == "standing":
            drafts += script.standing(after_ms, damaged=bad)
        else:
            drafts += script.tick(after_ms, healthy=not bad)
        assert script.life.open_alerts <= script.config.max_open
        due_ms = script.life.next_due_ms(script.clock.now_ms())
        assert (due_ms is None) == (not script.life._records)
        for draft in drafts:
            stamp(draft, script.clock.now_ms(), "run")
    return drafts


@given(st.lists(STEP, max_size=40), st.integers(1, 3), st.integers(1, 3))
@settings(max_examples=120, deadline=None)
def test_every_alert_tells_a_sound_story(steps: list[Step], needed: int, max_open: int) -> None:
    script = Script(evidence_samples=needed, max_open=max_open)
    drafts = play(script, steps)
    drafts += script.life.end("session_closed", script.clock.now_ms())
    stories: dict[str, list[AlertDraft]] = defaultdict(list)
    living: dict[str, str] = {}
    for draft in drafts:
        stories[draft.alert_id].append(draft)
        if draft.state is AlertState.CLEARED:
            assert living.pop(draft.key) == draft.alert_id
        else:
            assert living.setdefault(draft.key, draft.alert_id) == draft.alert_id
    assert not living
    for story in stories.values():
        previous: AlertDraft | None = None
        for draft in story:
            assert draft.state in FOLLOWERS[previous.state if previous else None]
            assert draft.revision == (previous.revision + 1 if previous else 1)
            if previous is not None:
                if previous.state is AlertState.CLEARED:
                    assert (previous.reason, draft.reason) == ("expired", "returned")
                assert draft.severity.rank >= previous.severity.rank
                assert draft.captured_ms >= previous.captured_ms
                assert draft.first_captured_ms == previous.first_captured_ms
            assert draft.first_captured_ms <= draft.captured_ms
            previous = draft
        assert previous is not None
        assert previous.state is AlertState.CLEARED
    counts = script.counters
    assert counts["alerts.raised"] == counts["alerts.cleared"]
    assert counts["alerts.raised"] - counts["alerts.returned"] == len(stories)


@given(st.lists(STEP, max_size=25))
@settings(max_examples=60, deadline=None)
def test_whatever_happened_silence_clears_everything_in_the_end(steps: list[Step]) -> None:
    script = Script()
    play(script, steps)
    for _ in range(20):
        due_ms = script.life.next_due_ms(script.clock.now_ms())
        if due_ms is None:
            break
        script.tick(max(0.0, due_ms - script.clock.now_ms()))
    assert script.life.open_alerts == 0
    assert script.life.next_due_ms(script.clock.now_ms()) is None
