"""The weights that a configuration uses, checked without loading any network."""

from __future__ import annotations

from collections.abc import Sequence

from arwarden.config import FastConfig
from arwarden.fast.elements.weights import load_weights, shipped_folder
from arwarden.fast.ocr import auto
from arwarden.fast.ocr.base import ModelFile


def models_in_use(config: FastConfig) -> Sequence[ModelFile]:
    """The files of the configured OCR engine, and of the element networks where they are shipped.

    Raises ``ModelError`` for a file that is missing or damaged.
    """
    folder = shipped_folder()
    elements = () if folder is None else load_weights(folder).files
    return [*auto.models_in_use(config), *elements]
