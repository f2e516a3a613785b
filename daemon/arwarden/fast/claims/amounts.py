"""Claims from numbers: prices, distances, times, dates, opening hours, levels, counts, numbered places."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

from arwarden.core.findings import Claim
from arwarden.fast.claims.ages import age_claims, lowest_age
from arwarden.fast.claims.clauses import Item
from arwarden.fast.claims.fees import EXTRAS, FEES, NOTHING, PIECE, extra_names, unit_price
from arwarden.fast.claims.intervals import INTERVAL, done
from arwarden.fast.claims.lexicon import Kind, Lexicon, Phrase, cut
from arwarden.fast.claims.negation import Light
from arwarden.fast.claims.numbers import Amount, AmountKind
from arwarden.fast.claims.passage import Passage
from arwarden.fast.claims.words import singular

NAMED_STRENGTH = 1.0
SUBJECT_STRENGTH = 0.95
BARE_STRENGTH = 0.6
"""A number that nothing explains: misread digits look like other digits, and it may be about anything."""
LABEL_STRENGTH = 0.88
COUNT_STRENGTH = 0.79
"""A count without "max", "min" or "contains": just enough where both name exactly the same."""
LONG_WAIT_S = 1200.0
SHORT_WAIT_S = 120.0
SET_TEMPERATURE = "set temperature"
_SETTING = frozenset({"set", "turn", "raise", "lower", "reduce", "increase", "adjust", "heat"})
_POLITE = frozenset({"please", "always", "then", "now"})
_SWITCHED = frozenset({"on", "off"})
_AT = frozenset({"at", "from", "by", "until", "till", "after"})
REMAINING_STRENGTH = 0.9
REMAINING = frozenset({"left", "remaining"})
_NEAR = 5
_RANGE_SIGNS = frozenset({"-", "\u2013", "to"})
_FREE = frozenset({"free", "complimentary", "gratis"})
_BELOW = frozenset(
    {"less", "fewer", "shorter", "lighter", "lower", "smaller", "slower", "younger", "cooler", "colder"}
    | {"closer", "nearer", "thinner", "narrower", "shallower", "below", "under"}
)
_ABOVE = frozenset(
    {"more", "longer", "heavier", "higher", "larger", "bigger", "faster", "older", "hotter", "warmer"}
    | {"further", "farther", "taller", "wider", "deeper", "thicker", "greater", "above", "over", "exceeding"}
)
_UNDER_OR_OVER = frozenset({"below", "under", "above", "over", "exceeding"})
"""Of these words those that need no "than"."""
_AT_NO_COST = frozenset({("of", "charge"), ("of", "cost"), ("to", "use"), ("for", "all")})
SCARCE = frozenset({"only", "just"})
_OF_ALL: tuple[list[str], ...] = ([], ["in", "stock"], ["now"])
"""Behind "only 5 left": of one colour or size there may be others."""
_PER = frozenset({"per", "/", "each"})
_BETWEEN = frozenset({":", "is", "=", "of", "at"})
"""These may stand between a measure's name and its number."""
_LIMITS = {"weight.max": "maximum load", "speed.max": "speed limit"}
"""Bounds that have a name of their own."""
_ALIKE = {"operating": "working", "target": "set", "nominal": "rated"}
"""One word for those that name the same of several like quantities."""


def _names(groups: Mapping[str, Sequence[str]]) -> dict[Phrase, str]:
    return {cut(word): name for name, words in groups.items() for word in words}


def _words_of(groups: Mapping[str, Sequence[str]]) -> dict[str, set[str]]:
    """The words of each name's phrases: they say what is told of a thing and are no part of its name."""
    return {
        name: {form for phrase in group for word in cut(phrase) for form in (word, singular(word))}
        for name, group in groups.items()
    }


