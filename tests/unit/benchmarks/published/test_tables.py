from __future__ import annotations

from pathlib import Path

import pytest

from arwarden.core.errors import InputError
from benchmarks.protocols.agreement import Coefficient
from benchmarks.published import tables
from tests.support.requirements import shared_file
from tests.unit.benchmarks.published.small import replace, write_tables


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_tables(tmp_path)


def test_contrar(folder: Path) -> None:
    distribution = tables.contrar_distribution(folder)
    assert sum(distribution.videos.values()) == 312
    assert distribution.totals == (156, 156)
    (row,) = tables.contrar_detection(folder)
    assert (row.name, row.overall_pct.text, row.latency_s.value) == ("Some, single", "50.32", 1.5)
    assert row.accuracy_pct["smart_retail"].value == 51.52


def test_ratear(folder: Path) -> None:
    (row,) = tables.ratear_coefficients(folder, "videos")
    assert (row.method, row.group, row.n) == ("Some", "vlm", 62)
    assert row.values["shadow", Coefficient.KRCC].text == "0.5000"
    assert [row.group for row in tables.ratear_ablation(folder)] == ["contextual", "few_shot"]
    low, high = tables.ratear_intervals(folder, "images")[0].bounds["size", Coefficient.PLCC]
    assert (low.text, high.text) == ("0.39", "0.59")
    p = tables.ratear_p_values(folder)[0]
    assert (p.cell, p.raw.text, p.tests) == (("size", Coefficient.SRCC), "<.001", 1)


def test_psychophysics(folder: Path) -> None:
    assert tables.within_models(folder)[0].models == ("A",)
    assert tables.between_models(folder)[0].models == ("B", "A")
    assert tables.rank_correlations(folder)[0].scale == "colourfulness"
    human = tables.human_scores(folder)["overall"]
    assert (human.scenes, human.operators) == (("scene 0", "scene 1"), ("P", "Q", "R", "S"))
    assert human.z.shape == (2, 4)
    assert human.mean.shape == (4,)


@pytest.mark.parametrize(
    ("name", "old", "new", "message"),
    [
        ("contrar_distribution", "non_contradictory", "other", "'other' is not one of contradictory"),
        ("contrar_detection", "single", "both", "'both' is not one of single, multi"),
        ("contrar_detection", "51.52", "nan", "column smart_retail: 'nan' is not a printed number"),
        ("ratear_videos", "0.5000", "1.5000", "1.5000 is not between -1 and 1"),
        ("ratear_videos_pvalues", "srcc", "rmse", "'rmse' is not one of srcc, plcc, krcc"),
        ("psychophysics_correlation", "overall", "sharpness", "'sharpness' is not one of"),
        (
            "psychophysics_human_zscores",
            "overall,Mean,S",
            "overall,other,S",
            "12 lines are missing, such as contrast, other, P",
        ),
    ],
)
def test_damaged_tables(folder: Path, name: str, old: str, new: str, message: str) -> None:
    replace(folder, name, old, new)
    with pytest.raises(InputError, match=message):
        _read_all(folder)


def test_a_label_that_is_missing(folder: Path) -> None:
    text = (folder / "contrar_distribution.csv").read_text(encoding="utf-8").splitlines()[:2]
    (folder / "contrar_distribution.csv").write_text("\n".join(text), encoding="utf-8")
    with pytest.raises(InputError, match="a line for each of contradictory and non_contradictory"):
        tables.contrar_distribution(folder)


@pytest.mark.shared
def test_the_published_tables_are_complete() -> None:
    folder = shared_file("published")
    assert len(tables.contrar_detection(folder)) == 24
    assert [len(tables.ratear_coefficients(folder, media)) for media in ("images", "videos")] == [18, 17]
    assert [len(tables.ratear_intervals(folder, media)) for media in ("images", "videos")] == [13, 15]
    assert (len(tables.within_models(folder)), len(tables.between_models(folder))) == (18, 45)
    assert {scores.z.shape for scores in tables.human_scores(folder).values()} == {(10, 7)}


def _read_all(folder: Path) -> None:
    tables.contrar_distribution(folder)
    tables.contrar_detection(folder)
    tables.ratear_coefficients(folder, "videos")
    tables.ratear_p_values(folder)
    tables.rank_correlations(folder)
    tables.human_scores(folder)
