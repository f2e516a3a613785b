"""Checks that need the whole lexicon: every name that one part uses must exist in another."""

from __future__ import annotations

from collections.abc import Sequence

from arwarden.fast.claims.schema import AttributeSpec, GlossSpec, LexiconFile, PictureSpec

OPEN_VALUES = {"presence": ("present", "absent")}
"""Attributes that need no entry, and their values."""


def problems_in(data: LexiconFile, loaded: Sequence[tuple[str, LexiconFile]]) -> list[str]:
    """One line per fault: file, entry, what is wrong, how to fix it."""
    problems: list[str] = []
    for file, part in loaded:
        for name, spec in part.attributes.items():
            problems += [f"{file}: attributes.{name}: {text}" for text in _attribute(name, spec, data)]
        for name, unit in part.units.items():
            if unit.dimension not in data.dimensions:
                known = ", ".join(data.dimensions) or "none"
                problems.append(
                    f"{file}: units.{name}.dimension: there is no dimension {unit.dimension!r}; "
                    f"use one of: {known}"
                )
        for name, dimension in part.dimensions.items():
            if dimension.base not in data.units:
                problems.append(
                    f"{file}: dimensions.{name}.base: there is no unit {dimension.base!r}; add it under units"
                )
        for name, union in part.unions.items():
            problems += [
                f"{file}: unions.{name}.members: there is no country or union {member!r}; "
                f"use a code from countries"
                for member in union.members
                if member not in data.countries and member not in data.unions
            ]
        problems += [f"{file}: {text}" for text in _conclusions(part, data)]
        problems += [f"{file}: gloss.{text}" for text in _gloss(part.gloss)] if part.gloss else []
        problems += [
            f"{file}: measure_names.{name}: there is no dimension of this name; add it under dimensions"
            for name in part.measure_names
            if name not in data.dimensions
        ]
    return problems


def _attribute(name: str, spec: AttributeSpec, data: LexiconFile) -> list[str]:
    values = data.attributes[name].values
    known = ", ".join(values) or "none"
    problems = [
        f"{key}: {value!r} is not a value of this attribute; use two of: {known}"
        for key, pairs in (("opposites", spec.opposites), ("compatible", spec.compatible))
        for pair in pairs
        for value in pair
        if value not in values
    ]
    seen: dict[str, str] = {}
    for value, words in spec.values.items():
        for word in (*words.words, *words.weak):
            other = seen.setdefault(word.lower(), value)
            if other != value:
                problems.append(
                    f"values.{value}: {word!r} also stands under {other!r}; keep it in one of them"
                )
        for other_name, other_value in words.implies.items():
            target = data.attributes.get(other_name)
            if target is None:
                problems.append(
                    f"values.{value}.implies: there is no attribute {other_name!r}; add or correct it"
                )
            elif other_value not in target.values:
                choice = ", ".join(target.values)
                problems.append(
                    f"values.{value}.implies.{other_name}: {other_value!r} is not one of: {choice}"
                )
        problems += [
            f"values.{value}.absent: there is no subject {thing!r}; add it under subjects"
            for thing in words.absent
            if thing not in data.subjects
        ]
        if words.range is not None and words.range[0] > words.range[1]:
            problems.append(f"values.{value}.range: the lower end comes first; swap the two numbers")
    if spec.range_unit is not None and spec.range_unit not in data.units:
        problems.append(f"range_unit: there is no unit {spec.range_unit!r}; use one from units")
    return problems


def _picture(picture: PictureSpec, data: LexiconFile) -> list[str]:
    problems: list[str] = []
    for meaning in picture.says:
        spec = data.attributes.get(meaning.attribute)
        values = tuple(spec.values) if spec is not None else OPEN_VALUES.get(meaning.attribute, ())
        if not meaning.attribute and not meaning.subject:
            problems.append("says: name a subject, or an attribute with its value")
        elif not meaning.attribute:
            continue
        elif not values:
            problems.append(f"says: there is no attribute {meaning.attribute!r}; add or correct it")
        elif meaning.value not in values:
            known = ", ".join(values)
            problems.append(f"says.{meaning.attribute}: {meaning.value!r} is not one of: {known}")
    return problems


def _gloss(gloss: GlossSpec) -> list[str]:
    """A wording with two meanings would have whichever comes first."""
    problems: list[str] = []
    seen: dict[str, str] = {}
    for section, wordings in (("words", gloss.words), ("orders", gloss.orders)):
        for english, words in wordings.items():
            if not english.strip():
                problems.append(f"{section}: a wording means nothing; list it under drop instead")
            for word in words:
                other = seen.setdefault(word.casefold(), english)
                if other != english:
                    problems.append(
                        f"{section}.{english}: {word!r} also stands under {other!r}; keep it in one of them"
                    )
    problems += [
        f"drop: {word!r} also means {seen[word.casefold()]!r}; keep it in one of them"
        for word in gloss.drop
        if word.casefold() in seen
    ]
    return problems


def _conclusions(part: LexiconFile, data: LexiconFile) -> list[str]:
    problems: list[str] = []
    for rule in part.follows:
        target = data.attributes.get(rule.then[0])
        if target is None or rule.then[1] not in target.values:
            told = " = ".join(rule.then)
            problems.append(f"follows: there is no {told!r}; name an attribute and one of its values")
    for name, picture in part.pictures.items():
        problems += [f"pictures.{name}: {text}" for text in _picture(picture, data)]
    return problems
