"""A library that reports its use to its makers does not do so inside arwarden."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest


def kept_at_home(code: str, home: Path) -> list[str]:
    """What a program leaves in an empty home folder. Its telemetry begins with a database there."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in {"ORT_DISABLE_TELEMETRY", "XDG_CACHE_HOME", "CI"}
    }
    environment["HOME"] = str(home)
    environment["PYTHONDONTWRITEBYTECODE"] = "1"
    subprocess.run([sys.executable, "-c", code], env=environment, check=True, timeout=60)
    return sorted(str(path.relative_to(home)) for path in home.rglob("*") if path.is_file())


@pytest.mark.parametrize(
    "module", ["arwarden.fast.elements.detector", "arwarden.fast.pairs.model", "models.elements.inference"]
)
def test_onnxruntime_reports_nothing(module: str, tmp_path: Path) -> None:
    assert kept_at_home(f"import {module}, onnxruntime", tmp_path) == []


def test_onnxruntime_alone_would_still_report(tmp_path: Path) -> None:
    """Upstream reports; when this fails, the line in arwarden/__init__.py may go."""
    kept = kept_at_home("import onnxruntime", tmp_path)
    assert any("onnxruntime" in name for name in kept)
