"""Claims about where a thing comes from: "made in", "product of", a demonym, a bare country."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from arwarden.core.findings import Claim
from arwarden.fast.claims.clauses import Item
from arwarden.fast.claims.lexicon import Kind, Lexicon, Phrase, cut
from arwarden.fast.claims.passage import Passage

_LOOK_BACK = 7
PLACE_STRENGTH = 0.9
"""A city stands for its country less surely than the country's name."""


class OriginClaims:
    """Reads places of origin."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._spec = lexicon.data.origin
        if self._spec is None:
            return
        self._before = [cut(words) for words in self._spec.before]
        self._weak = {cut(words) for words in self._spec.weak_before}
        self._after = frozenset(self._spec.after)
        self._other = {name: [cut(words) for words in phrases] for name, phrases in self._spec.other.items()}

    def read(self, passage: Passage) -> Iterator[Claim]:
        """The claims of one clause."""
        if self._spec is None:
            return
        for item in passage.items:
            for sense in item.of(Kind.COUNTRY)[:1]:
                attribute, strength = self._judge(passage, item, sense.attribute)
                if strength <= 0:
                    continue
                light = passage.light(item)
                if sense.attribute == "place":
                    strength *= PLACE_STRENGTH
                yield from passage.claim(
                    attribute,
                    sense.value,
                    item,
                    self._product(passage, item, attribute),
                    strength * light.strength,
                    negated=light.negated,
                    tense="present",
                )

    def _product(self, passage: Passage, item: Item, attribute: str) -> str:
        """What comes from there, named before the country, without words that any product is called."""
        before = [one for one in passage.mentions if one.start <= item.start]
        country = "-".join(token.text for token in passage.tokens[item.start : item.end])
        words = before[-1].name.split() if before else []
        return passage.without(" ".join(word for word in words if word != country), attribute)

    def _judge(  # noqa: PLR0911 - one return per place that a country can stand in
        self, passage: Passage, item: Item, form: str
    ) -> tuple[str, float]:
        """Which origin the words before or after the country make it, and how surely."""
        spec = self._spec
        if spec is None:
            return "", 0.0
        words = [
            token.text
            for token in passage.tokens[max(passage.clause.start, item.start - _LOOK_BACK) : item.start]
        ]
        places = {f"{spec.attribute}.{name}": _last(words, phrases) for name, phrases in self._other.items()}
        made, phrase = _last_phrase(words, self._before)
        other, at = max(places.items(), key=lambda pair: pair[1], default=("", -1))
        if at > made:
            return other, 0.9
        if form == "adjective" and made == len(words) and phrase[-1:] in (("origin",), ("provenance",)):
            return spec.attribute, 0.95
        if words[-2:] in (["origin", ":"], ["origin", "is"]):
            return spec.attribute, 0.97
        if made >= 0 and form != "adjective":
            return spec.attribute, 0.6 if phrase in self._weak else 1.0
        if form == "place":
            return "", 0.0
        after = passage.word_after(item.end)
        if after in self._after or (after == "-" and passage.word_after(item.end + 1) in self._after):
            return spec.attribute, 0.95
        if form == "adjective":
            return spec.attribute, 0.0
        alone = item.end - item.start == len([word for word in passage.words if word not in {"the", ":"}])
        return spec.attribute, spec.bare_strength if alone else 0.0


def _last(words: Sequence[str], phrases: Sequence[Phrase]) -> int:
    return _last_phrase(words, phrases)[0]


def _last_phrase(words: Sequence[str], phrases: Sequence[Phrase]) -> tuple[int, Phrase]:
    """Where the last of the phrases ends in *words*, longest first; -1 where none is."""
    best: tuple[int, Phrase] = (-1, ())
    for phrase in phrases:
        for at in range(len(words) - len(phrase), -1, -1):
            if tuple(words[at : at + len(phrase)]) == phrase:
                end = at + len(phrase)
                if (end, len(phrase)) > (best[0], len(best[1])):
                    best = (end, phrase)
                break
    return best
