"""What pictograms, flags and arrows claim, alone and together with words."""

from __future__ import annotations

import pytest

from arwarden.core.errors import ConfigError
from arwarden.core.findings import Box, Claim, Element, ElementType, Finding
from arwarden.fast.claims import ElementReader, Lexicon, Picture, find_contradictions
from arwarden.fast.claims.elements import gap, pointing
from models.assets.meanings import LEXICON, lexicon_part

ALERT = 0.6
SIGN, ARROW, PANEL, FLAG = ElementType.SIGN, ElementType.ARROW, ElementType.PANEL, ElementType.FLAG
PLACES = (Box(0.05, 0.05, 0.15, 0.05), Box(0.7, 0.8, 0.15, 0.05), Box(0.05, 0.7, 0.15, 0.05))
LEFT, RIGHT, UP, DOWN = 180.0, 0.0, 90.0, 270.0


@pytest.fixture(scope="module")
def elements(lexicon: Lexicon) -> ElementReader:
    return ElementReader(lexicon)


def element(
    reader: ElementReader,
    kind: ElementType,
    text: str = "",
    *pictures: str,
    direction_deg: float | None = None,
    place: int = 0,
) -> Element:
    shown = [Picture(cls) for cls in pictures]
    claims = reader.claims(kind, text=text, pictures=shown, direction_deg=direction_deg)
    return Element(kind, PLACES[place], text, claims)


def raised(lexicon: Lexicon, *elements: Element) -> list[Finding]:
    placed = [Element(one.type, PLACES[at], one.text, one.claims) for at, one in enumerate(elements)]
    return [one for one in find_contradictions(placed, lexicon) if one.confidence >= ALERT]


def described(claims: tuple[Claim, ...]) -> set[str]:
    return {claim.describe() for claim in claims}


def test_shipped_meanings_are_those_of_the_classes() -> None:
    assert LEXICON.read_text(encoding="utf-8") == lexicon_part(), "run python -m models.assets.meanings"


@pytest.mark.parametrize(
    ("cls", "claim"),
    [
        ("lock", "lock = locked"),
        ("no_smoking", "smoking: permission = forbidden"),
        ("wheat", "gluten: presence = present"),
        ("vegan", "meat: presence = absent"),
        ("flag:FR", "origin = France"),
        ("flag:nl", "origin = Netherlands"),
        ("hot_surface", "temperature = hot"),
        ("window_open", "window: opening = open"),
    ],
)
def test_pictures_claim(elements: ElementReader, cls: str, claim: str) -> None:
    claims = elements.claims(SIGN, pictures=[Picture(cls)])
    assert claim in described(claims)
    assert all(one.pictured and one.span for one in claims)


def test_unknown_pictures_claim_nothing(elements: ElementReader) -> None:
    assert elements.claims(SIGN, pictures=[Picture("unheard_of"), Picture("flag:XX"), Picture("flag:")]) == ()
    assert elements.claims(PANEL) == ()


def test_confidence_of_the_classifier_counts(elements: ElementReader) -> None:
    (claim,) = elements.claims(SIGN, pictures=[Picture("lock", 0.5)])
    assert claim.strength == 0.5


def test_caption_says_what_the_picture_is_about(elements: ElementReader) -> None:
    assert "kitchen window: opening = open" in described(
        elements.claims(PANEL, text="Kitchen window", pictures=[Picture("window_open")])
    )
    # What is forbidden or contained is what the picture shows, whatever stands beside it.
    assert "nut: presence = present" in described(
        elements.claims(PANEL, text="Chocolate", pictures=[Picture("nuts")])
    )
    assert "safe: lock = locked" in described(elements.claims(PANEL, text="Safe", pictures=[Picture("lock")]))


def test_caption_can_be_a_time(elements: ElementReader) -> None:
    assert "weather.tomorrow = sunny" in described(
        elements.claims(PANEL, text="Tomorrow", pictures=[Picture("sun")])
    )


