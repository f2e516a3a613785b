"""What a doubtful picture shows, in the light of what is written beside it.

Elements of one scene mostly speak of the same things: beside "With beef" a leaf is more likely to mean
vegan than nature. A label that speaks of what a text in view speaks of, whether it agrees or not, is
likelier than the picture alone says.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

import numpy as np

from arwarden.core.findings import Claim, ElementType
from arwarden.fast.claims.elements import CROSSED, REQUIRED, WORD, ElementReader, Picture
from arwarden.fast.elements import decode
from arwarden.fast.elements.decode import ARROW, is_picture
from arwarden.fast.panels import Panel
from arwarden.fast.tracking.elements import TrackedElement
from arwarden.fast.words.bank import Word

LIKELIER: Final = 6.0
"""How many times likelier a label gets that speaks of what a text speaks of. On 300 validation scenes it
finds 120 of 150 contradictions instead of 116, with 3 false alarms as before; 4 finds as many of the first
120 scenes."""
LIKELIER_NAME: Final = 6.0
"""The same for the name of a picture that no label fits."""
NOVEL: Final = 0.3
"""How likely a picture that no name fits shows the one thing that the texts allow or say to be there, before
``LIKELIER_NAME``: who meets a new word beside a new picture takes them for the same."""
CROSSED_OUT: Final = 0.6
"""Share of the votes that say "off" from which a picture counts as crossed out."""
DENIABLE: Final = frozenset({"permission", "presence", "power", "connection", "recording"})
"""What a picture that is crossed out denies of the thing that it shows."""
DEMANDED: Final = frozenset({"requirement"})
"""What a mandatory sign says of it."""
_SAID_BY_LABEL: Final = MappingProxyType(
    {decode.CROSSED: (CROSSED, DENIABLE), decode.MANDATORY: (REQUIRED, DEMANDED)}
)
"""What labels of no class say of the thing that is shown, and the attributes that it is about."""
CLEAR: Final = 0.9
"""A share from which a picture needs no context."""
LEAST: Final = 0.04
"""A share below which a label gets none: it is no more than noise."""


@dataclass(frozen=True, slots=True)
class Topic:
    """What a claim is about: the attribute, without what narrows it, and the subject, empty for none."""

    attribute: str
    subject: str

    def touches(self, other: Topic) -> bool:
        """Whether two claims could be about the same thing: one that is not named may be any.

        A topic without an attribute is a thing of which nothing is said.
        """
        mine, theirs = set(self.subject.split()), set(other.subject.split())
        if not (self.attribute and other.attribute):
            return bool(mine & theirs)
        return self.attribute == other.attribute and (not mine or not theirs or bool(mine & theirs))


def topic_of(claim: Claim) -> Topic:
    """What one claim is about."""
    return Topic(claim.attribute.partition(".")[0], claim.subject)


class Context:
    """Weighs what pictures may show by what the texts of the frame speak of. Remembers what labels claim."""

    def __init__(self, reader: ElementReader) -> None:
        self._reader = reader
        self._topics: dict[str, frozenset[Topic]] = {}

    def weighed(
        self, seen: Sequence[TrackedElement], labels: Sequence[str], texts: Iterable[Panel]
    ) -> list[TrackedElement]:
        """The elements, each with its shares of ``labels``; those of doubtful pictures have changed.

        Pictures that names were found for have the one that fits best.
        """
        if all(one.votes is None and not _is_doubtful(one, labels) for one in seen):
            return list(seen)
        spoken = {
            topic_of(claim)
            for text in texts
            for claim in self._reader.claims(ElementType.TEXT, text=text.text)
        }
        weighed = [self._weigh(one, labels, spoken) if _is_doubtful(one, labels) else one for one in seen]
        return [self._named(one, labels, spoken) for one in weighed]

    def _named(self, one: TrackedElement, labels: Sequence[str], spoken: Collection[Topic]) -> TrackedElement:
        """With the best of its names, which say what the shape of the sign or a bar across it says."""
        votes = one.votes
        if votes is None:
            return one
        says, of = _SAID_BY_LABEL.get(labels[int(one.shares.argmax())], ("", DENIABLE))
        if says:
            votes = votes.of_things(says)
        elif votes.denying >= CROSSED_OUT:
            says = CROSSED
        likelier = {
            name: LIKELIER_NAME
            for name in votes.shares
            if any(topic.touches(other) for topic in self._claimed(WORD + name) for other in spoken)
        }
        word = votes.word(likelier)
        if says and word.words not in likelier:
            asked = [topic for topic in spoken if topic.attribute in of]
            word = _of_novel_thing(word, says, self._of_no_label(asked, labels))
        return replace(one, word=word)

    def _of_no_label(self, topics: Collection[Topic], labels: Sequence[str]) -> set[str]:
        """The things of the topics that no label speaks of; pictures of others would have been recognised."""
        known = {topic for label in labels for topic in self._claimed(label) if topic.subject}
        return {
            topic.subject
            for topic in topics
            if topic.subject and not any(topic.touches(other) for other in known)
        }

    def _weigh(self, one: TrackedElement, labels: Sequence[str], spoken: Collection[Topic]) -> TrackedElement:
        weights = np.ones(len(labels))
        for index in np.flatnonzero(one.shares >= LEAST):
            topics = self._claimed(labels[int(index)])
            if any(topic.touches(other) for topic in topics for other in spoken):
                weights[index] = LIKELIER
        shares = one.shares * weights
        return replace(one, shares=np.asarray(shares / shares.sum(), np.float32))

    def _claimed(self, label: str) -> frozenset[Topic]:
        """What a picture of this label claims something about; nothing for what is no picture."""
        if not is_picture(label):
            return frozenset()
        if label not in self._topics:
            picture = Picture(label)
            claims = self._reader.claims(ElementType.SIGN, pictures=[picture])
            thing = self._reader.thing([picture]) if label.startswith(WORD) else ""
            named = (Topic("", thing),) if thing else ()
            self._topics[label] = frozenset((*map(topic_of, claims), *named))
        return self._topics[label]


def _of_novel_thing(word: Word, says: str, things: Collection[str]) -> Word:
    """The one thing that texts speak of, where that is likelier than a ``word`` of which none speaks.

    Only for pictures that say something of what they show: what a plain one says is not known either.
    """
    if len(things) != 1:
        return word
    (thing,) = things
    unnamed = LIKELIER_NAME * NOVEL * (1.0 - word.share)
    share = unnamed / (unnamed + word.share)
    return Word(thing.replace("-", " ") + says, share) if share > word.share else word


def _is_doubtful(one: TrackedElement, labels: Sequence[str]) -> bool:
    best = int(one.shares.argmax())
    return float(one.shares[best]) < CLEAR and not labels[best].startswith(ARROW)
