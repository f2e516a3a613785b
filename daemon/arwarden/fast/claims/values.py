"""Claims from the lexicon's attributes: "door locked", "turn left", "not accessible"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from arwarden.core.findings import Claim
from arwarden.fast.claims.amounts import REMAINING, SCARCE
from arwarden.fast.claims.clauses import Item
from arwarden.fast.claims.lexicon import Kind, Lexicon, Sense
from arwarden.fast.claims.negation import UNTIL, is_no_one
from arwarden.fast.claims.numbers import AmountKind
from arwarden.fast.claims.open_attributes import PERMISSION, PRESENCE
from arwarden.fast.claims.passage import WEEK, Passage
from arwarden.fast.claims.permissions import LIMITING
from arwarden.fast.claims.permissions import TIMED_STRENGTH as TIMED_STRENGTH_OF_PERMISSIONS
from arwarden.fast.claims.schema import ValueSpec
from arwarden.fast.claims.subjects import parts

ADJACENT_STRENGTH = 0.95
"""A weak word right beside what it is about ("Restroom left")."""
IMPLIED_STRENGTH = 0.85
PREDICATE_STRENGTH = 0.85
"""A weak word said of a thing that the lexicon knows ("the restroom is left")."""
DOUBTED_STRENGTH = 0.4
"""The same said of anything else ("your answer is right")."""
ALONE_STRENGTH = 0.78
"""A weak word that is all a text says ("Right")."""
COMPOUND_STRENGTH = 0.6
"""A word before a noun that the lexicon does not list: often a compound ("closed captioning")."""
WHOLE_STRENGTH = 0.8
"""The same where the two are all that a statement says ("closed valve")."""
REVERSED_STRENGTH = 0.5
"""A word that may have lost the prefix that reverses it."""
STEP_STRENGTH = 0.75
TIMED_STRENGTH = 0.6
"""A state that goes with hours ("open 9-17") says little about this moment."""
ALL_DAY = "00:00-24:00"
_NONE_LEFT = (("stock", "sold out"), ("mark", "negative"), ("fill", "empty"))
_SOME_LEFT = (("stock", "in stock"), ("mark", "positive"), ("fill", "available"))
_SOME = frozenset({"few", "some", "many", "several", "plenty", "lots", "enough", "last"})
_PARTS = _SOME | {"little", "any", "much", "half"}
"""With these before it, "left" tells what remains, too."""
PARTED_WORDS = 2
"""Words of an order that something can stand between: "turn ... up"."""
_SEPARABLE = frozenset({"turn", "switch"})
"""Verbs of orders that end in "on", "off", "up" or "down", which then are no states."""
_SOFT_ENDS = frozenset({"now", "again", "please", "slightly", "completely", "immediately", "!"})
COMMAND = "command"
MEANS = "means"
_BEFORE_TIMES = frozenset({"at", "in", "during", "overnight", "daily", "every"})
_WHEN = frozenset({"now", "today", "regularly", "daily", "weekly", "monthly", "immediately", "afterwards"})
"""An order ends in these rather than the name of a thing."""
USED_STRENGTH = 0.75
"""What one is told to take works."""
_KEEPING = frozenset({"keep", "leave"})
"""Orders to see to it that a state lasts, which an order to end it contradicts."""
_MODALS = frozenset({"may", "can", "must", "should", "shall"})
_WHEN_DOING = frozenset({"before", "after", "while", "when", "without", "by", "during"})
_KEPT = frozenset({"it", "them", "this", "that", "these", "all", "both", "not", "never"})
"""Small words that may stand between such an order and the state."""
_COMMAND_LEAD = frozenset(
    {
        "please",
        "to",
        "must",
        "should",
        "then",
        "always",
        "and",
        "now",
        "also",
        "not",
        "never",
        "don't",
        "you",
        "kindly",
        "keep",
        "may",
        "can",
    }
)


_ASKING = frozenset({"remember", "please", "need", "want", "have", "try", "make", "ask", "remind"})
MIN_PURPOSE_WORDS = 1
"""Words before "to", at least, where it may say what for: "turn to close", not "to close"."""


class ValueClaims:
    """Reads claims whose value is a phrase of the lexicon."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._articles = frozenset(lexicon.data.grammar.articles)
        self._copulas = frozenset(lexicon.data.grammar.copulas)
        self._small = frozenset(lexicon.data.grammar.function_words)

    def read(self, passage: Passage) -> Iterator[Claim]:
        """The claims of one clause."""
        for item in passage.items:
            if not passage.claims_something(item) and (item.has(Kind.SUBJECT) or item.has(Kind.VALUE)):
                continue
            if passage.is_preposition(item) or self._is_time(passage, item):
                continue
            if self._only_denies(passage, item):
                continue
            commands = item.of(Kind.COMMAND)
            if commands and passage.word_before(item.start) == "to" and self._is_purpose(passage, item):
                continue
            if commands and self._is_command(passage, item):
                for sense in commands:
                    yield from self._claims(passage, item, sense, f"{sense.attribute}.{COMMAND}", 1.0)
            else:
                yield from self._states(passage, item)
        yield from self._parted(passage)

    def _parted(self, passage: Passage) -> Iterator[Claim]:
        """An order whose verb stands apart from its particle: "turn the volume up", "switch it off"."""
        end = len(passage.words)
        while end > 0 and passage.words[end - 1] in _SOFT_ENDS:
            end -= 1
        at = passage.clause.start + end - 1
        for verb in passage.words[: max(end - 2, 0)]:
            length, senses = self._lexicon.table.longest([verb, passage.words[end - 1]], 0)
            for sense in senses if length == PARTED_WORDS else ():
                if sense.kind is Kind.COMMAND:
                    attribute = f"{sense.attribute}.{COMMAND}"
                    yield from self._claims(passage, Item(at, at + 1), sense, attribute, ADJACENT_STRENGTH)

    def _states(self, passage: Passage, item: Item) -> Iterator[Claim]:
        """What the item says about how things are."""
        remaining = list(self._remaining(passage, item))
        if remaining:
            yield from remaining
            return
        for sense in item.of(Kind.VALUE):
            if not self._is_arrow_only(passage, item, sense):
                strength = self._strength(passage, item, sense)
                if strength > 0:
                    yield from self._claims(passage, item, sense, sense.attribute, strength)
        if len(passage.words) == item.end - item.start:
            for sense in item.of(Kind.ALONE):
                yield from self._claims(passage, item, sense, sense.attribute, 1.0)
        told = self._is_last(passage, item) and not self._has_own_sense(passage, item)
        last = item.of(Kind.LAST) if told and not _SEPARABLE.intersection(passage.words) else []
        for sense in last:
            yield from self._claims(passage, item, sense, sense.attribute, ADJACENT_STRENGTH)
        for sense in (*item.of(Kind.VALUE), *last) if self._is_kept(passage, item) else ():
            if self._lexicon.data.attributes[sense.attribute].values[sense.value].commands:
                command = f"{sense.attribute}.{COMMAND}"
                yield from self._claims(passage, item, sense, command, ADJACENT_STRENGTH)

    def _has_own_sense(self, passage: Passage, item: Item) -> bool:
        """Whether the word says something of its own of just this thing: a barrier that is down is closed."""
        for sense in item.of(Kind.VALUE):
            value = self._lexicon.data.attributes[sense.attribute].values[sense.value]
            if set(value.only_for) & set(passage.about(item, sense.attribute).split()[-1:]):
                return True
        return False

    def _is_kept(self, passage: Passage, item: Item) -> bool:
        """Whether the clause orders to keep what the item says ("please leave the heater on")."""
        lead = [token.text for token in passage.tokens[passage.clause.start : item.start]]
        while lead and (lead[0] in _COMMAND_LEAD - _KEEPING or lead[0] == "do"):
            del lead[0]
        thing = [word for word in lead[1:] if word not in _KEPT]
        return lead[:1] != [] and lead[0] in _KEEPING and not self._small.intersection(thing)

    def _only_denies(self, passage: Passage, item: Item) -> bool:
        """Whether "nobody" says what is not allowed rather than that no one is there."""
        words = [token.text for token in passage.tokens[item.start : item.end]]
        permits = any(s.attribute == PERMISSION for other in passage.items for s in other.of(Kind.VALUE))
        return is_no_one(words) and (permits or passage.word_after(item.end) in _MODALS)

    def _is_time(self, passage: Passage, item: Item) -> bool:
        """Whether a verb's form only says when or how: "unplug after charging"."""
        gerund = item.end - item.start == 1 and passage.tokens[item.start].text.endswith("ing")
        return gerund and passage.word_before(item.start) in _WHEN_DOING

    def _remaining(self, passage: Passage, item: Item) -> Iterator[Claim]:
        """The claims of "no ... left" and "3 ... left"."""
        thing = passage.about(item, "stock") or " ".join(passage.words[1 : item.start - passage.clause.start])
        for attribute, value in self._left(passage, item):
            strength = 0.95 if attribute == "stock" else IMPLIED_STRENGTH
            yield from passage.claim(attribute, value, item, thing, strength)

    def _left(self, passage: Passage, item: Item) -> Sequence[tuple[str, str]]:
        """What it means that none, or some, are left, which is no direction; empty where it is one."""
        lead = passage.words[: item.start - passage.clause.start]
        ends = item.end == passage.clause.end and item.end - item.start == 1
        if not ends or passage.tokens[item.start].text not in REMAINING:
            return ()
        if lead[:1] == ["no"]:
            return _NONE_LEFT
        before = [other for other in passage.items if other.end < item.start and other.amount]
        counted = any(other.amount and other.amount.kind is AmountKind.COUNT for other in before)
        some = counted or bool(_SOME.intersection(lead))
        if not some or not any(m.end <= item.start for m in passage.mentions):
            return ()
        scarce = any(passage.word_before(other.start) in SCARCE for other in before)
        return _SOME_LEFT[1:] if scarce else _SOME_LEFT  # the number says that the stock is low

    def weekdays(self, passage: Passage) -> Iterator[Claim]:
        """The day itself, for a clause that claims nothing else ("meeting on Monday")."""
        for item in passage.items:
            for sense in item.of(Kind.QUALIFIER):
                light = passage.light(item)
                if sense.value in WEEK and light.tense == "present":
                    subject = passage.about(item, "weekday")
                    today = not subject and "today" in passage.words
                    strength = (
                        light.strength * (ADJACENT_STRENGTH if subject or today else 0.5) * item.quality
                    )
                    span = passage.span()
                    others = [one for one in passage.occasions if one not in WEEK]
                    attribute = ".".join(["weekday", *others])
                    yield Claim(attribute, sense.value, subject, not light.negated, strength, span)

    def _claims(
        self, passage: Passage, item: Item, sense: Sense, attribute: str, strength: float
    ) -> Iterator[Claim]:
        spec = self._lexicon.data.attributes[sense.attribute]
        light = passage.light(item)
        if self._may_be_reversed(passage, item):
            strength *= REVERSED_STRENGTH
        subject = passage.about(item, sense.attribute)
        timed = any(
            o.amount and o.amount.kind in {AmountKind.HOURS, AmountKind.TIME} and o.amount.value != ALL_DAY
            for o in passage.items
        )
        if sense.attribute == "opening" and timed:
            strength *= TIMED_STRENGTH
        if sense.attribute == PERMISSION and any(
            o.amount and o.amount.kind in LIMITING for o in passage.items
        ):
            strength *= TIMED_STRENGTH_OF_PERMISSIONS
        if sense.attribute == "direction" and self._is_step(passage):
            strength *= STEP_STRENGTH
        if spec.event and light.tense == "past":
            light = replace(light, tense="present")  # what was confirmed is confirmed
        if spec.subject_required and not subject:
            return
        strength *= light.strength
        yield from passage.claim(
            attribute, sense.value, item, subject, strength, negated=light.negated, tense=light.tense
        )
        if sense.attribute == MEANS and not light.negated:  # "take the elevator": it runs
            yield from passage.claim("function", "working", item, sense.value, strength * USED_STRENGTH)
        meant = sense.value
        if light.negated:
            meant = self._lexicon.opposites.get((sense.attribute, sense.value), "")
        if meant and light.tense == "present" and attribute == sense.attribute:
            yield from self._consequences(passage, item, spec.values[meant], subject, strength)

    def _consequences(
        self, passage: Passage, item: Item, value: ValueSpec, subject: str, strength: float
    ) -> Iterator[Claim]:
        """What holds where the value does."""
        said = {s.attribute for other in passage.items for s in other.of(Kind.VALUE)}
        if any(token.text in {"when", "if"} for token in passage.tokens[item.start : item.end]):
            return  # "slippery when wet" tells not that it is wet
        for name, implied in value.implies.items():
            of_named = self._lexicon.data.attributes[name].implied_of_named
            if name in said or (of_named and not subject):
                continue
            yield from passage.claim(name, implied, item, subject, strength * IMPLIED_STRENGTH)
        for presence, things in (("absent", value.absent), ("present", value.present)):
            for thing in things:
                held = self._held(subject, thing)
                yield from passage.claim(PRESENCE, presence, item, held, strength * 0.95)

    def _held(self, holder: str, thing: str) -> str:
        """What a state of *holder* is about: the salt in butter, but dairy where the holder is cheese."""
        of_its_kind = any(thing in self._lexicon.kind_of.get(word, ()) for word in holder.split())
        if of_its_kind or thing in holder.split():
            return thing
        return " ".join(dict.fromkeys((*holder.split(), *thing.split())))

    def _strength(  # noqa: PLR0911 - one return per place that a word can stand in
        self, passage: Passage, item: Item, sense: Sense
    ) -> float:
        """How surely the phrase claims this value here."""
        spec = self._lexicon.data.attributes[sense.attribute]
        before = self._before(passage, item)
        counted = before is not None and before.amount is not None and before.amount.kind is AmountKind.COUNT
        scarce = counted and before is not None and passage.word_before(before.start) in SCARCE
        rest = counted or self._is_rest(passage, item)
        if (rest and sense.strength < 1.0) or (scarce and sense.attribute == "stock"):
            return 0.0  # "3 left" tells what remains, and "only 3 left" says more than that there are some
        if spec.cues and not passage.is_cued(item, spec):
            return spec.bare
        value = spec.values[sense.value]
        if sense.strength < 1.0 and value.only_for:
            subject = passage.about(item, sense.attribute)
            heads = {*subject.split()[-1:], *parts(subject)[-1:]}
            return ADJACENT_STRENGTH if heads & set(value.only_for) else 0.0
        if sense.strength < 1.0 and self._is_beside_subject(passage, item):
            return ADJACENT_STRENGTH
        if sense.strength < 1.0 and len(passage.words) == item.end - item.start:
            return ALONE_STRENGTH
        if sense.strength < 1.0 and self._is_outdone(passage, item, sense):
            return 0.0
        if sense.strength < 1.0 and passage.word_before(item.start) in self._copulas:
            head = passage.about(item, sense.attribute).split()[-1:]
            return PREDICATE_STRENGTH if head and head[0] in self._lexicon.subject_slugs else DOUBTED_STRENGTH
        return sense.strength * self._attributive(passage, item, spec.attributive, spec.nouns)

    def _is_rest(self, passage: Passage, item: Item) -> bool:
        """Whether "left" tells what remains ("20 min left", "enough salt left"); "50 m left" does not."""
        before = self._before(passage, item)
        amount = before.amount if before is not None else None
        measured = amount is not None and amount.kind is AmountKind.QUANTITY and amount.unit != "length"
        some = not _PARTS.isdisjoint(passage.words[: item.start - passage.clause.start])
        return (measured or some) and passage.tokens[item.start].text in REMAINING

    def _may_be_reversed(self, passage: Passage, item: Item) -> bool:
        """Whether a fragment before a lone word may be its torn-off "un-"."""
        lead, at = passage.word_before(item.start), item.start - 1
        if lead == "-":
            lead = passage.word_before(at)
        if not lead or lead in self._articles or lead == "s":
            return False
        return self._lexicon.repairer.may_reverse(lead, passage.tokens[item.start].text)

    def _is_step(self, passage: Passage) -> bool:
        """One step of several ("in 50 m turn left", "at the bank turn right"): another may go elsewhere."""
        measured = any(
            o.amount
            and o.amount.kind is AmountKind.QUANTITY
            and passage.word_before(o.start) in {"in", "after", "for"}
            for o in passage.items
        )
        return measured or passage.words[:1] == ["after"] or passage.words[:1] == ["at"]

    def _is_arrow_only(self, passage: Passage, item: Item, sense: Sense) -> bool:
        """An arrow sign beside the direction in words only separates ("Exit → left")."""
        if passage.tokens[item.start].is_word:
            return False
        return any(
            other is not item
            and passage.tokens[other.start].is_word
            and any(s.attribute == sense.attribute for s in other.of(Kind.VALUE))
            for other in passage.items
        )

    def _is_outdone(self, passage: Passage, item: Item, sense: Sense) -> bool:
        """Whether the clause says the same sort of thing in plainer words ("down the hall on your left")."""
        if passage.word_before(item.start) in {"or", "and", "nor"}:
            return False
        senses = [s for other in passage.items if other is not item for s in other.of(Kind.VALUE)]
        return any(s.attribute == sense.attribute and s.strength == 1.0 for s in senses)

    def _attributive(self, passage: Passage, item: Item, listed: float, nouns: Sequence[str]) -> float:
        """How much a word before its noun still claims: "locked door" all, "wet paint" less."""
        mention = next((mention for mention in passage.mentions if mention.start == item.end), None)
        if mention is None or item.end - item.start > 1:
            return 1.0
        kinds = self._lexicon.words.kinds.get(passage.tokens[item.start].text, "")
        if kinds[:1] == "v" and "a" not in kinds:
            return 1.0  # "wear a face shield": an object, not a noun that it describes
        head = mention.name.split()[-1]
        if head in self._lexicon.subject_slugs or head in nouns:
            return listed
        whole = item.start == passage.clause.start and mention.end == passage.clause.end
        return min(listed, WHOLE_STRENGTH if whole else COMPOUND_STRENGTH)

    def _before(self, passage: Passage, item: Item) -> Item | None:
        found = [other for other in passage.items if other.end == item.start]
        return found[-1] if found else None

    def _is_beside_subject(self, passage: Passage, item: Item) -> bool:
        """Directly after a mention, a colon or an arrow between them at most, or directly before one."""
        for mention in passage.mentions:
            between = {token.text for token in passage.tokens[mention.end : item.start]}
            if (
                mention.end <= item.start
                and between <= {":", "-", "\u2013", "\u2192", "is", "on", "the"}
                and "is" not in between
            ):
                return True
            between = {token.text for token in passage.tokens[item.end : mention.start]}
            if (
                mention.start >= item.end
                and between <= {":", "-", "\u2013", "to", "for", "the"}
                and between & {":", "to", "for"}
            ):
                return True
        return False

    def _is_command(self, passage: Passage, item: Item) -> bool:
        """An order rather than a state: at the clause's start or after "to", "please", and with an object."""
        lead = passage.word_before(item.start)
        follows = passage.word_after(item.end)
        if any(other.start == item.end and other.has(Kind.QUALIFIER) for other in passage.items):
            return False  # "open every day"
        if lead and lead not in _COMMAND_LEAD and not self._only_small_words_before(passage, item):
            return False
        if not item.has(Kind.VALUE):
            return True
        timed = passage.words[-1] in _WHEN and follows not in _WHEN  # "empty drip tray now"
        named = any(m.start == item.end for m in passage.mentions)
        specs = [self._lexicon.data.attributes[sense.attribute] for sense in item.of(Kind.COMMAND)]
        if any(spec.attributive < 1.0 for spec in specs):
            named = False  # "clean towels" are no order to clean
        has_object = follows in self._articles or named or timed
        return has_object or lead in {"to", "please", "keep"}

    def _is_purpose(self, passage: Passage, item: Item) -> bool:
        """Whether "to" says what another order is for ("turn clockwise to close")."""
        first = passage.tokens[passage.clause.start].text
        orders = "v" in self._lexicon.words.all_kinds(first) and first not in _ASKING
        return orders and item.start - passage.clause.start > MIN_PURPOSE_WORDS

    def _only_small_words_before(self, passage: Passage, item: Item) -> bool:
        fillers = set(self._lexicon.data.grammar.fillers)
        return all(
            t.text in fillers or not t.is_word for t in passage.tokens[passage.clause.start : item.start]
        )

    def _is_compound(self, passage: Passage, item: Item) -> bool:
        """Whether a hyphen that touches both joins it to the word before ("drop-off", not "lamp - off")."""
        lead = passage.tokens[max(passage.clause.start, item.start - 2) : item.start + 1]
        joined = len(lead) > 2 and lead[1].text == "-"
        return joined and lead[0].end == lead[1].start and lead[1].end == lead[2].start

    def _is_last(self, passage: Passage, item: Item) -> bool:
        """Whether the word ends the clause and stands beside its subject or after "is" ("light on")."""
        if not item.has(Kind.LAST):
            return False
        rest = [token.text for token in passage.tokens[item.end : passage.clause.end]]
        dated: set[int] = set()
        if rest[:1] and rest[0] in _BEFORE_TIMES:  # "lights off at night"; "meeting on Friday" is no switch
            dated = {at for o in passage.items if o.has(Kind.QUALIFIER) for at in range(o.start, o.end)}
        lasting = bool(UNTIL.intersection(rest[:1]))  # "heating off until Monday"
        if not lasting and any(
            word not in {"now", "again", ")", "currently", "already"} and at not in dated
            for at, word in enumerate(rest, item.end)
        ):
            return False
        if self._is_compound(passage, item):
            return False
        before = self._before(passage, item)
        numbers = before is not None and any(m.start < before.start < m.end for m in passage.mentions)
        if before is not None and before.amount is not None and not numbers:
            return False  # "50 % off", but "socket 3 off"
        lead = passage.word_before(item.start)
        return (
            lead in self._copulas
            or self._is_beside_subject(passage, item)
            or lead in {"now", "still", "not", "longer"}
        )
