"""What a scene says: two elements that disagree, or agree in a way that is easily mistaken, and others.

Both labels come from the same kinds, the same number of elements and the same ways to express a
value, so that nothing but the meaning tells them apart.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from models.scenes.chance import Rng, happens, one_of, weighted
from models.scenes.kinds import (
    PROPORTIONS,
    Application,
    Kind,
    KindFilter,
    Split,
    Value,
    applications,
    chosen,
    of_split,
    worded,
)
from models.scenes.quantities import Amount, amounts
from models.scenes.truth import ClaimTruth

FILLERS = (0.42, 0.3, 0.16, 0.08, 0.04)
"""Chance of 0, 1, 2, 3, 4 elements beside the pair."""
TEXT_ONLY = 90 / 312
"""Share of ContrAR's recordings whose virtual content is text only."""


OTHER_TIMES = {
    Split.TRAIN: (
        "Yesterday",
        "Until last week",
        "From tomorrow on",
        "Last year",
        "Next Monday",
        "In the past",
    ),
    Split.VALIDATION: ("Last month", "Starting next week", "Before the repair"),
    Split.TEST: ("Earlier", "As of tomorrow", "Next year", "Until this morning"),
}
_PICTURED = 8.0
"""Kinds that can be shown come this much more often: most of ContrAR's scenes hold pictures."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A pictogram or a flag by class (``lock``, ``flag:FR``)."""

    cls: str

    @property
    def is_flag(self) -> bool:
        """True for flags."""
        return self.cls.startswith("flag:")


@dataclass(frozen=True, slots=True)
class Design:
    """One element to draw: text, a picture, or both, on a carrier."""

    carrier: str
    """``panel``, ``arrow``, ``sign`` (a picture alone) or ``flag`` (a flag alone)."""
    text: str = ""
    picture: Picture | None = None
    pointing: str = ""
    """For arrows: ``left``, ``right``, ``up``, ``down`` or ``uturn``."""
    claims: tuple[ClaimTruth, ...] = ()
    speaks_of_way: bool = False
    """True where the direction of the arrow is part of what is said."""


@dataclass(frozen=True, slots=True)
class Situation:
    """The elements of one scene, the pair first, and what is true about them."""

    application: str
    kind: Kind
    recipe: str
    contradictory: bool
    elements: tuple[Design, ...]


def conflicts(claims: Sequence[Sequence[ClaimTruth]]) -> list[tuple[int, int]]:
    """Pairs of elements, by index, whose claims cannot both be true.

    Claims clash on one attribute of one topic, where the subjects are the same or one is left open.
    """
    return [
        (one, other)
        for one, other in combinations(range(len(claims)), 2)
        if any(_clash(first, second) for first in claims[one] for second in claims[other])
    ]


def _clash(first: ClaimTruth, second: ClaimTruth) -> bool:
    about_the_same = (first.topic, first.attribute) == (second.topic, second.attribute)
    same_subject = not first.subject or not second.subject or first.subject == second.subject
    return about_the_same and same_subject and first.value != second.value


@dataclass(frozen=True, slots=True)
class _State:
    """A value of a kind, listed or an amount, with its wordings of one split."""

    key: str
    words: tuple[str, ...]
    denials: tuple[str, ...]
    other_time: tuple[str, ...]
    instructions: tuple[str, ...]
    pictures: tuple[str, ...]
    amount: Amount | None = None


