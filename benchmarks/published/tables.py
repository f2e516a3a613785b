"""The published tables, one reader each. Paths are the names of the files in the folder of tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from arwarden.core.errors import InputError
from benchmarks.protocols.agreement import Coefficient
from benchmarks.protocols.data import Floats
from benchmarks.published.files import Line, lines
from benchmarks.published.printed import Printed

APPLICATIONS = (
    "indoor_navigation",
    "outdoor_navigation",
    "safety_inspection",
    "smart_apartment",
    "smart_retail",
)
FACTORS = ("placement", "size", "shadow")
SCALES = ("contrast", "colourfulness", "overall")
_SPELLINGS = {**{name: name for name in SCALES}, "colorfulness": "colourfulness"}
_CELLS = tuple((factor, coefficient) for factor in FACTORS for coefficient in Coefficient)

Cell = tuple[str, Coefficient]
"""Factor and coefficient."""


@dataclass(frozen=True, slots=True)
class Distribution:
    """ContrAR, table 1: videos per application by label, and the totals as printed."""

    contradictory: Mapping[str, int]
    coherent: Mapping[str, int]
    totals: tuple[int, int]

    @property
    def videos(self) -> dict[str, int]:
        """Videos per application."""
        return {name: self.contradictory[name] + self.coherent[name] for name in APPLICATIONS}


@dataclass(frozen=True, slots=True)
class Detection:
    """ContrAR, table 2: a method with one frame (``single``) or three (``multi``)."""

    method: str
    prompting: str
    accuracy_pct: Mapping[str, Printed]
    overall_pct: Printed
    latency_s: Printed

    @property
    def name(self) -> str:
        """Method and prompting."""
        return f"{self.method}, {self.prompting}"


@dataclass(frozen=True, slots=True)
class Coefficients:
    """RateAR, tables 1, 2 and 3: a method's correlations. ``group`` is its kind, or the prompt's form."""

    method: str
    group: str
    n: int
    values: Mapping[Cell, Printed]


@dataclass(frozen=True, slots=True)
class Intervals:
    """RateAR, tables A1 and A3: the lower and upper bounds of a method's correlations."""

    method: str
    bounds: Mapping[Cell, tuple[Printed, Printed]]


@dataclass(frozen=True, slots=True)
class PValue:
    """RateAR, table A4: p of one correlation, raw and adjusted for ``tests``."""

    method: str
    cell: Cell
    adjusted: Printed
    raw: Printed
    tests: int


@dataclass(frozen=True, slots=True)
class PublishedVariability:
    """Psychophysics, tables 1 and 2: VR of one model's runs, or of two models."""

    scale: str
    models: tuple[str, ...]
    mean_pct: Printed
    max_pct: Printed
    sd_pct: Printed


@dataclass(frozen=True, slots=True)
class RankCorrelation:
    """Psychophysics, figure 2 and text: Spearman's correlation of a model with humans."""

    scale: str
    model: str
    rho: Printed
    p: Printed
    n: int


@dataclass(frozen=True, slots=True)
class HumanScores:
    """Human z-scores of one scale, off figures: ``z`` is (scenes, operators), ``mean`` is (operators,)."""

    scenes: tuple[str, ...]
    operators: tuple[str, ...]
    z: Floats
    mean: Floats


def contrar_distribution(folder: Path) -> Distribution:
    """``contrar_distribution.csv``.

    Raises:
        InputError: the file is not as described.
    """
    path = folder / "contrar_distribution.csv"
    labels = ("contradictory", "non_contradictory")
    by_label = {
        line.one_of("label", labels): line
        for line in lines(path, ("label", *APPLICATIONS, "total"), ("label",))
    }
    if set(by_label) != set(labels):
        raise InputError(str(path), f"a line for each of {' and '.join(labels)} is needed")
    counts = [{name: by_label[label].count(name) for name in APPLICATIONS} for label in labels]
    first, second = (by_label[label].count("total") for label in labels)
    return Distribution(counts[0], counts[1], (first, second))


def contrar_detection(folder: Path) -> list[Detection]:
    """``contrar_detection.csv``.

    Raises:
        InputError: the file is not as described.
    """
    columns = ("method", "prompting", *APPLICATIONS, "overall_accuracy_pct", "latency_s")
    return [
        Detection(
            line.text("method"),
            line.one_of("prompting", ("single", "multi")),
            {name: line.printed(name) for name in APPLICATIONS},
            line.printed("overall_accuracy_pct"),
            line.printed("latency_s"),
        )
        for line in lines(folder / "contrar_detection.csv", columns, ("method", "prompting"))
    ]


def ratear_coefficients(folder: Path, media: str) -> list[Coefficients]:
    """``ratear_images.csv`` or ``ratear_videos.csv``.

    Raises:
        InputError: the file is not as described.
    """
    return _coefficients(folder / f"ratear_{media}.csv", "kind", ("method",))


def ratear_ablation(folder: Path) -> list[Coefficients]:
    """``ratear_prompt_ablation.csv``; ``group`` is the prompt.

    Raises:
        InputError: the file is not as described.
    """
    return _coefficients(folder / "ratear_prompt_ablation.csv", "prompt", ("prompt", "method"))


