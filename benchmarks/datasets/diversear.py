"""DiverseAR+: a background and the view with one virtual object in it, by device and object."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from arwarden.headset.pictures import IMAGE_SUFFIXES
from benchmarks.datasets.checks import Checked, Problem, error
from benchmarks.datasets.contrar import Video
from benchmarks.datasets.pairs import load_pairs
from benchmarks.published.files import Line

COLUMNS = ("id", "raw", "augmented", "device", "object")
_NAME = re.compile(r"(?P<device>[^_]+)_(?P<object>.+)_(?P<number>\d+)_(?P<kind>ar|raw)")


@dataclass(frozen=True, slots=True)
class ObjectPair:
    """A scene without and with its virtual object."""

    id: str
    raw: Path
    augmented: Path
    device: str
    object: str


def load(folder: Path, *, thoroughly: bool = False) -> Checked[ObjectPair]:
    """A set: ``pairs.csv``, or the published tree of ``DEVICE_OBJECT_1_ar.png`` beside ``..._raw.png``.

    Raises:
        InputError: the folder or its table cannot be read.
    """

    def of_row(row: Line) -> ObjectPair:
        return ObjectPair(
            row.text("id"), folder / row.text("raw"), folder / row.text("augmented"), row.text("device"),
            row.text("object"),
        )  # fmt: skip

    pairs, problems = load_pairs(folder, COLUMNS, of_row, _from_tree, thoroughly=thoroughly)
    return Checked(folder, tuple(pairs), tuple(problems))


def as_videos(checked: Checked[ObjectPair]) -> Checked[Video]:
    """The same for a suite of verdicts: a view with virtual content is a yes, one without a no; by device."""
    views = [
        Video(f"{one.id}/{kind}", file, one.device, kind == "ar")
        for one in checked.samples
        for kind, file in (("ar", one.augmented), ("raw", one.raw))
    ]
    return Checked(checked.folder, tuple(views), checked.problems)


def _from_tree(folder: Path) -> tuple[list[ObjectPair], list[Problem]]:
    pairs: list[ObjectPair] = []
    problems: list[Problem] = []
    found = sorted(path for path in folder.rglob("*") if path.suffix.lower() in IMAGE_SUFFIXES)
    named = {path.with_suffix(""): path for path in found}
    for path in found:
        match = _NAME.fullmatch(path.stem)
        if match is None:
            problems.append(error(path, "is not named DEVICE_OBJECT_1_ar or DEVICE_OBJECT_1_raw"))
            continue
        name = path.stem.rpartition("_")[0]
        other = "raw" if match["kind"] == "ar" else "ar"
        pendant = named.get(path.with_name(f"{name}_{other}"))
        if pendant is None:
            with_or_without = "without" if other == "raw" else "with"
            problems.append(
                error(path, f"its picture {with_or_without} virtual content (..._{other}) is missing")
            )
        elif match["kind"] == "ar":
            pairs.append(ObjectPair(name, pendant, path, match["device"], match["object"]))
    return pairs, problems
