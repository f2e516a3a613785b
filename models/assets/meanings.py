"""Writes what pictograms mean, from ``classes.yaml``, as a part of the daemon's claim lexicon.

``python -m models.assets.meanings`` after any change of ``classes.yaml``; a test compares the two.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import yaml

CLASSES: Final = Path(__file__).parent / "classes.yaml"
LEXICON: Final = Path(__file__).resolve().parents[2] / "daemon/arwarden/fast/claims/lexicon/en.pictures.yaml"
ATTRIBUTES: Final = {"contains": "presence"}
"""Attributes that the lexicon calls otherwise."""
FURTHER_STRENGTH: Final = 0.65
"""Of the readings after the first."""
_HEADER = """\
# What pictograms say. Written by `python -m models.assets.meanings` from models/assets/classes.yaml.
# Meanings that need a caption, and other additions, are in en.signs.yaml.
language: en

pictures:
"""


def lexicon_part(classes: Path = CLASSES) -> str:
    """The text of the lexicon file for the classes."""
    lines = [_HEADER]
    for cls, spec in yaml.safe_load(classes.read_text(encoding="utf-8")).items():
        says = ", ".join(_meaning(one, first=place == 0) for place, one in enumerate(spec["says"]))
        words = ", ".join(map(_quoted, spec["words"]))
        lines.append(f"  {cls}: {{name: {_quoted(spec['words'][0])}, words: [{words}], says: [{says}]}}\n")
    return "".join(lines)


def _meaning(says: dict[str, str], *, first: bool) -> str:
    told = {key: ATTRIBUTES.get(value, value) if key == "attribute" else value for key, value in says.items()}
    parts = [f"{key}: {_quoted(str(value))}" for key, value in told.items()]
    return "{" + ", ".join(parts if first else [*parts, f"strength: {FURTHER_STRENGTH}"]) + "}"


def _quoted(word: str) -> str:
    return word if word.replace("_", "").isalnum() else f'"{word}"'


if __name__ == "__main__":
    LEXICON.write_text(lexicon_part(), encoding="utf-8")
