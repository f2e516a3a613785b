"""Kinds of contradiction, read from ``wording/*.yaml``: attribute, values, and how each value is said.

Wordings are templates: ``{s}`` is the subject, ``{v}`` the amount, ``(a|b)`` a choice. A template
belongs to one split by its hash, so no test sentence is made from a template seen in training.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import yaml

WORDING = Path(__file__).parent / "wording"
PROPORTIONS: Mapping[str, int] = {
    "indoor_navigation": 27,
    "outdoor_navigation": 30,
    "safety_inspection": 21,
    "smart_apartment": 45,
    "smart_retail": 33,
}
"""Scenes of each application per label in ContrAR (Table 1 of the paper)."""

_CHOICE = re.compile(r"\(([^()]*\|[^()]*)\)")


class Split(StrEnum):
    """Which part of the material a scene is made from."""

    TRAIN = "train"
    VALIDATION = "validation"
    TEST = "test"


class KindFilter(StrEnum):
    """Which kinds of contradiction a scene may be about."""

    SEEN = "seen"
    HELD_OUT = "held_out"
    ALL = "all"


@dataclass(frozen=True, slots=True)
class Value:
    """One value of an attribute and the ways to express it."""

    name: str
    words: tuple[str, ...]
    denials: tuple[str, ...] = ()
    """Says the same by denying the opposite."""
    other_time: tuple[str, ...] = ()
    """Speaks of another value at another time, which goes together with this one now."""
    instructions: tuple[str, ...] = ()
    pictures: tuple[str, ...] = ()
    """Pictogram classes; ``arrow:left`` and so on are block arrows."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of contradiction: an attribute with values of which only one can be true."""

    name: str
    application: str
    attribute: str
    topic: str
    """Statements on the same topic are never mixed by chance."""
    group: str
    held_out: bool
    values: tuple[Value, ...]
    quantity: str = ""
    """For amounts (price, floor, ...) instead of listed values."""
    words: tuple[str, ...] = ()
    captions: tuple[str, ...] = ()
    subjects: tuple[tuple[str, ...], ...] = ()
    """Things it can be said of; each with its synonyms."""
    objects: tuple[str, ...] = ()
    """Places that tell two statements of a kind without subjects apart."""
    subject_pictures: Mapping[str, str] | None = None
    compatible: tuple[frozenset[str], ...] = ()
    """Values that can be true together all the same: rain and a thunderstorm."""
    picture_pairs: bool = True
    """False where two pictures side by side go together (a stairs sign and a lift sign)."""

    @property
    def is_direction(self) -> bool:
        """True where arrows carry the value."""
        return any(picture.startswith("arrow:") for value in self.values for picture in value.pictures)


@dataclass(frozen=True, slots=True)
class Application:
    """An application of the benchmark: what it says, and what it shows beside."""

    name: str
    kinds: tuple[Kind, ...]
    neutral: tuple[str, ...]


@cache
def applications(folder: Path = WORDING) -> tuple[Application, ...]:
    """All applications, checked. Raises ``ValueError`` that names the kind and what is wrong."""
    loaded = tuple(_application(folder / f"{name}.yaml") for name in PROPORTIONS)
    _check(kind for application in loaded for kind in application.kinds)
    return loaded


def chosen(kinds: Iterable[Kind], which: KindFilter) -> tuple[Kind, ...]:
    """The kinds that pass the filter."""
    return tuple(
        kind for kind in kinds if which is KindFilter.ALL or kind.held_out == (which is KindFilter.HELD_OUT)
    )


def pictogram_classes(kinds: Iterable[Kind]) -> frozenset[str]:
    """Pictogram classes (no arrows, no flags) that the kinds use to show a value."""
    return frozenset(
        picture
        for kind in kinds
        for value in kind.values
        for picture in value.pictures
        if not picture.startswith("arrow:")
    )


def held_out_classes() -> frozenset[str]:
    """Pictogram classes that only held-out kinds use: leave them out of training with those kinds."""
    everything = [kind for application in applications() for kind in application.kinds]
    seen = pictogram_classes(chosen(everything, KindFilter.SEEN))
    return pictogram_classes(chosen(everything, KindFilter.HELD_OUT)) - seen


def of_split(templates: Iterable[str], split: Split) -> tuple[str, ...]:
    """The templates of a split: one or two each are for test and validation, the rest for training."""
    shared_out = _shared_out()
    return tuple(template for template in templates if shared_out[template] is split)


