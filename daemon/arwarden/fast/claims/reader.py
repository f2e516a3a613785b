"""Text in, claims out: runs the readers of each sort of statement over a text's clauses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Protocol

from arwarden.core.findings import Claim
from arwarden.fast.claims.amounts import AmountClaims
from arwarden.fast.claims.clauses import Clause, scan, split
from arwarden.fast.claims.contents import ContentClaims
from arwarden.fast.claims.duties import DutyClaims, as_duty
from arwarden.fast.claims.fees import FeeClaims
from arwarden.fast.claims.frames import FrameClaims
from arwarden.fast.claims.intervals import IntervalClaims
from arwarden.fast.claims.languages import UNREAD
from arwarden.fast.claims.lexicon import Kind, Lexicon
from arwarden.fast.claims.negation import LightReader
from arwarden.fast.claims.numbers import AmountKind, NumberReader
from arwarden.fast.claims.open_attributes import EXISTENCE, FRAME, INSTRUCTION, OPEN_ATTRIBUTES, STATEMENT
from arwarden.fast.claims.orders import OrderClaims, as_order
from arwarden.fast.claims.origins import OriginClaims
from arwarden.fast.claims.passage import Passage
from arwarden.fast.claims.permissions import PermissionClaims
from arwarden.fast.claims.predicates import PredicateClaims
from arwarden.fast.claims.slots import SlotClaims
from arwarden.fast.claims.statements import StatementClaims
from arwarden.fast.claims.subjects import SubjectReader
from arwarden.fast.claims.tokens import Token, clean, tokenise
from arwarden.fast.claims.values import ValueClaims
from arwarden.fast.claims.words import singular

MAX_CLAIMS = 64
"""Claims kept per text, strongest first."""
_CACHE_SIZE = 512
_FRAME_WORDS = 6
MAX_HEADING_WORDS = 3
_NOTICES = frozenset(
    {
        "warning",
        "caution",
        "danger",
        "note",
        "notice",
        "attention",
        "info",
        "status",
        "hazard",
        "sign",
        "alert",
    }
    | {"tip", "reminder", "step", "today", "weather", "content", "contents", "ingredients", "result"}
)
"""Before a colon these name no thing."""
_PLACING = frozenset({"in", "on", "at"})
_UNPLACED = OPEN_ATTRIBUTES | {"direction", "presence", "origin", "arrival"}
"""What these say holds wherever it is said of."""
SEQUEL_STRENGTH = 0.6
_SEQUELS = frozenset({"then", "finally", "lastly", "afterwards", "first", "firstly"})
"""Before an order these make it one of several: the next may lead elsewhere ("then take the third exit")."""
_PERIODS = frozenset({"before", "after", "until", "since", "during"})
"""With these any noun names a time ("before the repair")."""
_LINKING = frozenset({"to", "for", "towards", "this", "way", ":", "-", "at", "in", "of", "!"})
"""Words that may stand beside a name without saying anything of it."""


class _PartReader(Protocol):
    """Reads one sort of claims from a clause."""

    def read(self, passage: Passage) -> Iterator[Claim]: ...


class ClaimReader:
    """Reads claims from text by one lexicon. Remembers the last few hundred texts: AR text seldom changes."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._numbers = NumberReader(lexicon)
        self._lights = LightReader(lexicon)
        self._subjects = SubjectReader(lexicon)
        self._values = ValueClaims(lexicon)
        self._readers: tuple[_PartReader, ...] = (
            self._values,
            AmountClaims(lexicon),
            IntervalClaims(lexicon),
            FeeClaims(lexicon),
            OriginClaims(lexicon),
            PermissionClaims(lexicon),
            OrderClaims(lexicon),
            DutyClaims(lexicon),
            ContentClaims(lexicon),
            SlotClaims(lexicon),
            FrameClaims(lexicon),
            PredicateClaims(lexicon),
            StatementClaims(lexicon),
        )
        self._joiners = frozenset({"but", "then", "however", "while", "whereas"}) | frozenset(
            word
            for word in lexicon.data.grammar.scope_ends
            if word not in {"only", "yet", "rather", "except"}
        )
        self._time_leads = frozenset(lexicon.data.grammar.time_leads)
        self._time_nouns = frozenset(lexicon.data.grammar.time_nouns)
        self._linking = frozenset(lexicon.data.grammar.articles) | _LINKING
        self._cache: dict[str, tuple[Claim, ...]] = {}

    def claims(self, text: str) -> tuple[Claim, ...]:
        """What *text* claims, strongest first; empty for text that claims nothing or cannot be read.

        Reads at most :data:`~arwarden.fast.claims.tokens.MAX_CHARS` characters.
        """
        known = self._cache.get(text)
        if known is None:
            if len(self._cache) >= _CACHE_SIZE:
                self._cache.clear()
            known = self._cache[text] = tuple(self._read(text))
        return known

    def named(self, text: str) -> str:
        """The thing that *text* names without saying more of it ("To the gate"); empty where it says more."""
        passages = list(self._passages(text))
        names = [self._title(passage) for passage in passages]
        return names[0] if len(names) == 1 else ""

    def reads(self, text: str) -> bool:
        """Whether the text is in a script of a language that is loaded; others claim nothing."""
        tongues = self._lexicon.tongues
        return tongues.detect(clean(tongues.prepared(text)))[0].language != UNREAD

    def occasions(self, text: str) -> tuple[str, ...]:
        """The times that *text* names ("Tomorrow")."""
        return tuple(one for passage in self._passages(text) for one in passage.occasions)

    def spelt(self, text: str) -> str:
        """The words of *text* that could be a name, as they are: for names that no vocabulary holds."""
        return " ".join(
            word for passage in self._passages(text) for word in passage.words if self._could_name(word)
        )

    def _could_name(self, word: str) -> bool:
        return any(map(str.isalpha, word)) and not self._subjects.is_small(word)

    def without(self, name: str, attribute: str) -> str:
        """A thing's name without the nouns that only repeat the attribute."""
        return self._subjects.without(name, attribute)

    def _passages(self, text: str) -> Iterator[Passage]:
        tongues = self._lexicon.tongues
        cleaned = clean(tongues.prepared(text))
        language = tongues.detect(cleaned)[0].language
        if language == UNREAD:
            return
        tokens = tongues.tokens(cleaned, language)
        if tokens is None:
            tokens = tokenise(cleaned, self._lexicon.repairer, self._lexicon.touching, self._lexicon.numbered)
        items = scan(tokens, self._lexicon, self._numbers)
        framed = self._frame_end(tokens)
        for clause in split(tokens, items, self._joiners):
            if clause.end <= framed:
                continue
            clause.start = max(clause.start, framed)
            clause.items = [item for item in clause.items if item.start >= framed]
            passage = Passage(
                cleaned, tokens, clause, lights=self._lights, subjects=self._subjects, lexicon=self._lexicon
            )
            passage.frame = " ".join(token.text for token in tokens[: max(framed - 1, 0)])
            yield passage

    def _what_follows(self, claim: Claim) -> Iterator[Claim]:
        """What the lexicon's rules conclude: where the heating is on, the mode is heating. Orders, duties."""
        for rule in self._lexicon.data.follows:
            told = (claim.subject, claim.attribute, claim.value, claim.polarity)
            if told == (rule.subject, rule.attribute, rule.value, True):
                attribute, value = rule.then
                yield replace(claim, subject="", attribute=attribute, value=value)
        yield from as_order(claim, self._lexicon)
        yield from as_duty(claim, self._lexicon)

    def _frame_end(self, tokens: Sequence[Token]) -> int:
        """Where the text begins behind a time that it is about ("Until last week: ..."); 0 without one."""
        words = [token.text for token in tokens[: _FRAME_WORDS + 1]]
        if ":" not in words or tokens[0].text not in self._time_leads:
            return 0
        end = words.index(":")
        timed = tokens[0].text in _PERIODS or bool(self._time_nouns.intersection(words[:end]))
        numbered = any(token.is_number for token in tokens[:end])
        return end + 1 if timed and not numbered and end + 1 < len(tokens) else 0

    def _read(self, text: str) -> list[Claim]:
        found: list[Claim] = []
        title, listing = "", None
        for passage in self._passages(text):
            clause = passage.clause
            passage.listing = None if clause.after_hard_break else listing
            claims = list(self._read_clause(passage, clause))
            listing = passage.listing
            if title and self._names_no_thing(passage):
                claims = [claim if claim.subject else replace(claim, subject=title) for claim in claims]
            title = "" if claims else self._asked(passage) or self._title(passage)
            found += claims
        found += [claim for one in found for claim in self._what_follows(one)]
        return _distinct(found)[:MAX_CLAIMS]

    def _names_no_thing(self, passage: Passage) -> bool:
        """Whether the clause names nothing but numbered places ("Radiology, level 2")."""
        places = {
            item.start for item in passage.items if item.amount and item.amount.kind is AmountKind.LABEL
        }
        return all(mention.start in places for mention in passage.mentions)

    def _read_clause(self, passage: Passage, clause: Clause) -> Iterator[Claim]:
        if clause.question:
            return
        count = 0
        heading, where = self._heading(passage), self._where(passage)
        leads_on = self._leads_on(passage)
        for reader in self._readers:
            for claim in reader.read(passage):
                count += _base(claim) not in {STATEMENT, INSTRUCTION, EXISTENCE, FRAME}
                headed = heading and not claim.subject and _base(claim) not in OPEN_ATTRIBUTES
                name = self.without(heading, claim.attribute) if headed else claim.subject
                if where and name and _base(claim) not in _UNPLACED:
                    name = " ".join(dict.fromkeys((*where.split(), *name.split())))
                lessened = SEQUEL_STRENGTH if leads_on and self._stepwise(claim.attribute) else 1.0
                same = name == claim.subject and lessened == 1.0
                yield claim if same else replace(claim, subject=name, strength=claim.strength * lessened)
        if not count:
            yield from self._values.weekdays(passage)

    def _leads_on(self, passage: Passage) -> bool:
        """Whether the clause is one of several orders, by its first word ("first turn left")."""
        words, begins = passage.words, passage.clause.start
        verb = len(words) > 1 and self._lexicon.words.kind(words[1]) == "v"
        taken = any(one.start <= begins + 1 < one.end for one in passage.mentions)  # "next train"
        taken = taken or any(item.start == begins for item in passage.items)  # "first left"
        return words[:1] == ["then"] or (words[0] in _SEQUELS and verb and not taken)

    def _stepwise(self, attribute: str) -> bool:
        """Whether an attribute says where to go, which each step of a way answers anew."""
        base = attribute.partition(".")[0]
        return base in {"direction", "means", FRAME} or base in self._lexicon.data.labels

    def _where(self, passage: Passage) -> str:
        """The place that ends a clause behind its statement ("window open in the hall"), or empty."""
        values = [item for item in passage.items if item.has(Kind.VALUE) and passage.claims_something(item)]
        last = passage.mentions[-1] if passage.mentions else None
        if not values or last is None or last.end < passage.clause.end or last.start < values[-1].end:
            return ""
        lead = [token.text for token in passage.tokens[values[-1].end : last.start]]
        return last.name if lead and lead[0] in _PLACING and len(passage.mentions) > 1 else ""

    def _heading(self, passage: Passage) -> str:
        """The thing before a colon, whatever its words may mean elsewhere ("Safe: bolt withdrawn")."""
        words = passage.words[: MAX_HEADING_WORDS + 1]
        if ":" not in words:
            return ""
        lead = words[: words.index(":")]
        named = self._lexicon.subject_names.get(" ".join(lead), "")
        nouns = [word for word in lead if self._lexicon.words.kind(word) in "n?" and word.isalpha()]
        plain = nouns == lead and not any(self._subjects.is_small(word) for word in lead)
        notice = bool(_NOTICES.intersection(lead))
        return "" if notice else named or (" ".join(map(singular, lead)) if plain else "")

    def _asked(self, passage: Passage) -> str:
        """What a question is about, for the answer behind it ("Looking for the exit? It's on the left")."""
        if not passage.clause.question or not passage.mentions:
            return ""
        words = passage.mentions[-1].name.split()
        return " ".join(word for word in words if not word.endswith("ing")) or words[-1]

    def _title(self, passage: Passage) -> str:
        """The thing that a clause names and says nothing about ("Elevator: ...", "To the gate"), or empty."""
        if len(passage.mentions) != 1:
            return ""
        mention, start = passage.mentions[0], passage.clause.start
        others = [
            word
            for at, word in enumerate(passage.words, start)
            if not mention.start <= at < mention.end and word not in self._linking
        ]
        return "" if others else mention.name


def _base(claim: Claim) -> str:
    return claim.attribute.partition(".")[0]


def _distinct(claims: Iterable[Claim]) -> list[Claim]:
    """One claim of each meaning, the strongest; strongest first."""
    best: dict[tuple[str, str, str, bool], Claim] = {}
    for claim in claims:
        key = (claim.attribute, claim.value, claim.subject, claim.polarity)
        if claim.strength > 0 and (key not in best or claim.strength > best[key].strength):
            best[key] = replace(claim, strength=round(min(claim.strength, 1.0), 3))
    return sorted(best.values(), key=lambda claim: -claim.strength)
