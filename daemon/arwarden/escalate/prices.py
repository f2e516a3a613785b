"""What tokens cost, and what was spent and saved so far."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from arwarden.config import Price
from arwarden.escalate.answers import Spent


@dataclass(frozen=True, slots=True)
class PriceTable:
    """Prices by model name. A name also covers its dated versions: ``gpt-4o`` has ``gpt-4o-2024-08-06``."""

    prices: Mapping[str, Price]

    def cost(self, model: str, tokens_in: int, tokens_out: int) -> float | None:
        """The cost of a request in the table's currency; None where the table has no price for the model."""
        price = self._price(model)
        if price is None:
            return None
        return (tokens_in * price.input_per_million + tokens_out * price.output_per_million) / 1_000_000

    def spent(self, model: str, tokens_in: int, tokens_out: int) -> Spent:
        """Tokens together with their cost."""
        return Spent(tokens_in, tokens_out, self.cost(model, tokens_in, tokens_out))

    def _price(self, model: str) -> Price | None:
        if model in self.prices:
            return self.prices[model]
        dated = [
            name
            for name in self.prices
            if model.startswith(f"{name}-") and model[len(name) + 1 :][:1].isdigit()
        ]
        return self.prices[max(dated, key=len)] if dated else None


def together(first: Spent, second: Spent) -> Spent:
    """Both; the cost is known where either's is."""
    costs = [spent.cost for spent in (first, second) if spent.cost is not None]
    return Spent(
        first.tokens_in + second.tokens_in,
        first.tokens_out + second.tokens_out,
        sum(costs) if costs else None,
    )
