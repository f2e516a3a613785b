"""Claims about what something contains or is free of ("contains mustard", "mustard-free")."""

from __future__ import annotations

from collections.abc import Iterator

from arwarden.core.findings import Claim
from arwarden.fast.claims.clauses import Item
from arwarden.fast.claims.lexicon import Lexicon, cut
from arwarden.fast.claims.open_attributes import PERMISSION, PRESENCE
from arwarden.fast.claims.passage import Passage
from arwarden.fast.claims.subjects import Mention

_LIST_NAMES = frozenset(
    {"ingredient", "ingredients", "allergen", "allergens", "content", "contents", "product"}
)
"""Before a list these do not say what it is of."""
_OF_ITSELF = frozenset({"natural", "naturally"})


def held_by(holder: str, thing: str, lexicon: Lexicon) -> str:
    """The subject of a claim that *holder*, empty where unnamed, has *thing* in it: "cola caffeine"."""
    words = holder.split()
    if not words or set(words) & lexicon.ingredients:
        return thing
    return " ".join(dict.fromkeys((*words, *thing.split())))


class ContentClaims:
    """Reads ingredients, and zones that are free of something."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        grammar = lexicon.data.grammar
        self._contains = sorted((cut(words) for words in grammar.contains), key=len, reverse=True)
        self._free_of = sorted((cut(words) for words in grammar.free_of), key=len, reverse=True)
        self._free_after = frozenset(grammar.free_after)
        self._ingredients = lexicon.ingredients

    def read(self, passage: Passage) -> Iterator[Claim]:
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
            elif (said := self._said(passage, mention, known=known, listed=listed)) is not None:
                yield from self._present(passage, mention, present=said, strength=0.95)

    def _said(self, passage: Passage, mention: Mention, *, known: bool, listed: bool | None) -> bool | None:
        """Whether it is in by what follows it ("breakfast not included") or by the list that it stands in."""
        included = _included(passage, mention.end)
        if included is not None or not known:
            return included
        return listed is not False if passage.word_after(mention.end) == "added" else listed

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
        if mention.name in self._lexicon.activities:
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
        lead = {token.text for token in passage.tokens[passage.clause.start : mention.end]}
        if present and lead & _OF_ITSELF:
            return  # what it has of itself, nobody added
        if present:
            words = (names[0], *names[0].split())
            names += [kind for word in words for kind in self._lexicon.kind_of.get(word, ())]
        holder = self._holder(passage, mention)
        for each in dict.fromkeys(names):
            yield from passage.claim(PRESENCE, value, item, held_by(holder, each, self._lexicon), strength)

    def _holder(self, passage: Passage, mention: Mention) -> str:
        """What it is in: named first ("ketchup: no sugar"), or right after "free" ("sugar-free ketchup").

        Empty where the clause does not say.
        """
        first = passage.mentions[0]
        if first.end > mention.start:
            free_at = mention.end + (passage.word_after(mention.end) == "-")
            after = [other for other in passage.mentions if other.start == free_at + 1]
            if passage.word_after(free_at) not in self._free_after or not after:
                return ""
            first = after[0]
        return " ".join(word for word in first.name.split() if word not in _LIST_NAMES)


def _included(passage: Passage, at: int) -> bool | None:
    """Whether the words from token *at* on say that it comes with something or not; ``None`` if neither."""
    denied = False
    while passage.word_after(at) in {"is", "are", "not"}:
        denied = denied or passage.word_after(at) == "not"
        at += 1
    said = {"included": True, "excluded": False}.get(passage.word_after(at))
    return None if said is None else said is not denied
