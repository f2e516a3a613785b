"""Loaders: both layouts of each set, and everything that can be missing or inconsistent in them."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from arwarden.core.errors import ConfigError, InputError
from benchmarks.__main__ import main
from benchmarks.datasets import arvim, contrar, diversear, psychophysics, ratear
from benchmarks.datasets.checks import BadData, Level, Problem
from benchmarks.datasets.drawing import write_picture
from benchmarks.datasets.generate_contrar import HOW, VideoOrder, generate_contrar, quotas
from benchmarks.datasets.generate_psychophysics import generate_psychophysics
from benchmarks.datasets.generate_ratear import generate_ratear
from benchmarks.datasets.origin import mark, origin_of
from benchmarks.published.tables import Distribution
from models.assets.library import Library
from models.scenes.kinds import PROPORTIONS
from tests.unit.benchmarks.suites.made import contrar_set, flat, write_csv, write_video
from tests.unit.models.scenes.fake_painter import FakePainter


def errors(problems: tuple[Problem, ...]) -> list[str]:
    return [str(one) for one in problems if one.level is Level.ERROR]


def test_contrar_by_folders_and_by_table_are_the_same(tmp_path: Path) -> None:
    folder = contrar_set(tmp_path / "data")
    by_names = contrar.load(folder)
    rows = [
        (
            video.id,
            video.file.relative_to(folder),
            video.application,
            "contradictory" if video.contradictory else "non_contradictory",
        )
        for video in by_names.samples
    ]
    write_csv(folder / contrar.TABLE, contrar.COLUMNS, rows)
    assert contrar.load(folder, thoroughly=True).samples == by_names.usable()
    assert [video.contradictory for video in by_names.samples] == [True, False, True, False]


def test_contrar_counts_are_compared_with_the_published(tmp_path: Path) -> None:
    counts = dict.fromkeys(PROPORTIONS, 1)
    published = Distribution(counts, counts, (5, 5))
    notes = [str(one) for one in contrar.load(contrar_set(tmp_path / "data"), published).problems]
    assert len(notes) == 6
    assert any("safety_inspection, non_contradictory: 0 videos, published are 1" in one for one in notes)


def test_an_application_that_is_not_published_is_noted_with_the_one_that_may_be_meant(tmp_path: Path) -> None:
    write_video(tmp_path / "a.mp4", [1, 2, 3])
    names = ("Smart-Retail", "smart_retial", "our_museum", "smart_retail")
    rows = [(name, "a.mp4", name, "contradictory") for name in names]
    write_csv(tmp_path / contrar.TABLE, contrar.COLUMNS, rows)
    checked = contrar.load(tmp_path)
    assert [problem.what for problem in checked.problems] == [
        "Smart-Retail is no published application (smart_retail?)",
        "our_museum is no published application",
        "smart_retial is no published application (smart_retail?)",
    ]
    assert len(checked.usable()) == 4


def test_contrar_problems_are_named(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    write_video(folder / "a.mp4", [1, 2, 3])
    write_csv(folder / contrar.TABLE, contrar.COLUMNS, [
        ("x", "a.mp4", "smart_retail", "contradictory"), ("x", "b.mp4", "smart_retail", "non_contradictory"),
    ])  # fmt: skip
    checked = contrar.load(folder)
    found = errors(checked.problems)
    assert any("x: the id occurs 2 times" in one for one in found)
    assert any("b.mp4: there is no such file" in one for one in found)
    with pytest.raises(BadData, match="occurs 2 times"):
        checked.usable()


def test_contrar_files_without_a_label_are_named(tmp_path: Path) -> None:
    write_video(tmp_path / "smart_retail" / "clip.mp4", [1, 2])
    assert "say the label" in errors(contrar.load(tmp_path).problems)[0]


def test_an_empty_folder_is_no_set(tmp_path: Path) -> None:
    with pytest.raises(BadData, match="no samples in a known layout"):
        contrar.load(tmp_path).usable()
    with pytest.raises(InputError, match="scores"):
        ratear.load(tmp_path, "images")


def scored(folder: Path, rows: list[tuple[object, ...]]) -> tuple[Problem, ...]:
    write_picture(folder / "a.png", flat(90))
    write_csv(folder / ratear.TABLE, ratear.COLUMNS, rows)
    return ratear.load(folder, "images").problems


@pytest.mark.parametrize("score", ["nan", "", "six", "0", "5.5"])
def test_ratear_scores_outside_one_to_five_are_named(tmp_path: Path, score: str) -> None:
    problems = scored(tmp_path, [("a", "a.png", "size", "x", 3), ("a", "a.png", "size", "y", score)])
    assert any("line 3" in one for one in errors(problems))


def test_ratear_gaps_and_a_single_annotator(tmp_path: Path) -> None:
    write_picture(tmp_path / "b.png", flat(90))
    problems = scored(tmp_path, [
        ("a", "a.png", "size", "x", 3), ("a", "a.png", "size", "y", 4), ("b", "b.png", "size", "x", 3),
        ("a", "a.png", "shadow", "x", 1), ("b", "b.png", "shadow", "x", 2),
    ])  # fmt: skip
    said = [str(one) for one in problems]
    assert "error: b: size: no score of y" in said
    assert "note: shadow: one annotator: there is no reliability" in said
    assert "note: placement: nobody scored it; it is left out" in said


def test_ratear_an_annotator_who_always_says_the_same_is_named(tmp_path: Path) -> None:
    write_picture(tmp_path / "b.png", flat(90))
    problems = scored(tmp_path, [
        ("a", "a.png", "size", "x", 3), ("a", "a.png", "size", "y", 4),
        ("b", "b.png", "size", "x", 3), ("b", "b.png", "size", "y", 5),
    ])  # fmt: skip
    said = [str(one) for one in problems if "same score" in str(one)]
    assert said == ["note: size: x gave every sample the same score: ratear has no z-scores; leave x out"]


def test_ratear_published_tree_gives_means(tmp_path: Path) -> None:
    inside = tmp_path / "rateAR_images"
    (inside / "AVP").mkdir(parents=True)
    write_picture(inside / "AVP" / "can_1_ar.png", flat(90))
    heading = ("image_name", "placement_mos", "size_mos", "shadow_mos")
    write_csv(inside / "rateAR_image_metadata_mos.csv", heading, [("can_1_ar.png", 50.5, 61, 70)])
    (sample,) = ratear.load(tmp_path, "images").usable()
    assert sample.mean == {"placement": 50.5, "size": 61.0, "shadow": 70.0}
    assert sample.file.name == "can_1_ar.png"


def test_a_name_that_the_published_table_has_twice_is_no_set(tmp_path: Path) -> None:
    inside = tmp_path / "rateAR_images"
    inside.mkdir()
    write_picture(inside / "can.png", flat(90))
    rows = [("can.png", 50.5, 61, 70), ("can.png", 60.5, 61, 70)]
    write_csv(inside / "rateAR_image_metadata_mos.csv", ("image", "placement", "size", "shadow"), rows)
    assert errors(ratear.load(tmp_path, "images").problems) == ["error: can.png: the id occurs 2 times"]


def test_arvim_tree(tmp_path: Path) -> None:
    folder = tmp_path / "Real-World Data" / "Phrase Manipulation + Information Obfuscation"
    for name in ("Raw_Recordings_A_001", "Augmented_Recordings_A_001", "Raw_Recordings_N_001"):
        write_video(folder / f"{name}.mp4", [1, 2, 3])
    checked = arvim.load(tmp_path)
    (pair,) = checked.samples
    assert (pair.attacked, pair.format, pair.purpose) == (
        True,
        "Phrase Manipulation",
        "Information Obfuscation",
    )
    assert any("its augmented video is missing" in one for one in errors(checked.problems))
    assert any("Monitor-Based Data: 0 pairs, published are 307" in str(one) for one in checked.problems)


def test_diversear_tree(tmp_path: Path) -> None:
    folder = tmp_path / "android" / "android_Basketball"
    folder.mkdir(parents=True)
    for name in ("android_Basketball_1_ar", "android_Basketball_1_raw", "android_Basketball_2_ar"):
        write_picture(folder / f"{name}.png", flat(80))
    checked = diversear.load(tmp_path)
    (pair,) = checked.samples
    assert (pair.device, pair.object, pair.raw.stem) == ("android", "Basketball", "android_Basketball_1_raw")
    assert "android_Basketball_2_ar" in errors(checked.problems)[0]


def test_psychophysics_needs_every_operator_in_every_scene(tmp_path: Path) -> None:
    for name in ("s1/a", "s1/b", "s2/a"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        write_picture(tmp_path / f"{name}.png", flat(80))
    checked = psychophysics.load(tmp_path).checked
    assert any("s2/b: the picture is missing" in one for one in errors(checked.problems))


def test_psychophysics_missing_z_scores_are_named(tmp_path: Path) -> None:
    generate_psychophysics(tmp_path / "d", 1, seed=1, size_px=(64, 64))
    path = tmp_path / "d" / psychophysics.HUMAN
    lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text(
        "\n".join([lines[0], lines[1].rsplit(",", 1)[0] + ",nan", *lines[2:]]) + "\n", encoding="utf-8"
    )
    found = psychophysics.load(tmp_path / "d")
    assert "contrast: 1 z-scores are missing" in errors(found.checked.problems)[0]
    assert set(found.human) == {"colourfulness", "overall"}


def test_generated_sets_are_labelled_and_not_mixed(tmp_path: Path) -> None:
    generate_ratear(tmp_path / "r", 2, seed=1, size_px=(96, 64))
    assert origin_of(tmp_path / "r").generated
    assert "GENERATED" in origin_of(tmp_path / "r").label
    assert not origin_of(tmp_path).generated
    with pytest.raises(InputError, match="other arguments"):
        generate_ratear(tmp_path / "r", 3, seed=1, size_px=(96, 64))
    with pytest.raises(InputError, match="is not empty"):
        mark(tmp_path, HOW, {})
    assert len(ratear.load(tmp_path / "r", "images").usable()) == 2


def test_quotas_hold_the_published_proportions() -> None:
    full = quotas(312)
    assert full == {(name, label): count for name, count in PROPORTIONS.items() for label in (True, False)}
    assert quotas(20).total() == 20
    small = quotas(10)
    assert sum(count for (_, label), count in small.items() if label) == 5


def test_contrar_videos_are_drawn_and_load(tmp_path: Path) -> None:
    order = VideoOrder(2, seed=4, size_px=(320, 180), clip_s=(0.3, 0.4))
    generate_contrar(tmp_path / "c", order, painter=FakePainter())
    videos = contrar.load(tmp_path / "c", thoroughly=True).usable()
    assert {video.contradictory for video in videos} == {True, False}
    before = [video.file.stat().st_mtime_ns for video in videos]
    generate_contrar(tmp_path / "c", order, painter=FakePainter())
    assert [video.file.stat().st_mtime_ns for video in videos] == before


def test_contrar_videos_are_not_drawn_from_half_of_what_they_need(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchmarks.datasets.generate_contrar.default_library", lambda: Library(tmp_path))
    arguments = ["data", "generate", "contrar", str(tmp_path / "c"), "--count", "1"]
    with pytest.raises(ConfigError, match=r"asset packages are not in .* fetch them with: python -m models"):
        CliRunner().invoke(main, arguments, catch_exceptions=False)
    assert not (tmp_path / "c").exists()


def test_check_says_what_is_wrong_and_fails(tmp_path: Path) -> None:
    folder = contrar_set(tmp_path / "data")
    good = CliRunner().invoke(main, ["data", "check", "contrar", str(folder), "--thoroughly"])
    assert (good.exit_code, "4 samples" in good.output) == (0, True)
    next(folder.rglob("*.mp4")).write_bytes(b"")
    bad = CliRunner().invoke(main, ["data", "check", "contrar", str(folder)])
    assert bad.exit_code == 1
    assert "1 errors" in bad.output


def test_generate_from_the_command_line(tmp_path: Path) -> None:
    out = tmp_path / "set"
    result = CliRunner().invoke(
        main, ["data", "generate", "ratear", str(out), "--count", "2", "--size", "96x64"]
    )
    assert result.exit_code == 0, result.output
    assert (out / ratear.EXAMPLES).is_file()
