"""Pairs of statements from topics: contradictory, entailed, and neutral ones easily mistaken for either.

A pair says the same or the opposite only if it is about the same thing at the same time; a statement that
names no thing is taken to be about the thing that the other names.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from models.pairs.quantities import Amount, amounts
from models.pairs.topics import Subject, Topic, Value
from models.pairs.writing import NUMBERED, QUALIFIERS, TIMES, Unsayable, Writer, as_read, at_time, pick

Rng = np.random.Generator
CONTRADICTORY, ENTAILED, NEUTRAL = "contradictory", "entailed", "neutral"
RELATIONS = {CONTRADICTORY: 0.36, ENTAILED: 0.2, NEUTRAL: 0.44}
FAMILIES: Mapping[str, float] = {
    "state": 5.0,
    "done": 1.0,
    "activity": 2.0,
    "gear": 0.8,
    "needed": 0.5,
    "content": 1.0,
    "there": 1.2,
    "order": 1.0,
    "category": 3.5,
    "world": 7.0,
    "amount": 4.0,
    "antonyms": 3.0,
    "opposite_order": 0.7,
    "kinds": 1.2,
}

NAMES = (
    "Entrance hall", "Cloakroom", "Living room", "Kitchen", "Garage", "Waiting room", "Help desk",
    "Gift shop",
    "Old harbour", "City hall", "View point", "Bus station", "Control room", "Warehouse 3", "Loading bay",
    "Daily news", "My list", "Favourites", "Settings", "Add a sensor", "Scan the code", "Welcome", "Hello!",
    "Thank you", "Best seller", "New arrivals", "Recommended", "Top offer", "Customer service", "Foreman",
    "Shift leader", "Log book", "Work order 17", "Route 4 of 9", "Step 1 of 5", "Points of interest", "Map",
    "Good evening", "Reading corner", "Bedroom", "Terrace", "Shelf 12", "Aisle 4", "Counter 2", "Level 2",
    "Today", "Your day", "Menu", "More information", "Picture credits", "Weekly plan", "Energy", "Devices",
    "Stairwell B", "Emergency numbers", "Site plan", "Visitors", "Art gallery", "Fountain", "Castle hill",
)  # fmt: skip


_WHOLE = frozenset({"world", "kinds"})
"""Families whose statements name no thing beside what they say."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two statements, how they stand to each other, and how they were made."""

    relation: str
    source: str
    first: str
    second: str


@dataclass(frozen=True, slots=True)
class _Scene:
    """What a recipe works with: a topic, two of its values, two things it is said of."""

    topic: Topic
    write: Writer
    a: Value | Amount
    b: Value | Amount
    subject: Subject | None
    other: Subject | None


