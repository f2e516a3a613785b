from __future__ import annotations

from dataclasses import replace

import pytest

from arwarden.core.findings import Box, ElementType, Part
from benchmarks.eval.sight import DISBELIEVED, faults, owner, perfectly_seen, seen_of, shown
from tests.unit.benchmarks.eval.cases import FLAG, FRANCE, ITALY, LEFT, RIGHT, reader, said, sign, truth_of


def test_carriers_are_shown_with_what_they_carry() -> None:
    panel = truth_of(0, LEFT, text="Door")
    lock = truth_of(2, (0.1, 0.15, 0.1, 0.1), kind="pictogram", cls="lock", carried_by=0)
    word = truth_of(3, (0.2, 0.15, 0.1, 0.1), kind="text", cls="", text="Door", carried_by=0)
    arrow = truth_of(1, RIGHT, kind="arrow", cls="straight", text="Exit", direction_deg=90.0)
    things = shown((panel, arrow, lock, word))
    assert [thing.pictures for thing in things] == [("lock",), ()]
    assert [thing.form for thing in things] == ["picture+words", "arrow+words"]
    assert shown((FLAG,))[0].form == "picture"


def test_a_perfect_eye_reads_words_pictures_and_ways() -> None:
    arrow = truth_of(0, LEFT, kind="arrow", cls="straight", text="Exit", direction_deg=181.0)
    first, second = perfectly_seen(shown((arrow, FLAG)), reader())
    assert first.claims[0].describe() == "exit: direction = left"
    assert second.claims[0].describe() == "origin = Italy"
    assert second.label == "flag:IT"


def test_a_u_turn_is_none_of_the_four_ways() -> None:
    arrow = truth_of(0, LEFT, kind="arrow", cls="u_turn", direction_deg=270.0)
    assert perfectly_seen(shown((arrow,)), reader())[0].claims[0].value == "back"


def test_what_was_found_belongs_to_what_it_lies_on() -> None:
    things = shown((FRANCE, ITALY))
    inner = said("France", (0.1, 0.15, 0.1, 0.05))
    found, phantoms = seen_of(things, [inner, said("Sale", (0.4, 0.8, 0.1, 0.1))])
    assert found == [[inner], []]
    assert [one.text for one in phantoms] == ["Sale"]
    assert owner(Box(*RIGHT), things) == 1
    assert owner(Box(0.0, 0.0, 1.0, 1.0), things) is None


@pytest.mark.parametrize(
    ("read", "fault"),
    [
        (["Made in France"], []),
        (["MADE IN FRANCE!"], []),
        (["MadeinFrance"], []),
        (["Made in", "France"], ["words in pieces"]),
        (["France made in"], ["words in another order"]),
        (["Made"], ["words read in part"]),
        (["Made in France Open until twenty"], ["words mixed with others"]),
        (["Made in Frence"], ["words misread a little"]),
        (["Xpqw zz Kkkkkk"], ["words misread"]),
    ],
)
def test_what_was_wrong_with_the_words(read: list[str], fault: list[str]) -> None:
    (thing,) = shown((FRANCE,))
    assert faults(thing, [said(text, LEFT) for text in read]) == fault


def test_what_was_not_found_or_not_believed() -> None:
    (thing,) = shown((FLAG,))
    assert faults(thing, []) == ["picture: nothing found"]
    assert faults(thing, [], [Box(*RIGHT)]) == [f"picture: {DISBELIEVED}"]
    assert faults(thing, [], [Box(*LEFT)]) == ["picture: nothing found"]


def test_pictures_taken_for_others() -> None:
    (flag,) = shown((FLAG,))
    assert faults(flag, [sign("lock", RIGHT)]) == ["flag taken for another"]
    assert faults(flag, [replace(sign("lock", RIGHT), parts=())]) == ["flag not recognised"]
    doubtful = replace(sign("flag:IT", RIGHT), parts=(Part("flag:IT", 0.6),))
    assert faults(flag, [doubtful]) == ["flag recognised, but in doubt"]
    assert faults(flag, [doubtful, sign("flag:IT", RIGHT)]) == []
    assert faults(flag, [said("NO", RIGHT)]) == ["words where none are", "flag not recognised"]


@pytest.mark.parametrize(
    ("direction_deg", "fault"),
    [(178.0, []), (200.0, []), (0.0, ["arrow's direction wrong"]), (None, ["arrow's direction in doubt"])],
)
def test_ways_of_arrows(direction_deg: float | None, fault: list[str]) -> None:
    (thing,) = shown((truth_of(0, LEFT, kind="arrow", cls="straight", direction_deg=180.0),))
    found = replace(said("", LEFT), type=ElementType.ARROW, direction_deg=direction_deg)
    assert faults(thing, [found]) == fault


def test_an_arrow_seen_as_text_and_a_panel_seen_as_an_arrow() -> None:
    (arrow,) = shown((truth_of(0, LEFT, kind="arrow", cls="straight", text="Exit", direction_deg=180.0),))
    assert faults(arrow, [said("Exit", LEFT)]) == ["arrow not found"]
    assert faults(arrow, [said("Exit", LEFT)], [Box(*LEFT)]) == [f"arrow {DISBELIEVED}"]
    (panel,) = shown((FRANCE,))
    found = replace(said("Made in France", LEFT), type=ElementType.ARROW)
    assert faults(panel, [found]) == ["taken for an arrow"]
