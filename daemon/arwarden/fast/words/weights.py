"""The word network and its bank: where they lie, and whether they are the right ones.

``words.json`` beside them names the files, their checksums and how to read the answers. Where that file is
not there, none is shipped and pictures of no class say nothing.
"""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from arwarden.core.errors import ModelError
from arwarden.fast.ocr.base import ModelFile
from arwarden.fast.shipped import FIX, checked, description
from arwarden.fast.words.bank import Bank

DESCRIPTION: Final = "words.json"
IN_PACKAGE: Final = Path(__file__).parent / "weights"
"""Where the wheel puts them."""
IN_CHECKOUT: Final = Path(__file__).parents[4] / "models" / "words" / "weights"
"""Where they lie in the repository."""
LICENCE: Final = "Apache-2.0"
BYTE: Final = 127.0
"""The bank's numbers of -1..1 are kept as bytes."""


@dataclass(frozen=True, slots=True)
class WordWeights:
    """The network, the bank and what is needed to run them. Checksums have been compared."""

    network: bytes
    bank: Bank
    files: tuple[ModelFile, ...]
    side_px: int
    """Of the crops that the network takes."""


def shipped_folder() -> Path | None:
    """Where the network of this package or checkout lies; None where it carries none."""
    return next((f for f in (IN_PACKAGE, IN_CHECKOUT) if (f / DESCRIPTION).is_file()), None)


def load_weights(folder: Path) -> WordWeights:
    """Read the description, the network and the bank from a folder.

    Raises:
        ModelError: a file is missing, unreadable, damaged or of another format; names it and the fix.
    """
    path = folder / DESCRIPTION
    values = description(path, "the word network")
    try:
        names = (str(values["network"]), str(values["bank"]))
        network, kept = (
            checked(folder / name, str(values["sha256"][name]), f"{folder / name} of the word network")
            for name in names
        )
        slope, offset = (float(value) for value in values["fit"])
        return WordWeights(
            network=network,
            bank=read_bank(kept, sharpness=float(values["sharpness"]), fit=(slope, offset)),
            files=tuple(ModelFile(name, folder / name, values["sha256"][name], LICENCE) for name in names),
            side_px=int(values["side_px"]),
        )
    except (EOFError, LookupError, TypeError, ValueError, zipfile.BadZipFile) as error:
        msg = f"{path} does not describe the word network ({type(error).__name__}: {error}); {FIX}"
        raise ModelError(msg) from error


def read_bank(content: bytes, *, sharpness: float, fit: tuple[float, float]) -> Bank:
    """A bank from the bytes of its file. Raises ``ValueError`` and what numpy raises for other bytes."""
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        names = bytes(arrays["names"]).decode("utf-8").splitlines()
        vectors = arrays["vectors"].astype(np.float32) / BYTE
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return Bank(names, vectors / np.maximum(lengths, 1e-6), sharpness=sharpness, fit=fit)


def bank_bytes(names: tuple[str, ...], vectors: np.ndarray[tuple[int, ...], np.dtype[np.float32]]) -> bytes:
    """The file of a bank; the same bank gives the same bytes."""
    packed = np.clip(np.round(vectors * BYTE / np.abs(vectors).max()), -127, 127).astype(np.int8)
    file = io.BytesIO()
    np.savez(file, names=np.frombuffer("\n".join(names).encode("utf-8"), np.uint8), vectors=packed)
    return file.getvalue()
