from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from arwarden.core.errors import InputError
from benchmarks.verify import whole
from benchmarks.verify.command import command, verified
from benchmarks.verify.known import KNOWN
from benchmarks.verify.outcome import Check, Outcome, Table, explained
from tests.support.requirements import shared_file
from tests.unit.benchmarks.published.small import TABLES, replace, write_tables


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    written = write_tables(tmp_path)
    few = {path.stem: len(path.read_text(encoding="utf-8").splitlines()) - 1 for path in written.iterdir()}
    monkeypatch.setattr(whole, "LINES", few)
    return written


def run(folder: Path, *options: str) -> Result:
    return CliRunner().invoke(command, ["--published", str(folder), *options])


def differences(tables: list[Table]) -> list[tuple[str, str, str]]:
    return [
        (table.name, check.row, check.quantity)
        for table in tables
        for check in table.checks
        if check.outcome is Outcome.DIFFERS
    ]


def test_tables_that_follow_from_each_other_are_reproduced(folder: Path) -> None:
    tables = verified(folder)
    assert differences(tables) == []
    counts = {table.name: table.count(Outcome.REPRODUCED) for table in tables}
    assert counts["contrar_detection"] == 1
    assert counts["ratear_images_ci95"] == counts["ratear_videos_ci95"] == 9
    assert counts["ratear_videos_pvalues"] == 1
    assert counts["psychophysics_human_zscores"] == 3
    assert counts["psychophysics_human_zscores: means"] == 12
    assert counts["Shrout and Fleiss 1979"] == 2


def test_what_cannot_be_recomputed_says_why(folder: Path) -> None:
    checks = [check for table in verified(folder) for check in table.checks]
    impossible = [check for check in checks if check.outcome is Outcome.NOT_REPRODUCIBLE]
    assert all(check.reason for check in impossible)
    assert any("ties" in check.reason for check in impossible)


CHANGES = [
    (("contrar_distribution", ",156\nnon", ",157\nnon"), ("contrar_distribution", "contradictory", "total")),
    (("contrar_detection", "50.32", "50.33"), ("contrar_detection", "Some, single", "overall")),
    (("ratear_images_ci95", "0.59\n", "0.60\n"), ("ratear_images_ci95", "Some", "shadow krcc")),
    (("ratear_videos_ci95", "0.29", "0.28"), ("ratear_videos_ci95", "Some", "placement srcc")),
    (("ratear_videos_pvalues", "<.001,<.001", ".001,.001"), ("ratear_videos_pvalues", "Some", "size srcc")),
    (
        ("ratear_videos_pvalues", ".003,.003", ".005,.003"),
        ("ratear_videos_pvalues: adjusted", "Some", "size krcc"),
    ),
    (("ratear_videos_pvalues", ".003,1", ".003,2"), ("ratear_videos_pvalues: adjusted", "all", "tests")),
    (
        ("ratear_prompt_ablation", "0.5", "0.6"),
        ("ratear_prompt_ablation", "Some, contextual", "placement srcc"),
    ),
    (("psychophysics_intra_model_vr", "A,1.27", "A,1.28"), ("psychophysics_intra_model_vr", "A", "contrast")),
    (
        ("psychophysics_cross_model_vr", "4.76,0", "4.77,0"),
        ("psychophysics_cross_model_vr", "B and A", "contrast"),
    ),
    (("psychophysics_correlation", "0.014", "0.015"), ("psychophysics_correlation", "A", "colourfulness")),
    (("psychophysics_correlation", "0.041", "0.040"), ("psychophysics_correlation", "A", "overall")),
    (
        ("psychophysics_human_zscores", "P,0.00", "P,0.10"),
        ("psychophysics_human_zscores: means", "P", "contrast"),
    ),
    (
        ("psychophysics_human_zscores", "P,1.54", "P,2.54"),
        ("psychophysics_human_zscores", "humans", "contrast"),
    ),
]
"""Table, what is changed into what, and the table, row and quantity that then differ."""


@pytest.mark.parametrize(("change", "where"), CHANGES)
def test_a_changed_number_differs(
    folder: Path, change: tuple[str, str, str], where: tuple[str, str, str]
) -> None:
    replace(folder, *change)
    assert where in differences(verified(folder))


def test_an_accuracy_that_no_count_gives_differs_in_its_row(folder: Path) -> None:
    replace(folder, "contrar_detection", "single,50.00", "single,50.03")
    assert differences(verified(folder)) == [
        ("contrar_detection", "Some, single", "overall"),
        ("contrar_detection: applications", "Some, single", "indoor_navigation"),
    ]
    assert "50.03 % is no share of 162 verdicts" in " ".join(run(folder).output.split())


