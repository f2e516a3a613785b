"""Which views are one scene, and which frames of it are sent."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arwarden.core.findings import Element, ElementType, Findings, Part
from arwarden.escalate.scenes import (
    FrameWindow,
    SceneMemory,
    Sight,
    hash_distance,
    same_word,
    scene_hash,
    sharpness,
    sight_of,
)
from tests.support.judges import answer
from tests.unit.escalate.views import FRANCE, ITALY, found, frame, look, room, text

BITS = 36


def sight(*elements: Element, seed: int = 1, keys: tuple[str, ...] = ()) -> Sight:
    findings = tuple(found(key) for key in keys)
    return sight_of(frame(room(seed)), Findings(findings, elements))


def gray(seed: int = 1) -> np.ndarray:
    return np.asarray(cv2.cvtColor(room(seed), cv2.COLOR_RGB2GRAY))


def test_hash_keeps_through_size_noise_and_light_and_tells_rooms_apart() -> None:
    plain = gray()
    noisy = np.clip(plain.astype(int) + np.random.default_rng(1).integers(-6, 7, plain.shape), 0, 255)
    darker = (plain * 0.8).astype(np.uint8)
    larger = np.asarray(cv2.resize(plain, (1280, 720)), dtype=np.uint8)
    base = scene_hash(plain)
    for other in (noisy.astype(np.uint8), darker, larger):
        assert hash_distance(base, scene_hash(other)) <= BITS
    assert hash_distance(base, scene_hash(gray(2))) > 2 * BITS


def test_same_content_is_the_same_scene_from_anywhere() -> None:
    assert sight(FRANCE, ITALY, seed=7).shown_in(sight(FRANCE, ITALY), BITS)
    assert sight(FRANCE, ITALY).shown_in(sight(FRANCE, ITALY, text("Exit", 0.5, 0.8)), BITS), (
        "less is no news"
    )


@pytest.mark.parametrize(
    "news", [text("Made in Spain", 0.6, 0.5), text("Made in Italy", 0.6, 0.5), text("Exit 4", 0.4, 0.8)]
)
def test_new_content_is_a_new_scene_in_the_same_room(news: Element) -> None:
    before = sight(FRANCE)
    assert not sight(FRANCE, news).shown_in(before, BITS)


def test_misread_letters_are_no_news_but_numbers_and_short_words_are() -> None:
    assert same_word("france", "frence")
    assert same_word("netherlands", "netherland")
    for one, other in [("open", "opens"), ("hot", "not"), ("locked", "unlocked"), ("left", "right")]:
        assert not same_word(one, other)
    assert not same_word("12345", "12346")
    assert sight(text("Made in Frence"), ITALY).shown_in(sight(FRANCE, ITALY), BITS)
    assert not sight(text("Gate 12345"), ITALY).shown_in(sight(text("Gate 12346"), ITALY), BITS)


@given(st.text("abcdé", max_size=8), st.text("abcdé", max_size=8))
def test_being_the_same_word_is_mutual(one: str, other: str) -> None:
    assert same_word(one, other) == same_word(other, one)
    assert same_word(one, one)


def test_new_finding_is_a_new_scene_and_a_finding_less_is_not() -> None:
    assert not sight(FRANCE, ITALY, keys=("a", "b")).shown_in(sight(FRANCE, ITALY, keys=("a",)), BITS)
    assert sight(FRANCE, ITALY, keys=("a",)).shown_in(sight(FRANCE, ITALY, keys=("a", "b")), BITS)
    assert sight(FRANCE, ITALY, keys=("a", "b")).content_in(sight(FRANCE, ITALY, keys=("a",)), BITS)


def test_little_content_needs_the_same_place() -> None:
    assert sight(FRANCE).shown_in(sight(FRANCE), BITS)
    assert not sight(FRANCE, seed=9).shown_in(sight(FRANCE), BITS)
    assert not sight(seed=9).shown_in(sight(), BITS)


def test_pictures_and_directions_are_content() -> None:
    def arrow(degrees: float) -> Element:
        return Element(ElementType.ARROW, FRANCE.box, direction_deg=degrees)

    lock = Element(ElementType.SIGN, FRANCE.box, parts=(Part("lock", 0.9),))
    key = Element(ElementType.SIGN, FRANCE.box, parts=(Part("key", 0.9),))
    unsure = Element(ElementType.SIGN, FRANCE.box, parts=(Part("key", 0.4),))
    assert sight(arrow(2)).shown_in(sight(arrow(355)), BITS)
    assert not sight(arrow(2)).shown_in(sight(arrow(180)), BITS)
    assert not sight(lock).shown_in(sight(key), BITS)
    assert sight(unsure).shown_in(sight(lock), BITS)


def test_memory_forgets_after_the_cool_down_and_keeps_the_newest() -> None:
    memory = SceneMemory(1000.0, BITS)
    scene = look().sight
    assert memory.recall(scene, 0.0) is None
    memory.remember(scene, answer(), 0.0)
    memory.remember(scene, answer(reason="newer"), 500.0)
    known = memory.recall(scene, 999.0)
    assert known is not None
    assert known.answer.judgement.reason == "newer"
    assert memory.recall(scene, 1499.0) is not None
    assert memory.recall(scene, 1500.0) is None


def test_memory_is_bounded() -> None:
    memory = SceneMemory(1e9, BITS)
    for number in range(1000):
        memory.remember(sight(text(f"Room {number}"), ITALY), answer(), float(number))
    assert len(memory._judged) == 128
    assert memory.recall(sight(text("Room 999"), ITALY), 1000.0) is not None


def test_name_of_a_scene_is_the_same_for_the_same_view() -> None:
    assert sight(FRANCE).name == sight(FRANCE).name
    assert sight(FRANCE).name != sight(ITALY).name
    assert len(sight(text("\ud800")).name) == 16


def test_sharpest_frames_of_the_parts_of_the_window_are_chosen() -> None:
    window = FrameWindow(2000.0, BITS)
    assert window.best(3) == ()
    sharp = room()
    blurred = np.asarray(cv2.GaussianBlur(sharp, (0, 0), 3), dtype=np.uint8)
    assert sharpness(gray()) > sharpness(np.asarray(cv2.GaussianBlur(gray(), (0, 0), 3)))
    for number, picture in enumerate([blurred, sharp, sharp, blurred, blurred, sharp]):
        window.add(frame(picture, number * 250.0), look().sight)
    assert [one.capture_ms for one in window.best(3)] == [250.0, 500.0, 1250.0]
    assert [one.capture_ms for one in window.best(1)] == [250.0]
    assert len(window.best(8)) == 6


def test_window_holds_the_newest_scene_and_few_frames_only() -> None:
    window = FrameWindow(2000.0, BITS)
    for number in range(50):
        window.add(frame(at_ms=number * 10.0), look().sight)
    assert len(window._kept) == 12
    window.add(frame(at_ms=600.0), sight(text("Exit"), text("Gate", 0.5)))
    assert [one.capture_ms for one in window.best(3)] == [600.0]
    window.add(frame(at_ms=9000.0), look().sight)
    assert [one.capture_ms for one in window.best(3)] == [9000.0]
