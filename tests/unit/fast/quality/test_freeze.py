from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from arwarden.core.findings import FindingKind, Severity
from arwarden.core.frame import ByteImage
from arwarden.fast.quality.freeze import FreezeDetector
from tests.support.requirements import shared_file
from tests.unit.fast.quality.scenes import flat, scene

FRAME_MS = 1000 / 30


class Player:
    """Feeds a detector at 30 frames a second in virtual time."""

    def __init__(self) -> None:
        self.detector = FreezeDetector(freeze_after_ms=2000)
        self.now_ms = 1_700_000_000_000.0
        self.wide = scene(1480, 360)[:, :, 0]

    def play(self, seconds: float, picture: Callable[[int], ByteImage]) -> list[bool]:
        answers = []
        for index in range(round(seconds * 30)):
            self.now_ms += FRAME_MS
            answers.append(self.detector.observe(picture(index), self.now_ms))
        return answers

    def moving(self, index: int) -> ByteImage:
        left = index % 400 * 2
        return self.wide[:, left : left + 640]

    def still(self, _index: int) -> ByteImage:
        return self.wide[:, :640]


def test_nothing_is_said_before_the_first_frame() -> None:
    assert FreezeDetector().finding() is None


def test_hung_renderer_is_found_after_the_time_and_ends_with_the_first_new_picture() -> None:
    player = Player()
    assert not any(player.play(2, player.moving))
    answers = player.play(4, player.still)
    assert not any(answers[:59])
    assert all(answers[62:])
    finding = player.detector.finding()
    assert finding is not None
    assert (finding.kind, finding.key, finding.attribute) == (FindingKind.QUALITY, "quality:freeze", "freeze")
    assert finding.severity is Severity.WARNING
    assert "4.0 s" in finding.message or "3.9 s" in finding.message
    assert not any(player.play(1, lambda index: player.moving(index + 50)))
    assert player.detector.finding() is None


def test_what_the_codec_leaves_of_a_hung_picture_is_still_a_freeze() -> None:
    player = Player()
    player.play(2, player.moving)
    random = np.random.default_rng(3)

    def refined(_index: int) -> ByteImage:
        picture = player.still(0).copy()
        picture[random.random(picture.shape) < 0.05] ^= 1
        return picture

    assert player.play(3, refined)[-1]


def test_camera_on_a_tripod_is_not_frozen() -> None:
    player = Player()
    player.play(2, player.moving)
    random = np.random.default_rng(4)

    def grainy(_index: int) -> ByteImage:
        return np.clip(player.still(0) + random.normal(0, 1.0, (360, 640)), 0, 255).astype(np.uint8)

    assert not any(player.play(5, grainy))


def test_slow_drift_is_not_frozen_though_neighbours_are_nearly_equal() -> None:
    player = Player()
    player.play(2, player.moving)

    def drifting(index: int) -> ByteImage:
        picture = player.still(0).copy()
        picture[:, : index % 640] //= 2
        return picture

    assert not any(player.play(5, drifting))


def test_a_picture_that_never_moved_is_not_frozen() -> None:
    player = Player()
    assert not any(player.play(10, player.still))


def test_slide_show_never_counts_as_alive() -> None:
    player = Player()

    def slides(index: int) -> ByteImage:
        return player.moving(index // 30 * 40)

    assert not any(player.play(20, slides))


@pytest.mark.parametrize("level", [0, 128, 255])
def test_content_free_picture_is_not_frozen(level: int) -> None:
    player = Player()
    player.play(2, player.moving)
    assert not any(player.play(5, lambda _index: flat(level)[:, :, 0]))


def test_a_stall_is_not_a_freeze() -> None:
    player = Player()
    player.play(2, player.moving)
    player.play(0.5, player.still)
    player.now_ms += 10_000
    assert not any(player.play(1.5, player.still))
    for _ in range(20):
        player.now_ms += 1500
        assert not player.detector.observe(player.still(0), player.now_ms)


def test_repeated_frames_of_a_slow_camera_are_not_frozen() -> None:
    player = Player()
    assert not any(player.play(8, lambda index: player.moving(index // 4)))


def test_turned_picture_starts_again() -> None:
    player = Player()
    player.play(2, player.moving)
    player.play(1.5, player.still)
    assert not any(player.play(1.5, lambda _index: np.ascontiguousarray(player.still(0).T)))


@pytest.mark.parametrize("shape", [(1, 1), (1, 700), (700, 1), (89, 161), (721, 1281)])
def test_any_size_is_taken(shape: tuple[int, int]) -> None:
    random = np.random.default_rng(5)
    picture = random.integers(0, 256, shape, dtype=np.uint8)
    detector = FreezeDetector()
    answers = [detector.observe(picture, index * FRAME_MS) for index in range(90)]
    assert not any(answers)


@pytest.mark.parametrize("after_ms", [0.0, -1.0, float("nan")])
def test_useless_times_are_refused(after_ms: float) -> None:
    with pytest.raises(ValueError, match="freeze_after_ms"):
        FreezeDetector(freeze_after_ms=after_ms)


@pytest.mark.shared
def test_real_recording_is_never_frozen_until_it_is_held() -> None:
    import av

    with av.open(str(shared_file("data/contrar/smart_retail_contradictory.mp4"))) as container:
        decoded = [frame.to_ndarray(format="gray") for frame in container.decode(video=0)]
    lumas = [np.asarray(luma[::4, ::4], dtype=np.uint8) for luma in decoded]
    detector = FreezeDetector()
    assert not any(detector.observe(luma, index * 55.0) for index, luma in enumerate(lumas))
    start = len(lumas)
    held = [detector.observe(lumas[-1], (start + index) * 55.0) for index in range(60)]
    assert held[-1]
    assert not any(held[:30])
