from __future__ import annotations

import numpy as np
import pytest

from arwarden.core.findings import Box, Element, ElementType, Part
from arwarden.fast.assemble import assemble, carriers
from arwarden.fast.claims import Lexicon, find_contradictions
from arwarden.fast.claims.elements import ElementReader
from arwarden.fast.panels import Panel
from arwarden.fast.tracking.elements import TrackedElement
from arwarden.fast.words.bank import Word

SIZE = (1000, 500)
LABELS = ("#panel", "#arrow", "#arrow:u_turn", "flag:FR", "flag:IT", "unlock", "#background", "#other")


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
    word: Word | None = None,
) -> TrackedElement:
    shares = np.full(len(LABELS), (1 - share) / (len(LABELS) - 1), np.float32)
    shares[LABELS.index(label)] = share
    return TrackedElement(1, kind, (box[0], box[1], box[2], box[3]), score, shares, degrees, word=word)


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


def test_what_the_classifier_takes_for_no_element_is_none(reader: ElementReader) -> None:
    assert made(reader, [], thing("sign", 250, 100, 320, 145, label="#background")) == ()
    assert len(made(reader, [], thing("sign", 250, 100, 320, 145, label="#background", share=0.5))) == 1


def test_a_sure_classifier_decides_about_the_type(reader: ElementReader) -> None:
    (element,) = made(reader, [], thing("sign", 250, 100, 320, 145, label="flag:IT"))
    assert element.type is ElementType.FLAG
    (element,) = made(reader, [], thing("sign", 250, 100, 320, 145, label="flag:IT", share=0.55))
    assert element.type is ElementType.SIGN


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


def test_elements_name_what_they_are_and_carry(reader: ElementReader) -> None:
    panel, flag, arrow = made(
        reader,
        [text("Origin", 100, 100, 100, 40)],
        thing("panel", 80, 80, 400, 220),
        thing("flag", 250, 100, 320, 145, label="flag:FR", share=0.8),
        thing("flag", 600, 250, 700, 320, label="flag:IT"),
        thing("arrow", 80, 300, 400, 420, label="#arrow", degrees=180.0),
    )
    (part,) = panel.parts
    assert panel.label == "flag:FR"
    assert part.confidence == pytest.approx(0.8)
    assert part.box == pytest.approx((0.25, 0.2, 0.07, 0.09))
    assert (flag.label, flag.parts[0].box) == ("flag:IT", None)
    assert (arrow.label, arrow.direction_deg, arrow.number) == ("", 180.0, 1)


def test_the_surest_of_several_pictures_comes_first(reader: ElementReader) -> None:
    (panel,) = made(
        reader,
        [],
        thing("panel", 80, 80, 400, 220),
        thing("flag", 100, 100, 160, 140, label="flag:FR", share=0.7),
        thing("flag", 250, 100, 320, 145, label="flag:IT", share=0.9),
    )
    assert [part.label for part in panel.parts] == ["flag:IT", "flag:FR"]


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


def test_a_caption_right_above_or_below_a_bare_picture_is_its_text(reader: ElementReader) -> None:
    padlock = thing("sign", 250, 150, 320, 195, label="unlock")
    for top in (105, 205):
        (element,) = made(reader, [text("Mailbox", 240, top, 100, 40)], padlock)
        assert element.text == "Mailbox"
        assert [(claim.subject, claim.value) for claim in element.claims] == [("mailbox", "unlocked")]


@pytest.mark.parametrize(
    ("words", "x", "y"),
    [("Cheese", 240, 260), ("Cheese", 420, 205), ("Made in Italy", 220, 205)],
    ids=["farther away", "not in its column", "says something itself"],
)
def test_what_is_no_caption_stays_a_text(reader: ElementReader, words: str, x: float, y: float) -> None:
    flag = thing("flag", 250, 150, 320, 195, label="flag:FR")
    assert len(made(reader, [text(words, x, y, 100, 40)], flag)) == 2


def test_a_caption_between_two_pictures_is_nobodys(reader: ElementReader) -> None:
    above = thing("flag", 250, 50, 320, 95, label="flag:FR")
    below = thing("flag", 250, 150, 320, 195, label="flag:IT")
    assert len(made(reader, [text("Cheese", 240, 100, 100, 40)], above, below)) == 3


def test_what_has_words_on_it_is_no_flag(reader: ElementReader) -> None:
    striped = thing("flag", 80, 80, 480, 300, label="flag:IT")
    (element,) = made(reader, [text("Origin", 100, 100, 100, 40)], striped)
    assert (element.type, element.parts) == (ElementType.PANEL, ())
    assert ("origin", "Italy") not in says(element)
    (element,) = made(reader, [text("Origin", 600, 100, 100, 40)], striped)[:1]
    assert (element.type, says(element)) == (ElementType.FLAG, {("origin", "Italy")})


