"""Calls a minute, tokens and money an hour: never more than configured, in virtual time."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arwarden.config import BudgetConfig, Price
from arwarden.escalate.answers import Spent
from arwarden.escalate.budget import HOUR_MS, MINUTE_MS, Budget, Estimate, Limit, Reservation, estimate
from arwarden.escalate.prices import PriceTable
from arwarden.escalate.questions import Fact

MOST = Estimate(1000, 200, 0.01)


def taken(budget: Budget, now_ms: float, most: Estimate = MOST) -> Reservation:
    reservation = budget.reserve(most, now_ms)
    assert isinstance(reservation, Reservation)
    return reservation


def test_calls_a_minute() -> None:
    budget = Budget(BudgetConfig(calls_per_minute=2))
    taken(budget, 0.0)
    taken(budget, 1000.0)
    assert budget.reserve(MOST, MINUTE_MS - 1) is Limit.CALLS
    taken(budget, MINUTE_MS)
    assert budget.reserve(MOST, MINUTE_MS + 1) is Limit.CALLS
    assert budget.ledger.refused == {"calls_per_minute": 2}


def test_tokens_an_hour_count_as_spent_once_the_answer_is_there() -> None:
    budget = Budget(BudgetConfig(calls_per_minute=1000, tokens_per_hour=3000))
    first, second = taken(budget, 0.0), taken(budget, 1.0)
    assert budget.reserve(MOST, 2.0) is Limit.TOKENS
    budget.settle(first, Spent(300, 100))
    taken(budget, 3.0)
    budget.settle(second, None)
    assert budget.reserve(MOST, 4.0) is Limit.TOKENS
    taken(budget, HOUR_MS + 1.0)


def test_money_an_hour() -> None:
    budget = Budget(BudgetConfig(calls_per_minute=1000, cost_per_hour=0.025))
    first = taken(budget, 0.0)
    taken(budget, 1.0)
    assert budget.reserve(MOST, 2.0) is Limit.COST
    budget.settle(first, Spent(100, 10, 0.001))
    taken(budget, 3.0)
    assert budget.reserve(MOST, 4.0) is Limit.COST
    assert budget.ledger.cost == pytest.approx(0.001)


def test_question_that_was_never_asked_costs_nothing() -> None:
    budget = Budget(BudgetConfig(calls_per_minute=1))
    reservation = taken(budget, 0.0)
    budget.give_back(reservation)
    budget.give_back(reservation)
    budget.settle(reservation, None)
    taken(budget, 1.0)
    assert (budget.ledger.calls, budget.ledger.cost) == (1, 0.0)


def test_ledger_tells_what_was_spent_and_saved() -> None:
    budget = Budget(BudgetConfig())
    budget.settle(taken(budget, 0.0), Spent(900, 50, 0.004))
    unknown = taken(budget, 1.0)
    budget.settle(unknown, None)
    budget.settle(unknown, Spent(1, 1, 1.0))
    budget.saved(MOST)
    ledger = budget.ledger
    assert (ledger.calls, ledger.tokens_in, ledger.tokens_out) == (2, 900, 50)
    assert ledger.cost == pytest.approx(0.004 + 0.01), "what nobody tells counts in full"
    assert (ledger.saved_calls, ledger.saved_tokens, ledger.saved_cost) == (1, 1200, 0.01)


def test_estimate_covers_all_who_may_be_asked_and_grows_with_what_is_sent() -> None:
    prices = PriceTable(
        {
            "cheap": Price(input_per_million=1, output_per_million=1),
            "dear": Price(input_per_million=10, output_per_million=40),
        }
    )
    small = estimate([(512, 288)], (), 100, ["cheap"], prices)
    large = estimate([(1024, 576)] * 3, [Fact("read", "x" * 90)], 100, ["cheap", "dear", "other"], prices)
    assert large.tokens_in > small.tokens_in + 2000
    assert large.tokens_out == 300
    assert large.cost == pytest.approx((large.tokens_in / 3 * 11 + 100 * 41) / 1e6)
    assert estimate([(512, 288)], (), 100, ["other"], prices).cost == 0.0


@settings(max_examples=50)
@given(
    st.lists(
        st.tuples(st.floats(0, 200_000), st.integers(1, 900), st.floats(0, 0.02), st.booleans()), max_size=60
    )
)
def test_no_limit_is_ever_passed(steps: list[tuple[float, int, float, bool]]) -> None:
    config = BudgetConfig(calls_per_minute=5, tokens_per_hour=5000, cost_per_hour=0.05)
    budget = Budget(config)
    now_ms, let_through = 0.0, list[tuple[float, int, float]]()
    for wait_ms, tokens, cost, answered in steps:
        now_ms += wait_ms
        reservation = budget.reserve(Estimate(tokens, 0, cost), now_ms)
        if isinstance(reservation, Reservation):
            budget.settle(reservation, Spent(tokens, 0, cost) if answered else None)
            let_through.append((now_ms, tokens, cost))
        last_minute = [one for one in let_through if now_ms - one[0] < MINUTE_MS]
        last_hour = [one for one in let_through if now_ms - one[0] < HOUR_MS]
        assert len(last_minute) <= 5
        assert sum(tokens for _, tokens, _ in last_hour) <= 5000
        assert sum(cost for _, _, cost in last_hour) <= 0.05 + 1e-9
