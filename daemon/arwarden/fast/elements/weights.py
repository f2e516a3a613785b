"""The weights of the element networks: where they lie in the package, and whether they are the right ones.

``elements.json`` beside them names the files, their checksums, sizes, thresholds and labels. Where that
file is not there, no networks are shipped and the tier reads text alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from arwarden.core.errors import ModelError
from arwarden.fast.elements.decode import TYPES, type_fits, type_thresholds
from arwarden.fast.elements.naming import Naming, known_labels
from arwarden.fast.ocr.base import ModelFile
from arwarden.fast.shipped import FIX, checked, description

DESCRIPTION: Final = "elements.json"
IN_PACKAGE: Final = Path(__file__).parent / "weights"
"""Where the wheel puts them."""
IN_CHECKOUT: Final = Path(__file__).parents[4] / "models" / "elements" / "weights"
"""Where they lie in the repository."""
LICENCE: Final = "Apache-2.0"


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
    least: Mapping[str, float] = field(default_factory=dict)
    """The share from which a label is said, where it is not the usual one."""
    same: Mapping[str, str] = field(default_factory=dict)
    """Labels that count as another one."""
    fits: tuple[tuple[float, float], ...] = ((1.0, 0.0),) * len(TYPES)
    """From score to chance, slope and offset of each type, see ``decode.as_chances``."""

    @property
    def naming(self) -> Naming:
        """How the classifier's answers are read."""
        return Naming(self.labels, self.temperature, self.least, self.same)


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
    values = description(path, "the element networks")
    try:
        detector, classifier = values["detector"], values["classifier"]
        names = {"detector": str(detector["file"]), "classifier": str(classifier["file"])}
        contents = {
            role: checked(folder / name, values["sha256"][name], f"the element network {folder / name}")
            for role, name in names.items()
        }
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
            fits=type_fits(detector.get("fits", {})),
            side_px=int(classifier["side_px"]),
            temperature=float(classifier["temperature"]),
            labels=tuple(str(name) for name in classifier["labels"]),
            least={str(name): float(share) for name, share in classifier.get("least", {}).items()},
            same=known_labels(classifier.get("same", {}), classifier["labels"]),
        )
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        msg = f"{path} does not describe the element networks ({type(error).__name__}: {error}); {FIX}"
        raise ModelError(msg) from error