class Author:
    """Writes situations of one split from the chosen kinds."""

    def __init__(
        self, split: Split, kinds: KindFilter = KindFilter.SEEN, *, drawable: frozenset[str] | None = None
    ) -> None:
        """``drawable``: pictogram classes that can be painted; None where all can."""
        self._split = split
        self._drawable = drawable
        self._kinds = {one.name: chosen(one.kinds, kinds) for one in applications()}
        self._applications: Mapping[str, Application] = {one.name: one for one in applications()}

    def situation(self, application: str, rng: Rng, *, contradictory: bool) -> Situation:
        """A new situation of the application."""
        kinds = self._kinds[application]
        kind = weighted(kinds, [_PICTURED if _has_pictures(one) else 1.0 for one in kinds], rng)
        recipe = "contradiction" if contradictory else self._recipe(kind, rng)
        pair = self._pair(kind, recipe, rng)
        topics = {kind.topic, *(claim.topic for design in pair for claim in design.claims)}
        beside = self._beside(application, topics, rng, weighted(range(5), FILLERS, rng))
        instructions = [text for state in self._states(kind, rng) for text in state.instructions]
        if contradictory and instructions and happens(0.25, rng):
            # Else instructions would be met in coherent scenes only.
            beside = [Design("panel", one_of(instructions, rng)), *beside[1:]]
        elements = _carriers_settled((*pair, *beside), rng)
        return Situation(application, kind, recipe, contradictory, elements)

    def _recipe(self, kind: Kind, rng: Rng) -> str:
        states = [self._state(value) for value in kind.values]
        weights = {
            "same_value": 0.34,
            "denial_agrees": 0.14 if any(state.denials for state in states) else 0.0,
            "other_subject": 0.24 if len(kind.subjects) > 1 or len(kind.objects) > 1 else 0.0,
            "other_time": 0.1 if kind.topic != "route" else 0.0,
            "instruction": 0.22 if any(state.instructions for state in states) else 0.0,
            "other_attribute": 0.16,
        }
        names = [name for name, weight in weights.items() if weight]
        return weighted(names, [weights[name] for name in names], rng)

    def _pair(self, kind: Kind, recipe: str, rng: Rng) -> tuple[Design, Design]:
        makers: Mapping[str, Callable[[Kind, Rng], tuple[Design, Design]]] = {
            "contradiction": self._contradiction,
            "same_value": self._same_value,
            "denial_agrees": self._denial_agrees,
            "other_subject": self._other_subject,
            "other_time": self._other_time,
            "instruction": self._instruction,
            "other_attribute": self._other_attribute,
        }
        first, second = makers[recipe](kind, rng)
        return (first, second) if rng.random() < 0.5 else (second, first)

    def _contradiction(self, kind: Kind, rng: Rng) -> tuple[Design, Design]:
        subject = _subject(kind, rng)
        first, *others = self._states(kind, rng)
        second = next(one for one in others if frozenset({first.key, one.key}) not in kind.compatible)
        if kind.topic != "route" and happens(0.05, rng):
            # Else a word about another time would give the label away.
            time = one_of(OTHER_TIMES[self._split], rng)
            one, other = (self._text(kind, state, subject, rng, named=True) for state in (first, second))
            return _at(time, one), _at(time, other)
        return self._said_both(kind, (first, second), subject, rng)

    def _same_value(self, kind: Kind, rng: Rng) -> tuple[Design, Design]:
        subject = _subject(kind, rng)
        states = self._states(kind, rng)
        # A state that can be shown rather than one that cannot: as often as two states hold one.
        state = next((one for one in states if one.pictures), states[0]) if happens(0.6, rng) else states[0]
        return self._said_both(kind, (state, state), subject, rng)

    def _denial_agrees(self, kind: Kind, rng: Rng) -> tuple[Design, Design]:
        subject = _subject(kind, rng)
        state = next(state for state in self._states(kind, rng) if state.denials)
        denial = self._text(kind, replace(state, words=state.denials), subject, rng)
        other = self._picture(kind, state, subject, rng) if happens(0.6, rng) else None
        return denial, other or self._text(kind, state, subject, rng)

    def _other_subject(self, kind: Kind, rng: Rng) -> tuple[Design, Design]:
        if kind.subjects:
            one, two = (kind.subjects[int(index)] for index in rng.permutation(len(kind.subjects))[:2])
        else:
            one, two = ((kind.objects[int(index)],) for index in rng.permutation(len(kind.objects))[:2])
        first, second = self._states(kind, rng)[:2]
        if happens(0.25, rng):
            second = first
        return (
            self._about(kind, first, one, rng, picture=happens(0.45, rng)),
            self._about(kind, second, two, rng, picture=happens(0.45, rng)),
        )

    def _other_time(self, kind: Kind, rng: Rng) -> tuple[Design, Design]:
        """One element is about now, the other says something else about another time."""
        subject = _subject(kind, rng)
        states = self._states(kind, rng)
        state = next((one for one in states if one.other_time), states[0])
        if state.other_time and happens(0.6, rng):
            then = self._text(kind, replace(state, words=state.other_time), subject, rng)
        else:
            different = next(one for one in states if one.key != state.key)
            then = self._text(kind, different, subject, rng, named=True)
            then = _at(one_of(OTHER_TIMES[self._split], rng), then)
        now = self._picture(kind, state, subject, rng) if happens(0.5, rng) else None
        return then, now or self._text(kind, state, subject, rng)

    def _instruction(self, kind: Kind, rng: Rng) -> tuple[Design, Design]:
        subject = _subject(kind, rng)
        state = next(state for state in self._states(kind, rng) if state.instructions)
        text = one_of(state.instructions, rng)
        return self._said(kind, state, subject, rng, picture=happens(0.6, rng)), Design("panel", text)

    def _other_attribute(self, kind: Kind, rng: Rng) -> tuple[Design, Design]:
        subject = _subject(kind, rng)
        first = self._said(kind, self._states(kind, rng)[0], subject, rng, picture=happens(0.45, rng))
        others = [one for one in self._kinds[kind.application] if one.topic != kind.topic]
        other = one_of(others, rng)
        return first, self._statement(other, rng)

    def _beside(self, application: str, topics: set[str], rng: Rng, count: int) -> list[Design]:
        """Elements that say nothing about the topics of the pair, nor about each other's."""
        designs: list[Design] = []
        for _ in range(count):
            others = [one for one in self._kinds[application] if one.topic not in topics]
            if others and happens(0.4, rng):
                other = one_of(others, rng)
                topics.add(other.topic)
                designs.append(self._statement(other, rng))
            else:
                neutral = of_split(self._applications[application].neutral, self._split)
                designs.append(Design("panel", one_of(neutral, rng)))
        return designs

    def _statement(self, kind: Kind, rng: Rng) -> Design:
        subject = _subject(kind, rng)
        state = self._states(kind, rng)[0]
        return self._said(kind, state, subject, rng, picture=happens(0.45, rng))

    def _states(self, kind: Kind, rng: Rng) -> list[_State]:
        """The values of the kind in random order, two of them for amounts."""
        if kind.quantity:
            words = of_split(kind.words, self._split)
            return [
                _State(amount.key, words, (), (), (), (f"flag:{amount.flag}",) if amount.flag else (), amount)
                for amount in amounts(kind.quantity, 2, rng)
            ]
        return [self._state(kind.values[int(index)]) for index in rng.permutation(len(kind.values))]

    def _state(self, value: Value) -> _State:
        pictures = tuple(
            picture
            for picture in value.pictures
            if self._drawable is None or picture.startswith("arrow:") or picture in self._drawable
        )
        return _State(
            value.name,
            of_split(value.words, self._split),
            of_split(value.denials, self._split),
            of_split(value.other_time, self._split),
            of_split(value.instructions, self._split),
            pictures,
        )

    def _said_both(
        self, kind: Kind, states: tuple[_State, _State], subject: Sequence[str], rng: Rng
    ) -> tuple[Design, Design]:
        """Two elements about one subject; differently worded where both are text."""
        both = kind.picture_pairs and all(state.pictures for state in states)
        if both and happens(0.15, rng):
            return self._two_pictures(kind, states, subject, rng)
        picture = not happens(TEXT_ONLY, rng)
        first_pictured = (
            picture and bool(states[0].pictures) and (not states[1].pictures or happens(0.5, rng))
        )
        first = self._said(kind, states[0], subject, rng, picture=first_pictured)
        second_pictured = picture and not first_pictured
        if second_pictured and states[1].pictures:
            return first, self._said(kind, states[1], subject, rng, picture=True)
        return first, self._differently(kind, states[1], first.text, subject, rng)

    def _two_pictures(
        self, kind: Kind, states: tuple[_State, _State], subject: Sequence[str], rng: Rng
    ) -> tuple[Design, Design]:
        """Both name the subject or neither does; arrows always do: bare ones may lead to two places."""
        if kind.is_direction and not subject:
            return self._said(kind, states[0], subject, rng, picture=True), self._text(
                kind, states[1], subject, rng
            )
        named = kind.is_direction or (bool(subject) and happens(0.5, rng))
        first, second = (
            self._about(kind, state, subject, rng, picture=True, named=named) for state in states
        )
        return first, second

    def _differently(self, kind: Kind, state: _State, said: str, subject: Sequence[str], rng: Rng) -> Design:
        design = self._text(kind, state, subject, rng)
        for _ in range(8):
            if _said_alike(design.text) != _said_alike(said):
                break
            design = self._text(kind, state, subject, rng)
        return design

    def _said(self, kind: Kind, state: _State, subject: Sequence[str], rng: Rng, *, picture: bool) -> Design:
        shown = self._picture(kind, state, subject, rng) if picture else None
        return shown or self._text(kind, state, subject, rng)

    def _about(
        self,
        kind: Kind,
        state: _State,
        subject: Sequence[str],
        rng: Rng,
        *,
        picture: bool,
        named: bool = True,
    ) -> Design:
        """An element that names its subject in any case."""
        # U-turn arrows have no room for a name.
        if picture and state.pictures and "arrow:uturn" not in state.pictures:
            shown = self._picture(kind, state, subject, rng, named=named)
            if shown is not None:
                return shown
        return self._text(kind, state, subject, rng, named=True)

    def _text(
        self, kind: Kind, state: _State, subject: Sequence[str], rng: Rng, *, named: bool = False
    ) -> Design:
        word = one_of(subject, rng) if subject else ""
        templates = state.words
        if named and word:
            naming = tuple(one for one in templates if "{s}" in one.lower())
            templates = naming or tuple("{S}: " + one for one in templates)
        slots = {"s": word}
        if state.amount is not None:
            form = one_of(state.amount.forms, rng)
            slots |= {"v": form, "adj": form, "vth": form, **state.amount.slots}
        template = one_of(templates, rng)
        names = "{s}" in template.lower()
        claim = ClaimTruth(kind.topic, subject[0] if subject and names else "", kind.attribute, state.key)
        text = _lettered(worded(template, slots, rng), rng)
        beside = self._subject_picture(kind, subject) if names and happens(0.35, rng) else None
        return Design("panel", text, beside, claims=(claim,))

    def _picture(
        self,
        kind: Kind,
        state: _State,
        subject: Sequence[str],
        rng: Rng,
        *,
        named: bool | None = None,
    ) -> Design | None:
        """The value as a picture: an arrow, a sign or flag, or one on a captioned panel."""
        if not state.pictures:
            return None
        cls = one_of(state.pictures, rng)
        word = one_of(subject, rng) if subject else ""
        if named is None:
            named = bool(word) and happens(0.5, rng)
        claim = ClaimTruth(kind.topic, subject[0] if subject and named else "", kind.attribute, state.key)
        if cls.startswith("arrow:"):
            pointing = cls.removeprefix("arrow:")
            return self._arrow(kind, pointing, rng, word=word if named else "", subject=subject, claim=claim)
        caption = worded("{S}", {"s": word}, rng) if named and word else ""
        if not caption and word and cls in _NAMED_ONLY:
            caption = worded("{S}", {"s": word}, rng)
            claim = replace(claim, subject=subject[0])
        if not caption and kind.captions:
            caption = one_of(kind.captions, rng) if happens(0.8, rng) else ""
        picture = Picture(cls)
        if caption or cls in _NAMED_ONLY:
            return Design("panel", caption, picture, claims=(claim,))
        return Design("flag" if picture.is_flag else "sign", "", picture, claims=(claim,))

    def _subject_picture(self, kind: Kind, subject: Sequence[str]) -> Picture | None:
        """A pictogram of the thing spoken of, which says nothing about it."""
        cls = (kind.subject_pictures or {}).get(subject[0]) if subject else None
        if cls is None or (self._drawable is not None and cls not in self._drawable):
            return None
        return Picture(cls)

    def _arrow(
        self,
        kind: Kind,
        pointing: str,
        rng: Rng,
        *,
        word: str,
        subject: Sequence[str],
        claim: ClaimTruth,
    ) -> Design:
        if pointing == "uturn":
            word = ""
            claim = replace(claim, subject="")
        shown = self._subject_picture(kind, subject)
        if word and shown is not None and happens(0.35, rng):
            text = worded("{S}", {"s": word}, rng) if happens(0.4, rng) else ""
            return Design("arrow", text, shown, pointing, (claim,), speaks_of_way=True)
        return Design(
            "arrow",
            worded("{S}", {"s": word}, rng) if word else "",
            None,
            pointing,
            (claim,),
            speaks_of_way=True,
        )


