import numpy as np
import pytest

from arwarden.fast.elements.decode import STRIDE, TYPES
from models.elements.targets import Wanted, targets

NET = (128, 96)


def test_heat_is_one_at_the_centre_and_falls_off() -> None:
    grids = targets([Wanted(1, (32, 32, 96, 64))], NET)
    assert grids.heat.shape == (len(TYPES), 12, 16)
    assert grids.heat[1, 6, 8] == 1
    assert 0 < grids.heat[1, 6, 9] < 1
    assert grids.heat[1, 6, 8 + 4] == 0
    assert grids.heat[0].max() == 0


def test_box_is_asked_for_only_near_the_centre() -> None:
    grids = targets([Wanted(0, (16, 16, 112, 80))], NET)
    used = grids.weights[0] > 0
    assert pytest.approx(np.tile([16, 16, 112, 80], (used.sum(), 1))) == grids.boxes[0][:, used].T
    assert not used[0, 0]


def test_large_elements_weigh_more_but_not_by_their_area() -> None:
    small, large = (targets([Wanted(0, (8, 8, 8 + side, 8 + side))], NET).weights.sum() for side in (16, 80))
    assert small < large < 3 * small


def test_small_element_keeps_its_cells_upon_a_large_one_of_its_type() -> None:
    grids = targets([Wanted(2, (48, 32, 80, 64)), Wanted(2, (0, 0, 128, 96))], NET)
    assert grids.boxes[2][:, 6, 8].tolist() == [48, 32, 80, 64]


def test_nothing_counts_where_an_element_is_ignored() -> None:
    grids = targets([Wanted(3, (64, 48, 96, 64), ignored=True)], NET)
    assert grids.counts[3, 6, 9] == 0
    assert grids.counts[3, 0, 0] == 1
    assert grids.counts[0].min() == 1
    assert grids.heat.max() == 0


def test_wanted_element_counts_within_an_ignored_one() -> None:
    grids = targets([Wanted(3, (0, 0, 128, 96), ignored=True), Wanted(3, (48, 32, 80, 64))], NET)
    assert grids.counts[3, 6, 8] == 1
    assert grids.counts[3, 0, 0] == 0


def test_element_at_the_corner_has_a_centre() -> None:
    grids = targets([Wanted(0, (120, 90, 140, 110))], NET)
    assert grids.heat[0, -1, -1] == 1


def test_empty_picture_is_quiet() -> None:
    grids = targets([], NET)
    assert grids.heat.max() == 0
    assert grids.weights.max() == 0
    assert NET[0] // STRIDE == grids.counts.shape[2]