def test_a_line_that_is_missing_or_added_differs(folder: Path) -> None:
    added = folder / "contrar_detection.csv"
    last = added.read_text(encoding="utf-8").splitlines()[-1]
    with added.open("a", encoding="utf-8") as file:
        file.write(last.replace("single", "multi") + "\n")
    missing = folder / "psychophysics_intra_model_vr.csv"
    rows = missing.read_text(encoding="utf-8").splitlines()
    missing.write_text("\n".join(rows[:-1]) + "\n", encoding="utf-8")
    where = {one for one in differences(verified(folder)) if one[0] == "lines of the files"}
    assert {row for _, row, _ in where} == {"contrar_detection", "psychophysics_intra_model_vr"}


def test_an_sd_of_zero_needs_even_distances(folder: Path) -> None:
    # Runs that differ in 1, 2 and 3 trials: 0.95 (1.43, 0.48).
    replace(folder, "psychophysics_intra_model_vr", "B,1.27,1.90,0.55", "B,0.95,1.43,0.48")
    assert differences(verified(folder)) == [
        ("psychophysics: tables 1 and 2 together", "A and B", "contrast")
    ]


@pytest.mark.parametrize(
    ("line", "outcome"),
    [
        ("-1.00,0.000,7", Outcome.REPRODUCED),
        ("1.00,0.010,7", Outcome.DIFFERS),
        ("1.00,>.999,2", Outcome.NOT_REPRODUCIBLE),
    ],
)
def test_rank_correlations_at_the_ends(folder: Path, line: str, outcome: Outcome) -> None:
    replace(folder, "psychophysics_correlation", "0.77,0.041,7", line)
    (found,) = (table for table in verified(folder) if table.name == "psychophysics_correlation")
    assert found.checks[1].outcome is outcome


def test_a_method_without_coefficients_is_an_error(folder: Path) -> None:
    replace(folder, "ratear_images_ci95", "Some,", "Other,")
    with pytest.raises(InputError, match="Other is not in the table of coefficients"):
        verified(folder)


@pytest.mark.parametrize("name", [*TABLES, "psychophysics_human_zscores"])
def test_a_missing_table_is_named(folder: Path, name: str) -> None:
    (folder / f"{name}.csv").unlink()
    with pytest.raises(InputError, match=rf"{name}\.csv: not found"):
        verified(folder)


def test_the_command_succeeds_and_writes_json(folder: Path, tmp_path: Path) -> None:
    result = run(folder, "--json", str(tmp_path / "new" / "results.json"))
    assert result.exit_code == 0
    assert "Nothing differs" in result.output
    written = json.loads((tmp_path / "new" / "results.json").read_text(encoding="utf-8"))
    assert written["unexplained"] == written["counts"]["differs"] == 0
    assert {check["outcome"] for table in written["tables"] for check in table["checks"]} == {
        "reproduced",
        "not reproducible",
    }


def test_the_command_fails_on_a_difference_and_shows_it(folder: Path) -> None:
    replace(folder, "contrar_detection", "50.32", "50.33")
    result = run(folder)
    assert result.exit_code == 1
    assert "differs: Some, single, overall: printed 50.33, recomputed 50.32" in result.output
    assert "no known reason" in result.output
    assert "1 differ without a known reason" in result.output


def test_every_number_can_be_shown(folder: Path) -> None:
    assert "[0.3940, 0.5929]" not in run(folder).output
    assert "[0.3940, 0.5929]" in run(folder, "--all").output


def test_a_known_difference_stays_one_and_has_its_reason() -> None:
    checks = (
        Check("row", "known", "1", "2", Outcome.DIFFERS),
        Check("row", "new", "1", "2", Outcome.DIFFERS),
        Check("row", "same", "1", "1", Outcome.REPRODUCED),
    )
    known = {("table", "row", "known"): "the paper's", ("table", "row", "same"): "no longer needed"}
    table = explained(Table("table", "", checks), known)
    assert [check.reason for check in table.checks] == ["the paper's", "", ""]
    assert table.count(Outcome.DIFFERS) == 2
    assert [check.quantity for check in table.unexplained] == ["new"]


@pytest.mark.shared
def test_the_published_tables() -> None:
    tables = verified(shared_file("published"))
    counts = {table.name: tuple(table.count(outcome) for outcome in Outcome) for table in tables}
    assert counts["contrar_detection"] == (24, 0, 0)
    assert counts["ratear_images_ci95"] == (117, 0, 0)
    assert counts["ratear_videos_ci95"] == (132, 0, 3)
    assert counts["ratear_videos_pvalues"] == (29, 15, 1)
    assert counts["psychophysics_intra_model_vr"] == (18, 0, 0)
    assert counts["psychophysics_cross_model_vr"] == (45, 0, 0)
    assert counts["psychophysics_human_zscores"] == (3, 0, 0)
    assert set(differences(tables)) == set(KNOWN)
    assert not any(table.unexplained for table in tables)
