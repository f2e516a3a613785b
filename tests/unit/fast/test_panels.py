from __future__ import annotations

import itertools

import numpy as np
import pytest

from arwarden.core.frame import ByteImage
from arwarden.fast.ocr.base import TextLine
from arwarden.fast.panels import group
from tests.unit.fast.drawing import MINT, SKY, scene, text_line

WIDTH, HEIGHT = 1280, 720


def texts(lines: list[TextLine], rgb: ByteImage | None = None) -> list[str]:
    return [panel.text for panel in group(lines, WIDTH, HEIGHT, rgb)]


def painted(*rectangles: tuple[int, int, int, int, tuple[int, int, int]]) -> ByteImage:
    """A room with plain panels: left, top, right, bottom and colour of each."""
    picture = scene(WIDTH, HEIGHT)
    for left, top, right, bottom, colour in rectangles:
        picture[top:bottom, left:right] = colour
    return picture


def inked(picture: ByteImage, *lines: TextLine) -> ByteImage:
    """Dark strokes where the lines are, about a third of their area."""
    for line in lines:
        left, top = int(line.box.x_norm * WIDTH), int(line.box.y_norm * HEIGHT)
        right, bottom = left + int(line.box.w_norm * WIDTH), top + int(line.box.h_norm * HEIGHT)
        third = (bottom - top) // 4
        for x in range(left + 3, right - 4, 9):
            picture[top + third : bottom - third, x : x + 4] = (15, 20, 40)
    return picture


def test_no_lines_make_no_panels() -> None:
    assert texts([]) == []


@pytest.mark.parametrize("with_picture", [False, True])
def test_two_lines_of_a_sentence_become_one_text(with_picture: bool) -> None:
    lines = [text_line("Made in the", 500, 220, 240, 44), text_line("Netherlands", 510, 270, 230, 44)]
    rgb = inked(painted((440, 180, 800, 360, MINT)), *lines) if with_picture else None
    assert texts(lines, rgb) == ["Made in the Netherlands"]


def test_every_order_of_reading_gives_the_same_text() -> None:
    lines = [
        text_line("This door", 500, 200, 200, 40),
        text_line("must be kept", 490, 245, 250, 40),
        text_line("locked", 540, 290, 130, 40),
    ]
    for order in itertools.permutations(lines):
        assert texts(list(order)) == ["This door must be kept locked"]


def test_pieces_of_one_line_are_joined_left_to_right() -> None:
    lines = [text_line("France", 640, 202, 140, 40), text_line("Made in", 480, 200, 140, 40)]
    assert texts(lines) == ["Made in France"]


def test_rows_of_several_pieces_read_row_by_row() -> None:
    lines = [
        text_line("be kept", 640, 252, 150, 40),
        text_line("must", 520, 250, 100, 40),
        text_line("Doors", 520, 200, 110, 40),
    ]
    assert texts(lines) == ["Doors must be kept"]


def test_a_word_split_at_a_hyphen_is_whole_again() -> None:
    assert texts([text_line("Nether-", 500, 200, 160, 40), text_line("lands", 500, 245, 120, 40)]) == [
        "Netherlands"
    ]
    assert texts([text_line("X-", 500, 200, 60, 40), text_line("Ray", 500, 245, 80, 40)]) == ["X- Ray"]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param((500, 200, 200, 40), (500, 330, 200, 40), id="far_below"),
        pytest.param((300, 200, 150, 40), (560, 200, 150, 40), id="far_beside"),
        pytest.param((300, 200, 150, 40), (460, 245, 150, 40), id="below_but_not_under"),
        pytest.param((500, 200, 300, 80), (560, 290, 100, 30), id="much_smaller"),
    ],
)
def test_lines_that_do_not_belong_together_stay_apart(
    first: tuple[int, int, int, int], second: tuple[int, int, int, int]
) -> None:
    assert texts([text_line("Door locked", *first), text_line("Door open", *second)]) == [
        "Door locked",
        "Door open",
    ]


def test_lines_in_different_directions_stay_apart() -> None:
    lines = [
        text_line("Exit on the left", 400, 300, 300, 40),
        text_line("Walk ahead", 420, 350, 220, 40, degrees=35),
    ]
    assert len(texts(lines)) == 2


@pytest.mark.parametrize("degrees", [-40.0, -12.0, 20.0, 40.0])
def test_slanted_panels_are_grouped_in_their_own_direction(degrees: float) -> None:
    turn = np.radians(degrees)
    below = np.array([-np.sin(turn), np.cos(turn)]) * 46
    lines = [
        text_line("Accessible", 500 + below[0], 300 + below[1], 210, 40, degrees=degrees),
        text_line("Wheelchair Not", 500, 300, 280, 40, degrees=degrees),
    ]
    assert texts(lines) == ["Wheelchair Not Accessible"]


