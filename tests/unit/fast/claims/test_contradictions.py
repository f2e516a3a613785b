from __future__ import annotations

from collections.abc import Sequence

import pytest

from arwarden.core.findings import Box, Claim, Element, ElementType, FindingKind, Severity
from arwarden.fast.claims import ClaimReader, Lexicon, find_contradictions
from arwarden.fast.claims.contradictions import MAX_FINDINGS, MAX_QUOTE
from tests.support.cpu_time import least_cpu_s
from tests.unit.fast.claims.conftest import FAR_APART, Judge

ALERT = 0.6


def element(*claims: Claim, box: Box = FAR_APART[0], text: str = "") -> Element:
    return Element(ElementType.TEXT, box, text, claims)


def test_origin_finding_in_full(judge: Judge) -> None:
    (finding,) = judge("Made in France", "Made in the Netherlands")
    assert finding.kind is FindingKind.CONTRADICTION
    assert finding.key == "contradiction:origin:france|netherlands"
    assert finding.attribute == "origin"
    assert finding.severity is Severity.WARNING
    assert (
        finding.message
        == '"Made in France" contradicts "Made in the Netherlands": origin is France or Netherlands'
    )
    assert finding.confidence > 0.9
    assert [e.claims[0].value for e in finding.elements] == ["France", "Netherlands"]


def test_key_is_the_same_for_a_misread_and_other_order(judge: Judge) -> None:
    keys = {
        judge("Restroom on the left", "Restroom on the right")[0].key,
        judge("RESTR0OM ON THE RIGHT", "Restroomon the left")[0].key,
        judge("WC: to the right", "Toilet to the left")[0].key,
    }
    assert keys == {"contradiction:direction:left|right:restroom"}


def test_claim_at_stake_comes_first(judge: Judge) -> None:
    (finding,) = judge("Made in Italy. Door locked", "Door unlocked. 5 kg")
    assert [e.claims[0].attribute for e in finding.elements] == ["lock", "lock"]
    assert len(finding.elements[0].claims) > 1
    assert finding.severity is Severity.CRITICAL


@pytest.mark.parametrize(
    ("one", "other", "least", "most"),
    [
        ("The door is locked", "The door is unlocked", 0.95, 1.0),
        ("Car door locked", "Door unlocked", 0.9, 0.97),
        ("The door is locked", "Unlocked", 0.75, 0.88),
        ("The door is l0cked", "The door is unlocked", 0.8, 0.95),
        ("5 m", "9 m", 0.0, ALERT),
        ("New", "Old", 0.0, ALERT),
        ("Biohazard", "High voltage", 0.4, ALERT),
        ("Open Tuesday to Sunday", "Closed on Thursdays", ALERT, 1.0),
        ("Slippery when wet", "Non-slip floor", ALERT, 1.0),
        ("Strong gusts", "Wind calm", ALERT, 1.0),
        ("U-turn permitted", "No U-turns", ALERT, 1.0),
        ("Suitable for pushchairs", "Not suitable for prams", ALERT, 1.0),
        ("Road flooded", "Road passable", ALERT, 1.0),
        ("Mon-Fri 9-18", "Wed 10-20", 0.5, 1.0),
    ],
)
def test_confidence(judge: Judge, one: str, other: str, least: float, most: float) -> None:
    found = judge(one, other)
    assert least <= max((f.confidence for f in found), default=0.0) <= most


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Restroom → left", "Exit → right"),
        ("Door locked", "Window unlocked"),
        ("Gate 4 left", "Gate 7 right"),
        ("Radiology, level 2", "Cardiology, level 3"),
        ("Gates open 17:00", "Gates close 18:45"),
        ("Wind calm", "No gusts today"),
        ("Basement flooded", "Road passable"),
        ("Clearance: 2.6 m", "No sale today"),
        ("Doors open on the left", "Exit to the right after the doors"),
        ("Slippery when wet", "Dry floor today"),
        ("Open Tuesday to Sunday", "Closed on Mondays"),
        ("Mon-Fri 9-18", "Sat 10-14"),
        ("Closes at 6", "Closes 18:00"),
        ("Open 9 to 5", "Open 9:00-17:00"),
        ("Was 10 €, now 5 €", "Now 5 €"),
        ("500 cm", "5 m"),
        ("Height 1 mile", "Height 1.6 km"),
        ("Oven 200 °C", "Oven 392 °F"),
        ("High voltage", "Do not touch"),
        ("Made in France", "Made in the EU"),
        ("Made in France and Italy", "Product of Italy"),
        ("Not made in China", "Made in France"),
        ("Closed on Sundays", "Open"),
        ("Turn left, then right", "Turn right"),
        ("First turn right", "Then turn left"),
        ("Turn right", "Then turn left"),
        ("Take the second exit", "Then take the third exit"),
        ("12 May 2025", "May 12"),
        ("Battery 8%", "Battery low"),
        ("Battery 81%", "Battery 80%"),
        ("Emergency exit left", "Exit right"),
        ("Best before 06/2026", "Best before 12 June 2026"),
    ],
)
def test_compatible(judge: Judge, one: str, other: str) -> None:
    assert [f for f in judge(one, other) if f.confidence >= ALERT] == []


