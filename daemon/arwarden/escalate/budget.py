"""What may be asked: calls per minute, tokens and money per hour, over all sessions. Pure.

A question is paid for before it is asked, with the most that it can cost, and the difference comes back with
the answer. So the limits hold however many questions are under way, and one that was given up, whose cost
nobody tells, counts in full.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from arwarden.config import BudgetConfig
from arwarden.escalate.answers import Spent
from arwarden.escalate.prices import PriceTable
from arwarden.escalate.questions import Fact

MINUTE_MS: Final = 60_000.0
HOUR_MS: Final = 3_600_000.0
PIXELS_PER_TOKEN: Final = 700.0
"""Qwen2.5-VL makes a token of 784 pixels, the 4o models one of about 1500."""
PICTURE_TOKENS: Final = 90
"""What a picture costs however small it is."""
LETTERS_PER_TOKEN: Final = 3.0
PROMPT_TOKENS: Final = 900
"""The prompt, its schema and what they are wrapped in."""
FACT_TOKENS: Final = 12


class Limit(StrEnum):
    """What stands in the way of another question."""

    CALLS = "calls_per_minute"
    TOKENS = "tokens_per_hour"
    COST = "cost_per_hour"


@dataclass(frozen=True, slots=True)
class Estimate:
    """The most that a question can cost."""

    tokens_in: int
    tokens_out: int
    cost: float = 0.0

    @property
    def tokens(self) -> int:
        """Sent and answered."""
        return self.tokens_in + self.tokens_out


@dataclass(slots=True)
class Reservation:
    """A question that was let through. Its amounts become what it really cost."""

    at_ms: float
    tokens: int
    cost: float
    settled: bool = False


@dataclass(frozen=True, slots=True)
class Ledger:
    """What was spent and what was saved since the start."""

    calls: int
    tokens_in: int
    tokens_out: int
    cost: float
    saved_calls: int
    saved_tokens: int
    saved_cost: float
    refused: Mapping[str, int]


def estimate(
    sizes_px: Sequence[tuple[int, int]],
    facts: Sequence[Fact],
    max_output_tokens: int,
    models: Sequence[str],
    prices: PriceTable,
) -> Estimate:
    """The most that a question costs where every one of the models is asked, one after the other.

    ``sizes_px`` are ``(width, height)`` of the pictures as sent.
    """
    seen = sum(PICTURE_TOKENS + width * height / PIXELS_PER_TOKEN for width, height in sizes_px)
    told = sum(FACT_TOKENS + len(fact.text) / LETTERS_PER_TOKEN for fact in facts)
    tokens_in = round(PROMPT_TOKENS + seen + told)
    costs = [prices.cost(model, tokens_in, max_output_tokens) for model in models]
    asked = max(1, len(models))
    return Estimate(
        asked * tokens_in, asked * max_output_tokens, sum(cost for cost in costs if cost is not None)
    )


class Budget:
    """Lets questions through while they fit into the limits of the last minute and the last hour."""

    def __init__(self, config: BudgetConfig) -> None:
        self._config = config
        self._taken: deque[Reservation] = deque()
        self._calls = self._tokens_in = self._tokens_out = 0
        self._cost = 0.0
        self._saved_calls = self._saved_tokens = 0
        self._saved_cost = 0.0
        self._refused: dict[str, int] = {}

    def reserve(self, most: Estimate, now_ms: float) -> Reservation | Limit:
        """Let a question through, or say which limit it would break."""
        limit = self.limit(most, now_ms)
        if limit is not None:
            self._refused[limit.value] = self._refused.get(limit.value, 0) + 1
            return limit
        reservation = Reservation(now_ms, most.tokens, most.cost)
        self._taken.append(reservation)
        self._calls += 1
        return reservation

    def limit(self, most: Estimate, now_ms: float) -> Limit | None:
        """The limit that a question would break now; None where it may be asked."""
        while self._taken and now_ms - self._taken[0].at_ms >= HOUR_MS:
            self._taken.popleft()
        minute = sum(now_ms - taken.at_ms < MINUTE_MS for taken in self._taken)
        if minute >= self._config.calls_per_minute:
            return Limit.CALLS
        if sum(taken.tokens for taken in self._taken) + most.tokens > self._config.tokens_per_hour:
            return Limit.TOKENS
        most_cost = self._config.cost_per_hour
        if most_cost is not None and sum(taken.cost for taken in self._taken) + most.cost > most_cost:
            return Limit.COST
        return None

    def settle(self, reservation: Reservation, spent: Spent | None) -> None:
        """The question is over. ``spent`` is what it cost; where it is absent or 0 the most counts."""
        if reservation.settled:
            return
        reservation.settled = True
        if spent is None:
            self._cost += reservation.cost
            return
        tokens = spent.tokens_in + spent.tokens_out
        if tokens > 0:
            reservation.tokens = tokens
            self._tokens_in += spent.tokens_in
            self._tokens_out += spent.tokens_out
        if spent.cost is not None:
            reservation.cost = spent.cost
        self._cost += reservation.cost

    def give_back(self, reservation: Reservation) -> None:
        """The question was never asked: it costs nothing and does not count."""
        if not reservation.settled:
            reservation.settled = True
            self._taken.remove(reservation)
            self._calls -= 1

    def saved(self, most: Estimate) -> None:
        """A question was not asked, because the answer was known or asking was not worth it."""
        self._saved_calls += 1
        self._saved_tokens += most.tokens
        self._saved_cost += most.cost

    @property
    def ledger(self) -> Ledger:
        """What was spent and saved since the start."""
        return Ledger(
            self._calls,
            self._tokens_in,
            self._tokens_out,
            self._cost,
            self._saved_calls,
            self._saved_tokens,
            self._saved_cost,
            dict(self._refused),
        )
