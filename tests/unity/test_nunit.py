"""Every NUnit test of the package, run by mono: one pytest case for each test method."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.unity.metas import PACKAGE
from tests.unity.mono import Case, build_app, declared_tests, method_of, run_nunit

pytestmark = pytest.mark.xdist_group("unity")


@pytest.fixture(scope="module")
def results(package: dict[str, Path]) -> list[Case]:
    return run_nunit(package["Arwarden.Tests"])


@pytest.mark.parametrize("name", declared_tests())
def test_nunit(name: str, results: list[Case]) -> None:
    own = [case for case in results if method_of(case) == name]
    assert own, f"{name} was not run"
    failed = [f"{case.name}: {case.outcome}\n{case.message}" for case in own if case.outcome != "Success"]
    assert failed == [], "\n".join(failed)


def test_every_case_that_ran_is_seen_here(results: list[Case]) -> None:
    assert {method_of(case) for case in results} == set(declared_tests())
    assert len(results) >= 100


@pytest.mark.parametrize("page", ["README.md", "Documentation~/arwarden.md"])
def test_examples_compile(page: str, package: dict[str, Path], build_folder: Path, tmp_path: Path) -> None:
    text = (PACKAGE / page).read_text(encoding="utf-8")
    whole = [code for code in re.findall(r"```csharp\n(.*?)```", text, re.DOTALL) if "using " in code]
    assert whole
    for place, code in enumerate(whole):
        source = tmp_path / f"Example{place}.cs"
        source.write_text(code, encoding="utf-8")
        build_app(build_folder, source.stem, [source], package)
