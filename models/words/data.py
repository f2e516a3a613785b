"""The drawn icons of a split as the trained part takes them: maps of the frozen part, and their words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from rich.progress import track
from torch import Tensor

from models.elements.store import entries_of, shards
from models.elements.trunk import KeptMaps


@dataclass(frozen=True, slots=True)
class Drawn:
    """All drawings of a split."""

    maps: npt.NDArray[np.float16]
    """(n, channels, cells, cells)."""
    words: tuple[str, ...]
    """(n,), what each one's package calls it."""

    def __len__(self) -> int:
        return len(self.words)

    def batch(self, picked: Sequence[int] | npt.NDArray[np.int64]) -> Tensor:
        """The maps of some of them."""
        return torch.from_numpy(self.maps[np.asarray(picked)].astype(np.float32))

    def only(self, names: set[str]) -> Drawn:
        """Those that are called by one of these names."""
        return self.at([index for index, words in enumerate(self.words) if words in names])

    def at(self, picked: Sequence[int] | npt.NDArray[np.int64]) -> Drawn:
        """Those in these places."""
        places = np.asarray(picked, np.int64)
        return Drawn(self.maps[places], tuple(self.words[place] for place in places.tolist()))


def drawn(folder: Path, split: str) -> Drawn:
    """Read a split; the frozen part sees each shard once, and what it made of it is kept beside it.

    Raises:
        SystemExit: nothing is drawn yet.
    """
    found = shards(folder, f"words-{split}")
    if not found:
        raise SystemExit(f"{folder} has no words-{split}: run python -m models.words.generate")
    maps, words = [], []
    kept = KeptMaps()
    for shard in track(found, description=f"{split} maps"):
        maps.append(kept(shard))
        words += [str(entry["words"]) for entry in entries_of(shard)]
    return Drawn(np.concatenate(maps), tuple(words))


def chances(words: Sequence[str]) -> Tensor:
    """(n,), how often each drawing is to be shown: halfway between all drawings and all names alike."""
    counts = Counter(words)
    return torch.tensor([counts[one] ** -0.5 for one in words])