class Composer:
    """Makes pairs from the topics given."""

    def __init__(self, topics: Sequence[Topic], rng: Rng) -> None:
        self._rng = rng
        self._by_family: dict[str, list[Topic]] = defaultdict(list)
        for topic in topics:
            self._by_family[topic.family].append(topic)
        self._things = [
            subject for topic in topics if topic.family in {"state", "category"} for subject in topic.subjects
        ]
        self._families = [name for name in FAMILIES if self._by_family[name]]
        weights = np.array([FAMILIES[name] for name in self._families])
        self._weights = weights / weights.sum()
        self._recipes: dict[str, dict[str, tuple[float, Callable[[_Scene], tuple[str, str]]]]] = {
            CONTRADICTORY: {
                "both": (4.0, self._both_named),
                "half": (3.0, self._half_named),
                "bare": (1.2, self._both_bare),
                "denied": (2.2, self._denied_same),
                "shown": (2.2, self._shown_against),
                "two_shown": (0.3, self._two_shown),
                "timed": (0.3, self._same_time),
                "compound": (0.9, self._compound_against),
                "closer": (0.4, self._closer_against),
            },
            ENTAILED: {
                "same": (3.0, self._same_named),
                "same_half": (2.0, self._same_half),
                "same_bare": (0.8, self._same_bare),
                "denied_other": (2.0, self._denied_other),
                "shown_same": (1.6, self._shown_same),
                "compound_part": (0.8, self._compound_part),
            },
            NEUTRAL: {
                "other_thing": (3.0, self._other_thing),
                "qualified": (2.5, self._qualified),
                "elsewhen": (2.0, self._elsewhen),
                "two_times": (0.7, self._two_times),
                "open": (2.6, self._open),
                "other_topic": (2.0, self._other_topic),
                "unrelated": (5.0, self._unrelated),
                "shown_unrelated": (3.0, self._shown_unrelated),
                "names": (2.0, self._names),
                "carried": (1.5, self._carried),
                "pairs": (2.5, self._go_together),
                "beside": (2.5, self._beside),
                "instructed": (3.0, self._instructed),
                "two_names": (0.6, self._two_names),
                "denied_both": (0.6, self._denied_not_said),
                "compound_other": (0.6, self._compound_other),
            },
        }

    def pair(self) -> Pair:
        """A new pair."""
        relation = pick_weighted(RELATIONS, self._rng)
        while True:
            recipes = self._recipes[relation]
            name = pick_weighted({key: weight for key, (weight, _) in recipes.items()}, self._rng)
            topic = self._topic()
            try:
                first, second = recipes[name][1](self._scene(topic))
            except Unsayable:
                continue
            if first.casefold() == second.casefold():
                continue
            if self._rng.random() < 0.5:
                first, second = second, first
            first, second = (as_read(text, self._rng) for text in (first, second))
            return Pair(relation, f"{topic.family}/{name}", first, second)

    def _topic(self) -> Topic:
        family = self._families[int(self._rng.choice(len(self._families), p=self._weights))]
        return pick(self._by_family[family], self._rng)

    def _scene(self, topic: Topic) -> _Scene:
        if topic.amount:
            a, b = amounts(topic.amount, self._rng)
            values: tuple[Value | Amount, Value | Amount] = (a, b)
        else:
            one, two = self._rng.permutation(len(topic.values))[:2]
            values = (topic.values[int(one)], topic.values[int(two)])
        things = topic.subjects or (() if topic.family in _WHOLE else self._things)
        subject = pick(things, self._rng) if things else None
        others = [one for one in (things if len(things) > 1 else self._siblings(topic)) if one != subject]
        other = pick(others, self._rng) if others else None
        if subject and other and _alike(subject, other):
            other = None
        return _Scene(topic, Writer(topic, self._rng), *values, subject, other)

    def _siblings(self, topic: Topic) -> list[Subject]:
        return [one.subjects[0] for one in self._by_family[topic.family] if one is not topic and one.subjects]

    # Contradictory

    def _both_named(self, x: _Scene) -> tuple[str, str]:
        first = x.write.say(_named(x), x.a, x.subject)
        return first, x.write.say(_named(x), x.b, x.subject, avoid=first)

    def _half_named(self, x: _Scene) -> tuple[str, str]:
        return x.write.say(_named(x), x.a, x.subject), x.write.say("bare", x.b, x.subject)

    def _both_bare(self, x: _Scene) -> tuple[str, str]:
        return x.write.say("bare", x.a, x.subject), x.write.say("bare", x.b, x.subject)

    def _denied_same(self, x: _Scene) -> tuple[str, str]:
        form = "denied" if self._rng.random() < 0.7 else "bare_denied"
        said = _named(x) if form == "bare_denied" or self._rng.random() < 0.7 else "bare"
        if isinstance(x.a, Value) and len(x.a.words) > 1 and any("not" in word.split() for word in x.a.words):
            x = _Scene(x.topic, x.write, _plain(x.a), x.b, x.subject, x.other)
        return x.write.say(said, x.a, x.subject), x.write.say(form, x.a, x.subject)

    def _shown_against(self, x: _Scene) -> tuple[str, str]:
        form = _named(x) if self._rng.random() < 0.6 else "bare"
        return x.write.say("shown", x.a, x.subject), x.write.say(form, x.b, x.subject)

    def _two_shown(self, x: _Scene) -> tuple[str, str]:
        return x.write.say("shown", x.a, x.subject), x.write.say("shown", x.b, x.subject)

    def _same_time(self, x: _Scene) -> tuple[str, str]:
        time = pick((*TIMES, "Now", "Today", "Currently", "At the moment"), self._rng)
        first, second = self._both_named(x)
        return at_time(time, first), at_time(time, second)

    def _compound_against(self, x: _Scene) -> tuple[str, str]:
        first, second = self._both_named(x) if self._rng.random() < 0.7 else self._half_named(x)
        return self._joined(first, x.topic), second

    def _closer_against(self, x: _Scene) -> tuple[str, str]:
        """One names the thing more closely than the other."""
        qualifier = pick(pick(QUALIFIERS, self._rng), self._rng)
        return x.write.say("named", x.a, x.subject, qualifier=qualifier), x.write.say(
            "named", x.b, x.subject, qualifier=qualifier
        )

    # Entailed

    def _same_named(self, x: _Scene) -> tuple[str, str]:
        first = x.write.say(_named(x), x.a, x.subject)
        return first, x.write.say(_named(x), x.a, x.subject, avoid=first)

    def _same_half(self, x: _Scene) -> tuple[str, str]:
        first = x.write.say(_named(x), x.a, x.subject)
        return first, x.write.say("bare", x.a, x.subject, avoid=first)

    def _same_bare(self, x: _Scene) -> tuple[str, str]:
        first = x.write.say("bare", x.a, x.subject)
        return first, x.write.say("bare", x.a, x.subject, avoid=first)

    def _denied_other(self, x: _Scene) -> tuple[str, str]:
        """What is not the one of two values is the other; of several it does not follow."""
        if not x.topic.complete or x.topic.family != "state" or not isinstance(x.b, Value):
            raise Unsayable("denied")
        form = "denied" if self._rng.random() < 0.7 else "bare_denied"
        said = _named(x) if form == "bare_denied" or self._rng.random() < 0.7 else "bare"
        return x.write.say(said, x.a, x.subject), x.write.say(form, _plain(x.b), x.subject)

    def _shown_same(self, x: _Scene) -> tuple[str, str]:
        form = _named(x) if self._rng.random() < 0.6 else "bare"
        return x.write.say("shown", x.a, x.subject), x.write.say(form, x.a, x.subject)

    def _compound_part(self, x: _Scene) -> tuple[str, str]:
        first, second = self._same_named(x)
        return self._joined(first, x.topic), second

    # Neutral

    def _other_thing(self, x: _Scene) -> tuple[str, str]:
        if x.other is None:
            raise Unsayable("other thing")
        value = x.b if self._rng.random() < 0.75 else x.a
        form = "denied" if self._rng.random() < 0.15 else "named"
        return x.write.say("named", x.a, x.subject), x.write.say(form, value, x.other)

    def _qualified(self, x: _Scene) -> tuple[str, str]:
        if x.subject is None or "s" not in x.subject[0]:
            raise Unsayable("thing")
        if self._rng.random() < 0.55:
            one, two = pick(QUALIFIERS, self._rng)
        else:
            frame = pick(NUMBERED, self._rng)
            n = int(self._rng.integers(1, 9))
            marks = (str(n), str(n + 1 + int(self._rng.integers(5))))
            marks = pick((marks, marks, ("A", "B"), ("C", "D")), self._rng)
            one, two = (frame.replace("{a}", mark) for mark in marks)
        if self._rng.random() < 0.5:
            one, two = two, one
        value = x.b if self._rng.random() < 0.8 else x.a
        return x.write.say("named", x.a, x.subject, qualifier=one), x.write.say(
            "named", value, x.subject, qualifier=two
        )

    def _elsewhen(self, x: _Scene) -> tuple[str, str]:
        form = pick((_named(x), _named(x), "bare", "shown"), self._rng)
        now = x.write.say(form, x.a, x.subject)
        if self._rng.random() < 0.5:
            return now, at_time(pick(TIMES, self._rng), x.write.say(_named(x), x.b, x.subject))
        return now, x.write.say("elsewhen", x.b, x.subject)

    def _two_times(self, x: _Scene) -> tuple[str, str]:
        one, two = (TIMES[int(at)] for at in self._rng.permutation(len(TIMES))[:2])
        first, second = self._both_named(x)
        return at_time(one, first), at_time(two, second)

    def _open(self, x: _Scene) -> tuple[str, str]:
        form = pick((_named(x), _named(x), "bare", "shown"), self._rng)
        value = x.b if self._rng.random() < 0.8 else x.a
        return x.write.say(form, x.a, x.subject), x.write.say("open", value, x.subject)

    def _other_topic(self, x: _Scene) -> tuple[str, str]:
        """Another thing said of the same subject."""
        named = [one for one in self._by_family["state"] if one is not x.topic and x.subject in one.subjects]
        if not named or x.subject is None:
            raise Unsayable("other topic")
        other = self._scene(pick(named, self._rng))
        if set(_words(x.a)) & set(_words(other.a)):
            raise Unsayable("alike")
        return x.write.say("named", x.a, x.subject), other.write.say("named", other.a, x.subject)

    def _unrelated(self, x: _Scene) -> tuple[str, str]:
        other = self._scene(self._topic())
        if other.topic.family == x.topic.family or {other.topic.family, x.topic.family} & {"antonyms"}:
            raise Unsayable("unrelated")
        first, second = self._anything(x), self._anything(other)
        if _long_words(first) & _long_words(second):
            raise Unsayable("related")
        return first, second

    def _shown_unrelated(self, x: _Scene) -> tuple[str, str]:
        """A pictogram and whatever else hangs in the same room."""
        other = self._scene(self._topic())
        first = x.write.say("shown", x.a, x.subject)
        chance = self._rng.random()
        if chance < 0.25:
            second = self._name()
        elif chance < 0.4 and other.topic.family != x.topic.family:
            second = other.write.say("shown", other.a, other.subject)
        elif other.topic.family in {x.topic.family, "antonyms"}:
            raise Unsayable("related")
        else:
            second = self._anything(other)
        if _long_words(first) & _long_words(second):
            raise Unsayable("related")
        return first, second

    def _names(self, x: _Scene) -> tuple[str, str]:
        """A name says nothing, not of its own thing either."""
        own = x.subject is not None and "s" in x.subject[0] and self._rng.random() < 0.4
        name = pick(x.subject, self._rng)["s"] if own and x.subject is not None else self._name()
        return self._anything(x), name[:1].upper() + name[1:]

    def _carried(self, x: _Scene) -> tuple[str, str]:
        """The same once more, or a name, on an arrow that only points at something."""
        first = self._name() if self._rng.random() < 0.5 else self._anything(x)
        arrow = f"{first}. {pick(('left', 'right', 'up', 'down', 'down'), self._rng)} arrow"
        return first, arrow

    def _name(self) -> str:
        """A heading that claims nothing."""
        if self._rng.random() < 0.5:
            name = pick(pick(self._things, self._rng), self._rng)["s"]
        else:
            name = pick(NAMES, self._rng)
        return name[:1].upper() + name[1:]

    def _anything(self, x: _Scene) -> str:
        forms = ("named", "named", "bare", "shown", "open", "denied", "elsewhen")
        if x.topic.beside and self._rng.random() < 0.3:
            return pick(x.topic.beside, self._rng)
        for _ in range(4):
            try:
                return x.write.say(pick(forms, self._rng), x.a, x.subject)
            except Unsayable:
                continue
        raise Unsayable("anything")

    def _go_together(self, x: _Scene) -> tuple[str, str]:
        """Amounts of different things, or of one thing in different respects."""
        if not x.topic.pairs or not isinstance(x.a, Amount) or not isinstance(x.b, Amount):
            raise Unsayable("pairs")
        frames = pick(x.topic.pairs, self._rng)
        forms = (pick(x.a.forms, self._rng), pick(x.b.forms, self._rng))
        return self._framed(x, frames[0], forms), self._framed(x, frames[1], forms)

    def _framed(self, x: _Scene, frame: str, forms: tuple[str, str]) -> str:
        slots = dict(pick(x.subject, self._rng)) if x.subject else {}
        text = frame
        for name, value in {**slots, "v": forms[0], "w": forms[1]}.items():
            text = text.replace("{" + name + "}", value)
            text = text.replace("{" + name.capitalize() + "}", value[:1].upper() + value[1:])
        return text

    def _beside(self, x: _Scene) -> tuple[str, str]:
        if not x.topic.beside:
            raise Unsayable("beside")
        form = "shown" if self._rng.random() < 0.3 else "bare"
        return x.write.say(form, x.a, None), pick(x.topic.beside, self._rng)

    def _instructed(self, x: _Scene) -> tuple[str, str]:
        """What is so, and what to do then."""
        form = "shown" if self._rng.random() < 0.6 else "bare"
        return x.write.say(form, x.a, None), x.write.say("then", x.a, None)

    def _two_names(self, x: _Scene) -> tuple[str, str]:
        """Labels of two things."""
        return x.write.say("names", x.a, None), x.write.say("names", x.b, None)

    def _denied_not_said(self, x: _Scene) -> tuple[str, str]:
        """Of several values one is denied: nothing follows for the others."""
        if x.topic.complete:
            raise Unsayable("denied")
        return x.write.say("named", x.a, x.subject), x.write.say("denied", x.b, x.subject)

    def _compound_other(self, x: _Scene) -> tuple[str, str]:
        first, second = self._other_thing(x)
        return self._joined(first, x.topic), second

    def _joined(self, text: str, topic: Topic) -> str:
        """The statement and another of a different topic in one text."""
        for _ in range(8):
            other = self._topic()
            if other.family in {topic.family, "antonyms"} or {other.family, topic.family} & _WHOLE:
                continue
            scene = self._scene(other)
            try:
                beside = scene.write.say("named", scene.a, scene.subject)
            except Unsayable:
                continue
            parts = [text.rstrip("!."), beside]
            if self._rng.random() < 0.5:
                parts.reverse()
            return pick((". ", ", ", " ", "; ", " - "), self._rng).join(parts)
        raise Unsayable("joined")


def _named(x: _Scene) -> str:
    return "named" if x.topic.family not in _WHOLE else "bare"


def _plain(value: Value | Amount) -> Value | Amount:
    """The value without words that deny something themselves: "not not open" is said by nobody."""
    if not isinstance(value, Value):
        return value
    words = tuple(word for word in value.words if not {"not", "no", "cannot", "without"} & set(word.split()))
    return Value(words or value.words, value.frames)


def _words(value: Value | Amount) -> tuple[str, ...]:
    return value.words if isinstance(value, Value) else value.forms


def _long_words(text: str) -> set[str]:
    return {word.strip("!.,:;?") for word in text.casefold().split() if len(word) > 3}


def _alike(one: Subject, other: Subject) -> bool:
    """Whether the two things may be one: they share a word."""
    words = [
        {word for name in thing for text in name.values() for word in text.split()} for thing in (one, other)
    ]
    return bool((words[0] - {"a", "the", "your"}) & (words[1] - {"a", "the", "your"}))


def pick_weighted(weights: Mapping[str, float], rng: Rng) -> str:
    """One of the names, by weight."""
    names = list(weights)
    sizes = np.array([weights[name] for name in names])
    return names[int(rng.choice(len(names), p=sizes / sizes.sum()))]
