import math

import cv2
import numpy as np
import numpy.typing as npt

from models.elements.augment import COLOUR_TELLS, ONE_WAY, varied, varied_scene
from models.elements.labels import trained_labels

SIDE = 96


def arrow() -> npt.NDArray[np.uint8]:
    """A bar with a head that points to the right, on grey."""
    crop = np.full((SIDE, SIDE, 3), 114, np.uint8)
    cv2.arrowedLine(crop, (14, 48), (82, 48), (255, 255, 255), 5, tipLength=0.4)
    return crop


def test_crops_keep_their_shape_and_differ_from_each_other() -> None:
    crops = np.stack([arrow()] * 8)
    made = varied(
        crops, np.full(8, np.nan, np.float32), np.zeros(8, bool), np.zeros(8, bool), np.random.default_rng(1)
    )
    assert made.shape == crops.shape
    assert made.dtype == np.uint8
    assert len({one.tobytes() for one in made}) == 8
    assert np.array_equal(crops[0], arrow())


def test_same_generator_same_crops() -> None:
    crops = np.stack([arrow()] * 4)
    free = np.zeros(4, bool)
    one, two = (
        varied(crops, np.zeros(4, np.float32), free, free, np.random.default_rng(5)) for _ in range(2)
    )
    assert np.array_equal(one, two)


def test_direction_turns_with_the_picture() -> None:
    """The line through the bright pixels has the slope that the direction says."""
    count = 60
    directions = np.zeros(count, np.float32)
    fixed = np.ones(count, bool)
    made = varied(np.stack([arrow()] * count), directions, fixed, fixed, np.random.default_rng(2))
    assert 8 < np.abs(directions).max() <= 40
    errors = []
    for crop, degrees in zip(made, directions, strict=True):
        rows, columns = np.nonzero(crop[:, :, 1] > crop[:, :, 1].max() * 0.8)
        slope = np.polyfit(columns, -rows.astype(float), 1)[0]
        errors.append(abs(math.degrees(math.atan(float(slope))) - degrees))
    assert np.median(errors) < 1.5


def test_directions_that_are_unknown_stay_unknown() -> None:
    directions = np.full(3, np.nan, np.float32)
    free = np.zeros(3, bool)
    varied(np.stack([arrow()] * 3), directions, free, free, np.random.default_rng(3))
    assert np.isnan(directions).all()


def test_colours_stay_where_they_tell_something() -> None:
    red = np.zeros((40, SIDE, SIDE, 3), np.uint8)
    red[..., 0] = 200
    free = np.zeros(40, bool)
    made = varied(red, np.full(40, np.nan, np.float32), np.ones(40, bool), ~free, np.random.default_rng(4))
    inner = made[:, 30:66, 30:66].reshape(40, -1, 3).astype(float)
    assert (np.median(inner, axis=1).argmax(axis=1) == 0).mean() > 0.95
    other = varied(red, np.full(40, np.nan, np.float32), free, free, np.random.default_rng(4))
    hues = np.median(other[:, 30:66, 30:66].reshape(40, -1, 3), axis=1)
    assert (hues.argmax(axis=1) != 0).sum() >= 4


def test_a_third_of_the_crops_is_seen_from_the_side() -> None:
    """A disc stays round unless it is leant; a little rounder or wider is another box around it."""
    disc = np.zeros((SIDE, SIDE, 3), np.uint8)
    cv2.circle(disc, (48, 48), 40, (255, 255, 255), cv2.FILLED)
    count = 120
    fixed = np.ones(count, bool)
    made = varied(
        np.stack([disc] * count), np.zeros(count, np.float32), fixed, fixed, np.random.default_rng(8)
    )
    shares = []
    for crop in made:
        rows, columns = np.nonzero(crop[:, :, 1] > (int(crop.min()) + int(crop.max())) / 2)
        spread = np.linalg.eigvalsh(np.cov(np.stack([rows, columns])))
        shares.append(float(np.sqrt(spread[0] / spread[1])))
    assert 0.1 < np.mean(np.array(shares) < 0.75) < 0.4
    assert min(shares) > 0.25


def test_mirrored_arrows_point_the_other_way() -> None:
    """The bright pixels are denser where the head is."""
    count = 40
    directions, free = np.zeros(count, np.float32), np.zeros(count, bool)
    made = varied(np.stack([arrow()] * count), directions, ~free, free, np.random.default_rng(6))
    left = np.abs(directions) > 90
    assert 8 < left.sum() < 32
    heads = []
    for crop in made:
        bright = (crop[:, :, 1] > crop[:, :, 1].max() * 0.8).sum(axis=0)
        heads.append(int(bright[:48].max()) > int(bright[48:].max()))
    assert (np.array(heads) == left).mean() > 0.9


def test_what_is_no_arrow_is_drawn_by_other_hands() -> None:
    """Lines get thicker and thinner, beyond what another size of the whole does."""
    count = 60
    shown = np.stack([arrow()] * count)
    fixed = np.ones(count, bool)
    inks = []
    for unknown in (0.0, np.nan):
        directions = np.full(count, unknown, np.float32)
        made = varied(shown, directions, fixed, fixed, np.random.default_rng(7))
        inks.append([(one[:, :, 1] > (int(one.min()) + int(one.max())) / 2).mean() for one in made])
    assert np.std(inks[1]) > np.std(inks[0])


def test_labels_of_which_something_is_known_exist() -> None:
    assert {*COLOUR_TELLS, *ONE_WAY} - {"ce_mark"} <= set(trained_labels().names)


def test_boxes_of_a_changed_scene_are_where_the_elements_are() -> None:
    """One bright element on black: its box after the change holds the bright pixels that are left."""
    picture = np.zeros((96, 160, 3), np.uint8)
    box = np.array([[40, 30, 90, 60]], np.float32)
    picture[30:60, 40:90] = 255
    picture[:, :, 0] = 0
    mirrored = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        made, kept, shares = varied_scene(picture, box, rng)
        assert made.shape == picture.shape
        assert 0 <= shares[0] <= 1.001
        x0, y0, x1, y1 = kept[0].round().astype(int)
        if shares[0] > 0.5:
            inside = made[y0 + 2 : y1 - 2, x0 + 2 : x1 - 2].reshape(-1, 3).astype(int)
            assert np.ptp(inside, axis=0).max() < 60
            assert (
                0.7 < (x1 - x0) * 30 / ((y1 - y0) * 50) * (1.0 if shares[0] > 0.99 else 1 / shares[0]) < 2.2
            )
        mirrored += bool(abs((x0 + x1) / 2 - 95) < abs((x0 + x1) / 2 - 65))
    assert 5 < mirrored < 35


def test_a_scene_without_elements_can_be_changed() -> None:
    made, kept, shares = varied_scene(
        np.zeros((96, 160, 3), np.uint8), np.zeros((0, 4), np.float32), np.random.default_rng(1)
    )
    assert made.shape == (96, 160, 3)
    assert kept.shape == (0, 4)
    assert shares.shape == (0,)
