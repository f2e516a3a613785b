from __future__ import annotations

import pytest

from arwarden.fast.claims import Lexicon
from arwarden.fast.claims.numbers import AmountKind, NumberReader, number, shown
from arwarden.fast.claims.tokens import clean, tokenise


@pytest.fixture(scope="module")
def numbers(lexicon: Lexicon) -> NumberReader:
    return NumberReader(lexicon)


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("500 cm", AmountKind.QUANTITY, "5 m"),
        ("5m", AmountKind.QUANTITY, "5 m"),
        ("1,5 km", AmountKind.QUANTITY, "1500 m"),
        ("212 °F", AmountKind.QUANTITY, "100 °C"),
        ("-18 °C", AmountKind.QUANTITY, "-18 °C"),
        ("2 h", AmountKind.QUANTITY, "7200 s"),
        ("1 h 20 min", AmountKind.QUANTITY, "4800 s"),
        ("1h 20m", AmountKind.QUANTITY, "4800 s"),
        ("1 h 20", AmountKind.QUANTITY, "4800 s"),
        ("1 h and", AmountKind.QUANTITY, "3600 s"),
        ("2 hours and 10 minutes", AmountKind.QUANTITY, "7800 s"),
        ("1 min 30 s", AmountKind.QUANTITY, "90 s"),
        ("30 km/h", AmountKind.QUANTITY, "30 km/h"),
        ("1.5 L", AmountKind.QUANTITY, "1500 ml"),
        ("45 %", AmountKind.QUANTITY, "45 %"),
        ("1200 rpm", AmountKind.QUANTITY, "1200 rpm"),
        ("2.4 GHz", AmountKind.QUANTITY, "2400000000 Hz"),
        ("10 amps", AmountKind.QUANTITY, "10000 mA"),
        ("$4.99", AmountKind.PRICE, "4.99 USD"),
        ("1.299,00 €", AmountKind.PRICE, "1299.00 EUR"),
        ("10 euros", AmountKind.PRICE, "10.00 EUR"),
        ("10:30", AmountKind.TIME, "10:30"),
        ("5 pm", AmountKind.TIME, "17:00"),
        ("12 a.m.", AmountKind.TIME, "00:00"),
        ("noon", AmountKind.TIME, "12:00"),
        ("9:00-17:30", AmountKind.HOURS, "09:00-17:30"),
        ("2-5 pm", AmountKind.HOURS, "14:00-17:00"),
        ("27 in", AmountKind.QUANTITY, "0.6858 m"),
        ("9:00-5:30", AmountKind.HOURS, "09:00-17:30"),
        ("10:00-02:00", AmountKind.HOURS, "10:00-02:00"),
        ("open 9 to 5", AmountKind.HOURS, "09:00-17:00"),
        ("Tue: 9-17", AmountKind.HOURS, "09:00-17:00"),
        ("opens at 9", AmountKind.TIME, "09:00"),
        ("closes at 6", AmountKind.TIME, "18:00"),
        ("24/7", AmountKind.HOURS, "00:00-24:00"),
        ("24 hours", AmountKind.HOURS, "00:00-24:00"),
        ("12 May 2025", AmountKind.DATE, "2025-05-12"),
        ("May 12, 2025", AmountKind.DATE, "2025-05-12"),
        ("1st of May", AmountKind.DATE, "*-05-01"),
        ("June 2026", AmountKind.DATE, "2026-06"),
        ("2025-05-01", AmountKind.DATE, "2025-05-01"),
        ("25.12.2025", AmountKind.DATE, "2025-12-25"),
        ("05/01/2025", AmountKind.DATE, "2025-01-05~"),
        ("01/2024", AmountKind.DATE, "2024-01"),
        ("Gate B12", AmountKind.LABEL, "B12"),
        ("Room no. 4", AmountKind.LABEL, "4"),
        ("Gate has changed to A4", AmountKind.LABEL, "A4"),
        ("Platform is now 7", AmountKind.LABEL, "7"),
        ("Gate A", AmountKind.LABEL, "A"),
        ("3rd floor", AmountKind.LABEL, "3"),
        ("second floor", AmountKind.LABEL, "2"),
        ("ground floor", AmountKind.LABEL, "0"),
        ("platform two", AmountKind.LABEL, "2"),
        ("7", AmountKind.COUNT, "7"),
        ("three", AmountKind.COUNT, "3"),
    ],
)
def test_one_amount(lexicon: Lexicon, numbers: NumberReader, text: str, kind: AmountKind, value: str) -> None:
    tokens = tokenise(clean(text), lexicon.repairer, lexicon.touching, lexicon.numbered)
    found = numbers.find(tokens)
    assert [(amount.kind, amount.value) for amount in found] == [(kind, value)]


@pytest.mark.parametrize(
    "text",
    [
        "9-17",
        "99:99",
        "floor",
        "gate a",
        "Gate A lounge",
        "Gate to 5 lounges",
        "€",
        "opens at 9 sites",
        "closes at 2",
    ],
)
def test_no_hours_times_or_labels_where_none_are(lexicon: Lexicon, numbers: NumberReader, text: str) -> None:
    tokens = tokenise(clean(text), lexicon.repairer, lexicon.touching, lexicon.numbered)
    assert all(amount.kind is AmountKind.COUNT for amount in numbers.find(tokens))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("5", 5.0),
        ("2,5", 2.5),
        ("1,000", 1000.0),
        ("1.234.567", 1234567.0),
        ("1.5", 1.5),
        ("1234567890123", None),
        ("1:2", None),
    ],
)
def test_number(text: str, value: float | None) -> None:
    assert number(text) == value


@pytest.mark.parametrize(
    ("value", "text"), [(5.0, "5"), (0.5, "0.5"), (1500000.0, "1500000"), (-17.5, "-17.5")]
)
def test_shown(value: float, text: str) -> None:
    assert shown(value) == text
