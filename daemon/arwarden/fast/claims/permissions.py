"""Claims about what one may do: "no parking", "do not park", "park here", "you may smoke"."""

from __future__ import annotations

from collections.abc import Iterator

from arwarden.core.findings import Claim
from arwarden.fast.claims.clauses import Item
from arwarden.fast.claims.lexicon import Kind, Lexicon, cut
from arwarden.fast.claims.numbers import AmountKind
from arwarden.fast.claims.open_attributes import PERMISSION
from arwarden.fast.claims.passage import Passage

LIMITING = frozenset({AmountKind.TIME, AmountKind.HOURS, AmountKind.QUANTITY})
TIMED_STRENGTH = 0.75
"""What goes with hours ("no parking 8-18") may be otherwise at others."""
PERMITTING_STRENGTH = 0.9
"""An activity named as an order ("park here")."""
_NO_ONE = frozenset({"none", "nobody"})
_AIMS = frozenset({"to", "for"})
"""Behind these stands what something is for that is not there: "no charge to park", "no fee for entry"."""
_SKIP = frozenset({"please", "kindly", "always", "now", "also", "and", "then", ":", "you"})


class PermissionClaims:
    """Reads permissions of the lexicon's activities."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        grammar = lexicon.data.grammar
        self._forbids = sorted((cut(words) for words in grammar.forbids), key=len, reverse=True)
        self._permits = sorted((cut(words) for words in grammar.permits), key=len, reverse=True)

    def read(self, passage: Passage) -> Iterator[Claim]:
        """The permissions of one clause."""
        yield from self._set_phrases(passage)
        for item in passage.items:
            senses = item.of(Kind.ACTIVITY) or [
                s for s in item.of(Kind.SUBJECT) if self._is_activity(s.value)
            ]
            if not senses or (item.has(Kind.VALUE) and passage.claims_something(item)):
                continue
            name = senses[0].value
            judged = self._judge_activity(passage, item)
            if judged is None:
                continue
            value, strength = judged
            light = passage.light(item)
            if light.tense == "past" or light.strength <= 0:
                continue
            yield from self._permission(passage, item, name, value, strength * light.strength)

    def _set_phrases(self, passage: Passage) -> Iterator[Claim]:
        """Phrases that forbid or allow something without naming it: "keep out"."""
        for item in passage.items:
            for kind, value in ((Kind.FORBID, "forbidden"), (Kind.PERMIT, "allowed")):
                for sense in item.of(kind):
                    light = passage.light(item)
                    if light.tense != "past" and not light.negated:
                        yield from self._permission(passage, item, sense.value, value, 0.95 * light.strength)

    def _permission(
        self, passage: Passage, item: Item, name: str, value: str, strength: float
    ) -> Iterator[Claim]:
        """The permission, and for a forbidden kind the same of all that are of it ("no pets": no dogs)."""
        if any(o.amount and o.amount.kind in LIMITING for o in passage.items):
            strength *= TIMED_STRENGTH
        place = passage.place(item.end)
        named = f"{place} {name}" if place and place != name else name
        yield from passage.claim(PERMISSION, value, item, named, strength)
        for member in self._lexicon.members_of.get(name, ()) if value == "forbidden" else ():
            yield from passage.claim(PERMISSION, value, item, member, strength * 0.9)

    def _is_activity(self, name: str) -> bool:
        return name in self._lexicon.activities

    def _judge_activity(self, passage: Passage, item: Item) -> tuple[str, float] | None:
        """Whether the clause allows or forbids the activity; ``None`` where it does neither."""
        if any(s.attribute == PERMISSION for other in passage.items for s in other.of(Kind.VALUE)):
            return None  # said in words of the lexicon
        before = [t.text for t in passage.tokens[passage.clause.start : item.start]]
        near = before[-3:]
        denied = near[near.index("no") + 1 :] if "no" in near else []
        thanks = before[:2] == ["thank", "you"] and "not" in before
        if (
            thanks
            or self._ends_with(before, self._forbids)
            or _NO_ONE.intersection(near)
            or ("no" in near and not _AIMS.intersection(denied))
            or near[-2:] == ["refrain", "from"]
        ):
            return "forbidden", 1.0
        if near[-1:] == ["or"] and any(
            self._ends_with(before[:at], self._forbids) for at in range(1, len(before))
        ):
            return "forbidden", 0.95
        if near and (passage.is_negator(near[-1]) or near[-1] in {"avoid", "without"}):
            return "forbidden", 0.95
        if self._ends_with(before, self._permits):
            return "allowed", 0.95
        return self._judge_by_what_follows(passage, item, before)

    def _judge_by_what_follows(
        self, passage: Passage, item: Item, before: list[str]
    ) -> tuple[str, float] | None:
        after = passage.word_after(item.end)
        follows = passage.word_after(item.end + 1)
        if after in {"may", "can"} and not before:
            return ("forbidden" if passage.is_negator(follows) else "allowed"), 0.85
        if not before and (after == "cannot" or (after, follows) == ("must", "not")):
            return "forbidden", 0.85
        told = passage.tokens[item.start].text.endswith("ed")  # "parked in row C" tells, it does not invite
        if item.has(Kind.ACTIVITY) and not told and all(word in _SKIP for word in before):
            verb_only = not after and self._lexicon.words.kind(passage.tokens[item.start].text) == "v"
            if verb_only or after in {"here", "now", "on", "in", "through", "freely"}:
                return "allowed", PERMITTING_STRENGTH
        elsewhere = any(
            o.amount or any(s.attribute == "direction" for s in o.of(Kind.VALUE)) for o in passage.items
        )
        if after in {"area", "zone", "room"} and elsewhere:
            return None
        if after in {"here", "area", "zone"} or (after == "only" and not before):
            return "allowed", 0.85
        return None

    def _ends_with(self, words: list[str], phrases: list[tuple[str, ...]]) -> bool:
        trimmed = [word for word in words if word not in {"please", "ever"}]
        return any(tuple(trimmed[-len(phrase) :]) == phrase for phrase in phrases)
