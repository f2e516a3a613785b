"""What a painter works with: chance, a split and the assets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from models.assets.library import Library
from models.assets.sources import Split


@dataclass(frozen=True)
class Kit:
    """Handed through the private steps of a painter as one thing."""

    rng: np.random.Generator
    split: Split
    library: Library

    def chance(self, share: float) -> bool:
        """True in a share 0..1 of the cases."""
        return bool(self.rng.random() < share)
