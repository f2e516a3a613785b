"""What a test needs from the machine. Missing: a skip that says the cure, or a failure where CI is set."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import NoReturn

import pytest

SHARED = Path(__file__).resolve().parents[3] / "shared"


def unavailable(reason: str) -> NoReturn:
    """Skip on a person's machine; fail in CI, where a skip would hide a broken set-up."""
    if os.environ.get("CI"):
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


def require_program(name: str, *, debian: str) -> str:
    """The path of a program, looked for in sbin too (Debian puts daemons there)."""
    found = shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
    if found is None:
        unavailable(f"{name} is not installed: sudo apt-get install {debian}")
    return found


def shared_file(relative: str) -> Path:
    """A file of the real recordings, which are not part of the project: always a skip when absent."""
    path = SHARED / relative
    if not path.exists():
        pytest.skip(f"the recordings are not here: {relative} is looked for in {SHARED}")
    return path
