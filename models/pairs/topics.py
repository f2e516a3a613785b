"""Topics of statements, from ``material/*.yaml``: things, values that exclude each other, how to say them.

A topic is either seen or kept from training as a whole, by the hash of its name.
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from arwarden.fast.claims.categories import KINDS_EXCLUSIVE, Categories, kinds

MATERIAL = Path(__file__).parent / "material"
WORDNET = Path(__file__).resolve().parents[2] / "daemon/arwarden/fast/claims/lexicon/wordnet/antonyms.txt"
COMMON = Path(__file__).parent / "weights" / "vocabulary.txt"
"""Whole words that the model knows; WordNet's others are too rare to say anything with."""
KEPT_SHARE = 0.15
"""Of the topics, kept from training: accuracy on them is accuracy on what was never met."""
FORMS = ("named", "bare", "denied", "bare_denied", "elsewhen", "open", "shown", "names")
MOST_KINDS = 40
"""Values of one category of WordNet."""
LEAST_KINDS = 5
MOST_ALIKE = 4
"""Words beside an adjective that mean much the same."""
Slots = Mapping[str, str]
Subject = tuple[Slots, ...]
"""One thing: the slots that its synonyms fill in a frame."""


@dataclass(frozen=True, slots=True)
class Value:
    """One value: words that fill ``{v}`` and the frames to say it in, by form."""

    words: tuple[str, ...]
    frames: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Topic:
    """Values of which a thing has only one."""

    name: str
    family: str
    subjects: tuple[Subject, ...]
    values: tuple[Value, ...] = ()
    amount: str = ""
    """How numbers are made, instead of listed values."""
    frames: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Of amounts."""
    pairs: tuple[tuple[str, str], ...] = ()
    """Amounts that go together."""
    beside: tuple[str, ...] = ()
    complete: bool = False
    """Two values and no third: what is not the one is the other."""

    @property
    def kept(self) -> bool:
        """True for topics that are never trained on."""
        return hashlib.sha256(self.name.encode()).digest()[0] < KEPT_SHARE * 256


@cache
def topics() -> tuple[Topic, ...]:
    """All topics, each name once."""
    found: dict[str, Topic] = {}
    listed = (*_listed(), *_categories(), *_worlds(), *_amounts())
    for topic in (*listed, *_antonyms(), *_opposite_orders(), *_kinds()):
        found.setdefault(topic.name, topic)
    return tuple(found.values())


@cache
def held_out_words() -> re.Pattern[str]:
    """Matches a text that speaks of a kind which the scene generator holds out."""
    return re.compile("|".join(rf"\b(?:{one})\b" for one in _read("held_out")), re.IGNORECASE)


def _read(name: str) -> Any:  # noqa: ANN401 - YAML
    # Plain strings alone: "on" and "no" are words here.
    return yaml.load((MATERIAL / f"{name}.yaml").read_text(encoding="utf-8"), yaml.BaseLoader)  # noqa: S506


def _forms(spec: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    return {form: tuple(spec[form]) for form in FORMS if form in spec}


def _subjects(things: Sequence[str]) -> tuple[Subject, ...]:
    return tuple(tuple({"s": name} for name in thing.split("/")) for thing in things)


def _listed() -> Iterator[Topic]:
    families = _read("families")
    for family, entries in _read("topics").items():
        frames = families[family]
        for entry in entries:
            if family == "state":
                values = tuple(Value(tuple(words), _forms(frames)) for words in entry["values"])
                name = f"state:{entry['values'][0][0]}:{entry['things'][0]}"
                yield Topic(name, family, _subjects(entry["things"]), values, complete=True)
            else:
                yield from _framed(family, entry, frames)


def _framed(family: str, entry: Mapping[str, Any], frames: Mapping[str, Any]) -> Iterator[Topic]:
    """Families whose frames tell the two values apart: one topic for each thing spoken of."""
    shared = _forms(frames)
    values = tuple(Value(("",), shared | _forms(spec)) for spec in frames["values"])
    things = _subjects(entry.get("things", ()))
    if family in {"there", "needed"}:
        for subject in things:
            yield Topic(f"{family}:{subject[0]['s']}", family, (subject,), values, complete=True)
    elif family == "order":
        for (do,) in entry["values"]:
            yield Topic(f"order:{do}", family, (({"do": do},),), values, complete=True)
    elif family == "content":
        for (substance,) in entry["values"]:
            subjects = tuple(tuple({**name, "v": substance} for name in thing) for thing in things)
            yield Topic(f"content:{substance}", family, subjects, values, complete=True)
    elif family == "done":
        for thing in things:
            slots = tuple({**name, "v": word} for name in thing for word in entry["values"][0])
            yield Topic(f"done:{slots[0]['v']}:{slots[0]['s']}", family, (slots,), values, complete=True)
    else:
        slots = tuple(dict(zip(("v", "do"), words, strict=False)) for words in entry["values"])
        yield Topic(f"{family}:{slots[0]['v']}", family, (slots,), values, complete=True)


def _categories() -> Iterator[Topic]:
    shared = _read("families")["state"]
    general = {form: tuple(shared[form]) for form in ("elsewhen", "open")}
    for entry in _read("categories"):
        frames = (general if entry["name"] in _ADJECTIVES else {}) | _forms(entry)
        values = tuple(Value(tuple(words), frames) for words in entry["values"])
        yield Topic(f"category:{entry['name']}", "category", _subjects(entry.get("things", ())), values)


_ADJECTIVES = frozenset({"colour", "temperature_word", "instrument_state", "process_stage", "shape"})
"""Categories whose values fit the frames of states."""


def _worlds() -> Iterator[Topic]:
    for entry in (*_read("worlds"), *_read("situations")):
        nothing: list[list[str]] = [[] for _ in entry["values"]]
        shown, then = entry.get("shown", nothing), entry.get("then", nothing)
        values = tuple(
            Value(("",), {"bare": tuple(said), "shown": tuple(seen), "then": tuple(orders)})
            for said, seen, orders in zip(entry["values"], shown, then, strict=True)
        )
        yield Topic(f"world:{entry['name']}", "world", (), values, beside=tuple(entry["beside"]))


def _amounts() -> Iterator[Topic]:
    for entry in _read("amounts"):
        yield Topic(
            f"amount:{entry['of']}:{entry['things'][0]}",
            "amount",
            _subjects(entry["things"]),
            amount=entry["of"],
            frames=_forms(entry),
            pairs=tuple((one, other) for one, other in entry["pairs"]),
        )


def _antonyms() -> Iterator[Topic]:
    """Opposite adjectives of WordNet with words of like meaning, said of things of all topics."""
    frames = _forms(_read("families")["state"])
    alike: defaultdict[str, list[str]] = defaultdict(list)
    for near, head in _wordnet("s"):
        if near in _common() and not held_out_words().search(near):
            alike[head].append(near)
    for words in _wordnet("a"):
        if not any(held_out_words().search(word) for word in words):
            values = tuple(Value((word, *alike[word][:MOST_ALIKE]), frames) for word in words)
            yield Topic(f"antonyms:{' '.join(words)}", "antonyms", (), values)


def _opposite_orders() -> Iterator[Topic]:
    """Opposite verbs of WordNet as orders about things of all topics."""
    frames = _forms(_read("families")["opposite_order"])
    for words in _wordnet("v"):
        if all(word in _common() and not held_out_words().search(word) for word in words):
            values = tuple(Value((word,), frames) for word in words)
            yield Topic(f"opposite_order:{' '.join(words)}", "opposite_order", (), values)


def _kinds() -> Iterator[Topic]:
    """Categories of WordNet: one thing is of one kind. Values that are of each other's kind are left out."""
    known, categories = _common(), Categories({})
    by_category: defaultdict[str, list[str]] = defaultdict(list)
    for word, places in kinds().nodes.items():
        for category, nodes in places.items():
            if word in known and nodes[0][1] and not held_out_words().search(word):
                by_category[category].append(word)
    for entry in _read("kinds"):
        chosen: list[str] = []
        for word in sorted(by_category[entry["of"]], key=known.__getitem__):
            if len(chosen) < MOST_KINDS and all(
                categories.exclusive(entry["of"], word, other) >= KINDS_EXCLUSIVE for other in chosen
            ):
                chosen.append(word)
        if len(chosen) >= LEAST_KINDS:
            frames = _forms(entry)
            yield Topic(f"kinds:{entry['of']}", "kinds", (), tuple(Value((word,), frames) for word in chosen))


def _wordnet(kind: str) -> Iterator[tuple[str, str]]:
    """Pairs of words of one sort of line of WordNet's file."""
    for line in WORDNET.read_text(encoding="utf-8").splitlines():
        mark, *words = line.split()
        if mark == kind and len(words) == 2:
            yield words[0].replace("_", " "), words[1].replace("_", " ")


@cache
def _common() -> Mapping[str, int]:
    """The model's whole words of three letters or more, each with its place by frequency."""
    pieces = COMMON.read_text(encoding="utf-8").splitlines()
    return {word: at for at, word in enumerate(pieces) if word.isalpha() and len(word) > 2}
