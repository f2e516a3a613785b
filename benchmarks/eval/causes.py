"""Why a verdict is wrong: what is said of the scene seen without error, and which error mattered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from arwarden.core.findings import Box, Element, ElementType, Finding, FindingKind
from arwarden.fast.claims import ElementReader, Lexicon, PairJudge, find_contradictions
from benchmarks.eval.sight import Shown, faults, owner, perfectly_seen, seen_of, with_observed

CLAIMS, PERCEPTION, TOGETHER = "claims", "perception", "together"
"""Where a verdict was lost: though all was seen; by what was not seen; by no single element."""
CLAIMS_DIFFER = "seen rightly, but claims something else"
PAIR = (0, 1)


@dataclass(frozen=True, slots=True)
class Cause:
    """Where and by what a verdict was lost."""

    stage: str
    faults: tuple[str, ...] = ()


class Engine:
    """The claim engine of the tier, for asking what it would say if it saw something else."""

    def __init__(self, lexicon: Lexicon, min_confidence: float, judge: PairJudge | None = None) -> None:
        self._lexicon = lexicon
        self._least = min_confidence
        self._judge = judge
        self.reader = ElementReader(lexicon)

    def raises(self, elements: Sequence[Element]) -> bool:
        """Whether these elements would raise an alert."""
        found = find_contradictions(elements, self._lexicon, self._judge)
        return any(alerts(finding, self._least) for finding in found)


def alerts(finding: Finding, min_confidence: float) -> bool:
    """Whether a finding is a contradiction that may raise an alert."""
    sure = finding.certain and finding.confidence >= min_confidence
    return finding.kind is FindingKind.CONTRADICTION and sure


def missed(
    things: Sequence[Shown],
    elements: Sequence[Element],
    engine: Engine,
    detected: Mapping[ElementType, Sequence[Box]],
) -> Cause:
    """Why nothing was raised of a contradictory scene in which ``elements`` were seen.

    ``detected`` is what the networks alone found, by type.
    """
    perfect = perfectly_seen(things, engine.reader)
    pair = f"{' / '.join(sorted(thing.form for thing in things[:2]))}"
    if not engine.raises(engine.reader.named_by_place(perfect)):
        return Cause(CLAIMS, (pair,))
    found, _ = seen_of(things, elements)
    lost = [
        place
        for place in PAIR
        if not engine.raises(with_observed(perfect, place, found[place], engine.reader))
    ]
    wrong = [
        fault
        for place in lost
        for fault in faults(things[place], found[place], detected.get(things[place].type, ()))[:1]
        or [CLAIMS_DIFFER]
    ]
    return Cause(PERCEPTION, tuple(wrong)) if wrong else Cause(TOGETHER, (pair,))


def alarmed(
    things: Sequence[Shown], elements: Sequence[Element], finding: Finding, engine: Engine, recipe: str
) -> Cause:
    """Why ``finding`` was raised of a coherent scene or a picture without virtual content."""
    if things and engine.raises(engine.reader.named_by_place(perfectly_seen(things, engine.reader))):
        return Cause(CLAIMS, (recipe,))
    found, _ = seen_of(things, elements)
    wrong = []
    for element in finding.elements:
        place = owner(element.box, things)
        if place is None:
            words = " with words" if element.text else ""
            wrong.append(f"{element.type.value}{words} where nothing is")
        else:
            wrong += faults(things[place], found[place])[:1]
    return Cause(PERCEPTION, tuple(wrong)) if wrong else Cause(TOGETHER, (recipe,))
