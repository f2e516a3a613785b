"""The weights of the element networks: where they lie in the package, and whether they are the right ones.

``elements.json`` beside them names the files, their checksums, sizes, thresholds and labels. Where that
file is not there, no networks are shipped and the tier reads text alone.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from arwarden.core.errors import ModelError
from arwarden.fast.elements.decode import TYPES, type_thresholds
from arwarden.fast.ocr.base import ModelFile

DESCRIPTION: Final = "elements.json"
IN_PACKAGE: Final = Path(__file__).parent / "weights"
"""Where the wheel puts them."""
IN_CHECKOUT: Final = Path(__file__).parents[4] / "models" / "elements" / "weights"
"""Where they lie in the repository."""
FORMAT: Final = 1
LICENCE: Final = "Apache-2.0"
FIX: Final = "reinstall it: pip install --force-reinstall --no-deps arwarden"


@dataclass(frozen=True, slots=True)
class ElementWeights:
    """Both networks and what is needed to run them. Checksums have been compared."""

    detector: bytes
    classifier: bytes
    files: tuple[ModelFile, ...]
    input_px: tuple[int, int]
    """Width and height of the detector's input."""
    thresholds: tuple[float, ...]
    """The least score of each type, in the order of ``decode.TYPES``."""
    side_px: int
    temperature: float
    labels: tuple[str, ...]


NETWORKS_ABSENT = (
    "fast.elements is on, but this installation carries no element networks; switch it off, or run from a "
    "clone that has models/elements/weights"
)


def shipped_folder() -> Path | None:
    """Where the networks of this package or checkout lie; None where it carries none."""
    return next((f for f in (IN_PACKAGE, IN_CHECKOUT) if (f / DESCRIPTION).is_file()), None)


def load_weights(folder: Path) -> ElementWeights:
    """Read the description and both networks from a folder.

    Raises:
        ModelError: a file is missing, unreadable, damaged or of another format; names it and the fix.
    """
    path = folder / DESCRIPTION
    values = _described(path)
    try:
        detector, classifier = values["detector"], values["classifier"]
        names = {"detector": str(detector["file"]), "classifier": str(classifier["file"])}
        contents = {role: _content(folder / name, values["sha256"][name]) for role, name in names.items()}
        if tuple(detector["types"]) != TYPES:
            msg = f"{path} is for elements of the types {detector['types']}, not {list(TYPES)}; {FIX}"
            raise ModelError(msg)
        return ElementWeights(
            detector=contents["detector"],
            classifier=contents["classifier"],
            files=tuple(
                ModelFile(name, folder / name, values["sha256"][name], LICENCE) for name in names.values()
            ),
            input_px=(int(detector["input_px"][0]), int(detector["input_px"][1])),
            thresholds=type_thresholds(detector["thresholds"]),
            side_px=int(classifier["side_px"]),
            temperature=float(classifier["temperature"]),
            labels=tuple(str(name) for name in classifier["labels"]),
        )
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        msg = f"{path} does not describe the element networks ({type(error).__name__}: {error}); {FIX}"
        raise ModelError(msg) from error


def _described(path: Path) -> dict[str, Any]:
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        msg = f"the description of the element networks {path} cannot be read ({error}); {FIX}"
        raise ModelError(msg) from error
    if not isinstance(values, dict) or values.get("format") != FORMAT:
        msg = f"{path} has not the format {FORMAT} of this version; {FIX}"
        raise ModelError(msg)
    return values


def _content(path: Path, wanted: str) -> bytes:
    try:
        content = path.read_bytes()
    except OSError as error:
        msg = f"the element network {path} cannot be read ({error.strerror}); {FIX}"
        raise ModelError(msg) from error
    found = hashlib.sha256(content).hexdigest()
    if found != wanted:
        msg = f"the element network {path} has sha256 {found}, not the expected {wanted}; {FIX}"
        raise ModelError(msg)
    return content
