"""Between what is to be said and the painters that draw it."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from models.scenes.art.element import Art
from models.scenes.situation import Design


class Painter(Protocol):
    """Draws designs with the material of one split."""

    def classes(self) -> frozenset[str]:
        """Pictogram classes that can be drawn."""
        ...

    def paint(self, design: Design, rng: np.random.Generator) -> Art:
        """Draw the design as seen from the front."""
        ...
