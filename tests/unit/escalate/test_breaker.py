from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from arwarden.escalate.breaker import Breaker, BreakerState

CLOSED, OPEN, HALF_OPEN = BreakerState.CLOSED, BreakerState.OPEN, BreakerState.HALF_OPEN


def make() -> Breaker:
    return Breaker(failures=3, open_ms=1000, max_open_ms=3000)


def fail(breaker: Breaker, now_ms: float, times: int = 1) -> None:
    for _ in range(times):
        assert breaker.admit(now_ms)
        breaker.failed(now_ms)


def test_it_opens_after_failures_in_a_row_only() -> None:
    breaker = make()
    fail(breaker, 0, 2)
    assert breaker.admit(0)
    breaker.succeeded()
    fail(breaker, 0, 2)
    assert breaker.state(0) is CLOSED
    fail(breaker, 0)
    assert breaker.state(0) is OPEN
    assert not breaker.admit(999)
    assert breaker.retry_in_ms(400) == 600


def test_one_probe_at_a_time_and_success_closes() -> None:
    breaker = make()
    fail(breaker, 0, 3)
    assert breaker.state(1000) is HALF_OPEN
    assert breaker.admit(1000)
    assert not breaker.admit(1000)
    breaker.succeeded()
    assert breaker.state(1000) is CLOSED
    assert breaker.admit(1000)
    assert breaker.admit(1000)


def test_rests_double_up_to_a_limit_and_start_short_again_after_success() -> None:
    breaker = make()
    fail(breaker, 0, 3)
    fail(breaker, 1000)
    assert breaker.retry_in_ms(1000) == 2000
    fail(breaker, 3000)
    assert breaker.retry_in_ms(3000) == 3000
    fail(breaker, 6000)
    assert breaker.retry_in_ms(6000) == 3000
    assert breaker.admit(9000)
    breaker.succeeded()
    fail(breaker, 9000, 3)
    assert breaker.retry_in_ms(9000) == 1000


def test_a_probe_that_is_withdrawn_lets_the_next_one_try() -> None:
    breaker = make()
    fail(breaker, 0, 3)
    assert breaker.admit(1000)
    breaker.withdrawn()
    assert breaker.state(1000) is HALF_OPEN
    assert breaker.admit(1000)


def test_retry_after_opens_at_once_within_the_limit() -> None:
    breaker = make()
    assert breaker.admit(0)
    breaker.failed(0, retry_after_ms=2500)
    assert breaker.retry_in_ms(0) == 2500
    patient = make()
    assert patient.admit(0)
    patient.failed(0, retry_after_ms=3_600_000)
    assert patient.retry_in_ms(0) == 3000


def test_a_short_retry_after_is_believed_until_it_proves_too_short() -> None:
    breaker = make()
    assert breaker.admit(0)
    breaker.failed(0, retry_after_ms=200)
    assert breaker.retry_in_ms(0) == 200
    assert breaker.admit(200)
    breaker.failed(200, retry_after_ms=200)
    assert breaker.retry_in_ms(200) == 2000


def test_late_failures_of_questions_asked_before_do_not_shorten_the_rest() -> None:
    breaker = make()
    for _ in range(5):
        assert breaker.admit(0)
    for _ in range(3):
        breaker.failed(100)
    breaker.failed(600)
    assert breaker.retry_in_ms(600) == 1000
    assert breaker.state(1500) is OPEN


@given(
    st.lists(st.tuples(st.integers(0, 5000), st.sampled_from(["ok", "fail", "leave", "busy"])), max_size=60)
)
@settings(deadline=None)
def test_it_never_admits_while_open_and_never_stays_shut(steps: list[tuple[int, str]]) -> None:
    breaker, now_ms = make(), 0.0
    for wait_ms, outcome in steps:
        now_ms += wait_ms
        state = breaker.state(now_ms)
        admitted = breaker.admit(now_ms)
        assert admitted is (state is not OPEN)
        if not admitted:
            assert 0 < breaker.retry_in_ms(now_ms) <= 3000
            continue
        if outcome == "ok":
            breaker.succeeded()
            assert breaker.state(now_ms) is CLOSED
        elif outcome == "leave":
            breaker.withdrawn()
        else:
            breaker.failed(now_ms, 700.0 if outcome == "busy" else None)
    assert breaker.admit(now_ms + 3000)