def test_picture_beside_a_statement_illustrates_it(elements: ElementReader) -> None:
    claims = elements.claims(PANEL, text="Milk 1.29 €", pictures=[Picture("milk")])
    shown = next(claim for claim in claims if claim.pictured and claim.subject == "milk")
    assert shown.strength < ALERT + 0.01
    said = elements.claims(PANEL, text="No dogs", pictures=[Picture("dog")])
    assert described(said) == {"dog: permission = forbidden"}


def test_naming_picture_is_the_subject_of_words(elements: ElementReader) -> None:
    claims = elements.claims(PANEL, text="Turn left", pictures=[Picture("restroom")])
    assert "restroom: direction = left" in described(claims)


@pytest.mark.parametrize(
    ("text", "pictures", "direction_deg", "claim"),
    [
        ("", (), LEFT, "direction = left"),
        ("", (), UP, "direction = upward"),
        ("", ("u_turn",), DOWN, "direction = back"),
        ("Restroom", (), LEFT, "restroom: direction = left"),
        ("To the gate", (), RIGHT, "gate: direction = right"),
        ("Lost and found", (), RIGHT, "lost found: direction = right"),
        ("", ("stairs",), RIGHT, "stairs: direction = right"),
        ("", ("parking",), RIGHT, "parking: direction = right"),
        ("Museum 300 m", (), LEFT, "museum: direction = left"),
    ],
)
def test_arrows_point(
    elements: ElementReader, text: str, pictures: tuple[str, ...], direction_deg: float, claim: str
) -> None:
    shown = [Picture(cls) for cls in pictures]
    assert claim in described(elements.claims(ARROW, text=text, pictures=shown, direction_deg=direction_deg))


@pytest.mark.parametrize(
    ("text", "pictures"),
    [("Made in France", ()), ("The door is locked", ()), ("", ("lock",)), ("Withstands every drop", ())],
)
def test_arrows_that_carry_a_statement_do_not_point(
    elements: ElementReader, text: str, pictures: tuple[str, ...]
) -> None:
    shown = [Picture(cls) for cls in pictures]
    claims = elements.claims(ARROW, text=text, pictures=shown, direction_deg=LEFT)
    assert claims
    assert not [claim for claim in claims if claim.attribute == "direction"]


def test_words_win_over_the_arrow_they_stand_on(elements: ElementReader) -> None:
    claims = elements.claims(ARROW, text="Turn right", direction_deg=LEFT)
    assert described(claims) == {"direction = right"}


@pytest.mark.parametrize(
    ("direction_deg", "value"),
    [
        (0, "right"),
        (44, "right"),
        (46, "upward"),
        (181, "left"),
        (300, "downward"),
        (359, "right"),
        (-90, "downward"),
    ],
)
def test_pointing(direction_deg: float, value: str) -> None:
    assert pointing(direction_deg)[0] == value


def test_diagonal_arrows_are_doubted() -> None:
    assert pointing(45)[1] < pointing(20)[1] == 1.0


def test_arrows_conflict_only_about_one_thing(lexicon: Lexicon, elements: ElementReader) -> None:
    def arrow(text: str, direction_deg: float) -> Element:
        return element(elements, ARROW, text, direction_deg=direction_deg)

    assert not raised(lexicon, arrow("", LEFT), arrow("", RIGHT))
    assert not raised(lexicon, arrow("Restroom", LEFT), arrow("Exit", RIGHT))
    assert raised(lexicon, arrow("Restroom", LEFT), arrow("Toilets", RIGHT))
    panel = element(elements, PANEL, "Turn right")
    assert raised(lexicon, arrow("", LEFT), panel)
    assert not raised(lexicon, arrow("", RIGHT), panel)
    assert not raised(lexicon, arrow("", UP), element(elements, PANEL, "Go straight"))
    assert not raised(lexicon, arrow("", UP), element(elements, PANEL, "Go upstairs"))
    assert raised(lexicon, arrow("", DOWN), element(elements, PANEL, "Go upstairs"))


