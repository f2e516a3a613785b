"""Everyday nouns that exclude each other: what is a wolf is no fox, what is of oak is not of glass.

Two sources: trees of kinds from WordNet 3.0 (``lexicon/wordnet/categories.txt``, written by
``models/lexicon/categories.py``), and the lexicon's own ``categories`` for what WordNet lacks.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from arwarden.fast.claims.schema import CategorySpec

LISTED_EXCLUSIVE = 0.95
KINDS_EXCLUSIVE = 0.9
SECOND_SENSE = 0.9
"""Of that where one of the words mostly means something else."""

Node = int


@dataclass(frozen=True, slots=True)
class Kinds:
    """WordNet's part: which nodes a word stands for in a category, and the nodes above each."""

    nodes: Mapping[str, Mapping[str, tuple[tuple[Node, bool], ...]]]
    """Word → category → its nodes, each with whether it is the word's first sense."""
    above: Sequence[frozenset[Node]]


class Categories:
    """The categories of one lexicon."""

    def __init__(self, listed: Mapping[str, CategorySpec]) -> None:
        self._listed = listed
        self._values: defaultdict[str, dict[str, str]] = defaultdict(dict)
        for category, spec in listed.items():
            for value, words in spec.values.items():
                for word in (value, *words):
                    self._values[word.lower()][category] = value

    def __contains__(self, category: object) -> bool:
        """Whether there is such a category."""
        return category in self._listed or category in names()

    def of(self, word: str) -> tuple[str, ...]:
        """The categories that a word or pair of words has a place in, those listed by hand first.

        Not the one that it names itself: "room" is no kind of room.
        """
        known = dict.fromkeys((*self._values.get(word, ()), *kinds().nodes.get(word, ())))
        return tuple(category for category in known if category != word)

    def is_listed(self, word: str, category: str = "") -> bool:
        """Whether the lexicon lists the word itself, rather than WordNet alone; of one category if given."""
        return category in self._values.get(word, ()) if category else word in self._values

    def value(self, category: str, word: str) -> str:
        """The one name of what a word stands for in a category: "autumn" for "fall"."""
        return self._values.get(word, {}).get(category, word)

    def modifies(self, category: str) -> bool:
        """Whether its words before a noun say what that is made of or like ("oak table")."""
        spec = self._listed.get(category)
        return spec is not None and spec.modifies

    def label(self, category: str) -> str:
        """The category's name in messages."""
        spec = self._listed.get(category)
        return spec.label if spec is not None and spec.label else category

    def exclusive(self, category: str, one: str, other: str) -> float:
        """How sure it is that a thing is not both, 0..1; 0 where one is of the other's kind."""
        one, other = self.value(category, one), self.value(category, other)
        if one == other:
            return 0.0
        spec = self._listed.get(category)
        if spec is not None:
            if any(one in pair and other in pair for pair in spec.compatible):
                return 0.0
            if one in spec.values and other in spec.values:
                return LISTED_EXCLUSIVE
        return self._unrelated(category, one, other, listed=spec)

    def _unrelated(self, category: str, one: str, other: str, *, listed: CategorySpec | None) -> float:
        first, second = (kinds().nodes.get(word, {}).get(category, ()) for word in (one, other))
        if not first or not second:
            known = [word for word, nodes in ((one, first), (other, second)) if not nodes]
            return KINDS_EXCLUSIVE if listed and all(word in listed.values for word in known) else 0.0
        above = kinds().above
        if any(a == b or a in above[b] or b in above[a] for a, _ in first for b, _ in second):
            return 0.0
        sure = any(main for _, main in first) and any(main for _, main in second)
        return KINDS_EXCLUSIVE if sure else KINDS_EXCLUSIVE * SECOND_SENSE


@cache
def names() -> frozenset[str]:
    """The categories taken from WordNet."""
    return frozenset(category for found in kinds().nodes.values() for category in found)


@cache
def kinds() -> Kinds:
    """The shipped trees, read once."""
    path = files("arwarden.fast.claims") / "lexicon" / "wordnet" / "categories.txt"
    nodes: defaultdict[str, defaultdict[str, list[tuple[Node, bool]]]] = defaultdict(
        lambda: defaultdict(list)
    )
    above: list[frozenset[Node]] = []
    category, branch = "", [frozenset[Node]()]
    for line in path.read_text(encoding="utf-8").splitlines():
        words = line.lstrip(" ")
        if line.startswith("# "):
            category = line[2:]
            continue
        depth = len(line) - len(words)
        node = len(above)
        above.append(branch[depth])
        branch[depth + 1 :] = [branch[depth] | {node}]
        for word in words.split(",") if words != "-" else ():
            nodes[word.lstrip("~")].setdefault(category, []).append((node, not word.startswith("~")))
    return Kinds(
        {word: {one: tuple(found) for one, found in places.items()} for word, places in nodes.items()},
        tuple(above),
    )
