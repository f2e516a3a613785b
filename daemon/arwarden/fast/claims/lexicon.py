"""The lexicon: merged from its files, checked as a whole, and compiled for reading."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from functools import cached_property, lru_cache
from pathlib import Path

from arwarden.core.errors import ConfigError
from arwarden.core.findings import Severity
from arwarden.fast.claims.categories import Categories
from arwarden.fast.claims.files import read_file, shipped_files, shipped_languages
from arwarden.fast.claims.languages import BASE, Languages
from arwarden.fast.claims.repair import Repairer
from arwarden.fast.claims.schema import AttributeSpec, GlossSpec, LexiconFile, SubjectSpec
from arwarden.fast.claims.tokens import clean, tokenise
from arwarden.fast.claims.validate import problems_in
from arwarden.fast.claims.words import WordBase, word_base

LISTED_OPPOSITES = 0.95
WEAK_STRENGTH = 0.6
"""A word that claims its value only in a fitting place ("left", which is also what remains)."""
MOST_REPAIRED = 4096
"""Texts remembered with their misreadings repaired."""


class Kind(Enum):
    """What a phrase of the lexicon is good for."""

    VALUE = auto()
    COMMAND = auto()
    LAST = auto()
    ALONE = auto()
    SUBJECT = auto()
    ACTIVITY = auto()
    PERMIT = auto()
    FORBID = auto()
    IGNORE = auto()
    QUALIFIER = auto()
    COUNTRY = auto()
    NEGATOR = auto()


@dataclass(frozen=True, slots=True)
class Sense:
    """One meaning of a phrase: for a value its attribute and value, for the rest a name in *value*."""

    kind: Kind
    value: str
    attribute: str = ""
    strength: float = 1.0


Phrase = tuple[str, ...]
_PASSED_OVER = frozenset(
    {"the", "a", "an", "your", "this", "has", "have", "been", "still", "now", "currently", "already", "again"}
)
"""Inside a phrase these change nothing: "signal lost", "the signal has been lost"."""
_MOST_PASSED_OVER = 2


class PhraseTable:
    """Phrases by their first token; finds the longest one at a place.

    A phrase that claims a value is found with and without small words inside it.
    """

    def __init__(self) -> None:
        self._by_first: dict[str, dict[Phrase, list[Sense]]] = {}
        self._bare: dict[Phrase, list[Sense]] = {}
        self._longest: dict[str, int] = {}

    def add(self, phrase: Phrase, sense: Sense) -> None:
        """Adds one meaning of a phrase."""
        senses = self._by_first.setdefault(phrase[0], {}).setdefault(phrase, [])
        if sense not in senses:
            senses.append(sense)
        self._longest[phrase[0]] = max(self._longest.get(phrase[0], 1), len(phrase))
        bare = _without_small(phrase)
        if sense.kind is Kind.VALUE and sense.strength == 1.0 and len(bare) > 1:
            self._bare.setdefault(bare, []).append(sense)

    def longest(self, words: Sequence[str], at: int) -> tuple[int, list[Sense]]:
        """Length and meanings of the longest phrase that begins at *at*; 0 where there is none."""
        phrases = self._by_first.get(words[at])
        if phrases is None:
            return 0, []
        for length in range(min(self._longest[words[at]] + _MOST_PASSED_OVER, len(words) - at), 0, -1):
            said = tuple(words[at : at + length])
            senses = phrases.get(said)
            if senses:
                return length, senses
            senses = self._bare.get(_without_small(said)) if length > 1 else None
            if senses:
                return length, senses
        return 0, []

    def words(self) -> Iterable[str]:
        """Every token of every phrase."""
        for phrases in self._by_first.values():
            for phrase in phrases:
                yield from phrase


def _without_small(phrase: Phrase) -> Phrase:
    """The phrase without the small words inside it; those at its ends stay."""
    return tuple(
        word for at, word in enumerate(phrase) if word not in _PASSED_OVER or at == 0 or at == len(phrase) - 1
    )


def cut(phrase: str) -> Phrase:
    """A phrase of the lexicon as tokens, without repair ("under 18s" ends like "18 s", as in any text)."""
    plain = Repairer(frozenset(), frozenset(), lambda _word: True)
    return tuple(token.text for token in tokenise(clean(phrase), plain, frozenset({"s"}), frozenset()))


@dataclass(frozen=True)
class Lexicon:
    """All words that claims are read from. Load it once; it is never changed afterwards."""

    languages: tuple[str, ...]
    data: LexiconFile
    glosses: Mapping[str, GlossSpec] = field(default_factory=dict)
    """The wordings of each further language, put into those of English."""

    @classmethod
    def load(cls, languages: Sequence[str], extra: Sequence[Path] = ()) -> Lexicon:
        """The shipped files of *languages* merged with *extra* files, which win where both say something.

        Raises:
            ConfigError: any file is unreadable or wrong; ``problems`` lists every fault with file, entry
                and fix.
        """
        problems: list[str] = []
        paths: list[Path] = []
        # Other languages are put into English words, so English is what all of them need.
        for language in dict.fromkeys((*([BASE] if languages else []), *languages)):
            found = shipped_files(language)
            if not found and not extra:
                known = ", ".join(shipped_languages())
                problems.append(f"fast.languages: there is no lexicon for {language!r}; there is: {known}")
            paths += found
        loaded: list[tuple[str, LexiconFile]] = []
        for path in (*paths, *extra):
            content, faults = read_file(Path(path))
            problems += faults
            if content is not None:
                loaded.append((Path(path).name, content))
        if not loaded and not problems:
            problems.append("fast.languages: names no language; give at least one, such as en")
        data = merge([content for _, content in loaded])
        problems += problems_in(data, loaded)
        if problems:
            raise ConfigError("lexicon", problems)
        return cls(tuple(languages), data, _glosses([content for _, content in loaded]))

    @cached_property
    def tongues(self) -> Languages:
        """What tells languages apart and reads those that are not English."""
        return Languages(self.glosses, self.is_english, self.touching, self.numbered)

    @cached_property
    def repaired(self) -> Callable[[str], str]:
        """Puts an English text into words without misreadings; "" for a text in another language.

        Remembers some thousand texts: those of a view stay.
        """
        return lru_cache(maxsize=MOST_REPAIRED)(self._repaired)

    def _repaired(self, text: str) -> str:
        cleaned = clean(self.tongues.prepared(text))
        if self.tongues.detect(cleaned)[0].language != BASE:
            return ""
        tokens = tokenise(cleaned, self.repairer, self.touching, self.numbered)
        return " ".join(token.text for token in tokens)

    def is_english(self, word: str) -> bool:
        """Whether an English reader knows it: of the vocabulary, or one that rules speak of."""
        return self.repairer.is_word(word) or self.words.known(word)

    @property
    def words(self) -> WordBase:
        """The broad vocabulary behind the lexicon."""
        return word_base()

    @cached_property
    def categories(self) -> Categories:
        """Words that exclude each other without an attribute of the lexicon."""
        return Categories(self.data.categories)

    def attribute(self, name: str) -> AttributeSpec | None:
        """The specification of an attribute, with or without a qualifier ("opening.sunday")."""
        return self.data.attributes.get(name) or self.data.attributes.get(name.partition(".")[0])

    def severity(self, attribute: str) -> Severity:
        """How much a contradiction on this attribute matters."""
        spec = self.attribute(attribute)
        if spec is not None:
            return spec.severity
        if self.data.origin is not None and attribute.partition(".")[0] == self.data.origin.attribute:
            return self.data.origin.severity
        return Severity.WARNING if attribute in WARNING_ATTRIBUTES else Severity.INFO

    def unnamed_confidence(self, attribute: str, default: float) -> float:
        """How surely two claims on *attribute* without any subject are about the same thing."""
        spec = self.attribute(attribute)
        if spec is not None and spec.unnamed_confidence is not None:
            return spec.unnamed_confidence
        if self.data.origin is not None and attribute == self.data.origin.attribute:
            return self.data.origin.unnamed_confidence
        return default

    @cached_property
    def opposites(self) -> dict[tuple[str, str], str]:
        """(attribute, value) → the only other value it can have, where there is exactly one."""
        table: dict[tuple[str, str], str] = {}
        for name, spec in self.data.attributes.items():
            for one, other in spec.opposites:
                table[name, one] = other
                table[name, other] = one
        return table

    @cached_property
    def antonyms(self) -> frozenset[tuple[str, str]]:
        """Pairs of opposite predicates that the lexicon lists, both ways round."""
        pairs = self.data.antonyms
        return frozenset(pairs) | frozenset((other, one) for one, other in pairs)

    def opposed(self, one: str, other: str) -> float:
        """How sure it is that two predicates are opposites, 0..1, by the lexicon or else the vocabulary."""
        first, second = self.words.comparative(one), self.words.comparative(other)
        if first is not None and second is not None and first[1] != second[1]:
            return LISTED_OPPOSITES if first[0] == second[0] else 0.0  # "more crowded", "less crowded"
        if first is not None and second is not None and first[0] != one and second[0] != other:
            return max(self.opposed(first[0], second[0]), self.words.opposed(one, other))
        return LISTED_OPPOSITES if (one, other) in self.antonyms else self.words.opposed(one, other)

    @cached_property
    def compatible(self) -> frozenset[tuple[str, str, str]]:
        """(attribute, value, value), both ways round: pairs that can hold at the same time."""
        pairs: set[tuple[str, str, str]] = set()
        for name, spec in self.data.attributes.items():
            for one, other in spec.compatible:
                pairs |= {(name, one, other), (name, other, one)}
        return frozenset(pairs)

    @cached_property
    def subject_names(self) -> dict[str, str]:
        """Every word of a subject → its one name."""
        return {
            word.lower(): slug(name)
            for name, spec in self.data.subjects.items()
            for word in subject_words(spec)
        }

    @cached_property
    def subject_slugs(self) -> frozenset[str]:
        """The names of all subjects."""
        return frozenset(slug(name) for name in self.data.subjects)

    @cached_property
    def activities(self) -> frozenset[str]:
        """Subjects that are something one does, or may be forbidden to do or bring."""
        return frozenset(
            slug(name) for name, spec in self.data.subjects.items() if isinstance(spec, SubjectSpec)
        )

    @cached_property
    def ingredients(self) -> frozenset[str]:
        """Subjects that things are said to contain or to be free of."""
        return frozenset(slug(name) for name in self.data.ingredients)

    @cached_property
    def members_of(self) -> dict[str, tuple[str, ...]]:
        """A wider kind → the things that are of it ("pet" → "dog")."""
        return {slug(kind): tuple(slug(one) for one in members) for kind, members in self.data.kinds.items()}

    @cached_property
    def kind_of(self) -> dict[str, tuple[str, ...]]:
        """A thing → the wider kinds it is one of ("almond" → "nut")."""
        table: dict[str, list[str]] = {}
        for kind, members in self.data.kinds.items():
            for member in members:
                table.setdefault(slug(member), []).append(slug(kind))
        return {member: tuple(kinds) for member, kinds in table.items()}

    @cached_property
    def table(self) -> PhraseTable:
        """All phrases with what they mean."""
        table = PhraseTable()
        for name, spec in self.data.attributes.items():
            _add_attribute(table, name, spec)
        for name, subject in self.data.subjects.items():
            _add_subject(table, slug(name), subject)
        for phrase in self.data.ignore:
            table.add(cut(phrase), Sense(Kind.IGNORE, phrase))
        for name, phrases in self.data.qualifiers.items():
            for phrase in phrases:
                table.add(cut(phrase), Sense(Kind.QUALIFIER, name))
        for phrase in self.data.grammar.negators:
            if len(cut(phrase)) > 1:
                table.add(cut(phrase), Sense(Kind.NEGATOR, phrase))
        self._add_countries(table)
        return table

    def _add_countries(self, table: PhraseTable) -> None:
        for country in self.data.countries.values():
            for word in (country.name, *country.also):
                table.add(cut(word), Sense(Kind.COUNTRY, country.name, "name"))
            for word in country.adjectives:
                table.add(cut(word), Sense(Kind.COUNTRY, country.name, "adjective"))
            for word in country.places:
                table.add(cut(word), Sense(Kind.COUNTRY, country.name, "place"))
        for name, union in self.data.unions.items():
            for word in union.words:
                table.add(cut(word), Sense(Kind.COUNTRY, name, "name"))

    @cached_property
    def members(self) -> dict[str, frozenset[str]]:
        """A union of countries → the names of its members, members of member unions included."""
        names = {code: country.name for code, country in self.data.countries.items()}
        table: dict[str, frozenset[str]] = {}
        for name, union in self.data.unions.items():
            found: set[str] = set()
            for member in union.members:
                inner = self.data.unions.get(member)
                codes = inner.members if inner is not None else (member,)
                found |= {names[code] for code in codes if code in names} | ({member} if inner else set())
            table[name] = frozenset(found)
        return table

    @cached_property
    def unit_words(self) -> dict[Phrase, str]:
        """The words of a unit as tokens → the unit."""
        return {cut(word): name for name, unit in self.data.units.items() for word in unit.words}

    @cached_property
    def currency_words(self) -> dict[str, str]:
        """A currency's word or sign → its code."""
        return {word.lower(): code for code, words in self.data.currencies.items() for word in words}

    @cached_property
    def touching(self) -> frozenset[str]:
        """Words that may touch a number without a space."""
        units = {phrase[0] for phrase in self.unit_words}
        return frozenset(units | set(self.currency_words) | {"am", "pm", "st", "nd", "rd", "th", "x", "h"})

    @cached_property
    def measured(self) -> frozenset[str]:
        """Nouns for what a number with a unit says: "pressure", "load", "height"."""
        names = [spec.attribute for spec in self.data.dimensions.values()]
        names += [name for group in self.data.measure_names.values() for name in group]
        return frozenset(name.split()[-1] for name in names)

    @cached_property
    def before_any_measure(self) -> frozenset[str]:
        """Words that tell a measure from no other of its sort: "the pressure", "max load"."""
        grammar = self.data.grammar
        return frozenset((*grammar.articles, *grammar.function_words, *grammar.max_words, *grammar.min_words))

    @cached_property
    def numbered(self) -> frozenset[str]:
        """Nouns that a number or code follows ("gate")."""
        return frozenset(word for words in self.data.labels.values() for word in words)

    @cached_property
    def repairer(self) -> Repairer:
        """Repairs damaged words towards the words of this lexicon."""
        grammar = self.data.grammar
        small = {
            token
            for words in grammar.model_dump().values()
            for phrase in words
            for token in cut(phrase)
            if token.isalpha()
        }
        named = {
            token
            for group in (*self.data.measure_names.values(), self.data.price_names, self.data.time_names)
            for phrases in group.values()
            for phrase in phrases
            for token in cut(phrase)
        }
        content = {word for word in (*self.table.words(), *named, *self.numbered) if word.isalpha()}
        units = {word for phrase in self.unit_words for word in phrase if word.isalpha()}
        small |= units | set(self.data.months) | set(self.data.number_words) | set(self.data.ordinals)
        targets = frozenset(word for word in content if len(word) >= 3)
        return Repairer(targets, frozenset(small), self.words.known)


