"""What lies beside the exported network: its labels, its calibration and the checksums."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from arwarden.fast.pairs.weights import DESCRIPTION, LABELS
from arwarden.fast.shipped import FORMAT

NETWORK, VOCABULARY = "pairs.onnx", "vocabulary.txt"


def describe(out: Path, *, temperature: float, offset: float) -> None:
    """Write ``pairs.json`` and ``SHA256SUMS``."""
    sums = {name: hashlib.sha256((out / name).read_bytes()).hexdigest() for name in (NETWORK, VOCABULARY)}
    description = {
        "format": FORMAT,
        "network": NETWORK,
        "vocabulary": VOCABULARY,
        "labels": list(LABELS),
        "temperature": round(temperature, 3),
        "offset": round(offset, 3),
        "sha256": sums,
    }
    (out / DESCRIPTION).write_text(json.dumps(description, indent=1) + "\n", encoding="utf-8")
    lines = [f"{digest}  {name}\n" for name, digest in sums.items()]
    (out / "SHA256SUMS").write_text("".join(lines), encoding="utf-8")