def ratear_intervals(folder: Path, media: str) -> list[Intervals]:
    """``ratear_images_ci95.csv`` or ``ratear_videos_ci95.csv``.

    Raises:
        InputError: the file is not as described.
    """
    names = {cell: (f"{_column(cell)}_lo", f"{_column(cell)}_hi") for cell in _CELLS}
    columns = ("method", *(name for pair in names.values() for name in pair))
    return [
        Intervals(
            line.text("method"),
            {cell: (line.printed(low), line.printed(high)) for cell, (low, high) in names.items()},
        )
        for line in lines(folder / f"ratear_{media}_ci95.csv", columns, ("method",))
    ]


def ratear_p_values(folder: Path) -> list[PValue]:
    """``ratear_videos_pvalues.csv``.

    Raises:
        InputError: the file is not as described.
    """
    columns = ("method", "factor", "metric", "p_adjusted", "p_raw", "n_tests")
    return [
        PValue(
            line.text("method"),
            (line.one_of("factor", FACTORS), Coefficient(line.one_of("metric", tuple(Coefficient)))),
            line.printed("p_adjusted"),
            line.printed("p_raw"),
            line.count("n_tests"),
        )
        for line in lines(folder / "ratear_videos_pvalues.csv", columns, ("method", "factor", "metric"))
    ]


def within_models(folder: Path) -> list[PublishedVariability]:
    """``psychophysics_intra_model_vr.csv``.

    Raises:
        InputError: the file is not as described.
    """
    return _variability(folder / "psychophysics_intra_model_vr.csv", ("model",))


def between_models(folder: Path) -> list[PublishedVariability]:
    """``psychophysics_cross_model_vr.csv``.

    Raises:
        InputError: the file is not as described.
    """
    return _variability(folder / "psychophysics_cross_model_vr.csv", ("model_a", "model_b"))


def rank_correlations(folder: Path) -> list[RankCorrelation]:
    """``psychophysics_correlation.csv``.

    Raises:
        InputError: the file is not as described.
    """
    columns = ("scale", "model", "spearman_rho", "p_value", "n")
    return [
        RankCorrelation(
            _scale(line),
            line.text("model"),
            line.printed("spearman_rho"),
            line.printed("p_value"),
            line.count("n"),
        )
        for line in lines(folder / "psychophysics_correlation.csv", columns, ("scale", "model"))
    ]


def human_scores(folder: Path) -> dict[str, HumanScores]:
    """``psychophysics_human_zscores.csv`` by scale; all scales hold the same scenes and operators.

    Raises:
        InputError: the file is not as described, or a combination is missing.
    """
    path = folder / "psychophysics_human_zscores.csv"
    found = {
        (_scale(line), line.text("scene"), line.text("tmo")): line.printed("z_digitised").value
        for line in lines(path, ("scale", "scene", "tmo", "z_digitised"), ("scale", "scene", "tmo"))
    }
    scenes = tuple(dict.fromkeys(scene for _, scene, _ in found if scene != "Mean"))
    operators = tuple(dict.fromkeys(operator for _, _, operator in found))
    wanted = [(scale, scene, one) for scale in SCALES for scene in (*scenes, "Mean") for one in operators]
    missing = [", ".join(key) for key in wanted if key not in found]
    if missing:
        raise InputError(str(path), f"{len(missing)} lines are missing, such as {missing[0]}")

    def of(scale: str, scene: str) -> list[float]:
        return [found[scale, scene, one] for one in operators]

    return {
        scale: HumanScores(
            scenes, operators, np.array([of(scale, scene) for scene in scenes]), np.array(of(scale, "Mean"))
        )
        for scale in SCALES
    }


def _coefficients(path: Path, group: str, key: tuple[str, ...]) -> list[Coefficients]:
    columns = ("method", group, "n", *(_column(cell) for cell in _CELLS))
    return [
        Coefficients(
            line.text("method"),
            line.text(group),
            line.count("n"),
            {cell: _correlation(line, _column(cell)) for cell in _CELLS},
        )
        for line in lines(path, columns, key)
    ]


def _correlation(line: Line, column: str) -> Printed:
    found = line.printed(column)
    if abs(found.value) > 1:
        raise line.fault(column, f"{found.text} is not between -1 and 1")
    return found


def _variability(path: Path, models: tuple[str, ...]) -> list[PublishedVariability]:
    return [
        PublishedVariability(
            _scale(line),
            tuple(line.text(name) for name in models),
            line.printed("vr_mean_pct"),
            line.printed("vr_max_pct"),
            line.printed("vr_sd_pct"),
        )
        for line in lines(
            path, ("scale", *models, "vr_mean_pct", "vr_max_pct", "vr_sd_pct"), ("scale", *models)
        )
    ]


def _scale(line: Line) -> str:
    return _SPELLINGS[line.one_of("scale", tuple(_SPELLINGS))]


def _column(cell: Cell) -> str:
    return f"{cell[0]}_{cell[1]}"
