from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from arwarden.core.findings import Box
from arwarden.fast.claims import Lexicon
from arwarden.fast.claims.elements import ElementReader
from arwarden.fast.context import LIKELIER, LIKELIER_NAME, NOVEL, Context, Topic
from arwarden.fast.elements.decode import CROSSED, MANDATORY
from arwarden.fast.panels import Panel
from arwarden.fast.tracking.elements import TrackedElement
from arwarden.fast.words.bank import Votes, Word

LABELS = (
    "#other", "#arrow", "vegan", "meat", "no_dogs", "rain", "sun", "flag:FR", "restroom", CROSSED, MANDATORY,
)  # fmt: skip


@pytest.fixture(scope="module")
def context() -> Context:
    return Context(ElementReader(Lexicon.load(("en",), ())))


def picture(**shares: float) -> TrackedElement:
    """An element with these shares; what is left is of no class."""
    values = np.zeros(len(LABELS), np.float32)
    for name, share in shares.items():
        values[LABELS.index(name.replace("__", ":"))] = share
    values[0] += 1 - values.sum()
    return TrackedElement(1, "sign", (10.0, 10.0, 60.0, 60.0), 0.8, values, None)


def judged(context: Context, one: TrackedElement, *texts: str) -> dict[str, float]:
    panels = [Panel(text, Box(0.5, 0.5, 0.2, 0.1), 0.95, ()) for text in texts]
    (result,) = context.weighed([one], LABELS, panels)
    assert result.shares.sum() == pytest.approx(1, abs=1e-5)
    return {name: float(share) for name, share in zip(LABELS, result.shares, strict=True)}


@pytest.mark.parametrize("text", ["With beef", "Vegan", "Contains meat"])
def test_what_a_text_speaks_of_is_likelier_whether_it_agrees_or_not(context: Context, text: str) -> None:
    shares = judged(context, picture(vegan=0.3), text)
    assert shares["vegan"] == pytest.approx(0.3 * LIKELIER / (0.3 * LIKELIER + 0.7), abs=1e-4)


def test_two_values_of_one_attribute_keep_their_proportion(context: Context) -> None:
    shares = judged(context, picture(rain=0.4, sun=0.2), "Sunny today")
    assert shares["rain"] == pytest.approx(2 * shares["sun"], rel=1e-4)
    assert shares["rain"] > 0.5


@pytest.mark.parametrize("texts", [(), ("Welcome",), ("Made in Spain",), ("Door locked", "Floor 3")])
def test_texts_about_other_things_change_nothing(context: Context, texts: tuple[str, ...]) -> None:
    assert judged(context, picture(vegan=0.3), *texts)["vegan"] == pytest.approx(0.3)


def test_permissions_are_of_the_same_thing(context: Context) -> None:
    assert judged(context, picture(no_dogs=0.3), "Dogs are allowed")["no_dogs"] > 0.6
    assert judged(context, picture(no_dogs=0.3), "Parking allowed")["no_dogs"] == pytest.approx(0.3)


def test_flags_are_likelier_beside_an_origin(context: Context) -> None:
    assert judged(context, picture(flag__FR=0.3), "Made in Spain")["flag:FR"] > 0.6


def test_clear_pictures_arrows_and_noise_stay(context: Context) -> None:
    for one in (picture(sun=0.92, rain=0.08), TrackedElement(
        1, "arrow", (0.0, 0.0, 9.0, 9.0), 0.8, picture(rain=0.3).shares[[1, 0, *range(2, len(LABELS))]], None
    ), picture(rain=0.03)):  # fmt: skip
        (result,) = context.weighed([one], LABELS, [Panel("Rain", Box(0, 0, 0.1, 0.1), 0.9, ())])
        assert result.shares.tolist() == pytest.approx(one.shares.tolist())


def test_names_without_claims_say_nothing(context: Context) -> None:
    assert judged(context, picture(restroom=0.3), "Rain")["restroom"] == pytest.approx(0.3)


def test_topics_touch_where_they_may_be_one() -> None:
    assert Topic("battery", "").touches(Topic("battery", "e-bike"))
    assert Topic("battery", "red e-bike").touches(Topic("battery", "e-bike"))
    assert not Topic("battery", "phone").touches(Topic("battery", "e-bike"))
    assert not Topic("battery", "").touches(Topic("charging", ""))
    assert Topic("", "phone").touches(Topic("permission", "phone use"))
    assert not Topic("", "phone").touches(Topic("permission", "smoking"))
    assert not Topic("", "").touches(Topic("permission", ""))


def named(context: Context, votes: Votes, *texts: str) -> Word | None:
    panels = [Panel(text, Box(0.5, 0.5, 0.2, 0.1), 0.95, ()) for text in texts]
    (result,) = context.weighed([replace(picture(), votes=votes)], LABELS, panels)
    return result.word


def test_a_picture_of_no_class_has_the_name_that_looks_likeliest(context: Context) -> None:
    assert named(context, Votes({"rocket off": 0.8, "camera off": 0.2})) == Word("rocket off", 0.8)


