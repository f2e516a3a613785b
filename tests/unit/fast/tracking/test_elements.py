from __future__ import annotations

import numpy as np
import pytest

from arwarden.fast.elements.detector import Detected, Seen
from arwarden.fast.tracking.elements import (
    HALF_LIFE_MS,
    KEPT_MS,
    KEPT_SAME_MS,
    MOST_TRACKS,
    ElementTracker,
    TrackedElement,
)

LABELS = ("#background", "lock", "unlock", "#arrow")
STEP_MS = 100.0


def found(x: float, y: float, size: float = 60.0, *, kind: str = "sign", score: float = 0.5) -> Detected:
    return Detected(kind, (x, y, x + size, y + size), score)


def seen(label: str, share: float = 0.8, *, degrees: float | None = None) -> Seen:
    shares = np.full(len(LABELS), (1.0 - share) / (len(LABELS) - 1), np.float32)
    shares[LABELS.index(label)] = share
    way = np.radians(degrees) if degrees is not None else 0.0
    length = 0.0 if degrees is None else 0.9
    return Seen(shares, np.array([np.cos(way), np.sin(way)], np.float32) * np.float32(length))


class Stream:
    """Frames 100 ms apart."""

    def __init__(self) -> None:
        self.tracker = ElementTracker(LABELS)
        self.now_ms = 5000.0

    def frame(self, *shown: Detected, looks: tuple[Seen, ...] = (), step_ms: float = STEP_MS) -> list[int]:
        self.now_ms += step_ms
        numbers = self.tracker.observe(shown, self.now_ms)
        for number, look in zip(numbers, looks, strict=False):
            self.tracker.look(number, look, self.now_ms)
        return numbers

    def only(self) -> TrackedElement:
        (element,) = self.tracker.elements()
        return element

    def label(self) -> str:
        return LABELS[int(self.only().shares.argmax())]


@pytest.fixture
def stream() -> Stream:
    return Stream()


def test_an_element_is_believed_when_it_was_found_twice(stream: Stream) -> None:
    stream.frame(found(100, 100))
    assert stream.tracker.elements() == []
    stream.frame(found(102, 101))
    assert stream.only().box_px == (102, 101, 162, 161)


def test_a_sure_one_is_believed_at_once(stream: Stream) -> None:
    stream.frame(found(100, 100, score=0.9))
    assert stream.only().type == "sign"


def test_an_element_keeps_its_number_while_it_moves(stream: Stream) -> None:
    numbers = {stream.frame(found(100 + 25 * step, 100 + 10 * step))[0] for step in range(12)}
    assert len(numbers) == 1


def test_a_fast_turn_of_the_camera_keeps_all_apart(stream: Stream) -> None:
    places = [(100, 100), (400, 120), (250, 500), (900, 300)]
    first = stream.frame(*(found(x, y) for x, y in places))
    for step in range(1, 5):
        turned = [found(x + 70 * step, y - 30 * step) for x, y in places]
        assert stream.frame(*turned) == first


def test_two_beside_each_other_do_not_swap(stream: Stream) -> None:
    first = stream.frame(found(100, 100), found(170, 100))
    for step in range(6):
        assert stream.frame(found(170 + 4 * step, 100), found(100 + 4 * step, 100)) == first[::-1]


def test_an_element_far_away_is_another_one(stream: Stream) -> None:
    assert stream.frame(found(100, 100)) != stream.frame(found(600, 400))


def test_one_of_another_size_in_the_same_place_is_another_one(stream: Stream) -> None:
    assert stream.frame(found(100, 100, 40)) != stream.frame(found(60, 60, 400))


def test_missed_detections_are_bridged_for_a_while(stream: Stream) -> None:
    for _ in range(2):
        stream.frame(found(100, 100))
    for _ in range(int(KEPT_MS / STEP_MS)):
        stream.frame()
        assert stream.only().number == 1
    stream.frame()
    assert stream.tracker.elements() == []


def test_a_single_misjudged_crop_does_not_show(stream: Stream) -> None:
    for label in ("lock", "lock", "unlock", "lock"):
        stream.frame(found(100, 100), looks=(seen(label, 0.9),))
    assert stream.label() == "lock"
    assert stream.only().shares.sum() == pytest.approx(1.0, abs=1e-5)


