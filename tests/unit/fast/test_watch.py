from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from arwarden.core.frame import ArrayPicture, ByteImage, CaptureClock, Frame
from arwarden.fast.elements.detector import Detected, ElementFinder, Seen
from arwarden.fast.ocr.base import ModelFile
from arwarden.fast.watch import FIRST_CROPS, FIRST_LOOKS, FORGET_MS, MOST_LOOKS, ElementWatch

LABELS = ("#background", "lock")
STEP_MS = 100.0


class FakeFinder:
    """Finds what it is told to find, and takes everything for a lock."""

    def __init__(self, *found: Detected) -> None:
        self.found = list(found)
        self.crops: list[int] = []

    @property
    def labels(self) -> Sequence[str]:
        return LABELS

    def models_in_use(self) -> Sequence[ModelFile]:
        return ()

    def find(self, rgb: ByteImage) -> list[Detected]:
        assert rgb.shape == (36, 64, 3)
        return self.found

    def classify(self, rgb: ByteImage, boxes_px: Sequence[tuple[float, float, float, float]]) -> list[Seen]:
        assert rgb.shape == (36, 64, 3)
        self.crops.append(len(boxes_px))
        return [Seen(np.array([0.1, 0.9], np.float32), np.zeros(2, np.float32)) for _ in boxes_px]


def sign(number: int = 0) -> Detected:
    x, y = 5.0 * (number % 10), 5.0 * (number // 10)
    return Detected("sign", (x, y, x + 4, y + 4), 0.9)


def frame(at_ms: float, session: str = "s1") -> Frame:
    return Frame(
        session, 1, at_ms, CaptureClock.ARRIVAL, at_ms, ArrayPicture(np.zeros((36, 64, 3), np.uint8))
    )


def test_the_fake_is_a_finder() -> None:
    finder: ElementFinder = FakeFinder()
    assert ElementWatch(finder, sessions=1).finder is finder


def test_elements_are_found_classified_and_followed() -> None:
    watch = ElementWatch(FakeFinder(sign()), sessions=4)
    for step in range(3):
        (element,) = watch.observe(frame(1000 + STEP_MS * step))
        assert element.number == 1
    assert LABELS[int(element.shares.argmax())] == "lock"


def test_known_elements_are_classified_a_few_at_a_time() -> None:
    finder = FakeFinder(*(sign(n) for n in range(20)))
    watch = ElementWatch(finder, sessions=4)
    for step in range(FIRST_LOOKS + 3):
        watch.observe(frame(1000 + STEP_MS * step))
    assert finder.crops == [20] * FIRST_LOOKS + [MOST_LOOKS] * 3


def test_a_crowd_is_classified_within_bounds() -> None:
    finder = FakeFinder(*(sign(n) for n in range(48)))
    ElementWatch(finder, sessions=4).observe(frame(1000))
    assert finder.crops == [FIRST_CROPS]


def test_nothing_found() -> None:
    assert ElementWatch(FakeFinder(), sessions=4).observe(frame(1000)) == []


@pytest.mark.parametrize("step_ms", [FORGET_MS, 0.0, -100.0])
def test_a_gap_or_an_older_frame_starts_anew(step_ms: float) -> None:
    finder = FakeFinder(sign())
    watch = ElementWatch(finder, sessions=4)
    watch.observe(frame(5000))
    finder.found = []
    assert watch.observe(frame(5000 + step_ms)) == []


def test_sessions_do_not_know_of_each_other_and_the_oldest_gives_way() -> None:
    finder = FakeFinder(sign())
    watch = ElementWatch(finder, sessions=2)
    for session in ("a", "b", "c"):
        watch.observe(frame(1000, session))
    finder.found = []
    assert len(watch.observe(frame(1100, "b"))) == 1
    assert watch.observe(frame(1100, "a")) == []
