"""Statements written one by one, and the pairs that are made of them."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from pathlib import Path

import pytest

from models.pairs import written
from models.pairs.compose import CONTRADICTORY, ENTAILED, NEUTRAL
from models.pairs.topics import held_out_words
from models.pairs.written import FORMS, Statement, denied, statements, written_pairs

LINES = (
    "Door locked\tThe door stands open\tNobody gets in here\tThe window is open\n"
    "Bus in 4 min\tNo bus before noon\tYour bus is nearly here\tTram in 9 min\n"
)
MORE = "Soup sold out\tHave some soup\tNo soup left\tSalad is left\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(written, "FOLDER", tmp_path)
    statements.cache_clear()
    (tmp_path / "ways.tsv").write_text(LINES, encoding="utf-8")
    (tmp_path / "food.tsv").write_text(MORE, encoding="utf-8")
    return tmp_path


@pytest.fixture(autouse=True)
def _forget() -> object:
    yield
    statements.cache_clear()


def test_every_line_is_a_statement_with_what_it_is_to_others() -> None:
    found = statements()
    assert len(found) > 4000
    assert len({(one.anchor.casefold(), one.contradicts.casefold()) for one in found}) > 0.995 * len(found)
    for one in found:
        texts = [text for text in (one.anchor, one.contradicts, one.agrees, one.compatible) if text]
        assert len({text.casefold() for text in texts}) == len(texts), one
    assert sum(not one.contradicts for one in found) < 0.05 * len(found)


def test_nothing_speaks_of_kinds_held_out() -> None:
    assert not [
        one for one in statements() if held_out_words().search(f"{one.anchor}|{one.contradicts}|{one.agrees}")
    ]


def test_what_is_kept_is_never_trained_on() -> None:
    trained, kept = ([one for one in statements() if one.kept is side] for side in (False, True))
    assert 0.07 * len(trained) < len(kept) < 0.15 * len(trained)
    anchors = {one.anchor for one in kept if one.anchor.isalpha()}
    assert not [pair for pair in islice(written_pairs(1, kept=False), 3000) if pair.first in anchors]


def test_relations_come_as_often_as_their_forms() -> None:
    counts = Counter(pair.relation for pair in islice(written_pairs(2, kept=False), 4000))
    wanted = {
        CONTRADICTORY: FORMS["contradicts"] + FORMS["against agreeing"],
        ENTAILED: FORMS["agrees"],
        NEUTRAL: FORMS["compatible"] + FORMS["elsewhere"],
    }
    assert sum(FORMS.values()) == pytest.approx(1.0)
    denied_to_all = FORMS["denied"] / sum(FORMS.values())
    for relation, share in wanted.items():
        assert share - 0.04 < counts[relation] / 4000 < share / (1 - denied_to_all) + 0.04, (
            "few can be denied"
        )


def test_columns_give_the_relations(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(written, "as_read", lambda text, _: text)
    monkeypatch.setattr(Statement, "kept", False)
    made = {
        (pair.relation, frozenset((pair.first, pair.second)))
        for pair in islice(written_pairs(1, kept=False), 900)
    }
    assert (CONTRADICTORY, frozenset(("Door locked", "The door stands open"))) in made
    assert (CONTRADICTORY, frozenset(("Nobody gets in here", "The door stands open"))) in made
    assert (ENTAILED, frozenset(("Bus in 4 min", "Your bus is nearly here"))) in made
    assert (NEUTRAL, frozenset(("Soup sold out", "Salad is left"))) in made
    assert (NEUTRAL, frozenset(("Soup sold out", "Bus in 4 min"))) in made
    assert not [pair for pair in made if pair[1] == frozenset(("Door locked", "Bus in 4 min"))], "of one file"
    entailed = {
        (pair.first, pair.second)
        for pair in islice(written_pairs(1, kept=False), 900)
        if pair.relation == ENTAILED
    }
    assert all(first in {one.anchor for one in statements()} for first, _ in entailed), (
        "not the other way round"
    )


def test_texts_of_held_out_kinds_are_left_out(folder: Path) -> None:
    (folder / "more.tsv").write_text(
        "Beer sold here\tNo drinks\tDrinks\tFood\nOpen\tShut\tCome in\tNo swimming\n", encoding="utf-8"
    )
    of_file = [one for one in statements() if one.domain == "more"]
    assert of_file == [Statement("more", "Open", "Shut", "Come in", "")]


@pytest.mark.parametrize(
    ("text", "opposite"),
    [
        ("You will hear a buzzer", "You will not hear a buzzer"),
        ("You can get in", "You cannot get in"),
        ("You cannot get in", "You can get in"),
        ("The kiln isn't hot", "The kiln is hot"),
        ("Dogs are not allowed", "Dogs are allowed"),
        ("Your table has been set", "Your table has not been set"),
        ("You need to sign here", "You need not sign here"),
        ("Do not cut here", "Cut here"),
        ("Please wait inside", "Please do not wait inside"),
        ("Please don't lean on the glass", "Please lean on the glass"),
    ],
)
def test_a_statement_is_denied_by_a_not_more_or_less(text: str, opposite: str) -> None:
    assert denied(text) == opposite


@pytest.mark.parametrize(
    "text",
    [
        "Door locked", "Is it open?", "Some seats are taken", "It is open until noon", "Nobody will come",
        "Nothing is left", "Must be cold",
        "Anyone may use it", "Leave it where it is",
    ],
)  # fmt: skip
def test_what_a_not_would_not_turn_round_is_left(text: str) -> None:
    assert not denied(text)


@pytest.mark.parametrize("line", ["Open\tShut\tCome in\n", "\tShut\tCome in\tLater\n", "a\tb\tc\td\te\n"])
def test_a_broken_line_is_named(folder: Path, line: str) -> None:
    (folder / "ways.tsv").write_text(LINES + line, encoding="utf-8")
    with pytest.raises(ValueError, match=r"ways\.tsv:3: four columns"):
        statements()


def test_the_same_seed_gives_the_same_pairs() -> None:
    first, again, other = (list(islice(written_pairs(seed, kept=True), 50)) for seed in (4, 4, 5))
    assert first == again != other
