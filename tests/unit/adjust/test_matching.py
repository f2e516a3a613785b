from __future__ import annotations

from arwarden.adjust.matching import named, object_at
from arwarden.core.findings import Box, Element, ElementType, Finding, FindingKind, Findings, Severity
from tests.support.app_objects import seen

PANEL = seen("panel-1", "panel", box=(0.1, 0.1, 0.3, 0.2), label="Made in France")
SHELF = seen("shelf", "shelf", box=(0.05, 0.05, 0.6, 0.6))
FAR = seen("far", box=(0.8, 0.8, 0.1, 0.1))
OUTSIDE = seen("outside", box=(1.2, 0.1, 0.2, 0.2))


def element(box: Box, text: str = "Made in France") -> Element:
    return Element(ElementType.TEXT, box, text)


def test_the_object_that_covers_it_is_meant() -> None:
    found = object_at(element(Box(0.11, 0.11, 0.28, 0.18), "x"), [SHELF, PANEL, FAR])
    assert found is PANEL


def test_a_text_within_an_object_is_the_objects_and_the_smaller_one_is_meant() -> None:
    inside = element(Box(0.12, 0.12, 0.05, 0.03), "x")
    assert object_at(inside, [SHELF, PANEL]) is PANEL
    assert object_at(inside, [SHELF]) is SHELF


def test_words_decide_between_two() -> None:
    twin = seen("twin", box=(0.1, 0.1, 0.3, 0.2), label="Made in Italy")
    assert object_at(element(Box(0.1, 0.1, 0.3, 0.2), "made in  italy"), [PANEL, twin]) is twin
    assert object_at(element(Box(0.1, 0.1, 0.3, 0.2)), [twin, PANEL]) is PANEL


def test_what_lies_elsewhere_is_nobodys() -> None:
    assert object_at(element(Box(0.5, 0.7, 0.1, 0.1)), [SHELF, PANEL, FAR]) is None
    assert object_at(element(Box(0.0, 0.0, 0.0, 0.0)), [SHELF]) is None
    assert object_at(element(Box(0.1, 0.1, 0.1, 0.1)), []) is None


def test_findings_and_elements_are_named_alike() -> None:
    one, other = element(Box(0.1, 0.1, 0.3, 0.2)), element(Box(0.8, 0.1, 0.1, 0.1), "Made in Italy")
    finding = Finding(FindingKind.CONTRADICTION, "origin", "origin", Severity.WARNING, "", 0.9, (one, other))
    found = named(Findings((finding,), (one, other), stages_ms={"ocr": 1.0}), [PANEL, OUTSIDE])
    assert [each.object_id for each in found.elements] == ["panel-1", ""]
    assert [each.object_id for each in found.findings[0].elements] == ["panel-1", ""]
    assert found.stages_ms == {"ocr": 1.0}
    plain = Findings((finding,), (one, other))
    assert named(plain, [OUTSIDE]) is plain
