"""What lies beside exported weights: a description that the daemon reads, and checksums."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any


def sha256_of(path: Path) -> str:
    """Of a file, in hexadecimal."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def write_description(out: Path, name: str, values: Mapping[str, Any], files: Sequence[str]) -> None:
    """Write ``values`` and the checksums of ``files``, all in ``out``, as ``name`` and ``SHA256SUMS``."""
    sums = {file: sha256_of(out / file) for file in files}
    (out / name).write_text(json.dumps({**values, "sha256": sums}, indent=1) + "\n", encoding="utf-8")
    lines = [f"{digest}  {file}\n" for file, digest in sums.items()]
    (out / "SHA256SUMS").write_text("".join(lines), encoding="utf-8")
