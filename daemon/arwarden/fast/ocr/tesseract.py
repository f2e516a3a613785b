"""Tesseract behind the reader's interface, as the extra ``tesseract``. Made for print, not for scenes."""

from __future__ import annotations

import hashlib
import importlib
import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np

from arwarden.core.errors import ConfigError, ModelError
from arwarden.core.frame import ByteImage
from arwarden.fast.ocr.base import CLOSER, ModelFile, TextLine, quad_from_pixels, tidy

INSTALL = "pip install 'arwarden[tesseract]'"
LANGUAGES: Final = {
    "cs": "ces", "da": "dan", "de": "deu", "en": "eng", "es": "spa", "fi": "fin", "fr": "fra",
    "it": "ita", "nl": "nld", "pl": "pol", "pt": "por", "sv": "swe", "zh": "chi_sim",
}  # fmt: skip
SPARSE_TEXT: Final = "--psm 11"
"""Page segmentation for text scattered over a picture."""
TIMEOUT_S: Final = 8.0
"""The program is ended after this; the tier calls a worker stuck at 10 s."""


class TesseractReader:
    """Reads with the ``tesseract`` program, one process a picture.

    Raises ``ModelError`` when the program, its Python package or a language is missing, ``ConfigError``
    for a language that has no Tesseract name here.
    """

    def __init__(self, *, side_px: int, threads: int, languages: Sequence[str]) -> None:
        self._side_px = side_px
        self._language = "+".join(_codes(languages))
        try:
            self._engine: Any = importlib.import_module("pytesseract")
        except ImportError as error:
            msg = f"ocr_engine tesseract needs a package that is not installed ({error.name}): {INSTALL}"
            raise ModelError(msg) from error
        self._models = models_in_use(languages)
        # The program reads its thread count from the environment only.
        os.environ["OMP_THREAD_LIMIT"] = str(threads)

    @property
    def name(self) -> str:
        """The engine's name in the configuration."""
        return "tesseract"

    def models_in_use(self) -> Sequence[ModelFile]:
        """The language files that the program loads."""
        return self._models

    def warm_up(self) -> None:
        """Run once, so that a broken installation shows at start."""
        self.read(np.zeros((64, 64, 3), dtype=np.uint8))

    def close(self) -> None:
        """Nothing to let go of: every picture has its own process."""

    def read(self, rgb: ByteImage, *, closely: bool = False) -> list[TextLine]:
        """All lines of text, top to bottom; words of one line as the program groups them."""
        picture = _bounded(rgb, round(self._side_px * (CLOSER if closely else 1.0)))
        data = self._engine.image_to_data(
            picture,
            lang=self._language,
            config=SPARSE_TEXT,
            timeout=TIMEOUT_S,
            output_type=self._engine.Output.DICT,
        )
        height_px, width_px = picture.shape[:2]
        lines = [_line(words, width_px, height_px) for words in _words_by_line(data)]
        return sorted(lines, key=lambda line: (line.box.y_norm, line.box.x_norm))


_Word = tuple[str, float, float, float, float, float]
"""Text, confidence 0..1, left, top, right and bottom in pixels."""


def _words_by_line(data: dict[str, list[Any]]) -> list[list[_Word]]:
    grouped: dict[tuple[int, int, int], list[_Word]] = {}
    for i, raw in enumerate(data["text"]):
        text, confidence = tidy(str(raw)), float(data["conf"][i])
        if not text or confidence < 0:
            continue
        left, top = float(data["left"][i]), float(data["top"][i])
        right, bottom = left + float(data["width"][i]), top + float(data["height"][i])
        key = (int(data["block_num"][i]), int(data["par_num"][i]), int(data["line_num"][i]))
        grouped.setdefault(key, []).append((text, confidence / 100, left, top, right, bottom))
    return list(grouped.values())


def _line(words: list[_Word], width_px: int, height_px: int) -> TextLine:
    text = " ".join(word[0] for word in words)
    letters = sum(len(word[0]) for word in words)
    confidence = sum(word[1] * len(word[0]) for word in words) / letters
    left, top = min(word[2] for word in words), min(word[3] for word in words)
    right, bottom = max(word[4] for word in words), max(word[5] for word in words)
    corners = np.array([[left, top], [right, top], [right, bottom], [left, bottom]], dtype=np.float32)
    return TextLine(text, min(confidence, 1.0), quad_from_pixels(corners, width_px, height_px))


def _bounded(rgb: ByteImage, side_px: int) -> ByteImage:
    """At most twice the configured side: Tesseract wants letters of 20 px and more."""
    height_px, width_px = rgb.shape[:2]
    ratio = 2 * side_px / max(height_px, width_px)
    if ratio >= 1:
        return rgb
    size = (max(1, round(width_px * ratio)), max(1, round(height_px * ratio)))
    return np.asarray(cv2.resize(rgb, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)


def _codes(languages: Sequence[str]) -> list[str]:
    unknown = [language for language in languages if language not in LANGUAGES]
    if unknown:
        known = ", ".join(sorted(LANGUAGES))
        raise ConfigError(
            "fast.ocr_languages",
            [f"{language}: no Tesseract name is known for it; known are {known}" for language in unknown],
        )
    return [LANGUAGES[language] for language in languages]


def models_in_use(languages: Sequence[str]) -> list[ModelFile]:
    """The program's language files. Raises ``ModelError`` when the program or a language is missing."""
    program = shutil.which("tesseract")
    if program is None:
        msg = "ocr_engine tesseract needs the program tesseract: sudo apt-get install tesseract-ocr"
        raise ModelError(msg)
    listed = subprocess.run(  # noqa: S603 - a fixed argument list, the program found on the PATH
        [program, "--list-langs"], capture_output=True, text=True, timeout=TIMEOUT_S, check=False
    )
    found = re.search(r'"(.+?)"', listed.stdout + listed.stderr)
    folder = Path(found.group(1)) if found else Path()
    files = [folder / f"{code}.traineddata" for code in _codes(languages)]
    missing = [path for path in files if not path.is_file()]
    if missing:
        names = " ".join(f"tesseract-ocr-{path.stem}" for path in missing)
        msg = f"Tesseract's language file {missing[0]} is missing: sudo apt-get install {names}"
        raise ModelError(msg)
    return [ModelFile(p.name, p, hashlib.sha256(p.read_bytes()).hexdigest(), "Apache-2.0") for p in files]
