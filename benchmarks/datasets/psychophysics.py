"""Pictures of the same scenes by several operators, and what people say of them on three scales."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from arwarden.core.errors import InputError
from arwarden.headset.pictures import IMAGE_SUFFIXES
from benchmarks.datasets.checks import Checked, Problem, error, note, table, unreadable
from benchmarks.protocols.data import Floats
from benchmarks.published.tables import SCALES, human_scores

TABLE = "pictures.csv"
COLUMNS = ("scene", "operator", "file")
HUMAN = "zscores.csv"
HUMAN_COLUMNS = ("scale", "scene", "operator", "z")
PUBLISHED_HUMAN = "psychophysics_human_zscores.csv"


@dataclass(frozen=True, slots=True)
class Rendering:
    """One scene by one operator."""

    scene: str
    operator: str
    file: Path

    @property
    def id(self) -> str:
        """Scene and operator."""
        return f"{self.scene}/{self.operator}"


@dataclass(frozen=True, slots=True)
class Renderings:
    """All pictures of a set; every scene has every operator."""

    checked: Checked[Rendering]
    scenes: tuple[str, ...]
    operators: tuple[str, ...]
    human: Mapping[str, Floats]
    """Scale → z-scores of (scenes, operators), in their order; empty where nobody was asked."""

    def file(self, scene: str, operator: str) -> Path:
        """The picture. Raises ``KeyError`` where the set lacks it."""
        found = {(one.scene, one.operator): one.file for one in self.checked.samples}
        return found[scene, operator]


def load(folder: Path, *, thoroughly: bool = False) -> Renderings:
    """A set: ``pictures.csv``, or a folder per scene with a picture per operator.

    Human z-scores are read from ``zscores.csv`` or ``psychophysics_human_zscores.csv`` in the folder.

    Raises:
        InputError: the folder or a table cannot be read.
    """
    if not folder.is_dir():
        raise InputError(str(folder), "there is no such folder")
    if (folder / TABLE).is_file():
        rows = table(folder / TABLE, COLUMNS, ("scene", "operator"))
        found = [
            Rendering(row.text("scene"), row.text("operator"), folder / row.text("file")) for row in rows
        ]
    else:
        pictures = [path for path in sorted(folder.glob("*/*")) if path.suffix.lower() in IMAGE_SUFFIXES]
        found = [Rendering(path.parent.name, path.stem, path) for path in pictures]
    scenes = tuple(dict.fromkeys(one.scene for one in found))
    operators = tuple(dict.fromkeys(one.operator for one in found))
    problems = _gaps(found, scenes, operators)
    problems += unreadable((one.file for one in found), thoroughly=thoroughly)
    human, more = _human(folder, scenes, operators)
    return Renderings(Checked(folder, tuple(found), tuple(problems + more)), scenes, operators, human)


def _gaps(found: list[Rendering], scenes: tuple[str, ...], operators: tuple[str, ...]) -> list[Problem]:
    there = {(one.scene, one.operator) for one in found}
    problems = [
        error(f"{scene}/{operator}", "the picture is missing; every scene needs every operator")
        for scene in scenes
        for operator in operators
        if (scene, operator) not in there
    ]
    if found and len(operators) < 2:
        problems.append(error("operators", "two at least are needed for a pair"))
    return problems


def _human(
    folder: Path, scenes: tuple[str, ...], operators: tuple[str, ...]
) -> tuple[Mapping[str, Floats], list[Problem]]:
    values: dict[tuple[str, str, str], float] = {}
    if (folder / HUMAN).is_file():
        for row in table(folder / HUMAN, HUMAN_COLUMNS, ("scale", "scene", "operator")):
            try:
                said = float(row.text("z"))
            except ValueError:
                said = math.nan
            values[row.one_of("scale", SCALES), row.text("scene"), row.text("operator")] = said
    elif (folder / PUBLISHED_HUMAN).is_file():
        for scale, scores in human_scores(folder).items():
            for (row_index, column), value in np.ndenumerate(scores.z):
                values[scale, scores.scenes[row_index], scores.operators[column]] = float(value)
    else:
        return {}, [note(folder, f"no {HUMAN}: judges are compared with each other, not with people")]
    human: dict[str, Floats] = {}
    problems: list[Problem] = []
    for scale in SCALES:
        z = np.array([[values.get((scale, one, other), math.nan) for other in operators] for one in scenes])
        missing = int((~np.isfinite(z)).sum())
        if missing:
            problems.append(error(folder / HUMAN, f"{scale}: {missing} z-scores are missing or no numbers"))
        else:
            human[scale] = z
    return human, problems
