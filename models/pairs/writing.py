"""Puts topics into words: statements in several forms, of now or another time, plain or as read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from models.pairs.quantities import Amount
from models.pairs.topics import Slots, Subject, Topic, Value, held_out_words

Rng = np.random.Generator
T = TypeVar("T")
TRIES = 40
TIMES = (
    "Yesterday", "Tomorrow", "Last week", "Next week", "In the past", "In summer", "On Sundays", "At night",
    "From tomorrow on", "Until last month", "As of May", "Last year", "Next year", "Before the repair",
    "After the works", "In 2019", "Earlier today", "At weekends", "During the holidays", "Starting Monday",
)  # fmt: skip
QUALIFIERS = (
    ("front", "back"), ("left", "right"), ("upper", "lower"), ("main", "side"), ("kitchen", "bathroom"),
    ("first", "second"), ("indoor", "outdoor"), ("red", "blue"), ("big", "small"), ("old", "new"),
    ("garden", "street"), ("guest", "staff"), ("children's", "adults'"), ("Anna's", "Ben's"),
    ("inner", "outer"),
    ("hall A", "hall B"), ("upstairs", "downstairs"), ("morning", "evening"), ("garage", "attic"),
    ("your", "your neighbour's"), ("school", "hospital"), ("summer", "winter"), ("express", "regional"),
)  # fmt: skip
NUMBERED = ("{s} {a}", "{s} no. {a}", "{s} {a}", "{s} in room {a}", "{s} on floor {a}", "{s} of line {a}")
_CHOICE = re.compile(r"\(([^()|]*(?:\|[^()|]*)+)\)")
_LOOKALIKES = (
    ("l", "1"),
    ("o", "0"),
    ("i", "l"),
    ("rn", "m"),
    ("e", "c"),
    ("g", "q"),
    ("s", "5"),
    ("i", "1"),
)


class Unsayable(Exception):
    """The topic has no frame for this, or only ones that speak of a kind held out."""


def pick(options: Sequence[T], rng: Rng) -> T:
    """One of them."""
    return options[int(rng.integers(len(options)))]


def fill(frame: str, slots: Slots, rng: Rng) -> str:
    """A sentence from a frame: choices made, slots filled, spaces put right."""
    text = _CHOICE.sub(lambda match: pick(match[1].split("|"), rng), frame)
    for name, value in slots.items():
        text = text.replace("{" + name + "}", value)
        text = text.replace("{" + name.capitalize() + "}", value[:1].upper() + value[1:])
    text = " ".join(text.split()).replace("The your", "Your").replace("the your", "your")
    if "{" in text:
        raise Unsayable(text)
    return text[:1].upper() + text[1:]


class Writer:
    """Says things of one topic."""

    def __init__(self, topic: Topic, rng: Rng) -> None:
        self.topic, self._rng = topic, rng

    def say(
        self,
        form: str,
        value: Value | Amount | None,
        subject: Subject | None,
        *,
        qualifier: str = "",
        avoid: str = "",
    ) -> str:
        """A sentence of this form, other than ``avoid``. Raises ``Unsayable``."""
        frames = value.frames if isinstance(value, Value) else self.topic.frames
        options = frames.get(form, ())
        if not options:
            raise Unsayable(form)
        for _ in range(TRIES):
            slots = dict(pick(subject, self._rng)) if subject else {}
            if isinstance(value, Value) and value.words != ("",):
                slots["v"] = pick(value.words, self._rng)
            elif isinstance(value, Amount):
                slots["v"] = pick(value.forms, self._rng)
            if qualifier and "s" in slots:
                slots["s"] = (
                    qualifier.format(s=slots["s"]) if "{s}" in qualifier else f"{qualifier} {slots['s']}"
                )
            frame = pick(options, self._rng)
            if ("{s}" in frame.lower()) != bool(qualifier) and qualifier:
                continue
            text = fill(_article(frame, slots), slots, self._rng)
            if text.casefold() != avoid.casefold() and not held_out_words().search(text):
                return text
        raise Unsayable(form)


def _article(frame: str, slots: Slots) -> str:
    """``a {s}`` before a vowel is ``an``; a colour as a noun has no article of its own."""
    for name, value in slots.items():
        if value[:1].lower() in "aeio":
            frame = re.sub(rf"\b([Aa]) \{{{name}\}}", rf"\1n {{{name}}}", frame)
    return frame


def at_time(time: str, text: str) -> str:
    """The same said of another time."""
    return f"{time}: {text}"


def as_read(text: str, rng: Rng, *, share: float = 0.16) -> str:
    """The text as a reader may return it: spaces lost, letters taken for others, marks lost or added."""
    if rng.random() < 0.2 and text[-1:].isalnum():
        text += pick(("!", ".", "!", " !"), rng)
    if rng.random() > share:
        return text
    kind = rng.random()
    words = text.split(" ")
    if kind < 0.45 and len(words) > 1:
        # Between letters alone: a number glued to its unit is fine, two numbers glued are another number.
        at = [n for n in range(len(words) - 1) if words[n][-1:].isalpha() and words[n + 1][:1].isalpha()]
        chosen = set(at) if rng.random() < 0.3 else {pick(at, rng)} if at else set()
        return "".join(word + ("" if n in chosen else " ") for n, word in enumerate(words)).strip()
    if kind < 0.8:
        wrong, right = pick(_LOOKALIKES, rng)
        places = [match.start() for match in re.finditer(wrong, text)]
        if places and not any(letter.isdigit() for letter in text):
            at_ = pick(places, rng)
            return text[:at_] + right + text[at_ + len(wrong) :]
        return text
    if kind < 0.9:
        return text.upper()
    return text.rstrip("!.").replace(":", "").replace("-", " ")
