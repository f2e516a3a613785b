"""Numbers in a text: quantities with units, prices, times, dates, and numbered places ("gate 4")."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto

from arwarden.fast.claims.lexicon import Lexicon, cut
from arwarden.fast.claims.tokens import Token


class AmountKind(Enum):
    """What kind of number it is."""

    QUANTITY = auto()
    PRICE = auto()
    TIME = auto()
    HOURS = auto()
    DATE = auto()
    LABEL = auto()
    COUNT = auto()


@dataclass(frozen=True, slots=True)
class Amount:
    """A number found at tokens ``start`` to ``end`` (excluded), as a canonical value.

    ``unit`` is a dimension ("length"), a currency ("EUR") or the label's noun ("gate").
    """

    start: int
    end: int
    kind: AmountKind
    value: str
    unit: str = ""


_TIME = re.compile(r"([01]?\d|2[0-4])[:.]([0-5]\d)")
_ISO_DATE = re.compile(r"((?:19|20)\d\d)[.-](1[0-2]|0?[1-9])[.-]([12]\d|3[01]|0?[1-9])")
_DASHES = frozenset({"-", "\u2013", "\u2014", "to", "until", "till"})
_LABEL_VALUE = re.compile(r"A|\d{1,4}[a-z]?|x{1,3}[ls]|[a-z]\d{0,3}|[a-z]{1,3}\d{1,4}")
_THOUSANDS = re.compile(r"\d{1,3}(?:[.,]\d{3})+")
_MAX_DIGITS = 12
ANGLE = "°"
"""The unit of degrees by which something is turned."""
_TURNING = frozenset({"turn", "rotate", "tilt", "swivel", "pivot", "spin", "twist", "tilted", "rotated"})
_HOUR = 3600
_MINUTES = 60
_AFTER_A_DURATION = frozenset({"left", "remaining", "to", "more"})
_OF_A_CLOCK = frozenset({"am", "pm", "a", "p", "h", "noon", "midnight", "o'clock"})
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "weekday", "daily")
_LABEL_GAP = frozenset({":", "no", "nr", ".", "number", "#", "is", "now"})
_MOVED = frozenset({"change", "changed", "moved", "switched"})
_MAX_LABEL_GAP = 3
"""Words at most between what is numbered and its number."""
_HOUR_FOLLOWS = frozenset({"at", "until", "till", "from"})
_HOUR_ENDS = frozenset({"on", "daily", "every", "today", "tonight", "tomorrow", "sharp", "and"})
_EARLIEST = 5
"""Places hardly open or close at an hour before it; "closes at 2" may be either half of the day."""
_PARTS_OF_AN_HOUR = {"half": 30, "quarter": 15}


def number(text: str) -> float | None:
    """The value of digits with separators; a lone comma is a decimal comma unless three digits follow."""
    if len(text) > _MAX_DIGITS or ":" in text:
        return None
    if _THOUSANDS.fullmatch(text) and not text.startswith("0"):
        return (
            float(re.sub(r"[.,]", "", text))
            if text.count(".") + text.count(",") > 1 or "," in text
            else float(text)
        )
    plain = text.replace(",", ".")
    if plain.count(".") > 1:
        whole, _, part = plain.rpartition(".")
        plain = whole.replace(".", "") + "." + part
    try:
        return float(plain)
    except ValueError:
        return None


def shown(value: float) -> str:
    """A number as it is put into claims: at most six significant digits, no trailing zeros."""
    text = f"{value:.6g}"
    return f"{value:.0f}" if "e" in text and abs(value) < 1e15 else text


def _is_letter_a(tokens: Sequence[Token], at: int) -> bool:
    """Whether a capital "A" ends a name ("Hall A") and is no article."""
    ends = at + 1 == len(tokens) or not (tokens[at + 1].is_word or tokens[at + 1].is_number)
    return tokens[at].text == "a" and tokens[at].upper and ends and at > 0


class NumberReader:
    """Finds the amounts in a run of tokens."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._units = lexicon.unit_words
        self._longest_unit = max((len(phrase) for phrase in self._units), default=0)
        self._small = frozenset(lexicon.data.grammar.function_words)
        self._opening, self._closing = (
            frozenset(
                words
                for phrase in lexicon.data.time_names.get(name, ())
                for words in (cut(phrase), (*cut(phrase), "at"))
                if words[-1] in _HOUR_FOLLOWS
            )
            for name in ("opening time", "closing time")
        )
        self._days = frozenset(
            word for day in _DAYS for phrase in lexicon.data.qualifiers.get(day, ()) for word in cut(phrase)
        )
        self._labels = {word: name for name, words in lexicon.data.labels.items() for word in words}

    def find(self, tokens: Sequence[Token]) -> list[Amount]:
        """Amounts in order, never overlapping."""
        words = ["A" if _is_letter_a(tokens, at) else token.text for at, token in enumerate(tokens)]
        found: list[Amount] = []
        at = 0
        while at < len(words):
            amount = self._at(words, at, len(found))
            if amount is None:
                at += 1
                continue
            found.append(amount)
            at = amount.end
        return found

    def _at(self, words: list[str], at: int, _count: int) -> Amount | None:
        return (
            self._label(words, at)
            or self._price_sign_first(words, at)
            or self._date(words, at)
            or self._hours(words, at)
            or self._time_amount(words, at)
            or self._quantity(words, at)
            or self._count(words, at)
        )

    def _label(self, words: list[str], at: int) -> Amount | None:
        """A numbered place or degree: "gate B12", "room no. 4", "3rd floor", "risk level 2"."""
        two = self._labels.get(" ".join(words[at : at + 2]))
        name = two or self._labels.get(words[at])
        if name is not None and (two or words[at] not in self._small or self._is_named(words, at)):
            first = at + (2 if two else 1)
            after = self._label_value(words, first)
            coded = words[after : after + 3]
            if len(coded) == 3 and len(coded[0]) == 1 and coded[1] == "-" and coded[2].isdigit():
                return Amount(at, after + 3, AmountKind.LABEL, f"{coded[0]}-{coded[2]}".upper(), name)
            if after < len(words) and _LABEL_VALUE.fullmatch(words[after]) and self._is_label(words, after):
                return Amount(at, after + 1, AmountKind.LABEL, words[after].upper(), name)
            value = self._lexicon.data.number_words.get(words[after]) if after < len(words) else None
            if value is not None and after == first:
                return Amount(at, after + 1, AmountKind.LABEL, str(value), name)
            return None
        return self._ordinal(words, at)

    def _label_value(self, words: list[str], at: int) -> int:
        """Where the number of a numbered place stands: "gate no. 4", "gate is now 4", "gate changed to 4"."""
        last = min(at + _MAX_LABEL_GAP, len(words))
        while at < last and (
            words[at] in _LABEL_GAP
            or (words[at] == "to" and words[at - 1] in _MOVED)
            or (words[at] in _MOVED and words[at + 1 : at + 2] in (["to"], [":"]))
            or (words[at] == "has" and words[at + 1 : at + 2] and words[at + 1] in _MOVED)
        ):
            at += 1
        return at

    def _is_label(self, words: list[str], at: int) -> bool:
        """Digits that a unit follows are a quantity; a lone letter must not be the article."""
        if words[at] in {"a", "i", "s", "t"} and words[at - 1] != "size":
            return False
        return not (words[at].isdigit() and self._unit(words, at + 1)[0])

    def _is_named(self, words: list[str], at: int) -> bool:
        """Whether a small word is a thing's name here: "till 3 closed", not "till 3 pm" or "open till 3"."""
        behind = words[at + 2 : at + 3]
        months = self._lexicon.data.months
        timed = behind and (behind[0] in {"am", "pm", ".", "/", "-", ":"} or behind[0] in months)
        lead = words[at - 1] if at else ""
        return not timed and (not lead[:1].isalnum() or lead in {"the", "use", "at", "to", "please"})

    def _ordinal(self, words: list[str], at: int) -> Amount | None:
        value: int | None = self._lexicon.data.ordinals.get(words[at])
        after = at + 1
        if (
            value is None
            and words[at].isdigit()
            and words[after : after + 1]
            and words[after] in {"st", "nd", "rd", "th"}
        ):
            value, after = int(words[at][:4]), after + 1
        name = self._labels.get(words[after]) if value is not None and after < len(words) else None
        if value is None or name is None:
            return None
        ground = words[at] == "ground"
        if ground and name != "floor":
            return None
        return Amount(at, after + 1, AmountKind.LABEL, "0" if ground else str(value), name)

    def _price_sign_first(self, words: list[str], at: int) -> Amount | None:
        currency = self._lexicon.currency_words.get(words[at])
        if currency is None or at + 1 >= len(words) or not words[at + 1][:1].isdigit():
            return None
        value = number(words[at + 1])
        if value is None:
            return None
        return Amount(at, at + 2, AmountKind.PRICE, f"{value:.2f} {currency}", currency)

    def _quantity(self, words: list[str], at: int) -> Amount | None:
        value, after = self._value(words, at)
        if value is None:
            return None
        if after < len(words):
            currency = self._lexicon.currency_words.get(words[after])
            if currency is not None:
                return Amount(at, after + 1, AmountKind.PRICE, f"{value:.2f} {currency}", currency)
        if words[after : after + 1] == ["-"]:
            after += 1  # "2-year warranty"
        length, unit = self._unit(words, after)
        if not length:
            return None
        spec = self._lexicon.data.units[unit]
        if spec.dimension == "temperature" and self._is_turned(words[:at]):
            spec = self._lexicon.data.units[ANGLE]
        base = self._lexicon.data.dimensions[spec.dimension].base
        negative = at > 0 and words[at - 1] in {"-", "\u2013"} and spec.dimension == "temperature"
        amount = (-value if negative else value) * spec.factor + spec.offset
        end = after + length
        if spec.dimension == "duration":
            amount, end = self._with_parts(words, end, amount, spec.factor)
        return Amount(at, end, AmountKind.QUANTITY, f"{shown(amount)} {base}", spec.dimension)

    def _with_parts(self, words: list[str], at: int, amount: float, factor: float) -> tuple[float, int]:
        """A duration with the smaller parts that follow, and its end: "1 h 20 min", "2h 5m", "1 h 20"."""
        while (begin := at + (words[at : at + 1] == ["and"])) < len(words):
            value, after = self._value(words, begin)
            if value is None:
                break
            length, name = self._unit(words, after)
            unit = self._lexicon.data.units[name] if length else None
            ends = after == len(words) or not words[after][0].isalnum() or words[after] in _AFTER_A_DURATION
            if unit is not None and unit.dimension == "duration" and value * unit.factor < factor:
                size, end = unit.factor, after + length
            elif factor == _HOUR and value < _MINUTES and words[at] != "and" and (ends or name == "m"):
                size, end = _HOUR / _MINUTES, after + (name == "m")  # behind hours, "m" is no metre
            else:
                break
            amount, at, factor = amount + value * size, end, size
        return amount, at

    def _is_turned(self, before: list[str]) -> bool:
        """Whether degrees are of an angle ("turn by 90 degrees"), not warmth ("turn the oven to 90")."""
        if before[-1:] == ["by"]:
            before = before[:-1]
        return bool(before) and before[-1] in _TURNING

    def _value(self, words: list[str], at: int) -> tuple[float | None, int]:
        if words[at][:1].isdigit():
            return number(words[at]), at + 1
        named = self._lexicon.data.number_words.get(words[at])
        return (float(named), at + 1) if named is not None else (None, at)

    def _unit(self, words: list[str], at: int) -> tuple[int, str]:
        for length in range(min(self._longest_unit, len(words) - at), 0, -1):
            unit = self._units.get(tuple(words[at : at + length]))
            if unit is not None:
                return length, unit
        if words[at:] == ["in"] and "in" in self._lexicon.data.units:
            return 1, "in"  # an inch only where no place can follow ("waist 32 in")
        return 0, ""

    def _count(self, words: list[str], at: int) -> Amount | None:
        """A number without unit: a count of the noun that follows, if one does."""
        value, after = self._value(words, at)
        if value is None:
            return None
        return Amount(at, after, AmountKind.COUNT, shown(value))

    def _clock(  # noqa: PLR0911 - one return per way to write a time
        self, words: list[str], at: int, *, loose: bool
    ) -> tuple[str, int]:
        """A time: "10:30", "5 pm", "noon"; with *loose* also a bare hour. Returns HH:MM and the end."""
        if at >= len(words):
            return "", at
        if words[at] in {"noon", "midnight"}:
            return ("12:00" if words[at] == "noon" else "00:00"), at + 1
        if words[at] in _PARTS_OF_AN_HOUR:
            return self._spoken(words, at)
        named = self._lexicon.data.number_words.get(words[at]) if loose else None
        if named is not None and 1 <= named <= 12:
            half, after = self._half(words, at + 1)
            return f"{named % 12 + 12 if half == 'p' else named:02d}:00", after or at + 1
        full = _TIME.fullmatch(words[at])
        hour_only = words[at].isdigit() and len(words[at]) <= 2 and int(words[at]) <= 24
        if not full and not hour_only:
            return "", at
        hour, minute = (int(full[1]), int(full[2])) if full else (int(words[at]), 0)
        half, after = self._half(words, at + 1)
        if half and 1 <= hour <= 12:
            return f"{hour % 12 + (12 if half == 'p' else 0):02d}:{minute:02d}", after
        if after < len(words) and words[after] in {"h", "uhr", "o'clock"} and (full or loose):
            return f"{hour % 24:02d}:{minute:02d}", after + 1
        if (full and (":" in words[at] or loose)) or (hour_only and loose):
            return f"{hour % 24:02d}:{minute:02d}", at + 1
        return "", at

    def _spoken(self, words: list[str], at: int) -> tuple[str, int]:
        """A time in words: "half past six", "quarter to 9 pm"."""
        if at + 2 >= len(words) or words[at + 1] not in {"past", "to"}:
            return "", at
        value, after = self._value(words, at + 2)
        if value is None or not 1 <= value <= 12:
            return "", at
        half, after = self._half(words, after)
        minute = _PARTS_OF_AN_HOUR[words[at]] * (1 if words[at + 1] == "past" else -1)
        whole = int(value) % 12 + 12 * (half == "p")
        total = (60 * whole + minute) % 1440
        return f"{total // 60:02d}:{total % 60:02d}", after

    def _half(self, words: list[str], at: int) -> tuple[str, int]:
        """Which half of the day "am", "pm" or "a.m." here means, "a" or "p", and the place after it."""
        if at < len(words) and words[at] in {"am", "pm"}:
            return words[at][0], at + 1
        if words[at : at + 3] in (["a", ".", "m"], ["p", ".", "m"]):
            return words[at], at + 3
        return "", at

    def _hours(self, words: list[str], at: int) -> Amount | None:
        """A span of hours: "9:00-17:00", "9 am to 5 pm", "open 9-17"."""
        if (
            words[at] == "24"
            and words[at + 1 : at + 2] in (["hours"], ["/"])
            and words[at + 1 : at + 3] != ["/", "12"]
        ):
            if words[at + 1] == "hours" or words[at + 2 : at + 3] == ["7"]:
                end = at + (2 if words[at + 1] == "hours" else 3)
                return Amount(at, end, AmountKind.HOURS, "00:00-24:00")
            return None
        opening, middle = self._clock(words, at, loose=True)
        if not opening or middle >= len(words) or words[middle] not in _DASHES:
            return None
        closing, end = self._clock(words, middle + 1, loose=True)
        if not closing:
            return None
        strict = any(":" in word or word in _OF_A_CLOCK for word in words[at:end])
        before = [word for word in words[max(0, at - 4) : at] if word != ":"]
        named = {"open", "opened", "hours", "closed"} & set(before) or self._days & set(before[-1:])
        if not strict and not named:
            return None
        opening = self._same_half(words[at:middle], words[middle:end], opening, closing)
        halved = _OF_A_CLOCK.intersection(words[at:end]) or words[middle + 1].startswith("0")
        if not halved and f"{_EARLIEST:02d}:00" <= opening < "13:00" and closing < opening:
            closing = f"{int(closing[:2]) + 12:02d}{closing[2:]}"  # "open from 9 till 5"
        return Amount(at, end, AmountKind.HOURS, f"{opening}-{closing}")

    def _same_half(self, first: list[str], second: list[str], opening: str, closing: str) -> str:
        """The opening hour, in the afternoon where only the closing hour says so ("2-5 pm")."""
        has_half = any(word in {"am", "pm"} for word in first)
        if has_half or "pm" not in second or opening >= "12:00":
            return opening
        later = f"{int(opening[:2]) + 12:02d}{opening[2:]}"
        return later if later < closing else opening

    def _time_amount(self, words: list[str], at: int) -> Amount | None:
        clock, end = self._clock(words, at, loose=False)
        clock, end = (clock, end) if clock else self._bare_hour(words, at)
        return Amount(at, end, AmountKind.TIME, clock) if clock else None

    def _bare_hour(self, words: list[str], at: int) -> tuple[str, int]:
        """An hour that needs no "am" or "pm": one opens in the morning and closes in the evening."""
        hour = int(words[at]) if words[at].isdigit() and len(words[at]) <= 2 else 0
        counts = at + 1 < len(words) and words[at + 1].isalpha() and words[at + 1] not in _HOUR_ENDS
        leads = {tuple(words[max(0, at - length) : at]) for length in (2, 3)}
        if not counts and leads & self._opening and _EARLIEST <= hour <= 24:
            return f"{hour % 24:02d}:00", at + 1
        if not counts and leads & self._closing and (_EARLIEST <= hour < 12 or 12 < hour <= 24):
            return f"{hour + 12 * (hour < 12):02d}:00", at + 1
        return "", at

    def _date(self, words: list[str], at: int) -> Amount | None:
        months = self._lexicon.data.months
        joined = "".join(words[at : at + 5])
        iso = _ISO_DATE.match(joined)
        if iso:
            end, length = at, 0
            while length < iso.end() and end < len(words):
                length, end = length + len(words[end]), end + 1
            return Amount(at, end, AmountKind.DATE, f"{iso[1]}-{int(iso[2]):02d}-{int(iso[3]):02d}")
        return self._named_month(words, at, months) or self._numeric_date(words, at)

    def _named_month(self, words: list[str], at: int, months: dict[str, int]) -> Amount | None:
        """A date with a named month: "12 May 2025", "May 12, 2025", "June 2026"."""
        day, after = self._day(words, at)
        if day:
            after += words[after : after + 1] == ["of"]
            after += words[after : after + 1] == ["."]
            month = months.get(words[after]) if after < len(words) else None
            if month is None:
                return None
            year, end = self._year(words, after + 1)
            return Amount(at, end, AmountKind.DATE, f"{year}-{month:02d}-{day:02d}")
        month = months.get(words[at])
        if month is None:
            return None
        day, after = self._day(words, at + 1 + (words[at + 1 : at + 2] == ["."]))
        year, end = self._year(words, after)
        if day:
            return Amount(at, end, AmountKind.DATE, f"{year}-{month:02d}-{day:02d}")
        return Amount(at, end, AmountKind.DATE, f"{year}-{month:02d}") if year != "*" else None

    def _day(self, words: list[str], at: int) -> tuple[int, int]:
        if at < len(words) and words[at].isdigit() and len(words[at]) <= 2 and 1 <= int(words[at]) <= 31:
            after = at + 1
            after += after < len(words) and words[after] in {"st", "nd", "rd", "th"}
            return int(words[at]), after
        return 0, at

    def _year(self, words: list[str], at: int) -> tuple[str, int]:
        after = at + (words[at : at + 1] in ([","], ["."]))
        if after < len(words) and re.fullmatch(r"(?:19|20)\d\d", words[after]):
            return words[after], after + 1
        return "*", at

    def _numeric_date(self, words: list[str], at: int) -> Amount | None:
        """A date in digits: "12.05.2025", "01/2024". Which number is the day is only sure above 12."""
        run = "".join(words[at : at + 5])
        found = re.match(r"(\d{1,2})[./-](\d{1,2})[./-]((?:20|19)?\d\d)(?!\d)", run)
        if found and max(int(found[1]), int(found[2])) <= 31 and min(int(found[1]), int(found[2])) <= 12:
            one, two = int(found[1]), int(found[2])
            year = found[3] if len(found[3]) == 4 else "20" + found[3]
            if min(one, two) >= 1:
                day, month = (one, two) if two <= 12 else (two, one)
                either = "~" if one <= 12 and two <= 12 and one != two else ""
                return Amount(
                    at,
                    self._end(words, at, found.end()),
                    AmountKind.DATE,
                    f"{year}-{month:02d}-{day:02d}{either}",
                )
        short = re.match(r"(0?[1-9]|1[0-2])[./-]((?:19|20)\d\d)(?![\d./-])", run)
        if short:
            return Amount(
                at, self._end(words, at, short.end()), AmountKind.DATE, f"{short[2]}-{int(short[1]):02d}"
            )
        return None

    def _end(self, words: list[str], at: int, chars: int) -> int:
        end, length = at, 0
        while length < chars and end < len(words):
            length, end = length + len(words[end]), end + 1
        return end
