"""Which elements contradict each other, on what, and how surely; by their claims alone."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from arwarden.core.findings import Claim, Element, Finding, FindingKind
from arwarden.fast.claims.apart import other_case, timed_apart
from arwarden.fast.claims.compare import Comparer
from arwarden.fast.claims.elements import gap
from arwarden.fast.claims.lexicon import Lexicon
from arwarden.fast.claims.open_attributes import FRAME, INSTRUCTION, OPEN_ATTRIBUTES, PERMISSION
from arwarden.fast.claims.pairs import PairJudge, Ruled, judged
from arwarden.fast.claims.subjects import (
    BOTH_UNNAMED,
    CONTAINED,
    DIFFERENT,
    OF_A_KIND,
    SAME,
    UNNAMED,
    parts,
    relation,
)
from arwarden.fast.claims.values import COMMAND

BASE_CONFIDENCE = 0.98
NEAR_BONUS = 0.08
"""Added where a subject is not named and the two boxes lie beside each other."""
NEAR_GAP = 1.0
"""Boxes closer than this many times the lesser of their heights are beside each other."""
MAX_COMPARISONS = 2000
MAX_PER_CLAIM = 6
"""Elements kept of one and the same claim, the surest."""
MAX_FINDINGS = 64
MAX_QUOTE = 80
_HEADING = re.compile(r"([^:.,;!?]{3,40}):\s")
_WHOSE = ("users", "audience")
"""Attributes that say whom something is for: the restrooms of women and of men are two."""
_OF_ALL = frozenset({"this", "here", "any", "all", "anywhere", "everywhere"})
"""Words by which what is allowed or forbidden here is not narrowed down."""
_OF_PARTS = frozenset(
    {"material", "colour", "recycling", "weight", "warranty", "price", "percentage", "origin", "washing"}
)
"""What the parts of a thing have each of their own."""
_ORDERS = frozenset({INSTRUCTION, "movement"})
_NO_NAMES = frozenset(
    {"the", "a", "an", "this", "your", "our", "now", "today", "today's", "current", "new", "only"}
)
"""Words of a heading that tell no two things apart."""


class Outcome(StrEnum):
    """What came of comparing two claims."""

    CONTRADICTORY = "they exclude each other"
    OTHER_THING = "they are about different things"
    SIDE_BY_SIDE = "such statements stand side by side as a rule"
    COMPATIBLE = "both can be true"
    SAYS_BOTH = "one of the elements says both"


_GO_TOGETHER = frozenset({Outcome.COMPATIBLE, Outcome.SIDE_BY_SIDE, Outcome.SAYS_BOTH})


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two claims on one attribute that were compared, with the indices of their elements."""

    attribute: str
    elements: tuple[int, int]
    claims: tuple[Claim, Claim]
    outcome: Outcome
    confidence: float = 0.0
    """How surely they exclude each other, 0..1."""


Note = Callable[[Comparison], None]
"""Told of every comparison, for explaining them."""


@dataclass(frozen=True, slots=True)
class _Stated:
    """A claim with the element that makes it, and all values the element states for the same thing."""

    claim: Claim
    element: int
    values: frozenset[tuple[str, bool]]
    like: tuple[Claim, ...]
    """All that the element claims on this attribute, of whatever thing."""


@dataclass(frozen=True, slots=True)
class _Conflict:
    """Two statements that exclude each other."""

    key: str
    confidence: float
    attribute: str
    first: _Stated
    second: _Stated


