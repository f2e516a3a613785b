"""Looks at pictures of no class and says what they are called: one small network and a bank of names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, Protocol

import numpy as np

from arwarden.core.errors import ModelError
from arwarden.core.frame import ByteImage
from arwarden.fast.elements.crops import Box, as_input, crop_input
from arwarden.fast.network import open_network
from arwarden.fast.ocr.base import ModelFile
from arwarden.fast.words.bank import Floats, Votes
from arwarden.fast.words.weights import WordWeights, load_weights, shipped_folder

MOST_CROPS: Final = 8
"""Crops of one run at most: memory and time stay bounded."""


class WordFinder(Protocol):
    """What finds words for pictures. Both methods may be called from several threads at once."""

    def look(self, rgb: ByteImage, boxes_px: Sequence[Box]) -> Floats:
        """What each of these boxes, all within the frame, looks like: (n, dimensions), of length 1 each."""
        ...

    def votes(self, look: Floats) -> Votes:
        """What a picture may be called that looks so: (dimensions,), also the sum of several looks."""
        ...

    @property
    def switched(self) -> frozenset[str]:
        """The names of things that are also shown crossed out."""
        ...

    def models_in_use(self) -> Sequence[ModelFile]:
        """The files of weights that were loaded."""
        ...


def open_words(*, threads: int = 1, unwanted: Callable[[str], bool] | None = None) -> WordModel | None:
    """The shipped network without ``unwanted`` names, ready to run; None where none is shipped.

    Raises ``ModelError`` for a damaged one.
    """
    folder = shipped_folder()
    if folder is None:
        return None
    weights = load_weights(folder)
    if unwanted is not None:
        weights = replace(weights, bank=weights.bank.without(unwanted))
    model = WordModel(weights, threads=threads)
    model.warm_up()
    return model


class WordModel:
    """The network on ``threads`` threads. Raises ``ModelError`` for a file that is none."""

    def __init__(self, weights: WordWeights, *, threads: int = 1) -> None:
        self._weights = weights
        network = weights.files[0]
        self._network = open_network(weights.network, network, threads)
        outputs = self._network.get_outputs()[0].shape[-1]
        if outputs != weights.bank.dimensions:
            msg = f"{network.path} has {outputs} outputs for a bank of {weights.bank.dimensions} dimensions"
            raise ModelError(msg)

    def look(self, rgb: ByteImage, boxes_px: Sequence[Box]) -> Floats:
        """What each box looks like."""
        if not boxes_px:
            return np.zeros((0, self._weights.bank.dimensions), np.float32)
        crops = np.stack([crop_input(rgb, box, self._weights.side_px) for box in boxes_px])
        parts = [
            self._network.run(None, {"pictures": as_input(crops[start : start + MOST_CROPS])})[0]
            for start in range(0, len(crops), MOST_CROPS)
        ]
        return np.concatenate([np.asarray(part, np.float32) for part in parts])

    def votes(self, look: Floats) -> Votes:
        """What a picture may be called that looks so."""
        return self._weights.bank.votes(look)

    @property
    def switched(self) -> frozenset[str]:
        """The names of things that are also shown crossed out."""
        return self._weights.bank.switched

    def models_in_use(self) -> Sequence[ModelFile]:
        """Network and bank, with their checksums."""
        return self._weights.files

    def warm_up(self) -> None:
        """Run the network once."""
        side = self._weights.side_px
        self.votes(
            self.look(np.zeros((side, side, 3), np.uint8), [(0.0, 0.0, float(side), float(side))])[0] + 1
        )
