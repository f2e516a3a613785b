"""The weights that a configuration uses, checked without loading any network."""

from __future__ import annotations

from collections.abc import Sequence

from arwarden.config import FastConfig
from arwarden.fast.elements import weights
from arwarden.fast.ocr import auto
from arwarden.fast.ocr.base import ModelFile


def models_in_use(config: FastConfig) -> Sequence[ModelFile]:
    """The files of the configured OCR engine, and of the element networks where they are shipped.

    Raises ``ModelError`` for a file that is missing or damaged.
    """
    elements = weights.load_weights().files if weights.are_shipped() else ()
    return [*auto.models_in_use(config), *elements]
