from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from benchmarks import __main__ as entry


@pytest.fixture
def lacking(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "lacks_a_package.py").write_text("import a_package_that_is_not_there\n", encoding="utf-8")
    (tmp_path / "lacks_our_own.py").write_text("import benchmarks.no_such_module\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(entry, "BENCHMARKS", {"first": "lacks_a_package"})


@pytest.mark.usefixtures("lacking")
def test_a_benchmark_without_its_packages_says_the_cure() -> None:
    result = CliRunner().invoke(entry.main, ["first", "--data", "folder"])
    assert result.exit_code == 1
    assert "first needs a_package_that_is_not_there: pip install" in result.output


@pytest.mark.usefixtures("lacking")
def test_the_list_of_benchmarks_does_not_need_their_packages() -> None:
    result = CliRunner().invoke(entry.main, ["--help"])
    assert result.exit_code == 0
    assert "first" in result.output


@pytest.mark.usefixtures("lacking")
def test_a_missing_module_of_ours_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entry, "BENCHMARKS", {"first": "lacks_our_own"})
    result = CliRunner().invoke(entry.main, ["first"])
    assert isinstance(result.exception, ModuleNotFoundError)