WARNING_ATTRIBUTES = frozenset(
    {
        "price",
        "gate",
        "platform",
        "floor",
        "room",
        "expiry date",
        "departure time",
        "instruction",
        "presence",
        "distance",
        "speed limit",
        "temperature",
        "maximum load",
    }
)


def slug(name: str) -> str:
    """A subject's name as one word: what has several words in the lexicon is still one thing."""
    return name.replace(" ", "-")


def subject_words(spec: SubjectSpec | Sequence[str]) -> Sequence[str]:
    """The nouns of a subject, given in the short or the long form."""
    return spec.words if isinstance(spec, SubjectSpec) else spec


def _add_attribute(table: PhraseTable, name: str, spec: AttributeSpec) -> None:
    for value, words in spec.values.items():
        for word in words.words:
            table.add(cut(word), Sense(Kind.VALUE, value, name))
        for word in words.weak:
            table.add(cut(word), Sense(Kind.VALUE, value, name, WEAK_STRENGTH))
        for word in words.commands:
            table.add(cut(word), Sense(Kind.COMMAND, value, name))
        for word in words.alone:
            table.add(cut(word), Sense(Kind.ALONE, value, name))
        for word in words.last:
            table.add(cut(word), Sense(Kind.LAST, value, name))


def _add_subject(table: PhraseTable, name: str, subject: SubjectSpec | Sequence[str]) -> None:
    groups = [(Kind.SUBJECT, subject_words(subject))]
    if isinstance(subject, SubjectSpec):
        groups += [
            (Kind.ACTIVITY, subject.activity),
            (Kind.PERMIT, subject.allowed),
            (Kind.FORBID, subject.forbidden),
        ]
    for kind, words in groups:
        for word in words:
            table.add(cut(word), Sense(kind, name))


