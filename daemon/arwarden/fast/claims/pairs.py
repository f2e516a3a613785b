"""Pairs of elements that no rule judges, for a judge of sentences: which to ask about, and what it answers.

A judge is whatever says of two sentences that the second follows from the first, contradicts it, or
neither. It is slow beside the rules, so it is asked about a few pairs only, the most likely first.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import combinations
from typing import Protocol

from arwarden.core.findings import Claim, Element, ElementType, Finding, FindingKind, Severity
from arwarden.fast.claims.apart import Named
from arwarden.fast.claims.elements import gap
from arwarden.fast.claims.lexicon import Lexicon
from arwarden.fast.claims.open_attributes import OPEN_ATTRIBUTES, PRESENCE, STATEMENT
from arwarden.fast.claims.speech import is_english, sentence, spoken
from arwarden.fast.claims.subjects import DIFFERENT, parts, relation
from arwarden.fast.claims.words import singular

MAX_JUDGED = 12
"""Pairs asked about per picture."""
MAX_WEIGHED = 1500
"""Pairs weighed before the likeliest are chosen: those of some fifty elements."""
LEAST_WORDS = 2
SAME_THING = 1.0
BESIDE = 0.92
"""Nothing in common by name, but the boxes hang together and one names nothing."""
ANYWHERE = 0.8
STRANGERS = 0.75
"""Both name something, and not the same: seldom about one thing by other words."""
RULE_SURE = 0.6
"""Pairs in which a rule is as sure as this are not asked about: the default threshold of alerts."""
LEAST_LEARNED = 0.65
"""What a judge alone holds less sure than this is below an alert's threshold: that takes 28 % of the false
alarms from the develop halves of the sentence pairs, and one in a hundred contradictions."""
BELOW_ALERT = 0.59
CHANCE = 0.5
"""What a judge alone holds less likely than not is no finding, not even one for a second opinion."""
NEAR_GAP = 1.0
LEAST_TOPIC = 0.7
"""A weaker claim does not say what the elements speak of."""
JUDGED = "judged by a learned model of sentences, no rule compares them"
"""Said of every finding of a judge."""
AGREED = "a learned model of sentences agrees"
"""Said of what a rule alone is not sure enough of."""
_BEGINNINGS = frozenset({"departure time", "boarding time", "opening time"})
_ENDINGS = frozenset({"arrival time", "closing time"})
_MARKS = frozenset({"direction", "confirmation"})
_LETTERS = 3
_SHORT = 2
"""Letters of the shortest words that state something: "up", "on"."""
_NO = "no"
"""With one other word it forbids or denies, which the rules mostly compare."""


class PairRelation(StrEnum):
    """How the second of two sentences stands to the first."""

    ENTAILED = "entailed"
    NEUTRAL = "neutral"
    CONTRADICTORY = "contradictory"


@dataclass(frozen=True, slots=True)
class PairVerdict:
    """What a judge says of two sentences, and how probable that is, 0..1."""

    relation: PairRelation
    probability: float


class PairJudge(Protocol):
    """Judges pairs of sentences about one scene."""

    def judge(self, pairs: Sequence[tuple[str, str]]) -> Sequence[PairVerdict]:
        """One verdict per pair, in order."""
        ...


@dataclass(frozen=True, slots=True)
class _Candidate:
    """Two elements by index that may speak of one thing, and how likely that is, 0..1."""

    likely: float
    first: int
    second: int
    subject: str
    said: tuple[str, str]
    """What each of them says, in English."""


@dataclass(frozen=True, slots=True)
class Ruled:
    """What the rules made of the pairs of elements, each pair as the set of its two indices."""

    findings: Mapping[frozenset[int], Finding]
    """The surest finding of each pair that has one."""
    compatible: Collection[frozenset[int]]
    """Pairs with claims on one attribute that were compared and go together."""


def judged(elements: Sequence[Element], ruled: Ruled, lexicon: Lexicon, judge: PairJudge) -> list[Finding]:
    """The findings of the rules and of *judge* together.

    The judge is asked about pairs of which the rules say nothing, or nothing sure: what both take for a
    contradiction is surer. Pairs that the rules hold for compatible, or that agree, are left out.
    """
    chosen = sorted(
        _candidates(elements, ruled, lexicon), key=lambda one: (-one.likely, one.first, one.second)
    )
    asked = chosen[:MAX_JUDGED]
    verdicts = judge.judge([one.said for one in asked]) if asked else ()
    findings = dict(ruled.findings)
    for one, verdict in zip(asked, verdicts, strict=True):
        if verdict.relation is PairRelation.CONTRADICTORY:
            pair = frozenset((one.first, one.second))
            found = _finding(elements, one, verdict.probability, lexicon)
            unsure = findings.get(pair)
            if unsure is not None:
                findings[pair] = _both(unsure, found.confidence)
            elif found.confidence >= CHANCE:
                findings[pair] = _alone(found)
    return list(findings.values())


def _alone(found: Finding) -> Finding:
    """What no rule says: no alert where the judge is hardly sure."""
    unsure = found.confidence < LEAST_LEARNED
    return replace(found, confidence=min(found.confidence, BELOW_ALERT)) if unsure else found


def _both(rule: Finding, learned: float) -> Finding:
    """What a rule is not sure of and a judge takes for a contradiction too."""
    confidence = 1.0 - (1.0 - rule.confidence) * (1.0 - learned)
    return replace(rule, confidence=round(confidence, 3), message=f"{rule.message} ({AGREED})")


def _candidates(elements: Sequence[Element], ruled: Ruled, lexicon: Lexicon) -> Iterator[_Candidate]:
    sentences = [spoken(element, lexicon) for element in elements]
    words = [_content(said, lexicon) for said in sentences]
    named = [Named(said, lexicon) for said in sentences]
    denials = {at for at, said in enumerate(sentences) if _is_bare_denial(said)}
    speaking = [
        at
        for at, (one, said) in enumerate(zip(elements, sentences, strict=True))
        if said and _states(one, said) and is_english(said, lexicon)
    ]
    for weighed, (one, other) in enumerate(combinations(speaking, 2)):
        if weighed >= MAX_WEIGHED:
            return
        pair = frozenset((one, other))
        rule = ruled.findings.get(pair)
        if rule is not None and rule.confidence >= RULE_SURE:
            continue
        if rule is None and (pair in ruled.compatible or _settled(elements[one], elements[other], lexicon)):
            continue
        if rule is None and named[one].is_apart(named[other]):
            continue
        said, told = sentences[one], sentences[other]
        # One name twice, once with a picture ("Kitchen", "Kitchen. left arrow"), is no disagreement.
        if said == told or (_words(elements[one]) == _words(elements[other]) in (said, told)):
            continue
        # What the rules are not sure of stays so: "no dogs" and "beware of the dog" differ in one word, too.
        denied = not denials.isdisjoint(pair)
        if rule is not None and denied:
            continue
        likely, subject = _kinship(elements[one], elements[other], words[one] & words[other])
        bare = denied or elements[one].type is elements[other].type is ElementType.TEXT
        # Texts on nothing virtual are of the real world more often than not, where anything stands together.
        if not (bare and likely < SAME_THING):
            yield _Candidate(likely, one, other, subject, (said, told))


def _settled(one: Element, other: Element, lexicon: Lexicon) -> bool:
    """Whether the two claim the same on some attribute, or speak of it on different occasions alone.

    Or of two things, both of which the lexicon knows.
    """
    pairs = [
        (claim, like)
        for claim in one.claims
        for like in other.claims
        if (base := claim.attribute.partition(".")[0]) == like.attribute.partition(".")[0]
        and base not in OPEN_ATTRIBUTES
    ]
    same = [(claim, like) for claim, like in pairs if claim.attribute == like.attribute]
    agree = any(
        (claim.value, claim.polarity) == (like.value, like.polarity)
        and relation(claim.subject, like.subject) != DIFFERENT
        for claim, like in same
    )
    known = lexicon.subject_slugs
    apart = any(
        (relation(claim.subject, like.subject) == DIFFERENT and {claim.subject, like.subject} <= known)
        or _held_apart(claim, like)
        for claim, like in same
    )
    return agree or apart or (bool(pairs) and not same) or _begins_and_ends(one, other)


def _begins_and_ends(one: Element, other: Element) -> bool:
    """Whether one says when something begins and the other when it ends ("departs 8:15", "arrives 11:30")."""
    told = [{claim.attribute for claim in element.claims} for element in (one, other)]
    sides = [(bool(said & _BEGINNINGS), bool(said & _ENDINGS)) for said in told]
    return sides in ([(True, False), (False, True)], [(False, True), (True, False)])


def _held_apart(claim: Claim, like: Claim) -> bool:
    """Whether they say of two things what is in them ("sauce mustard", "fries mustard")."""
    names = parts(claim.subject), parts(like.subject)
    return claim.attribute == PRESENCE and all(len(name) > 1 for name in names) and names[0][0] != names[1][0]


def _states(element: Element, said: str) -> bool:
    """Whether it may state something: a picture, or words; codes and single words ("C2", "3x5in") name.

    An arrow or a mark without words does not: what it is about stands elsewhere, and all that it says by
    itself the rules compare.
    """
    if not element.text and element.claims and all(_bare(claim) for claim in element.claims):
        return False
    # A heading that was read twice ("Origin Origin") is still one word.
    letters = [sum(map(str.isalpha, word)) for word in {*said.split()}]
    told = sum(count >= _SHORT for count in letters) >= LEAST_WORDS and max(letters) >= _LETTERS
    return told or bool(element.parts) or any(claim.pictured for claim in element.claims)


def _is_bare_denial(said: str) -> bool:
    """Whether it only says that there is none of one thing, or that one may not: "no queue"."""
    words = said.casefold().split()
    return len(words) == LEAST_WORDS and words[0] == _NO


def _bare(claim: Claim) -> bool:
    return not claim.subject and claim.attribute.partition(".")[0] in _MARKS


def _words(element: Element) -> str:
    return " ".join(element.text.split()).rstrip(".").casefold()


def _kinship(one: Element, other: Element, shared: frozenset[str]) -> tuple[float, str]:
    """How likely the two speak of one thing, and its name where both give it."""
    first, second = _subjects(one), _subjects(other)
    for name in sorted(first, key=lambda name: (-len(name), name)):
        if any(relation(name, like) != DIFFERENT for like in second):
            return SAME_THING, name
    if shared:
        return SAME_THING, max(shared, key=lambda word: (len(word), word))
    if first and second:
        return STRANGERS, ""
    return (BESIDE if gap(one, other) <= NEAR_GAP else ANYWHERE), ""


def _subjects(element: Element) -> frozenset[str]:
    return frozenset(claim.subject for claim in element.claims if claim.subject)


def _attributes(element: Element) -> frozenset[str]:
    """What the element claims something on, of whatever time; open patterns fit any two texts."""
    bases = (claim.attribute.partition(".")[0] for claim in element.claims)
    return frozenset(base for base in bases if base not in OPEN_ATTRIBUTES)


def _content(said: str, lexicon: Lexicon) -> frozenset[str]:
    """The nouns of a sentence."""
    words = parts(said.casefold())
    plain = (word.strip(".,:;!?()\"'") for word in words)
    return frozenset(
        lexicon.subject_names.get(word, singular(word))
        for word in plain
        if len(word) >= _LETTERS and lexicon.words.kind(word) == "n"
    )


def _attribute(one: Element, other: Element, lexicon: Lexicon) -> str:
    """What two elements that no rule compares most likely disagree on.

    An attribute that both claim something on, else one of the lexicon that one of them surely does.
    """
    topics = _attributes(one), _attributes(other)
    known = topics[0] & topics[1] or {
        name for name in topics[0] | topics[1] if lexicon.attribute(name) is not None
    }
    rated = [
        (claim.strength, base)
        for element in (one, other)
        for claim in element.claims
        if (base := claim.attribute.partition(".")[0]) in known
    ]
    strength, base = max(rated, default=(0.0, ""))
    return base if strength >= LEAST_TOPIC else STATEMENT


def _finding(elements: Sequence[Element], found: _Candidate, probability: float, lexicon: Lexicon) -> Finding:
    pair = (elements[found.first], elements[found.second])
    sentences = [sentence(element) for element in pair]
    attribute = _attribute(*pair, lexicon)
    spec = lexicon.attribute(attribute)
    label = spec.label if spec is not None else lexicon.categories.label(attribute)
    about = label if attribute != STATEMENT else "what is stated"
    about += f" of {found.subject}" if found.subject else ""
    key = "|".join(sorted(" ".join(sorted(parts(said.casefold())))[:60] for said in sentences))
    stated = [
        Claim(attribute, said, found.subject, True, round(min(probability, 1.0), 3), said)
        for said in sentences
    ]
    return Finding(
        kind=FindingKind.CONTRADICTION,
        key=f"contradiction:{STATEMENT}:{key}",
        attribute=attribute,
        severity=Severity.WARNING,
        message=f'"{sentences[0]}" contradicts "{sentences[1]}": {about} ({JUDGED})',
        confidence=round(min(probability, 1.0) * found.likely, 3),
        elements=tuple(
            replace(element, claims=(claim, *element.claims))
            for element, claim in zip(pair, stated, strict=True)
        ),
        learned=True,
    )
