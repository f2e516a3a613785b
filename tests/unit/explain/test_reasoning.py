from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from arwarden.core.findings import Claim, Finding, FindingKind, Severity
from arwarden.explain import reasoning
from arwarden.explain.reasoning import AGREE, AGREED, MAX_RELATIONS, NOT_RULED
from arwarden.explain.words import tree
from arwarden.fast.claims import PairRelation, PairVerdict, find_contradictions
from arwarden.fast.claims.contradictions import Outcome
from arwarden.fast.claims.pairs import JUDGED
from tests.unit.explain.scenes import FRANCE, ITALY, LEFT, RIGHT, THRESHOLD, explained, flag, lexicon, said


class Contradicting:
    """A judge that takes everything for contradictory."""

    def judge(self, pairs: Sequence[tuple[str, str]]) -> Sequence[PairVerdict]:
        return [PairVerdict(PairRelation.CONTRADICTORY, 0.97)] * len(pairs)


def test_a_contradiction_names_both_elements_and_their_claims() -> None:
    result = explained(FRANCE, said("Please wait here", 0.4, 0.4), ITALY)
    (contradiction,) = [one for one in result.relations if one.contradictory and one.attribute == "origin"]
    assert contradiction.elements == (0, 2)
    assert [claim.value for claim in contradiction.claims] == ["France", "Italy"]
    assert contradiction.alerting
    assert contradiction.why == Outcome.CONTRADICTORY
    assert result.contradictory
    assert result.relations[0] is contradiction


def test_below_the_threshold_it_is_a_contradiction_but_no_alert() -> None:
    result = explained(FRANCE, ITALY, threshold=0.99)
    assert result.relations[0].contradictory
    assert not result.relations[0].alerting
    assert not result.contradictory


def test_equal_claims_and_different_things_are_told_apart() -> None:
    result = explained(said("Made in France", 0.1, 0.1), flag("FR", 0.6, 0.1))
    assert {one.why for one in result.relations} == {AGREE}
    result = explained(said("Front door is locked", 0.1, 0.1), said("Car window is open", 0.6, 0.1))
    assert not result.contradictory
    result = explained(said("Kitchen light is on", 0.1, 0.1), said("Oven is off", 0.6, 0.1))
    assert Outcome.OTHER_THING in {one.why for one in result.relations}
    assert not result.contradictory


def test_arrows_that_point_apart_are_explained() -> None:
    result = explained(LEFT, RIGHT)
    assert result.relations[0].attribute == "direction"
    assert result.relations[0].contradictory


def test_pairs_without_a_common_attribute_are_counted() -> None:
    result = explained(FRANCE, said("Door is locked", 0.5, 0.1), said("Battery full", 0.5, 0.5))
    assert result.relations == ()
    assert result.unrelated == 3


def test_a_finding_of_another_judge_is_shown_as_its_own() -> None:
    one, other = said("Grab a coffee upstairs", 0.1, 0.1), said("This floor has no stairs", 0.6, 0.6)
    claims = [Claim("statement", element.text, span=element.text) for element in (one, other)]
    finding = Finding(
        FindingKind.CONTRADICTION, "contradiction:statement:x", "statement", Severity.WARNING, "…", 0.8,
        (replace(other, claims=(claims[1],)), replace(one, claims=(claims[0],))),
    )  # fmt: skip
    result = reasoning([one, other], [finding], lexicon(), THRESHOLD)
    assert result.relations[0].why == NOT_RULED
    assert result.relations[0].elements == (0, 1)
    assert [claim.span for claim in result.relations[0].claims] == [one.text, other.text]
    assert result.contradictory


def test_what_a_learned_model_agrees_with_is_shown_as_sure() -> None:
    one, other = said("The ski run is easy", 0.1, 0.1), said("Difficult ski run", 0.6, 0.6)
    alone = explained(one, other)
    assert alone.relations[0].contradictory
    assert not alone.contradictory
    found = find_contradictions((one, other), lexicon(), Contradicting())
    result = reasoning([one, other], found, lexicon(), THRESHOLD)
    assert result.contradictory
    assert result.relations[0].why == AGREED
    assert result.relations[0].confidence == found[0].confidence
    assert [one.contradictory for one in result.relations].count(True) == 1


def test_what_a_learned_model_alone_finds_is_shown_so() -> None:
    elements = (said("The orchestra plays Brahms", 0.1, 0.1), said("The orchestra is on strike", 0.6, 0.6))
    found = find_contradictions(elements, lexicon(), Contradicting())
    result = reasoning(elements, found, lexicon(), THRESHOLD)
    assert result.relations[0].why == NOT_RULED
    assert f"CONTRADICTION: {NOT_RULED}" in tree(result)
    assert JUDGED in tree(result)


def test_an_uncertain_finding_is_no_verdict() -> None:
    finding = Finding(
        FindingKind.CONTRADICTION, "k", "origin", Severity.WARNING, "…", 0.95, (FRANCE, ITALY), certain=False
    )
    assert not reasoning([FRANCE, ITALY], [finding], lexicon(), THRESHOLD).contradictory


def test_quality_is_not_part_of_the_reasoning() -> None:
    fault = Finding(FindingKind.QUALITY, "quality:blur", "blur", Severity.WARNING, "blurred", 0.9)
    assert reasoning([], [fault], lexicon(), THRESHOLD).findings == ()


def test_a_picture_full_of_prices_stays_bounded() -> None:
    prices = [said(f"Coffee: ${cents / 100:.2f}", cents % 10 / 10, cents / 1000) for cents in range(100, 140)]
    result = explained(*prices)
    assert len(result.relations) == MAX_RELATIONS
    assert result.left_out > 0
