"""The drawn ball: faults as ordered, adjustments that mend them, and what is known of it on disk."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from arwarden.core.errors import InputError
from arwarden.core.frame import ByteImage
from arwarden.escalate.answers import Adjustment
from benchmarks.datasets.ball import (
    BALL_M,
    GROUND,
    TRUTH,
    VIEW_M,
    Ball,
    Faults,
    Truth,
    frames_of,
    picture_of,
    read_truth,
    single_fault,
    write_truth,
)
from benchmarks.datasets.generate_ratear import ANNOTATORS, SimulatedPeople, generate_ratear
from benchmarks.datasets.ratear import load

SIZE_PX = (640, 360)
ASPECT = SIZE_PX[0] / SIZE_PX[1]


def ball(faults: Faults, seed: int = 1) -> Ball:
    return Ball.drawn(np.random.default_rng(seed), faults)


def orange(rgb: ByteImage) -> npt.NDArray[np.intp]:
    """Rows and columns of the ball's pixels."""
    red, green, blue = (rgb[..., channel].astype(int) for channel in range(3))
    return np.argwhere((red > 190) & (green < 140) & (blue < 60))


@pytest.mark.parametrize("seed", range(8))
def test_a_ball_is_as_wrong_as_it_was_ordered(seed: int) -> None:
    ordered = Faults(0.6, 0.4, 0.3)
    made = ball(ordered, seed)
    assert made.faults.placement == pytest.approx(ordered.placement)
    assert made.faults.size == pytest.approx(ordered.size)
    assert made.faults.shadow == ordered.shadow


@pytest.mark.parametrize("seed", range(8))
def test_the_right_adjustment_mends_it(seed: int) -> None:
    made = ball(Faults(0.8, 0.3, 0.0), seed)
    mended = made.adjusted(Adjustment(up_m=-made.lift_m), ASPECT)
    assert mended.faults.placement == pytest.approx(0.0)
    assert mended.faults.size == pytest.approx(0.3)
    scaled = made.adjusted(Adjustment(scale=1 / made.scale), ASPECT)
    assert scaled.faults.size == pytest.approx(0.0)


def test_a_ball_that_is_moved_out_of_the_picture_is_placed_worst() -> None:
    made = ball(Faults(0.0, 0.0, 0.0))
    aside = made.adjusted(Adjustment(right_m=0.1), ASPECT)
    assert aside.faults.placement == 0.0
    assert (aside.across - made.across) * VIEW_M * ASPECT == pytest.approx(0.1)
    assert made.adjusted(Adjustment(right_m=-4.0), ASPECT).faults.placement == 1.0


def test_what_is_drawn_is_where_and_as_large_as_said() -> None:
    made = next(
        one for one in (ball(single_fault("placement", 0.5), seed) for seed in range(20)) if one.lift_m > 0
    )
    rows, columns = orange(picture_of(made, SIZE_PX)).T
    px_per_m = SIZE_PX[1] / VIEW_M
    assert (GROUND * SIZE_PX[1] - rows.max()) / px_per_m == pytest.approx(made.lift_m, abs=0.02)
    assert np.ptp(columns) / px_per_m == pytest.approx(BALL_M, abs=0.03)
    large = made.adjusted(Adjustment(scale=2.0), ASPECT)
    assert np.ptp(orange(picture_of(large, SIZE_PX))[:, 1]) / px_per_m == pytest.approx(2 * BALL_M, abs=0.04)


def test_what_is_sunk_is_hidden_by_the_floor() -> None:
    made = next(
        one for one in (ball(single_fault("placement", 0.5), seed) for seed in range(40)) if one.lift_m < 0
    )
    rows = orange(picture_of(made, SIZE_PX))[:, 0]
    assert rows.max() < math.ceil(GROUND * SIZE_PX[1])
    assert np.ptp(rows) < 0.7 * BALL_M * SIZE_PX[1] / VIEW_M


def test_a_video_shows_the_same_from_moving_places() -> None:
    made = ball(Faults(0.3, 0.0, 0.0))
    frames = list(frames_of(made, SIZE_PX, 8))
    assert {frame.shape for frame in frames} == {(360, 640, 3)}
    centres = np.array([orange(frame).mean(axis=0) for frame in frames])
    assert np.ptp(centres[:, 1]) > 40
    assert np.allclose(orange(frames[0]).mean(axis=0), orange(picture_of(made, SIZE_PX)).mean(axis=0), atol=1)


def test_truth_is_read_as_it_was_written(tmp_path: Path) -> None:
    truth = Truth(7, {"a": ball(Faults(0.5, 0.5, 0.5)), "b": ball(Faults(0.1, 0.2, 0.3), 2)})
    write_truth(tmp_path, truth)
    assert read_truth(tmp_path) == truth
    (tmp_path / TRUTH).write_text('{"seed": 1, "balls": {"a": {"lift_m": 1}}}', encoding="utf-8")
    with pytest.raises(InputError, match="generate the set anew"):
        read_truth(tmp_path)
    assert read_truth(tmp_path / "elsewhere") is None


def test_simulated_people_see_faults() -> None:
    people, rng = SimulatedPeople(3), np.random.default_rng(1)
    right, wrong = people.scores(0.0, rng), people.scores(1.0, rng)
    assert len(right) == len(wrong) == ANNOTATORS
    assert sum(right) > 4 * ANNOTATORS > 2 * ANNOTATORS > sum(wrong)


def test_videos_are_a_set_of_videos(tmp_path: Path) -> None:
    generate_ratear(tmp_path / "v", 2, seed=1, size_px=(96, 64), media="videos")
    samples = load(tmp_path / "v", "videos", thoroughly=True).usable()
    assert [sample.file.suffix for sample in samples] == [".mp4", ".mp4"]
    truth = read_truth(tmp_path / "v")
    assert truth is not None
    assert set(truth.balls) == {sample.id for sample in samples}
    wrong = [str(problem) for problem in load(tmp_path / "v", "images").problems]
    assert any("ball_0000.mp4: is no file of images; --media says" in one for one in wrong)