@pytest.mark.parametrize(
    ("cls", "text"),
    [
        ("flag:BE", "Made in the Netherlands"),
        ("lock", "The door is unlocked"),
        ("battery_empty", "Phone fully charged"),
        ("no_parking", "You may park here"),
        ("biohazard", "High voltage"),
        ("women", "Men only"),
        ("window_open", "Roof window closed"),
        ("snow", "Sunny day"),
        ("stairs", "Take the elevator"),
        ("milk", "Dairy-free"),
        ("no_entry", "Please enter"),
        ("slippery", "The ramp is dry"),
    ],
)
def test_picture_against_words(lexicon: Lexicon, elements: ElementReader, cls: str, text: str) -> None:
    assert raised(lexicon, element(elements, SIGN, "", cls), element(elements, PANEL, text))


@pytest.mark.parametrize(
    ("cls", "text"),
    [
        ("flag:NL", "Made in the Netherlands"),
        ("window_open", "The door is closed"),
        ("biohazard", "Disinfect your hands"),
        ("milk", "Gluten-free"),
        ("sun", "Tomorrow: rain"),
        ("lock", "Last year: the door was unlocked"),
        ("no_entry", "The coffee shop is open"),
        ("no_dogs", "Smoking allowed"),
    ],
)
def test_picture_beside_words(lexicon: Lexicon, elements: ElementReader, cls: str, text: str) -> None:
    assert not raised(lexicon, element(elements, SIGN, "", cls), element(elements, PANEL, text))


def test_hazards_side_by_side_go_together(lexicon: Lexicon, elements: ElementReader) -> None:
    one, other = element(elements, SIGN, "", "toxic"), element(elements, SIGN, "", "high_voltage")
    assert not raised(lexicon, one, other)
    one, other = element(elements, SIGN, "", "men"), element(elements, SIGN, "", "women")
    assert not raised(lexicon, one, other)


def test_marks_are_compared_with_words_only_beside_a_name(lexicon: Lexicon, elements: ElementReader) -> None:
    missing = element(elements, PANEL, "Fire extinguisher missing")
    assert raised(lexicon, element(elements, PANEL, "Fire extinguisher", "check"), missing)
    assert not raised(lexicon, element(elements, SIGN, "", "check"), missing)
    assert not raised(lexicon, element(elements, PANEL, "Fire hose", "check"), missing)
    words = element(elements, PANEL, "Fire extinguisher in good condition")
    assert not raised(lexicon, words, missing)


def test_messages_say_what_is_shown(lexicon: Lexicon, elements: ElementReader) -> None:
    (finding,) = raised(
        lexicon, element(elements, FLAG, "", "flag:BE"), element(elements, PANEL, "Made in France")
    )
    assert finding.message == ('"flag of Belgium" contradicts "Made in France": origin is Belgium or France')


def test_bare_arrow_is_about_the_name_beside_it(lexicon: Lexicon, elements: ElementReader) -> None:
    def scene(y: float) -> tuple[Element, ...]:
        arrow = Element(ARROW, Box(0.1, y, 0.1, 0.1), "", elements.claims(ARROW, direction_deg=LEFT))
        title = Element(PANEL, Box(0.1, 0.1, 0.2, 0.05), "Restroom", elements.claims(PANEL, text="Restroom"))
        other = Element(
            PANEL, Box(0.7, 0.8, 0.2, 0.05), "Exit right", elements.claims(PANEL, text="Exit right")
        )
        return elements.named_by_place((arrow, title, other))

    near = scene(0.16)
    assert described(near[0].claims) == {"restroom: direction = left"}
    assert not [one for one in find_contradictions(near, lexicon) if one.confidence >= ALERT]
    far = scene(0.6)
    assert described(far[0].claims) == {"direction = left"}
    assert [one for one in find_contradictions(far, lexicon) if one.confidence >= ALERT]


