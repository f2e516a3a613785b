"""Truths, sights and verdicts to count."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from arwarden.core.findings import Box, Element, ElementType, Finding, FindingKind, Findings, Part, Severity
from arwarden.core.frame import Frame
from arwarden.core.tier import SceneContext
from arwarden.fast.claims import ElementReader, Lexicon, Picture, find_contradictions
from benchmarks.eval.causes import Cause, Engine
from benchmarks.eval.judge import Cost, Named, Record
from benchmarks.eval.material import Part as MaterialPart
from benchmarks.eval.timed import CPU
from models.scenes.truth import ElementTruth, SceneTruth

LEFT: tuple[float, float, float, float] = (0.05, 0.1, 0.3, 0.2)
RIGHT: tuple[float, float, float, float] = (0.6, 0.5, 0.3, 0.2)
ALERT = 0.6


@cache
def lexicon() -> Lexicon:
    return Lexicon.load(["en"])


@cache
def engine() -> Engine:
    return Engine(lexicon(), ALERT)


def reader() -> ElementReader:
    return engine().reader


def truth_of(
    index: int,
    box: tuple[float, float, float, float],
    *,
    kind: str = "panel",
    cls: str = "card",
    text: str = "",
    direction_deg: float | None = None,
    carried_by: int | None = None,
) -> ElementTruth:
    x, y, w, h = box
    quad = ((x, y), (x + w, y), (x + w, y + h), (x, y + h))
    return ElementTruth(index, kind, cls, text, box, quad, 1.0, direction_deg, carried_by)


def scene(
    *elements: ElementTruth, contradictory: bool = True, attribute: str = "origin", held_out: bool = False
) -> SceneTruth:
    return SceneTruth(
        id="s", split="validation", application="smart_retail", contradictory=contradictory, kind="made_in",
        attribute=attribute, recipe="contradiction" if contradictory else "same_value",
        pair=(0, 1) if elements else None, elements=elements, size_px=(640, 360), held_out_kind=held_out,
    )  # fmt: skip


FRANCE = truth_of(0, LEFT, text="Made in France")
ITALY = truth_of(1, RIGHT, text="Made in Italy")
FLAG = truth_of(1, RIGHT, kind="flag", cls="flag:IT")
ORIGIN = scene(FRANCE, ITALY)


def said(text: str, box: tuple[float, float, float, float]) -> Element:
    return Element(ElementType.TEXT, Box(*box), text, reader().claims(ElementType.TEXT, text=text), 0.95)


def sign(cls: str, box: tuple[float, float, float, float]) -> Element:
    claims = reader().claims(ElementType.SIGN, pictures=[Picture(cls)])
    return Element(ElementType.SIGN, Box(*box), "", claims, 0.9, (Part(cls, 0.9),))


SEEN = (said("Made in France", LEFT), said("Made in Italy", RIGHT))


def findings(*elements: Element, ms: float = 100.0) -> Findings:
    found = find_contradictions(elements, lexicon())
    return Findings(found, elements, stages_ms={"ocr": ms, CPU: ms / 2})


def finding(
    confidence: float = 0.9, elements: Sequence[Element] = SEEN, attribute: str = "origin"
) -> Finding:
    return Finding(
        FindingKind.CONTRADICTION, f"contradiction:{attribute}", attribute, Severity.WARNING,
        "France or Italy", confidence, tuple(elements),
    )  # fmt: skip


def record(
    *,
    part: MaterialPart = MaterialPart.FRAMES,
    truth: SceneTruth = ORIGIN,
    raised: bool = True,
    named: Named | None = None,
    cause: Cause | None = None,
    s_to_alert: float | None = None,
    judged: bool = True,
) -> Record:
    right = raised == truth.contradictory
    if named is None and raised and truth.contradictory:
        named = Named(pair_right=True, attribute_right=True)
    return Record(
        part=part, name="00000", truth=truth, raised=raised, finding=finding() if raised else None,
        elements=SEEN, forms="words / words",
        named=named,
        cause=cause or (None if right else Cause("perception", ("words not read",))),
        first_look=Cost(300.0, 200.0), steady=(Cost(80.0, 60.0),), elements_ms=(50.0,),
        s_to_alert=s_to_alert, judged=judged,
    )  # fmt: skip


COHERENT = replace(ORIGIN, contradictory=False, recipe="same_value")


class FakeTier:
    """Sees in every frame what it was told to."""

    name = "fast"

    def __init__(self, *elements: Element) -> None:
        self.elements = elements

    def analyse_now(self, frame: Frame, context: SceneContext) -> Findings:
        del frame, context
        return findings(*self.elements)

    def close_now(self) -> None:
        """Nothing to close."""
