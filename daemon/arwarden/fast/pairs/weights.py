"""The weights of the pair network: where they lie, and whether they are the right ones.

``pairs.json`` beside them names the files, their checksums and how to read the answers. Where that file is
not there, no network is shipped and rules judge alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from arwarden.core.errors import ModelError
from arwarden.fast.ocr.base import ModelFile
from arwarden.fast.shipped import FIX, checked, description

DESCRIPTION: Final = "pairs.json"
IN_PACKAGE: Final = Path(__file__).parent / "weights"
"""Where the wheel puts them."""
IN_CHECKOUT: Final = Path(__file__).parents[4] / "models" / "pairs" / "weights"
"""Where they lie in the repository."""
LICENCE: Final = "Apache-2.0"
LABELS: Final = ("entailed", "neutral", "contradictory")
NETWORK_ABSENT: Final = (
    "fast.pairs is on, but this installation carries no pair network; switch it off, or run from a clone "
    "that has models/pairs/weights"
)


@dataclass(frozen=True, slots=True)
class PairWeights:
    """The network and what is needed to run it. Checksums have been compared."""

    network: bytes
    vocabulary: tuple[str, ...]
    files: tuple[ModelFile, ...]
    temperature: float
    """The logits are divided by it before they become probabilities."""
    offset: float
    """Added to the logit of "contradictory": contradictions are rarer in views than among training pairs."""


def shipped_folder() -> Path | None:
    """Where the network of this package or checkout lies; None where it carries none."""
    return next((f for f in (IN_PACKAGE, IN_CHECKOUT) if (f / DESCRIPTION).is_file()), None)


def load_weights(folder: Path) -> PairWeights:
    """Read the description, the network and its vocabulary from a folder.

    Raises:
        ModelError: a file is missing, unreadable, damaged or of another format; names it and the fix.
    """
    path = folder / DESCRIPTION
    values = description(path, "the pair network")
    try:
        names = (str(values["network"]), str(values["vocabulary"]))
        network, words = (
            checked(folder / name, str(values["sha256"][name]), f"{folder / name} of the pair network")
            for name in names
        )
        if tuple(values["labels"]) != LABELS:
            msg = f"{path} is for the labels {values['labels']}, not {list(LABELS)}; {FIX}"
            raise ModelError(msg)
        return PairWeights(
            network=network,
            vocabulary=tuple(words.decode("utf-8").splitlines()),
            files=tuple(ModelFile(name, folder / name, values["sha256"][name], LICENCE) for name in names),
            temperature=float(values["temperature"]),
            offset=float(values["offset"]),
        )
    except (LookupError, TypeError, ValueError) as error:
        msg = f"{path} does not describe the pair network ({type(error).__name__}: {error}); {FIX}"
        raise ModelError(msg) from error
