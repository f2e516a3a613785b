"""What the classifier can answer, and which answer is right for an element of the generator's truth."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from arwarden.fast.elements.decode import CROSSED, MANDATORY, OTHER, TYPES
from models.assets.library import read_classes, read_countries
from models.scenes.kinds import held_out_classes

BACKGROUND, PANEL, ARROW, U_TURN, DOUBLE, TAG = (
    "#background", "#panel", "#arrow", "#arrow:u_turn", "#arrow:double", "#tag",
)  # fmt: skip
"""Labels that are no pictograms."""
_NAMELESS = {"": OTHER, "other": OTHER, "crossed": CROSSED, "mandatory": MANDATORY}
"""Pictograms and signs of no class."""
_TYPE_OF_KIND = {
    "panel": "panel",
    "arrow": "arrow",
    "pictogram": "sign",
    "sign": "sign",
    "flag": "flag",
    "tag": "tag",
    "badge": "tag",
}


@dataclass(frozen=True, slots=True)
class Labels:
    """Names in the order of the classifier's outputs."""

    names: tuple[str, ...]

    def number(self, name: str) -> int | None:
        """The output of a name, or None for one that the classifier is not to learn."""
        try:
            return self.names.index(name)
        except ValueError:
            return None

    def write(self, path: Path) -> None:
        """One JSON list."""
        path.write_text(json.dumps(list(self.names), indent=0) + "\n", encoding="utf-8")


@cache
def trained_labels() -> Labels:
    """All labels: fixed ones, pictogram classes but those of held-out kinds, flags that look different."""
    held_out = held_out_classes()
    pictograms = [name for name in read_classes() if name not in held_out]
    flags = [f"flag:{code}" for code, country in read_countries().items() if not country.same_as]
    fixed = (BACKGROUND, PANEL, ARROW, U_TURN, DOUBLE, TAG, OTHER, CROSSED, MANDATORY)
    return Labels((*fixed, *pictograms, *flags))


def read_labels(path: Path) -> Labels:
    """What ``Labels.write`` wrote."""
    return Labels(tuple(json.loads(path.read_text(encoding="utf-8"))))


def type_number(kind: str) -> int | None:
    """The detector's type of a kind of the truth; None for what it is not to find (texts)."""
    name = _TYPE_OF_KIND.get(kind)
    return None if name is None else TYPES.index(name)


def label_name(kind: str, cls: str) -> str | None:
    """The label of an element of the truth; None where there is none to learn.

    Pictograms of held-out kinds get a name that is no label, so that nothing is learnt from them.
    """
    if kind == "flag":
        code = cls.removeprefix("flag:").upper()
        country = read_countries().get(code)
        return None if country is None else f"flag:{country.same_as or code}"
    if kind in {"pictogram", "sign"}:
        return _NAMELESS.get(cls, cls)
    if kind == "arrow":
        return {"u_turn": U_TURN, "double": DOUBLE}.get(cls, ARROW)
    return {"panel": PANEL, "tag": TAG, "badge": TAG}.get(kind)
