"""What follows from an answer: which alerts it confirms, takes back or leaves in doubt, and which it raises.

A judge says yes or no about a whole view. What it says about one alert depends on what it names: a yes that
names other content confirms nothing. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from arwarden.config import EscalateConfig
from arwarden.core.findings import Box, Element, ElementType, Finding, FindingKind, Findings, Severity
from arwarden.core.frame import Frame
from arwarden.core.opinion import Opinion, Raised, Ruling
from arwarden.escalate.answers import Answer, NamedElement, ParseStatus, Verdict
from arwarden.escalate.policy import Look
from arwarden.escalate.scenes import same_word, words_of

JUDGE_CONFIDENCE: Final = 0.8
"""Judges give no measure of their sureness. Published ones are right in 58 to 88 % of such views."""
SAME_PLACE: Final = 0.2
"""Intersection over union from which a judge's box is that of an element: models draw boxes loosely."""
SAME_WORDS: Final = 0.6
"""Share of an element's words that a judge must repeat to have named it."""
MAX_ELEMENTS: Final = 6
MESSAGE_CHARS: Final = 200
ATTRIBUTE: Final = "content"
KEY_PREFIX: Final = "judge:"
HOSTILE: Final = "hostile_scene"
OTHER_CONTENT: Final = "judge_names_other_content"
DISAGREES: Final = "judge_disagrees"
UNREADABLE: Final = "judge_unreadable"
UNAVAILABLE: Final = "judge_unavailable"
TOO_LATE: Final = "judge_too_late"
DEADLINE: Final = "deadline"
_SENTENCE_END: Final = re.compile(r"(?<=[.!?。])\s+")


def opinion_of(answer: Answer) -> Opinion:
    """An answer as alerts tell of it."""
    judgement = answer.judgement
    problem = judgement.problem
    if judgement.parse is ParseStatus.UNREADABLE and not problem:
        problem = ParseStatus.UNREADABLE.value
    return Opinion(
        judge=answer.judge,
        model=answer.model,
        verdict=judgement.verdict.value,
        reason=judgement.reason,
        problem=problem,
        latency_ms=answer.latency_ms,
        tokens=answer.spent.tokens_in + answer.spent.tokens_out,
        cost=answer.spent.cost,
        prompt_version=answer.prompt_version,
    )


def without_answer(look: Look, opinion: Opinion, budget_ms: float) -> Ruling:
    """Nobody answered: alerts stay as they are and say so."""
    why = TOO_LATE if opinion.problem == DEADLINE else UNAVAILABLE
    return Ruling(opinion, unverified=look.doubted, why=why, budget_ms=budget_ms)


@dataclass(frozen=True, slots=True)
class About:
    """What an answer is about, as things are when it is there."""

    judged: Frame
    """The frame that the judge saw."""
    seen: Frame | None
    """The newest frame that shows the same; None where it is gone."""
    scene: str
    """The name of the scene that was judged."""
    tier: str
    """The name of the fast tier."""
    budget_ms: float
    """How old the messages that follow may be without being late."""


def rule(look: Look, answer: Answer, config: EscalateConfig, about: About) -> Ruling:
    """What an answer means for the alerts of ``look``, and which alerts it raises."""
    opinion = opinion_of(answer)
    nothing = Ruling(
        opinion,
        judged=about.judged,
        seen=about.seen,
        budget_ms=about.budget_ms,
        holds_ms=config.ask.cool_down_ms,
    )
    if answer.verdict is Verdict.UNKNOWN:
        return replace(nothing, unverified=look.doubted, why=UNREADABLE)
    if answer.verdict is Verdict.NO:
        # Whoever writes orders into the view may want exactly this answer.
        if config.retract and not look.hostile:
            return replace(nothing, rejected=look.doubted)
        return replace(nothing, unverified=look.doubted, why=HOSTILE if look.hostile else DISAGREES)
    named = answer.judgement.elements
    meant = [finding for finding in look.suspected if not named or _names(named, finding.elements)]
    keys = {finding.key for finding in meant}
    raised = [Raised(finding, about.tier) for finding in meant if finding.key not in look.doubted]
    if not meant and not look.hostile:
        raised = [Raised(own_finding(look.findings, answer, about.scene), answer.judge)]
    may_raise = config.raise_alerts and (about.seen is not None or config.late == "publish")
    return replace(
        nothing,
        confirmed=tuple(key for key in look.doubted if key in keys),
        unverified=tuple(key for key in look.doubted if key not in keys),
        why=HOSTILE if look.hostile else OTHER_CONTENT,
        raised=tuple(raised) if may_raise else (),
    )


def own_finding(findings: Findings, answer: Answer, scene: str) -> Finding:
    """A contradiction that only the judge saw, beside what the fast tier saw; ``scene`` names the view."""
    elements = [_element(named, findings.elements) for named in answer.judgement.elements[:MAX_ELEMENTS]]
    return Finding(
        kind=FindingKind.CONTRADICTION,
        key=KEY_PREFIX + scene,
        attribute=ATTRIBUTE,
        severity=Severity.WARNING,
        message=_message(answer.judgement.reason),
        confidence=JUDGE_CONFIDENCE,
        elements=tuple(element for element in elements if element is not None),
    )


def _names(named: Sequence[NamedElement], elements: Sequence[Element]) -> bool:
    return any(_is(one, element) for one in named for element in elements)


def _is(named: NamedElement, element: Element) -> bool:
    if named.box is not None and named.box.overlap(element.box) >= SAME_PLACE:
        return True
    words, said = words_of(element.text), words_of(named.text)
    repeated = sum(any(same_word(word, other) for other in said) for word in words)
    return bool(words) and repeated >= SAME_WORDS * len(words)


def _element(named: NamedElement, known: Sequence[Element]) -> Element | None:
    """What the judge names as the fast tier knows it; in the judge's words where it does not."""
    for element in known:
        if _is(named, element):
            return element
    if named.box is None:
        return None
    return Element(
        ElementType.PANEL, Box(*named.box), named.text[:MESSAGE_CHARS], confidence=JUDGE_CONFIDENCE
    )


def _message(reason: str) -> str:
    first = _SENTENCE_END.split(" ".join(reason.split()), maxsplit=1)[0] if reason else ""
    if not first:
        return "Virtual content in view contradicts itself"
    return first if len(first) <= MESSAGE_CHARS else first[: MESSAGE_CHARS - 1].rstrip() + "…"