def test_gap_of_flat_boxes_is_endless() -> None:
    flat = Element(PANEL, Box(0.1, 0.1, 0.1, 0.0))
    assert gap(flat, Element(PANEL, Box(0.5, 0.5, 0.1, 0.1))) == float("inf")


def test_own_pictures_are_checked(tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("lexicon") / "own.yaml"
    path.write_text(
        "language: en\npictures:\n"
        "  anchor: {says: [{subject: harbour}]}\n"
        "  odd: {says: [{attribute: lock, value: ajar}, {attribute: mood, value: glad}, {}]}\n"
        "follows: [{subject: door, attribute: lock, value: locked, then: [opening, ajar]}]\n",
        encoding="utf-8",
    )
    with pytest.raises(ConfigError) as caught:
        Lexicon.load(["en"], [path])
    told = "\n".join(caught.value.problems)
    assert "pictures.odd: says.lock: 'ajar' is not one of" in told
    assert "there is no attribute 'mood'" in told
    assert "name a subject" in told
    assert "follows: there is no 'opening = ajar'" in told
    assert "anchor" not in told


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("Wine", "flag:FR"), ("Cheese", "flag:IT")),
        (("Wine", "flag:FR"), ("Cheese made in Italy",)),
        (("Wine made in France",), ("Cheese made in Italy",)),
    ],
)
def test_products_come_from_where_they_like(
    lexicon: Lexicon, elements: ElementReader, one: tuple[str, ...], other: tuple[str, ...]
) -> None:
    assert not raised(lexicon, element(elements, PANEL, *one), element(elements, PANEL, *other))
    assert raised(lexicon, element(elements, PANEL, *one), element(elements, PANEL, "Made in Spain"))


@pytest.mark.parametrize("words", ["Origin", "Product of", "Made in"])
def test_words_of_origin_beside_a_flag_are_no_product(elements: ElementReader, words: str) -> None:
    (claim, *_) = elements.claims(PANEL, text=words, pictures=[Picture("flag:FR")])
    assert (claim.subject, claim.value) == ("", "France")


@pytest.mark.parametrize(
    ("words", "claim"),
    [
        ("bell off", "bell: power = off"),
        ("door closed", "door: opening = closed"),
        ("lock open", "lock = unlocked"),
        ("no smoking", "smoking: permission = forbidden"),
        ("battery charging", "charging = charging"),
    ],
)
def test_pictures_of_no_class_claim_what_their_words_say(
    elements: ElementReader, words: str, claim: str
) -> None:
    claims = elements.claims(SIGN, pictures=[Picture(f"word:{words}", 0.8)])
    assert claim in described(claims)
    assert all(one.pictured and one.span == f"{words} symbol" and one.strength < 0.8 for one in claims)


@pytest.mark.parametrize("words", ["", "bell", "door", "gizmo", "off", "flag:FR", "word:lock", "a b c d e f"])
def test_words_that_state_nothing_claim_nothing(elements: ElementReader, words: str) -> None:
    assert elements.claims(SIGN, pictures=[Picture(f"word:{words}")]) == ()


def test_words_are_surer_where_the_picture_is(elements: ElementReader) -> None:
    sure = elements.claims(SIGN, pictures=[Picture("word:bell off", 1.0)])
    less = elements.claims(SIGN, pictures=[Picture("word:bell off", 0.5)])
    halves = [claim.strength / 2 for claim in sure]
    assert sure
    assert [claim.strength for claim in less] == pytest.approx(halves, abs=1e-3)


