"""The package as a package manager and Unity's importer see it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from arwarden import __version__
from tests.unity.asmdefs import PACKAGE_OF, TEST_RUNNERS
from tests.unity.metas import PACKAGE, content, create_missing, faults, meta_of, visible

MODULE_OF = {
    "UnityEngine.Android": "androidjni",
    "UnityEngine.Networking": "unitywebrequest",
    "UnityEngine.XR": "xr",
}
"""Namespaces that a project lacks whose built-in modules are switched off."""
ASMDEFS = sorted(PACKAGE.rglob("*.asmdef"))


def manifest() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((PACKAGE / "package.json").read_text(encoding="utf-8"))
    return loaded


def asmdef(path: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return loaded


def test_every_file_has_its_meta() -> None:
    assert faults() == [], "run: python -m tests.unity.metas"


def test_metas_are_made_only_where_missing(tmp_path: Path) -> None:
    (tmp_path / "Runtime").mkdir()
    (tmp_path / "Documentation~").mkdir()
    script = tmp_path / "Runtime" / "A.cs"
    for path in (script, tmp_path / "Documentation~" / "index.md", tmp_path / "package.json"):
        path.write_text("", encoding="utf-8")
    assert len(create_missing(tmp_path)) == 3
    assert not (tmp_path / "Documentation~" / "index.md.meta").exists()
    kept = meta_of(script)
    kept.write_text("fileFormatVersion: 2\nguid: " + "a" * 32 + "\n", encoding="utf-8")
    assert create_missing(tmp_path) == []
    assert "a" * 32 in kept.read_text(encoding="utf-8")
    assert faults(tmp_path) == []


def test_what_unity_would_complain_about_is_found(tmp_path: Path) -> None:
    for name in ("A.cs", "B.cs", "C.cs"):
        (tmp_path / name).write_text("", encoding="utf-8")
    (tmp_path / "A.cs.meta").write_text(content(tmp_path / "A.cs", tmp_path), encoding="utf-8")
    (tmp_path / "B.cs.meta").write_text(content(tmp_path / "A.cs", tmp_path), encoding="utf-8")
    (tmp_path / "Gone.cs.meta").write_text(content(tmp_path / "C.cs", tmp_path), encoding="utf-8")
    found = faults(tmp_path)
    assert [fault.split(":")[0] for fault in found] == ["missing", "orphaned", "used twice"]


def test_manifest_names_the_package_and_depends_on_unity_alone() -> None:
    fields = manifest()
    assert re.fullmatch(r"[a-z0-9._-]+", fields["name"])
    modules = {
        name.removeprefix("com.unity.modules."): version for name, version in fields["dependencies"].items()
    }
    assert modules == dict.fromkeys(MODULE_OF.values(), "1.0.0"), (
        "what is optional is found by versionDefines"
    )
    code = "".join(path.read_text(encoding="utf-8") for path in (PACKAGE / "Runtime").rglob("*.cs"))
    assert [space for space in MODULE_OF if f"using {space};" not in code] == []
    assert fields["license"] == "Apache-2.0"
    for name in ("README.md", "CHANGELOG.md", "LICENSE.md", "Third Party Notices.md"):
        assert (PACKAGE / name).stat().st_size > 100, name


def test_samples_are_registered() -> None:
    listed = {sample["path"] for sample in manifest()["samples"]}
    assert listed == {f"Samples~/{path.name}" for path in (PACKAGE / "Samples~").iterdir() if path.is_dir()}
    for path in listed:
        assert "step by step" in (PACKAGE / path / "README.md").read_text(encoding="utf-8")


def test_what_the_readme_promises_is_what_the_code_does() -> None:
    """Numbers of the README against the constants they come from."""
    readme = (PACKAGE / "README.md").read_text(encoding="utf-8")
    core = "".join(path.read_text(encoding="utf-8") for path in (PACKAGE / "Runtime").rglob("*.cs"))
    for promise, constant in {
        "Capitals of 0.8°": "TextDeg = 0.8;",
        "5 s to read": "CentreS = 5;",
        "for 1.2 s": "NeededS = 1.2;",
        "a quarter of a second": "FadeS = 0.25;",
        "thin out after 2.5 s": "BrightMs = 2500;",
        "told after two\n  seconds": "HoldMs = 2000;",
        "hinted at after eight": "CalmMs = 8000;",
        "more than 8 %": "TooMany = 0.08;",
        "after a refusal after 30 s": "RefusedPauseMs = 30000;",
        "At most 0.5 m": "MaxMoveM = 0.5;",
        "at most 0.25 m/s": "MaxSpeedMps = 0.25;",
    }.items():
        assert promise in readme, promise
        assert constant in core, constant


def test_versions_agree() -> None:
    version = manifest()["version"]
    assert version == __version__
    publisher = (PACKAGE / "Runtime" / "WebRtc" / "WhipPublisher.cs").read_text(encoding="utf-8")
    assert f'"arwarden unity {version}"' in publisher
    assert f"## [{version}]" in (PACKAGE / "CHANGELOG.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", ASMDEFS, ids=[path.stem for path in ASMDEFS])
def test_assembly_is_named_like_its_file(path: Path) -> None:
    fields = asmdef(path)
    assert fields["name"] == path.stem
    known = {other.stem for other in ASMDEFS} | TEST_RUNNERS | PACKAGE_OF.keys()
    assert set(fields["references"]) <= known


@pytest.mark.parametrize("name", ["Arwarden.Core", "Arwarden.Mqtt"])
def test_core_and_mqtt_know_no_engine(name: str) -> None:
    [path] = [path for path in ASMDEFS if path.stem == name]
    assert asmdef(path)["noEngineReferences"] is True


def test_scripts_for_scenes_lie_in_files_of_their_names() -> None:
    """Unity finds a component's script by the name of its file."""
    declared = re.compile(
        r"(?:sealed|abstract) class (\w+) : (?:MonoBehaviour|ScriptableObject|FrameSource)\b"
    )
    found = {
        (path.stem, name)
        for path in visible(PACKAGE)
        if path.suffix == ".cs"
        for name in declared.findall(path.read_text(encoding="utf-8"))
    }
    assert len(found) >= 8
    assert [pair for pair in found if pair[0] != pair[1]] == []


def test_no_reflection_and_no_dynamic_code() -> None:
    """IL2CPP compiles ahead of time and strips what nobody names."""
    banned = re.compile(
        r"System\.Reflection|\bdynamic\b|Expression<|Activator\.|\.GetType\(\)|Enum\.(Try)?Parse"
    )
    scripts = [path for path in visible(PACKAGE) if path.suffix == ".cs"]
    assert scripts
    found = [path.name for path in scripts if banned.search(path.read_text(encoding="utf-8"))]
    assert found == []