class AmountClaims:
    """Reads claims whose value is a number."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        data = lexicon.data
        self._measures = {dimension: _names(groups) for dimension, groups in data.measure_names.items()}
        self._prices = _names(data.price_names)
        self._times = _names(data.time_names)
        self._extras = extra_names(lexicon)
        self._of_times = _words_of(data.time_names)
        self._of_measures = {unit: _words_of(groups) for unit, groups in data.measure_names.items()}
        self._copulas = frozenset(data.grammar.copulas)
        self._bookable = frozenset(
            word
            for spec in data.attributes.values()
            for value in spec.values.values()
            if "free" in value.weak
            for word in value.only_for
        )
        self._max = [cut(words) for words in data.grammar.max_words]
        self._min = [cut(words) for words in data.grammar.min_words]
        self._ranged = {
            name: spec
            for name, spec in data.attributes.items()
            if spec.range_unit is not None and any(value.range for value in spec.values.values())
        }

    def read(self, passage: Passage) -> Iterator[Claim]:
        """The claims of one clause."""
        age = lowest_age(passage)
        yield from self._amounts(passage) if age is None else age_claims(passage, age)

    def _amounts(self, passage: Passage) -> Iterator[Claim]:
        for item in passage.items:
            if item.amount is None:
                continue
            light = passage.light(item)
            if light.strength <= 0 or self._is_range(passage, item):
                continue
            match item.amount.kind:
                case AmountKind.PRICE:
                    yield from self._price(passage, item, item.amount)
                case AmountKind.QUANTITY:
                    yield from self._quantity(
                        passage, item, item.amount, light.strength, negated=light.negated
                    )
                case AmountKind.TIME | AmountKind.DATE:
                    yield from self._time(passage, item, item.amount, light.strength)
                case AmountKind.HOURS:
                    yield from self._hours(passage, item, item.amount, light.strength)
                case AmountKind.LABEL:
                    yield from self._label(passage, item, item.amount, light)
                case AmountKind.COUNT:
                    yield from self._count(passage, item, item.amount, light.strength, negated=light.negated)
        yield from self._free(passage)

    def _is_range(self, passage: Passage, item: Item) -> bool:
        """Whether it is one end of a range ("5-10 min"), which other numbers may lie in."""
        if item.amount is None or item.amount.kind is not AmountKind.QUANTITY:
            return False
        before = item.start - 2
        joined = passage.word_before(item.start) in _RANGE_SIGNS and before >= passage.clause.start
        return joined and passage.tokens[before].is_number

    def _price(self, passage: Passage, item: Item, amount: Amount) -> Iterator[Claim]:
        if passage.word_before(item.start) in _UNDER_OR_OVER:
            return  # "free over 50 €" is what something else depends on
        subject = passage.about(item, "price")
        name = self._nearest(passage, item, self._prices)
        explicit = any(
            word in {"price", "costs", "cost", "fee", "pay", "admission"} for word in passage.words
        )
        if name in EXTRAS:
            subject = " ".join(word for word in subject.split() if self._extras.get(word) != name)
        attribute = "price" if name is None else f"price.{name.removesuffix(' price')}"
        unit, words = unit_price(passage, item, self._lexicon)
        if unit:
            own = _without(subject, "", words)
            each = self._bounded(passage, item, f"{attribute}.per {unit}")
            yield from passage.claim(each, amount.value, item, _bare_price_subject(own), NAMED_STRENGTH)
            if unit != PIECE:
                return  # the price of one is the price, too
        attribute = self._bounded(passage, item, attribute)
        strength = NAMED_STRENGTH if explicit or name else SUBJECT_STRENGTH if subject else BARE_STRENGTH
        yield from passage.claim(attribute, amount.value, item, _bare_price_subject(subject), strength)

    def _quantity(
        self, passage: Passage, item: Item, amount: Amount, strength: float, *, negated: bool
    ) -> Iterator[Claim]:
        if passage.word_before(item.start) in _PER:
            return  # "per 100 g"
        subject = passage.about(item, "")
        name = self._measure_name(passage, item, amount)
        attribute = name or self._lexicon.data.dimensions[amount.unit].attribute
        value, negated = self._bound(passage, item, amount, attribute, negated=negated)
        if level := self._level(passage, amount):
            aimed = f"{level}.target" if passage.word_before(item.start) == "to" else level
            own = passage.without(subject, level)
            yield from passage.claim(aimed, value, item, own, strength * 0.95, negated=negated)
            return
        if amount.unit == "duration" and passage.word_before(item.start) == "every":
            attribute = INTERVAL  # "a bus every 10 min" may come in 3
            subject = done(passage, item.start) or subject
        told = self._of_measures.get(amount.unit, {}).get(name or "", set())
        own = self._measured_thing(passage, item, attribute, subject, told)
        named = name is not None or attribute in passage.words
        bare = self._lexicon.data.dimensions[amount.unit].bare
        sure = NAMED_STRENGTH if named else SUBJECT_STRENGTH if own else bare
        if amount.unit == "ratio" and not named:
            sure = min(sure, 0.9) if own else 0.3
        if not negated:
            yield from self._besides(passage, item, attribute, own, strength)
        if passage.word_after(item.end) in _PER:
            attribute += "." + " ".join(passage.words[item.end - passage.clause.start :][:3])
        bounded = self._bounded(passage, item, attribute)
        yield from passage.claim(bounded, value, item, own, strength * sure, negated=negated)
        if not negated:
            yield from self._concluded(passage, item, attribute, _size(amount.value), own)

    def _level(self, passage: Passage, amount: Amount) -> str:
        """The attribute with levels of which the clause gives the number ("battery 20 %"), or empty."""
        for attribute, spec in self._ranged.items():
            unit = self._lexicon.data.units[spec.range_unit or ""]
            fits = attribute != "temperature" and unit.dimension == amount.unit
            if fits and self._speaks_of(passage, attribute):
                return attribute
        return ""

    def _measured_thing(
        self, passage: Passage, item: Item, attribute: str, subject: str, told: AbstractSet[str]
    ) -> str:
        """What a quantity is of: the subject without what only names the measure, else which of several."""
        warmth = item.amount is not None and item.amount.unit == "temperature"
        own = passage.without(subject, "temperature") if warmth else _without(subject, attribute, told)
        own = own or self._which(passage, item, attribute)
        return " ".join(_ALIKE.get(word, word) for word in own.split())

    def _besides(
        self, passage: Passage, item: Item, attribute: str, own: str, strength: float
    ) -> Iterator[Claim]:
        """What a quantity says beside itself: who has a way to go has not arrived, a discount is an offer."""
        unit = item.amount.unit if item.amount is not None else ""
        remains = unit == "length" and "remaining" in passage.words
        if unit in {"length", "duration"} and (own == "destination" or remains):
            yield from passage.claim("arrival", "continue", item, "", strength * 0.9)
        if attribute == "discount":
            thing = _without(passage.about(item, ""), attribute)
            yield from passage.claim("offer", "discounted", item, thing, strength * 0.85)

    def _which(self, passage: Passage, item: Item, attribute: str) -> str:
        """What tells a quantity from others of its sort, be it no noun even: "test pressure", "set speed"."""
        before = passage.words[: item.start - passage.clause.start]
        while before and before[-1] in _BETWEEN:
            before.pop()
        measured = self._lexicon.measured
        which = before[-2] if len(before) > 1 and before[-1] in measured else ""
        common = which in self._lexicon.before_any_measure or which in measured
        common = common or which in self._lexicon.data.grammar.present or which in attribute.split()
        return which if which.isalpha() and not common else ""

    def _measure_name(self, passage: Passage, item: Item, amount: Amount) -> str | None:
        """Which of several like quantities it is, if the words around it say so."""
        name = self._nearest(passage, item, self._measures.get(amount.unit, {}))
        if amount.unit == "temperature" and name is None and self._is_set(passage, item):
            return SET_TEMPERATURE
        return name

    def _is_set(self, passage: Passage, item: Item) -> bool:
        """Whether it is a temperature to reach, which is not the one now: "set the oven to 180 °C"."""
        lead = next((word for word in passage.words if word not in _POLITE), "")
        return lead in _SETTING and passage.word_before(item.start) in {"to", "at"}

    def _remains(self, passage: Passage, item: Item) -> bool:
        """Whether this much time is left, so that what it is about goes on: "35 min remaining"."""
        behind = (passage.word_after(item.end), passage.word_after(item.end + 1))
        return behind[0] in REMAINING or behind == ("to", "go") or "remaining" in passage.words

    def _concluded(
        self, passage: Passage, item: Item, attribute: str, size: float, subject: str
    ) -> Iterator[Claim]:
        """What a measured value says in words: a volume of nothing is mute, a long wait is a queue."""
        timed = item.amount is not None and item.amount.unit == "duration"
        if timed and self._remains(passage, item):
            yield from passage.claim("progress", "running", item, subject, REMAINING_STRENGTH)
        if attribute == "volume level":
            yield from passage.claim("sound", "unmuted" if size > 0 else "muted", item, subject, 0.85)
        if attribute == "waiting time" and (size >= LONG_WAIT_S or size <= SHORT_WAIT_S):
            value = "crowded" if size >= LONG_WAIT_S else "quiet"
            yield from passage.claim("crowd", value, item, _without(subject, "queue wait line"), 0.85)

    def _speaks_of(self, passage: Passage, attribute: str) -> bool:
        """Whether the clause names the attribute ("battery")."""
        return bool(
            set(self._lexicon.data.attributes[attribute].nouns) - {"power", "level"} & set(passage.words)
        ) and bool(
            (set(self._lexicon.data.attributes[attribute].nouns) - {"power", "level", "energy"})
            & set(passage.words)
        )

    def _bounded(self, passage: Passage, item: Item, attribute: str) -> str:
        """The attribute with "max" or "min" where the words before or after the number say so."""
        if attribute in _LIMITS.values():
            return attribute
        words = [
            token.text for token in passage.tokens[max(passage.clause.start, item.start - 4) : item.start]
        ]
        behind = [token.text for token in passage.tokens[item.end : min(passage.clause.end, item.end + 3)]]
        words += [word for word in behind if word != "from"]  # "5 min from here"
        for suffix, phrases in (("max", self._max), ("min", self._min)):
            if any(_contains(words, phrase) for phrase in phrases):
                bounded = f"{attribute}.{suffix}"
                return _LIMITS.get(bounded, bounded)
        return attribute

    def _bound(
        self, passage: Passage, item: Item, amount: Amount, attribute: str, *, negated: bool
    ) -> tuple[str, bool]:
        """The number, as a bound ("< 5000 g") where words before it make it one, and whether it is denied.

        What is "not heavier than 20 kg" is lighter, so that a bound is never denied.
        """
        lead = passage.word_before(item.start)
        word = passage.word_before(item.start - 1) if lead == "than" else lead
        bounds = word in _BELOW | _ABOVE if lead == "than" else word in _UNDER_OR_OVER
        if (
            not bounds
            or attribute in _LIMITS.values()
            or self._bounded(passage, item, attribute) != attribute
        ):
            return amount.value, negated
        return f"{'<' if (word in _BELOW) != negated else '>'} {amount.value}", False

    def _time(self, passage: Passage, item: Item, amount: Amount, strength: float) -> Iterator[Claim]:
        name = self._nearest(passage, item, self._times)
        is_date = amount.kind is AmountKind.DATE
        attribute = (
            ("date" if is_date else "time")
            if name is None
            else f"{name} {'date' if is_date else 'time'}".replace("time time", "time").replace(
                "date date", "date"
            )
        )
        subject = passage.about(item, attribute)
        lead = passage.word_before(item.start - 1)
        if lead in _SWITCHED and passage.word_before(item.start) in _AT:
            attribute += f".{lead}"  # something goes on at one time and off at another
        if name is None:  # a line of a timetable is about all that it names
            names = [*self._lead(passage), *(word for m in passage.mentions for word in m.name.split())]
            subject = " ".join(dict.fromkeys(names))
        named = name is not None or attribute in passage.words
        sure = NAMED_STRENGTH if named else SUBJECT_STRENGTH if subject else 0.5
        if amount.value.endswith("~"):
            sure *= 0.7
        own = _without(subject, attribute, self._of_times.get(name or "", set()))
        yield from passage.claim(attribute, amount.value.rstrip("~"), item, own, strength * sure)
        if own and attribute.partition(".")[0] in {"start time", "departure time"}:
            time = attribute.replace("start ", "").replace("departure ", "")
            yield from passage.claim(time, amount.value.rstrip("~"), item, own, strength * 0.9)

    def _lead(self, passage: Passage) -> list[str]:
        """The adjectives right before the first name, which tell it apart ("high tide", "last bus")."""
        first = passage.mentions[0].start if passage.mentions else passage.clause.start
        at, found = first - 1, list[str]()
        while at >= passage.clause.start and self._lexicon.words.kind(passage.tokens[at].text) == "a":
            found.insert(0, passage.tokens[at].text)
            at -= 1
        return found

    def _hours(self, passage: Passage, item: Item, amount: Amount, strength: float) -> Iterator[Claim]:
        closed = any(s.value == "closed" for other in passage.items for s in other.of(Kind.VALUE))
        subject = passage.about(item, "opening")
        opening, _, closing = amount.value.partition("-")
        named = bool({"open", "hours", "opening", "opened"} & set(passage.words))
        sure = strength * (0.95 if named or closed else 0.8)
        attribute = "closed hours" if closed else "hours"
        yield from passage.claim(attribute, amount.value, item, _without(subject, "hours"), sure)
        if passage.occasions and not closed:
            yield from passage.claim("opening", "open", item, subject, sure * 0.9)
        if named and not closed:
            yield from passage.claim("opening time", opening, item, subject, sure * 0.95)
            yield from passage.claim("closing time", closing, item, subject, sure * 0.95)

    def _label(self, passage: Passage, item: Item, amount: Amount, light: Light) -> Iterator[Claim]:
        """A numbered place, unless it only names what the clause says something else about."""
        says_more = any(other.has(Kind.VALUE) and passage.claims_something(other) for other in passage.items)
        measured = any(
            other.amount is not None and other.amount.kind in {AmountKind.QUANTITY, AmountKind.PRICE}
            for other in passage.items
        )
        if says_more or measured or passage.word_after(item.end) in self._copulas | {"to"}:
            return  # "bus 14 to the harbour" tells where it goes, "lane 1 is faster" how it is
        subject = next((m.name for m in passage.mentions if not m.start <= item.start < m.end), "")
        own = {amount.unit, amount.value.lower()}
        within = next((m.name for m in passage.mentions if m.start <= item.start < m.end), "")
        subject = subject or " ".join(word for word in within.split() if word not in own)
        if not subject and {"you", "are"} <= set(passage.words):
            subject = "you"
        others = [
            o for o in passage.items if o.amount and o.amount.kind is AmountKind.LABEL and o is not item
        ]
        yours = bool({"your", "my", "changed", "now"} & set(passage.words))
        sure = NAMED_STRENGTH if yours or subject else LABEL_STRENGTH
        if others:
            sure = min(sure, 0.9)
        yield from passage.claim(
            amount.unit,
            amount.value,
            item,
            _without(subject, amount.unit),
            light.strength * sure,
            negated=light.negated,
            tense="past" if light.tense == "past" else "present",
        )

    def _count(
        self, passage: Passage, item: Item, amount: Amount, strength: float, *, negated: bool
    ) -> Iterator[Claim]:
        """A number of things: "4 people"."""
        noun = self._counted(passage, item)
        behind = passage.words[item.end - passage.clause.start :]
        left = "left" in behind[:2] and behind[behind.index("left") + 1 :] in _OF_ALL
        if left and passage.word_before(item.start) in SCARCE and not negated:
            yield from passage.claim("stock", "few", item, noun, strength)
        if not noun or _is_missing(passage, item):
            return
        attribute = self._bounded(passage, item, "quantity")
        sure = SUBJECT_STRENGTH if attribute != "quantity" or "contains" in passage.words else COUNT_STRENGTH
        others = [m.name for m in passage.mentions if not m.start <= item.end + 1 < m.end]
        context = [word for name in others for word in name.split() if word not in noun.split()]
        subject = " ".join([*dict.fromkeys(context), noun]) if attribute == "quantity" else noun
        value, negated = self._bound(passage, item, amount, attribute, negated=negated)
        if value != amount.value:
            sure = SUBJECT_STRENGTH
        yield from passage.claim(attribute, value, item, subject, strength * sure, negated=negated)

    def _counted(self, passage: Passage, item: Item) -> str:
        """The noun that a number counts; empty where none stands beside it."""
        words = self._lexicon.words
        small = set(self._lexicon.data.grammar.function_words) | set(self._lexicon.data.grammar.fillers)
        at = item.end
        adjectives = 0
        while at < passage.clause.end and adjectives < 3:
            token = passage.tokens[at]
            if not token.is_word:
                return ""
            if token.text in _PEOPLE:
                return "people"
            kinds = words.all_kinds(token.text)
            if "n" in kinds and words.kind(token.text) == "n" and token.text not in small - {"minutes"}:
                return self._lexicon.subject_names.get(token.text, singular(token.text))
            if token.text not in {"new", "free", "more"} and words.kind(token.text) != "a":
                return ""
            adjectives += 1
            at += 1
        return ""

    def _free(self, passage: Passage) -> Iterator[Claim]:
        """A price of nothing: "free entry", "free of charge"."""
        for at, token in enumerate(
            passage.tokens[passage.clause.start : passage.clause.end], passage.clause.start
        ):
            if token.text not in _FREE:
                continue
            item = Item(at, at + 1, quality=token.quality)
            follows = passage.word_after(at + 1)
            charge = (follows, passage.word_after(at + 2)) in _AT_NO_COST
            mention = next((m for m in passage.mentions if m.start == at + 1), None)
            lead = passage.word_before(at)
            if mention is None and lead in self._copulas and not follows:
                mention = next((m for m in passage.mentions if m.end < at), None)
            bounded = any(
                passage.word_before(other.start) in _UNDER_OR_OVER for other in passage.items if other.amount
            )
            if not bounded and (charge or (mention is not None and lead not in {"get", "-"})):
                subject = mention.name if mention is not None else passage.about(item, "price")
                if not charge and subject.split()[-1] in self._bookable:
                    continue
                negated = passage.light(item).negated
                extra = self._extras.get(subject.split()[-1]) if subject else None
                attribute, subject = (f"price.{extra}", "") if extra else ("price", subject)
                yield from passage.claim(attribute, NOTHING, item, subject, 0.9, negated=negated)

    def _nearest(self, passage: Passage, item: Item, names: Mapping[Phrase, str]) -> str | None:
        """Which name stands nearest to the number, up to the next number on that side; before wins."""
        amounts = [other for other in passage.items if other.amount is not None and other is not item]
        lowest = max((o.end for o in amounts if o.end <= item.start), default=passage.clause.start)
        highest = min((o.start for o in amounts if o.start >= item.end), default=passage.clause.end)
        before = [t.text for t in passage.tokens[max(lowest, item.start - 2 * _NEAR) : item.start]]
        after = [t.text for t in passage.tokens[item.end : min(highest, item.end + _NEAR)]]
        best: tuple[float, int, str] | None = None
        for phrase, name in names.items():
            gap = _distance(before, phrase, from_end=True)
            other = _distance(after, phrase, from_end=False)
            reach = min(
                (x for x in (gap, None if other is None else other + 0.5) if x is not None), default=None
            )
            if reach is not None and (best is None or (reach, -len(phrase)) < best[:2]):
                best = (reach, -len(phrase), name)
        return best[2] if best else None


def _is_missing(passage: Passage, item: Item) -> bool:
    """Whether it counts what is still to come: "180 points to the next reward", "3 stops to go"."""
    behind = [token.text for token in passage.tokens[item.end + 1 : passage.clause.end]][:3]
    return behind[:1] == ["until"] or (behind[:1] == ["to"] and bool({"go", "next", "reach"} & set(behind)))


_PEOPLE = frozenset({"people", "persons", "person", "guests", "visitors", "passengers", "occupants", "pax"})


def _distance(words: Sequence[str], phrase: Phrase, *, from_end: bool) -> float | None:
    """How many words lie between the phrase and the number; ``None`` where the phrase is not there."""
    places = range(len(words) - len(phrase), -1, -1) if from_end else range(len(words) - len(phrase) + 1)
    for at in places:
        if tuple(words[at : at + len(phrase)]) == phrase:
            return float(len(words) - at - len(phrase) if from_end else at)
    return None


def _contains(words: Sequence[str], phrase: Phrase) -> bool:
    return any(tuple(words[at : at + len(phrase)]) == phrase for at in range(len(words) - len(phrase) + 1))


def _size(value: str) -> float:
    """The number of a value with its unit."""
    return float(value.split(maxsplit=1)[0])


def _without(subject: str, attribute: str, told: AbstractSet[str] = frozenset()) -> str:
    """A subject without the words of the attribute and those *told* of it: of "bus leaves", the bus."""
    own = told | set(attribute.replace(".", " ").split())
    return " ".join(word for word in subject.split() if word not in own)


def _bare_price_subject(subject: str) -> str:
    return _without(subject, "", FEES | {"price", "offer", "sale"})