@cache
def _shared_out() -> Mapping[str, Split]:
    """The split of every template, list by list; what no list needs unseen is for training."""
    uses = Counter(template for templates in _lists() for template in set(templates))
    found: dict[str, Split] = {}
    for templates in _lists():
        ranked = sorted(templates, key=lambda template: (uses[template], _rank(template)))
        for split, wanted in _unseen(len(ranked)).items():
            free = [template for template in ranked if template not in found]
            missing = wanted - sum(found.get(template) is split for template in ranked)
            found |= dict.fromkeys(free[: max(0, missing)], split)
        if len(ranked) < 5:
            # Too few to share out: each goes by its own number, so every split gets some of them.
            found |= {template: _by_number(template) for template in ranked if template not in found}
    return {template: found.get(template, Split.TRAIN) for template in uses}


def _lists() -> Iterator[tuple[str, ...]]:
    for application in applications():
        yield application.neutral
        for kind in application.kinds:
            yield kind.words
            for value in kind.values:
                yield from (value.words, value.denials, value.other_time, value.instructions)


def _unseen(count: int) -> Mapping[Split, int]:
    """How many of so many wordings are kept from training."""
    if count < 5:
        return {}
    if count < 10:
        return {Split.TEST: 1 if count < 6 else 2, Split.VALIDATION: 1 if count < 7 else 2}
    return {Split.TEST: count // 4, Split.VALIDATION: count // 5}


def _by_number(template: str) -> Split:
    number = _rank(template)[0] / 256
    return Split.TEST if number < 0.3 else Split.VALIDATION if number < 0.6 else Split.TRAIN


def _rank(template: str) -> bytes:
    return hashlib.sha256(template.encode()).digest()


def worded(template: str, slots: Mapping[str, str], rng: np.random.Generator) -> str:
    """A sentence from a template: choices made, slots filled (``{S}`` with a capital)."""

    def choose(match: re.Match[str]) -> str:
        options = match[1].split("|")
        return options[int(rng.integers(len(options)))]

    text = _CHOICE.sub(choose, template)
    for name, value in slots.items():
        text = text.replace("{" + name + "}", value).replace(
            "{" + name.capitalize() + "}", value[:1].upper() + value[1:]
        )
    text = " ".join(text.split())
    return text[:1].upper() + text[1:]


def _application(path: Path) -> Application:
    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    name = content["application"]
    return Application(
        name=name,
        kinds=tuple(_kind(name, raw) for raw in content["kinds"]),
        neutral=tuple(content["neutral"]),
    )


def _kind(application: str, raw: Mapping[str, Any]) -> Kind:
    return Kind(
        name=raw["kind"],
        application=application,
        attribute=raw["attribute"],
        topic=raw["topic"],
        group=raw["group"],
        held_out=raw.get("held_out", False),
        values=tuple(_value(name, value) for name, value in raw.get("values", {}).items()),
        quantity=raw.get("quantity", ""),
        words=tuple(raw.get("words", ())),
        captions=tuple(raw.get("captions", ())),
        subjects=tuple(tuple(synonyms) for synonyms in raw.get("subjects", ())),
        objects=tuple(raw.get("objects", ())),
        subject_pictures=raw.get("subject_pictures"),
        compatible=tuple(frozenset(names) for names in raw.get("compatible", ())),
        picture_pairs=raw.get("picture_pairs", True),
    )


def _value(name: str, raw: Mapping[str, Any]) -> Value:
    return Value(
        name=str(name),
        words=tuple(raw["words"]),
        denials=tuple(raw.get("not", ())),
        other_time=tuple(raw.get("past", ())),
        instructions=tuple(raw.get("then", ())),
        pictures=tuple(raw.get("pictures", ())),
    )


def _check(kinds: Iterable[Kind]) -> None:
    known = list(kinds)
    names = [(kind.application, kind.name) for kind in known]
    faults = [f"{name} is there twice" for name in sorted(set(names)) if names.count(name) > 1]
    for kind in known:
        if bool(kind.values) == bool(kind.quantity):
            faults.append(f"{kind.name} needs either values or a quantity")
        sayings = [value.words for value in kind.values] or [kind.words]
        if any(len(words) < 5 for words in sayings):
            faults.append(f"{kind.name} needs five wordings of each value to share out among the splits")
    shared = pictogram_classes(kind for kind in known if kind.held_out) & pictogram_classes(
        kind for kind in known if not kind.held_out
    )
    if shared:
        faults.append(f"pictograms of held-out kinds are used by others too: {', '.join(sorted(shared))}")
    if faults:
        msg = "the wording is not usable: " + "; ".join(faults)
        raise ValueError(msg)
