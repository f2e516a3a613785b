"""Claims from sentence patterns, open to any word: permissions, orders, ingredients, predicates.

What these read needs no entry in the lexicon: "do not shake", "shake", "contains mustard", "mustard-free",
"the water is drinkable".
"""

from __future__ import annotations

from collections.abc import Iterator

from arwarden.core.findings import Claim
from arwarden.fast.claims.clauses import Item
from arwarden.fast.claims.lexicon import Kind, Lexicon, cut
from arwarden.fast.claims.numbers import AmountKind
from arwarden.fast.claims.passage import Passage
from arwarden.fast.claims.subjects import Mention
from arwarden.fast.claims.words import NEGATIVE_PREFIXES, singular

PERMISSION = "permission"
INSTRUCTION = "instruction"
PRESENCE = "presence"
PROPERTY = "property"
STATEMENT = "statement"
EXISTENCE = "existence"
NUMBER = "number"
IMPERATIVE_STRENGTH = 0.9
MAX_STATEMENT_WORDS = 8
_PLACES = frozenset({"here", "there", "inside", "outside"})
_THERE = frozenset({"here", "ahead", "detected", "present", "nearby", "found", "there"})
_WHERE = frozenset({"in", "at", "on"})
_SKIP = frozenset({"please", "kindly", "always", "now", "also", "and", "then", ":", "you"})


