from __future__ import annotations

import numpy as np
import pytest

from arwarden.core.findings import Box, Element, ElementType
from arwarden.fast.assemble import assemble
from arwarden.fast.claims import Lexicon, find_contradictions
from arwarden.fast.claims.elements import ElementReader
from arwarden.fast.panels import Panel
from arwarden.fast.tracking.elements import TrackedElement

SIZE = (1000, 500)
LABELS = ("#panel", "#arrow", "#arrow:u_turn", "flag:FR", "flag:IT")


@pytest.fixture(scope="module")
def lexicon() -> Lexicon:
    return Lexicon.load(("en",), ())


@pytest.fixture(scope="module")
def reader(lexicon: Lexicon) -> ElementReader:
    return ElementReader(lexicon)


def thing(
    kind: str,
    *box: float,
    label: str = "#panel",
    share: float = 0.9,
    score: float = 0.8,
    degrees: float | None = None,
) -> TrackedElement:
    shares = np.full(len(LABELS), (1 - share) / (len(LABELS) - 1), np.float32)
    shares[LABELS.index(label)] = share
    return TrackedElement(1, kind, (box[0], box[1], box[2], box[3]), score, shares, degrees)


def text(words: str, x: float, y: float, w: float, h: float) -> Panel:
    return Panel(words, Box(x / SIZE[0], y / SIZE[1], w / SIZE[0], h / SIZE[1]), 0.95, ())


def made(reader: ElementReader, texts: list[Panel], *seen: TrackedElement) -> tuple[Element, ...]:
    return assemble(texts, seen, LABELS, SIZE, reader)


def says(element: Element) -> set[tuple[str, str]]:
    return {(claim.attribute, claim.value) for claim in element.claims}


def test_text_alone_is_as_it_was(reader: ElementReader) -> None:
    (element,) = made(reader, [text("Made in France", 100, 100, 200, 40)])
    assert (element.type, element.text, element.confidence) == (ElementType.TEXT, "Made in France", 0.95)
    assert says(element) == {("origin", "France")}


def test_texts_on_a_panel_are_its_text(reader: ElementReader) -> None:
    panel = thing("panel", 80, 80, 400, 220)
    (element,) = made(reader, [text("Made in", 100, 100, 150, 40), text("France", 100, 150, 150, 40)], panel)
    assert element.type is ElementType.PANEL
    assert element.text == "Made in\nFrance"
    assert element.box == pytest.approx((0.08, 0.16, 0.32, 0.28))
    assert element.confidence == 0.8
    assert says(element) == {("origin", "France")}


def test_a_text_beside_a_panel_is_not_on_it(reader: ElementReader) -> None:
    elements = made(reader, [text("Exit", 500, 100, 150, 40)], thing("panel", 80, 80, 400, 220))
    assert [element.text for element in elements] == ["", "Exit"]


def test_of_two_panels_the_smaller_one_has_the_text(reader: ElementReader) -> None:
    elements = made(
        reader,
        [text("Exit", 100, 100, 150, 40)],
        thing("panel", 0, 0, 1000, 500),
        thing("panel", 80, 80, 300, 160),
    )
    assert [element.text for element in elements] == ["", "Exit"]


def test_a_flag_on_a_panel_is_what_the_panel_says(reader: ElementReader) -> None:
    (element,) = made(
        reader,
        [text("Origin", 100, 100, 100, 40)],
        thing("panel", 80, 80, 400, 220),
        thing("flag", 250, 100, 320, 145, label="flag:FR"),
    )
    assert element.type is ElementType.PANEL
    assert says(element) == {("origin", "France")}


def test_a_flag_that_stands_alone_speaks_for_itself(reader: ElementReader) -> None:
    (element,) = made(reader, [], thing("flag", 250, 100, 320, 145, label="flag:IT"))
    assert element.type is ElementType.FLAG
    assert says(element) == {("origin", "Italy")}


def test_an_unsure_picture_says_nothing(reader: ElementReader) -> None:
    (element,) = made(reader, [], thing("flag", 250, 100, 320, 145, label="flag:IT", share=0.4))
    assert element.claims == ()


def test_text_on_an_arrow_names_where_it_points(reader: ElementReader) -> None:
    arrow = thing("arrow", 80, 80, 400, 220, label="#arrow", degrees=180.0)
    (element,) = made(reader, [text("Restroom", 120, 120, 200, 50)], arrow)
    assert element.type is ElementType.ARROW
    assert ("direction", "left") in says(element)


def test_an_arrow_whose_direction_is_in_doubt_points_nowhere(reader: ElementReader) -> None:
    (element,) = made(reader, [], thing("arrow", 80, 80, 400, 220, label="#arrow"))
    assert element.claims == ()


def test_a_u_turn_points_back(reader: ElementReader) -> None:
    (element,) = made(reader, [], thing("arrow", 80, 80, 400, 220, label="#arrow:u_turn", degrees=90.0))
    assert ("direction", "back") in says(element)


def test_the_same_box_as_panel_and_as_arrow_is_the_surer_one(reader: ElementReader) -> None:
    (element,) = made(
        reader,
        [text("Exit", 120, 120, 200, 50)],
        thing("arrow", 70, 70, 410, 230, label="#arrow", score=0.4, degrees=0.0),
        thing("panel", 80, 80, 400, 220, score=0.6),
    )
    assert (element.type, element.text) == (ElementType.PANEL, "Exit")


def test_a_flag_contradicts_a_panel(reader: ElementReader, lexicon: Lexicon) -> None:
    elements = made(
        reader,
        [text("Made in the Netherlands", 100, 100, 250, 40), text("Origin", 600, 300, 100, 40)],
        thing("panel", 80, 80, 400, 220),
        thing("panel", 580, 280, 900, 400),
        thing("flag", 750, 300, 820, 345, label="flag:FR"),
    )
    (finding,) = find_contradictions(elements, lexicon)
    assert finding.attribute == "origin"


def test_boxes_beyond_the_picture_are_cut(reader: ElementReader) -> None:
    (element,) = made(reader, [], thing("panel", -50, -20, 1200, 600))
    assert element.box == (0.0, 0.0, 1.0, 1.0)


def test_elements_come_top_to_bottom(reader: ElementReader) -> None:
    elements = made(
        reader,
        [text("Low", 100, 400, 100, 40), text("High", 100, 10, 100, 40)],
        thing("panel", 500, 200, 700, 300),
    )
    assert [element.box.y_norm for element in elements] == sorted(element.box.y_norm for element in elements)
