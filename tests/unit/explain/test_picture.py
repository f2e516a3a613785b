from __future__ import annotations

import numpy as np
import pytest

from arwarden.core.findings import Box
from arwarden.explain.picture import (
    ALARM,
    COLOURS,
    LEAST_SIDE_PX,
    MOST_SIDE_PX,
    annotated,
    explained,
    number_of,
)
from tests.unit.explain import scenes
from tests.unit.explain.scenes import FRANCE, ITALY, LEFT, RIGHT, THRESHOLD, said

GREY = np.full((540, 960, 3), 128, np.uint8)


def has(rgb: np.ndarray, colour: tuple[int, int, int]) -> bool:
    return bool((rgb == np.array(colour, np.uint8)).all(axis=2).any())


def test_elements_are_framed_in_the_colour_of_their_type_and_pairs_in_that_of_alarms() -> None:
    result = scenes.explained(FRANCE, ITALY, scenes.arrow("Way out", 90.0, 0.5, 0.1))
    drawn = annotated(GREY, result.elements, result.findings, THRESHOLD)
    assert drawn.shape == GREY.shape
    assert has(drawn, COLOURS[LEFT.type])
    assert has(drawn, ALARM[True])
    assert not has(annotated(GREY, result.elements, (), THRESHOLD), ALARM[True])


def test_the_line_joins_the_two() -> None:
    result = scenes.explained(LEFT, RIGHT)
    drawn = annotated(GREY, result.elements, result.findings, THRESHOLD)
    # A third of the way between the middles, beside the label in the middle of the line.
    y, x = round((0.15 + 0.25 * 0.5) * 540), round((0.2 + 0.25 * 0.5) * 960)
    assert has(drawn[y - 8 : y + 8, x - 8 : x + 8], ALARM[True])


def test_what_is_not_sure_enough_is_drawn_otherwise() -> None:
    result = scenes.explained(FRANCE, ITALY, threshold=0.99)
    drawn = annotated(GREY, result.elements, result.findings, 0.99)
    assert has(drawn, ALARM[False])
    assert not has(drawn, ALARM[True])


@pytest.mark.parametrize("shape", [(1, 1), (3, 4000), (4000, 3), (90, 160), (3000, 4000)])
def test_pictures_of_any_size_become_legible_and_bounded(shape: tuple[int, int]) -> None:
    result = scenes.explained(FRANCE, ITALY)
    drawn = explained(np.zeros((*shape, 3), np.uint8), result)
    assert drawn.dtype == np.uint8
    assert drawn.shape[1] <= MOST_SIDE_PX
    assert max(drawn.shape[:2]) >= LEAST_SIDE_PX


def test_boxes_at_and_beyond_the_edge_and_empty_ones_are_drawn() -> None:
    odd = [said("Made in France", 0.95, 0.0), said("Made in Italy", -0.1, 0.97)]
    odd[0] = scenes.replace_box(odd[0], Box(0.5, 0.5, 0.0, 0.0))
    result = scenes.explained(*odd)
    annotated(GREY, result.elements, result.findings, THRESHOLD)


def test_scripts_without_letters_in_the_font_and_many_elements_are_drawn() -> None:
    many = [said(f"电池 {number} שלום", number % 10 / 10, number / 600) for number in range(500)]
    drawn = explained(GREY, scenes.explained(*many))
    assert drawn.shape[0] < 6000


def test_numbers_are_those_of_the_list() -> None:
    assert number_of(ITALY, [FRANCE, ITALY]) == 2
    assert number_of(LEFT, [FRANCE, ITALY]) is None
