from __future__ import annotations

import pytest

from arwarden.fast.quality.sizes import SizeWatch


def test_first_seconds_of_a_stream_are_not_settled() -> None:
    watch = SizeWatch(settle_ms=3000)
    assert not watch.observe(1280, 720, 1000.0)
    assert not watch.observe(1280, 720, 3999.0)
    assert watch.observe(1280, 720, 4000.0)


def test_growing_stream_settles_after_its_last_step() -> None:
    watch = SizeWatch(settle_ms=3000)
    assert not watch.observe(320, 180, 0.0)
    assert watch.observe(320, 180, 3000.0)
    assert not watch.observe(640, 360, 4000.0)
    assert not watch.observe(1280, 720, 6500.0)
    assert not watch.observe(1280, 720, 9000.0)
    assert watch.observe(1280, 720, 9500.0)


def test_scaled_down_stream_is_never_settled_until_it_grows_back() -> None:
    watch = SizeWatch(settle_ms=3000)
    watch.observe(1280, 720, 0.0)
    assert not watch.observe(640, 360, 10_000.0)
    assert not watch.observe(640, 360, 60_000.0)
    assert not watch.observe(1280, 720, 61_000.0)
    assert watch.observe(1280, 720, 64_000.0)


def test_turned_phone_waits_and_settles() -> None:
    watch = SizeWatch(settle_ms=3000)
    watch.observe(1280, 720, 0.0)
    assert not watch.observe(720, 1280, 5000.0)
    assert watch.observe(720, 1280, 8000.0)


@pytest.mark.parametrize("settle_ms", [-1.0, float("nan")])
def test_useless_times_are_refused(settle_ms: float) -> None:
    with pytest.raises(ValueError, match="settle_ms"):
        SizeWatch(settle_ms=settle_ms)