def _glosses(parts: Sequence[LexiconFile]) -> dict[str, GlossSpec]:
    """The glosses by language, several files of one language as one."""
    found: dict[str, LexiconFile] = {}
    for part in parts:
        if part.gloss is not None:
            before = found.get(part.language)
            found[part.language] = part if before is None else merge([before, part])
    return {code: part.gloss for code, part in found.items() if part.gloss is not None}


def merge(parts: Sequence[LexiconFile]) -> LexiconFile:
    """Several files as one: word lists and values are added up, other settings of later files win."""
    merged: dict[str, object] = {"language": parts[0].language if parts else "en"}
    for part in parts:
        for key, value in part.model_dump(exclude_unset=True).items():
            merged[key] = _join(merged.get(key), value)
    return LexiconFile.model_validate(merged)


def _join(old: object, new: object) -> object:
    if isinstance(old, dict) and isinstance(new, dict):
        return {
            key: _join(old.get(key), new[key]) if key in new else old[key]
            for key in (*old, *(k for k in new if k not in old))
        }
    if isinstance(old, dict) and isinstance(new, tuple | list) and "words" in old:
        return {**old, "words": _join(old["words"], new)}
    if isinstance(old, tuple | list) and isinstance(new, tuple | list):
        return (*old, *(item for item in new if item not in old))
    return new
