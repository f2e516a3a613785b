from __future__ import annotations

import random

import pytest

from arwarden.publish.reconnect import SESSION_TAKEN_OVER, Backoff, TakeoverGuard

STABLE_MS = 1000.0


def rng(seed: int = 1) -> random.Random:
    return random.Random(seed)  # noqa: S311 - jitter


def test_pauses_double_up_to_the_longest_with_jitter() -> None:
    backoff = Backoff(100.0, 450.0, rng())
    pauses = [backoff.next_ms() for _ in range(6)]
    for pause, full in zip(pauses, [100, 200, 400, 450, 450, 450], strict=True):
        assert full / 2 <= pause <= full
    assert len(set(pauses)) == 6
    backoff.reset()
    assert backoff.next_ms() <= 100.0


def test_daemons_do_not_come_back_in_step() -> None:
    first = {Backoff(100.0, 400.0, rng(seed)).next_ms() for seed in range(20)}
    assert max(first) - min(first) > 30.0


def test_a_longest_pause_below_the_shortest_is_the_shortest() -> None:
    backoff = Backoff(100.0, 10.0, rng())
    assert all(50.0 <= backoff.next_ms() <= 100.0 for _ in range(4))


@pytest.fixture
def guard() -> TakeoverGuard:
    return TakeoverGuard(STABLE_MS, limit=3)


def live(
    guard: TakeoverGuard, from_ms: float, for_ms: float, code: int | None = None, *, by_broker: bool = True
) -> bool:
    guard.opened(from_ms)
    return guard.closed(from_ms + for_ms, code, by_broker=by_broker)


def test_the_reason_code_is_enough(guard: TakeoverGuard) -> None:
    assert live(guard, 0.0, 1e6, SESSION_TAKEN_OVER)
    assert live(guard, 0.0, 10.0), "and the next short life confirms it"


def test_three_short_lives_in_a_row(guard: TakeoverGuard) -> None:
    assert [live(guard, start, 100.0) for start in (0.0, 200.0, 400.0)] == [False, False, True]


def test_a_stable_life_starts_the_count_again(guard: TakeoverGuard) -> None:
    lives = [live(guard, 0.0, length) for length in (100.0, 100.0, STABLE_MS, 100.0, 100.0)]
    assert lives == [False] * 5


def test_a_broker_that_restarts_refuses_in_between(guard: TakeoverGuard) -> None:
    for _ in range(10):
        assert not live(guard, 0.0, 100.0)
        guard.failed()


def test_giving_up_ourselves_is_no_sign(guard: TakeoverGuard) -> None:
    assert not any(live(guard, 0.0, 100.0, by_broker=False) for _ in range(10))


def test_another_reason_is_no_sign(guard: TakeoverGuard) -> None:
    assert not any(live(guard, 0.0, 100.0, 139) for _ in range(10))


def test_an_end_without_a_beginning(guard: TakeoverGuard) -> None:
    assert not guard.closed(5.0, None, by_broker=True)
