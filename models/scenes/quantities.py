"""Amounts that two elements can agree or disagree about: prices, floors, times, countries and more."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np
import yaml

COUNTRIES = Path(__file__).parent / "wording" / "countries.yaml"
_Rng = np.random.Generator


@dataclass(frozen=True, slots=True)
class Amount:
    """One value: its identity, the ways to write it, and further slots for templates."""

    key: str
    forms: tuple[str, ...]
    slots: Mapping[str, str] = field(default_factory=dict)
    flag: str = ""
    """ISO 3166 code of the flag that shows it, or empty."""


@dataclass(frozen=True, slots=True)
class _Countries:
    names: Mapping[str, tuple[str, str]]
    look_alike: tuple[frozenset[str], ...]


def amounts(quantity: str, count: int, rng: _Rng) -> tuple[Amount, ...]:
    """``count`` amounts of the quantity that nobody takes for the same, in the same unit and currency.

    Raises ``ValueError`` for a quantity that is not known.
    """
    if quantity not in _MAKERS:
        msg = f"no quantity {quantity!r}; known are {', '.join(sorted(_MAKERS))}"
        raise ValueError(msg)
    return _MAKERS[quantity](count, rng)


def _different(count: int, rng: _Rng, values: list[float], least_ratio: float = 1.0) -> list[float]:
    """Values from the list, any two of them apart by at least the ratio."""
    found: list[float] = []
    for index in rng.permutation(len(values)):
        value = values[int(index)]
        if all(max(value, other) / max(min(value, other), 1e-9) >= least_ratio for other in found):
            found.append(value)
        if len(found) == count:
            break
    return found


def _money(count: int, rng: _Rng) -> tuple[Amount, ...]:
    cents = [0.49, 0.5, 0.79, 0.95, 0.99, 0.0]
    values = [float(whole) + cents[int(rng.integers(len(cents)))] for whole in range(1, 60)]
    symbol = ("${}", "€{}", "{} €", "£{}", "{} EUR", "{} USD")[int(rng.integers(6))]

    def forms(value: float) -> tuple[str, ...]:
        short = f"{value:.0f}" if value.is_integer() else f"{value:.2f}"
        return (symbol.format(f"{value:.2f}"), symbol.format(short))

    return tuple(Amount(f"{value:.2f}", forms(value)) for value in _different(count, rng, values, 1.15))


def _whole(
    values: list[int], *templates: str, least_ratio: float = 1.0
) -> Callable[[int, _Rng], tuple[Amount, ...]]:
    def make(count: int, rng: _Rng) -> tuple[Amount, ...]:
        picked = _different(count, rng, [float(value) for value in values], least_ratio)
        return tuple(
            Amount(str(int(value)), tuple(template.format(int(value)) for template in templates))
            for value in picked
        )

    return make


def _decimal(low: float, high: float, *templates: str) -> Callable[[int, _Rng], tuple[Amount, ...]]:
    def make(count: int, rng: _Rng) -> tuple[Amount, ...]:
        values = [round(float(value), 1) for value in np.linspace(low, high, 40)]
        return tuple(
            Amount(f"{value:.1f}", tuple(template.format(f"{value:.1f}") for template in templates))
            for value in _different(count, rng, values, 1.15)
        )

    return make


def _words(*values: str) -> Callable[[int, _Rng], tuple[Amount, ...]]:
    def make(count: int, rng: _Rng) -> tuple[Amount, ...]:
        picked = rng.permutation(len(values))[:count]
        return tuple(Amount(values[int(index)], (values[int(index)],)) for index in picked)

    return make


def _ordinal(number: int) -> str:
    tail = "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{tail}"


def _floor(count: int, rng: _Rng) -> tuple[Amount, ...]:
    numbers = [int(number) for number in rng.permutation(np.arange(1, 13))[:count]]
    return tuple(Amount(str(number), (str(number),), {"vth": _ordinal(number)}) for number in numbers)


def _room(count: int, rng: _Rng) -> tuple[Amount, ...]:
    style = ("{}", "{}", "A{}", "C-{}")[int(rng.integers(4))]
    numbers = rng.permutation(np.arange(101, 460))[:count]
    return tuple(Amount(style.format(number), (style.format(number),)) for number in numbers)


def _gate(count: int, rng: _Rng) -> tuple[Amount, ...]:
    names = [f"{letter}{number}" for letter in "ABCD" for number in range(1, 30)]
    return tuple(
        Amount(names[int(index)], (names[int(index)],)) for index in rng.permutation(len(names))[:count]
    )


def _clock(count: int, rng: _Rng) -> tuple[Amount, ...]:
    halves = rng.permutation(np.arange(13, 44))[:count]
    return tuple(_time_of_day(int(half) // 2, 30 * (int(half) % 2)) for half in halves)


def _time_of_day(hour: int, minute: int) -> Amount:
    shown = (hour - 1) % 12 + 1
    suffix = "am" if hour < 12 else "pm"
    twelve = f"{shown} {suffix}" if minute == 0 else f"{shown}:{minute:02} {suffix}"
    return Amount(f"{hour:02}:{minute:02}", (f"{hour}:{minute:02}", twelve))


def _date(count: int, rng: _Rng) -> tuple[Amount, ...]:
    months = ("January", "February", "March", "April", "May", "June", "July", "August")
    days = rng.permutation(np.arange(13, 29))[:count]
    year = 2026 + int(rng.integers(3))
    found = []
    for day in days:
        month = int(rng.integers(len(months)))
        forms = (
            f"{day} {months[month]} {year}",
            f"{months[month]} {day}, {year}",
            f"{day:02}.{month + 1:02}.{year}",
        )
        found.append(Amount(f"{year}-{month + 1:02}-{day:02}", forms))
    return tuple(found)


def _country(count: int, rng: _Rng) -> tuple[Amount, ...]:
    known = _countries()
    found: list[str] = []
    for index in rng.permutation(len(known.names)):
        code = sorted(known.names)[int(index)]
        if not any(code in group and other in group for group in known.look_alike for other in found):
            found.append(code)
        if len(found) == count:
            break
    return tuple(
        Amount(code, (known.names[code][0],), {"adj": known.names[code][1]}, flag=code) for code in found
    )


@cache
def _countries(path: Path = COUNTRIES) -> _Countries:
    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    return _Countries(
        {code: (names[0], names[1]) for code, names in content["countries"].items()},
        tuple(frozenset(group) for group in content["look_alike"]),
    )


_MAKERS: Final[Mapping[str, Callable[[int, _Rng], tuple[Amount, ...]]]] = {
    "money": _money,
    "percent": _whole([*range(5, 100, 5)], "{} %", "{}%", least_ratio=1.3),
    "metres": _whole(
        [10, 15, 20, 30, 40, 50, 60, 80, 100, 120, 150, 200, 250], "{} m", "{} meters", least_ratio=1.4
    ),
    "kilometres": _decimal(0.4, 9.5, "{} km"),
    "minutes": _whole(
        [2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40], "{} min", "{} minutes", least_ratio=1.4
    ),
    "floor": _floor,
    "room": _room,
    "gate": _gate,
    "clock": _clock,
    "country": _country,
    "date": _date,
    "weekday": _words("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
    "kilograms": _whole([50, 80, 100, 150, 200, 250, 400, 500, 750, 1000], "{} kg", least_ratio=1.3),
    "grams": _whole([100, 125, 200, 250, 300, 400, 500, 750], "{} g", least_ratio=1.2),
    "celsius": _whole([*range(4, 40, 3)], "{} °C", "{}°C", "{} degrees", least_ratio=1.2),
    "bar": _decimal(1.0, 9.8, "{} bar"),
    "height": _decimal(2.0, 4.8, "{} m"),
    "kmh": _whole([20, 30, 40, 50, 60, 70, 80, 100, 120], "{} km/h", least_ratio=1.15),
    "line": _whole([*range(2, 60)], "{}"),
    "count": _whole([2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 24], "{}"),
    "letter": _words("A", "B", "C", "D", "E", "F"),
    "size": _words("S", "M", "L", "XL", "XXL"),
    "street": _words(
        "Main Street",
        "Oak Avenue",
        "Station Road",
        "Church Street",
        "Market Street",
        "Park Lane",
        "High Street",
        "Mill Road",
        "River Street",
        "Garden Street",
        "Bridge Street",
        "School Lane",
    ),
    "colour": _words("red", "blue", "green", "yellow", "black", "white", "orange", "purple", "brown", "pink"),
    "material": _words(
        "leather", "cotton", "wool", "wood", "plastic", "glass", "steel", "silk", "bamboo", "ceramic", "linen"
    ),
    "kcal": _whole([90, 120, 150, 180, 220, 250, 320, 400, 480, 550], "{} kcal", least_ratio=1.2),
    "stars": _decimal(1.5, 4.9, "{} stars", "{} out of 5"),
    "years": _whole([1, 2, 3, 4, 5, 10], "{}-year"),
}
