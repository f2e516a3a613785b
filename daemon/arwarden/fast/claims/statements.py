"""Claims of whole clauses, open to any words: that something is there or is not, or a plain denial."""

from __future__ import annotations

import re
from collections.abc import Iterator

from arwarden.core.findings import Claim
from arwarden.fast.claims.clauses import Item
from arwarden.fast.claims.lexicon import Kind, Lexicon
from arwarden.fast.claims.numbers import AmountKind
from arwarden.fast.claims.open_attributes import EXISTENCE, NUMBER, PERMISSION, STATEMENT
from arwarden.fast.claims.passage import Passage
from arwarden.fast.claims.subjects import Mention
from arwarden.fast.claims.words import singular

MAX_STATEMENT_WORDS = 8
NAME_WORDS = 2
"""Of a bare name at most; what is longer says where, too ("camping outside marked areas")."""
NOT_WANTED = 0.85
"""How surely "no" and the bare name of a thing forbid it ("no bags"): it may be that there is none."""
_CODE = re.compile(r"[a-z]{0,2}[1-9][\d.,]*[a-z]?")
_THERE = frozenset({"here", "ahead", "detected", "present", "nearby", "found", "there"})
_WHERE = frozenset({"in", "at", "on"})
_GIVEN = frozenset(
    {"available", "offered", "provided", "included", "spoken", "served", "possible", "installed", "fitted"}
    | {"supplied", "left", "allowed", "permitted", "accepted", "added", "used", "planned", "found", "given"}
)
"""What is said of things that are there for one to have."""
_LACKING = (
    ["no"],
    ["without"],
    ["zero"],
    ["there", "is", "no"],
    ["there", "are", "no"],
    ["we", "have", "no"],
)
_HAVING = (["with"], ["there", "is"], ["there", "are"])
_NONE = (["missing"], [":", "none"], [":", "no"], ["none"], ["absent"], ["unavailable"], [":", "unavailable"])
_SOFT = frozenset({"a", "an", "the", "still", "also", "now", "currently", "unfortunately", "sorry", "please"})


class StatementClaims:
    """Reads existence, bare numbers of names, and whole statements."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        grammar = lexicon.data.grammar
        self._copulas = frozenset(grammar.copulas)
        self._small = frozenset(grammar.function_words) | frozenset(grammar.articles)

    def read(self, passage: Passage) -> Iterator[Claim]:
        """The claims of one clause."""
        yield from self._existence(passage)
        yield from self._number(passage)
        yield from self._statement(passage)

    def _existence(self, passage: Passage) -> Iterator[Claim]:
        """Whether a thing is there at all: "no bridge here", "subtitles available", "without palm oil"."""
        for mention in passage.mentions[:2]:
            if mention.name in self._lexicon.activities:
                return
            lead, rest, says = self._around(passage, mention)
            value, strength = "absent", 0.85
            if not self._is_lacking(passage, lead, says):
                value, strength = "present", self._is_given(passage, mention, lead, rest, says)
            item = Item(mention.start, mention.end)
            if strength > 0:
                yield from passage.claim(EXISTENCE, value, item, mention.name, strength)
            if lead == ["no"] and not says and len(mention.name.split()) <= NAME_WORDS:
                yield from passage.claim(PERMISSION, "forbidden", item, mention.name, NOT_WANTED)

    def _around(self, passage: Passage, mention: Mention) -> tuple[list[str], list[str], list[str]]:
        """The words before a thing and behind it, and those behind it that say something."""
        words = passage.words
        lead = [word for word in words[: mention.start - passage.clause.start] if word not in _SOFT]
        rest = words[mention.end - passage.clause.start :]
        return lead, rest, [word for word in rest if word not in self._copulas and word not in _SOFT]

    def _is_lacking(self, passage: Passage, lead: list[str], says: list[str]) -> bool:
        """Whether the clause says that there is none: "no bridge here", "subtitles: none"."""
        if lead:
            return lead in _LACKING and (not says or says[0] in _THERE | _WHERE | _GIVEN)
        denied = len(says) > 1 and passage.is_negator(says[0]) and says[1] in _GIVEN
        return denied or says in _NONE or says[:2] in (["-", "free"], ["not", "there"])

    def _is_given(
        self, passage: Passage, mention: Mention, lead: list[str], rest: list[str], says: list[str]
    ) -> float:
        """How surely the clause says that it is there: "bridge ahead", "with subtitles"."""
        if lead in _HAVING and not says:
            return 0.8
        if not lead and (
            says == ["only"] or (len(says) == 2 and says[0] == ":" and _CODE.fullmatch(says[1]))
        ):
            return 0.75
        denied = any(passage.is_negator(word) for word in rest)
        if lead or denied or not rest or passage.light(Item(mention.start, mention.end)).strength <= 0:
            return 0.0
        if says and says[0] in _THERE | _GIVEN:
            return 0.85
        stated = any(
            sense.attribute == "function"
            for item in passage.items
            if item.start == mention.end
            for sense in item.of(Kind.VALUE)
        )
        return 0.75 if rest[0] in _WHERE and len(rest) > 1 and not stated else 0.0

    def _number(self, passage: Passage) -> Iterator[Claim]:
        """A bare number given for a name: "score: 5"."""
        amounts = [item for item in passage.items if item.amount is not None]
        if len(amounts) != 1 or len(passage.mentions) != 1:
            return
        item, mention = amounts[0], passage.mentions[0]
        between = [token.text for token in passage.tokens[mention.end : item.start]]
        counts = item.amount is not None and item.amount.kind is AmountKind.COUNT
        if counts and between == [":"] and item.end == passage.clause.end and item.amount is not None:
            yield from passage.claim(NUMBER, item.amount.value, item, mention.name, 0.85)

    def _statement(self, passage: Passage) -> Iterator[Claim]:
        """The whole clause as one claim, so that its plain denial contradicts it ("is (not) monitored")."""
        if not set(passage.words) & self._copulas:
            return
        clause = passage.clause
        words = [t.text for t in passage.tokens[clause.start : clause.end] if t.is_word or t.is_number]
        content = sorted(
            singular(word)
            for word in words
            if word not in self._small
            and not passage.is_negator(word)
            and word not in {"please", "now", "currently"}
        )
        if not 2 <= len(content) <= MAX_STATEMENT_WORDS:
            return
        item = Item(clause.end - 1, clause.end)
        light = passage.light(item)
        denials = sum(passage.is_negator(word) for word in words)
        yield from passage.claim(
            STATEMENT,
            " ".join(content),
            item,
            "",
            light.strength * 0.9,
            negated=denials % 2 == 1,
            tense=light.tense,
        )
