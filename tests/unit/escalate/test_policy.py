"""When a judge is asked, in virtual time."""

from __future__ import annotations

import pytest

from arwarden.config import AskConfig
from arwarden.core.findings import FindingKind, Findings
from arwarden.escalate.answers import Verdict
from arwarden.escalate.policy import AskPolicy, AskReason, Look
from arwarden.escalate.scenes import sight_of
from tests.support.judges import answer
from tests.unit.escalate.views import FRANCE, ITALY, found, frame, look, room, text

SETTLED_MS = 1000.0
VAGUE = (text("Reception", claims=False), text("Please wait", 0.5, 0.5, claims=False))


def policy(**config: float) -> AskPolicy:
    return AskPolicy(AskConfig().model_copy(update={"settle_ms": SETTLED_MS, **config}))


@pytest.mark.parametrize(
    ("seen", "reason"),
    [
        (look(found(), doubted=("origin",)), AskReason.UNSURE_ALERT),
        (look(found(certain=False)), AskReason.UNCERTAIN),
        (look(elements=VAGUE), AskReason.UNINTERPRETED),
        (look(), AskReason.NEW_SCENE),
        (look(elements=()), None),
        (look(found(kind=FindingKind.QUALITY), elements=()), None),
    ],
)
def test_reasons(seen: Look, reason: AskReason | None) -> None:
    asking = policy()
    asking.saw(seen, 0.0)
    assert asking.reason(SETTLED_MS) is reason


def test_alerts_do_not_wait_for_the_scene_to_settle_but_everything_else_does() -> None:
    asking = policy()
    asking.saw(look(found(), doubted=("origin",)), 0.0)
    assert asking.reason(0.0) is AskReason.UNSURE_ALERT
    asking = policy()
    asking.saw(look(), 0.0)
    assert asking.reason(SETTLED_MS - 1) is None
    assert asking.next_due_ms(10.0) == SETTLED_MS
    asking.saw(look(elements=(FRANCE, ITALY, text("Exit", 0.4, 0.8))), 500.0)
    assert asking.reason(SETTLED_MS + 499) is None, "it is another scene since"
    asking.saw(look(), 900.0)
    assert asking.reason(SETTLED_MS + 500) is AskReason.NEW_SCENE, "something left, nothing came"


def test_nothing_is_asked_before_anything_was_seen() -> None:
    assert policy().reason(1e9) is None
    assert policy().next_due_ms(0.0) is None
    assert policy().known(0.0) is None


def test_judged_scene_is_not_asked_about_again_until_it_cools_down() -> None:
    asking = policy(cool_down_ms=10_000.0)
    asking.saw(look(), 0.0)
    asking.asked(SETTLED_MS)
    asking.answered(look().sight, answer(), 2000.0)
    assert asking.reason(3000.0) is None
    asking.saw(look(elements=()), 3000.0)
    asking.saw(look(rgb=room(5)), 4000.0)
    assert asking.reason(6000.0) is None, "the same content from elsewhere"
    assert asking.spared == 1
    assert asking.known(6000.0) is not None
    assert asking.reason(12_000.0) is AskReason.NEW_SCENE


def test_yes_holds_while_all_that_was_judged_is_there_and_a_no_for_what_is_left_too() -> None:
    for said, reason in ((Verdict.YES, AskReason.NEW_SCENE), (Verdict.NO, None)):
        asking = policy()
        asking.saw(look(), 0.0)
        asking.answered(look().sight, answer(said), 1000.0)
        asking.saw(look(elements=(FRANCE,)), 3000.0)
        assert asking.reason(3900.0) is None, "what is left must hold still first: reading flickers"
        assert asking.reason(4000.0) is reason
        asking.saw(look(), 5000.0)
        assert asking.reason(6000.0) is None


def test_new_alert_in_a_judged_scene_is_a_new_question() -> None:
    asking = policy()
    asking.saw(look(), 0.0)
    asking.answered(look().sight, answer(), 1000.0)
    asking.saw(look(found(), doubted=("origin",)), 1500.0)
    assert asking.reason(1500.0) is AskReason.UNSURE_ALERT


def test_after_a_failure_nothing_is_asked_for_a_while() -> None:
    asking = policy(retry_ms=5000.0)
    asking.saw(look(), 0.0)
    asking.failed(2000.0)
    assert asking.reason(6999.0) is None
    assert asking.next_due_ms(2000.0) == 7000.0
    assert asking.reason(7000.0) is AskReason.NEW_SCENE


def test_periodic_check_comes_whatever_is_in_view() -> None:
    asking = policy(periodic_ms=60_000.0)
    asking.saw(look(elements=()), 0.0)
    assert asking.reason(59_999.0) is None
    assert asking.next_due_ms(2000.0) == 60_000.0
    assert asking.reason(60_000.0) is AskReason.PERIODIC
    asking.asked(60_000.0)
    assert asking.reason(61_000.0) is None


@pytest.mark.parametrize(
    ("switched", "seen"),
    [
        ({"new_scene": False, "uninterpreted_elements": 0}, look(elements=VAGUE)),
        ({"uncertain": False, "new_scene": False, "uninterpreted_elements": 0}, look(found(certain=False))),
    ],
)
def test_reasons_can_be_switched_off(switched: dict[str, float], seen: Look) -> None:
    asking = policy(**switched)
    asking.saw(seen, 0.0)
    assert asking.reason(1e6) is None


def test_hostile_views_are_known_as_such() -> None:
    assert look(found(kind=FindingKind.INJECTION)).hostile
    assert not look(found()).hostile
    assert look(found(kind=FindingKind.INJECTION)).sight == sight_of(frame(), Findings((), (FRANCE, ITALY)))