def find_contradictions(
    elements: Sequence[Element],
    lexicon: Lexicon,
    judge: PairJudge | None = None,
    *,
    note: Note | None = None,
) -> tuple[Finding, ...]:
    """The contradictions between *elements*, which carry their claims; surest first, one per key.

    Every finding holds its two elements, each with the claim at stake first. Time is bounded: claims are
    indexed by attribute and subject, and at most :data:`MAX_COMPARISONS` pairs of distinct claims are
    compared, the surest first. A *judge* is asked about a few pairs of which the rules say nothing sure.
    *note* is told of every comparison.
    """
    comparer = Comparer(lexicon)
    best: dict[str, _Conflict] = {}
    compatible: set[frozenset[int]] = set()
    budget = MAX_COMPARISONS
    groups = _by_attribute(elements)
    # Severe attributes first: a frame filled with prices must not use up the time for its locks.
    for attribute in sorted(groups, key=lambda name: -lexicon.severity(name).rank):
        for one, other in _candidates(groups[attribute]):
            budget -= 1
            if budget < 0:
                break
            conflict = _judge(elements, one, other, attribute=attribute, comparer=comparer, lexicon=lexicon)
            if note is not None:
                note(_comparison(attribute, one, other, conflict))
            # That open patterns fit both says nothing: a judge of sentences is asked all the same.
            if conflict in _GO_TOGETHER and attribute.partition(".")[0] not in OPEN_ATTRIBUTES:
                compatible.add(frozenset((one.element, other.element)))
            if isinstance(conflict, _Conflict):
                known = best.get(conflict.key)
                if known is None or conflict.confidence > known.confidence:
                    best[conflict.key] = conflict
    surest = sorted(best.values(), key=lambda found: (-found.confidence, found.key))[: 2 * MAX_FINDINGS]
    findings = [_finding(elements, conflict, lexicon) for conflict in surest]
    if judge is not None:
        findings = _with_judge(elements, surest, findings, compatible, lexicon=lexicon, judge=judge)
    findings.sort(key=lambda found: (-found.confidence, -found.severity.rank, found.key))
    return tuple(_without_echoes(findings))[:MAX_FINDINGS]


def _with_judge(
    elements: Sequence[Element],
    surest: Sequence[_Conflict],
    findings: Sequence[Finding],
    compatible: set[frozenset[int]],
    *,
    lexicon: Lexicon,
    judge: PairJudge,
) -> list[Finding]:
    """The findings with what *judge* makes of pairs without a sure one."""
    by_pair: dict[frozenset[int], Finding] = {}
    further: list[Finding] = []
    for conflict, finding in zip(surest, findings, strict=True):
        pair = frozenset((conflict.first.element, conflict.second.element))
        if pair in by_pair:
            further.append(finding)
        else:
            by_pair[pair] = finding
    return [*judged(elements, Ruled(by_pair, compatible), lexicon, judge), *further]


