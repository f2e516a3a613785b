from __future__ import annotations

from dataclasses import replace

import pytest

from arwarden.contract.messages import Alert, AlertState
from arwarden.core.counters import Counters
from arwarden.core.findings import ElementType, Part
from arwarden.decide import AlertDraft, publishable, stamp
from tests.unit.decide.script import FRANCE, LATENCY_MS, SIGN_BOX, Script


@pytest.fixture
def draft() -> AlertDraft:
    return Script().raised()


def test_stamping_adds_what_is_known_at_publication(draft: AlertDraft) -> None:
    alert = stamp(draft, draft.captured_ms + 300, "run1")
    assert (alert.epoch, alert.published_ms) == ("run1", draft.captured_ms + 300)
    assert alert.age_ms == 300
    assert not alert.late
    assert alert.stages_ms == {"read": 90.0}
    assert alert.capture_clock == "synced"
    assert Alert.model_validate_json(alert.model_dump_json()) == alert


def test_each_element_carries_the_claim_that_is_contradicted(draft: AlertDraft) -> None:
    alert = stamp(draft, draft.captured_ms, "run1")
    assert [element.box for element in alert.elements] == [tuple(SIGN_BOX), tuple(FRANCE.box)]
    claims = [element.claim for element in alert.elements]
    assert [claim and (claim.attribute, claim.value, claim.subject) for claim in claims] == [
        ("origin", "made in the netherlands", "cheese"),
        ("origin", "made in france", "cheese"),
    ]


def test_an_element_without_such_a_claim_carries_none(draft: AlertDraft) -> None:
    other = replace(draft, attribute="direction")
    assert [element.claim for element in stamp(other, other.captured_ms, "r").elements] == [None, None]


@pytest.mark.parametrize(("beyond_ms", "late"), [(0, False), (0.5, True)])
def test_late_means_past_the_budget(draft: AlertDraft, beyond_ms: float, late: bool) -> None:
    assert stamp(draft, draft.captured_ms + draft.budget_ms + beyond_ms, "r").late is late


def test_a_capture_clock_ahead_of_ours_makes_no_negative_age(draft: AlertDraft) -> None:
    assert stamp(draft, draft.captured_ms - 40, "r").age_ms == 0


@pytest.mark.parametrize("state", [AlertState.RAISED, AlertState.CONFIRMED])
def test_late_warnings_are_published_or_dropped_by_policy_and_counted(
    draft: AlertDraft, state: AlertState
) -> None:
    warning, counters = replace(draft, state=state), Counters()
    late_ms = draft.captured_ms + draft.budget_ms + 1
    assert publishable(warning, late_ms, "publish", counters)
    assert counters.snapshot() == {"alerts.late": 1}
    assert not publishable(warning, late_ms, "drop", counters)
    assert counters.snapshot() == {"alerts.late": 2, "alerts.dropped_late": 1}
    assert publishable(warning, draft.captured_ms + LATENCY_MS, "drop", counters)
    assert counters["alerts.late"] == 2


@pytest.mark.parametrize("state", [AlertState.RETRACTED, AlertState.CLEARED])
def test_the_end_of_a_warning_is_never_dropped(draft: AlertDraft, state: AlertState) -> None:
    counters = Counters()
    assert publishable(replace(draft, state=state), draft.captured_ms + 60_000, "drop", counters)
    assert counters.snapshot() == {}


def test_pictures_and_directions_are_told(draft: AlertDraft) -> None:
    flag = replace(FRANCE, parts=(Part("flag:FR", 0.9), Part("lock", 0.2)))
    arrow = replace(FRANCE, type=ElementType.ARROW, direction_deg=178.0)
    told = stamp(replace(draft, elements=(flag, arrow)), draft.captured_ms, "r").elements
    assert [(one.label, one.direction_deg) for one in told] == [("flag:FR", None), ("", 178.0)]
