from __future__ import annotations

import pytest

from arwarden.explain.words import heading, tree, verdict, way
from tests.unit.explain.scenes import FRANCE, ITALY, LEFT, explained, flag, said


@pytest.mark.parametrize(
    ("direction_deg", "words"),
    [(0.0, "right"), (359.0, "right"), (91.0, "up"), (180.0, "left"), (225.0, "down and left")],
)
def test_directions_in_words(direction_deg: float, words: str) -> None:
    assert way(direction_deg) == words


def test_an_element_is_named_by_all_that_it_shows() -> None:
    assert heading(LEFT) == "arrow pointing left (178°) “Exit”"
    assert heading(flag("FR", 0, 0)) == "flag [FR]"
    assert len(heading(said("long " * 100, 0, 0))) < 100


def test_the_tree_holds_elements_claims_and_comparisons() -> None:
    text = tree(explained(FRANCE, ITALY))
    assert text.startswith("CONTRADICTORY\n")
    assert "├─ 1 text “Made in France”" in text
    assert "└─ 2 text “Made in Italy”" in text
    assert "origin = France" in text
    assert "1 ↔ 2 on origin: CONTRADICTION" in text


def test_the_verdict_tells_unsure_from_none() -> None:
    assert verdict(explained(FRANCE)) == "no contradiction"
    assert verdict(explained(FRANCE, ITALY, threshold=0.99)).startswith(
        "no contradiction that is sure enough: 0.9"
    )
    assert "not sure enough for an alert" in tree(explained(FRANCE, ITALY, threshold=0.99))


def test_an_empty_picture_has_a_tree_too() -> None:
    assert "elements (0)" in tree(explained())
    assert "claims nothing" in tree(explained(said("§", 0, 0)))