def test_a_change_shows_after_a_few_crops(stream: Stream) -> None:
    for _ in range(10):
        stream.frame(found(100, 100), looks=(seen("lock"),), step_ms=250)
    needed = 0
    while stream.label() == "lock":
        stream.frame(found(100, 100), looks=(seen("unlock"),), step_ms=250)
        needed += 1
    assert 2 <= needed <= 6


def test_half_a_second_is_enough_to_be_known(stream: Stream) -> None:
    for _ in range(5):
        stream.frame(found(1240, 600, 40), looks=(seen("lock", 0.6),))
    stream.frame()
    assert stream.label() == "lock"
    assert stream.only().shares.max() == pytest.approx(0.6)


def test_old_evidence_gives_way_to_newer(stream: Stream) -> None:
    def after(wait_ms: float) -> float:
        stream = Stream()
        for _ in range(2):
            stream.frame(found(100, 100), looks=(seen("lock", 0.9),))
        stream.frame(found(100, 100), looks=(seen("unlock", 0.8),), step_ms=wait_ms)
        return float(stream.only().shares[LABELS.index("unlock")])

    assert after(100.0) < 0.5 < after(2 * HALF_LIFE_MS)


def test_without_newer_evidence_an_element_stays_what_it_is(stream: Stream) -> None:
    for _ in range(2):
        stream.frame(found(100, 100), looks=(seen("lock", 0.8),))
    sure = float(stream.only().shares.max())
    for _ in range(10):
        stream.frame(found(100, 100), step_ms=500)
    assert float(stream.only().shares.max()) == pytest.approx(sure)


def test_a_label_that_was_never_likely_is_not_excluded_for_good(stream: Stream) -> None:
    stream.frame(found(100, 100), looks=(seen("lock", 1.0),))
    for _ in range(3):
        stream.frame(found(100, 100), looks=(seen("unlock", 0.99),))
    assert stream.label() == "unlock"


def test_the_direction_is_the_mean_of_all_looks_across_the_jump_at_zero(stream: Stream) -> None:
    for degrees in (350.0, 10.0, 355.0, 5.0):
        stream.frame(found(100, 100, kind="arrow"), looks=(seen("#arrow", degrees=degrees),))
    direction = stream.only().direction_deg
    assert direction is not None
    assert min(direction, 360 - direction) < 2


def test_contrary_directions_are_in_doubt(stream: Stream) -> None:
    for degrees in (0.0, 180.0, 0.0, 180.0):
        stream.frame(found(100, 100, kind="arrow"), looks=(seen("#arrow", degrees=degrees),))
    assert stream.only().direction_deg is None


def test_the_type_is_the_one_that_was_found_most(stream: Stream) -> None:
    for kind in ("arrow", "arrow", "panel", "arrow"):
        stream.frame(found(100, 100, kind=kind))
    assert stream.only().type == "arrow"


def test_looks_are_counted(stream: Stream) -> None:
    (number,) = stream.frame(found(100, 100), looks=(seen("lock"),))
    stream.frame(found(100, 100), looks=(seen("lock"),))
    assert (stream.only().number, stream.only().looks) == (number, 2)
    assert stream.tracker.looked_ms(number) == stream.now_ms
    assert stream.tracker.looked_ms(number + 1) == float("inf")


def test_what_looks_different_and_is_something_else_is_another_element(stream: Stream) -> None:
    for _ in range(3):
        (number,) = stream.frame(found(100, 100), looks=(seen("lock", 0.9),))
    assert stream.tracker.look(number, seen("unlock", 0.9), stream.now_ms, changed=True) == number + 1
    assert (stream.label(), stream.only().looks) == ("unlock", 1)


def test_what_looks_different_but_is_the_same_keeps_its_number(stream: Stream) -> None:
    (number,) = stream.frame(found(100, 100, score=0.9), looks=(seen("lock", 0.9),))
    assert stream.tracker.look(number, seen("lock", 0.5), stream.now_ms, changed=True) == number
    assert stream.tracker.look(number, seen("unlock", 0.5), stream.now_ms, changed=True) == number
    assert stream.tracker.look(number, seen("unlock", 0.99), stream.now_ms) == number
    assert stream.only().looks == 4