class PatternClaims:
    """Reads the open patterns."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        grammar = lexicon.data.grammar
        self._forbids = sorted((cut(words) for words in grammar.forbids), key=len, reverse=True)
        self._permits = sorted((cut(words) for words in grammar.permits), key=len, reverse=True)
        self._contains = sorted((cut(words) for words in grammar.contains), key=len, reverse=True)
        self._free_of = sorted((cut(words) for words in grammar.free_of), key=len, reverse=True)
        self._free_after = frozenset(grammar.free_after)
        self._copulas = frozenset(grammar.copulas)
        self._fillers = frozenset(grammar.fillers)
        self._small = frozenset(grammar.function_words) | frozenset(grammar.articles)
        self._ingredients = lexicon.ingredients

    def read(self, passage: Passage) -> Iterator[Claim]:
        """The claims of one clause."""
        yield from self._activities(passage)
        yield from self._instructions(passage)
        yield from self._contents(passage)
        yield from self._existence(passage)
        yield from self._number(passage)
        yield from self._properties(passage)
        yield from self._statement(passage)

    def _activities(self, passage: Passage) -> Iterator[Claim]:
        """Permissions: "no parking", "do not park", "park here", "you may smoke"."""
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
        yield from passage.claim(PERMISSION, value, item, name, strength)
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
        thanks = before[:2] == ["thank", "you"] and "not" in before
        if (
            thanks
            or self._ends_with(before, self._forbids)
            or "no" in near
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
        if item.has(Kind.ACTIVITY) and all(word in _SKIP for word in before):
            verb_only = not after and self._lexicon.words.kind(passage.tokens[item.start].text) == "v"
            if verb_only or after in {"here", "now", "on", "in", "through", "freely"}:
                return "allowed", IMPERATIVE_STRENGTH
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

    def _instructions(self, passage: Passage) -> Iterator[Claim]:
        """Orders: any verb that begins the clause, with its object ("do not shake", "press the button")."""
        at = passage.clause.start
        while (
            at < passage.clause.end
            and (passage.tokens[at].text in _SKIP or passage.tokens[at].text in {"must", "do"})
            and passage.tokens[at + 1 : at + 2]
            and passage.tokens[at].text != "do"
        ):
            at += 1
        negated = False
        for phrase in self._forbids:
            if tuple(t.text for t in passage.tokens[at : at + len(phrase)]) == phrase:
                at, negated = at + len(phrase), True
                break
        if at >= passage.clause.end:
            return
        verb = passage.tokens[at].text
        if any(
            i.start <= at < i.end and (passage.claims_something(i) or i.has(Kind.ACTIVITY))
            for i in passage.items
        ):
            return
        kinds = self._lexicon.words.kinds.get(verb, "")
        if (
            "v" not in kinds
            or verb in self._small
            or (
                verb in self._fillers and verb not in {"press", "push", "use", "click", "tap", "pay", "enjoy"}
            )
        ):
            return
        if not negated and kinds[0] != "v" and verb not in {"press", "push", "use", "open", "shake"}:
            return
        following = [m for m in passage.mentions if m.start > at]
        thing = following[0].name if following else ""
        rest = [t.text for t in passage.tokens[at + 1 : passage.clause.end] if t.is_word]
        if (
            not negated
            and not thing
            and any(self._lexicon.words.kind(w) != "r" and w not in self._small for w in rest)
        ):
            return
        item = Item(at, at + 1, quality=passage.tokens[at].quality)
        place = next((word for word in rest if word in _PLACES), "")
        subject = " ".join(part for part in (thing, place, verb) if part)
        strength = 0.95 if negated else IMPERATIVE_STRENGTH
        yield from passage.claim(INSTRUCTION, "do", item, subject, strength, negated=negated)

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

    def _existence(self, passage: Passage) -> Iterator[Claim]:
        """Whether a thing is there at all: "no bridge here", "bridge ahead"."""
        words = passage.words
        mention = next(iter(passage.mentions), None)
        if mention is None or self._is_activity(mention.name):
            return
        item = Item(mention.start, mention.end)
        lead = words[: mention.start - passage.clause.start]
        rest = words[mention.end - passage.clause.start :]
        if lead == ["no"] and (not rest or rest[0] in _THERE | _WHERE):
            yield from passage.claim(EXISTENCE, "absent", item, mention.name, 0.85)
        elif all(word in {"a", "an", "the"} for word in lead) and rest and passage.light(item).strength > 0:
            strength = 0.85 if rest[0] in _THERE else 0.75 if rest[0] in _WHERE and len(rest) > 1 else 0.0
            if strength and not any(passage.is_negator(word) for word in rest):
                yield from passage.claim(EXISTENCE, "present", item, mention.name, strength)

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

    def _contents(self, passage: Passage) -> Iterator[Claim]:
        """What something contains or is free of; a list may go on over commas."""
        words = [t.text for t in passage.tokens]
        clause = passage.clause
        cue = self._cue(words, clause.start, clause.end, self._contains)
        absent = self._cue(words, clause.start, clause.end, self._free_of)
        listed = passage.listing if cue is None and absent is None else None
        passage.listing = listed
        if "allergy" in words[clause.start : clause.end]:
            yield from self._for_allergics(passage)
            return
        for mention in passage.mentions:
            known = bool(set(mention.name.split()) & self._ingredients)
            if self._is_free_of(passage, mention, known=known):
                denied = passage.light(Item(mention.start, mention.end)).negated
                passage.listing = None
                if not denied and set(passage.words) & {"zone", "area", "free"} and not known:
                    yield from self._free_zone(passage, mention)
                yield from self._present(passage, mention, present=denied, strength=0.97)
            elif known and self._is_with(passage, mention):
                yield from self._present(passage, mention, present=True, strength=0.95)
            elif absent is not None and absent[1] <= mention.start:
                if absent[2] == ("no",) and not known:
                    continue  # "no dogs" forbids
                passage.listing = False
                yield from self._present(passage, mention, present=False, strength=0.95)
            elif cue is not None and cue[1] <= mention.start:
                light = passage.light(Item(mention.start, mention.end))
                passage.listing = not light.negated
                yield from self._present(passage, mention, present=not light.negated, strength=light.strength)
            elif (known and passage.word_after(mention.end) == "added") or (known and listed is not None):
                yield from self._present(passage, mention, present=listed is not False, strength=0.95)

    def _for_allergics(self, passage: Passage) -> Iterator[Claim]:
        """What is safe for people with an allergy is free of it; what is not for them contains it."""
        things = [word for m in passage.mentions for word in m.name.split() if word in self._ingredients]
        denied = any(passage.is_negator(word) for word in passage.words)
        if denied or {"safe", "suitable", "fine", "ok"} & set(passage.words):
            item = Item(passage.clause.start, passage.clause.end)
            for thing in things:
                yield from passage.claim(PRESENCE, "present" if denied else "absent", item, thing, 0.9)

    def _free_zone(self, passage: Passage, mention: Mention) -> Iterator[Claim]:
        """What a zone free of something means: no smoking, no need of a helmet."""
        item = Item(mention.start, mention.end)
        if self._is_activity(mention.name):
            yield from passage.claim(PERMISSION, "forbidden", item, mention.name, 0.95)
        elif mention.name in self._lexicon.subject_slugs:
            yield from passage.claim("requirement", "optional", item, mention.name, 0.9)

    def _is_with(self, passage: Passage, mention: Mention) -> bool:
        """Whether an ingredient is plainly in: "with beef", "nuts inside", "with added sugar"."""
        lead = passage.tokens[passage.clause.start : mention.start]
        light = passage.light(Item(mention.start, mention.end))
        inside = passage.word_after(mention.end) == "inside" or mention.name.endswith(" inside")
        near = [token.text for token in lead[-3:]]
        return not light.negated and light.tense == "present" and (inside or "with" in near)

    def _is_free_of(self, passage: Passage, mention: Mention, *, known: bool) -> bool:
        """Whether "free" or "-free" follows the name ("nut-free", "sugar free")."""
        after = passage.word_after(mention.end)
        hyphen = after == "-" and passage.word_after(mention.end + 1) in self._free_after
        return hyphen or (known and after in self._free_after and self._closes(passage, mention.end + 1))

    def _closes(self, passage: Passage, at: int) -> bool:
        """Whether "free" at the end of a name is meant for it ("sugar free", "nut free bar")."""
        follows = passage.word_after(at)
        return follows not in {
            "of",
            "from",
            "seat",
            "space",
            "option",
            "options",
            "available",
            "menu",
            "alternatives",
        }

    def _cue(
        self, words: list[str], start: int, end: int, phrases: list[tuple[str, ...]]
    ) -> tuple[int, int, tuple[str, ...]] | None:
        for at in range(start, end):
            for phrase in phrases:
                if tuple(words[at : at + len(phrase)]) == phrase:
                    return at, at + len(phrase), phrase
        return None

    def _present(
        self, passage: Passage, mention: Mention, *, present: bool, strength: float
    ) -> Iterator[Claim]:
        tokens = passage.tokens[mention.start : mention.end]
        item = Item(mention.start, mention.end, quality=min(token.quality for token in tokens))
        value = "present" if present else "absent"
        names = [mention.name]
        if mention.name.endswith(" inside"):
            names = [mention.name.removesuffix(" inside")]
        if present:
            words = (names[0], *names[0].split())
            names += [kind for word in words for kind in self._lexicon.kind_of.get(word, ())]
        for each in dict.fromkeys(names):
            yield from passage.claim(PRESENCE, value, item, each, strength)

    def _properties(self, passage: Passage) -> Iterator[Claim]:
        """Predicates: "the water is drinkable", "bridge unstable", "drinkable water"."""
        covered = {
            at
            for item in passage.items
            if not item.only_in_place and not self._depends(item)
            for at in range(item.start, item.end)
        }
        for at in range(passage.clause.start, passage.clause.end):
            token = passage.tokens[at]
            lead = passage.word_before(at)
            if not self._is_adjective(token.text, after_copula=lead in self._copulas):
                continue
            if at in covered and not self._is_lone_predicate(passage, at):
                continue
            item = Item(at, at + 1, quality=token.quality)
            predicate = (
                lead in self._copulas
                or passage.is_negator(lead)
                or lead in {"very", "now", "too", "still", "highly"}
            )
            last = all(not t.is_word for t in passage.tokens[at + 1 : passage.clause.end])
            before = [m for m in passage.mentions if m.end <= at]
            after = [m for m in passage.mentions if m.start <= at + 1 <= m.end and m.end > at + 1]
            if before and (predicate or (last and before[-1].end == at)):
                name, strength = before[-1].name, 0.97
            elif after:
                name = " ".join(word for word in after[0].name.split() if word != token.text)
                strength = 0.8
            elif last and (predicate or not self._words_before(passage, at)):
                name, strength = "", 0.85
            else:
                continue
            light = passage.light(item)
            yield from passage.claim(
                PROPERTY,
                token.text,
                item,
                name,
                strength * light.strength,
                negated=light.negated,
                tense=light.tense,
            )

    def _depends(self, item: Item) -> bool:
        """Whether its value holds for a few things only ("dead" for a cable)."""
        return bool(item.senses) and all(
            sense.kind is Kind.VALUE
            and sense.strength < 1.0
            and bool(self._lexicon.data.attributes[sense.attribute].values[sense.value].only_for)
            for sense in item.senses
        )

    def _words_before(self, passage: Passage, at: int) -> bool:
        """Whether any word but a negator stands before token *at* in the clause."""
        lead = passage.tokens[passage.clause.start : at]
        return any(token.is_word and not passage.is_negator(token.text) for token in lead)

    def _is_lone_predicate(self, passage: Passage, at: int) -> bool:
        """Whether a word for a thing here says how another is ("the bag is light")."""
        item = next(item for item in passage.items if item.start <= at < item.end)
        only_subject = bool(item.senses) and all(sense.kind is Kind.SUBJECT for sense in item.senses)
        return only_subject and passage.word_before(at) in self._copulas and not passage.word_after(at + 1)

    def _is_adjective(self, word: str, *, after_copula: bool) -> bool:
        if word in self._small or (word in self._fillers and not after_copula) or len(word) < 3:
            return False
        words = self._lexicon.words
        kinds = words.kinds.get(word, "")
        if kinds[:1] == "a" or ("a" in kinds and word in words.antonyms):
            return True
        if word.endswith(("able", "ible")) and (not kinds or "a" in kinds):
            return True
        return any(
            word.startswith(prefix) and words.kinds.get(word[len(prefix) :], "")[:1] == "a"
            for prefix in NEGATIVE_PREFIXES
        ) or (word.endswith("ed") and "v" in words.all_kinds(word))
