"""The reasoning behind a verdict as data: elements, their claims, and what came of comparing them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product

from arwarden.core.findings import Claim, Element, Finding, FindingKind
from arwarden.fast.claims import Lexicon, find_contradictions
from arwarden.fast.claims.contradictions import Comparison, Outcome
from arwarden.fast.claims.subjects import DIFFERENT, relation

MAX_RELATIONS = 200
"""Relations kept, contradictions first: a picture full of prices has thousands."""
AGREE = "they say the same"
AGREED = "they exclude each other; a rule alone is not sure, but a learned model of sentences agrees"
NOT_RULED = "no rule compares them; a learned model of sentences takes them to exclude each other"


@dataclass(frozen=True, slots=True)
class Relation:
    """Two claims on one attribute, and how they stand to each other."""

    attribute: str
    elements: tuple[int, int]
    """Indices of the elements that make the claims."""
    claims: tuple[Claim, Claim]
    why: str
    contradictory: bool
    confidence: float = 0.0
    """How surely they exclude each other, 0..1; 0 where they do not."""
    alerting: bool = False
    """Whether it is sure enough for an alert."""


@dataclass(frozen=True, slots=True)
class Reasoning:
    """Everything from the elements to the verdict."""

    elements: tuple[Element, ...]
    relations: tuple[Relation, ...]
    """Contradictions first, surest first; then what was found to go together."""
    findings: tuple[Finding, ...]
    """The contradictions, surest first; those below the threshold too."""
    threshold: float
    """From this confidence on a finding can become an alert."""
    unrelated: int
    """Pairs of elements that claim nothing on any common attribute."""
    left_out: int = 0
    """Relations beyond the first ones."""

    @property
    def contradictory(self) -> bool:
        """Whether something is sure enough for an alert."""
        return any(alerting(finding, self.threshold) for finding in self.findings)


def reasoning(
    elements: Sequence[Element], findings: Sequence[Finding], lexicon: Lexicon, threshold: float
) -> Reasoning:
    """How ``findings`` follow from ``elements``, by comparing their claims once more and noting each step."""
    contradictions = tuple(
        sorted(
            (finding for finding in findings if finding.kind is FindingKind.CONTRADICTION),
            key=lambda finding: -finding.confidence,
        )
    )
    compared: list[Comparison] = []
    find_contradictions(elements, lexicon, note=compared.append)
    relations = [
        _surer(relation, elements, contradictions, threshold)
        for relation in (_relation(one, threshold) for one in compared)
    ]
    relations += _of_judges(elements, contradictions, relations, threshold)
    relations += _not_compared(elements, {(one.elements, one.claims) for one in compared})
    relations.sort(key=lambda one: (not one.contradictory, -one.confidence, one.elements, one.attribute))
    related = {one.elements for one in relations}
    pairs = len(elements) * (len(elements) - 1) // 2
    return Reasoning(
        elements=tuple(elements),
        relations=tuple(relations[:MAX_RELATIONS]),
        findings=contradictions,
        threshold=threshold,
        unrelated=pairs - len(related),
        left_out=max(0, len(relations) - MAX_RELATIONS),
    )


def alerting(finding: Finding, threshold: float) -> bool:
    """Whether a finding is a contradiction sure enough for an alert."""
    sure = finding.certain and finding.confidence >= threshold
    return finding.kind is FindingKind.CONTRADICTION and sure


def same_element(one: Element, other: Element) -> bool:
    """Whether two records are of one element: findings hold copies with other claims first."""
    return (one.type, one.box, one.text) == (other.type, other.box, other.text)


def _relation(compared: Comparison, threshold: float) -> Relation:
    contradictory = compared.outcome is Outcome.CONTRADICTORY
    return Relation(
        compared.attribute,
        compared.elements,
        compared.claims,
        compared.outcome.value,
        contradictory,
        compared.confidence,
        contradictory and compared.confidence >= threshold,
    )


def _surer(
    relation: Relation, elements: Sequence[Element], findings: Sequence[Finding], threshold: float
) -> Relation:
    """A contradiction that is alerted although a rule alone is not sure enough of it: as it was found."""
    if not relation.contradictory or relation.alerting:
        return relation
    for finding in findings:
        agreed = finding.attribute == relation.attribute and not finding.learned
        if agreed and alerting(finding, threshold) and _places(finding, elements) == relation.elements:
            return replace(relation, why=AGREED, confidence=finding.confidence, alerting=True)
    return relation


def _places(finding: Finding, elements: Sequence[Element]) -> tuple[int, int] | None:
    """The indices of the two elements of a finding, the lower one first; None where one is not there."""
    places = [
        next((place for place, one in enumerate(elements) if same_element(one, named)), None)
        for named in finding.elements
    ]
    first, second = (*places, None, None)[:2]
    return None if first is None or second is None else (min(first, second), max(first, second))


def _of_judges(
    elements: Sequence[Element], findings: Sequence[Finding], ruled: Sequence[Relation], threshold: float
) -> Iterator[Relation]:
    """Findings that no comparison of claims explains."""
    explained = {(one.elements, one.attribute) for one in ruled if one.contradictory}
    for finding in findings:
        pair = _places(finding, elements)
        if pair is None or (pair, finding.attribute) in explained:
            continue
        if not all(one.claims for one in finding.elements):
            continue
        one, other = (finding.elements[0], finding.elements[1])
        if not same_element(elements[pair[0]], one):
            one, other = other, one
        yield Relation(
            finding.attribute,
            pair,
            (one.claims[0], other.claims[0]),
            NOT_RULED,
            contradictory=True,
            confidence=finding.confidence,
            alerting=alerting(finding, threshold),
        )


def _not_compared(
    elements: Sequence[Element], compared: set[tuple[tuple[int, int], tuple[Claim, Claim]]]
) -> Iterator[Relation]:
    """Claims on one attribute that need no comparing: equal ones, and those about different things."""
    for (first, one), (second, other) in combinations(enumerate(elements), 2):
        for claim, against in product(one.claims, other.claims):
            if claim.attribute != against.attribute or ((first, second), (claim, against)) in compared:
                continue
            if relation(claim.subject, against.subject) == DIFFERENT:
                why = Outcome.OTHER_THING.value
            elif (claim.value, claim.polarity) == (against.value, against.polarity):
                why = AGREE
            else:
                continue
            yield Relation(claim.attribute, (first, second), (claim, against), why, contradictory=False)
