from __future__ import annotations

import pytest

from arwarden.config import Price
from arwarden.escalate.answers import Spent
from arwarden.escalate.prices import PriceTable, together

TABLE = PriceTable(
    {
        "gpt-4o": Price(input_per_million=2.5, output_per_million=10),
        "gpt-4o-mini": Price(input_per_million=0.15, output_per_million=0.6),
    }
)


@pytest.mark.parametrize(
    ("model", "cost"),
    [
        ("gpt-4o", 2.5 + 5),
        ("gpt-4o-2024-08-06", 2.5 + 5),
        ("gpt-4o-mini", 0.15 + 0.3),
        ("gpt-4o-mini-2024-07-18", 0.15 + 0.3),
        ("gpt-4o-audio", None),
        ("gpt-4", None),
        ("", None),
    ],
)
def test_cost_of_a_million_in_and_half_a_million_out(model: str, cost: float | None) -> None:
    assert TABLE.cost(model, 1_000_000, 500_000) == (pytest.approx(cost) if cost is not None else None)


def test_what_was_spent_adds_up_and_unknown_costs_stay_unknown() -> None:
    spent = TABLE.spent("gpt-4o", 1000, 100)
    assert (spent.tokens_in, spent.tokens_out) == (1000, 100)
    assert spent.cost == pytest.approx(0.0035)
    assert together(Spent(1, 2, 0.5), Spent(10, 20, None)) == Spent(11, 22, 0.5)
    assert together(Spent(1, 2), Spent(10, 20)) == Spent(11, 22, None)