@pytest.mark.parametrize(
    ("words", "text", "claim"),
    [
        ("door", "Locked", "door: lock = locked"),
        ("window", "Closed", "window: opening = closed"),
        ("elevator", "Out of order", "elevator: function = broken"),
        ("printer", "Out of order", "function = broken"),
        ("gizmo", "Locked", "lock = locked"),
        ("", "Locked", "lock = locked"),
        ("bell off", "Locked", "lock = locked"),
    ],
    ids=["door", "window", "elevator", "no thing of the lexicon", "no word", "nothing", "a statement"],
)
def test_words_that_name_a_thing_are_what_the_text_is_about(
    elements: ElementReader, words: str, text: str, claim: str
) -> None:
    assert claim in described(elements.claims(PANEL, text=text, pictures=[Picture(f"word:{words}")]))


def test_text_that_says_what_it_is_about_is_about_that(elements: ElementReader) -> None:
    claims = elements.claims(PANEL, text="Window locked", pictures=[Picture("word:door")])
    assert {claim.subject for claim in claims} == {"window"}


def test_of_several_names_none_is_what_the_text_is_about(elements: ElementReader) -> None:
    for words, claim in ((("door",), "door: lock = locked"), (("door", "gate"), "lock = locked")):
        shown = [Picture("unheard_of", words=words)]
        assert claim in described(elements.claims(PANEL, text="Locked", pictures=shown))


def test_words_of_a_text_come_before_those_of_a_picture_that_says_the_same(elements: ElementReader) -> None:
    claims = elements.claims(PANEL, text="The bell is off", pictures=[Picture("word:bell off")])
    assert [claim.span for claim in claims if claim.attribute == "power"] == ["The bell is off"]


def test_an_arrow_leads_to_the_thing_that_the_words_name(elements: ElementReader) -> None:
    for words, claim in (("elevator", "elevator: direction = left"), ("gizmo", "direction = left")):
        shown = [Picture(f"word:{words}")]
        assert described(elements.claims(ARROW, pictures=shown, direction_deg=LEFT)) == {claim}


@pytest.mark.parametrize(
    ("words", "text", "contradictory"),
    [
        ("camera off", "The camera is recording", True),
        ("camera off", "The camera is not recording", False),
        ("door closed", "The door is open", True),
        ("door closed", "The window is open", False),
        ("bell off", "The alarm is on", False),
        ("bell", "The bell is off", False),
    ],
)
def test_words_of_a_picture_against_a_text(
    lexicon: Lexicon, elements: ElementReader, words: str, text: str, *, contradictory: bool
) -> None:
    findings = raised(lexicon, element(elements, SIGN, "", f"word:{words}"), element(elements, PANEL, text))
    assert bool(findings) is contradictory


def test_things_that_are_also_shown_crossed_out_are_on_where_they_are_not(lexicon: Lexicon) -> None:
    reader = ElementReader(lexicon, switched=frozenset({"bell"}))
    (plain,) = reader.claims(SIGN, pictures=[Picture("word:bell")])
    crossed, forbidden = reader.claims(SIGN, pictures=[Picture("word:bell off")])
    assert forbidden.describe() == "bell: permission = forbidden"
    assert (plain.describe(), plain.span) == ("bell: power = on", "bell symbol")
    assert plain.strength < crossed.strength
    assert reader.claims(SIGN, pictures=[Picture("word:gizmo")]) == ()
    assert reader.claims(SIGN, pictures=[Picture("unheard_of", words=("bell",))]) == ()


@pytest.mark.parametrize(
    ("words", "text"),
    [("camera off", "Photos welcome"), ("smoking off", "Smoking allowed"), ("touch off", "Touching allowed")],
)
def test_what_is_crossed_out_is_also_not_allowed(
    elements: ElementReader, lexicon: Lexicon, words: str, text: str
) -> None:
    crossed, panel = element(elements, SIGN, "", f"word:{words}"), element(elements, PANEL, text)
    assert raised(lexicon, crossed, panel)
    plain = element(elements, SIGN, "", f"word:{words.removesuffix(' off')}")
    assert not raised(lexicon, plain, panel)
