"""Reads what `fetch.py` unpacked, and the tables that say which of it may be used for what."""

from __future__ import annotations

import csv
import hashlib
import json
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Literal

import yaml

from models.assets.sources import DEFAULT_ROOT, FETCH_COMMAND, HERE, Source, Split, read_sources

Form = Literal[
    "bare", "plate", "notice", "warning", "prohibition", "mandatory", "safe", "fire", "ghs", "traffic"
]


class AssetsMissing(Exception):
    """Something that was to be drawn needs packages that are not fetched yet; the text says how to."""


@dataclass(frozen=True)
class Icon:
    """One allowed pictogram: row of `catalogue.csv`."""

    cls: str
    source: str
    name: str
    split: Split


@dataclass(frozen=True)
class IconClass:
    """One class of `classes.yaml`.

    Attributes:
        says: what the picture claims, in the lexicon's words, strongest reading first.
        crossed: the class whose crossed-out glyph shows this one too; empty where there is none.
        drawn: whether it can be drawn without any package.
        same_as: the class that claims the same and looks much the same; empty where there is none.
    """

    name: str
    says: tuple[dict[str, str], ...]
    words: tuple[str, ...]
    forms: tuple[Form, ...]
    crossed: str
    drawn: bool
    same_as: str


@dataclass(frozen=True)
class Country:
    """One flag: ISO 3166-1 code, name, and the code whose flag looks the same at a distance, if any."""

    code: str
    name: str
    same_as: str
    icons: dict[str, str]


@lru_cache(maxsize=1)
def read_classes() -> dict[str, IconClass]:
    """All classes by name, in the order of the file (which is the order of the detector's outputs)."""
    rows: dict[str, dict[str, Any]] = yaml.safe_load((HERE / "classes.yaml").read_text(encoding="utf-8"))
    return {
        name: IconClass(
            name=name,
            says=tuple(row["says"]),
            words=tuple(row["words"]),
            forms=tuple(row["forms"]),
            crossed=row.get("crossed", ""),
            drawn=row.get("drawn", False),
            same_as=row.get("same_as", ""),
        )
        for name, row in rows.items()
    }


@lru_cache(maxsize=1)
def read_catalogue() -> tuple[Icon, ...]:
    """All allowed pictograms."""
    with (HERE / "catalogue.csv").open(encoding="utf-8", newline="") as lines:
        rows = csv.DictReader(lines)
        return tuple(Icon(row["class"], row["source"], row["icon"], row["split"]) for row in rows)  # type: ignore[arg-type]


@lru_cache(maxsize=1)
def read_countries() -> dict[str, Country]:
    """All countries with a flag in every flag source, by ISO code."""
    with (HERE / "flags.csv").open(encoding="utf-8", newline="") as lines:
        return {
            row["code"]: Country(
                row.pop("code"), row.pop("name"), row.pop("same_as"), {k: v for k, v in row.items() if v}
            )
            for row in csv.DictReader(lines)
        }


