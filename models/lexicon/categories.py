"""Writes which everyday nouns exclude each other, from WordNet's hypernyms, for the claim lexicon.

``python -m models.lexicon.categories FOLDER`` with the folder of WordNet 3.0's database files (Debian's
``wordnet-base`` has them in ``/usr/share/wordnet``). What is one animal is no other, unless one is of the
other's kind: each category is a tree of such kinds, written with one space of indentation per level. A word
is taken in the senses that are usual for it; those that are not its first are marked with ``~``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

OUT: Final = (
    Path(__file__).resolve().parents[2] / "daemon/arwarden/fast/claims/lexicon/wordnet/categories.txt"
)
ROOTS: Final[Mapping[str, str]] = {
    "animal": "chordate#1 arthropod#1 mollusk#1",
    "plant": "tree#1 shrub#1 flower#1 vine#1 herb#1 grass#1",
    "food": "edible_fruit#1 vegetable#1 meat#1 cheese#1 bread#1 dish#2 dessert#1 edible_nut#1 seafood#1 "
    "cereal#3",
    "drink": "beverage#1",
    "material": "fabric#1 wood#1 rock#2 metallic_element#1 alloy#1 plastic#1 glass#1 leather#1 paper#1 "
    "building_material#1 ceramic#1 wool#1 fiber#1",
    "colour": "chromatic_color#1 achromatic_color#1",
    "room": "room#1 area#5",
    "building": "building#1 facility#1",
    "vehicle": "vehicle#1",
    "furniture": "furniture#1",
    "clothing": "clothing#1 footwear#2",
    "musical instrument": "musical_instrument#1",
    "music": "music_genre#1",
    "sport": "sport#1",
    "dance": "dancing#1",
    "currency": "monetary_unit#1",
    "meal": "meal#1",
    "season": "season#2",
    "religion": "religion#1",
    "disease": "disease#1",
    "body part": "external_body_part#1 organ#1 bone#1",
    "profession": "worker#1 professional#1 scientist#1 artist#1 performer#1 athlete#1",
    "relative": "relative#1",
    "tool": "tool#1",
    "gem": "jewel#1 gem#2",
    "element": "chemical_element#1",
    "gas": "gas#2",
    "fuel": "fuel#1",
    "planet": "planet#1",
    "shape": "plane_figure#1 solid#3",
    "time of day": "hour#2 day#4 night#1",
    "compass": "compass_point#1 cardinal_compass_point#1",
    "container": "container#1",
    "weapon": "weapon#1",
    "landform": "geological_formation#1",
    "waters": "body_of_water#1",
    "style": "architectural_style#1 artistic_movement#1",
    "literature": "literary_genre#1",
    "subject of study": "discipline#1",
    "zodiac": "sign_of_the_zodiac#1",
    "medicine": "medicine#2",
    "moon": "phase_of_the_moon#1",
}
MAX_WORDS: Final = 2
MIN_LETTERS: Final = 3
MAX_SENSE: Final = 3
"""Later senses of a word are seldom meant."""


@dataclass(frozen=True, slots=True)
class Nouns:
    """WordNet's nouns: words of a set of synonyms, sets below it, and senses of a word in their order."""

    words: Mapping[str, Sequence[str]]
    below: Mapping[str, Sequence[str]]
    senses: Mapping[str, Sequence[str]]


def read_nouns(folder: Path) -> Nouns:
    """The nouns of ``data.noun`` and ``index.noun`` (formats: wndb(5WN))."""
    words: dict[str, Sequence[str]] = {}
    below: dict[str, list[str]] = {}
    for line in _entries(folder / "data.noun"):
        fields = line.partition("|")[0].split()
        count = int(fields[3], 16)
        words[fields[0]] = [fields[4 + 2 * at] for at in range(count)]
        pointers = fields[5 + 2 * count :]
        for at in range(0, 4 * int(fields[4 + 2 * count]), 4):
            if pointers[at] in {"@", "@i"}:
                below.setdefault(pointers[at + 1], []).append(fields[0])
    senses = {
        fields[0]: fields[-int(fields[2]) :] for fields in map(str.split, _entries(folder / "index.noun"))
    }
    return Nouns(words, below, senses)


def _entries(path: Path) -> Iterator[str]:
    with path.open(encoding="latin-1") as file:
        yield from (line for line in file if not line.startswith(" "))


def lines(nouns: Nouns) -> Iterator[str]:
    """The file, line by line: a category begins with ``#``, kinds are indented below what they are of."""
    for category, roots in ROOTS.items():
        yield f"# {category}"
        seen: set[str] = set()
        for root in roots.split():
            word, _, sense = root.partition("#")
            yield from _tree(nouns, nouns.senses[word][int(sense) - 1], 0, seen)


def _tree(nouns: Nouns, offset: str, depth: int, seen: set[str]) -> Iterator[str]:
    if offset in seen:
        return
    seen.add(offset)
    names = list(_names(nouns, offset))
    inner = [line for below in nouns.below.get(offset, ()) for line in _tree(nouns, below, depth + 1, seen)]
    if names or inner:
        yield " " * depth + (",".join(names) or "-")
        yield from inner


def _names(nouns: Nouns, offset: str) -> Iterator[str]:
    """The words of a set of synonyms that mostly mean it."""
    for word in nouns.words[offset]:
        plain = word.lower().replace("_", " ")
        senses = nouns.senses.get(word.lower(), ())
        rank = list(senses).index(offset) if offset in senses else MAX_SENSE
        usable = len(plain) >= MIN_LETTERS and all(part.isalpha() for part in plain.split())
        if usable and rank < MAX_SENSE and len(plain.split()) <= MAX_WORDS:
            yield plain if rank == 0 else "~" + plain


if __name__ == "__main__":
    OUT.write_text("\n".join(lines(read_nouns(Path(sys.argv[1])))) + "\n", encoding="utf-8")
