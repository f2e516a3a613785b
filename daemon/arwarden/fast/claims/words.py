"""A broad vocabulary behind the lexicon: which words exist, what kind they are, which are opposites.

The data is an extract of WordNet 3.0 (licence in ``lexicon/wordnet/LICENSE``): the 27,000 single words
that are frequent or have several senses, with their parts of speech, most frequent first; antonym pairs;
and for each adjective the head of its cluster of similar adjectives. It serves three ends: a word that
exists is never "corrected" into another, a sentence's nouns can be told from its verbs, and two
predicates that no attribute lists can still be known as opposites.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

DIRECT_OPPOSITES = 0.92
"""How sure a listed pair of antonyms is: senses are not told apart."""
PREFIX_OPPOSITES = 0.9
CLUSTER_OPPOSITES = 0.7
"""How sure it is when one of the two only is similar to a listed antonym."""

NEGATIVE_PREFIXES = ("un", "in", "im", "ir", "il", "non", "dis")
_STEM_LETTERS = 4
_NOUNS_OF_VERBS = (
    ("ed", ""), ("ed", "e"), ("ing", ""), ("ing", "e"),
    ("ation", "ate"), ("ation", "e"), ("ation", ""), ("ration", "er"),
    ("ction", "ct"), ("ution", "ute"), ("ision", "ise"), ("ment", ""),
)  # fmt: skip
"""Endings of nouns and participles of a verb, each with what the verb ends in instead: "registration"."""
_IRREGULAR = {"better": "good", "worse": "bad"}


@dataclass(frozen=True, slots=True)
class WordBase:
    """Words with their parts of speech (``n v a r``, most frequent first), antonyms and clusters."""

    kinds: dict[str, str]
    antonyms: dict[str, frozenset[str]]
    heads: dict[str, frozenset[str]]

    def known(self, word: str) -> bool:
        """Whether *word*, or the word it is a plain inflection of, exists."""
        return word in self.kinds or any(base in self.kinds for base in _bases(word))

    def kind(self, word: str) -> str:
        """The most frequent part of speech, ``?`` for a word that is not listed."""
        return self.all_kinds(word)[:1] or "?"

    def all_kinds(self, word: str) -> str:
        """All parts of speech, most frequent first; empty for a word that is not listed nor made of one."""
        if word in self.kinds:
            return self.kinds[word]
        for base in _bases(word):
            if base in self.kinds:
                kinds = self.kinds[base]
                return ("v" + kinds) if word.endswith(("ed", "ing")) and "v" in kinds else kinds
        participle = word.startswith("un") and word.endswith("ed")
        return "a" if participle and {"v", "a"} & set(self.all_kinds(word[2:])) else ""

    def is_verb(self, word: str) -> bool:
        """Whether *word* is a verb or a form of one, whatever else it is ("painted", "facing", "needs")."""
        forms = (word, *_bases(word)) if word.endswith(("ed", "ing", "s")) else (word,)
        return any("v" in self.kinds.get(form, "") for form in forms)

    def verb_of(self, noun: str) -> str:
        """The verb that a noun or participle is made of ("registration", "replaced"); else empty."""
        for ending, verbal in _NOUNS_OF_VERBS:
            stem = noun.removesuffix(ending)
            if stem == noun or len(stem) < _STEM_LETTERS - 1:
                continue
            short = stem[:-1] if stem[-1] == stem[-2] else ""
            found = next((verb for verb in (stem + verbal, short) if "v" in self.kinds.get(verb, "")), "")
            if found:
                return found
        return ""

    def comparative(self, words: str) -> tuple[str, bool] | None:
        """The adjective of a comparison, and whether it is more so: "stronger", "more dear", "less full"."""
        lead, _, base = words.rpartition(" ")
        if lead in {"more", "less"}:
            return base, lead == "more"
        base = _IRREGULAR.get(words, "")
        if not base and words.endswith("er"):
            base = next((one for one in _bases(words) if "a" in self.kinds.get(one, "")), "")
        return (base, True) if base else None

    def opposed(self, one: str, other: str) -> float:
        """How sure it is that the two words are opposites, 0..1."""
        if one == other:
            return 0.0
        if other in self.antonyms.get(one, ()):
            return DIRECT_OPPOSITES
        if prefix_opposites(one, other):
            return PREFIX_OPPOSITES
        near_one = self.heads.get(one, frozenset((one,)))
        near_other = self.heads.get(other, frozenset((other,)))
        if any(self.antonyms.get(head, frozenset()) & near_other for head in near_one):
            return CLUSTER_OPPOSITES
        return 0.0


def singular(word: str) -> str:
    """The singular of a plain English plural; other words as they are."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("ches", "shes", "sses", "xes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _bases(word: str) -> tuple[str, ...]:
    """Words that *word* may be a plain inflection of."""
    bases = [singular(word)]
    for ending in ("ed", "ing", "er", "est", "ly"):
        if word.endswith(ending) and len(word) > len(ending) + 2:
            stem = word[: -len(ending)]
            bases += [stem, stem + "e"]
            if stem.endswith("i"):
                bases.append(stem[:-1] + "y")  # "easier", "carried"
            if len(stem) > 2 and stem[-1] == stem[-2]:
                bases.append(stem[:-1])
    return tuple(base for base in bases if base != word)


def prefix_opposites(one: str, other: str) -> bool:
    """Whether one word is the other behind a negating prefix ("edible", "inedible")."""
    short, long = sorted((one, other), key=len)
    return len(short) >= _STEM_LETTERS and any(long == prefix + short for prefix in NEGATIVE_PREFIXES)


@cache
def word_base() -> WordBase:
    """The shipped vocabulary, read once."""
    folder = files("arwarden.fast.claims") / "lexicon" / "wordnet"
    kinds: dict[str, str] = {}
    for line in (folder / "words.txt").read_text(encoding="utf-8").splitlines():
        word, _, parts = line.partition(" ")
        kinds[word] = parts
    antonyms: defaultdict[str, set[str]] = defaultdict(set)
    heads: defaultdict[str, set[str]] = defaultdict(set)
    for line in (folder / "antonyms.txt").read_text(encoding="utf-8").splitlines():
        kind, one, other = line.split(" ")
        if kind == "s":
            heads[one].add(other)
        else:
            antonyms[one].add(other)
            antonyms[other].add(one)
    return WordBase(
        kinds,
        {word: frozenset(others) for word, others in antonyms.items()},
        {word: frozenset(others) for word, others in heads.items()},
    )
