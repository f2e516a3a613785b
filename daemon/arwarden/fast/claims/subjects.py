"""What a clause talks about, and whether two claims talk about the same thing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from arwarden.fast.claims.clauses import Clause, Item
from arwarden.fast.claims.lexicon import Kind, Lexicon, cut
from arwarden.fast.claims.numbers import AmountKind
from arwarden.fast.claims.tokens import Token
from arwarden.fast.claims.words import singular

SAME = 1.0
CONTAINED = 0.96
"""One names it more closely than the other ("door", "car door")."""
OF_A_KIND = 0.6
"""One is of a kind that the other names ("exit", "emergency exit"): often both are there."""
UNNAMED = 0.84
"""Only one of the two says what it is about."""
BOTH_UNNAMED = 0.88
DIFFERENT = 0.0

_PREPOSITIONS = frozenset({"to", "of", "for", "in", "at", "near", "from", "by", "into", "beside", "behind"})
_HALVES = frozenset({"day", "night"})
"""Before a noun they tell it from another: "night mode", "day shift"."""
_EACH = frozenset({"every", "each", "all", "last", "next", "per", "to", "by"})
_BEFORE_NUMBERS = frozenset({"in", "scheduled", "due", "until"})
_VERBS = frozenset({"was", "were", "has", "had", "will", "may", "must", "can", "cannot", "needs"})
_PRONOUNS = frozenset(
    {"it", "we", "you", "they", "i", "he", "she", "that", "there", "here", "what", "everything"}
)
_REASONS = frozenset({"for", "due", "because", "owing", "during", "by"})
_STATES = frozenset({"opening", "function", "power", "road", "stock", "progress", "availability"})
"""A thing behind the words for such a state and one of the reasons is not what is in the state."""
_OF_EACH = frozenset({"distance", "duration"})
"""One panel may tell how far something is and another how far something else is."""
THE = frozenset({"the", "your", "our", "my"})
"""Behind a word that can be a verb these begin what it is done to: "lift the lid"."""
_WITH = frozenset({"with", "without"})
_DONE_TO = frozenset({"the", "a", "an", "your", "this", "on", "over", "under"})
_MAX_WORDS = 4
_SOLD = frozenset({"item", "article", "brand", "label", "good", "country", "quality", "place"})
"""Names of anything that is sold: no origin of theirs is another one's."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A thing named at tokens ``start`` to ``end`` (excluded)."""

    start: int
    end: int
    name: str


def relation(one: str, other: str) -> float:
    """How sure it is that two subjects are the same thing, 0..1."""
    if one == other:
        return SAME if one else BOTH_UNNAMED
    if not one or not other:
        return UNNAMED
    words, others = parts(one), parts(other)
    if _head(words) != _head(others):
        return DIFFERENT
    if _head(one.split()) != _head(other.split()):
        return OF_A_KIND if set(words) <= set(others) or set(others) <= set(words) else DIFFERENT
    return CONTAINED if set(words) <= set(others) or set(others) <= set(words) else DIFFERENT


def parts(subject: str) -> list[str]:
    """The words of a subject; one thing of several words is of the kind of its last ("emergency-exit")."""
    return subject.replace("-", " ").split()


def _head(words: Sequence[str]) -> str:
    """The word that says what kind of thing it is: the last that is no number ("gate" in "gate 4")."""
    return next(
        (word for word in reversed(words) if len(word) > 1 and not any(map(str.isdigit, word))), words[-1]
    )