class Programme:
    """The applications and labels of a series of scenes, in the published proportions.

    Every block of 312 scenes holds exactly the published numbers; any short run is close to them.
    """

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def at(self, index: int) -> tuple[str, bool]:
        """Application and whether the scene with this number is contradictory."""
        block, place = divmod(index, 2 * sum(PROPORTIONS.values()))
        order = [
            (name, contradictory)
            for name, count in PROPORTIONS.items()
            for contradictory in (False, True)
            for _ in range(count)
        ]
        shuffled = np.random.default_rng((self._seed, 0x5CE7E, block)).permutation(len(order) // 2)
        # Labels alternate, so that any even number of scenes is balanced.
        halves = [[one for one in order if one[1] is label] for label in (False, True)]
        pair, label = divmod(place, 2)
        return halves[label][int(shuffled[pair])]


def _carriers_settled(designs: Sequence[Design], rng: Rng) -> tuple[Design, ...]:
    """Some texts are printed on block arrows that only point at something, as the benchmark does.

    Not where the scene speaks of ways or floors: there such an arrow would say something.
    """
    about_ways = any(
        design.speaks_of_way or any(claim.attribute in _WAYS for claim in design.claims) for design in designs
    )
    if about_ways:
        return tuple(designs)
    return tuple(
        replace(
            design, carrier="arrow", pointing=weighted(("down", "left", "right", "up"), (6, 2, 2, 1), rng)
        )
        if design.carrier == "panel" and len(design.text) <= 34 and design.text and happens(0.28, rng)
        else design
        for design in designs
    )


_WAYS = frozenset(
    {
        "direction",
        "vertical",
        "compass",
        "arrival",
        "route_choice",
        "one_way",
        "distance",
        "duration",
        "floor",
        "usable",
    }
)


_NAMED_ONLY = frozenset({"toggle_on", "toggle_off", "check", "cross", "warning"})
"""Pictures that say nothing without the name of what they are about."""


def _at(time: str, design: Design) -> Design:
    """The same said about another time. Its claims are about that time's attribute."""
    claims = tuple(replace(claim, attribute=f"{claim.attribute} ({time})") for claim in design.claims)
    return replace(design, text=f"{time}: {design.text}", claims=claims)


def _has_pictures(kind: Kind) -> bool:
    return kind.quantity == "country" or any(value.pictures for value in kind.values)


def _subject(kind: Kind, rng: Rng) -> tuple[str, ...]:
    if not kind.subjects:
        return ()
    return one_of(kind.subjects, rng)


def _said_alike(text: str) -> str:
    return "".join(letter for letter in text.casefold() if letter.isalnum())


def _lettered(text: str, rng: Rng) -> str:
    """Capitals and marks as people set them. Texts with numbers keep their units as they are."""
    if any(letter.isdigit() for letter in text):
        return text
    if happens(0.14, rng):
        text = " ".join(word[:1].upper() + word[1:] for word in text.split())
    elif happens(0.07, rng):
        text = text.upper()
    if text[-1].isalpha() and happens(0.14, rng):
        text += one_of(("!", "!", "."), rng)
    return text