class Library:
    """The unpacked assets under one root folder. Reading is lazy; a source is parsed once per process."""

    def __init__(self, root: Path = DEFAULT_ROOT) -> None:
        self.root = root
        self._parsed: dict[str, dict[str, Any]] = {}

    @cached_property
    def sources(self) -> dict[str, Source]:
        """The sources that are present here, by key."""
        return {
            key: source for key, source in read_sources().items() if (self.root / key / "SOURCE").is_file()
        }

    @property
    def complete(self) -> bool:
        """Whether every source that is not optional is here."""
        return all(source.optional or key in self.sources for key, source in read_sources().items())

    def require(self) -> None:
        """Raise unless complete.

        Raises:
            AssetsMissing: names the first missing sources and the command.
        """
        missing = [
            key for key, source in read_sources().items() if not source.optional and key not in self.sources
        ]
        if missing:
            raise AssetsMissing(
                f"{len(missing)} asset packages are not in {self.root} ({', '.join(missing[:3])} …); "
                f"fetch them with: {FETCH_COMMAND}"
            )

    @cached_property
    def fingerprint(self) -> str:
        """Changes whenever what can be drawn changes: for manifests of generated data."""
        digest = hashlib.sha256()
        for name in ("catalogue.csv", "classes.yaml", "flags.csv"):
            digest.update((HERE / name).read_bytes())
        for key in sorted(self.sources):
            digest.update((self.root / key / "SOURCE").read_bytes())
        return digest.hexdigest()[:16]

    @cached_property
    def _by_class(self) -> dict[tuple[str, Split], tuple[Icon, ...]]:
        found: dict[tuple[str, Split], list[Icon]] = {}
        for icon in read_catalogue():
            if icon.source in self.sources:
                found.setdefault((icon.cls, icon.split), []).append(icon)
        return {key: tuple(icons) for key, icons in found.items()}

    def icons(self, cls: str, split: Split) -> tuple[Icon, ...]:
        """The pictograms of a class in a split whose source is present; may be empty."""
        return self._by_class.get((cls, split), ())

    def is_coloured(self, source: str) -> bool:
        """Whether a source's pictures have colours of their own (emoji), rather than one ink."""
        return bool(self._info(source).get("palette", False))

    def svg(self, source: str, name: str, ink: str = "#000") -> str:
        """SVG text of one pictogram or flag, with the source's single ink set to `ink`.

        Raises:
            AssetsMissing: the source is not fetched.
            KeyError: the source has no such picture.
        """
        if source not in self.sources:
            raise AssetsMissing(f"{source} is not in {self.root}; fetch it with: {FETCH_COMMAND}")
        plain = self.root / source / f"{name}.svg"
        if plain.is_file():
            return plain.read_text(encoding="utf-8", errors="replace")
        pack = self._pack(source)
        icon = pack["icons"][name]
        size = [icon.get(key, pack.get(key, default)) for key, default in _BOX]
        width, height = size[2], size[3]
        body = icon["body"].replace("currentColor", ink)
        return (
            '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
            f'viewBox="{size[0]} {size[1]} {width} {height}" width="{width}" height="{height}">{body}</svg>'
        )

    def icon_packs(self, split: Split) -> list[str]:
        """The sources of a split whose pictures can be told by name, for pictograms outside the classes."""
        return [
            key
            for key, source in self.sources.items()
            if source.split == split
            and "icons" in source.used_for
            and (self.root / key / "icons.json").is_file()
        ]

    def icon_names(self, source: str) -> tuple[str, ...]:
        """All pictures of a source: for pictograms outside the classes."""
        return tuple(self._pack(source)["icons"])

    @lru_cache(maxsize=8)  # noqa: B019 (libraries live as long as the process)
    def fonts(self, split: Split) -> tuple[tuple[Path, Path], ...]:
        """(regular, bold) font files of the families of a split."""
        folders = [
            self.root / key for key, s in self.sources.items() if "fonts" in s.used_for and s.split == split
        ]
        return tuple(
            (next(folder.glob("*-400-normal.woff2")), next(folder.glob("*-700-normal.woff2")))
            for folder in folders
        )

    def flag_sources(self, split: Split) -> tuple[str, ...]:
        """Keys of the flag packages of a split."""
        return tuple(key for key, s in self.sources.items() if "flags" in s.used_for and s.split == split)

    def _pack(self, source: str) -> dict[str, Any]:
        if source not in self._parsed:
            text = (self.root / source / "icons.json").read_text(encoding="utf-8")
            self._parsed[source] = json.loads(text)
        return self._parsed[source]

    @lru_cache(maxsize=128)  # noqa: B019 (libraries live as long as the process)
    def _info(self, source: str) -> dict[str, Any]:
        path = self.root / source / "info.json"
        return dict(json.loads(path.read_text(encoding="utf-8"))) if path.is_file() else {}


_BOX = (("left", 0), ("top", 0), ("width", 16), ("height", 16))