def test_text_that_runs_down_is_grouped_by_its_long_side() -> None:
    # An engine gives upright corners; the second column of a turned panel is to the left of the first.
    first = text_line("Wheelchair Not", 600, 200, 40, 280)
    second = text_line("Accessible", 554, 200, 40, 210)
    assert texts([second, first]) == ["Wheelchair Not Accessible"]


def test_a_stub_has_no_direction_of_its_own() -> None:
    stub = text_line("3", 640, 200, 22, 40, degrees=30)
    assert texts([text_line("Platform", 470, 200, 150, 40), stub]) == ["Platform 3"]


def test_stacked_panels_of_one_colour_are_told_apart_by_the_gap_between_them() -> None:
    upper, lower = text_line("Door locked", 520, 212, 200, 36), text_line("Door open", 530, 282, 180, 36)
    apart = inked(painted((480, 200, 760, 258, MINT), (480, 272, 760, 330, MINT)), upper, lower)
    one = inked(painted((480, 200, 760, 330, MINT)), upper, lower)
    assert texts([upper, lower], apart) == ["Door locked", "Door open"]
    assert texts([upper, lower], one) == ["Door locked Door open"]


def test_a_thin_frame_between_panels_is_an_edge() -> None:
    upper, lower = text_line("Door locked", 520, 212, 200, 36), text_line("Door open", 530, 276, 180, 36)
    picture = inked(painted((480, 200, 760, 330, MINT)), upper, lower)
    picture[260:264, 480:760] = (15, 20, 40)
    assert texts([upper, lower], picture) == ["Door locked", "Door open"]


def test_panels_side_by_side_are_told_apart_by_the_gap_between_them() -> None:
    left, right = text_line("Push", 500, 300, 100, 40), text_line("Pull", 636, 300, 100, 40)
    apart = inked(painted((490, 280, 612, 360, SKY), (624, 280, 750, 360, SKY)), left, right)
    one = inked(painted((490, 280, 750, 360, SKY)), left, right)
    assert texts([left, right], apart) == ["Push", "Pull"]
    assert texts([left, right], one) == ["Push Pull"]


def test_grounds_of_different_colour_are_different_panels() -> None:
    upper, lower = text_line("Turn left", 520, 210, 200, 36), text_line("Turn right", 520, 256, 200, 36)
    picture = inked(painted((480, 200, 760, 250, MINT), (480, 250, 760, 300, SKY)), upper, lower)
    assert texts([upper, lower], picture) == ["Turn left", "Turn right"]


def test_the_tail_of_a_letter_between_lines_is_no_edge() -> None:
    upper, lower = text_line("Going", 520, 210, 200, 36), text_line("slowly", 520, 276, 200, 36)
    picture = inked(painted((480, 190, 760, 330, MINT)), upper, lower)
    picture[240:276, 616:626] = (15, 20, 40)
    assert texts([upper, lower], picture) == ["Going slowly"]


def test_box_and_confidence_cover_all_lines() -> None:
    lines = [
        text_line("Made in the", 512, 216, 256, 36, confidence=1.0),
        text_line("Sun", 512, 252, 128, 36, confidence=0.86),
    ]
    (panel,) = group(lines, WIDTH, HEIGHT)
    assert panel.box == pytest.approx((0.4, 0.3, 0.2, 0.1))
    assert panel.confidence == pytest.approx((11 * 1.0 + 3 * 0.86) / 14)
    assert panel.lines == tuple(lines)


def test_panels_come_in_reading_order_and_hold_every_line_once() -> None:
    lines = [text_line(f"Sign {n}", 100 + 300 * (n % 3), 600 - 150 * (n // 3), 120, 40) for n in range(9)]
    panels = group(lines, WIDTH, HEIGHT)
    assert [panel.text for panel in panels] == [f"Sign {n}" for n in (6, 7, 8, 3, 4, 5, 0, 1, 2)]
    assert sorted(line.text for panel in panels for line in panel.lines) == sorted(x.text for x in lines)


@pytest.mark.parametrize("size", [(0, 0), (5, 0), (0, 5)])
def test_lines_without_extent_are_survived(size: tuple[int, int]) -> None:
    picture = scene(WIDTH, HEIGHT)
    lines = [text_line("a", 1279, 719, *size), text_line("b", 0, 0, *size), text_line("c", 1280, 720, *size)]
    assert sorted(" ".join(texts(lines, picture)).split()) == ["a", "b", "c"]
