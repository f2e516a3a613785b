"""The engine that the configuration names. The optional ones are imported only when they are chosen."""

from __future__ import annotations

from collections.abc import Sequence

from arwarden.config import FastConfig
from arwarden.core.counters import Counters
from arwarden.fast.ocr import easy, rapid, tesseract, weights
from arwarden.fast.ocr.base import ModelFile, TextReader


def open_reader(config: FastConfig, counters: Counters | None = None) -> TextReader:
    """Load the configured engine.

    Raises:
        ModelError: the engine's package or weights are missing or damaged; says what to install.
        ConfigError: the engine cannot read a configured language.
    """
    if config.ocr_engine == "easyocr":
        return easy.EasyReader(side_px=config.ocr_side_px, languages=config.ocr_languages)
    if config.ocr_engine == "tesseract":
        return tesseract.TesseractReader(
            side_px=config.ocr_side_px, threads=config.threads, languages=config.ocr_languages
        )
    return rapid.RapidReader(side_px=config.ocr_side_px, threads=config.threads, counters=counters)


def models_in_use(config: FastConfig) -> Sequence[ModelFile]:
    """The configured engine's files of weights, checked, without loading the engine.

    Raises ``ModelError`` as ``open_reader`` does.
    """
    if config.ocr_engine == "easyocr":
        return easy.models_in(easy.weights_folder())
    if config.ocr_engine == "tesseract":
        return tesseract.models_in_use(config.ocr_languages)
    return [weights.load_weights(role).file for role in weights.ROLES]
