"""Claims of whole elements: their words, their pictograms and flags, and for arrows where they point."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from arwarden.core.findings import Claim, Element, ElementType
from arwarden.fast.claims.contents import held_by
from arwarden.fast.claims.lexicon import Lexicon, slug
from arwarden.fast.claims.open_attributes import (
    EXISTENCE,
    FRAME,
    INSTRUCTION,
    OPEN_ATTRIBUTES,
    PRESENCE,
    STATEMENT,
)
from arwarden.fast.claims.reader import ClaimReader
from arwarden.fast.claims.schema import MeaningSpec, PictureSpec

FLAG = "flag:"
"""Before the ISO 3166 code in the class of a flag ("flag:FR")."""
WORD = "word:"
"""Before the words in the class of a picture that none of the known classes is ("word:bell off")."""
CROSSED = " off"
"""Ends the words for a picture that is crossed out."""
REQUIRED = " required"
"""Ends the words for what a mandatory sign shows."""
U_TURNS = frozenset({"u_turn", "uturn"})
DIRECTION = "direction"
ILLUSTRATION = 0.6
"""What a pictogram still says beside words that claim something: it mostly illustrates them."""
NAMED_STRENGTH = 0.9
"""What the names of a picture say, against a meaning that is listed."""
FURTHER_NAME = 0.8
MAX_NAMES = 3
MAX_NAME_WORDS = 3
FOLLOWS = 0.95
NAMED_BY_PICTURE = 0.95
NAMED_BY_PLACE = 0.9
"""A bare arrow that hangs beside a panel with nothing but a name on it."""
BESIDE = 0.8
"""Boxes closer than this many times the lesser of their heights hang together."""
DIAGONAL_DEG = 15.0
"""An arrow this near to 45 degrees may mean either side."""
DIAGONAL_STRENGTH = 0.5
_ACTIVITIES = frozenset({"permission", "requirement", PRESENCE})
"""A picture of these shows its subject itself: a caption beside it names something else."""
_WHOLE = frozenset({STATEMENT, INSTRUCTION, EXISTENCE, FRAME})
"""Read from whole sentences, which the names of pictures are not."""
_PLACES = frozenset({("", ""), ("permission", "allowed"), ("users", "men"), ("users", "women")})
"""What pictograms of places say of them; all others on an arrow are statements of their own."""
_WAYS = frozenset({DIRECTION, "distance", "duration", "walking time", "driving time", "floor"})


@dataclass(frozen=True, slots=True)
class Picture:
    """A pictogram or flag that an element shows: its class and how sure the classifier is, 0..1."""

    cls: str
    confidence: float = 1.0
    words: tuple[str, ...] = ()
    """What it is called, for classes that the lexicon does not know; the best name first."""

    @property
    def names(self) -> tuple[str, ...]:
        """Its words, or those of its class."""
        if self.words or not self.cls.startswith(WORD):
            return self.words
        return (self.cls.removeprefix(WORD),)


class ElementReader:
    """Reads elements by one lexicon. Keeps nothing but the text reader's memory.

    ``switched`` are words for pictures that are also shown crossed out where the thing is off: a plain one
    says, less surely, that it is on.
    """

    def __init__(
        self,
        lexicon: Lexicon,
        texts: ClaimReader | None = None,
        *,
        switched: Collection[str] = frozenset(),
    ) -> None:
        self._lexicon = lexicon
        self._switched = switched
        self._texts = texts if texts is not None else ClaimReader(lexicon)
        self._countries = {code.upper(): country.name for code, country in lexicon.data.countries.items()}

    def claims(
        self,
        kind: ElementType,
        *,
        text: str = "",
        pictures: Sequence[Picture] = (),
        direction_deg: float | None = None,
    ) -> tuple[Claim, ...]:
        """What an element says, strongest first.

        ``text`` is all that is written on it, ``pictures`` what it is or carries; for arrows
        ``direction_deg`` is where it points in the picture, counter-clockwise from "to the right"
        (90 is up). Classes that the lexicon does not know say nothing.
        """
        said = self._texts.claims(text) if text else ()
        if pictures and text.strip(" .!:").casefold() in self._lexicon.subject_names:
            said = ()  # "Safe" beside a padlock is a thing, not a claim
        stated = any(_base(claim) not in OPEN_ATTRIBUTES for claim in said)
        occasions = self._texts.occasions(text) if text and not stated else ()
        name = "" if stated or occasions or not text else self._name(text)
        thing = self.thing(pictures)
        if thing and not name:
            said = tuple(
                claim
                if claim.subject or not self._texts.without(thing, claim.attribute) or self._is_origin(claim)
                else replace(claim, subject=thing, strength=claim.strength * NAMED_BY_PICTURE)
                for claim in said
            )
        shown = [
            replace(claim, attribute=".".join((claim.attribute, *occasions)))
            for picture in pictures
            for claim in self._shown(picture, name, said, stated=stated)
        ]
        if thing and kind is ElementType.ARROW and not stated:
            shown = []  # it says where the stairs are, not to take them
        pointed: list[Claim] = []
        if kind is ElementType.ARROW and direction_deg is not None:
            place = "" if text else self._place(pictures)
            states = (bool(said) and not name) or (bool(shown) and not place)
            pointed = list(
                self._pointed(direction_deg, pictures, said, name or thing or place, states=states)
            )
        found = [*said, *shown, *pointed]
        return tuple(sorted(found, key=lambda claim: -claim.strength))

    def names(self, text: str) -> bool:
        """Whether the text names a thing and says nothing about it, as a caption does."""
        stated = any(_base(claim) not in OPEN_ATTRIBUTES for claim in self._texts.claims(text))
        return not stated and bool(self._name(text))

    def reads(self, text: str) -> bool:
        """Whether the text is in a script of a language that is loaded; others claim nothing."""
        return self._texts.reads(text)

    def named_by_place(self, elements: Sequence[Element]) -> tuple[Element, ...]:
        """The elements, with bare arrows about what a panel right beside them names.

        Only names that the lexicon knows count: a panel beside an arrow may say anything.
        """
        names = [(element, self._lone_name(element)) for element in elements]
        return tuple(self._with_neighbour(element, names) for element in elements)

    def _with_neighbour(self, element: Element, names: Sequence[tuple[Element, str]]) -> Element:
        bare = [c for c in element.claims if c.pictured and c.attribute == DIRECTION and not c.subject]
        if element.type is not ElementType.ARROW or not bare:
            return element
        near = [(gap(element, other), name) for other, name in names if name and other is not element]
        nearest = min(near, default=None)
        if nearest is None or nearest[0] > BESIDE:
            return element
        claims = tuple(
            replace(claim, subject=nearest[1], strength=claim.strength * NAMED_BY_PLACE)
            if claim in bare
            else claim
            for claim in element.claims
        )
        return replace(element, claims=claims)

    def _lone_name(self, element: Element) -> str:
        if element.type is ElementType.ARROW or not element.text:
            return ""
        if any(_base(claim) not in OPEN_ATTRIBUTES for claim in element.claims):
            return ""
        name = self._texts.named(element.text)
        return name if name and set(name.split()) <= self._lexicon.subject_slugs else ""

    def _is_origin(self, claim: Claim) -> bool:
        """Where something comes from is said of the product, whatever marks stand beside it."""
        origin = self._lexicon.data.origin
        return origin is not None and _base(claim) == origin.attribute

    def _name(self, text: str) -> str:
        """What a text without statements names: a thing the reader knows, or else its few words."""
        name = self._texts.named(text)
        if name or len(text.split()) > MAX_NAME_WORDS:
            return name
        orders = any(_base(claim) == INSTRUCTION for claim in self._texts.claims(text))
        return "" if orders else self._texts.spelt(text)

    def thing(self, pictures: Sequence[Picture]) -> str:
        """What the pictures name without saying anything of it."""
        for picture in pictures:
            spec = self._lexicon.data.pictures.get(picture.cls)
            if spec is not None and spec.says and not spec.says[0].attribute:
                return slug(spec.says[0].subject)
            if spec is None and len(picture.names) == 1:
                return self._named_by(picture.names[0])
        return ""

    def _named_by(self, words: str) -> str:
        """The thing that a picture's only name names; nothing where that says something of it."""
        stated = any(_base(claim) not in _WHOLE for claim in self._texts.claims(words))
        name = "" if stated else self._texts.named(words)
        return name if name and set(name.split()) <= self._lexicon.subject_slugs else ""

    def _place(self, pictures: Sequence[Picture]) -> str:
        """What a pictogram alone on an arrow leads to: parking, the restroom for men."""
        for picture in pictures:
            spec = self._lexicon.data.pictures.get(picture.cls)
            for meaning in spec.says[:1] if spec is not None else ():
                if meaning.subject and (meaning.attribute, meaning.value) in _PLACES:
                    return slug(meaning.subject)
        return ""

    def _shown(self, picture: Picture, name: str, said: Sequence[Claim], *, stated: bool) -> Iterator[Claim]:
        if picture.cls.startswith(FLAG):
            country = self._countries.get(picture.cls.removeprefix(FLAG).upper())
            origin = self._lexicon.data.origin
            if country is not None and origin is not None:
                subject = self._texts.without(name, origin.attribute)
                span = f"flag of {country}"
                yield Claim(origin.attribute, country, subject, True, picture.confidence, span, pictured=True)
            return
        spec = self._lexicon.data.pictures.get(picture.cls, PictureSpec())
        spoken_of = {_base(claim) for claim in said}
        for meaning in spec.says:
            if not meaning.attribute or meaning.attribute in spoken_of:
                continue
            if meaning.captioned and not (name or stated):
                continue
            strength = picture.confidence * meaning.strength * (ILLUSTRATION if stated else 1.0)
            subject = self._subject(meaning, name, said)
            span = f"{spec.name or picture.cls} symbol"
            claim = Claim(
                meaning.attribute, meaning.value, subject, True, round(strength, 3), span, pictured=True
            )
            yield claim
            yield from self._what_follows(claim)
        told = {meaning.attribute for meaning in spec.says} | spoken_of
        yield from self._in_words(picture, spec, name, told, stated=stated)

    def _in_words(
        self, picture: Picture, spec: PictureSpec, name: str, told: Collection[str], *, stated: bool
    ) -> Iterator[Claim]:
        """What the picture's names say, read as text ("no entry"), of attributes that are not *told* yet."""
        named = spec.words or picture.names
        if picture.cls.startswith(WORD):
            named = (*named, *self._conventions(named[0]))
        sure = picture.confidence * NAMED_STRENGTH * (ILLUSTRATION if stated else 1.0)
        for place, word in enumerate(named[:MAX_NAMES]):
            said = self._texts.claims(word)
            if any(_base(claim) in told for claim in said):
                continue
            for claim in said:
                base = _base(claim)
                if base in _WHOLE or not claim.polarity:
                    continue
                yield replace(
                    claim,
                    subject=self._texts.without(name or claim.subject, base),
                    strength=round(claim.strength * sure * FURTHER_NAME**place, 3),
                    span=f"{spec.name or named[0]} symbol",
                    pictured=True,
                )

    def _conventions(self, words: str) -> Iterator[str]:
        """What the words for a picture also stand for: crossed out is off or not allowed, plain is on."""
        if words.endswith(CROSSED):
            yield f"no {words.removesuffix(CROSSED)}"
        elif words in self._switched:
            yield f"{words} on"

    def _what_follows(self, claim: Claim) -> Iterator[Claim]:
        """What is contained or not where the claim holds: vegan is without meat, cheese is dairy."""
        spec = self._lexicon.data.attributes.get(claim.attribute)
        value = spec.values.get(claim.value) if spec is not None else None
        things = [(thing, "absent") for thing in value.absent] if value is not None else []
        things += [(thing, "present") for thing in value.present] if value is not None else []
        if (claim.attribute, claim.value) == (PRESENCE, "present"):
            things += [(kind, "present") for kind in self._lexicon.kind_of.get(claim.subject, ())]
        for thing, presence in things:
            strength = round(claim.strength * FOLLOWS, 3)
            subject = held_by(claim.subject, slug(thing), self._lexicon)
            yield replace(claim, attribute=PRESENCE, value=presence, subject=subject, strength=strength)

    def _subject(self, meaning: MeaningSpec, name: str, said: Sequence[Claim]) -> str:
        """What a picture is about: what the caption names, else what it shows itself."""
        own = slug(meaning.subject)
        if own and meaning.attribute in _ACTIVITIES:
            return own
        caption = name or next((claim.subject for claim in said if claim.subject), "")
        return self._texts.without(caption or own, meaning.attribute)

    def _pointed(
        self,
        direction_deg: float,
        pictures: Sequence[Picture],
        said: Sequence[Claim],
        name: str,
        *,
        states: bool,
    ) -> Iterator[Claim]:
        """Where an arrow says its thing is; an arrow with any other statement on it only carries that."""
        if any(claim.attribute == DIRECTION for claim in said):
            return
        ways = [claim for claim in said if _base(claim) in _WAYS]
        if states and not ways:
            return
        subject = name or next((claim.subject for claim in ways), "")
        if any(picture.cls in U_TURNS for picture in pictures):
            value, strength, way = "back", 1.0, "U-turn"
        else:
            value, strength, way = pointing(direction_deg)
        yield Claim(
            DIRECTION,
            value,
            self._texts.without(subject, DIRECTION),
            True,
            strength,
            f"{way} arrow",
            pictured=True,
        )


def pointing(direction_deg: float) -> tuple[str, float, str]:
    """Value of the direction, strength, and the way in words, for an arrow in the picture."""
    names = (("right", "right"), ("upward", "up"), ("left", "left"), ("downward", "down"))
    quarter, rest = divmod((direction_deg + 45.0) % 360.0, 90.0)
    value, way = names[int(quarter) % 4]
    diagonal = min(rest, 90.0 - rest) < DIAGONAL_DEG
    return value, DIAGONAL_STRENGTH if diagonal else 1.0, way


def gap(one: Element, other: Element) -> float:
    """The gap between two boxes in units of the lesser of their heights; 0 where they touch."""
    a, b = one.box, other.box
    gap_x = max(a.x_norm, b.x_norm) - min(a.x_norm + a.w_norm, b.x_norm + b.w_norm)
    gap_y = max(a.y_norm, b.y_norm) - min(a.y_norm + a.h_norm, b.y_norm + b.h_norm)
    least = min(a.h_norm, b.h_norm)
    return max(gap_x, gap_y, 0.0) / least if least > 0 else float("inf")


def _base(claim: Claim) -> str:
    return claim.attribute.partition(".")[0]