def _by_attribute(elements: Sequence[Element]) -> dict[str, list[_Stated]]:
    """Claims by attribute, of equal claims only the surest few."""
    groups: defaultdict[str, defaultdict[tuple[str, str, bool], list[_Stated]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for index, element in enumerate(elements):
        like: defaultdict[str, list[Claim]] = defaultdict(list)
        for claim in element.claims:
            like[claim.attribute].append(claim)
        for claim in element.claims:
            same = tuple(like[claim.attribute])
            values = frozenset(
                (other.value, other.polarity) for other in same if other.subject == claim.subject
            )
            group = groups[claim.attribute][claim.subject, claim.value, claim.polarity]
            group.append(_Stated(claim, index, values, same))
    return {
        attribute: [
            stated
            for same in by_claim.values()
            for stated in sorted(same, key=lambda s: -s.claim.strength)[:MAX_PER_CLAIM]
        ]
        for attribute, by_claim in groups.items()
    }


def _candidates(stated: list[_Stated]) -> Iterator[tuple[_Stated, _Stated]]:
    """Pairs of claims that can be about the same thing, the surest claims first."""
    ordered = sorted(stated, key=lambda s: -s.claim.strength)
    unnamed: list[_Stated] = []
    by_word: defaultdict[str, list[_Stated]] = defaultdict(list)
    named: list[_Stated] = []
    for one in ordered:
        words = parts(one.claim.subject)
        others: Iterable[_Stated] = unnamed if words else named
        seen: set[int] = set()
        for other in [
            *others,
            *(x for word in words for x in by_word[word]),
            *(unnamed if not words else ()),
        ]:
            if id(other) not in seen and other.element != one.element:
                seen.add(id(other))
                if (other.claim.value, other.claim.polarity) != (one.claim.value, one.claim.polarity):
                    yield one, other
        if words:
            named.append(one)
            for word in words:
                by_word[word].append(one)
        else:
            unnamed.append(one)


def _judge(
    elements: Sequence[Element],
    one: _Stated,
    other: _Stated,
    *,
    attribute: str,
    comparer: Comparer,
    lexicon: Lexicon,
) -> _Conflict | Outcome:
    first, second = (one, other) if one.element < other.element else (other, one)
    subjects = relation(first.claim.subject, second.claim.subject)
    if attribute.startswith(FRAME + "."):
        subjects = SAME  # all that is said but one word is the same
    named_apart = subjects == DIFFERENT or (subjects == UNNAMED and comparer.needs_subject(attribute))
    # What reads the texts of both is asked only where the names say no.
    pair = elements[first.element], elements[second.element]
    if named_apart or _apart(*pair, attribute) or _in_other_case(*pair, first.claim, lexicon):
        return Outcome.OTHER_THING
    if _go_together(first.claim, second.claim, attribute, lexicon):
        return Outcome.SIDE_BY_SIDE
    conflict = comparer.conflict(attribute, first.claim, second.claim)
    if conflict <= 0 or not comparer.all_conflict(attribute, first.values, second.values):
        return Outcome.COMPATIBLE
    if _also_says(second, first.claim) or _also_says(first, second.claim):
        return Outcome.SAYS_BOTH
    subjects = _sureness(elements, first, second, subjects, attribute=attribute, lexicon=lexicon)
    confidence = BASE_CONFIDENCE * subjects * conflict * first.claim.strength * second.claim.strength
    if confidence <= 0:
        return Outcome.COMPATIBLE
    return _Conflict(_key(attribute, first.claim, second.claim), confidence, attribute, first, second)


def _apart(one: Element, other: Element, attribute: str) -> bool:
    """Whether what the two say else tells that they speak of two things of one sort."""
    if attribute not in _WHOSE:
        for whose in _WHOSE:
            first, second = (
                {claim.value for claim in element.claims if claim.attribute == whose and claim.polarity}
                for element in (one, other)
            )
            if first and second and not first & second:
                return True
    orders = attribute.endswith(f".{COMMAND}") or attribute in _ORDERS
    return _labelled_apart(one.text, other.text) or (orders and timed_apart(one.text, other.text))


def _in_other_case(one: Element, other: Element, claim: Claim, lexicon: Lexicon) -> bool:
    """Whether what the two say holds in two cases; not where the case, or its bound, is what they say."""
    stated = claim.value[:1].isalpha() and claim.attribute.partition(".")[0] != FRAME
    return stated and other_case(one.text, other.text, lexicon)


def _labelled_apart(one: str, other: str) -> bool:
    """Whether two texts are headed by names of two things of one sort ("Team red: ...", "Team blue: ...")."""
    found = [_HEADING.match(" ".join(text.casefold().split())) for text in (one, other)]
    if found[0] is None or found[1] is None:
        return False
    first, second = (frozenset(match[1].split()) - _NO_NAMES for match in found if match is not None)
    return bool(first & second and first - second and second - first)


def _sureness(
    elements: Sequence[Element],
    first: _Stated,
    second: _Stated,
    subjects: float,
    *,
    attribute: str,
    lexicon: Lexicon,
) -> float:
    """How sure it is that the two speak of one thing, by what they are and where they hang."""
    denied = first.claim.value == second.claim.value
    mixed = first.claim.pictured != second.claim.pictured
    if not denied and subjects in {UNNAMED, BOTH_UNNAMED}:
        known = lexicon.unnamed_confidence(attribute, BOTH_UNNAMED)
        if mixed:
            known = max(known, UNNAMED)  # a sign beside words is there for them
        subjects = known if subjects == BOTH_UNNAMED else min(UNNAMED, known)
    if subjects == OF_A_KIND and mixed and attribute != "direction":
        subjects = UNNAMED  # a sign of a window is a sign of any window
    if attribute == PERMISSION and subjects == CONTAINED and _is_exception(first.claim, second.claim):
        subjects = OF_A_KIND
    unnamed = subjects != SAME and not (first.claim.subject and second.claim.subject)
    if unnamed and _near(elements[first.element], elements[second.element]):
        subjects = min(1.0, subjects + NEAR_BONUS)
    return subjects


def _is_exception(one: Claim, other: Claim) -> bool:
    """Whether what is allowed is narrower than what is forbidden ("no animals", "guide animals welcome")."""
    forbidden, allowed = (one, other) if one.value == "forbidden" else (other, one)
    if _OF_ALL & {*f"{one.span} {other.span}".casefold().split()}:
        return False
    return len(parts(forbidden.subject)) < len(parts(allowed.subject))


def _comparison(attribute: str, one: _Stated, other: _Stated, result: _Conflict | Outcome) -> Comparison:
    first, second = (one, other) if one.element < other.element else (other, one)
    outcome, confidence = (
        (result, 0.0) if isinstance(result, Outcome) else (Outcome.CONTRADICTORY, result.confidence)
    )
    return Comparison(
        attribute, (first.element, second.element), (first.claim, second.claim), outcome, confidence
    )


def _go_together(one: Claim, other: Claim, attribute: str, lexicon: Lexicon) -> bool:
    """Whether both are pictures that stand side by side as a rule: arrows to two places, two hazards.

    Or both are words on an attribute that only tells a picture from what words say beside it, or one is
    about a part of what the other is about ("100 % cotton", "lining: silk").
    """
    part = (one.subject or other.subject) if not (one.subject and other.subject) else ""
    if part.rpartition(" ")[2] in lexicon.data.parts and attribute.partition(".")[0] in _OF_PARTS:
        return True
    spec = lexicon.attribute(attribute)
    if spec is not None and spec.needs_picture and not (one.pictured or other.pictured):
        return True
    both_pictures = one.pictured and other.pictured and not (one.subject and other.subject)
    return both_pictures and spec is not None and spec.pictures_together


def _also_says(stated: _Stated, claim: Claim) -> bool:
    """Whether the element says this too, of what may be the same thing ("restroom left, exit right")."""
    return any(
        (other.value, other.polarity) == (claim.value, claim.polarity)
        and relation(other.subject, claim.subject) != DIFFERENT
        for other in stated.like
    )


def _subject(one: Claim, other: Claim) -> str:
    """The more closely named of two subjects that are the same thing."""
    return max(one.subject, other.subject, key=lambda name: (len(name.split()), name))


def _key(attribute: str, one: Claim, other: Claim) -> str:
    values = "|".join(sorted((_value(one), _value(other))))
    subject = _subject(one, other)
    return f"contradiction:{attribute}:{values}{':' if subject else ''}{subject}".lower()


def _finding(elements: Sequence[Element], conflict: _Conflict, lexicon: Lexicon) -> Finding:
    a, b = elements[conflict.first.element], elements[conflict.second.element]
    one, other = conflict.first.claim, conflict.second.claim
    subject = _subject(one, other)
    label = _label(conflict.attribute, lexicon)
    about = f"{label} of {subject}" if subject else label
    message = (
        f'"{_quote(one, a)}" contradicts "{_quote(other, b)}": {about} is {_value(one)} or {_value(other)}'
    )
    return Finding(
        kind=FindingKind.CONTRADICTION,
        key=conflict.key,
        attribute=conflict.attribute,
        severity=lexicon.severity(conflict.attribute),
        message=message,
        confidence=round(min(conflict.confidence, 1.0), 3),
        elements=(_claim_first(a, one), _claim_first(b, other)),
    )


def _value(claim: Claim) -> str:
    return claim.value if claim.polarity else f"not {claim.value}"


def _label(attribute: str, lexicon: Lexicon) -> str:
    base, _, occasion = attribute.partition(".")
    spec = lexicon.attribute(base)
    label = spec.label if spec is not None else lexicon.categories.label(base)
    return f"{label} ({occasion.replace('.', ', ')})" if occasion else label


def _quote(claim: Claim, element: Element) -> str:
    text = " ".join((element.text or claim.span).split())
    if len(text) > MAX_QUOTE:
        text = claim.span or text
    elif claim.pictured and element.text:
        text = f"{text}: {claim.span}"
    return text if len(text) <= MAX_QUOTE else text[: MAX_QUOTE - 1].rstrip() + "\u2026"


def _claim_first(element: Element, claim: Claim) -> Element:
    return replace(element, claims=(claim, *(other for other in element.claims if other != claim)))


def _near(a: Element, b: Element) -> bool:
    """Whether two boxes lie beside each other: the gap is less than the lesser height."""
    return gap(a, b) <= NEAR_GAP


def _without_echoes(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Drops a finding whose two statements already contradict each other in a surer one."""
    seen: set[tuple[str, str]] = set()
    for finding in findings:
        statements = (finding.elements[0].claims[0].span, finding.elements[1].claims[0].span)
        pair = tuple(sorted(statements))
        if pair not in seen:
            seen.add((pair[0], pair[1]))
            yield finding
