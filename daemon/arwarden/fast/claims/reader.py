"""Text in, claims out: runs the readers of each sort of statement over a text's clauses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from arwarden.core.findings import Claim
from arwarden.fast.claims.amounts import AmountClaims
from arwarden.fast.claims.clauses import Clause, scan, split
from arwarden.fast.claims.lexicon import Lexicon
from arwarden.fast.claims.negation import LightReader
from arwarden.fast.claims.numbers import NumberReader
from arwarden.fast.claims.origins import OriginClaims
from arwarden.fast.claims.passage import Passage
from arwarden.fast.claims.patterns import STATEMENT, PatternClaims
from arwarden.fast.claims.subjects import SubjectReader
from arwarden.fast.claims.tokens import clean, tokenise
from arwarden.fast.claims.values import ValueClaims

MAX_CLAIMS = 64
"""Claims kept per text, strongest first."""
_CACHE_SIZE = 512


class ClaimReader:
    """Reads claims from text by one lexicon. Remembers the last few hundred texts: AR text seldom changes."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._numbers = NumberReader(lexicon)
        self._lights = LightReader(lexicon)
        self._subjects = SubjectReader(lexicon)
        self._values = ValueClaims(lexicon)
        self._amounts = AmountClaims(lexicon)
        self._origins = OriginClaims(lexicon)
        self._patterns = PatternClaims(lexicon)
        self._joiners = frozenset({"but", "then", "however", "while", "whereas"}) | frozenset(
            word
            for word in lexicon.data.grammar.scope_ends
            if word not in {"only", "yet", "rather", "except"}
        )
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

    def _read(self, text: str) -> list[Claim]:
        cleaned = clean(text)
        tokens = tokenise(cleaned, self._lexicon.repairer, self._lexicon.touching, self._lexicon.numbered)
        items = scan(tokens, self._lexicon, self._numbers)
        found: list[Claim] = []
        title, listing = "", None
        for clause in split(tokens, items, self._joiners):
            passage = Passage(
                cleaned, tokens, clause, lights=self._lights, subjects=self._subjects, lexicon=self._lexicon
            )
            passage.listing = None if clause.after_hard_break else listing
            claims = list(self._read_clause(passage, clause))
            listing = passage.listing
            if title and not passage.mentions:
                claims = [claim if claim.subject else replace(claim, subject=title) for claim in claims]
            title = "" if claims else _title(passage)
            found += claims
        return _distinct(found)[:MAX_CLAIMS]

    def _read_clause(self, passage: Passage, clause: Clause) -> Iterator[Claim]:
        if clause.question:
            return
        count = 0
        for reader in (self._values, self._amounts, self._origins, self._patterns):
            for claim in reader.read(passage):
                count += claim.attribute.partition(".")[0] != STATEMENT
                yield claim
        if not count:
            yield from self._values.weekdays(passage)


def _title(passage: Passage) -> str:
    """The thing that a clause names and says nothing about ("Elevator: ...", "Car door. ..."); else empty."""
    mentions = passage.mentions
    if len(mentions) != 1 or mentions[0].end - mentions[0].start < len(passage.words):
        return ""
    return mentions[0].name


def _distinct(claims: Iterable[Claim]) -> list[Claim]:
    """One claim of each meaning, the strongest; strongest first."""
    best: dict[tuple[str, str, str, bool], Claim] = {}
    for claim in claims:
        key = (claim.attribute, claim.value, claim.subject, claim.polarity)
        if claim.strength > 0 and (key not in best or claim.strength > best[key].strength):
            best[key] = replace(claim, strength=round(min(claim.strength, 1.0), 3))
    return sorted(best.values(), key=lambda claim: -claim.strength)
