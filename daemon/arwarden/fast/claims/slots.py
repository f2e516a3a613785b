"""Claims from words of exclusive categories, where a sentence says something with them.

"Species: wolf", "the charger is in the garage", "blooms in summer", "oak table": the category is the
attribute, so any two words of one category can contradict each other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from arwarden.core.findings import Claim
from arwarden.fast.claims.clauses import Item
from arwarden.fast.claims.lexicon import Kind, Lexicon
from arwarden.fast.claims.passage import Passage
from arwarden.fast.claims.tokens import Token
from arwarden.fast.claims.words import singular

FIELD_STRENGTH = 0.9
IS_STRENGTH = 0.92
PLACED_STRENGTH = 0.86
OBJECT_STRENGTH = 0.8
POSTPOSED_STRENGTH = 0.86
MODIFIER_STRENGTH = 0.83
"""A word before its noun, where the two are all that the text says."""
MAX_WORDS = 3
"""Words of a category's name at most."""
MAX_CATEGORIES = 3
COUNTRY = "country"
LANGUAGE = "language"
MONTH = "month"
CONTAINER = "container"
_PLACING = frozenset({"in", "at", "on", "inside", "into", "of", "from", "with", "during", "to"})
_SAYS_WITH = {
    "with": frozenset({"material", "meal"}),
    "from": frozenset({"material", "compass"}),
    "to": frozenset({"compass"}),
}
"""Prepositions that only say something with some categories."""
_SWITCHED = frozenset({"on", "off"})
_TIMES = frozenset({"season", "month", "time of day", "meal", "shift", "frequency"})
"""When something holds: beside another claim these only date it."""
_JOINING = frozenset({"and", "or", "/", "&", "+", "also", "nor"})
_SOFT = frozenset({"only", "please", "now", "today", "tonight", "currently", "always", "!", "."})
_NOT_EXCLUSIVE = frozenset({"also", "available", "various", "several", "including", "assorted", "e", "eg"})
_FIELD_NOUNS = frozenset(
    {"material", "colour", "color", "location", "place", "position", "state", "kind", "type"}
)
"""Beside a thing these only name what is said of it ("pipe material: copper")."""
_NAMED_BY_ADJECTIVES = frozenset({"colour", "material", "element", "season", "gem"})
_PERSONS = frozenset({"he", "she", "you"})
_GENUINE = frozenset(
    {"pure", "genuine", "real", "solid", "full", "fully", "100", "%", "completely", "entirely"}
)


@dataclass(frozen=True, slots=True)
class _Found:
    """A word of some categories at tokens ``start`` to ``end`` (excluded)."""

    start: int
    end: int
    word: str
    categories: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Role:
    """How the word is used: how surely it says something, and of what if no mention tells."""

    strength: float
    head: int
    """Where the phrase begins that the word belongs to."""
    verb: str = ""
    modifier: bool = False
    field: bool = False
    preposition: str = ""
    states: bool = False
    """Whether a copula stands before the preposition."""
    sole: bool = True
    """False where the same may be there in several versions: "menu in English"."""


