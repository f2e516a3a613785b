"""The package's assembly definitions, read as Unity reads them: what exists, and with which defines."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from tests.unity.metas import PACKAGE

WITH_TESTS = "UNITY_INCLUDE_TESTS"
TEST_RUNNERS = frozenset({"UnityEngine.TestRunner", "UnityEditor.TestRunner"})
PACKAGE_OF = {"Unity.WebRTC": "com.unity.webrtc", "meta.xr.mrutilitykit": "com.meta.xr.mrutilitykit"}
"""Assemblies that come with other packages."""
_VERSION = re.compile(r"(\d+)\.(\d+)\.(\d+)(-[0-9A-Za-z.-]+)?")


class Asmdef(NamedTuple):
    """One assembly of the package."""

    name: str
    folder: Path
    references: tuple[str, ...]
    constraints: tuple[str, ...]
    versions: tuple[tuple[str, str, str], ...]
    """Package, least version, define."""
    knows_engine: bool
    is_editor_only: bool
    uses_nunit: bool

    def defines(self, installed: Mapping[str, str]) -> frozenset[str]:
        """What is defined where these packages are installed."""
        return frozenset(
            define
            for package, least, define in self.versions
            if package in installed and _at_least(installed[package], least)
        )

    def exists(self, installed: Mapping[str, str]) -> bool:
        """Whether there is such an assembly at all."""
        return set(self.constraints) <= {WITH_TESTS, *self.defines(installed)}

    def sources(self) -> list[Path]:
        return sorted(self.folder.glob("**/*.cs"))


def read_asmdefs(package: Path = PACKAGE) -> list[Asmdef]:
    return [_read(path) for path in sorted(package.rglob("*.asmdef"))]


def _read(path: Path) -> Asmdef:
    fields = json.loads(path.read_text(encoding="utf-8"))
    return Asmdef(
        name=fields["name"],
        folder=path.parent,
        references=tuple(name for name in fields["references"] if name not in TEST_RUNNERS),
        constraints=tuple(fields["defineConstraints"]),
        versions=tuple((row["name"], row["expression"], row["define"]) for row in fields["versionDefines"]),
        knows_engine=not fields["noEngineReferences"],
        is_editor_only=fields["includePlatforms"] == ["Editor"],
        uses_nunit="nunit.framework.dll" in fields["precompiledReferences"],
    )


def _at_least(version: str, least: str) -> bool:
    return _rank(version) >= _rank(least)


def _rank(version: str) -> tuple[int, int, int, bool]:
    found = _VERSION.fullmatch(version)
    assert found, version
    major, minor, patch, preview = found.groups()
    # A preview comes before what it previews (Semantic Versioning, section 11).
    return int(major), int(minor), int(patch), preview is None
