"""Amounts in words: the same amount in several forms, and others that differ from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

Rng = np.random.Generator


@dataclass(frozen=True, slots=True)
class Amount:
    """An amount and the ways to write it."""

    size: float
    forms: tuple[str, ...]


def amounts(of: str, rng: Rng) -> tuple[Amount, Amount]:
    """Two amounts that a reader tells apart: at least 12 % and one step from each other."""
    make = MAKERS[of]
    first = make(rng)
    for _ in range(50):
        second = make(rng)
        apart = abs(first.size - second.size) > 0.12 * max(abs(first.size), abs(second.size))
        alike = of != "money" or first.forms[0].split()[-1] == second.forms[0].split()[-1]
        if alike and not set(first.forms) & set(second.forms) and (apart or of in _EXACT):
            return first, second
    msg = f"no two different amounts of {of}"
    raise ValueError(msg)


_EXACT = frozenset(
    {"clock", "hours", "date", "years", "floor", "label", "letter", "small", "score", "count", "age", "money"}
)
"""Differ as soon as they are written differently."""


def _plain(size: float) -> str:
    return f"{size:.2f}".rstrip("0").rstrip(".")


def _scaled(low: float, high: float, units: Mapping[float, tuple[str, ...]]) -> Callable[[Rng], Amount]:
    """Round sizes between the two, evenly over their logarithm, in units of so many base units."""

    def make(rng: Rng) -> Amount:
        raw = float(np.exp(rng.uniform(np.log(low), np.log(high))))
        digits = 10.0 ** np.floor(np.log10(raw))
        size = round(round(raw / digits * 2) / 2 * digits, 3)
        forms = [
            f"{_plain(size / base)}{gap}{unit}"
            for base, names in units.items()
            if 0.5 <= size / base < 5000 and abs(round(size / base, 2) * base - size) < 1e-6 * size
            for unit in names
            for gap in ((" ", "") if len(unit) <= 3 else (" ",))
        ]
        return Amount(size, tuple(forms)) if forms else make(rng)

    return make


def _whole(low: int, high: int, *forms: str) -> Callable[[Rng], Amount]:
    def make(rng: Rng) -> Amount:
        n = int(rng.integers(low, high + 1))
        return Amount(n, tuple(form.format(n=n) for form in forms))

    return make


def _money(rng: Rng) -> Amount:
    cents = int(rng.integers(1, 40)) * 50 if rng.random() < 0.5 else int(rng.integers(1, 400)) * 100 - 1
    whole, rest = divmod(cents, 100)
    size = cents / 100
    sign = (("€", "EUR", "euros"), ("$", "USD", "dollars"), ("£", "GBP", "pounds"))[int(rng.integers(3))]
    numbers = [f"{whole}.{rest:02}", *([str(whole)] if not rest else []), f"{whole}.{rest:02}"]
    forms = [f"{number} {unit}" for number in numbers for unit in sign] + [f"{sign[0]}{n}" for n in numbers]
    if sign[0] == "€":
        forms.append(f"{whole},{rest:02} €")
    return Amount(size, tuple(forms))


def _time(minutes: int) -> tuple[str, ...]:
    hour, minute = divmod(minutes, 60)
    half = "am" if hour < 12 else "pm"
    short = (hour + 11) % 12 + 1
    forms = [f"{hour}:{minute:02}", f"{hour:02}:{minute:02}", f"{short}:{minute:02} {half}"]
    if not minute:
        forms += [f"{short} {half}", f"{short}{half}"]
    return tuple(forms)


def _clock(rng: Rng) -> Amount:
    minutes = int(rng.integers(6 * 12, 23 * 12 + 1)) * 5
    if rng.random() < 0.5:
        minutes = minutes // 30 * 30
    return Amount(minutes, _time(minutes))


def _hours(rng: Rng) -> Amount:
    opening, closing = int(rng.integers(6, 13)), int(rng.integers(14, 24))
    begins, ends = _time(opening * 60), _time(closing * 60)
    forms = [f"{a}-{b}" for a, b in zip(begins, ends, strict=True)]
    forms += [f"from {a} to {b}" for a, b in zip(begins, ends, strict=True)] + [f"{opening}-{closing}"]
    return Amount(opening * 100 + closing, tuple(forms))


_MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]


def _date(rng: Rng) -> Amount:
    day, month, year = int(rng.integers(1, 29)), int(rng.integers(12)), int(rng.integers(2024, 2029))
    name = _MONTHS[month]
    if rng.random() < 0.5:
        forms = [f"{day} {name}", f"{name} {day}", f"{day} {name[:3]}"]
    else:
        forms = [f"{day} {name} {year}", f"{name} {day}, {year}", f"{year}-{month + 1:02}-{day:02}"]
        forms += [f"{day}.{month + 1}.{year}", f"{day} {name[:3]} {year}"]
    return Amount(year * 400 + month * 31 + day, tuple(forms))


_ORDINALS = ("ground", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")


def _floor(rng: Rng) -> Amount:
    n = int(rng.integers(0, 13))
    if n == 0:
        return Amount(0, ("the ground floor", "ground floor", "floor 0", "level 0"))
    ending = {1: "st", 2: "nd", 3: "rd"}.get(n, "th")
    forms = [f"floor {n}", f"level {n}", f"the {n}{ending} floor", f"{n}{ending} floor"]
    if n < len(_ORDINALS):
        forms += [f"the {_ORDINALS[n]} floor", f"{_ORDINALS[n]} floor"]
    return Amount(n, tuple(forms))


def _label(rng: Rng) -> Amount:
    n = int(rng.integers(1, 40)) if rng.random() < 0.5 else int(rng.integers(100, 500))
    letter = "ABCDEFGH"[int(rng.integers(8))] if rng.random() < 0.5 else ""
    return Amount(n * 10 + ord(letter or "Z"), (f"{letter}{n}",))


def _letter(rng: Rng) -> Amount:
    n = int(rng.integers(20))
    return Amount(n, ("ABCDEFGHKLMNPQRSTUVW"[n],) if n < 15 or rng.random() < 0.5 else (str(n - 10),))


def _count(rng: Rng) -> Amount:
    n = int(rng.integers(2, 13)) if rng.random() < 0.5 else int(rng.integers(13, 150))
    words = ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
    return Amount(n, (str(n), str(n), words[n - 2]) if n < 13 else (str(n),))


def _score(rng: Rng) -> Amount:
    home, guests = int(rng.integers(0, 7)), int(rng.integers(0, 7))
    return Amount(home * 10 + guests, (f"{home}:{guests}", f"{home}-{guests}", f"{home} to {guests}"))


def _celsius(rng: Rng) -> Amount:
    n = int(rng.integers(-20, 45)) if rng.random() < 0.7 else int(rng.integers(5, 25)) * 10
    return Amount(n + 273.0, (f"{n} °C", f"{n}°C", f"{n} degrees", f"{n}°", f"{round(n * 1.8 + 32)} °F"))


MAKERS: Mapping[str, Callable[[Rng], Amount]] = {
    "money": _money,
    "percent_off": _whole(1, 9, "{n}5 %", "{n}5%", "{n}5 percent"),
    "percent": _whole(1, 100, "{n} %", "{n}%", "{n} percent"),
    "battery": _whole(1, 100, "{n} %", "{n}%", "{n} percent"),
    "clock": _clock,
    "hours": _hours,
    "minutes": _scaled(1, 300, {1: ("min", "minutes", "mins"), 60: ("h", "hours")}),
    "metres": _scaled(10, 20000, {1: ("m", "metres", "meters"), 1000: ("km", "kilometres", "kilometers")}),
    "lengths": _scaled(50, 1000, {1: ("cm", "centimetres"), 100: ("m", "metres", "meters")}),
    "grams": _scaled(10, 5000, {1: ("g", "grams"), 1000: ("kg", "kilograms")}),
    "kilos": _scaled(20, 8000, {1: ("kg", "kilograms"), 1000: ("t", "tonnes")}),
    "litres": _scaled(100, 20000, {1: ("ml",), 1000: ("l", "litres", "liters")}),
    "celsius": _celsius,
    "kmh": _whole(1, 13, "{n}0 km/h", "{n}0km/h", "{n}0 kph", "{n}0 kilometres per hour"),
    "bar": _whole(1, 90, "{n} bar", "{n}bar"),
    "volts": _scaled(1, 1000, {1: ("V", "volts")}),
    "watts": _scaled(1, 5000, {1: ("W", "watts"), 1000: ("kW", "kilowatts")}),
    "kcal": _whole(2, 80, "{n}0 kcal", "{n}0 calories", "{n}0kcal"),
    "count": _count,
    "floor": _floor,
    "label": _label,
    "small": _whole(1, 30, "{n}"),
    "letter": _letter,
    "date": _date,
    "years": _whole(1200, 2020, "{n}"),
    "age": _whole(3, 21, "{n}", "{n} years"),
    "score": _score,
    "altitude": _scaled(100, 8000, {1: ("m", "metres"), 1000: ("km",)}),
}
