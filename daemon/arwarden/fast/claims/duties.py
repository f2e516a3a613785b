"""Claims about what one has to do: "visitors must register", "no need to register"."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from arwarden.core.findings import Claim
from arwarden.fast.claims.clauses import Item
from arwarden.fast.claims.lexicon import Kind, Lexicon, Phrase, cut
from arwarden.fast.claims.open_attributes import REQUIREMENT
from arwarden.fast.claims.passage import Passage

DUTY_STRENGTH = 0.9
_REQUIRED, _OPTIONAL = "required", "optional"
_SAID_BY = {
    _OPTIONAL: (
        "no need to|need not|needn't|do not have to|don't have to|do not need to|don't need to"
        "|not obliged to|not required to"
    ),
    _REQUIRED: "must|have to|has to|obliged to|required to",
}
_DUTIES = tuple((cut(words), value) for value, phrases in _SAID_BY.items() for words in phrases.split("|"))
"""What says that something is optional comes first: it holds words for the contrary."""


class DutyClaims:
    """Reads what must be done and what need not be."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        grammar = lexicon.data.grammar
        self._skipped = frozenset(grammar.function_words) | frozenset(grammar.fillers)

    def read(self, passage: Passage) -> Iterator[Claim]:
        """The duty of one clause, if it speaks of one."""
        words = passage.words
        for phrase, value in _DUTIES:
            at = next((at for at in range(len(words)) if tuple(words[at : at + len(phrase)]) == phrase), -1)
            if at >= 0:
                yield from self._duty(passage, passage.clause.start + at + len(phrase), phrase, value)
                return

    def _duty(self, passage: Passage, at: int, phrase: Phrase, value: str) -> Iterator[Claim]:
        named = next((s.value for i in passage.items if i.start == at for s in i.of(Kind.SUBJECT)), "")
        verb = passage.word_after(at)
        doing = named or ("" if verb in self._skipped else verb)
        if not doing or "v" not in self._lexicon.words.all_kinds(verb):
            return
        item = Item(at - len(phrase), at + 1, quality=passage.tokens[at].quality)
        thing = next((m.name for m in passage.mentions if m.start > at), "")
        subject = " ".join(part for part in (thing, doing) if part)
        yield from passage.claim(
            REQUIREMENT, value, item, subject, DUTY_STRENGTH * passage.light(item).strength
        )


def as_duty(claim: Claim, lexicon: Lexicon) -> Iterator[Claim]:
    """The same requirement by the verb that the thing's name is made of: "registration required".

    Not of a thing of several words: hearing protection is worn, nobody protects hearing.
    """
    required = claim.attribute.partition(".")[0] == REQUIREMENT and " " not in claim.subject
    verb = lexicon.words.verb_of(claim.subject) if required else ""
    if verb:
        yield replace(claim, subject=verb)