def test_nearness_raises_confidence_where_a_subject_is_missing(lexicon: Lexicon, reader: ClaimReader) -> None:
    def confidence(boxes: Sequence[Box]) -> float:
        texts = ("Restroom on the right", "Turn left")
        elements = [
            Element(ElementType.TEXT, box, text, reader.claims(text))
            for box, text in zip(boxes, texts, strict=True)
        ]
        return find_contradictions(elements, lexicon)[0].confidence

    side_by_side = (Box(0.1, 0.1, 0.2, 0.05), Box(0.1, 0.16, 0.2, 0.05))
    assert confidence(side_by_side) > confidence(FAR_APART)


def test_two_hazards_beside_each_other_are_reported(lexicon: Lexicon, reader: ClaimReader) -> None:
    elements = [
        Element(ElementType.TEXT, Box(0.1, 0.1 + 0.06 * i, 0.2, 0.05), text, reader.claims(text))
        for i, text in enumerate(("Caution: Biohazard", "High voltage"))
    ]
    assert find_contradictions(elements, lexicon)[0].confidence >= ALERT


def test_needs_only_claims_whatever_made_them(lexicon: Lexicon) -> None:
    sign = element(Claim("origin", "France", span="flag of France"))
    label = element(Claim("origin", "Netherlands", span="Made in the Netherlands"), box=FAR_APART[1])
    (finding,) = find_contradictions([sign, label], lexicon)
    assert finding.message.startswith('"flag of France" contradicts "Made in the Netherlands"')


def test_one_element_does_not_contradict_itself(lexicon: Lexicon) -> None:
    both = element(Claim("direction", "left"), Claim("direction", "right"))
    assert find_contradictions([both], lexicon) == ()


def test_elements_that_say_one_thing_in_common_agree(lexicon: Lexicon) -> None:
    both = element(Claim("origin", "France"), Claim("origin", "Italy"))
    assert find_contradictions([both, element(Claim("origin", "Italy"))], lexicon) == ()
    torn = element(Claim("exit", "4"), Claim("exit", "4", polarity=False))
    assert find_contradictions([torn, torn], lexicon) == ()


def test_one_finding_per_key(lexicon: Lexicon, reader: ClaimReader) -> None:
    elements = [element(*reader.claims(text), text=text) for text in ("Door open", "Door closed") * 10]
    assert len(find_contradictions(elements, lexicon)) == 1


def test_unknown_attributes_of_other_sources_are_compared_by_value(lexicon: Lexicon) -> None:
    one, other = element(Claim("flavour", "mint")), element(Claim("flavour", "lemon"))
    assert find_contradictions([one, other], lexicon)[0].attribute == "flavour"


def test_long_texts_are_shortened_in_the_message(judge: Judge) -> None:
    (finding, *_) = judge("Made in France " + "and sold in many shops " * 10, "Made in Spain")
    assert "\u2026" in finding.message
    assert len(finding.message) < 2 * MAX_QUOTE + 80


def test_severe_attributes_are_compared_first(lexicon: Lexicon) -> None:
    prices = [element(Claim("price", f"{n}.00 EUR")) for n in range(200)]
    doors = [element(Claim("lock", value, "door")) for value in ("locked", "unlocked")]
    assert find_contradictions([*prices, *doors], lexicon)[0].attribute == "lock"


def test_empty(lexicon: Lexicon) -> None:
    assert find_contradictions([], lexicon) == ()
    assert find_contradictions([element(), element()], lexicon) == ()


@pytest.mark.parametrize(
    "text",
    [
        "Price {n} €",
        "Door temperature {n} °C",
        "Item {n} is locked",
        "Turn left in {n} m",
        "Gate {n}",
        "word{n} is new",
    ],
)
def test_500_elements_in_bounded_time(lexicon: Lexicon, reader: ClaimReader, text: str) -> None:
    elements = [element(*reader.claims(text.format(n=n)), text=text.format(n=n)) for n in range(500)]
    assert least_cpu_s(lambda: find_contradictions(elements, lexicon)) < 0.5  # measured 0.002 to 0.04 s
    assert len(find_contradictions(elements, lexicon)) <= MAX_FINDINGS


@pytest.mark.parametrize(
    ("one", "other", "raised"),
    [
        ("Team red: 3 goals", "Team blue: 1 goal", False),
        ("Hall A: closed", "Hall B: open", False),
        ("Hall A: closed", "Hall A: open", True),
        ("Price: 5 €", "Price today: 6 €", True),
        ("Origin: Italy", "Made in: France", True),
        ("Women on the left", "Men on the right", False),
        ("Women on the left", "Women on the right", True),
    ],
)
def test_headings_that_name_two_things_of_one_sort(
    lexicon: Lexicon, reader: ClaimReader, one: str, other: str, *, raised: bool
) -> None:
    elements = [
        Element(ElementType.PANEL, Box(0.1, top, 0.3, 0.05), text, reader.claims(text))
        for top, text in ((0.1, one), (0.7, other))
    ]
    found = find_contradictions(elements, lexicon)
    assert any(finding.confidence >= 0.6 for finding in found) is raised
