"""The shape of a lexicon file, checked. ``docs/claims.md`` explains every key with examples."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from arwarden.core.findings import Severity


def _as_words(value: Any) -> Any:  # noqa: ANN401 - whatever YAML held, for pydantic to judge
    """Numbers in a word list are words too; a lone word is a list of one."""
    if isinstance(value, str):
        return (value,)
    if isinstance(value, list):
        return tuple(
            str(item) if isinstance(item, int | float) and not isinstance(item, bool) else item
            for item in value
        )
    return value


Words = Annotated[tuple[Annotated[str, Field(min_length=1, max_length=80)], ...], BeforeValidator(_as_words)]
Unit01 = Annotated[float, Field(ge=0, le=1)]


class Part(BaseModel):
    """A piece of a lexicon. Unknown keys are errors: a misspelt key would silently do nothing."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class GrammarSpec(Part):
    """The small words of a language: what negates, hedges, dates or conditions a statement."""

    articles: Words = ()
    function_words: Words = ()
    modifiers: Words = ()
    fillers: Words = ()
    negators: Words = ()
    scope_ends: Words = ()
    conditionals: Words = ()
    past: Words = ()
    present: Words = ()
    future: Words = ()
    hedges: Words = ()
    copulas: Words = ()
    permits: Words = ()
    forbids: Words = ()
    max_words: Words = ()
    min_words: Words = ()
    contains: Words = ()
    free_of: Words = ()
    free_after: Words = ()
    time_leads: Words = ()
    time_nouns: Words = ()


class ValueSpec(Part):
    """One value of an attribute and the words that claim it."""

    words: Words = ()
    weak: Words = ()
    commands: Words = ()
    last: Words = ()
    alone: Words = ()
    implies: dict[str, str] = {}
    absent: Words = ()
    present: Words = ()
    only_for: Words = ()
    range: tuple[float, float] | None = None


class AttributeSpec(Part):
    """Something that can be claimed, with the values that exclude each other."""

    label: str = Field(min_length=1)
    severity: Severity
    values: dict[str, ValueSpec]
    nouns: Words = ()
    cues: Words = ()
    bare: Unit01 = 1.0
    attributive: Unit01 = 1.0
    opposites: tuple[tuple[str, str], ...] = ()
    compatible: tuple[tuple[str, str], ...] = ()
    unnamed_confidence: Unit01 | None = None
    subject_required: bool = False
    event: bool = False
    pictures_together: bool = False
    needs_picture: bool = False
    lasting: bool = False
    implied_of_named: bool = False
    range_unit: str | None = None


class SubjectSpec(Part):
    """Words for one thing; *activity* are verbs for doing it ("park" for parking).

    *allowed* and *forbidden* are phrases that allow or forbid it without naming it ("keep out").
    """

    words: Words = ()
    activity: Words = ()
    allowed: Words = ()
    forbidden: Words = ()


class DimensionSpec(Part):
    """A physical dimension: its base unit, and the attribute that a bare quantity of it claims."""

    base: str
    attribute: str
    bare: Unit01 = 0.6


class UnitSpec(Part):
    """A unit: ``base = factor * value + offset``."""

    dimension: str
    factor: float = Field(gt=0)
    offset: float = 0.0
    words: Words


class CountrySpec(Part):
    """A country: its name as shown, further names, adjectives, and places that stand for it."""

    name: str
    also: Words = ()
    adjectives: Words = ()
    places: Words = ()


class UnionSpec(Part):
    """A group of countries: a claim about it agrees with a claim about any member."""

    words: Words
    members: Words


class MeaningSpec(Part):
    """One thing that a picture says; without an attribute it only names a thing."""

    subject: str = ""
    attribute: str = ""
    value: str = ""
    strength: Unit01 = 1.0
    captioned: bool = False


class CategorySpec(Part):
    """Words of which a thing is only one: what is of oak is not of glass, who is married is not single.

    Adds to the trees of kinds of the same name in ``lexicon/wordnet/categories.txt``. With ``modifies``
    its words say the same before a noun ("oak table").
    """

    label: str = ""
    values: dict[str, Words] = {}
    compatible: tuple[tuple[str, str], ...] = ()
    modifies: bool = False


class FollowSpec(Part):
    """A conclusion: where *subject* has *attribute* = *value*, ``then`` holds, an attribute and its value."""

    subject: str
    attribute: str
    value: str
    then: tuple[str, str]


class PictureSpec(Part):
    """A class of pictograms: what it is called, and what it says, the strongest reading first.

    *words* are its names as text: what they say counts too, on attributes that *says* does not name.
    """

    name: str = ""
    words: Words = ()
    says: tuple[MeaningSpec, ...] = ()


class OriginSpec(Part):
    """The words around a country that make it a place of origin."""

    attribute: str = "origin"
    severity: Severity = Severity.WARNING
    before: Words = ()
    after: Words = ()
    other: dict[str, Words] = {}
    unnamed_confidence: Unit01 = 0.95
    bare_strength: Unit01 = 0.6
    weak_before: Words = ()


class GlossSpec(Part):
    """How a text of this language is put into the words of the lexicon. ``docs/languages.md`` explains it.

    *words* gives for each English wording those that mean it; *orders* the same for verbs that end an
    order ("Tür schließen"); *drop* lists words that say nothing. ``#`` in a wording stands for a number,
    a final ``...`` says that another word must follow.
    """

    words: dict[str, Words] = {}
    orders: dict[str, Words] = {}
    drop: Words = ()
    telling: Words = ()
    modals: Words = ()
    endings: dict[str, str] = {}
    joints: Words = ()
    elisions: Words = ()
    letters: str = ""
    characters: dict[str, str] = {}
    digraphs: dict[str, str] = {}
    decimal_comma: bool = False
    hour_letter: str = Field("", max_length=1)


class LexiconFile(Part):
    """One file. Every section may be absent; files are merged in the order they are given."""

    language: str = Field(pattern=r"^[a-z]{2,3}$")
    grammar: GrammarSpec = GrammarSpec()
    qualifiers: dict[str, Words] = {}
    ignore: Words = ()
    antonyms: tuple[tuple[str, str], ...] = ()
    attributes: dict[str, AttributeSpec] = {}
    subjects: dict[str, SubjectSpec | Words] = {}
    kinds: dict[str, Words] = {}
    ingredients: Words = ()
    dimensions: dict[str, DimensionSpec] = {}
    units: dict[str, UnitSpec] = {}
    currencies: dict[str, Words] = {}
    number_words: dict[str, int] = {}
    ordinals: dict[str, int] = {}
    months: dict[str, int] = {}
    measure_names: dict[str, dict[str, Words]] = {}
    price_names: dict[str, Words] = {}
    time_names: dict[str, Words] = {}
    labels: dict[str, Words] = {}
    countries: dict[str, CountrySpec] = {}
    unions: dict[str, UnionSpec] = {}
    origin: OriginSpec | None = None
    pictures: dict[str, PictureSpec] = {}
    follows: tuple[FollowSpec, ...] = ()
    categories: dict[str, CategorySpec] = {}
    fields: Words = ()
    parts: Words = ()
    gloss: GlossSpec | None = None
