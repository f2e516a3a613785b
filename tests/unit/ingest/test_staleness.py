"""Old pictures are told from new ones, whatever the sender's media clock does."""

from __future__ import annotations

import numpy as np
import pytest

from arwarden.ingest.staleness import JUDGE_MS, Staleness

FRAME_MS = 1000.0 / 30.0


class Path:
    """A sender and its way here: media time and arrival time of each frame."""

    def __init__(self) -> None:
        self.staleness = Staleness(500.0)
        self.media_ms = 12_345.0
        self.now_ms = 1_700_000_000_000.0
        self.stale: list[bool] = []

    def frames(
        self, count: int, *, media_ms: float = FRAME_MS, wall_ms: float = FRAME_MS, jitter_ms: float = 0.0
    ) -> list[bool]:
        rng = np.random.default_rng(3)
        judged = []
        for _ in range(count):
            self.media_ms += media_ms
            self.now_ms += wall_ms
            judged.append(self.staleness.judge(self.media_ms, self.now_ms + rng.uniform(0, 1) * jitter_ms))
        self.stale += judged
        return judged


@pytest.mark.parametrize("fps", [1, 5, 15, 30, 90])
def test_steady_stream_is_never_stale(fps: int) -> None:
    path = Path()
    assert not any(path.frames(fps * 30, media_ms=1000 / fps, wall_ms=1000 / fps))


def test_jitter_of_100_ms_is_not_staleness() -> None:
    path = Path()
    assert not any(path.frames(600, jitter_ms=100.0))


@pytest.mark.parametrize("pause_s", [3, 10, 40])
def test_burst_after_a_pause_is_stale_until_it_has_caught_up(pause_s: int) -> None:
    path = Path()
    path.frames(90)
    path.now_ms += pause_s * 1000.0
    # Measured: the sender catches up at 252 frames a second.
    burst = path.frames(2000, wall_ms=1000.0 / 252.0)
    behind_frames = next(index for index, stale in enumerate(burst) if not stale)
    caught_up_ms = behind_frames * (FRAME_MS - 1000.0 / 252.0)
    assert caught_up_ms == pytest.approx(pause_s * 1000.0 - 500.0, abs=2 * FRAME_MS)
    assert not any(burst[behind_frames:])


def test_burst_takes_a_second_and_the_stream_is_fresh_right_after() -> None:
    path = Path()
    path.frames(90)
    path.now_ms += 3000.0
    resumed_ms = path.now_ms
    while path.frames(1, wall_ms=1000.0 / 252.0)[0]:
        pass
    assert path.now_ms - resumed_ms < 1000.0
    assert not any(path.frames(300))


@pytest.mark.parametrize("pause_s", [1, 3, 10, 40, 3600])
def test_media_clock_that_stood_still_is_believed_again(pause_s: int) -> None:
    path = Path()
    path.frames(90)
    path.now_ms += pause_s * 1000.0
    judged = path.frames(60)
    stale_ms = sum(judged) * FRAME_MS
    assert judged[0], "one frame cannot tell"
    assert stale_ms < JUDGE_MS + 2 * FRAME_MS
    assert not any(judged[sum(judged) :])


def test_media_clock_that_went_on_is_fresh_at_once() -> None:
    path = Path()
    path.frames(90)
    path.now_ms += 10_000.0
    path.media_ms += 10_000.0
    assert not any(path.frames(30))


def test_slow_stream_is_believed_again_with_its_second_frame() -> None:
    path = Path()
    path.frames(10, media_ms=1000, wall_ms=1000)
    path.now_ms += 10_000.0
    assert path.frames(3, media_ms=1000, wall_ms=1000) == [True, False, False]


@pytest.mark.parametrize("jump_h", [-13.256, -1.0, 1.0, 13.256])
def test_jump_of_the_media_clock_is_no_delay(jump_h: float) -> None:
    path = Path()
    path.frames(90)
    path.media_ms += jump_h * 3_600_000.0
    assert not any(path.frames(90))


def test_jump_forth_and_back() -> None:
    path = Path()
    path.frames(90)
    path.media_ms += 47_000_000.0
    path.frames(1)
    path.media_ms -= 47_000_000.0
    assert not any(path.frames(90))


def test_backlog_that_a_slow_link_works_off_stays_stale() -> None:
    path = Path()
    path.frames(90)
    path.now_ms += 5_000.0
    # Twice as fast as real time: five seconds of backlog take about as long.
    judged = path.frames(240, wall_ms=FRAME_MS / 2)
    assert all(judged)
    assert path.staleness.lateness_ms == pytest.approx(5_000.0 - 240 * FRAME_MS / 2, abs=50)


def test_way_that_grew_longer_is_learnt() -> None:
    path = Path()
    path.frames(90)
    path.now_ms += 800.0
    judged = path.frames(300)
    assert sum(judged) * FRAME_MS < 400
    assert path.staleness.lateness_ms < 1


def test_drift_of_the_clocks_is_followed() -> None:
    path = Path()
    # 2000 ppm: after 10 minutes the clocks are 1.2 s apart.
    assert not any(path.frames(18_000, media_ms=FRAME_MS * 0.998))


def test_shorter_pause_than_the_limit_is_not_stale() -> None:
    path = Path()
    path.frames(90)
    path.now_ms += 400.0
    assert not any(path.frames(30, wall_ms=5.0))
    assert path.staleness.lateness_ms == 0.0
