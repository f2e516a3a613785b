"""The package's scripts for Unity, run by mono on stand-ins for the engine: a pytest case per method."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.unity.asmdefs import read_asmdefs
from tests.unity.metas import PACKAGE
from tests.unity.mono import (
    EDITOR,
    ENGINE_TESTS,
    INSTALLED,
    PLAYER,
    STUBS,
    Case,
    build_engine_tests,
    build_package,
    declared_tests,
    method_of,
    run_nunit,
)

pytestmark = pytest.mark.xdist_group("unity")

WEBRTC = {"com.unity.webrtc": "3.0.0"}
TOOLKIT = {"com.meta.xr.mrutilitykit": "81.0.0"}
_MEMBER = re.compile(r"^\s*(?:public|protected)\s")
_SOURCE = re.compile(r"// (?:SR|WR|WS|MR) \S+")


@pytest.fixture(scope="module")
def results(package: dict[str, Path], build_folder: Path) -> list[Case]:
    return run_nunit(build_engine_tests(build_folder, package))


@pytest.mark.parametrize("name", declared_tests(ENGINE_TESTS))
def test_engine(name: str, results: list[Case]) -> None:
    own = [case for case in results if method_of(case) == name]
    assert own, f"{name} was not run"
    failed = [f"{case.name}: {case.outcome}\n{case.message}" for case in own if case.outcome != "Success"]
    assert failed == [], "\n".join(failed)


def test_every_case_that_ran_is_seen_here(results: list[Case]) -> None:
    assert {method_of(case) for case in results} == set(declared_tests(ENGINE_TESTS))


@pytest.mark.parametrize(
    ("installed", "absent"),
    [
        ({}, {"Arwarden.WebRtc", "Arwarden.Quest"}),
        (WEBRTC, {"Arwarden.Quest"}),
        (TOOLKIT, {"Arwarden.WebRtc"}),
        (
            {"com.unity.webrtc": "3.0.0-pre.8", "com.meta.xr.mrutilitykit": "78.0.0"},
            {"Arwarden.WebRtc", "Arwarden.Quest"},
        ),
        ({"com.unity.webrtc": "3.0.1", "com.meta.xr.mrutilitykit": "201.0.0"}, set[str]()),
    ],
    ids=["neither", "webrtc", "toolkit", "too old", "newer"],
)
def test_optional_assemblies_come_and_go_with_their_packages(
    installed: Mapping[str, str], absent: set[str]
) -> None:
    assert {asmdef.name for asmdef in read_asmdefs() if not asmdef.exists(installed)} == absent


def test_without_other_packages_the_rest_compiles(tmp_path: Path) -> None:
    built = build_package(tmp_path, installed={})
    assert built.keys() == {f"Arwarden.{name}" for name in ("Core", "Mqtt", "Unity", "Editor", "Tests")}


def test_the_editors_side_compiles(tmp_path: Path) -> None:
    assert "Arwarden.Quest" in build_package(tmp_path, INSTALLED, EDITOR)
    assert set(EDITOR) - set(PLAYER) == {"UNITY_EDITOR"}


@pytest.mark.parametrize("path", sorted(STUBS.rglob("*.cs")), ids=lambda path: path.name)
def test_every_member_of_a_stand_in_names_its_source(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    members = [line for line in lines if _MEMBER.match(line)]
    assert members
    assert [line.strip() for line in members if not _SOURCE.search(line)] == []


def test_what_is_loaded_by_name_is_there() -> None:
    """A shader that only code names is left out of a build unless it lies in a Resources folder."""
    named = {
        name
        for path in (PACKAGE / "Runtime").rglob("*.cs")
        for name in re.findall(r'ShaderName = "(\w+)"', path.read_text(encoding="utf-8"))
    }
    assert named == {path.stem for path in PACKAGE.glob("Runtime/*/Resources/*.shader")}
    assert len(named) == 2