class SubjectReader:
    """Finds the mentions of a clause and the one that a phrase is about."""

    def __init__(self, lexicon: Lexicon) -> None:
        grammar = lexicon.data.grammar
        self._lexicon = lexicon
        self._modifiers = frozenset(grammar.modifiers)
        phrases = [
            cut(words) for key, group in grammar.model_dump().items() if key != "modifiers" for words in group
        ]
        self._small = frozenset(phrase[0] for phrase in phrases if len(phrase) == 1)
        self._articles = frozenset(grammar.articles)
        self._copulas = frozenset(grammar.copulas)
        self._timed = frozenset(
            word for group in lexicon.data.time_names.values() for word in group if word.endswith("s")
        )
        self._nouns = {
            name: frozenset(word for noun in spec.nouns for word in cut(noun))
            for name, spec in lexicon.data.attributes.items()
        }
        origin = lexicon.data.origin
        if origin is not None:
            cues = {word for phrase in (*origin.before, *origin.after) for word in phrase.split()}
            self._nouns[origin.attribute] = frozenset(cues | _SOLD)

    def _explains(self, tokens: Sequence[Token], item: Item, mention: Mention, attribute: str) -> bool:
        """Whether a thing behind a state is its reason ("closed for renovation")."""
        between = tokens[item.end : mention.start]
        return attribute in _STATES and bool(between) and between[0].text in _REASONS

    def mentions(self, tokens: Sequence[Token], clause: Clause, used: Iterable[Item]) -> list[Mention]:
        """The things named in a clause; *used* items hold claims and are not looked at."""
        claiming = list(used)
        taken = {at for item in claiming for at in range(item.start, item.end)}
        states = frozenset(item.start for item in claiming if item.has(Kind.VALUE))
        items = {item.start: item for item in clause.items}
        nouns = frozenset(
            item.start for item in clause.items if item.has(Kind.SUBJECT) and item not in claiming
        )
        found: list[Mention] = []
        run: list[tuple[int, str, bool]] = []
        at = clause.start
        while at < clause.end:
            word, length, noun = (
                ("", 1, False)
                if at in taken or self._is_done(tokens, at)
                else self._part(tokens, at, items.get(at), states, nouns)
            )
            here = items.get(at)
            if here is not None and here.amount is not None and here.amount.kind is AmountKind.LABEL:
                _close(run, at, found)
                run.append((at, word, noun))
                _close(run, at + length, found)
            elif word:
                run.append((at, word, noun))
            else:
                _close(run, at, found)
            at += length
        _close(run, clause.end, found)
        doing = frozenset(m.start for m in found if self._is_doing(tokens, clause, m))
        return _attach(tokens, found, doing)

    def _is_doing(self, tokens: Sequence[Token], clause: Clause, mention: Mention) -> bool:
        """Whether it is an activity that begins the clause, to whose name belongs what it is done to."""
        begins = mention.start == clause.start or tokens[mention.start - 1].text == "no"
        single = mention.end == mention.start + 1 and mention.name.endswith("ing")
        return begins and single and bool(self._lexicon.words.verb_of(mention.name))

    def _part(  # noqa: PLR0911 - one return per kind of word
        self,
        tokens: Sequence[Token],
        at: int,
        item: Item | None,
        states: frozenset[int],
        nouns: frozenset[int],
    ) -> tuple[str, int, bool]:
        """A word's part in a name: the word as used there, its tokens, and whether it can end a name."""
        if item is not None and item.has(Kind.VALUE) and not item.has(Kind.SUBJECT):
            return tokens[at].text, 1, False  # "left door": it tells this door from another
        if item is not None:
            named = self._named(item, tokens)
            if named or item.amount is None:
                return named, item.end - item.start, True
        token = tokens[at]
        after = tokens[at - 1].text if at > 0 else ""
        if token.is_number or (item is not None and item.amount is not None):
            follows_noun = at > 0 and tokens[at - 1].is_word and tokens[at - 1].text not in self._small
            length = item.end - item.start if item is not None else 1
            is_count = item is None or (item.amount is not None and item.amount.kind is AmountKind.COUNT)
            return (token.text if follows_noun and is_count else ""), length, True
        if token.is_word and len(token.text) == 1 and token.upper and at > 0 and tokens[at - 1].is_word:
            return ("" if after in self._small else token.text), 1, True
        tells_apart = token.text in self._modifiers or (token.text in _HALVES and after not in _EACH)
        if tells_apart and self._noun_at(tokens, at + 1, nouns):
            return token.text, 1, False
        if not token.is_word or self.is_small(token.text) or (len(token.text) < 2):
            return "", 1, False
        if "frequency" in self._lexicon.categories.of(token.text) and not self._noun_at(
            tokens, at + 1, nouns
        ):
            return "", 1, False  # "cleaned weekly"
        kind = self._lexicon.words.kind(token.text)
        named_by_article = after in self._articles and "n" in self._lexicon.words.all_kinds(token.text)
        gerund = token.text.endswith("ing") and after not in self._copulas
        named_by_place = "n" in self._lexicon.words.all_kinds(token.text) and at + 1 in states
        if kind in "n?" or named_by_article or gerund or named_by_place or self._is_named_by_rest(tokens, at):
            return singular(token.text), 1, True
        return (token.text if kind == "a" else ""), 1, False

    def _is_done(self, tokens: Sequence[Token], at: int) -> bool:
        """Whether a word that can be a verb is one, for what it is done to follows: "lift the lid"."""
        follows = tokens[at + 1].text if at + 1 < len(tokens) else ""
        verb = "v" in self._lexicon.words.kinds.get(tokens[at].text, "")
        return verb and follows in THE and (at == 0 or tokens[at - 1].text not in self._articles)

    def _is_named_by_rest(self, tokens: Sequence[Token], at: int) -> bool:
        """Whether a word that can be a verb stands where only a noun can ("Ferry 21:30", "Interview: ")."""
        words = self._lexicon.words
        word = tokens[at].text
        # "released" is no noun for "release" being one.
        if "n" not in (words.kinds.get(word, "") if word.endswith("ed") else words.all_kinds(word)):
            return False
        follows = tokens[at + 1] if at + 1 < len(tokens) else None
        begins = at == 0 or not tokens[at - 1].is_word
        if follows is None or not (follows.is_word or follows.is_number):
            return not begins or (follows is not None and follows.text == ":")
        if follows.text in {"on", "off"} and not begins:
            return True
        timed = follows.is_number and (":" in follows.text or not begins)
        return (
            timed
            or follows.text in self._copulas
            or follows.text in _VERBS
            or follows.text in self._timed  # "ferry leaves"
            or (begins and follows.text in _BEFORE_NUMBERS)
            or (begins and follows.text.endswith("ed") and words.kind(follows.text) == "v")
        )

    def is_small(self, word: str) -> bool:
        """Whether a word never names a thing."""
        return word in self._small or word.endswith("n't") or word.partition("'")[0] in _PRONOUNS

    def _noun_at(self, tokens: Sequence[Token], at: int, nouns: frozenset[int]) -> bool:
        """Whether a name goes on at token *at*."""
        if at in nouns:
            return True
        word = tokens[at].text if at < len(tokens) else ""
        return word[:1].isalpha() and not self.is_small(word) and self._lexicon.words.kind(word) in "n?"

    def _named(self, item: Item, tokens: Sequence[Token]) -> str:
        subjects = item.of(Kind.SUBJECT)
        if subjects:
            return subjects[0].value
        if item.amount is not None and item.amount.kind is AmountKind.LABEL:
            return f"{item.amount.unit} {item.amount.value.lower()}"
        countries = item.of(Kind.COUNTRY)
        return "-".join(token.text for token in tokens[item.start : item.end]) if countries else ""

    def about(
        self,
        tokens: Sequence[Token],
        item: Item,
        mentions: Sequence[Mention],
        others: Sequence[Item],
        attribute: str,
    ) -> str:
        """The subject of *item*: the nearest mention before it, else after it, never past a like phrase.

        *others* are the items of the clause that claim the same attribute. Where the first of them comes
        before every mention, the clause is read as "value subject, value subject".
        """
        before = [mention for mention in mentions if mention.end <= item.start]
        after = [
            mention
            for mention in mentions
            if mention.start >= item.end and not self._explains(tokens, item, mention, attribute)
        ]
        earlier = max((other.end for other in others if other.end <= item.start), default=-1)
        later = min((other.start for other in others if other.start >= item.end), default=10**6)
        value_first = (
            bool(mentions) and bool(others) and min(o.start for o in (*others, item)) < mentions[0].start
        )
        between = [mention for mention in before if mention.start >= earlier]
        following = [mention for mention in after if mention.end <= later]
        with_it = tokens[item.end - 1].text in _WITH  # "visitors only with badge"
        ordered = [following[:1], between[-1:]] if value_first or with_it else [between[-1:], following[:1]]
        for choice in ordered:
            for mention in choice:
                name = self.without(mention.name, attribute)
                if name:
                    return name
        return ""

    def without(self, name: str, attribute: str) -> str:
        """A name without the nouns that only repeat the attribute ("battery" for the battery level).

        Attributes that no lexicon lists are called by such a noun ("weight").
        """
        base = attribute.partition(".")[0]
        own = self._nouns.get(base, frozenset() if base in _OF_EACH else frozenset(base.split()))
        return " ".join(word for word in name.split() if word not in own)


