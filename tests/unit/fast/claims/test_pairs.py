"""Which pairs a judge of sentences is asked about, and what becomes of its answers."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from arwarden.core.findings import Box, Element, ElementType, FindingKind, Part
from arwarden.fast.claims import (
    ElementReader,
    Lexicon,
    PairRelation,
    PairVerdict,
    Picture,
    find_contradictions,
)
from arwarden.fast.claims.apart import Named
from arwarden.fast.claims.pairs import AGREED, ANYWHERE, BESIDE, JUDGED, MAX_JUDGED, RULE_SURE
from arwarden.fast.claims.speech import sentence, spoken

CONTRADICTORY = PairVerdict(PairRelation.CONTRADICTORY, 0.9)
NEUTRAL = PairVerdict(PairRelation.NEUTRAL, 0.9)


class Recorder:
    """A judge that gives one verdict on everything and keeps what it was asked."""

    def __init__(self, verdict: PairVerdict) -> None:
        self.verdict = verdict
        self.asked: list[tuple[str, str]] = []

    def judge(self, pairs: Sequence[tuple[str, str]]) -> Sequence[PairVerdict]:
        self.asked += pairs
        return [self.verdict] * len(pairs)


@pytest.fixture(scope="module")
def reader(lexicon: Lexicon) -> ElementReader:
    return ElementReader(lexicon)


def panel(reader: ElementReader, text: str, at: float = 0.1) -> Element:
    return Element(
        ElementType.PANEL, Box(0.1, at, 0.3, 0.05), text, reader.claims(ElementType.PANEL, text=text)
    )


def asked_about(reader: ElementReader, lexicon: Lexicon, one: str, other: str) -> list[tuple[str, str]]:
    """What a judge is asked in a view of two panels, one below the other."""
    judge = Recorder(CONTRADICTORY)
    find_contradictions([panel(reader, one), panel(reader, other, 0.17)], lexicon, judge)
    return judge.asked


def test_a_pair_without_rule_is_asked_about(reader: ElementReader, lexicon: Lexicon) -> None:
    judge = Recorder(CONTRADICTORY)
    elements = [panel(reader, "The orchestra plays Brahms"), panel(reader, "The orchestra is on strike", 0.7)]
    (finding,) = find_contradictions(elements, lexicon, judge)
    assert judge.asked == [("the orchestra plays brahms", "the orchestra is on strike")]
    assert finding.kind is FindingKind.CONTRADICTION
    assert finding.attribute == "statement"
    assert finding.confidence == pytest.approx(0.9)
    assert [element.text for element in finding.elements] == [element.text for element in elements]
    assert finding.message == (
        '"The orchestra plays Brahms" contradicts "The orchestra is on strike": '
        f"what is stated of orchestra ({JUDGED})"
    )
    assert finding.learned


def test_the_attribute_is_what_one_of_them_surely_claims(reader: ElementReader, lexicon: Lexicon) -> None:
    elements = [panel(reader, "Kitchen window open"), panel(reader, "Kitchen window nailed up", 0.7)]
    (finding,) = find_contradictions(elements, lexicon, Recorder(CONTRADICTORY))
    assert finding.attribute == "opening"
    assert ": opening state of kitchen" in finding.message
    assert finding.message.endswith(f"({JUDGED})")
    assert [element.claims[0].attribute for element in finding.elements] == ["opening"] * 2


def test_rules_findings_are_not_called_learned(reader: ElementReader, lexicon: Lexicon) -> None:
    elements = [panel(reader, "Door locked"), panel(reader, "Door unlocked")]
    (finding,) = find_contradictions(elements, lexicon, Recorder(CONTRADICTORY))
    assert not finding.learned
    assert JUDGED not in finding.message


def test_judges_are_told_repaired_english(reader: ElementReader) -> None:
    lexicon = Lexicon.load(["en", "de", "fr", "es", "zh"])
    for text, told in (
        ("MadeintheNetherlands", "made in the netherlands"),
        ("The d00r is l0cked", "the door is locked"),
        ("La porte n'est pas fermée à clé", ""),
        ("出口在右边", ""),
        ("Дверь закрыта", ""),
    ):
        assert spoken(panel(reader, text), lexicon) == told


@pytest.mark.parametrize("label", ["ferry_ahead", "unheard_of"])
def test_pictures_that_the_lexicon_does_not_know_go_by_their_names(label: str) -> None:
    element = Element(ElementType.SIGN, Box(0, 0, 0.1, 0.1), parts=(Part(label, 0.9), Part("flag:XX", 0.3)))
    assert sentence(element) == f"{label.replace('_', ' ')} symbol"


def test_a_picture_of_which_a_claim_speaks_is_named_once(reader: ElementReader) -> None:
    claims = reader.claims(ElementType.SIGN, pictures=[Picture("lock")])
    element = Element(ElementType.SIGN, Box(0, 0, 0.1, 0.1), claims=claims, parts=(Part("lock", 0.9),))
    assert sentence(element) == "locked symbol"


def test_other_verdicts_find_nothing(reader: ElementReader, lexicon: Lexicon) -> None:
    elements = [panel(reader, "The orchestra plays Brahms"), panel(reader, "The orchestra is on strike")]
    assert find_contradictions(elements, lexicon, Recorder(NEUTRAL)) == ()
    assert find_contradictions(elements, lexicon) == ()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Door locked", "Door unlocked"),  # the rules see it
        ("Restroom left", "Exit right"),  # the rules hold it for compatible
        ("The violin is loud", "The violin is loud"),
        ("", "The violin is loud"),
    ],
)
def test_pairs_that_need_no_judge(reader: ElementReader, lexicon: Lexicon, one: str, other: str) -> None:
    judge = Recorder(CONTRADICTORY)
    find_contradictions([panel(reader, one), panel(reader, other)], lexicon, judge)
    assert judge.asked == []


def test_what_a_rule_is_not_sure_of_is_asked_about_too(reader: ElementReader, lexicon: Lexicon) -> None:
    elements = [panel(reader, "The ski run is easy"), panel(reader, "Difficult ski run", 0.7)]
    (unsure,) = find_contradictions(elements, lexicon)
    assert unsure.confidence < RULE_SURE
    (both,) = find_contradictions(elements, lexicon, Recorder(CONTRADICTORY))
    assert both.attribute == unsure.attribute
    assert both.confidence > max(unsure.confidence, 0.9 * ANYWHERE)
    assert both.message == f"{unsure.message} ({AGREED})"
    assert not both.learned
    assert find_contradictions(elements, lexicon, Recorder(NEUTRAL)) == (unsure,)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Drones allowed", "Drone flights banned"),  # the names of one thing, of which the rules know nothing
        ("Sauna heated up", "Bathhouse cold"),
    ],
)
def test_things_of_different_names_are_asked_about(
    reader: ElementReader, lexicon: Lexicon, one: str, other: str
) -> None:
    judge = Recorder(CONTRADICTORY)
    (finding,) = find_contradictions([panel(reader, one), panel(reader, other, 0.7)], lexicon, judge)
    assert judge.asked == [(one.lower(), other.lower())]
    assert finding.learned


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Door locked", "Locked door ahead"),
        ("Shop open", "Shop closed on Sundays"),
        ("Coach departs 08:15", "Coach arrives 11:30"),
    ],
)
def test_agreement_and_other_occasions_are_settled(
    reader: ElementReader, lexicon: Lexicon, one: str, other: str
) -> None:
    judge = Recorder(CONTRADICTORY)
    assert find_contradictions([panel(reader, one), panel(reader, other, 0.7)], lexicon, judge) == ()
    assert not judge.asked


def test_few_pairs_the_likeliest_first(reader: ElementReader, lexicon: Lexicon) -> None:
    judge = Recorder(NEUTRAL)
    things = ("violin", "harbour", "kettle", "meadow", "tractor", "chapel")
    elements = [panel(reader, f"Wonderful {thing} nearby", 0.15 * at) for at, thing in enumerate(things)]
    elements += [panel(reader, "The harbour fascinates")]
    find_contradictions(elements, lexicon, judge)
    assert 0 < len(judge.asked) <= MAX_JUDGED
    assert judge.asked[0] == ("wonderful harbour nearby", "the harbour fascinates")


def test_unnamed_neighbours_count_more_than_strangers(reader: ElementReader, lexicon: Lexicon) -> None:
    judge = Recorder(CONTRADICTORY)
    near = find_contradictions(
        [panel(reader, "Hooray friends"), panel(reader, "Alas comrade", 0.17)], lexicon, judge
    )
    far = find_contradictions(
        [panel(reader, "Hooray friends"), panel(reader, "Alas comrade", 0.9)], lexicon, judge
    )
    assert near[0].confidence == pytest.approx(0.9 * BESIDE, abs=1e-3)
    assert far[0].confidence == pytest.approx(0.9 * ANYWHERE, abs=1e-3)


def test_pictures_in_words(reader: ElementReader) -> None:
    claims = reader.claims(ElementType.PANEL, text="Kitchen", pictures=[Picture("lock")])
    assert (
        sentence(Element(ElementType.PANEL, Box(0, 0, 1, 1), "Kitchen", claims)) == "Kitchen. locked symbol"
    )


def test_one_name_with_and_without_a_picture_is_not_asked_about(
    reader: ElementReader, lexicon: Lexicon
) -> None:
    judge = Recorder(CONTRADICTORY)
    arrow = Element(
        ElementType.ARROW,
        Box(0.1, 0.7, 0.2, 0.1),
        "Restroom",
        reader.claims(ElementType.ARROW, text="Restroom", direction_deg=180.0),
    )
    assert sentence(arrow) == "Restroom. left arrow"
    assert find_contradictions([panel(reader, "RESTROOM."), arrow], lexicon, judge) == ()
    assert not judge.asked


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("A3", "C2"), ("4 x 6 in", "3 x 5 in"), ("Wait", "Orchestra plays"),
        ("Barbecue area", "No barbecuing"), ("Barbecue area", "go on"),
        ("Barbecue area", "Orchestra orchestra"),
    ],
)  # fmt: skip
def test_codes_and_single_words_state_nothing(
    reader: ElementReader, lexicon: Lexicon, one: str, other: str
) -> None:
    assert not asked_about(reader, lexicon, one, other)


def test_a_bare_denial_is_asked_about_beside_what_speaks_of_the_same_thing_alone(
    reader: ElementReader, lexicon: Lexicon
) -> None:
    assert asked_about(reader, lexicon, "No trombones", "The trombone plays Brahms")
    assert not asked_about(reader, lexicon, "No trombones", "The fiddle plays Brahms")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Die Geige spielt", "Die Geige streikt heute"),
        ("Пианино играет", "Пианино молчит"),
        ("小提琴在演奏", "小提琴停了"),
        ("Stor ISH pepsl", "TER stroe isf"),
    ],
)
def test_other_languages_and_garbled_words_are_not_asked_about(
    reader: ElementReader, lexicon: Lexicon, one: str, other: str
) -> None:
    assert not asked_about(reader, lexicon, one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Orchestra up", "The orchestra has gone home"),
        ("Gravy from Iceland", "Mongolian gravy, cooked on site"),
    ],
)
def test_short_words_and_names_of_places_are_english(
    reader: ElementReader, lexicon: Lexicon, one: str, other: str
) -> None:
    assert asked_about(reader, lexicon, one, other)


def test_what_only_open_patterns_compare_is_asked_about(reader: ElementReader, lexicon: Lexicon) -> None:
    judge = Recorder(CONTRADICTORY)
    elements = [panel(reader, "Everyone is asleep!"), panel(reader, "Night mode: someone is awake", 0.17)]
    assert find_contradictions(elements, lexicon) == ()
    assert find_contradictions(elements, lexicon, judge)
    assert judge.asked


def test_an_arrow_or_a_mark_alone_states_nothing(reader: ElementReader, lexicon: Lexicon) -> None:
    judge = Recorder(CONTRADICTORY)
    claims = reader.claims(ElementType.ARROW, direction_deg=180.0)
    arrow = Element(ElementType.ARROW, Box(0.1, 0.3, 0.2, 0.1), "", claims, direction_deg=180.0)
    claims = reader.claims(ElementType.SIGN, pictures=[Picture("check")])
    check = Element(ElementType.SIGN, Box(0.5, 0.3, 0.1, 0.1), "", claims, parts=(Part("check", 0.9),))
    find_contradictions([panel(reader, "Eggs: none left"), arrow, check], lexicon, judge)
    assert not judge.asked


def test_texts_on_nothing_virtual_have_to_speak_of_one_thing(reader: ElementReader, lexicon: Lexicon) -> None:
    judge = Recorder(CONTRADICTORY)
    texts = ("Hooray friends", "Alas comrade")
    bare = [
        Element(ElementType.TEXT, Box(0.1, 0.1 + 0.07 * at, 0.3, 0.05), text) for at, text in enumerate(texts)
    ]
    find_contradictions(bare, lexicon, judge)
    assert not judge.asked


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Choir sings on Thursdays", "No choir singing on Fridays"),
        ("Counter 4 out of pens, go to counter 5", "Counter 5 glad to help"),
        ("Red means stop", "Green means go"),
        ("Deep water", "Shallow water"),
        ("Supply voltage 230 V", "Output voltage 24 V"),
        ("Curtain drawn in the hall", "Curtain pulled back in the bath"),
        ("Sauce contains mustard", "Fries contain no mustard"),
    ],
)
def test_two_things_are_not_asked_about(
    reader: ElementReader, lexicon: Lexicon, one: str, other: str
) -> None:
    assert Named(one, lexicon).is_apart(Named(other, lexicon))
    judge = Recorder(NEUTRAL)
    find_contradictions([panel(reader, one), panel(reader, other, 0.7)], lexicon, judge)
    assert not judge.asked


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Choir sings on Thursdays", "No choir on Thursdays"),
        ("Counter 4 is out of pens", "Counter 4 has pens"),
        ("Curtain drawn in the hall", "Curtain pulled back in the hall"),
        ("The cat is in the kitchen", "The cat is in the garden"),
        ("Soup contains mustard", "Soup without mustard"),
    ],
)
def test_one_thing_is_not_told_apart(lexicon: Lexicon, one: str, other: str) -> None:
    assert not Named(one, lexicon).is_apart(Named(other, lexicon))


@pytest.mark.parametrize(("probability", "confidence"), [(0.7, 0.7), (0.63, 0.59), (0.5, 0.5)])
def test_a_judge_that_is_hardly_sure_raises_no_alert(
    reader: ElementReader, lexicon: Lexicon, probability: float, confidence: float
) -> None:
    judge = Recorder(PairVerdict(PairRelation.CONTRADICTORY, probability))
    elements = [panel(reader, "The orchestra plays Brahms"), panel(reader, "The orchestra is on strike", 0.7)]
    (finding,) = find_contradictions(elements, lexicon, judge)
    assert finding.confidence == pytest.approx(confidence)


def test_what_a_judge_holds_less_likely_than_not_is_no_finding(
    reader: ElementReader, lexicon: Lexicon
) -> None:
    judge = Recorder(PairVerdict(PairRelation.CONTRADICTORY, 0.49))
    elements = [panel(reader, "The orchestra plays Brahms"), panel(reader, "The orchestra is on strike", 0.7)]
    assert find_contradictions(elements, lexicon, judge) == ()
    assert judge.asked
