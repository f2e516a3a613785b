"""What a package calls its icons, as plain words: "bell-off-outline" is a "bell off".

Pure. A name says what is shown and how it is drawn ("sharp", "duotone", "24"); only the first is a word for
it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

STYLES: Final = frozenset({
    "outline", "outlined", "filled", "fill", "rounded", "round", "sharp", "solid", "line", "linear",
    "bold", "thin", "duotone", "twotone", "duo", "alt", "alternate", "mini", "regular", "broken",
    "stroke", "color", "colour", "colored", "fat", "bulk", "remix", "glyph", "px", "xs", "xl", "lg",
    "sm", "s", "o", "l", "r", "c", "v",
})  # fmt: skip
"""Words at the end that say only how it is drawn."""
FRAMES: Final = frozenset({
    "light", "circle", "square", "box", "medium", "small", "large", "big", "rectangle", "hexagon",
    "two", "tone", "circled", "squared",
})  # fmt: skip
"""Words at the end that do so where the package has the icon without them too ("bell", "bell-circle")."""
FIRST: Final = frozenset({
    "baseline", "outline", "round", "sharp", "twotone", "ios", "md", "interface",
})  # fmt: skip
"""The same at the beginning."""
OFF: Final = frozenset({
    "off", "slash", "slashed", "crossed", "disabled", "disable", "mute", "muted", "forbid", "forbidden",
    "strikethrough",
})  # fmt: skip
"""Ways to say that the thing is crossed out."""
BODIES: Final = re.compile(r"\b(?:skin tone|flag for|keycap|hair)\b")
"""Pictures of people by the hundred, and flags, which the classifier knows."""
LEAST_PACKAGES: Final = 2
"""Makers that call a picture so: a name of one package alone is often its own invention."""
_SERIES: Final = re.compile(r"(?:-light|-regular|-solid|-v1|-pop|-pencil|-print|\d)+$")
Key = tuple[str, str]
"""Package and name of an icon."""


@dataclass(frozen=True, slots=True)
class Named:
    """An icon and the words for it."""

    source: str
    name: str
    words: str


def spelt(name: str, others: Iterable[str] = ()) -> str:
    """The words of one icon's name; `others` are the names as words that its package has."""
    words = _split(name)
    known = others if isinstance(others, (set, frozenset)) else frozenset(others)
    if len(words) > 1 and words[0] in FIRST:
        words = words[1:]
    while len(words) > 1 and (words[-1] in STYLES or (words[-1] in FRAMES and " ".join(words[:-1]) in known)):
        words = words[:-1]
    return " ".join("off" if word in OFF else word for word in words)


def named_icons(packages: Mapping[str, Iterable[str]], least_packages: int = LEAST_PACKAGES) -> list[Named]:
    """The icons whose words at least so many makers use, one for each package, words and way of drawing.

    `packages` are the icon names of each package. Of a package's variants of one picture the first two in
    the order of their names are taken.
    """
    spelled: dict[Key, str] = {}
    for source, names in packages.items():
        listed = tuple(names)
        known = frozenset(" ".join(_split(name)) for name in listed)
        spelled |= {(source, name): spelt(name, known) for name in listed}
    makers: dict[str, set[str]] = defaultdict(set)
    for (source, _), words in spelled.items():
        makers[words].add(_SERIES.sub("", source))
    taken: dict[tuple[str, str], int] = defaultdict(int)
    found = []
    for (source, name), words in sorted(spelled.items()):
        usable = len(words) > 2 and not BODIES.search(words) and len(makers[words]) >= least_packages
        if usable and taken[source, words] < VARIANTS:
            taken[source, words] += 1
            found.append(Named(source, name, words))
    return found


VARIANTS: Final = 2
"""Of one picture in one package: outlined and filled, say."""


def _split(name: str) -> list[str]:
    shown = name.split("--", maxsplit=1)[0].lower()
    return [word for word in re.split(r"[^a-z]+", shown) if word]
