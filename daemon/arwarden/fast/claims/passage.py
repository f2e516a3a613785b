"""One clause with everything the claim readers ask of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

from arwarden.core.findings import Claim
from arwarden.fast.claims.clauses import Clause, Item
from arwarden.fast.claims.lexicon import Kind, Lexicon
from arwarden.fast.claims.negation import UNTIL, Light, LightReader
from arwarden.fast.claims.numbers import AmountKind
from arwarden.fast.claims.open_attributes import PERMISSION
from arwarden.fast.claims.schema import AttributeSpec
from arwarden.fast.claims.subjects import Mention, SubjectReader
from arwarden.fast.claims.tokens import Token

ARTICLES_LIKE = frozenset({"the", "a", "your", "this", "my", "our"})
EMERGENCY = "emergency"
"""The occasion on which lasting attributes are what they always are: where the exit is."""
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday")
WEEKEND = ("saturday", "sunday")
WEEK = (*WEEKDAYS, *WEEKEND)
DAYS_OF = {
    "daily": ("", *WEEK),
    "all day": ("", "morning", "afternoon", "evening"),
    "weekday": ("weekday", *WEEKDAYS),
    "weekend": ("weekend", *WEEKEND),
}
"""What holds for several days holds for each of them."""
EXCEPTING = frozenset({"except", "excepting", "excluding", "excl"})
"""Behind these a day is taken out of those that a clause is about ("daily except Sundays")."""
BUT = "but"
"""Takes out only what follows at once ("every day but Sunday")."""
REST_STRENGTH = 0.9
"""What is said to hold on some days only does not hold on the others."""
_TO_DAYS = frozenset({"-", "\u2013", "\u2014", "to", "till", "until", "through"})
PLACING = frozenset({"in", "on", "at", "inside"})
NO_PLACES = frozenset(
    {"lead", "leash", "foot", "sign", "request", "duty", "board", "time", "day", "risk", "area", "zone"}
)
"""Behind these prepositions they limit nothing to a place, or to the one at hand."""
_STILL = frozenset({"now", "still", "back"})
"""Before "on" like "is": "now on level 5" is no more switched on than "is on level 5"."""
_AFTER_A_STATE = frozenset(
    {"now", "again", "today", "tonight", "still", "already", "too", "here", "in", "at", "for", "until"}
    | {"since", "because", "while", "and", "or", "but", "all", "by", "from", "when", "if"}
)
"""After other words "on" is a preposition: "is on the table", "is on strike"."""
MODIFIER_BARE = 0.5
"""Attributes whose words claim less than this on their own are read as telling things apart."""


class Passage:
    """A clause, its words, what it mentions, and helpers to make claims from it."""

    def __init__(
        self,
        text: str,
        tokens: Sequence[Token],
        clause: Clause,
        *,
        lights: LightReader,
        subjects: SubjectReader,
        lexicon: Lexicon,
    ) -> None:
        self.text = text
        self.tokens = tokens
        self.clause = clause
        self.lexicon = lexicon
        self.listing: bool | None = None
        """True or False where a list of what is contained or absent reaches into or out of the clause."""
        self.frame = ""
        """The time that the whole text is about ("until last week: ..."); empty for now."""
        self._lights = lights
        self._subjects = subjects

    @property
    def items(self) -> Sequence[Item]:
        """Phrases and amounts of the clause."""
        return self.clause.items

    @cached_property
    def words(self) -> list[str]:
        """The clause's words, line breaks left out."""
        return [token.text for token in self.tokens[self.clause.start : self.clause.end]]

    @cached_property
    def mentions(self) -> list[Mention]:
        """What the clause names."""
        claiming = [item for item in self.items if self.claims_something(item) or self.is_preposition(item)]
        return self._subjects.mentions(self.tokens, self.clause, claiming)

    def claims_something(self, item: Item) -> bool:
        """Whether the item is a statement's value rather than a thing."""
        if self.is_preposition(item):
            return False
        if item.has(Kind.SUBJECT) and item.has(Kind.VALUE):
            return not self._is_thing(item)
        if self.is_modifier(item):
            return False
        if item.amount is not None:
            return item.amount.kind not in {AmountKind.LABEL, AmountKind.COUNT}
        if item.has(Kind.COUNTRY):
            return self._speaks_of_origin
        return not item.has(Kind.SUBJECT)

    def is_preposition(self, item: Item) -> bool:
        """Whether the "on" of "is on" stands before what something lies on."""
        words = [token.text for token in self.tokens[item.start : item.end]]
        follows = self.word_after(item.end)
        lead = words[-2] if len(words) > 1 and words[-1] == "on" else ""
        says_on = lead in self.lexicon.data.grammar.copulas or lead in _STILL
        return says_on and bool(follows) and follows.isalnum() and follows not in _AFTER_A_STATE

    @cached_property
    def _speaks_of_origin(self) -> bool:
        """Whether a country in this clause is where something comes from, not just a place."""
        spec = self.lexicon.data.origin
        if spec is None:
            return False
        cues = {word for phrase in (*spec.before, *spec.after) for word in phrase.split()} - {
            "in",
            "from",
            "of",
            "by",
            "is",
            "100",
            "%",
        }
        return bool(cues & set(self.words))

    def is_cued(self, item: Item, spec: AttributeSpec) -> bool:
        """Whether a word that makes the item a claim stands before or after it ("made of" for a material)."""
        tokens = self.tokens[max(self.clause.start, item.start - 4) : item.start]
        before = " ".join(token.text for token in tokens)
        return any(f" {cue} " in f" {before} " for cue in spec.cues) or self.word_after(item.end) in spec.cues

    def is_modifier(self, item: Item) -> bool:
        """Whether the item only tells one thing from another ("left door", "glass container")."""
        senses = item.of(Kind.VALUE)
        if not senses or item.end - item.start > 1 or not self._noun_follows(item.end):
            return False
        if (
            self.tokens[item.start].text.endswith("ing")
            and self.word_after(item.end) in self.lexicon.measured
        ):
            return True  # "working pressure"
        specs = [self.lexicon.data.attributes[sense.attribute] for sense in senses]
        uncued = all(spec.bare < MODIFIER_BARE and not self.is_cued(item, spec) for spec in specs)
        side = all(
            s.strength < 1.0 and not spec.values[s.value].only_for
            for s, spec in zip(senses, specs, strict=True)
        )
        return uncued or (side and self.lexicon.words.kind(self.tokens[item.start].text) in "na")

    def names_a_quantity(self, at: int) -> bool:
        """Whether token *at* says which of several like quantities a number is ("test load 2 t")."""
        after = at + 2 + (self.word_after(at + 2) == ":")
        numbered = any(item.amount is not None and item.start == after for item in self.items)
        return numbered and self.word_after(at + 1) in self.lexicon.measured

    def _noun_follows(self, at: int) -> bool:
        """Whether a thing is named directly at token *at*."""
        following = next((item for item in self.items if item.start == at), None)
        if following is not None:
            return following.has(Kind.SUBJECT)
        if (
            at >= self.clause.end
            or not self.tokens[at].is_word
            or self._subjects.is_small(self.tokens[at].text)
        ):
            return False
        return self.lexicon.words.kind(self.tokens[at].text) in "n?"

    def _is_thing(self, item: Item) -> bool:
        """Whether a word that also is a value stands for a thing or an activity ("no running")."""
        others = [other for other in self.items if other.start != item.start]
        if self.word_before(item.start) in ARTICLES_LIKE and self.word_after(item.end) in {
            "",
            *self.lexicon.data.grammar.copulas,
        }:
            return True  # "the safe is locked"
        if any(other.start == item.end and other.has(Kind.VALUE) for other in others):
            return True  # "safe locked"
        permission = any(s.attribute == "permission" for other in others for s in other.of(Kind.VALUE))
        return permission or self.word_before(item.start) == "no"

    def word_before(self, at: int) -> str:
        """The word before token *at* within the clause, across a line break; empty at the start."""
        at -= 1
        return self.tokens[at].text if at >= self.clause.start else ""

    def word_after(self, at: int) -> str:
        """The word at token *at* or after it within the clause, across a line break; empty at the end."""
        return self.tokens[at].text if at < self.clause.end else ""

    def light(self, item: Item) -> Light:
        """How the item is meant."""
        return self._lights.at(self.tokens, self.clause, item)

    def is_negator(self, word: str) -> bool:
        """Whether a single word denies."""
        return word in self._lights.negators or word.endswith("n't")

    def about(self, item: Item, attribute: str) -> str:
        """What the item is about; empty where the clause does not say."""
        base = attribute.partition(".")[0]
        like = [
            other
            for other in self.items
            if other is not item
            and (self.tokens[other.start].is_word or not self.tokens[item.start].is_word)
            and (
                any(s.attribute == base for s in other.of(Kind.VALUE))
                or (item.amount and _alike(other, item))
            )
        ]
        return self._subjects.about(self.tokens, item, self.mentions, like, attribute)

    def without(self, name: str, attribute: str) -> str:
        """A subject's name without the attribute's own nouns."""
        return self._subjects.without(name, attribute)

    @cached_property
    def occasions(self) -> list[str]:
        """The times that the clause is limited to ("sunday"); what lasts until then holds now."""
        timed = [item for item in self._timed if not self._is_excepted(item)]
        lasting = len(timed) == 1 and self.word_before(timed[0].start) in UNTIL
        named = [] if lasting else self._named(timed)
        return [*([self.frame] if self.frame else []), *named]

    @cached_property
    def _timed(self) -> list[Item]:
        return [item for item in self.items if item.has(Kind.QUALIFIER)]

    def _named(self, timed: Sequence[Item]) -> list[str]:
        """The times that items name, with the days between two ("tuesday to sunday")."""
        named: list[str] = []
        for at, item in enumerate(timed):
            values = [sense.value for sense in item.of(Kind.QUALIFIER)]
            between = self.tokens[timed[at - 1].end : item.start] if at else ()
            if len(between) == 1 and between[0].text in _TO_DAYS:
                named += _days_between(named[-1], values[0])
            named += values
        return list(dict.fromkeys(named))

    def _days(self, *, lasting: bool) -> list[str]:
        """The occasions that a claim holds on, one by one; those excepted are left out."""
        occasions = [one for one in self.occasions if not (lasting and one == EMERGENCY)]
        return [day for day in _single_days(occasions) if day not in self._excepted]

    @cached_property
    def _excepted(self) -> frozenset[str]:
        """The occasions that the clause takes out ("daily except Sunday")."""
        return frozenset(_single_days(self._named([item for item in self._timed if self._is_excepted(item)])))

    def _lead(self, item: Item) -> list[str]:
        """The words before a time, without its preposition."""
        words = [token.text for token in self.tokens[self.clause.start : item.start]]
        return words[:-1] if words[-1:] and words[-1] in PLACING else words

    def _is_excepted(self, item: Item) -> bool:
        """Whether it stands behind a word that takes it out."""
        lead = self._lead(item)
        return bool(EXCEPTING.intersection(lead)) or lead[-1:] == [BUT]

    @cached_property
    def _other_days(self) -> frozenset[str]:
        """Days on which the contrary holds: those excepted, or all but those that something is only for."""
        week = frozenset(WEEK)
        excepted = week & self._excepted
        if excepted:
            return excepted
        named = week.intersection(_single_days(self._named(self._timed)))
        dated = [item for item in self._timed if week.intersection(_single_days(self._named([item])))]
        return week - named if any(self._is_limit(item) for item in dated) else frozenset()

    def _is_limit(self, item: Item) -> bool:
        """Whether the clause holds at that time only ("only open on Sundays", "weekends only")."""
        lead = self._lead(item)
        begins = lead[:1] == ["only"] and not self.mentions  # not "only members on Sundays"
        return begins or lead[-1:] == ["only"] or self.word_after(item.end) == "only"

    def claim(
        self,
        attribute: str,
        value: str,
        item: Item,
        subject: str,
        strength: float,
        *,
        negated: bool = False,
        tense: str = "present",
    ) -> list[Claim]:
        """The claim, denied and dated as needed: one per occasion that the clause names."""
        polarity = not negated
        opposite = self.lexicon.opposites.get((attribute.partition(".")[0], value))
        if negated and opposite is not None:
            value, polarity = opposite, True
        spec = self.lexicon.attribute(attribute)
        lasting = spec is not None and spec.lasting
        if tense == "past":
            attribute += ".past"
        elif tense == "future" and not self.occasions and not lasting:
            attribute += ".future"
        contrary = self.lexicon.opposites.get((attribute.partition(".")[0], value))
        said = attribute == PERMISSION or any(sense.attribute == attribute for sense in item.senses)
        days = self._days(lasting=lasting)
        names = [f"{attribute}.{day}" if day else attribute for day in days] or [attribute]
        strength *= item.quality
        claims = [Claim(name, value, subject, polarity, strength, self.span()) for name in names]
        if said and contrary is not None:
            rest = [f"{attribute}.{day}" for day in sorted(self._other_days)]
            strength *= REST_STRENGTH
            claims += [Claim(name, contrary, subject, True, strength, self.span()) for name in rest]
        return claims

    def place(self, at: int) -> str:
        """The place that a phrase behind token *at* limits the clause to ("... in the park"), or empty."""
        for mention in self.mentions:
            lead = [token.text for token in self.tokens[max(at, mention.start - 2) : mention.start]]
            placed = lead[:1] if len(lead) == 1 else lead[:2] if lead[-1:] == ["the"] else []
            if mention.start >= at and placed and placed[0] in PLACING:
                words = mention.name.split()
                if not words[-1].isalpha() or len(words[-1]) == 1:
                    return mention.name  # "row c", "zone 3"
                return "" if words[-1] in NO_PLACES else words[-1]
            last = mention.name.rpartition(" ")[2]
            if mention.end > at and last in {"inside", "outside"}:
                return last
        return ""

    def span(self) -> str:
        """The clause as it stands in the text, on one line."""
        tokens = self.tokens[self.clause.start : self.clause.end]
        if not tokens:
            return ""
        # Glossed tokens are in the lexicon's word order, not the text's.
        start, end = min(token.start for token in tokens), max(token.end for token in tokens)
        return " ".join(self.text[start:end].split())


def _single_days(occasions: Iterable[str]) -> list[str]:
    """The occasions one by one, each day of those that are several days."""
    return list(dict.fromkeys(day for one in occasions for day in DAYS_OF.get(one, (one,))))


def _days_between(first: str, last: str) -> tuple[str, ...]:
    """The weekdays after *first* and before *last* ("tuesday to friday"); none where they are no weekdays."""
    if first not in WEEK or last not in WEEK:
        return ()
    start = WEEK.index(first) + 1
    return (*WEEK, *WEEK)[start : start + (WEEK.index(last) - start) % len(WEEK)]


def _alike(one: Item, other: Item) -> bool:
    return (
        one.amount is not None
        and other.amount is not None
        and one.amount.kind is other.amount.kind
        and one.amount.unit == other.amount.unit
    )