def test_text_may_be_on_panels_and_arrows_but_not_on_pictures() -> None:
    seen = (
        thing("panel", 0, 0, 100, 50),
        thing("arrow", 0, 100, 100, 150, label="#arrow"),
        thing("sign", 0, 200, 100, 250, label="unlock"),
        thing("panel", 0, 300, 100, 350, label="#background", share=0.99),
        thing("sign", 0, 400, 100, 450, label="#arrow", share=0.99),
    )
    assert [one.box_px[1] for one in carriers(seen, LABELS)] == [0, 100, 400]


def test_a_flag_on_a_flag_is_a_part_of_it(reader: ElementReader) -> None:
    whole, stripe = (
        thing("flag", 300, 100, 460, 200, label="flag:FR"),
        thing("flag", 405, 105, 455, 195, label="flag:IT", score=0.95),
    )
    (element,) = made(reader, [], whole, stripe)
    assert [part.label for part in element.parts] == ["flag:FR"]
    assert len(made(reader, [], whole, thing("flag", 500, 100, 660, 200, label="flag:IT"))) == 2


def test_a_picture_of_no_class_says_what_its_words_say(reader: ElementReader) -> None:
    bell = thing("sign", 250, 100, 320, 145, label="#other", word=Word("bell off", 0.7))
    (element,) = made(reader, [], bell)
    assert element.type is ElementType.SIGN
    assert element.parts == (Part("word:bell off", 0.7),)
    assert element.label == "word:bell off"
    assert [(claim.subject, claim.attribute, claim.value) for claim in element.claims] == [
        ("bell", "power", "off"),
        ("bell", "permission", "forbidden"),
    ]
    assert element.claims[0].strength < 0.7


def test_doubtful_words_are_not_said(reader: ElementReader) -> None:
    for share, parts in ((0.49, 0), (0.5, 1)):
        bell = thing("sign", 250, 100, 320, 145, label="#other", word=Word("bell off", share))
        (element,) = made(reader, [], bell)
        assert len(element.parts) == parts
        assert bool(element.claims) is bool(parts)


def test_a_class_comes_before_words(reader: ElementReader) -> None:
    for share, label in ((0.5, "unlock"), (0.49, "word:bell off")):
        seen = thing("sign", 250, 100, 320, 145, label="unlock", share=share, word=Word("bell off", 0.9))
        (element,) = made(reader, [], seen)
        assert [part.label for part in element.parts] == [label]


@pytest.mark.parametrize(
    ("kind", "label"),
    [
        ("flag", "#other"),
        ("panel", "#other"),
        ("arrow", "#other"),
        ("tag", "#other"),
        ("sign", "#panel"),
        ("sign", "#arrow"),
    ],
)
def test_words_are_said_of_pictures_only(reader: ElementReader, kind: str, label: str) -> None:
    (element,) = made(reader, [], thing(kind, 80, 80, 400, 220, label=label, word=Word("bell off", 0.9)))
    assert (element.parts, element.claims) == ((), ())


def test_what_is_no_element_has_no_words(reader: ElementReader) -> None:
    assert (
        made(reader, [], thing("sign", 0, 0, 99, 99, label="#background", word=Word("bell off", 0.9))) == ()
    )


def test_words_of_a_picture_on_a_panel_are_what_the_panel_is_about(reader: ElementReader) -> None:
    (element,) = made(
        reader,
        [text("Locked", 100, 100, 100, 40)],
        thing("panel", 80, 80, 400, 220),
        thing("sign", 250, 100, 320, 145, label="#other", word=Word("door", 0.8)),
    )
    assert element.type is ElementType.PANEL
    assert element.label == "word:door"
    assert element.parts[0].box == pytest.approx((0.25, 0.2, 0.07, 0.09))
    assert ("door", "lock", "locked") in [
        (claim.subject, claim.attribute, claim.value) for claim in element.claims
    ]


def test_words_of_a_picture_contradict_a_text(reader: ElementReader, lexicon: Lexicon) -> None:
    elements = made(
        reader,
        [text("The camera is recording", 600, 300, 250, 40)],
        thing("sign", 250, 100, 320, 145, label="#other", word=Word("camera off", 0.9)),
    )
    (finding,) = find_contradictions(elements, lexicon)
    assert finding.attribute == "recording"
