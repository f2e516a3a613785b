from __future__ import annotations

from dataclasses import replace

import pytest

from arwarden.core.findings import Box, Claim, Element, ElementType, Finding, FindingKind, Severity
from arwarden.fast.calibration import FEATURES, Calibration, features

BOX = Box(0.1, 0.1, 0.2, 0.2)


def element(kind: ElementType, confidence: float = 0.9, *, pictured: bool = False) -> Element:
    return Element(kind, BOX, "Made", (Claim("origin", "France", pictured=pictured),), confidence)


PANEL, FLAG, TEXT = (element(kind) for kind in (ElementType.PANEL, ElementType.FLAG, ElementType.TEXT))


def finding(*elements: Element, confidence: float = 0.9, attribute: str = "origin") -> Finding:
    kind = FindingKind.CONTRADICTION
    return Finding(kind, "key", attribute, Severity.WARNING, "two", confidence, elements)


def by(certain: float = 0.6, least: float = 0.3, **weights: float) -> Calibration:
    return Calibration({name: weights.get(name, 0.0) for name in FEATURES}, certain, least)


def test_what_is_known_about_a_finding() -> None:
    known = features(finding(PANEL, replace(TEXT, confidence=0.5)), (PANEL, TEXT))
    assert known == pytest.approx(
        {
            "one": 1.0, "rules": 2.197, "seen": 0.0, "one_bare": 1.0, "both_bare": 0.0, "bare_scene": 0.0,
            "pictured": 0.0,
        },
        abs=1e-3,
    )  # fmt: skip
    assert tuple(known) == FEATURES


def test_bare_texts_in_a_scene_without_anything_virtual() -> None:
    known = features(finding(TEXT, TEXT), (TEXT, TEXT))
    assert (known["one_bare"], known["both_bare"], known["bare_scene"]) == (0.0, 1.0, 1.0)
    assert features(finding(TEXT, TEXT), (TEXT, TEXT, PANEL))["bare_scene"] == 0.0


def test_claims_that_are_pictures() -> None:
    shown = element(ElementType.FLAG, pictured=True)
    assert features(finding(PANEL, shown), ())["pictured"] == 0.5


def test_rules_that_are_quite_sure_are_still_in_some_doubt() -> None:
    assert by(rules=1.0).probability(finding(PANEL, FLAG, confidence=1.0), ()) == pytest.approx(0.98)
    assert by(rules=1.0).probability(finding(PANEL, FLAG, confidence=0.0), ()) == pytest.approx(0.02)


def test_likely_findings_are_certain_less_likely_ones_are_not_and_unlikely_ones_are_left_out() -> None:
    found = [finding(PANEL, FLAG, confidence=share) for share in (0.2, 0.5, 0.9)]
    judged = by(rules=1.0).judged(found, ())
    assert [(one.confidence, one.certain) for one in judged] == [(0.9, True), (0.5, False)]


def test_the_map_alone_does_not_make_one_sample_enough_for_an_alert() -> None:
    sure, surer = finding(PANEL, FLAG, confidence=0.9), finding(PANEL, FLAG, confidence=0.98)
    judged = by(one=9.0, rules=1.0).judged([sure, surer], ())
    assert [one.confidence for one in judged] == [0.98, 0.97]


def test_bare_texts_can_weigh_less() -> None:
    calibration = by(rules=1.0, both_bare=-2.0)
    assert calibration.judged([finding(PANEL, FLAG)], (PANEL,))[0].certain
    assert not calibration.judged([finding(TEXT, TEXT)], (TEXT,))[0].certain


def test_what_is_no_contradiction_stays_as_it_is() -> None:
    others = [
        replace(finding(PANEL), kind=FindingKind.INJECTION, confidence=0.1),
        replace(finding(), kind=FindingKind.QUALITY, confidence=0.2),
    ]
    assert set(by(one=-5.0).judged(others, ())) == set(others)


def test_the_shipped_one_trusts_what_the_rules_are_sure_of() -> None:
    shipped = Calibration.load()
    assert 0.0 < shipped.least < shipped.certain < 1.0
    scene = (PANEL, FLAG)
    sure, unsure = (shipped.probability(finding(*scene, confidence=c), scene) for c in (0.95, 0.3))
    assert sure > shipped.certain
    assert sure > unsure
    bare = shipped.probability(finding(TEXT, TEXT, confidence=0.95), (TEXT, TEXT))
    assert bare <= sure