class SlotClaims:
    """Reads words of exclusive categories."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        grammar = lexicon.data.grammar
        self._articles = frozenset(grammar.articles)
        self._modifiers = frozenset(grammar.modifiers)
        self._copulas = frozenset(grammar.copulas)
        self._small = frozenset(grammar.function_words) | self._articles
        self._fillers = frozenset(grammar.fillers)
        self._contains = frozenset(words for words in grammar.contains if " " not in words) | {"traces"}

    def read(self, passage: Passage) -> Iterator[Claim]:
        """The claims of one clause."""
        if _NOT_EXCLUSIVE & set(passage.words):
            return
        stated = any(item.has(Kind.VALUE) or item.amount is not None for item in passage.items)
        for found in self._words(passage):
            if self._is_listed(passage, found) or self._is_contained(passage, found):
                continue
            role = self._role(passage, found)
            subject = "" if role is None else self._subject(passage, found, role)
            if role is None or not subject:
                continue
            for category in found.categories[:MAX_CATEGORIES]:
                if stated and role.preposition and not role.verb and not role.states:
                    continue  # where it is that something else is said of: "lamp in the hall on"
                told = stated or passage.word_before(role.head) in _SWITCHED
                if self._says(found.word, category, role, stated=told):
                    yield from self._claim(passage, found, category, subject, role.strength)

    def _claim(
        self, passage: Passage, found: _Found, category: str, subject: str, strength: float
    ) -> Iterator[Claim]:
        tokens = passage.tokens[found.start : found.end]
        item = Item(found.start, found.end, quality=min(token.quality for token in tokens))
        light = passage.light(item)
        value = self._lexicon.categories.value(category, found.word)
        attribute = category if light.tense == "present" else f"{category}.{light.tense}"
        if passage.frame:
            attribute += f".{passage.frame}"
        sure = strength * light.strength * item.quality
        # Not by way of the passage: "in winter" here is what is said, not when it holds.
        yield Claim(attribute, value, subject, not light.negated, sure, passage.span())

    def _words(self, passage: Passage) -> Iterator[_Found]:
        """Words of categories, the longest at each place."""
        at = passage.clause.start
        while at < passage.clause.end:
            found = self._country(passage, at) or self._longest(passage, at)
            if found is None:
                at += 1
                continue
            yield found
            at = found.end

    def _longest(self, passage: Passage, at: int) -> _Found | None:
        tokens = passage.tokens
        if not tokens[at].is_word:
            return None
        for length in range(min(MAX_WORDS, passage.clause.end - at), 0, -1):
            words = [token.text for token in tokens[at : at + length]]
            for word in dict.fromkeys((" ".join(words), " ".join((*words[:-1], singular(words[-1]))))):
                categories = self._lexicon.categories.of(word)
                if categories and (length > 1 or self._is_plain(tokens[at], categories)):
                    return _Found(at, at + length, word, categories)
        return None

    def _country(self, passage: Passage, at: int) -> _Found | None:
        item = next((item for item in passage.items if item.start == at and item.has(Kind.COUNTRY)), None)
        sense = None if item is None else item.of(Kind.COUNTRY)[0]
        if item is None or sense is None or sense.attribute != "name":
            return None
        return _Found(at, item.end, sense.value, (COUNTRY,))

    def _is_plain(self, token: Token, categories: tuple[str, ...]) -> bool:
        """Whether a single word may be taken as what it names: no small word or number."""
        if token.text in self._lexicon.data.number_words or token.text == "none":
            return False
        named = MONTH in categories and token.upper  # "may" and "May"
        return named or not (token.text in self._small or token.text in self._fillers)

    def _is_listed(self, passage: Passage, found: _Found) -> bool:
        """Whether it stands in a list: "in red and blue"."""
        return (
            passage.word_before(found.start) in _JOINING
            or passage.word_after(found.end) in _JOINING
            or (found.start > 0 and passage.tokens[found.start - 1].text == ",")
            or (found.end < len(passage.tokens) and passage.tokens[found.end].text == ",")
        )

    def _is_contained(self, passage: Passage, found: _Found) -> bool:
        """Whether it is in something, beside which there may be more ("contains soy", "traces of nuts")."""
        lead = {token.text for token in passage.tokens[passage.clause.start : found.start]}
        return bool(self._contains & lead)

    def _role(  # noqa: PLR0911 - one return per place that a word can stand in
        self, passage: Passage, found: _Found
    ) -> _Role | None:
        if self._goes_on(passage, found.end):
            return self._as_modifier(passage, found)
        head = found.start
        while head > passage.clause.start and self._belongs(passage.tokens[head - 1].text):
            head -= 1
        lead = passage.word_before(head)
        rest = [token for token in passage.tokens[found.end : passage.clause.end] if token.text not in _SOFT]
        if lead == ":":
            return _Role(FIELD_STRENGTH if not rest else FIELD_STRENGTH * 0.8, head, field=True)
        if lead in self._copulas:
            compared = self._lexicon.words.comparative(found.word) is not None  # "is lighter": no barge
            return None if compared else _Role(IS_STRENGTH, head)
        if self._is_state(found) and not rest and head == found.start and self._is_noun(lead):
            return _Role(POSTPOSED_STRENGTH, head)
        if lead in _PLACING:
            told = any(token.text in {"on", "off"} for token in rest)  # "lamp in the hall on"
            return None if told else self._placed(passage, head)
        participle = lead.endswith("ed") and head - 1 == passage.clause.start
        if participle and self._lexicon.words.kind(found.word) == "n":
            return None  # "farmed salmon", but "painted red"
        if lead not in self._small and self._is_verb(lead):
            return _Role(OBJECT_STRENGTH, head - 1, _lemma(lead))
        return None

    def _placed(self, passage: Passage, head: int) -> _Role:
        """Behind a preposition: "kept in the garage", "menu in Greek"."""
        verb = passage.word_before(head - 1)
        named = _lemma(verb) if verb and self._is_verb(verb) else ""
        sole = bool(named) or verb in self._copulas or "only" in passage.words
        return _Role(
            PLACED_STRENGTH,
            head - 1,
            named,
            preposition=passage.word_before(head),
            states=verb in self._copulas,
            sole=sole,
        )

    def _is_noun(self, word: str) -> bool:
        return "n" in self._lexicon.words.all_kinds(word)

    def _is_verb(self, word: str) -> bool:
        """Whether a word is mostly a verb, or a form that only verbs have."""
        words = self._lexicon.words
        return words.is_verb(word) and (words.kind(word) == "v" or word.endswith(("ing", "ed", "s")))

    def _is_state(self, found: _Found) -> bool:
        """Whether the words say how a thing is, right behind it ("firmware up to date", "drone grounded")."""
        first = found.word.split()[0]
        return self._lexicon.categories.is_listed(found.word) and (
            self._lexicon.words.kind(first) not in "n?" or first in self._small
        )

    def _as_modifier(self, passage: Passage, found: _Found) -> _Role | None:
        """A word before its noun says something where there is nothing else: "oak table"."""
        lead = [token.text for token in passage.tokens[passage.clause.start : found.start]]
        following = passage.tokens[found.end : passage.clause.end]
        plain = all(word in self._articles for word in lead) and 1 <= len(following) <= 2
        nouns = plain and all(
            token.is_word and token.text not in self._small and self._lexicon.words.kind(token.text) in "n?"
            for token in following
        )
        if not nouns or CONTAINER in self._lexicon.categories.of(following[-1].text):
            return None  # a paper bin is for paper
        return _Role(MODIFIER_STRENGTH, found.start, modifier=True)

    def _belongs(self, word: str) -> bool:
        """Whether a word before a noun is part of its phrase."""
        if word in self._articles or word in self._modifiers or word in _GENUINE:
            return True
        return word not in self._copulas and word not in self._small and self._lexicon.words.kind(word) == "a"

    def _goes_on(self, passage: Passage, at: int) -> bool:
        """Whether a noun follows that the word only describes."""
        if at >= passage.clause.end:
            return False
        token = passage.tokens[at]
        if token.text == "-":
            return True
        plain = token.is_word and token.text not in self._small and token.text not in _SOFT
        return plain and self._lexicon.words.kind(token.text) in "n?a"

    def _subject(self, passage: Passage, found: _Found, role: _Role) -> str:
        """What the word is said of: the nearest thing named before it, or the noun behind it, or a verb."""
        own = {token.text for token in passage.tokens[found.start : found.end]}
        own |= {singular(word) for word in own} | {found.word}
        if role.modifier:
            named = [mention.name for mention in passage.mentions if mention.end > found.end]
        else:
            named = [
                mention.name
                for mention in passage.mentions
                if mention.start < role.head and mention.start < found.start
            ][::-1]
        for name in named:
            words = [word for word in name.split() if word not in own]
            plain = [word for word in words if word not in _FIELD_NOUNS and word not in found.categories]
            if words:
                return " ".join(plain or words)
        lead = [token.text for token in passage.tokens[passage.clause.start : found.start]]
        return role.verb or next((word for word in lead if word in _PERSONS), "")

    def _is_hardly_noun(self, word: str, category: str) -> bool:
        """Whether a word seldom names what WordNet also calls by it ("full" a moon, "left" a hand)."""
        listed = self._lexicon.categories.is_listed(word, category) or category in _NAMED_BY_ADJECTIVES
        return not listed and self._lexicon.words.kinds.get(word, "")[:1] in {"a", "r"}

    def _says(self, word: str, category: str, role: _Role, *, stated: bool) -> bool:
        categories = self._lexicon.categories
        if not role.field and self._is_hardly_noun(word, category):
            return False
        if category == COUNTRY:
            return not role.modifier and role.preposition in {"", "of"}
        if role.modifier:
            return categories.modifies(category)
        if (category in _TIMES and stated and not role.field) or (category == LANGUAGE and not role.sole):
            return False
        only = _SAYS_WITH.get(role.preposition)
        return only is None or category in only


def _lemma(verb: str) -> str:
    """A verb without its ending, alike for all its forms."""
    for ending in ("ing", "ed", "es", "s"):
        if verb.endswith(ending) and len(verb) > len(ending) + 2:
            return verb[: -len(ending)].rstrip("e")
    return verb.rstrip("e")