@pytest.mark.parametrize("text", ["Photos welcome", "No photos"])
def test_names_of_what_a_text_speaks_of_are_likelier(context: Context, text: str) -> None:
    found = named(context, Votes({"rocket off": 0.8, "camera off": 0.2}), text)
    assert found is not None
    assert found.words == "camera off"
    assert found.share == pytest.approx(0.2 * LIKELIER_NAME / (0.8 + 0.2 * LIKELIER_NAME))


def test_a_name_that_only_names_a_thing_is_likelier_beside_that_thing(context: Context) -> None:
    votes = Votes({"rocket": 0.8, "door": 0.2})
    beside = named(context, votes, "The door is open")
    assert beside is not None
    assert beside.words == "door"
    assert named(context, votes, "The window is open") == Word("rocket", 0.8)


def test_a_picture_without_votes_has_no_name(context: Context) -> None:
    (result,) = context.weighed([picture(vegan=0.3)], LABELS, [])
    assert result.word is None


UNKNOWN = Votes({"rocket off": 0.3, "skull off": 0.3, "tooth off": 0.3, "rocket": 0.1})
"""Crossed out, and nothing that anybody has a name for."""


def test_a_picture_without_a_name_is_the_one_thing_that_texts_allow(context: Context) -> None:
    word = named(context, UNKNOWN, "Skating permitted", "Welcome")
    assert word is not None
    assert word.words == "skating off"
    best = UNKNOWN.word().share
    unnamed = LIKELIER_NAME * NOVEL * (1 - best)
    assert word.share == pytest.approx(unnamed / (unnamed + best))


def test_a_name_that_fits_well_stays(context: Context) -> None:
    votes = Votes({"rocket off": 0.95, "skull off": 0.05})
    assert named(context, votes, "Pets welcome") == votes.word()


@pytest.mark.parametrize(
    "texts",
    [
        ("Skating permitted", "Pets welcome"),  # which of them?
        ("Skating rink", "Welcome"),  # nothing is allowed of which it could be the contrary
        (),
    ],
)
def test_it_stays_what_it_looks_like_where_texts_name_no_one_thing(
    context: Context, texts: tuple[str, ...]
) -> None:
    assert named(context, UNKNOWN, *texts) == UNKNOWN.word()


def test_a_plain_picture_may_be_anything(context: Context) -> None:
    votes = Votes({"rocket": 0.4, "skull": 0.3, "tooth off": 0.3})
    assert named(context, votes, "Skating permitted") == votes.word()


def test_a_name_that_fits_the_text_comes_first(context: Context) -> None:
    votes = Votes({"rocket off": 0.6, "pet off": 0.4})
    word = named(context, votes, "Pets welcome")
    assert word is not None
    assert word.words == "pet off"


def test_a_name_that_fits_the_text_but_hardly_the_picture_does_not_stand_in_the_way(context: Context) -> None:
    votes = Votes({**{name: share * 0.97 for name, share in UNKNOWN.shares.items()}, "pet off": 0.03})
    word = named(context, votes, "Pets welcome")
    assert word is not None
    assert word.words == "pet off"
    assert word.share > 0.6


PLAIN = Votes({"rocket": 0.3, "skull": 0.3, "tooth": 0.2, "rocket off": 0.2})
"""Nothing that anybody has a name for, and only the sign around it says what is said of it."""


def sign(label: str) -> TrackedElement:
    """A sign of no class whose shape says this."""
    values = np.zeros(len(LABELS), np.float32)
    values[LABELS.index(label)] = 1.0
    return replace(picture(), shares=values, votes=PLAIN)


@pytest.mark.parametrize(
    ("label", "text", "words"),
    [
        (CROSSED, "Skating permitted", "skating off"),
        (MANDATORY, "Knee pads required", "knee pad required"),
        (MANDATORY, "Hearing protection optional", "hearing protection required"),
        (CROSSED, "Hearing protection optional", "rocket off"),
        (MANDATORY, "Skating permitted", "rocket required"),
        (CROSSED, "Dogs welcome", "rocket off"),  # crossed-out dogs have a label
        (MANDATORY, "Welcome", "rocket required"),
    ],
)
def test_the_shape_of_a_sign_says_what_is_said_of_what_it_shows(
    context: Context, label: str, text: str, words: str
) -> None:
    panels = [Panel(text, Box(0.5, 0.5, 0.2, 0.1), 0.95, ())]
    (result,) = context.weighed([sign(label)], LABELS, panels)
    assert result.word is not None
    assert result.word.words == words


def test_things_of_two_words_are_spelt_as_people_do(context: Context) -> None:
    panels = [Panel("No ear protection needed", Box(0.5, 0.5, 0.2, 0.1), 0.95, ())]
    (result,) = context.weighed([sign(MANDATORY)], LABELS, panels)
    assert result.word is not None
    assert result.word.words == "ear protection required"