def _close(run: list[tuple[int, str, bool]], end: int, found: list[Mention]) -> None:
    """Ends a run of words; what follows its last noun is no part of a name."""
    while run and not run[-1][2]:
        end = run.pop()[0]
    if run:
        words = [word for _, word, _ in run[-_MAX_WORDS:]]
        found.append(Mention(run[0][0], end, " ".join(dict.fromkeys(" ".join(words).split()))))
    run.clear()


def _attach(tokens: Sequence[Token], mentions: list[Mention], doing: frozenset[int]) -> list[Mention]:
    """Joins what a preposition joins: "door to the kitchen" is one mention, "kitchen door".

    And what is done with its object, where it begins at one of *doing*: "feeding the ducks".
    """
    joined: list[Mention] = []
    for mention in mentions:
        previous = joined[-1] if joined else None
        between = [token.text for token in tokens[previous.end : mention.start]] if previous else []
        linked = bool(between) and between[0] in _PREPOSITIONS and len(between) <= 2
        if previous is not None and between:
            linked |= previous.start in doing and between[0] in _DONE_TO
        if previous is not None and linked and not set(between[1:]) - {"the", "a", "an", "your", "this"}:
            joined[-1] = Mention(previous.start, mention.end, f"{mention.name} {previous.name}")
        else:
            joined.append(mention)
    return joined
