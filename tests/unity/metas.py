"""Unity's .meta files for the package: made only when missing, because a GUID must never change.

A package that comes by git is read-only in Unity, and a file or folder without its meta is ignored there.
Run as ``python -m tests.unity.metas`` after adding a file; commit what it writes.
"""

from __future__ import annotations

import re
import sys
import uuid
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2] / "unity_bridge"
NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, "com.arwarden.bridge")
GUID = re.compile(r"^guid: ([0-9a-f]{32})$", re.MULTILINE)
IMPORTERS = {
    ".asmdef": "AssemblyDefinitionImporter",
    ".json": "TextScriptImporter",
    ".md": "TextScriptImporter",
    ".shader": "ShaderImporter",
}


def visible(folder: Path) -> Iterator[Path]:
    """Every file and folder below ``folder`` that Unity imports; of folders named ``X~`` only samples."""
    for path in sorted(folder.iterdir()):
        if path.name.startswith(".") or path.suffix == ".meta" or path.name == "__pycache__":
            continue
        if path.name.endswith("~"):
            if path.name == "Samples~":
                yield from visible(path)
            continue
        yield path
        if path.is_dir():
            yield from visible(path)


def meta_of(path: Path) -> Path:
    return path.with_name(f"{path.name}.meta")


def content(path: Path, package: Path = PACKAGE) -> str:
    """The meta of a new file or folder."""
    guid = uuid.uuid5(NAMESPACE, path.relative_to(package).as_posix()).hex
    head = f"fileFormatVersion: 2\nguid: {guid}\n"
    if path.is_dir():
        return head + "folderAsset: yes\n" + _importer("DefaultImporter")
    if path.suffix == ".cs":
        return head
    if path.name == "package.json":
        return head + _importer("PackageManifestImporter")
    return head + _importer(IMPORTERS.get(path.suffix, "DefaultImporter"))


def create_missing(package: Path = PACKAGE) -> list[Path]:
    """Write the metas that are missing; those that exist are left as they are."""
    made = [path for path in visible(package) if not meta_of(path).exists()]
    for path in made:
        meta_of(path).write_text(content(path, package), encoding="utf-8")
    return made


def faults(package: Path = PACKAGE) -> list[str]:
    """What Unity would complain about: missing, orphaned, unreadable and duplicate metas."""
    found: list[str] = []
    expected = {meta_of(path) for path in visible(package)}
    found += [f"missing: {path.relative_to(package)}" for path in sorted(expected) if not path.exists()]
    present = set(package.rglob("*.meta"))
    found += [f"orphaned: {path.relative_to(package)}" for path in sorted(present - expected)]
    guids: Counter[str] = Counter()
    for path in sorted(present & expected):
        match = GUID.search(path.read_text(encoding="utf-8"))
        if match is None:
            found.append(f"without a guid: {path.relative_to(package)}")
        else:
            guids[match[1]] += 1
    return found + [f"used twice: {guid}" for guid, uses in guids.items() if uses > 1]


def _importer(name: str) -> str:
    return f"{name}:\n  externalObjects: {{}}\n  userData: \n  assetBundleName: \n  assetBundleVariant: \n"


if __name__ == "__main__":
    for new in create_missing():
        sys.stdout.write(f"{new.relative_to(PACKAGE)}\n")
