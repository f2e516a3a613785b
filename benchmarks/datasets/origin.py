"""Whether a set was generated: results on it are labelled as such, always."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arwarden.core.errors import InputError

MARK = "generated.json"
"""Lies in the folder of every generated set."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a set comes from."""

    folder: str
    """The folder's name."""
    generated: bool
    how: str = ""
    """What of a generated set is made up."""

    @property
    def label(self) -> str:
        """What stands over every table and figure."""
        return (
            f"GENERATED data ({self.how}): no result of a paper" if self.generated else f"data: {self.folder}"
        )


def mark(folder: Path, how: str, arguments: Mapping[str, Any]) -> None:
    """Say that a set is generated, and from what.

    Raises:
        InputError: the folder holds a set made from other arguments, or one that was not generated.
    """
    path, content = folder / MARK, {"how": how, **arguments}
    if path.exists() and json.loads(path.read_text(encoding="utf-8")) != content:
        raise InputError(str(folder), "holds a set generated from other arguments; choose another folder")
    if not path.exists() and folder.is_dir() and any(folder.iterdir()):
        raise InputError(str(folder), "is not empty and holds no generated set; choose another folder")
    folder.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


def origin_of(folder: Path) -> Origin:
    """The origin of the set in a folder."""
    path = folder / MARK
    if not path.exists():
        return Origin(folder.resolve().name, generated=False)
    try:
        how = str(json.loads(path.read_text(encoding="utf-8"))["how"])
    except (OSError, ValueError, KeyError, TypeError):
        how = "of unknown making"
    return Origin(folder.resolve().name, generated=True, how=how)
