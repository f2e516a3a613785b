"""What lies beside the exported network: its labels, its calibration and the checksums."""

from __future__ import annotations

from pathlib import Path

from arwarden.fast.pairs.weights import DESCRIPTION, LABELS
from arwarden.fast.shipped import FORMAT
from models.cards.description import write_description

NETWORK, VOCABULARY = "pairs.onnx", "vocabulary.txt"


def describe(out: Path, *, temperature: float, offset: float) -> None:
    """Write ``pairs.json`` and ``SHA256SUMS``."""
    values = {
        "format": FORMAT,
        "network": NETWORK,
        "vocabulary": VOCABULARY,
        "labels": list(LABELS),
        "temperature": round(temperature, 3),
        "offset": round(offset, 3),
    }
    write_description(out, DESCRIPTION, values, (NETWORK, VOCABULARY))
