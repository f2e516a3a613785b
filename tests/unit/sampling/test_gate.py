from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arwarden.config import SamplingConfig
from arwarden.sampling.gate import Change, compare, glance
from tests.unit.sampling.scenes import (
    HEIGHT_PX,
    WIDTH_PX,
    noisy,
    room,
    smeared,
    through_codec,
    with_panel,
)

THRESHOLD = SamplingConfig().change_threshold


def change(before: object, after: object) -> Change:
    return compare(glance(np.asarray(before)), glance(np.asarray(after)), THRESHOLD)


def test_the_same_picture_has_not_changed() -> None:
    assert change(room(), room().copy()) == Change(changed=False, strongest=0.0, threshold=THRESHOLD)


@pytest.mark.parametrize(("paper", "ink"), [(235, 20), (40, 220), (110, 160)])
def test_notices_a_small_panel_wherever_it_appears(paper: int, ink: int) -> None:
    rng = np.random.default_rng(7)
    for _ in range(40):
        x, y = int(rng.integers(0, WIDTH_PX - 60)), int(rng.integers(0, HEIGHT_PX - 20))
        shown = with_panel(room(), "EXIT >", (x, y, 60, 20), paper=paper, ink=ink)
        assert change(room(), shown).changed, (x, y)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Exit left", "Exit right"),
        ("open", "shut"),
        ("19.99", "79.99"),
        ("locked", "unlocked"),
        ("ON", "OFF"),
        ("8:00", "3:00"),
    ],
)
def test_notices_a_changed_word_inside_a_panel(before: str, after: str) -> None:
    rng = np.random.default_rng(8)
    for _ in range(15):
        box = (int(rng.integers(0, 1100)), int(rng.integers(0, 680)), 120, 34)
        assert change(with_panel(room(), before, box), with_panel(room(), after, box)).changed, box


@pytest.mark.parametrize(("gain", "offset"), [(1.03, 0), (0.97, 0), (0.9, 0), (1.0, 8), (1.1, -6)])
def test_exposure_flicker_is_no_change_and_hides_none(gain: float, offset: float) -> None:
    def exposed(plane: object) -> object:
        return np.clip(np.rint(np.asarray(plane) * gain + offset), 0, 255).astype(np.uint8)

    assert not change(room(), exposed(room())).changed
    assert change(room(), exposed(with_panel(room(), "EXIT >", (600, 300, 60, 20)))).changed


def test_light_switched_off_is_a_change() -> None:
    assert change(room(), (room() // 3)).changed


def test_fade_from_black_is_a_change() -> None:
    assert change(np.zeros_like(room()), room()).changed


def test_head_movement_is_a_change_although_everything_differs() -> None:
    assert change(room(), np.roll(room(), 12, axis=1)).changed


@pytest.mark.parametrize("sigma", [2.0, 6.0])
@pytest.mark.parametrize("kbps", [800, 2500])
def test_camera_noise_through_a_codec_is_no_change_but_a_panel_is(sigma: float, kbps: int) -> None:
    rng = np.random.default_rng(9)
    panelled = with_panel(room(), "EXIT >", (700, 420, 60, 20))
    planes = [noisy(room(), sigma, rng) for _ in range(24)]
    planes += [noisy(panelled, sigma, rng) for _ in range(4)]
    seen = [glance(plane) for plane in through_codec(planes, kbps=kbps)]
    settled = seen[12]  # the first pictures of a stream are still being refined
    static = [compare(settled, later, THRESHOLD).changed for later in seen[13:24]]
    assert sum(static) <= 1
    assert compare(settled, seen[-1], THRESHOLD).changed


def test_another_size_is_a_change() -> None:
    found = change(room(), room(1, 640, 480))
    assert found.changed
    assert found.strongest == float("inf")


def test_sharpness_falls_with_blur() -> None:
    sharp = glance(room()).sharpness
    fives, fifteens = (glance(smeared(room(), length)).sharpness / sharp for length in (5, 15))
    assert fifteens < fives < 0.85


@given(
    width=st.integers(1, 700),
    height=st.integers(1, 700),
    seed=st.integers(0, 2**31),
)
@settings(max_examples=60, deadline=None)
def test_every_size_can_be_compared_with_itself_and_with_its_negative(
    width: int, height: int, seed: int
) -> None:
    plane = np.random.default_rng(seed).integers(0, 100, (height, width)).astype(np.uint8)
    seen = glance(plane)
    assert max(seen.cells.shape) <= 480
    assert seen.sharpness >= 0
    assert not compare(seen, seen, THRESHOLD).changed
    if min(width, height) > 1:
        assert compare(seen, glance(255 - plane), THRESHOLD).changed


def test_a_padded_plane_is_read_without_copying_it_whole() -> None:
    padded = np.zeros((HEIGHT_PX, WIDTH_PX + 64), np.uint8)
    padded[:, :WIDTH_PX] = room()
    assert not change(room(), padded[:, :WIDTH_PX]).changed


def test_costs_less_than_two_milliseconds_at_720p() -> None:
    reference, moved = glance(room()), np.roll(room(), 12, axis=1)
    costs_ms = []
    for _ in range(50):
        started = time.perf_counter()
        compare(reference, glance(moved), THRESHOLD)
        costs_ms.append((time.perf_counter() - started) * 1000)
    assert min(costs_ms) < 2.0
