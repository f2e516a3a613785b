import numpy as np
import pytest

from arwarden.fast.elements.decode import TYPES, Detections
from models.elements.metrics import Tally, Truths, angle_error, bucket, match, score


def detections(*found: tuple[float, float, float, float, int, float]) -> Detections:
    rows = np.array(found, np.float32).reshape(-1, 6)
    return Detections(rows[:, :4], rows[:, 4].astype(np.int64), rows[:, 5])


def truths(*there: tuple[float, float, float, float, int, bool]) -> Truths:
    rows = np.array([one[:4] for one in there], np.float32).reshape(-1, 4)
    return Truths(
        rows, np.array([one[4] for one in there], np.int64), np.array([one[5] for one in there], bool)
    )


def test_a_good_box_of_the_type_is_found() -> None:
    scores = score([(detections((0, 0, 100, 100, 1, 0.9)), truths((5, 0, 100, 100, 1, False)), 720.0)])
    assert scores.types[TYPES[1]] == Tally(found=1)


def test_a_box_of_another_type_is_false_and_misses() -> None:
    scores = score([(detections((0, 0, 100, 100, 0, 0.9)), truths((0, 0, 100, 100, 1, False)), 720.0)])
    assert scores.types[TYPES[0]].false == 1
    assert scores.types[TYPES[1]].missed == 1


def test_each_element_is_found_once() -> None:
    found = detections((0, 0, 100, 100, 1, 0.9), (0, 0, 100, 95, 1, 0.8))
    assert match(found, truths((0, 0, 100, 100, 1, False))).tolist() == [0, -1]


def test_what_lies_on_an_ignored_element_does_not_count() -> None:
    found = detections((0, 0, 50, 50, 1, 0.9))
    there = truths((0, 0, 50, 40, 2, True))
    assert match(found, there).tolist() == [-2]
    scores = score([(found, there, 720.0)])
    assert scores.overall() == Tally()


def test_sizes_are_of_a_frame_of_720_lines() -> None:
    box = np.array([0, 0, 40, 40], np.float32)
    assert bucket(box, 720) == "40-64"
    assert bucket(box, 360) == "64-100"
    assert bucket(box * 20, 720) == "260+"


def test_rates_of_nothing_are_perfect() -> None:
    assert (Tally().precision, Tally().recall) == (1.0, 1.0)
    assert Tally(3, 1, 2).precision == pytest.approx(0.6)
    assert Tally(3, 1, 2).recall == pytest.approx(0.75)


def test_sizes_are_reported_in_order() -> None:
    frames = [(detections(), truths((0, 0, 300, 300, 0, False), (0, 0, 45, 45, 0, False)), 720.0)]
    assert list(score(frames).as_dict()["sizes"]) == ["40-64", "260+"]


@pytest.mark.parametrize(
    ("found", "true", "error"), [(350, 10, 20), (10, 350, 20), (180, 0, 180), (45, 45, 0)]
)
def test_angles_go_round(found: float, true: float, error: float) -> None:
    assert angle_error(found, true) == pytest.approx(error)