def test_an_arrow_that_turns_is_another_one(stream: Stream) -> None:
    arrow = found(100, 100, kind="arrow", score=0.9)
    (number,) = stream.frame(arrow, looks=(seen("#arrow", degrees=0.0),))
    assert stream.tracker.look(number, seen("#arrow", degrees=20.0), stream.now_ms, changed=True) == number
    turned = stream.tracker.look(number, seen("#arrow", degrees=180.0), stream.now_ms, changed=True)
    assert turned != number
    assert stream.only().direction_deg == pytest.approx(180.0, abs=1e-3)


def test_elements_are_carried_with_the_picture(stream: Stream) -> None:
    (number,) = stream.frame(found(100, 100, score=0.9))
    moved = np.array([[1.1, 0, 200], [0, 1.1, 10], [0, 0, 1]], np.float32)
    stream.tracker.carry(moved, (1280, 720))
    assert stream.only().box_px == pytest.approx((310, 120, 376, 186), abs=1e-3)
    stream.now_ms += STEP_MS
    assert stream.tracker.observe([found(308, 121, 64)], stream.now_ms, moved=True) == [number]


def test_a_turn_of_the_picture_does_not_make_boxes_grow(stream: Stream) -> None:
    stream.frame(found(100, 100, score=0.9))
    turn = np.radians(45.0)
    matrix = np.array([[np.cos(turn), -np.sin(turn), 500], [np.sin(turn), np.cos(turn), 100], [0, 0, 1]])
    stream.tracker.carry(matrix.astype(np.float32), (1280, 720))
    x0, y0, x1, y1 = stream.only().box_px
    assert (x1 - x0, y1 - y0) == pytest.approx((60, 60), abs=1e-3)


def test_elements_that_leave_the_picture_are_forgotten(stream: Stream) -> None:
    stream.frame(found(100, 100, score=0.9))
    stream.tracker.carry(np.array([[1, 0, -155], [0, 1, 0], [0, 0, 1]], np.float32), (1280, 720))
    assert stream.tracker.elements() == []


def test_a_missed_element_is_kept_for_longer_while_its_place_looks_the_same(stream: Stream) -> None:
    (number,) = stream.frame(found(100, 100, score=0.9))
    stream.tracker.note_place(number, unchanged=True)
    for _ in range(int(KEPT_SAME_MS / STEP_MS)):
        stream.frame()
        assert stream.only().number == number
        assert stream.tracker.missed(number)
    stream.frame()
    assert stream.tracker.elements() == []


def test_what_is_gone_is_gone_at_once(stream: Stream) -> None:
    (number,) = stream.frame(found(100, 100, score=0.9))
    stream.tracker.gone(number)
    assert stream.tracker.elements() == []
    assert stream.tracker.look(number, seen("lock"), stream.now_ms) == number


def test_time_without_a_search_is_no_miss(stream: Stream) -> None:
    stream.frame(found(100, 100, score=0.9))
    stream.now_ms += 3 * KEPT_MS
    stream.tracker.carry(np.eye(3, dtype=np.float32), (1280, 720))
    assert stream.only().number == 1


def test_memory_is_bounded(stream: Stream) -> None:
    for row in range(5):
        stream.frame(*(found(70 * x, 2000 * row, 20) for x in range(48)))
    assert len(stream.tracker._tracks) <= MOST_TRACKS


def test_no_labels_no_elements(stream: Stream) -> None:
    assert stream.frame() == []
    assert stream.tracker.elements() == []


def test_a_picture_the_classifier_knows_is_believed_at_once(stream: Stream) -> None:
    stream.frame(found(100, 100, score=0.35), looks=(seen("lock", 0.8),))
    assert stream.only().score == pytest.approx((1 - 0.65 * 0.2) * (1 - 0.2 / 3))


@pytest.mark.parametrize(
    ("score", "look"),
    [(0.35, seen("lock", 0.4)), (0.9, seen("#background", 0.8))],
    ids=["a picture in doubt", "a piece of the world"],
)
def test_what_neither_network_is_sure_of_has_to_be_seen_again(
    stream: Stream, score: float, look: Seen
) -> None:
    stream.frame(found(100, 100, score=score), looks=(look,))
    assert stream.tracker.elements() == []
