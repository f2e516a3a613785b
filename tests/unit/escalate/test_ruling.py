"""What an answer means for the alerts that it is about."""

from __future__ import annotations

import pytest

from arwarden.config import EscalateConfig
from arwarden.core.findings import Box, FindingKind
from arwarden.core.frame import Frame
from arwarden.core.opinion import Opinion, Ruling
from arwarden.escalate.answers import Answer, Verdict
from arwarden.escalate.policy import Look
from arwarden.escalate.ruling import (
    MESSAGE_CHARS,
    About,
    opinion_of,
    own_finding,
    rule,
    without_answer,
)
from tests.support.judges import answer
from tests.unit.escalate.views import FRANCE, ITALY, found, frame, look, text

FRAME = frame()
DOUBTED = look(found(), doubted=("origin",))


def ruled(seen: Look, given: Answer, *, gone: bool = False, **config: object) -> Ruling:
    newest: Frame | None = None if gone else FRAME
    about = About(FRAME, newest, "scene", "fast", 8500.0)
    return rule(seen, given, EscalateConfig.model_validate(config), about)


def test_yes_confirms_what_it_names_or_all_where_it_names_nothing() -> None:
    two = look(
        found("a", elements=(FRANCE, ITALY)),
        found("b", elements=(text("Door open", 0.1, 0.8), text("Door closed", 0.6, 0.8))),
        doubted=("a", "b"),
    )
    assert ruled(two, answer()).confirmed == ("a", "b")
    by_words = ruled(two, answer(elements=(("the label made in France", None),)))
    assert (by_words.confirmed, by_words.unverified, by_words.raised) == (("a",), ("b",), ())
    assert by_words.why == "judge_names_other_content"
    by_place = ruled(two, answer(elements=(("a door", Box(0.12, 0.79, 0.3, 0.1)),)))
    assert by_place.confirmed == ("b",)


def test_yes_that_names_something_else_raises_that_and_confirms_nothing() -> None:
    ruling = ruled(DOUBTED, answer(elements=(("No smoking", Box(0.8, 0.8, 0.1, 0.1)),)))
    assert (ruling.confirmed, ruling.unverified) == ((), ("origin",))
    (raised,) = ruling.raised
    assert raised.tier == "cloud"
    assert [element.text for element in raised.finding.elements] == ["No smoking"]


def test_yes_raises_what_the_fast_tier_suspected_and_leaves_it_to_that_tier() -> None:
    ruling = ruled(look(found(certain=False)), answer())
    assert [(raised.finding.key, raised.tier) for raised in ruling.raised] == [("origin", "fast")]
    assert ruled(look(found(certain=False)), answer(), raise_alerts=False).raised == ()


def test_yes_about_a_scene_that_is_gone_raises_by_policy_only() -> None:
    assert ruled(look(), answer(), gone=True).raised == ()
    assert len(ruled(look(), answer(), gone=True, late="publish").raised) == 1


def test_no_rejects_unless_it_may_not_or_the_view_is_hostile() -> None:
    no = answer(Verdict.NO)
    assert ruled(DOUBTED, no).rejected == ("origin",)
    assert ruled(DOUBTED, no).holds_ms == EscalateConfig().ask.cool_down_ms
    kept = ruled(DOUBTED, no, retract=False)
    assert (kept.rejected, kept.unverified, kept.why) == ((), ("origin",), "judge_disagrees")
    orders = look(found(), found("injection", kind=FindingKind.INJECTION), doubted=("origin",))
    hostile = ruled(orders, no)
    assert (hostile.rejected, hostile.unverified, hostile.why) == ((), ("origin",), "hostile_scene")


def test_hostile_view_may_confirm_but_raises_nothing_of_its_own() -> None:
    orders = found("injection", kind=FindingKind.INJECTION)
    assert ruled(look(orders), answer()).raised == ()
    assert ruled(look(found(), orders, doubted=("origin",)), answer()).confirmed == ("origin",)


@pytest.mark.parametrize("problem", ["empty", "refused", ""])
def test_unknown_is_never_no(problem: str) -> None:
    ruling = ruled(DOUBTED, answer(Verdict.UNKNOWN, problem=problem))
    assert (ruling.rejected, ruling.unverified, ruling.why) == ((), ("origin",), "judge_unreadable")
    assert ruling.opinion.problem == (problem or "unreadable")


def test_no_answer_leaves_alerts_unverified() -> None:
    late = without_answer(DOUBTED, Opinion("cloud", "tiny", "unknown", problem="deadline"), 8500.0)
    assert (late.unverified, late.why) == (("origin",), "judge_too_late")
    down = without_answer(DOUBTED, Opinion("cloud", "tiny", "unknown", problem="http_500"), 8500.0)
    assert down.why == "judge_unavailable"


def test_own_finding_speaks_in_one_short_sentence_and_knows_the_elements() -> None:
    named = (("made in France", None), ("a flag", Box(0.4, 0.4, 0.1, 0.1)), ("nowhere", None))
    finding = own_finding(look().findings, answer(reason="It is wrong. " + "x" * 900, elements=named), "abc")
    assert finding.message == "It is wrong."
    assert finding.key == "judge:abc"
    assert [element.text for element in finding.elements] == ["Made in France", "a flag"]
    long = own_finding(look().findings, answer(reason="x" * 900), "abc")
    assert len(long.message) == MESSAGE_CHARS
    assert own_finding(look().findings, answer(reason=""), "abc").message


def test_remembered_opinion_costs_nothing_again() -> None:
    ruling = ruled(DOUBTED, answer()).without_cost()
    assert (ruling.opinion.tokens, ruling.opinion.cost, ruling.opinion.latency_ms) == (0, None, 0.0)
    assert opinion_of(answer()).tokens == 960
