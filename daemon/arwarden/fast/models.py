"""The weights that a configuration uses, checked without loading any network."""

from __future__ import annotations

from collections.abc import Sequence

from arwarden.config import FastConfig
from arwarden.core.errors import ModelError
from arwarden.fast.elements.weights import NETWORKS_ABSENT, load_weights, shipped_folder
from arwarden.fast.ocr import auto
from arwarden.fast.ocr.base import ModelFile
from arwarden.fast.pairs import weights as pair_weights
from arwarden.fast.words import weights as word_weights


def models_in_use(config: FastConfig) -> Sequence[ModelFile]:
    """The files of the configured OCR engine, and of the element and pair networks where it asks for them.

    Raises ``ModelError`` for a file that is missing or damaged.
    """
    models = list(auto.models_in_use(config))
    if config.elements:
        folder = shipped_folder()
        if folder is None:
            raise ModelError(NETWORKS_ABSENT)
        models += load_weights(folder).files
        words = word_weights.shipped_folder()
        models += word_weights.load_weights(words).files if words is not None else ()
    if config.pairs:
        folder = pair_weights.shipped_folder()
        if folder is None:
            raise ModelError(pair_weights.NETWORK_ABSENT)
        models += pair_weights.load_weights(folder).files
    return models
